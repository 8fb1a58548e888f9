"""Private keys, whole or in part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lcm_lab.redact.span import Span

__all__ = ["CUT_OFF", "WHOLE", "tails"]

_LINE = r"(?:\s|\\[rn])+"
_PEM = r"-----{} [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN, _END = _PEM.format("BEGIN"), _PEM.format("END")

WHOLE = rf"{_BEGIN}(?:(?!-----BEGIN)[\s\S]){{0,20000}}?{_END}"
#: The beginning of one, with the lines that follow.
CUT_OFF = rf"{_BEGIN}(?:{_LINE}[A-Za-z-]+: [^\n\\]*)*(?:{_LINE}[A-Za-z0-9+/=]{{8,}})*"

_TAIL_END = re.compile(_END)
#: Lines of a key from its end, the first of them, which may have been cut, last.
_GAP = r"(?:\s|[rn]\\)"
_BACKWARDS = re.compile(
    rf"{_GAP}*[A-Za-z0-9+/=]{{1,80}}(?:{_GAP}+(?:[A-Za-z0-9+/=](?!\\)){{16,}})*"
    rf"(?:{_GAP}+(?:[A-Za-z0-9+/=](?!\\)){{8,}})?"
)


def tails(text: str) -> Iterator[Span]:
    """Find private keys whose beginning was cut off, reading backwards from their ends."""
    for match in _TAIL_END.finditer(text):
        before = _BACKWARDS.match(text[max(0, match.start() - 20_000) : match.start()][::-1])
        if before is not None and before.end():
            yield Span(match.start() - before.end(), match.end(), "private-key")
