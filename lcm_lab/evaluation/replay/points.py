"""What one compaction left: rows of a replay, for the point, its facts and its changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.dag import Dag, Summary
from lcm_lab.evaluation.replay.arms import Arm
from lcm_lab.evaluation.replay.facts import Change, Fact
from lcm_lab.evaluation.replay.talk import Recall, Talk
from lcm_lab.evaluation.replay.walk import Piece
from lcm_lab.ranking.base import Ranker

__all__ = ["CHANGES", "FACTS", "POINTS", "Point"]

#: Columns of the three frames of a replay.
KEY = ("conversation", "budget", "share", "cycle")
POINTS = (
    *KEY, "input", "limit", "before", "tokens", "freed", "over", "calls", "read", "written",
    "prefix", "rewritten", "summaries", "depth", "invented", "valid", "failed", "reason",
)  # fmt: skip
FACTS = (
    *KEY, "fact", "kind", "type", "age", "condensations", "arm", "kept", "how", "valid",
)  # fmt: skip
CHANGES = (*KEY, "slot", "arm", "state", "valid")


@dataclass(frozen=True, eq=False)
class Point:
    """A conversation after a compaction.

    Attributes
    ----------
    talk : Talk
    before, after : Dag
        With the new messages raw, and compacted.
    key : tuple
        Conversation, budget, share and cycle.
    """

    talk: Talk
    before: Dag
    after: Dag
    key: tuple[str, str, float, int]

    @property
    def input(self) -> int:
        """Tokens of all messages so far."""
        return int(self.talk.starts[len(self.after.messages)])

    @property
    def valid(self) -> bool:
        """Whether anything was gained; a point that is as long as its input says nothing."""
        return self.after.tokens < self.input

    def row(self) -> tuple[Any, ...]:
        """Give the row of the point."""
        done, prefix = self.after.outcome, _prefix(self.before, self.after)
        seen = [
            one for name in self.after.frontier if isinstance(one := self.after.node(name), Summary)
        ]
        return (
            *self.key, self.input, done.budget if done else None, self.before.tokens,
            self.after.tokens, self.before.tokens - self.after.tokens,
            done.over if done else 0, done.calls if done else 0, done.read if done else 0,
            done.written if done else 0, prefix, self.after.tokens - prefix,
            len(self.after.summaries), max((one.depth for one in seen), default=-1),
            len(self.talk.invented([one.text for one in seen])), self.valid,
            bool(done and done.failed), done.reason if done else "",
        )  # fmt: skip

    def told(self) -> Iterator[Fact]:
        """Yield the facts that were told by now, and not superseded."""
        now = max((one.time for one in self.after.messages if one.time is not None), default=None)
        for fact in self.talk.facts:
            over = fact.until is not None and now is not None and fact.until <= now
            if not over and any(name in self.after for name in fact.sources):
                yield fact

    def changed(self) -> Iterator[Change]:
        """Yield the changes that were told by now."""
        yield from (one for one in self.talk.changes if one.source in self.after)

    def rows(
        self, arms: Sequence[Arm], policy: Ranker
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Give the rows of the facts, and of the changes, an arm each."""
        recall = Recall(self.talk, self.after, policy)
        facts, changes = [*self.told()], [*self.changed()]
        queries = [one.query for one in facts] + [one.query for one in changes]
        recall.ask(queries, arms)
        return (
            [row for one in facts for row in self._fact(recall, one, arms)],
            [row for one in changes for row in self._change(recall, one, arms)],
        )

    def _fact(self, recall: Recall, fact: Fact, arms: Sequence[Arm]) -> Iterator[tuple[Any, ...]]:
        said = [name for name in fact.sources if name in self.after]
        place = max(self.talk.place[name] for name in said)
        age = 1 - int(self.talk.starts[place + 1]) / self.input
        times = min(len(self.after.path(name)) for name in said) - 1
        known = (*self.key, fact.id, fact.kind, fact.type, age, times)
        kept: list[tuple[Arm, str]] = []
        for arm in arms:
            before = next((how for one, how in kept if one.within(arm)), "")
            how = before or _how(recall, fact, arm, said)
            if how in KEPT:
                kept.append((arm, how))
            yield (*known, arm.name, how in KEPT, how, self.valid)

    def _change(
        self, recall: Recall, one: Change, arms: Sequence[Arm]
    ) -> Iterator[tuple[Any, ...]]:
        for arm in arms:
            if arm.searches and not one.query:
                continue
            shown = recall.shown(one.query, arm) if arm.searches else []

            def there(value: str, shown: Sequence[Piece] = shown) -> bool:
                told = (recall.tells(piece, value, one.query) for piece in shown)
                return recall.in_view(value) or any(told)

            state = STATES[there(one.new), any(map(there, one.old))]
            yield (*self.key, one.slot, arm.name, state, self.valid)


#: Where a value that was kept comes from.
KEPT = ("view", "search", "expand")
#: What is left of a slot: (the new value stands, an old one stands) -> state.
STATES = {
    (True, False): "only new",
    (True, True): "both",
    (False, True): "only old",
    (False, False): "neither",
}


def _how(recall: Recall, fact: Fact, arm: Arm, sources: Iterable[str]) -> str:
    """Say where a value was kept, or where it was lost."""
    if recall.in_view(fact.value):
        return "view"
    if not arm.searches:
        return "not summarised"
    if not fact.query:
        return "no question"
    shown = recall.shown(fact.query, arm)
    told = next((one.how for one in shown if recall.tells(one, fact.value, fact.query)), None)
    if told is not None:
        return told
    return "expand budget ended" if recall.leads(shown, sources) else "not found"


def _prefix(before: Dag, after: Dag) -> int:
    """Count the tokens in front that a prompt cache still holds."""
    tokens = 0
    for was, now in zip(before.frontier, after.frontier, strict=False):
        if was != now:
            break
        tokens += after.size(now)
    return tokens
