"""Facts whose value is a phrase: decisions, claims, wishes, quotations; and where facts go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lcm_lab.synth.coding.phrases import ARTICLE
from lcm_lab.synth.coding.world import Project
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language, expand
from lcm_lab.synth.world import Fact, Plant

__all__ = ["Told"]


class Told:
    """Takes facts into a project and plans the threads that tell them.

    Parameters
    ----------
    world, words, draw
        The project, its sentences, and its stream of draws.
    """

    def __init__(self, world: Project, words: Language, draw: Draw) -> None:
        self.world, self.words, self.draw = world, words, draw
        self.last = len(world.starts) - 1
        self._load = [0] * len(world.starts)

    def session(self, low: int = 0, high: int = 100) -> int:
        """Choose a session up to ``high`` percent of the time line, the less loaded of two."""
        top = max(low, self.last * high // 100)
        found = min((self.draw.between(low, top) for _ in range(2)), key=lambda s: self._load[s])
        self._load[found] += 1
        return found

    def tell(self, fact: Fact, *, thread: bool = True) -> Fact:
        """Take a fact in; ``thread`` plans one that tells it."""
        made = self.world.add(fact)
        if thread:
            self.world.plants.append(Plant(made, made.session, "states"))
        return made

    def again(self, fact: Fact, value: str, session: int) -> Fact:
        """Give a slot a new value."""
        return self.tell(replace(fact, value=value, session=session, told="change"))

    def subject(self) -> str:
        """Give the subject of a commit that there is not yet."""
        taken = {fact.entity for fact in self.world.family("commit")}
        while True:
            noun, other = self.draw.sample(self.world.nouns, 2)
            fields = {
                "n": noun, "m": other, "a": self.draw.pick(("total", "state", "rank", "amount")),
                "verb": self.draw.pick(("Import", "Price", "Merge", "Expire", "Check")),
                "func": f"the {other} loop",
            }  # fmt: skip
            found = self.filled(self.draw.pick(self.words.facts["commit"]["subject"]), fields)
            if found not in taken:
                return found

    def filled(self, template: str, fields: Mapping[str, str]) -> str:
        """Choose in a template, and fill it."""
        text = expand(template, self.draw)
        for name, value in fields.items():
            text = text.replace(f"{{{name}}}", value)
        return ARTICLE.sub(r"\1n ", text)

    def opinions(self, counts: Mapping[str, int]) -> None:
        """Make decisions, claims, preferences and quotations."""
        self._decisions(counts["decision"])
        self._claims(counts["claim"])
        self._preferences(counts["preference"])
        self._quotes(counts["quote"])

    def _decisions(self, count: int) -> None:
        for scheme in self.draw.sample(self.words.facts["decision"], count):
            noun = self.draw.pick(self.world.nouns)
            detail = (
                ("n", noun), ("topic", self.filled(scheme["topic"], {"n": noun})),
                ("reject", self.draw.pick(scheme["reject"])),
                ("choose", self.draw.pick(scheme["choose"])),
            )  # fmt: skip
            reason = self.draw.pick(scheme["reasons"])
            self.tell(
                Fact(
                    "", "decision", scheme["topic"], noun, "user", reason, self.session(), "",
                    sort="decision", detail=(*detail, ("reason", reason)),
                )
            )  # fmt: skip

    def _claims(self, count: int) -> None:
        """Make pairs of statements that contradict each other, told in different sessions."""
        for number in self.draw.sample(range(len(self.words.facts["claim"])), count):
            scheme = self.words.facts["claim"][number]
            noun, other = self.draw.sample(self.world.nouns, 2)
            fields = {"n": noun, "m": other}
            sessions = sorted(self.draw.sample(range(self.last + 1), 2))
            for side, session in zip(("first", "second"), sessions, strict=True):
                text = self.filled(self.draw.pick(scheme[side]), fields)
                span = self.filled(scheme["spans"][side == "second"], fields)
                self.tell(
                    Fact(
                        "", "claim", str(number), noun, "user", span, session, side,
                        sort="decision", detail=(*fields.items(), ("text", text)),
                    )
                )  # fmt: skip

    def _preferences(self, count: int) -> None:
        for number in self.draw.sample(range(len(self.words.facts["preference"])), count):
            ways = self.words.facts["preference"][number]["ways"]
            noun = self.draw.pick(self.world.nouns)
            for way in ways[: 1 + self.draw.chance(50)]:
                value = way[way.index("«") + 1 : way.index("»")]
                text = way.replace("«", "").replace("»", "")
                self.tell(
                    Fact(
                        "", "preference", str(number), "user", "user", value, self.session(), "",
                        sort="preference", detail=(("text", text), ("n", noun)),
                    )
                )  # fmt: skip

    def _quotes(self, count: int) -> None:
        scheme = self.words.facts["quote"]
        some = (self.draw.sample(scheme[name], count) for name in ("x", "y", "z"))
        for x, y, z in zip(*some, strict=False):
            fields = {"x": x, "y": y, "z": z, "y2": y}
            value = f"{y}, and {z}"
            made = self.tell(
                Fact(
                    "", "quote", "quote", x, "user", value, self.session(), "", sort="decision",
                    detail=tuple(fields.items()),
                )
            )  # fmt: skip
            self.world.plants.append(Plant(made, self.session(), "echoes"))
