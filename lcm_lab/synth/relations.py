"""Questions over several facts: two that clash, a decision and its talk, events in their order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from lcm_lab.synth.cases import MONTHS, Case, Source
from lcm_lab.synth.world import Fact

__all__ = ["contradiction", "ordering", "rationale"]


def contradiction(source: Source) -> Iterator[Case]:
    """Ask for something of which two facts of kind "clash" say different things.

    Both are gold with grade 2. Templates: ``q_clash`` of the attribute, or its ``q``.
    """
    clashes = sorted(source.kind("clash"), key=lambda fact: (fact.slot, fact.session))
    groups = [tuple(group) for _, group in groupby(clashes, key=lambda fact: fact.slot)]
    for group in source.draw.shuffle([g for g in groups if len(g) > 1]):
        ways = source.words.of(group[0].about, group[0].attribute)
        asked = source.after(max(fact.session for fact in group))
        values = tuple(fact.value for fact in group)
        yield Case(
            "contradiction", group[0], group, tuple(ways.get("q_clash", ways["q"])),
            "; ".join(values), asked, values, grade=2,
        )  # fmt: skip


def rationale(source: Source) -> Iterator[Case]:
    """Ask why something was decided: facts of kind "decision" (3) and "discussion" (2), by slot.

    The value of a decision is its reason. Templates: ``q`` of ``decision``, by attribute.
    """
    for decision in source.kind("decision"):
        talk = [f for f in source.kind("discussion") if f.slot == decision.slot]
        gold = (decision, *talk)
        ways = source.words.of("decision", decision.attribute)
        yield Case(
            "rationale", decision, gold, tuple(ways["q"]), decision.value,
            source.after(max(fact.session for fact in gold)), tuple(f.value for f in gold),
            grades=(3, *(2 for _ in talk)),
        )  # fmt: skip


def ordering(source: Source) -> Iterator[Case]:
    """Ask for the three to five things that somebody did in some whole months, in order.

    Facts of kind "event" with a day. Templates: ``q`` of ``ordering``, with the fields ``m1`` and
    ``m2``.
    """
    events = sorted(source.kind("event"), key=lambda f: (f.owner, f.day or source.world.starts[0]))
    found = [
        chosen
        for _, group in groupby(events, key=lambda fact: fact.owner)
        for chosen in _windows(list(group))
    ]
    for gold in source.draw.shuffle(found):
        first, last = gold[0].day, gold[-1].day
        if first is None or last is None:
            continue
        months = [f"{MONTHS[day.month - 1]} {day.year}" for day in (first, last)]
        values = tuple(fact.value for fact in gold)
        yield Case(
            "ordering", gold[0], gold, tuple(source.words.of("ordering", "")["q"]),
            "; ".join(values), source.after(max(fact.session for fact in gold)), values,
            fields=(("m1", months[0]), ("m2", months[1])), grade=2,
        )  # fmt: skip


def _windows(events: list[Fact]) -> Iterator[tuple[Fact, ...]]:
    """Give the runs of whole months, two to four of them, that hold three to five events."""
    months = [fact.day.year * 12 + fact.day.month if fact.day else 0 for fact in events]
    for first in sorted(set(months)):
        for length in (2, 3, 4):
            chosen = tuple(
                fact
                for fact, month in zip(events, months, strict=True)
                if first <= month < first + length
            )
            ends = {m for m in months if m in (first, first + length - 1)}
            if 3 <= len(chosen) <= 5 and len(ends) == 2:
                yield chosen
