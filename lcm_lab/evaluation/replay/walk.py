"""Recovery: what searches and expansions bring back, within an allowance of tokens.

The rules of an agent that has no judgement. A search asks the question as it is and shows the best
hits that were not shown yet, the second one among what the user said. An expansion opens the best
hit not opened yet: what lies under a summary, what the question is about first, or a message with
what the user said before and after it and its neighbours. They take turns until either allowance
or the tokens are spent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lcm_lab.dag import Dag
from lcm_lab.evaluation.replay.arms import Arm
from lcm_lab.messages import Message

__all__ = ["OPENED", "SHOWN", "TOTAL", "Found", "Hit", "Piece", "page", "pieces"]

#: Tokens that a search gives at most (the second, among what the user said, has fewer to show),
#: an expansion, and all of them together: three of each are within it.
PAGE, OF_USER_PAGE, OPENED, TOTAL = 2_000, 1_000, 1_000, 8_000
#: Tokens of a hit that a search shows at most, and of the line that names it.
SHOWN, HEAD = 100, 8
#: Of a message that is opened, how many neighbours on either side are given where they fit.
AROUND = 8
#: Which search asks among what the user said, from 0.
OF_USER = 1


@dataclass(frozen=True, slots=True)
class Hit:
    """What a search found: its node, its tokens, and whether the text is all of the node."""

    node: str
    tokens: int
    text: str
    alone: bool = True

    @property
    def cost(self) -> int:
        """Tokens that it takes on a page."""
        return min(self.tokens, SHOWN) + HEAD

    @property
    def whole(self) -> bool:
        """Whether a page shows all of the node."""
        return self.alone and self.tokens <= SHOWN


@dataclass(frozen=True, slots=True)
class Piece:
    """What an agent was shown of a node: all of it, the part around its question, or nothing.

    ``how`` is search or expand; ``text`` is what was cut, None where it was not shown.
    """

    node: str
    how: Literal["search", "expand"]
    whole: bool
    text: str | None = None


@dataclass(frozen=True)
class Found:
    """What searches for a question find, best first.

    Attributes
    ----------
    hits : sequence of Hit
    users : sequence of Hit
        Among what the user said; empty where there is no such search.
    near : mapping of message to its rank
        Among all hits; what lies under a summary is opened in this order.
    """

    hits: Sequence[Hit] = ()
    users: Sequence[Hit] = ()
    near: Mapping[str, int] = field(default_factory=dict)


def page(number: int) -> int:
    """Give the tokens of a search at most, the first being 0."""
    return OF_USER_PAGE if number == OF_USER else PAGE


@dataclass
class _Walk:
    dag: Dag
    places: Mapping[str, int]
    found: Found
    left: int = TOTAL
    searches: int = 0
    shown: dict[Hit, None] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)

    def search(self) -> Iterator[Piece]:
        """Show the best hits that were not shown yet, as many as a page holds."""
        room = min(page(self.searches), self.left)
        for hit in self._listed():
            if hit.cost > room:
                break
            room, self.left = room - hit.cost, self.left - hit.cost
            self.shown[hit] = None
            if hit.whole:
                self.whole.add(hit.node)
            yield Piece(hit.node, "search", hit.whole, hit.text)
        self.searches += 1

    def _listed(self) -> list[Hit]:
        """List what this search finds anew; among all, where the user said nothing of it."""
        users = [*filter(self._new, self.found.users)] if self.searches == OF_USER else []
        return users or [*filter(self._new, self.found.hits)]

    def _new(self, hit: Hit) -> bool:
        return hit not in self.shown and hit.node not in self.whole

    def expand(self) -> Iterator[Piece]:
        """Open the best hit that was not opened yet: what lies under it, or stands around it."""
        name = next((hit.node for hit in self.shown if hit.node not in self.opened), None)
        if name is None:
            return
        room = min(OPENED, self.left)
        self.opened.add(name)
        found = self.dag.expand(self._around(name), tokens=room)
        self.left -= found.tokens
        self.whole |= {node.id for node in found.nodes}
        yield from (Piece(node.id, "expand", whole=True) for node in found.nodes)
        if name in self.places:  # what did not fit of a summary is known by the summary
            yield from (Piece(one.id, "expand", whole=False) for one in found.cut)

    def _around(self, name: str) -> list[str]:
        """Give what lies under a summary; or a message, the user's before and after, neighbours."""
        place = self.places.get(name)
        if place is None:
            return self._under(name)
        messages, offsets = self.dag.messages, range(1, AROUND + 1)
        near = [place + way * offset for offset in offsets for way in (1, -1)]
        asked = [_user(messages, place, way) for way in (1, -1)]
        inside = (at for at in (place, *asked, *near) if at is not None and 0 <= at < len(messages))
        return [messages[at].id for at in dict.fromkeys(inside)]

    def _under(self, name: str) -> list[str]:
        """Give the messages under a summary that were not seen whole, the nearest first."""
        last, near = len(self.found.near), self.found.near
        under = (one.id for one in self.dag.leaves([name]) if one.id not in self.whole)
        return sorted(under, key=lambda one: near.get(one, last))


def _user(messages: Sequence[Message], place: int, way: int) -> int | None:
    """Give the place of the nearest message of a user, in one direction."""
    at = place + way
    while 0 <= at < len(messages) and messages[at].role != "user":
        at += way
    return at if 0 <= at < len(messages) else None


def pieces(dag: Dag, places: Mapping[str, int], found: Found, arm: Arm) -> Iterator[Piece]:
    """Yield what an agent is shown, in order.

    Parameters
    ----------
    dag : Dag
    places : mapping of message to its place
    found : Found
    arm : Arm
    """
    walk = _Walk(dag, places, found)
    for turn in arm.turns:
        yield from walk.search() if turn == "s" else walk.expand()
