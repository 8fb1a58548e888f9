"""Questions as FTS5 reads them: what is asked for, quoted, and how the parts are joined.

Inside double quotes FTS5 has no operators, so a quoted question never is a syntax error. How a
question falls into parts differs between systems; each way is a function here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from lcm_lab.words import UNSPACED, fold_form

__all__ = ["MATCHES", "READERS", "has_cjk", "spaced"]
