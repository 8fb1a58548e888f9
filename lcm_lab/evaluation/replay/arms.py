"""Recovery: what searches and expansions bring back, within an allowance of tokens.

The rules of an agent that has no judgement: a search asks the question as it is and shows the best
hits, a further search the page behind them; an expansion opens the best hit not opened yet, what
lies under a summary, or a message with what the user said before and after it and its neighbours.
They take turns until either allowance or the tokens are spent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Literal

from lcm_lab.compaction.checks import whole
from lcm_lab.dag import Dag
from lcm_lab.dag.nodes import token_counts
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message
from lcm_lab.text import Analyzer
from lcm_lab.values import value

__all__ = ["ARMS", "SHOWN", "STEP", "TOTAL", "Arm", "Hit", "Piece", "excerpt", "pieces"]

#: Tokens that a search or an expansion gives at most, and all of them together.
STEP, TOTAL = 2_000, 8_000
#: Tokens of a hit that a search shows at most, and of the line that names it.
SHOWN, HEAD = 200, 8
#: Letters of a term that stand in every form of its word.
BEGIN = 3
#: Of a message that is opened, how many neighbours on either side are given where they fit.
AROUND = 8


@value
class Arm:
    """An allowance: so many searches and so many expansions.

    Parameters
    ----------
    searches, expansions : int
    scope : "summaries", optional
        Search among summaries alone, so that a message is reached by way of its summary.

    Examples
    --------
    >>> Arm(3, 3).name, Arm().name, Arm(3, 3, scope="summaries").name
    ('3 + 3', 'closed book', '3 + 3 by summaries')
    """

    searches: int = 0
    expansions: int = 0
    scope: Literal["summaries"] | None = None

    def check(self) -> None:
        """Refuse numbers that are none, and expansions of nothing."""
        whole(self, 0, searches=self.searches, expansions=self.expansions)
        if self.expansions and not self.searches:
            raise BadParameter(f"Without a search there is nothing to expand. Got {self!r}.")
        if self.scope not in (None, "summaries"):
            raise BadParameter(f"scope is 'summaries' or None. Got {self.scope!r}.")

    @property
    def name(self) -> str:
        """What a table calls it."""
        if not self.searches:
            return "closed book"
        by = " by summaries" if self.scope else ""
        if not self.expansions:
            return f"{self.searches} search{'es' * (self.searches > 1)}{by}"
        return f"{self.searches} + {self.expansions}{by}"

    def within(self, other: Arm) -> bool:
        """Tell whether another allowance begins with all that this one is spent on."""
        mine, theirs = self.turns, other.turns
        return self.scope == other.scope and theirs[: len(mine)] == mine

    @property
    def turns(self) -> str:
        """Searches (s) and expansions (e) in the order in which they are spent."""
        both = min(self.searches, self.expansions)
        return "se" * both + "s" * (self.searches - both) + "e" * (self.expansions - both)


ARMS = (Arm(), Arm(1), Arm(1, 1), Arm(3, 3), Arm(3, 3, "summaries"))


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that a search found: its node, its tokens, and whether the row is the whole node."""

    node: str
    tokens: int
    text: str
    alone: bool = True

    @property
    def cost(self) -> int:
        """Tokens that it takes on a page."""
        return min(self.tokens, SHOWN) + HEAD


@dataclass(frozen=True, slots=True)
class Piece:
    """What an agent was shown of a node: all of it, the part around its question, or nothing.

    ``how`` is search or expand; ``text`` is the row that was cut, None where it was not shown.
    """

    node: str
    how: Literal["search", "expand"]
    whole: bool
    text: str | None = None


@dataclass
class _Walk:
    dag: Dag
    places: Mapping[str, int]
    hits: Sequence[Hit]
    left: int = TOTAL
    at: int = 0
    seen: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)

    def search(self) -> Iterator[Piece]:
        """Show the next page."""
        room = min(STEP, self.left)
        while self.at < len(self.hits) and self.hits[self.at].cost <= room:
            hit = self.hits[self.at]
            room, self.left, self.at = room - hit.cost, self.left - hit.cost, self.at + 1
            self.seen.append(hit.node)
            whole = hit.tokens <= SHOWN and hit.alone
            yield Piece(hit.node, "search", whole=whole, text=hit.text)

    def expand(self) -> Iterator[Piece]:
        """Open the best hit that was not opened yet: what lies under it, or stands around it."""
        name = next((name for name in self.seen if name not in self.opened), None)
        if name is None:
            return
        self.opened.add(name)
        found = self.dag.expand(self._around(name), tokens=min(STEP, self.left))
        self.left -= found.tokens
        yield from (Piece(node.id, "expand", whole=True) for node in found.nodes)
        yield from (Piece(one.id, "expand", whole=False) for one in found.cut)

    def _around(self, name: str) -> list[str]:
        """Give a summary; or a message, what the user said before and after it, and neighbours."""
        place = self.places.get(name)
        if place is None:
            return [name]
        messages, offsets = self.dag.messages, range(1, AROUND + 1)
        near = [place + way * offset for offset in offsets for way in (1, -1)]
        asked = [_user(messages, place, way) for way in (1, -1)]
        inside = (at for at in (place, *asked, *near) if at is not None and 0 <= at < len(messages))
        return [messages[at].id for at in dict.fromkeys(inside)]


def _user(messages: Sequence[Message], place: int, way: int) -> int | None:
    """Give the place of the nearest message of a user, in one direction."""
    at = place + way
    while 0 <= at < len(messages) and messages[at].role != "user":
        at += way
    return at if 0 <= at < len(messages) else None


def pieces(dag: Dag, places: Mapping[str, int], hits: Sequence[Hit], arm: Arm) -> Iterator[Piece]:
    """Yield what an agent is shown, in order.

    Parameters
    ----------
    dag : Dag
    places : mapping of message to its place
    hits : sequence of Hit, best first
    arm : Arm
    """
    walk = _Walk(dag, places, hits)
    for turn in arm.turns:
        yield from walk.search() if turn == "s" else walk.expand()


def excerpt(text: str, query: str, tokens: int | None = None) -> str:
    r"""Give the lines of a text that hold the most words of a question, in so many tokens.

    Of equal ones the first; a line longer than that is parted at blanks.

    Examples
    --------
    >>> excerpt("one two three\nthe port is 3952\nfour five six", "which port?", 7)
    'the port is 3952'
    """
    tokens = SHOWN if tokens is None else tokens
    units = [*_units(text, max(16, tokens // 4))]
    sizes = [*accumulate((size + 1 for size in token_counts(units)), initial=0)]
    asked = frozenset(Analyzer().query(query))
    starts = {term[:BEGIN] for term in asked}
    found = [_found(unit, asked, starts) for unit in units]
    best, best_count, start = (0, 0), -1, 0
    for stop in range(1, len(units) + 1):
        while sizes[stop] - sizes[start] > tokens and start < stop - 1:
            start += 1
        count = len(set[str]().union(*found[start:stop]))
        if count > best_count:
            best, best_count = (start, stop), count
    first, last = best
    while first + 1 < last and not found[first]:
        first += 1
    return "\n".join(units[slice(*_widened(sizes, first, last, tokens))])


def _found(unit: str, asked: frozenset[str], starts: set[str]) -> frozenset[str]:
    """Give the terms of a question that a line holds; most lines hold the beginning of none."""
    folded = unit.casefold()
    return asked & _terms(unit) if any(start in folded for start in starts) else frozenset()


@lru_cache(maxsize=1 << 15)
def _terms(unit: str) -> frozenset[str]:
    return frozenset(Analyzer().terms(unit))


def _widened(sizes: list[int], first: int, last: int, tokens: int) -> tuple[int, int]:
    """Widen a span by a line below and a line above in turn, while it fits."""
    grown = True
    while grown:
        grown = False
        if last + 1 < len(sizes) and sizes[last + 1] - sizes[first] <= tokens:
            last, grown = last + 1, True
        if first > 0 and sizes[last] - sizes[first - 1] <= tokens:
            first, grown = first - 1, True
    return first, last


def _units(text: str, words: int) -> Iterator[str]:
    """Yield lines, long ones in parts of so many words."""
    for line in text.splitlines():
        parts = line.split()
        if len(parts) <= words:
            yield line
        else:
            yield from (" ".join(parts[at : at + words]) for at in range(0, len(parts), words))
