"""Synthetic collections: generate one, or write it with its world and its card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.synth.ask import BEATEN, ask
from lcm_lab.synth.assemble import Built, Part, assemble
from lcm_lab.synth.card import card_text
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.facts import Builder
from lcm_lab.synth.language import language, table
from lcm_lab.synth.people import casts, people
from lcm_lab.synth.render import render

__all__ = ["Built", "build", "generate", "write"]

Profile = Literal["chat"]
Size = Literal["S", "M", "L"]
Tier = Literal[1, 6, 23]

SESSIONS = 25
#: Conversations of 25 sessions each: 250, 500 and 5,000 sessions in all.
CONVERSATIONS = {"S": 10, "M": 20, "L": 200}


def generate(
    profile: Profile = "chat",
    *,
    size: Size = "S",
    seed: int = 0,
    tier: Tier = 6,
    templates: Literal["A", "B"] = "A",
) -> Collection:
    """Make a synthetic collection whose answers are computed, not written.

    The same arguments give the same collection on every platform and Python version.

    Parameters
    ----------
    profile : {"chat"}
        Two friends, 25 sessions of about 22 short turns, shaped as LoCoMo.
    size : {"S", "M", "L"}
        10, 20 or 200 conversations (250, 500, 5,000 sessions).
    seed : int
        0 to 4 are for development, 100 to 109 for tests.
    tier : {1, 6, 23}
        How hard, named after the median number of messages that hold as many of a question's words
        as its answer, or more, in LongMemEval (1), LoCoMo (6) and BEAM (23). The card has the
        figure that was reached.
    templates : {"A", "B"}
        A for development, B for tests; they share no sentence.

    Returns
    -------
    Collection
        Grades: 3 states the answer by itself, 2 is one part of several, 1 is a superseded value
        (``stale``) or talk of the same thing without the value. ``relevant_from`` is 2. Topics of
        type "abstention" have no judgements: nothing answers them.

    Raises
    ------
    BadParameter
        For a profile, size, tier, seed or template set that there is not.

    Examples
    --------
    >>> bench = generate("chat", size="S", seed=0)
    >>> sorted(bench.topics["type"].unique())[:3]
    ['abstention', 'identifier', 'multi-session']
    """
    return build(profile, size=size, seed=seed, tier=tier, templates=templates).collection


def build(
    profile: Profile = "chat",
    *,
    size: Size = "S",
    seed: int = 0,
    tier: Tier = 6,
    templates: Literal["A", "B"] = "A",
) -> Built:
    """Make a synthetic collection and keep its state log; parameters as for `generate`."""
    _check("profile", profile, ("chat",))
    _check("size", size, tuple(CONVERSATIONS))
    _check("tier", tier, tuple(BEATEN))
    _check_seed(seed)
    words = language(profile, templates)
    lexicon, scheme = table(profile, "lexicon"), table(profile, "world")
    key = (profile, seed, tier, templates)
    pairs = casts(lexicon, CONVERSATIONS[size], Draw(*key, "casts"))
    parts = []
    for number, pair in enumerate(pairs, 1):
        name = f"c{number:0{max(2, len(str(len(pairs))))}d}"
        world = people(name, pair, lexicon, SESSIONS, Draw(*key, name, "people"))
        Builder(world, (scheme, lexicon), words, Draw(*key, name, "facts")).fill(tier)
        messages = render(world, words, lexicon, Draw(*key, name, "render"), tier)
        exam = ask(world, messages, words, scheme, Draw(*key, name, "ask"), tier)
        parts.append(Part(world, messages, exam))
    made = {"profile": profile, "size": size, "seed": seed, "tier": tier, "templates": templates}
    return assemble(parts, made)


def write(folder: str | Path, built: Built) -> Path:
    """Write a collection with its ``world.json`` and ``card.md``, and give the folder.

    The same arguments of `build` give the same bytes (``corpus.jsonl.xz`` under the same liblzma).
    """
    folder = built.collection.save(folder)
    world = json.dumps(built.world, ensure_ascii=False, indent=1) + "\n"
    for name, text in (("world.json", world), ("card.md", card_text(built.collection.card))):
        part = folder / f".{name}.part"
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(folder / name)
    return folder


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise BadParameter(f"seed must be a whole number of at least 0. Got {seed!r}.")


def _check(name: str, value: object, options: tuple[object, ...]) -> None:
    if value not in options or isinstance(value, bool):
        there = ", ".join(map(repr, options))
        hint = nearest(str(value), map(str, options))
        raise BadParameter(f"{name} must be one of {there}. Got {value!r}.{hint}")
