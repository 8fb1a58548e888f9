"""What can be asked about what came when: groups, order, days, and what followed what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Any, cast

from lcm_lab.synth.cases import MONTHS, Case, Judged, Source, of_one
from lcm_lab.synth.coding.render import Rendered
from lcm_lab.synth.world import Fact

__all__ = ["adjacency", "multi", "ordering", "sentences", "temporal"]

#: A text of fewer characters says nothing that one could ask for.
SHORT = 30


def sentences(source: Source, family: str) -> Mapping[str, Any]:
    """Give the sentences of a family of facts."""
    return cast(Mapping[str, Any], source.words.facts[family])


def _groups(source: Source) -> list[tuple[Fact, ...]]:
    events = sorted(source.kind("event"), key=lambda fact: (fact.slot, fact.session))
    return [tuple(group) for _, group in groupby(events, key=lambda fact: fact.slot)]


def multi(source: Source) -> Iterator[Case]:
    """Ask for everything of a kind, over several sessions."""
    for group in source.draw.shuffle([g for g in _groups(source) if len(g) > 1]):
        yield _all_of(source, group, "multi-session", "q_all", "; ")


def ordering(source: Source) -> Iterator[Case]:
    """Ask for three to five events in the order in which they happened."""
    for group in source.draw.shuffle([g for g in _groups(source) if len(g) > 2]):
        yield _all_of(source, group[:5], "ordering", "q_order", ", then ")


def _told(source: Source) -> dict[str, datetime]:
    """Give when each fact was told first."""
    told: dict[str, datetime] = {}
    for message in source.messages:
        for fact in message.states:
            told.setdefault(fact.ref, message.time)
    return told


def _all_of(source: Source, group: Sequence[Fact], kind: str, pool: str, joint: str) -> Case:
    told = _told(source)
    group = sorted(group, key=lambda fact: told[fact.ref])
    asked = source.after(max(fact.session for fact in group))
    values = tuple(fact.value for fact in group)
    templates = tuple(sentences(source, "event")[group[0].attribute][pool])
    answer = joint.join(values)
    return Case(kind, group[0], tuple(group), templates, answer, asked, values, grade=2)


def temporal(source: Source) -> Iterator[Case]:
    """Ask when something happened, or what of a kind happened on a day."""
    told = _told(source)
    days = Counter((f.attribute, told[f.ref].date()) for f in source.kind("event"))
    for number, fact in enumerate(source.kind("event")):
        moment = told[fact.ref].date()
        day = f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
        words = sentences(source, "event")[fact.attribute]
        if number % 3 == 0:
            yield replace(of_one(source, "temporal", fact, words["q_when"]), answer=day)
        elif days[fact.attribute, moment] == 1:
            yield replace(of_one(source, "temporal", fact, words["q_on"]), fields=(("day", day),))


def adjacency(source: Source, rendered: Rendered) -> Iterator[Case]:
    """Ask for what the user said right after something was finished."""
    pool = tuple(sentences(source, "adjacent")["q"])
    said = Counter(message.text for message in source.messages)
    for gist, after in source.draw.shuffle(rendered.turns):
        if said[after.text] > 1 or len(after.text) < SHORT:
            continue
        fact = Fact("", "turn", "turn", gist, "user", "", after.session, "")
        answer = after.text.rsplit("\n\n", 1)[-1]  # what was pasted stands before it
        yield Case(
            "adjacency", fact, (), pool, answer, source.after(after.session),
            fields=(("gist", gist),), judged=(Judged(after.docno, 3, answer),),
        )  # fmt: skip
