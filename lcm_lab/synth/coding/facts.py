"""What becomes true in a project, in which session, and what is planted beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lcm_lab.synth.coding.observed import RATES, Observed
from lcm_lab.synth.coding.world import Project
from lcm_lab.synth.world import Fact, Plant

__all__ = ["Builder"]

#: Sizes of the groups of events in four sessions.
EVENTS = (5, 4, 3, 3, 2)
CHANGES, PARAPHRASED = 40, 85
#: By tier, in percent: returns to a setting or a saying without its value; decoys of a paraphrase.
RETURNS = {1: 15, 6: 60, 23: 220}
DECOYS = {1: 1, 6: 3, 23: 8}


class Builder(Observed):
    """Fills a project with facts; every value is given once."""

    def fill(self, tier: int) -> Project:
        """Make everything that is true, and the distractors of a tier."""
        self._settings()
        self._changes()
        self._said("said", self.lexicon["said"])
        self._said("found", self.lexicon["found"])
        self._events()
        self.observe()
        self.opinions({kind: self.count(kind) for kind in RATES})
        self._plants(tier)
        return self.world

    def _settings(self) -> None:
        parameters = self.draw.sample(self.lexicon["parameter"], 5 + self.count("slot") // 12)
        pairs = [(c, p) for c in self.lexicon["component"] for p in parameters]
        for component, parameter in self.draw.sample(pairs, self.count("slot")):
            key = f"{component['key']}.{parameter['key']}"
            self.tell(
                Fact(
                    "", "slot", parameter["key"], component["key"], "user",
                    self.values.new(parameter["shape"], component["key"].replace("_", "-")),
                    self.session(0, 80), parameter["shape"], sort="config value",
                    detail=(
                        ("comp", component["say"]), ("param", parameter["say"]), ("key", key),
                    ),
                )
            )  # fmt: skip

    def _changes(self) -> None:
        for first in list(self.world.family("slot")):
            session = first.session
            if not self.draw.chance(CHANGES):
                continue
            for _ in range(1 + self.draw.chance(35)):
                if session < self.last:
                    session = self.draw.between(session + 1, self.last)
                    value = self.values.new(first.domain, first.entity.replace("_", "-"))
                    self.again(first, value, session)

    def _said(self, kind: str, schemes: Sequence[Mapping[str, Any]]) -> None:
        subjects = {
            "noun": self.world.nouns,
            "vendor": self.world.vendors,
            "feature": self.world.features,
        }
        some = self.draw.sample(schemes, max(4, self.count(kind) // 2))
        slots = [(one, subject) for one in some for subject in subjects[one["of"]]]
        for scheme, subject in self.draw.sample(slots, self.count(kind)):
            shape = scheme["shape"]
            value = self.location() if shape == "location" else self.values.new(shape, subject)
            self.tell(
                Fact(
                    "", kind, scheme["key"], subject, "user", value, self.session(),
                    shape, sort=scheme["kind"], detail=(("s", subject),),
                )
            )  # fmt: skip

    def _events(self) -> None:
        kinds = self.draw.shuffle(self.lexicon["event"])
        for scheme, size in zip(kinds, EVENTS, strict=False):
            wanted = min(6, size * len(self.world.starts) // 4)
            for session in sorted(self.session() for _ in range(wanted)):
                self.tell(
                    Fact(
                        "", "event", scheme["key"], scheme["key"], "agent",
                        self._happened(scheme["of"]), session, scheme["file"],
                        day=self.world.starts[session].date(), sort=scheme["kind"],
                    )
                )  # fmt: skip

    def _happened(self, what: str) -> str:
        if what == "outage":
            return self.values.take(lambda: self.draw.pick(self.words.facts["outages"]))
        end = f".{self.repo.stack['ext']}" if what == "module" else ""
        return self.values.new(what) + end

    def _plants(self, tier: int) -> None:
        for fact in [f for f in self.world.facts if f.kind in ("slot", "said", "claim")]:
            times = RETURNS[tier] // 100 + self.draw.chance(RETURNS[tier] % 100)
            for _ in range(times):
                self.world.plants.append(Plant(fact, self.session(), "returns"))
        changed = {f.slot for f in self.world.facts if f.told == "change"}
        able = [f for f in self.world.family("slot") if f.slot not in changed]
        for fact in self.draw.sample(able, max(1, len(able) * PARAPHRASED // 100)):
            self.world.plants.append(Plant(fact, -1, "paraphrased"))
            for _ in range(DECOYS[tier]):
                self.world.plants.append(Plant(fact, self.session(), "decoy"))
