"""Values of facts by shape, each given once a project, and numbers that are none of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from lcm_lab.synth.draw import Draw

__all__ = ["Values", "hexes", "near", "number"]

LETTERS = "abcdefghijkmnpqrstuvwxyz"
REGIONS = ("eu-central", "eu-north", "eu-west", "us-east", "ca-central", "ap-south")
WORDS = (
    "amber", "basalt", "cobalt", "delta", "ember", "fjord", "granite", "harbor", "indigo", "jasper",
    "krill", "lagoon", "marble", "nimbus", "opal", "pewter", "quartz", "ridge", "slate", "topaz",
    "umber", "velvet", "walnut", "yonder", "zinc", "acorn", "birch", "cedar", "drift", "echo",
)  # fmt: skip


class Values:
    """Draws values for a project's facts; none comes twice.

    Parameters
    ----------
    lexicon : mapping
        People and families are read from it.
    code, nouns : str, list of str
        The project's name and what it is about, which paths and names are made of.
    draw : Draw
    """

    def __init__(
        self, lexicon: Mapping[str, Any], code: str, nouns: Sequence[str], draw: Draw
    ) -> None:
        self.lexicon, self.code, self.nouns, self.draw = lexicon, code, nouns, draw
        self._used: set[str] = set()

    def new(self, shape: str, subject: str = "") -> str:
        """Give a value of a shape that no fact has yet."""
        return self.take(lambda: SHAPES[shape](self, subject))

    def take(self, make: Callable[[], str]) -> str:
        """Give what ``make`` makes once it is new."""
        found = make()
        while found in self._used:
            found = make()
        self._used.add(found)
        return found

    def odd(self, low: int, high: int) -> int:
        """Give a number that does not end in 0, as figures that somebody typed seldom are."""
        found = self.draw.between(low, high)
        return found if found % 10 else found + 1

    def word(self) -> str:
        """Give a word that names something."""
        return self.draw.pick(WORDS)

    def letters(self, size: int) -> str:
        """Give letters of no meaning."""
        return "".join(self.draw.pick(LETTERS) for _ in range(size))

    def version(self) -> str:
        """Give a version of three numbers."""
        return ".".join(str(self.draw.between(low, 19)) for low in (2, 3, 1))

    def person(self) -> str:
        """Give somebody's full name."""
        return (
            f"{self.draw.pick(self.lexicon['people'])} {self.draw.pick(self.lexicon['families'])}"
        )

    def test(self) -> str:
        """Give the name of a test."""
        verb = self.draw.pick(self.lexicon["verbs"])
        return f"test_{verb}_{self.draw.pick(self.nouns)}_{self.word()}"

    def missed(self) -> str:
        """Give the lines that a coverage report misses."""
        first = self.odd(211, 880)
        return f"{first}-{first + self.draw.between(3, 19)}, {first + self.draw.between(21, 99)}"


#: How a value of each shape is made, of a subject.
SHAPES: dict[str, Callable[[Values, str], str]] = {
    "port": lambda v, _: str(v.odd(3100, 9899)),
    "ms": lambda v, _: f"{v.odd(210, 989)}0ms",
    "rows": lambda v, _: str(v.odd(11, 989) * 10 + 10_000),
    "mib": lambda v, _: f"{v.odd(21, 120) * 16}MiB",
    "kib": lambda v, _: f"{v.odd(70, 800) * 8}KiB",
    "seconds": lambda v, _: f"{v.odd(31, 240) * 60}s",
    "quota": lambda v, _: str(v.odd(120, 989) * 250),
    "many": lambda v, _: str(v.odd(1101, 2899)),
    "lines": lambda v, _: str(v.odd(3101, 8900)),
    "topic": lambda v, s: f"{v.code}.{s}.{v.draw.pick(WORDS)}.v{v.draw.between(2, 9)}",
    "bucket": lambda v, s: f"{v.code}-{s}-{v.word()}-{hexes(v.draw, 4)}",
    "host": lambda v, _: f"{v.word()}-{v.draw.between(2, 97):02d}.{v.code}.example",
    "region": lambda v, _: f"{v.draw.pick(REGIONS)}-{v.draw.between(2, 9)}",
    "person": lambda v, _: v.person(),
    "runbook": lambda v, s: f"docs/runbooks/{s}-{v.word()}.md",
    "channel": lambda v, _: f"#{v.code}-{v.word()}",
    "flag": lambda v, _: f"enable_{v.word()}_{v.draw.pick(v.nouns)}",
    "adr": lambda v, _: f"ADR-{v.odd(101, 989):04d}",
    "tenant": lambda v, _: f"demo-{v.word()}-{v.draw.between(11, 99)}",
    "board": lambda v, _: f"{hexes(v.draw, 3)}-{v.word()}",
    "account": lambda v, _: f"ac_{hexes(v.draw, 10)}",
    "design": lambda v, s: f"docs/design/{s.replace(' ', '-')}-{v.word()}.md",
    "release": lambda v, _: v.version(),
    "prefix": lambda v, s: f"dumps/{v.word()}/{s}s/",
    "column": lambda v, s: f"legacy_{s}_{v.word()}",
    "library": lambda v, _: f"{v.word()}{v.draw.pick(('kit', 'py', 'wise', 'form'))}",
    "index": lambda v, s: f"idx_{s}_{v.draw.pick(v.nouns)}_{v.word()}",
    "test": lambda v, _: v.test(),
    "endpoint": lambda v, _: f"/api/{v.draw.pick(v.nouns)}s/{v.word()}",
    "table": lambda v, _: f"old_{v.draw.pick(v.nouns)}_{v.word()}",
    "pin": lambda v, _: f"{v.draw.pick(v.lexicon['packages'])}=={v.version()}",
    "tag": lambda v, _: f"v{v.version()}",
    "module": lambda v, _: f"src/{v.code}/{v.word()}_{v.draw.pick(v.nouns)}",
    "pod": lambda v, s: f"{s}-{hexes(v.draw, 9)}-{v.letters(5)}",
    "size": lambda v, _: f"{v.draw.between(2, 9)}.{v.odd(11, 99)}GB",
    "milliseconds": lambda v, _: f"{v.odd(310, 4900)}.{v.draw.between(1, 9)}",
    "serial": lambda v, _: hexes(v.draw, 16).upper(),
    "request": lambda v, _: f"req_{hexes(v.draw, 12)}",
    "cursor": lambda v, _: f"cur_{v.letters(4)}{v.odd(1011, 9899)}",
    "missed": lambda v, _: v.missed(),
    "live": lambda v, _: str(v.odd(110_001, 9_899_999)),
    "time": lambda v, _: f"{v.draw.between(11, 98)}.{v.odd(101, 989)}s",
}


def hexes(draw: Draw, size: int) -> str:
    """Give hexadecimal digits that are no plain number."""
    digits = "".join(f"{draw.bits():016x}" for _ in range((size + 15) // 16))[:size]
    return digits if not digits.isdigit() else f"{digits[:-1]}f"


def near(value: str, draw: Draw) -> str:
    """Give a value one or two digits away."""
    out = list(value)
    places = [i for i, c in enumerate(value) if c.isdigit()]
    for i in draw.sample(places[1:], draw.between(1, 2)):
        out[i] = draw.pick([c for c in "123456789" if c != value[i]])
    return "".join(out)


def number(draw: Draw, low: int, high: int, held: Collection[str]) -> str:
    """Give a number that is the value of no fact."""
    found = str(draw.between(low, high))
    while found in held:
        found = str(draw.between(low, high))
    return found
