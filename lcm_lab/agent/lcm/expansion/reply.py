"""What a worker hands in: an answer, and what it says that rests on."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from lcm_lab.errors import BadInput

__all__ = ["Reply", "parse_reply", "read_reply"]

FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)```", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as a worker gave it; what it cites is not checked yet.

    Attributes
    ----------
    answer : str
    cited : tuple of str or None
        None where it did not say.
    summaries, tokens : int
        How many summaries it says it expanded, and how many tokens it read.
    truncated : bool
    """

    answer: str
    cited: tuple[str, ...] | None = None
    summaries: int = 0
    tokens: int = 0
    truncated: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Give it with the names that the reference has."""
        return {
            "answer": self.answer,
            "citedIds": list(self.cited or ()),
            "expandedSummaryCount": self.summaries,
            "totalSourceTokens": self.tokens,
            "truncated": self.truncated,
        }


def read_reply(text: str, seeds: int) -> Reply:
    """Read an answer: plain text, or the JSON of `parse_reply`.

    Raises
    ------
    BadInput
        For what looks like JSON and is no answer.

    Examples
    --------
    >>> read_reply("Postgres.", 1).answer
    'Postgres.'
    """
    said = text.strip()
    if said.startswith("{") or FENCED.fullmatch(said):
        return parse_reply(said, seeds)
    try:
        return parse_reply(said, seeds) if FENCED.search(said) else Reply(said)
    except BadInput:
        return Reply(said)  # a plain answer that quotes code


def parse_reply(text: str, seeds: int) -> Reply:
    """Read the JSON of a worker's answer, bare or fenced.

    Parameters
    ----------
    text : str
    seeds : int
        How many summaries it was given: what it expanded, where it does not say.

    Raises
    ------
    BadInput
        For what is no JSON object with an answer.

    Examples
    --------
    >>> parse_reply('{"answer": "x", "citedIds": [" sum_aa ", "sum_aa", 5]}', 4)
    Reply(answer='x', cited=('sum_aa',), summaries=4, tokens=0, truncated=False)
    """
    fenced = FENCED.search(text)
    try:
        read = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The reply is not the JSON that was asked for: {error}.") from error
    answer = read.get("answer") if isinstance(read, dict) else None
    if not isinstance(answer, str) or not answer.strip():
        raise BadInput("The reply has no answer: a JSON object with the text 'answer' was wanted.")
    cited = read.get("citedIds")
    named = [one.strip() for one in cited if isinstance(one, str)] if _listed(cited) else []
    return Reply(
        answer.strip(),
        tuple(dict.fromkeys(filter(None, named))),
        _count(read.get("expandedSummaryCount"), seeds),
        _count(read.get("totalSourceTokens"), 0),
        read.get("truncated") is True,
    )


def _listed(given: Any) -> bool:
    return isinstance(given, list)


def _count(given: Any, otherwise: int) -> int:
    real = isinstance(given, int | float) and not isinstance(given, bool)
    return max(math.trunc(given), 0) if real and math.isfinite(given) else otherwise
