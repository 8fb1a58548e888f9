"""What can be asked of an assistant's history: the makers of all profiles, and some of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise
from typing import cast

from lcm_lab.synth import cases, relations
from lcm_lab.synth.ask import BANDS as SHARED
from lcm_lab.synth.ask import Bands
from lcm_lab.synth.assistant.topics import frames
from lcm_lab.synth.assistant.user import User
from lcm_lab.synth.cases import Case, Cases, Source, of_one
from lcm_lab.synth.profile import Setting
from lcm_lab.synth.world import Fact

__all__ = ["BANDS", "cases_of"]

#: Questions of a template set that are about no topic, by what they ask for.
Wordings = Mapping[str, Sequence[str]]
Maker = Callable[[Source], Iterator[Case]]
#: Types whose questions stand alone.
BARE = ("contradiction", "paraphrase", "near-duplicate", "quote", "ordering", "cross-lingual")
BANDS: Bands = {
    **SHARED,
    "temporal": (400, 650, 150, 1000),
    "assistant-said": (400, 600, 150, 900),
    "contradiction": (700, 850, 300, 1000),
    "rationale": (300, 500, 150, 850),
    "quote": (800, 1000, 600, 1000),
    "ordering": (100, 300, 0, 500),
    "cross-lingual": (300, 800, 0, 1000),
}


def cases_of(setting: Setting) -> Cases:
    """Give the makers for a setting, each with how many questions a user gets of it."""
    ask = frames(setting.templates)["ask"]
    wanted: dict[str, tuple[Maker, int]] = {
        "single": (cases.single, 7), "assistant-said": (partial(_recommended, ask), 6),
        "multi-session": (cases.multi, 7), "temporal": (partial(_temporal, ask), 8),
        "update": (cases.update, 6), "contradiction": (relations.contradiction, 5),
        "preference": (cases.preference, 6), "abstention": (_abstention, 5),
        "identifier": (cases.identifier, 5), "paraphrase": (cases.paraphrase, 5),
        "near-duplicate": (cases.near_duplicate, 5), "rationale": (relations.rationale, 5),
        "quote": (partial(_quote, ask), 4), "ordering": (_ordering, 4),
        "cross-lingual": (_foreign, 5),
    }  # fmt: skip
    if setting.lang == "en":
        del wanted["cross-lingual"]
    more = 1 if setting.size == "S" else 2
    return {
        kind: (make if kind in BARE else partial(_in_context, ask["context"], make), count * more)
        for kind, (make, count) in wanted.items()
    }


def _in_context(contexts: Sequence[str], make: Maker, source: Source) -> Iterator[Case]:
    """Ask as people do who come back after weeks: with a word on what they are about."""
    for case in make(source):
        framed = [one.replace("{q}", q) for one in contexts for q in case.templates]
        yield replace(case, templates=tuple(framed)) if case.fact.domain else case


def _recommended(ask: Wordings, source: Source) -> Iterator[Case]:
    """Ask for what the assistant recommended."""
    for fact in source.kind("rec"):
        case = of_one(source, "assistant-said", fact, ask["rec"])
        yield replace(case, fields=tuple(fact.details.items()))


def _temporal(ask: Wordings, source: Source) -> Iterator[Case]:
    """Ask when or in which month, and of two events which came first or how far apart."""
    pairs = _pairs(ask, source)
    for number, case in enumerate(cases.temporal(source)):
        yield case
        if number % 2 and (pair := next(pairs, None)):
            yield pair


def _quote(ask: Wordings, source: Source) -> Iterator[Case]:
    """Ask whose words something is: the saying is the span, a paraphrase of it is around."""
    for fact in source.kind("quote"):
        case = of_one(source, "quote", fact, ask["quote"])
        yield replace(case, answer=fact.details["p"], fields=(("s", fact.value),))


def _events(source: Source) -> list[tuple[Fact, ...]]:
    events = sorted(source.kind("event"), key=lambda fact: (fact.slot, fact.session))
    return [tuple(group) for _, group in groupby(events, key=lambda fact: fact.slot)]


def _pairs(ask: Wordings, source: Source) -> Iterator[Case]:
    """Ask of two things that follow each other: the earlier one, or the days between."""
    found = [pair for group in _events(source) for pair in pairwise(group)]
    for number, pair in enumerate(source.draw.shuffle(found)):
        one, two = pair
        if one.day is None or two.day is None:
            continue
        apart = (two.day - one.day).days
        answer = f"{apart} days" if number % 2 else one.value
        values = [fact.value for fact in source.draw.shuffle(pair)]
        yield Case(
            "temporal", one, pair, tuple(ask["days" if number % 2 else "first"]), answer,
            source.after(two.session), (one.value, two.value),
            fields=(("v1", values[0]), ("v2", values[1])), grade=2,
        )  # fmt: skip


def _ordering(source: Source) -> Iterator[Case]:
    """Ask for the order of three to five things of a kind, in words that do not name the kind."""
    for group in source.draw.shuffle([g for g in _events(source) if len(g) > 2]):
        values = tuple(fact.value for fact in group)
        asked = source.after(group[-1].session)
        ways = tuple(source.words.of("event", group[0].attribute)["q_order"])
        answer = "; ".join(values)
        yield Case("ordering", group[0], group, ways, answer, asked, values, grade=2)


def _foreign(source: Source) -> Iterator[Case]:
    """Ask in another language for what was said in it."""
    for fact in source.kind("foreign"):
        ways = source.words.of("foreign", fact.attribute)["q"]
        yield of_one(source, "cross-lingual", fact, ways)


def _abstention(source: Source) -> Iterator[Case]:
    """Ask for a slot that was talked about and never filled."""
    for fact in source.draw.shuffle(cast(User, source.world).open):
        ways = tuple(source.words.of(fact.about, fact.attribute)["q"])
        yield Case("abstention", fact, (), ways, "", source.after(source.last // 2))
