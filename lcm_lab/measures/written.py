"""Measures as they are written: ``nDCG@10`` from the text "nDCG@10"."""

from __future__ import annotations

import ast
import re
from typing import Any

from lcm_lab.errors import BadParameter, unknown
from lcm_lab.measures.base import Measure
from lcm_lab.measures.cost import IndexTime, Latency, Tokens
from lcm_lab.measures.finding import AP, RR, AllR, AnyR, Evidence, R, Stale, nDCG

__all__ = ["parse"]

_ALL: tuple[Measure, ...] = (
    *(nDCG, R, AnyR, AllR, RR, AP, Evidence, Stale),
    *(Tokens, Latency, IndexTime),
)
_NAMES = {measure.name: measure for measure in _ALL} | {"Success": AnyR, "MRR": RR}

#: What Python says to an expression that it cannot read.
UNREADABLE = (SyntaxError, ValueError, TypeError)
#: Far beyond any measure that a person writes.
LONGEST = 200

_WRITTEN = re.compile(r"(?P<name>\w+)(?:\((?P<parameters>.*)\))?(?:@(?P<at>\d+(?:\.\d+)?))?")


def parse(text: str) -> Measure:
    """Read a measure as it is written.

    ``Success@5`` and ``MRR`` are read as AnyR@5 and RR.

    Raises
    ------
    NotFound
        For a name that is not a measure.
    BadParameter
        For anything that is not ``name``, ``name@k`` or ``name(parameter=...)@k``.

    Examples
    --------
    >>> parse("Success@5")
    AnyR@5
    """
    written = _WRITTEN.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if written is None:
        raise BadParameter(f"{text!r:.80} is not a measure. Write one as nDCG@10 or R@5.")
    if written["name"] not in _NAMES:
        raise unknown("measure", written["name"], _NAMES)
    measure = _NAMES[written["name"]](**_parameters(text, written["parameters"] or ""))
    if written["at"] is None:
        return measure
    return measure @ (float(written["at"]) if "." in written["at"] else int(written["at"]))


def _parameters(text: str, written: str) -> dict[str, Any]:
    refused = BadParameter(f"Cannot read the parameters of {text!r}. Write nDCG(gain='linear')@10.")
    try:
        call = ast.parse(f"f({written})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(not w.arg for w in call.keywords):
            raise refused
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except UNREADABLE as error:
        raise refused from error
