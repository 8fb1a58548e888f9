"""What lossless-claw's ``lcm_grep`` does to its arguments and its output, rule by rule."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pandas as pd
import re2

from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ranking.exact.match import like_terms
from lcm_lab.times import instant

__all__ = [
    "SCANNED",
    "fallback_snippet",
    "like_args",
    "line_snippet",
    "refusal",
    "regex_allowed",
    "time_bound",
]

#: Rows of a table that a pattern is tried on, newest first.
SCANNED = 10_000
#: Characters of a snippet in a line of the answer.
LINE = 200
#: Characters of a pattern.
LONGEST = 500

QUIET = re2.Options()
QUIET.log_errors = False

#: What a question in full text is refused for, in the order in which it is looked for.
SYNTAX = {
    "alternation": re.compile(r"(?<!\\)\|"),
    "wildcard": re.compile(r"\.[*+?]"),
    "character class": re.compile(r"\[[^\]]+\]"),
    "anchor": re.compile(r"(?:^|\s)\^|\$(?:\s|$)"),
    "regex character escape": re.compile(r"(?<!\\)\\[bBdDwWsS]"),
}
_TIMES = r"(?:[+*?]|\{\d+(?:,\d*)?\})"
#: A repeated group whose end is repeated, and a repeated choice.
_NESTED = re.compile(rf"{_TIMES}\){_TIMES}|\([^()]*\|[^()]*\){_TIMES}")


def refusal(query: str) -> str | None:
    r"""Name the syntax of patterns that a question in full text holds outside quotes, or None.

    Examples
    --------
    >>> refusal("a|b"), refusal('"a|b" c'), refusal(r"C:\temp")
    ('alternation', None, None)
    """
    bare = re.sub(r'"[^"]*(?:"|$)', " ", query)
    return next((name for name, found in SYNTAX.items() if found.search(bare)), None)


def regex_allowed(pattern: str) -> bool:
    """Tell whether a pattern is tried at all: short, sound, and of no shape that may explode.

    Examples
    --------
    >>> regex_allowed("(error|warn):"), regex_allowed("(error|warn)?")
    (True, False)
    """
    if len(pattern) > LONGEST or _NESTED.search(pattern):
        return False
    if not _sound(pattern):
        return False
    return not re.search(r"\{(\d+),(\d+)\}", pattern) or all(
        int(low) <= int(high) for low, high in re.findall(r"\{(\d+),(\d+)\}", pattern)
    )


def _sound(pattern: str) -> bool:
    """Tell whether an engine takes a pattern: that which it runs on, or one that knows more."""
    try:
        re2.compile(pattern, QUIET)
    except re2.error:
        try:
            re.compile(_without_sets(pattern))
        except (re.error, OverflowError, RecursionError):
            return False
    return True


def _without_sets(pattern: str) -> str:
    """Escape what may mean sets of sets to Python one day, of which it warns."""
    return re.sub(r"([&|~-])\1", r"\1\\\1", re.sub(r"(\[\^?)\[", r"\1\\[", pattern))


def time_bound(name: str, value: Any) -> int | None:
    """Read a bound in time as a lenient parser of dates does; what is no text, or blank, is none.

    Returns
    -------
    int or None
        Microseconds since 1970, UTC.

    Raises
    ------
    BadParameter
        For a text that no parser of dates makes sense of.

    Examples
    --------
    >>> time_bound("since", "  "), time_bound("since", "Jan 1 1970 00:00 GMT")
    (None, 0)
    """
    if not isinstance(value, str) or not value.strip():
        return None
    with suppress(BadInput):  # the parser below knows more forms
        return instant(value.strip())
    parsed = pd.to_datetime(value.strip(), utc=True, errors="coerce")
    if pd.isna(parsed):
        raise BadParameter(f"{name} must be a valid ISO timestamp. Got {value!r:.80}.")
    return instant(parsed.to_pydatetime())


def line_snippet(text: str) -> str:
    """Give a snippet as it stands in a line of the answer: one line of at most 200 characters."""
    line = text.replace("\n", " ").strip()
    return line if len(line) <= LINE else line[: LINE - 3] + "..."


def fallback_snippet(text: str, terms: list[str]) -> str:
    """Give a snippet where no index gives one: around the term that occurs first.

    Examples
    --------
    >>> fallback_snippet("Needle at start of text and more text after that point", ["needle"])
    'Needle at start of text and more text after th...'
    """
    lowered = text.lower()
    found = [(lowered.find(term), term) for term in terms if term in lowered]
    if not found:
        return text if len(text) <= 80 else text[:77].rstrip() + "..."
    at, term = min(found)
    start, stop = max(at - 24, 0), min(at + len(term) + 40, len(text))
    piece = text[start:stop].strip()
    return "..." * (start > 0) + piece + "..." * (stop < len(text))


def like_args(query: str) -> list[str]:
    r"""Give what SQL's LIKE is asked where there is no index.

    Examples
    --------
    >>> like_args("100% sure")
    ['%100\\%%', '%sure%']
    """
    return ["%" + re.sub(r"([%_\\])", r"\\\1", term) + "%" for term in like_terms(query)]
