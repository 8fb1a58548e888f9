"""What is observed in a project: crashes, tickets, timings, listings, commits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lcm_lab.synth.coding.records import WHAT
from lcm_lab.synth.coding.repo import File, Repo
from lcm_lab.synth.coding.told import Told
from lcm_lab.synth.coding.values import Values, hexes, near
from lcm_lab.synth.coding.world import Project
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language
from lcm_lab.synth.world import Fact

__all__ = ["RATES", "Observed"]

#: Facts a session, in quarters: settings, what is said, found, decided, claimed, ...
RATES = {
    "slot": 13, "said": 14, "found": 6, "decision": 5, "claim": 5, "preference": 5, "bug": 6,
    "ticket": 6, "measure": 8, "record": 9, "quote": 5, "commit": 6,
}  # fmt: skip
RECORDS = (
    "rows", "slow", "image", "pod", "disk", "cover", "cert", "job", "request", "profile", "lock",
    "queue",
)  # fmt: skip
RECORD_SHAPES = {
    "rows": ("live", "number"), "slow": ("milliseconds", "number"), "image": ("size", "number"),
    "pod": ("pod", "identifier"), "disk": ("size", "number"),
    "cover": ("missed", "code location"), "cert": ("serial", "identifier"),
    "job": ("cursor", "identifier"), "request": ("request", "identifier"),
    "profile": ("time", "number"), "lock": ("release", "identifier"), "queue": ("live", "number"),
}  # fmt: skip


class Observed(Told):
    """Makes facts that somebody comes upon; every value is given once.

    Parameters
    ----------
    world, lexicon, words, repo, draw
        The project, names, sentences, code, and the stream of draws.
    """

    def __init__(
        self,
        world: Project,
        lexicon: Mapping[str, Any],
        words: Language,
        repo: Repo,
        draw: Draw,
    ) -> None:
        super().__init__(world, words, draw)
        self.lexicon, self.repo = lexicon, repo
        self.values = Values(lexicon, world.code, world.nouns, draw)

    def count(self, kind: str) -> int:
        """Give how many facts of a kind the project gets."""
        return max(1, RATES[kind] * len(self.world.starts) // 4)

    def observe(self) -> None:
        """Make crashes, tickets, timings, records and commits."""
        self._bugs()
        self._tickets()
        self._measures()
        self._records()
        self._commits()

    def location(self, file: File | None = None) -> str:
        """Give a place in the code, in a file where one is given, that no fact is about yet."""

        def place() -> str:
            one = file or self.repo.pick()
            return f"{one.path}:{self.draw.between(9, len(one.lines) + 9)}"

        return self.values.take(place)

    def _ticket(self) -> str:
        return self.values.take(lambda: f"{self.world.prefix}-{self.draw.between(2101, 9899)}")

    def _bugs(self) -> None:
        """Make crashes, each with a ticket: the error, where it came from, and why."""
        causes = self.draw.shuffle(self.words.facts["bug"]["cause"])
        for cause in causes[: self.count("bug")]:
            file, session, ticket = self.repo.pick(), self.session(), self._ticket()
            error = f"{file.noun.capitalize()}Error"
            detail = (
                ("ticket", ticket), ("n", file.noun), ("func", self.draw.pick(file.functions)),
                ("error", error), ("file", file.path), ("cause", cause),
            )  # fmt: skip
            line = f"{error}: no {file.noun} for '{file.noun[:2].upper()}{self.draw.below(90000)}'"
            where = self.location(file)
            for attribute, value, sort in (
                ("cause", cause, "error"),
                ("where", where, "code location"),
                ("error", line, "error"),
                ("ticket", ticket, "identifier"),
            ):
                fact = Fact(
                    "", "bug", attribute, ticket, "agent", value, session, "", sort=sort,
                    detail=(*detail, ("where", where), ("line", line)),
                )  # fmt: skip
                self.tell(fact, thread=attribute == "cause")

    def _tickets(self) -> None:
        """Make tickets in pairs whose numbers differ in a digit or two."""
        things = [t.replace("{n}", n) for t in self.words.facts["bug"]["things"]
                  for n in self.world.nouns[:6]]  # fmt: skip
        some = self.draw.sample(things, self.count("ticket"))
        pairs = [self._pair() for _ in range((len(some) + 1) // 2)]
        for thing, ticket in zip(some, (one for pair in pairs for one in pair), strict=False):
            self.tell(
                Fact(
                    "", "ticket", "ticket", thing, "user", ticket, self.session(), "",
                    sort="identifier", detail=(("thing", thing),),
                )
            )  # fmt: skip

    def _pair(self) -> tuple[str, str]:
        """Give two tickets whose numbers differ in a digit or two."""
        first = self._ticket()
        return first, self.values.take(lambda: near(first, self.draw))

    def _measures(self) -> None:
        """Make runs of two benchmarks that differ in their parameters only."""
        nouns = self.draw.sample(self.world.nouns, 2)
        rows, batches, workers = ("50k", "200k", "800k"), ("16", "64", "256"), ("1", "2", "4", "8")
        sets = [(n, r, b, w) for n in nouns for r in rows for b in batches for w in workers]
        for noun, row, batch, worker in self.draw.sample(sets, self.count("measure")):
            p = f"{row} rows, batch {batch} and {worker} worker{'s' * (worker != '1')}"
            detail = (("n", noun), ("p", p), ("rows", row), ("batch", batch), ("workers", worker))
            self.tell(
                Fact(
                    "", "measure", p, noun, "tool", self.values.new("time"), self.session(), "",
                    sort="number", detail=detail,
                )
            )  # fmt: skip

    def _records(self) -> None:
        names = self.draw.shuffle(RECORDS)
        entities: dict[str, list[str]] = {}
        for number in range(self.count("record")):
            name = names[number % min(len(names), 5)]
            if not entities.get(name):
                entities[name] = self.draw.shuffle(self._entities(name))
            entity, (shape, sort) = entities[name].pop(), RECORD_SHAPES[name]
            self.tell(
                Fact(
                    "", "record", name, entity, "tool", self.values.new(shape, entity),
                    self.session(), name, sort=sort, detail=(("e", entity), ("what", WHAT[name])),
                )
            )  # fmt: skip

    def _entities(self, name: str) -> list[str]:
        nouns, key = self.world.nouns, [one["key"] for one in self.lexicon["component"]]
        made = {
            "rows": [f"{n}_{tail}" for n in nouns for tail in ("items", "log", "archive")],
            "slow": [f"GET /{n}s/{{id}}" for n in nouns] + [f"POST /{n}s" for n in nouns],
            "disk": [f"{n}-{tail}" for n in nouns for tail in ("uploads", "cache", "exports")],
            "cover": [file.path for file in self.repo.files if file.functions],
            "cert": [f"{n}.{self.world.code}.example" for n in nouns],
            "job": [f"{n}_{tail}" for n in nouns for tail in ("backfill", "rebuild", "export")],
            "request": [f"/{n}s/{tail}" for n in nouns for tail in ("sync", "bulk", "close")],
            "profile": sorted({f for file in self.repo.files for f in file.functions}),
            "lock": list(self.lexicon["packages"]),
            "queue": [f"{n}.{tail}" for n in nouns for tail in ("changed", "failed", "retry")],
        }
        return made.get(name) or [key_.replace("_", "-") for key_ in key]

    def _commits(self) -> None:
        for _ in range(self.count("commit")):
            subject = self.subject()
            value = self.values.take(lambda: hexes(self.draw, 7))
            self.tell(
                Fact(
                    "", "commit", "commit", subject, "tool", value, self.session(), "",
                    sort="identifier", detail=(("thing", subject),),
                )
            )  # fmt: skip
