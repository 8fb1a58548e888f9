"""Sentences of one project: what they speak about, and none too soon again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lcm_lab.synth.coding.lengths import ASSISTANT, THINKING
from lcm_lab.synth.coding.repo import File, Repo
from lcm_lab.synth.coding.world import Project
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language, expand

__all__ = ["ARTICLE", "Phrases", "Scene"]

FIELD = re.compile(r"\{(\w+)\}")
#: In percent: words before a sentence that is written without its capital, a remark after any.
LEADS, TRAILS = 50, 22
#: Where "a" has to be "an".
ARTICLE = re.compile(r"\b([Aa]) (?=[aeio])")

#: What a stretch of work is about: a file, and the fields of sentences about it.
Scene = dict[str, str]


class Phrases:
    """Makes sentences and remembers which were used.

    Parameters
    ----------
    world, repo, lexicon, words, draw
        The project, its code, names, sentences, and its stream of draws.
    """

    def __init__(
        self, world: Project, repo: Repo, lexicon: Mapping[str, Any], words: Language, draw: Draw
    ) -> None:
        self.world, self.repo, self.lexicon = world, repo, lexicon
        self.words, self.draw = words.facts, draw
        self._said: dict[str, int] = {}
        self._count = 0

    def scene(self, file: File | None = None) -> Scene:
        """Give the fields for work on a file, any file unless given."""
        file = file or self.repo.pick()
        return {
            "n": file.noun, "m": file.other, "file": file.path,
            "func": self.draw.pick(file.functions),
            "a": self.draw.pick(self.lexicon["attributes"]),
            "verb": self.draw.pick(self.lexicon["verbs"]),
            "feature": self.draw.pick(self.world.features),
            "vendor": self.draw.pick(self.world.vendors),
            "person": self.draw.pick(self.lexicon["people"]),
            "when": self.draw.pick(self.lexicon["dayparts"]),
            "count": str(self.draw.between(3, 19)),
        }  # fmt: skip

    def sentence(self, templates: Sequence[str], fields: Mapping[str, str]) -> str:
        """Make a sentence from a template that was not used for long."""
        some = self.draw.sample(templates, max(2, len(templates) // 2))
        template = min(some, key=lambda one: self._said.get(one, -1))
        self._count += 1
        self._said[template] = self._count
        text = expand(template, self.draw)
        text = FIELD.sub(lambda found: fields[found.group(1)], text)
        # a field may hold fields; a value may hold braces that are none
        text = FIELD.sub(lambda found: fields.get(found.group(1), found.group()), text)
        return ARTICLE.sub(r"\1n ", text)

    def thought(self, family: str, scene: Scene) -> str:
        """Think in about a drawn number of characters: first of what is at hand, then at length."""
        wanted = self.draw.pick(THINKING)
        pools = [self.words["think"]["read"]]
        if wanted > 260:
            pools.append(self.words["think"]["long"])
        return self._grown(self.words["think"][family], pools, scene, wanted)

    def remark(self, family: str, scene: Scene) -> str:
        """Say what comes next in a sentence, or with some detail where the draw is long."""
        wanted = self.draw.pick(ASSISTANT[14:60])
        first, pools = self.words["assistant"][family], [self.words["think"]["read"]]
        return self._grown(first, pools, scene, wanted)

    def report(self, scene: Scene, first: str, wanted: int) -> str:
        """Report on work: ``first`` says what it comes to, points follow until it is long enough.

        Where a report is long, ``first`` is one of its points instead of its beginning.
        """
        words = self.words["assistant"]
        if wanted < len(first) + 60:
            return first
        points: list[str] = []
        while sum(map(len, points)) + len(first) + 90 < wanted and len(points) < 40:
            near = self._beside(scene)
            pool = words["bullet"] if self.draw.chance(70) else self.words["think"]["long"]
            points.append(self.sentence(pool, near))
        if len(points) < 3:
            return "\n".join([first, *(f"- {point}" for point in points)])
        points.insert(self.draw.between(1, len(points)), first)
        head, tail = (self.sentence(words[key], scene) for key in ("head", "tail"))
        return "\n".join([head, "", *(f"- {point}" for point in points), "", tail])

    def _grown(
        self, first: Sequence[str], pools: Sequence[Sequence[str]], scene: Scene, wanted: int
    ) -> str:
        parts = [self._framed(first, scene)]
        while sum(map(len, parts)) + 20 < wanted and len(parts) < 40:
            parts.append(self._framed(self.draw.pick(pools), self._beside(scene)))
        return ("\n\n" if wanted > 500 else " ").join(parts)

    def _framed(self, templates: Sequence[str], scene: Scene) -> str:
        """Make a sentence, in some cases with a few words before it or a short one after it.

        A sentence that is written without its capital can stand after such words.
        """
        text, words = self.sentence(templates, scene), self.words["think"]
        if text[:1] == "`" or text[:1].islower():
            lead = self.sentence(words["lead"], scene) if self.draw.chance(LEADS) else ""
            ended = lead.endswith((". ", ": "))
            text = lead + (text[:1].upper() + text[1:] if ended else text)
        text = text[:1].upper() + text[1:]
        text = text if text.endswith((".", "?", "!")) else f"{text}."
        if self.draw.chance(TRAILS):
            text += self.sentence(words["trail"], scene)
        return text

    def _beside(self, scene: Scene) -> Scene:
        """Give a scene close by: mostly the same file, another function."""
        if self.draw.chance(25):
            return self.scene()
        file = next((f for f in self.repo.files if f.path == scene["file"]), None)
        return self.scene(file)
