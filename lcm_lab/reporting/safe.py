"""What a report may show of a text: no secrets, no home folders, no control characters, bounded."""

from __future__ import annotations

import re

from lcm_lab.redact import redact
from lcm_lab.shown import cut

__all__ = ["safe"]

#: A folder of somebody's own; what follows it is kept.
HOME = re.compile(
    r"(?<![\w.])(?:/home|/Users|[A-Za-z]:\\Users)[/\\][^\s/\\\"'`:;,<>|)]+|(?<![\w.])/root(?=/)"
)
#: Everything below a space but tab and line feed, and what turns the reading direction of a page.
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


def safe(text: object, limit: int | None = None) -> str:
    """Give a text as a report may show it.

    Parameters
    ----------
    text : object
        Printed with `str`.
    limit : int or None
        Cut after this many characters, with an ellipsis. The cut comes after redaction: half a
        secret is still part of one.

    Returns
    -------
    str
        Without secrets (`lcm_lab.redact`), with ``~`` for home folders, without control and
        bidirectional-override characters.

    Examples
    --------
    >>> safe("see \u202enotes.md, at length", limit=9)
    'see notes…'
    """
    shown = UNSEEN.sub("", redact(str(text)).text)
    shown = HOME.sub("~", shown)
    if limit is not None and len(shown) > limit:
        return cut(shown, limit).rstrip() + "…"
    return shown
