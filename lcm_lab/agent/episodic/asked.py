"""What ``search`` was asked, checked beyond what its schema can say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

from lcm_lab.errors import BadParameter
from lcm_lab.query import require_words
from lcm_lab.times import bound

__all__ = ["Asked", "Mode", "Written", "asked"]

Mode = Literal["vector", "text", "both"]
Written = Literal["markdown", "json"]

LEAST = 2
DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to ``search``.

    Attributes
    ----------
    concepts : tuple of str
        One, or the several that a conversation must all hold.
    mode, limit, written : str, int, str
    told : dict
        after, before, project, session_id and git_branch, as given; what was not is None.
    """

    concepts: tuple[str, ...]
    mode: Mode
    limit: int
    written: Written
    told: dict[str, Any]

    @property
    def several(self) -> bool:
        """Whether it is about several concepts."""
        return len(self.concepts) > 1

    @property
    def window(self) -> dict[str, int | None]:
        """The days as instants: since, and before, which is no longer in it."""
        return {"since": bound(self.told["after"]), "before": bound(self.told["before"])}

    @property
    def days(self) -> str:
        """The days in words; "" for all of them."""
        after, before = self.told["after"], self.told["before"]
        parts = [f"from {after}T00:00Z"] * bool(after) + [f"before {before}T00:00Z"] * bool(before)
        return " and ".join(parts)


def asked(
    query: str | list[str],
    mode: Mode,
    limit: int,
    written: Written,
    told: dict[str, Any],
    *,
    reference: bool,
) -> Asked:
    """Check a question.

    Parameters
    ----------
    reference : bool
        Let pass what episodic-memory lets pass: blank queries of two characters, days up to the
        31st in any month, days in the wrong order.

    Raises
    ------
    EmptyQuery
        For a concept without a word.
    BadParameter
        For a concept of less than two characters, days that are none, empty names.
    """
    concepts = (query,) if isinstance(query, str) else tuple(query)
    for one in concepts:
        _check(one, reference=reference)
    days = {name: _day(name, told[name], reference=reference) for name in ("after", "before")}
    for name, held in told.items():
        if held == "":
            raise BadParameter(f"{name} is empty. Leave it out to search everywhere.")
    if not reference and days["after"] and days["before"] and days["after"] >= days["before"]:
        raise BadParameter(
            f"No day is from {days['after']} on and before {days['before']}: before names the "
            "first day that is not searched. Swap them, or give a later before."
        )
    return Asked(concepts, mode, limit, written, told)


def _check(concept: str, *, reference: bool) -> None:
    if not reference:
        require_words(concept)
    shown = concept if reference else concept.strip()
    if len(shown.encode("utf-16-le", "surrogatepass")) < 2 * LEAST:
        raise BadParameter(f"query must have at least {LEAST} characters. Got {concept!r:.40}.")


def _day(name: str, written: str | None, *, reference: bool) -> str | None:
    if written is None:
        return None
    found = DAY.fullmatch(written)
    if found is None:
        raise BadParameter(
            f"{name} must be a day, YYYY-MM-DD, such as 2026-03-01. Got {written!r:.40}."
        )
    year, month, day = map(int, found.groups())
    try:
        if reference and 1 <= day <= 31:
            _rolled(year, month, day)
        else:
            date(year, month, day)
    except ValueError:
        raise BadParameter(
            f"{name}: there is no day {written}. Give one of the calendar."
        ) from None
    return written


def _rolled(year: int, month: int, day: int) -> date:
    """Give a day as JavaScript does: 30 February is a day of March."""
    return date(year, month, 1) + timedelta(days=day - 1)
