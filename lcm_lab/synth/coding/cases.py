"""What can be asked of a project, by type: computed from its facts and from who follows whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from lcm_lab.synth.ask import Bands
from lcm_lab.synth.cases import Case, Cases, Judged, Source, of_one
from lcm_lab.synth.coding.render import Rendered
from lcm_lab.synth.coding.sequences import adjacency, multi, ordering, sentences, temporal
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.world import Fact

__all__ = ["BANDS", "cases", "voice"]

#: As `lcm_lab.synth.ask.BANDS`: the mean of each type, and the widest one question may have.
BANDS: Bands = {
    "single": (450, 700, 150, 1000),
    "assistant-said": (400, 600, 150, 1000),
    "multi-session": (400, 600, 150, 800),
    "temporal": (400, 650, 150, 1000),
    "update": (600, 750, 200, 1000),
    "contradiction": (700, 850, 400, 1000),
    "preference": (150, 350, 0, 500),
    "abstention": (400, 750, 300, 1000),
    "identifier": (300, 900, 0, 1000),
    "paraphrase": (0, 150, 0, 150),
    "near-duplicate": (700, 900, 500, 1000),
    "tool-output": (300, 600, 100, 1000),
    "rationale": (300, 500, 100, 900),
    "quote": (800, 1000, 600, 1000),
    "ordering": (100, 300, 0, 400),
    "adjacency": (0, 200, 0, 200),
}


def voice(fact: Fact, draw: Draw) -> Mapping[str, str]:
    """Give the fields of a question about a fact."""
    del draw
    return fact.details | {"v": fact.value}


def _settled(source: Source) -> list[Fact]:
    """Give the settings that never changed, in random order."""
    return [f for f in source.kind("slot") if len(source.world.history(f.slot, source.last)) == 1]


def _single(source: Source) -> Iterator[Case]:
    """Ask for what the user told in passing."""
    for fact in source.kind("said"):
        yield of_one(source, "single", fact, sentences(source, "said")[fact.attribute]["q"])


def _found(source: Source) -> Iterator[Case]:
    """Ask for what the assistant found out: a point of a report, or a cause."""
    facts = source.draw.shuffle([*source.kind("found"), *source.kind("bug")])
    for fact in facts:
        if fact.kind == "found":
            pool = sentences(source, "found")[fact.attribute]["q"]
            yield of_one(source, "assistant-said", fact, pool)
        elif fact.attribute == "cause":
            yield of_one(source, "assistant-said", fact, sentences(source, "bug")["q_cause"])


def _update(source: Source) -> Iterator[Case]:
    """Ask for a setting that changed: the value that holds then."""
    for fact in source.kind("slot"):
        if fact.told == "change":
            asked = source.after(fact.session)
            history = source.world.history(fact.slot, asked)
            now, older = history[-1], tuple(history[:-1])
            pool = tuple(sentences(source, "setting")["q"])
            yield Case("update", now, (now,), pool, now.value, asked, (now.value,), older)


def _identifier(source: Source) -> Iterator[Case]:
    """Ask with an identifier for what it names, and in other words for the identifier."""
    bug, setting = sentences(source, "bug"), sentences(source, "setting")
    facts = [*source.kind("ticket"), *source.kind("commit"), *_settled(source)]
    facts += [fact for fact in source.kind("bug") if fact.attribute in ("where", "ticket")]
    for number, fact in enumerate(source.draw.shuffle(facts)):
        pools: dict[str, tuple[Sequence[str], str]] = {
            "ticket": (bug["q_which"], ""),
            "commit": (sentences(source, "commit")["q"], ""),
            "slot": (setting["q_mild"], ""),
            "bug": (bug["q_where" if fact.attribute == "where" else "q_ticket"], ""),
        }
        if number % 2 and fact.kind == "ticket":
            pools["ticket"] = (bug["q_about"], fact.entity)
        elif number % 2 and fact.kind == "commit":
            pools["commit"] = (sentences(source, "commit")["q_about"], fact.entity)
        templates, answer = pools[fact.kind]
        case = of_one(source, "identifier", fact, templates)
        yield replace(case, answer=answer) if answer else case


def _paraphrase(source: Source) -> Iterator[Case]:
    """Ask for a setting in words that its messages do not use."""
    for plant in source.draw.shuffle(source.world.plants):
        fact = plant.fact
        if plant.manner == "paraphrased":
            pool = sentences(source, "para_parameter")[fact.attribute]["q"]
            case = of_one(source, "paraphrase", fact, pool)
            component = sentences(source, "para_component")[fact.entity]
            yield replace(case, fields=(("c", component),))


def _near_duplicate(source: Source) -> Iterator[Case]:
    """Ask for the time of one of many runs of a benchmark."""
    for fact in source.kind("measure"):
        yield of_one(source, "near-duplicate", fact, sentences(source, "measure")["q"])


def _tool_output(source: Source) -> Iterator[Case]:
    """Ask for a value in one line of a long output."""
    for fact in source.kind("record"):
        pool = sentences(source, "record")[f"{fact.attribute}_q"]
        yield of_one(source, "tool-output", fact, pool)


def _rationale(source: Source, talks: Mapping[str, str]) -> Iterator[Case]:
    """Ask why something was decided: the decision, and the talk before it."""
    words = sentences(source, "decide")
    for number, fact in enumerate(source.kind("decision")):
        case = of_one(source, "rationale", fact, words["q_what" if number % 2 else "q"])
        talk = Judged(talks[fact.ref], 2, fact.details["choose"])
        yield replace(case, judged=(talk,))


def _contradiction(source: Source) -> Iterator[Case]:
    """Ask for something of which two opposite things were said."""
    claims = sorted(source.kind("claim"), key=lambda fact: (fact.slot, fact.session))
    pairs = [tuple(group) for _, group in groupby(claims, key=lambda fact: fact.slot)]
    for pair in source.draw.shuffle(pairs):
        asked = source.after(max(fact.session for fact in pair))
        values = tuple(fact.value for fact in pair)
        pool = tuple(sentences(source, "claim")[int(pair[0].attribute)]["q"])  # type: ignore[index]
        answer = " / ".join(values)
        yield Case("contradiction", pair[0], pair, pool, answer, asked, values, grade=2)


def _preference(source: Source) -> Iterator[Case]:
    """Ask how the user would want something, who has shown it by correcting."""
    facts = sorted(source.kind("preference"), key=lambda fact: (fact.slot, fact.session))
    groups = [tuple(group) for _, group in groupby(facts, key=lambda fact: fact.slot)]
    for group in source.draw.shuffle(groups):
        asked = source.after(max(fact.session for fact in group))
        values = tuple(fact.value for fact in group)
        pool = tuple(sentences(source, "preference")[int(group[0].attribute)]["q"])  # type: ignore[index]
        yield Case("preference", group[0], group, pool, values[0], asked, values)


def _quote(source: Source) -> Iterator[Case]:
    """Ask for the words in which something was said."""
    for fact in source.kind("quote"):
        yield of_one(source, "quote", fact, sentences(source, "quote")["q"])


def _abstention(source: Source, lexicon: Mapping[str, Any]) -> Iterator[Case]:
    """Ask for a setting that nobody gave a value, though others have one like it."""
    settings = source.kind("slot")
    filled = {(fact.entity, fact.attribute) for fact in settings}
    open_slots = [
        (component, parameter)
        for component in lexicon["component"]
        for parameter in lexicon["parameter"]
        if (component["key"], parameter["key"]) not in filled
        and any(fact.entity == component["key"] for fact in settings)
    ]
    for component, parameter in source.draw.shuffle(open_slots):
        detail = (("comp", component["say"]), ("param", parameter["say"]))
        fact = Fact(
            "", "slot", parameter["key"], component["key"], "user", "", source.last, "",
            detail=detail,
        )  # fmt: skip
        asked = source.after(source.last // 2)
        yield Case("abstention", fact, (), tuple(sentences(source, "absent")["q"]), "", asked)


def cases(rendered: Rendered, lexicon: Mapping[str, Any]) -> Cases:
    """Give the makers by type, with how many questions a project gets of each."""
    made: dict[str, tuple[Callable[[Source], Iterator[Case]], int]] = {
        "single": (_single, 6),
        "assistant-said": (_found, 5),
        "multi-session": (multi, 5),
        "temporal": (temporal, 5),
        "update": (_update, 5),
        "identifier": (_identifier, 8),
        "paraphrase": (_paraphrase, 5),
        "near-duplicate": (_near_duplicate, 5),
        "tool-output": (_tool_output, 6),
        "rationale": (lambda source: _rationale(source, rendered.talks), 4),
        "contradiction": (_contradiction, 4),
        "preference": (_preference, 4),
        "quote": (_quote, 4),
        "ordering": (ordering, 3),
        "adjacency": (lambda source: adjacency(source, rendered), 5),
        "abstention": (lambda source: _abstention(source, lexicon), 5),
    }
    return made
