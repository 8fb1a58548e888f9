"""The full sweep of lossless-claw: leaves from the oldest on, then condensation under pressure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lcm_lab.compaction.choose import Rule, candidate
from lcm_lab.compaction.escalation import Targets, escalate, leaf_targets
from lcm_lab.compaction.footer import footer_room, with_footer
from lcm_lab.compaction.levels import depth_of, last_resort
from lcm_lab.compaction.mask import stub_of, tools_of
from lcm_lab.compaction.reference import estimate_tokens
from lcm_lab.compaction.source import told
from lcm_lab.compaction.tail import Tail, cuttable, reference_tail, stands_raw, tail_of
from lcm_lab.compaction.work import SMALL, Work, named
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.messages import Message
from lcm_lab.text import count_tokens

if TYPE_CHECKING:
    from lcm_lab.compaction.lossless import Lossless

__all__ = ["Sweep"]


class Sweep:
    """A frontier at work: what is in view, how long each is, and what may be touched.

    Attributes
    ----------
    tokens : int
        In view.
    """

    def __init__(self, dag: Dag, rules: Lossless, work: Work) -> None:
        self.dag, self.rules, self.work = dag, rules, work
        self.reference = rules.compat == "reference"
        self.nodes: list[Node] = [dag.node(name) for name in dag.frontier]
        self.sizes = [self._size(node) for node in self.nodes]
        self.tokens = sum(self.sizes)
        self.made: list[Summary] = []
        self.passes = 0
        #: How many nodes from one on gave no shorter summary, by its id.
        self.skipped: dict[str, int] = {}
        free = [True] * (len(self.nodes) + 1) if self.reference else cuttable(dag)
        self.ends = {node.id for at, node in enumerate(self.nodes) if free[at + 1]}
        tail = self._tail()
        self.fresh = len(self.nodes) - tail.start
        self.user = None if tail.user is None else self.nodes[tail.user].id

    @property
    def room(self) -> int | None:
        """Tokens that a budget leaves for summaries beside what is protected."""
        if self.work.budget is None or self.reference:
            return None
        kept = sum(self.sizes[len(self.sizes) - self.fresh :])
        kept += sum(self.sizes[at] for at in [self._user_at()] if at is not None)
        return max(SMALL, self.work.budget - kept)

    def settled(self) -> Dag:
        """Give the Dag as it is now; itself, where nothing was done."""
        if not self.made:
            return self.dag
        return self.dag.settled(self.made, [node.id for node in self.nodes])

    def run(self, stop_at: int | None, prefix: int) -> None:
        """Sweep once: leaf passes, then condensed passes, until it is enough or nothing is left.

        Parameters
        ----------
        stop_at : int or None
            Tokens in view at which it is enough.
        prefix : int
            Tokens of summaries in view that are no pressure.
        """
        self.passes, self.work.reason = self.rules.passes, ""
        while (stop_at is None or self.tokens > stop_at) and self._pass(self._leaf):
            pass
        while self._pressed(stop_at, prefix) and self._pass(partial(self._condensed, hard=False)):
            pass
        while self._pressed(stop_at, prefix) and self._pass(partial(self._condensed, hard=True)):
            pass

    def once(self) -> None:
        """Make one leaf, and of each depth what it completes."""
        self.passes = self.rules.passes
        if self._pass(self._leaf):
            while self._pass(partial(self._condensed, hard=False)):
                pass

    def squeeze(self, budget: int) -> None:
        """Condense neighbours of different depths where sweeps do not meet a budget.

        Long summaries are written anew, tool results above half of the budget become stubs.
        """
        while self.tokens > budget:
            free = self.nodes[: len(self.nodes) - self.fresh]
            if (group := last_resort(free, self.rules.fanout[1], self.skipped)) is None:
                break
            spare = budget - self.tokens + sum(self.sizes[slice(*group)])
            targets = self._condensed_targets()
            if spare >= SMALL or group[1] - group[0] == 1:
                targets = targets.within(spare)
            if not self._put(*group, targets):
                self.skipped[self.nodes[group[0]].id] = 1
        tools = tools_of(self.dag)
        for at, node in enumerate(self.nodes):
            giant = budget if at == len(self.nodes) - 1 else budget // 2
            stub = stub_of(self.dag, node, tools) if self.sizes[at] > giant else None
            if stub is not None and self.tokens > budget:
                self._replace(at, at + 1, stub)

    def _pressed(self, stop_at: int | None, prefix: int) -> bool:
        summaries = (
            size
            for node, size in zip(self.nodes, self.sizes, strict=True)
            if isinstance(node, Summary) and node.level != "stub"
        )
        return sum(summaries) > prefix or (stop_at is not None and self.tokens > stop_at)

    def _pass(self, step: Callable[[], bool]) -> bool:
        """Run one pass, and tell whether it made what is in view shorter."""
        if self.passes <= 0:
            self.work.reason = f"a sweep stopped at its bound (passes={self.rules.passes})"
            return False
        before = self.tokens
        done = step()
        self.passes -= done
        return done and self.tokens < before

    def _leaf(self) -> bool:
        """Summarise the oldest raw messages that are not protected."""
        for start, stop in self._runs():
            at = start
            while at < stop:
                end = self._chunk_end(at, stop)
                if end > at and self.nodes[at].id not in self.skipped:
                    if self._put(at, end, self._leaf_targets(at, end)):
                        return True
                    self.skipped[self.nodes[at].id] = end - at
                at += self.skipped.get(self.nodes[at].id, 1)
        return False

    def _condensed(self, *, hard: bool) -> bool:
        """Summarise neighbouring summaries of one depth."""
        while True:
            stop = len(self.nodes) - self.fresh
            depths = [self._depth(node) for node in self.nodes[:stop]]
            sizes, rule = self.sizes[:stop], self._rule(hard)
            found = candidate(depths, sizes, rule, hard=hard, reference=self.reference)
            if found is None:
                return False
            if self._put(*found, self._condensed_targets()):
                return True
            self.skipped[self.nodes[found[0]].id] = 1

    def _put(self, start: int, stop: int, targets: Targets) -> bool:
        """Write the summary of a stretch and put it in its place, where it is shorter."""
        source = self.nodes[start:stop]
        texts = [text for text in map(told, source) if text]
        size = sum(self.sizes[start:stop])
        if self.reference:
            size = estimate_tokens("\n\n".join(texts))
        if not texts or (size < SMALL and not self.reference):
            return False
        footer = self.rules.footer and not self.reference
        if not self.reference:
            normal = self.work.filling(targets.normal, size, self.tokens)
            targets = replace(targets, normal=normal).within(size - 1)
        asked = targets.within(targets.normal - footer_room(targets.normal)) if footer else targets
        found = escalate(texts, size, asked, self.work.write, reference=self.reference)
        if found is None:
            self.work.no_gain += 1
            return False
        text, tokens = found.text, found.tokens
        if footer and found.level in ("normal", "aggressive"):
            text = with_footer(text, texts, min(size - 1, max(targets.normal, tokens)))
            tokens = count_tokens(text)
        model = "" if found.level == "cut" else named(self.work.summariser)
        self._replace(start, stop, Summary.of(text, source, found.level, model, tokens))
        return True

    def _replace(self, start: int, stop: int, summary: Summary) -> None:
        self.made.append(summary)
        self.tokens += summary.tokens - sum(self.sizes[start:stop])
        self.nodes[start:stop] = [summary]
        self.sizes[start:stop] = [summary.tokens]
        self.ends.add(summary.id)

    def _tail(self) -> Tail:
        if not self.reference:
            return tail_of(self.dag, self.rules.fresh, self.work.budget, self.rules.turn)
        raw = [at for at, node in enumerate(self.nodes) if isinstance(node, Message)]
        roles = [node.role for node in self.nodes if isinstance(node, Message)]
        sizes = [self.sizes[at] for at in raw]
        first = reference_tail(roles, sizes, self.rules.fresh, self.rules.fresh_tokens)
        return Tail(raw[first] if first < len(raw) else len(self.nodes))

    def _user_at(self) -> int | None:
        if self.user is None:
            return None
        return next(at for at, node in enumerate(self.nodes) if node.id == self.user)

    def _runs(self) -> list[tuple[int, int]]:
        return Tail(len(self.nodes) - self.fresh, self._user_at()).runs()

    def _chunk_end(self, start: int, stop: int) -> int:
        """Give where the leaf that begins here ends; here, where no message stands."""
        spent, end, at = 0, start, start
        while at < stop and stands_raw(self.nodes[at]):
            over = at > start and spent + self.sizes[at] > self.rules.chunk
            if over and end > start:
                return end
            spent, at = spent + self.sizes[at], at + 1
            end = at if self.nodes[at - 1].id in self.ends else end
        return at

    def _leaf_targets(self, start: int, stop: int) -> Targets:
        source = sum(self.sizes[start:stop])
        return self._fitting(
            leaf_targets(source, self.rules.leaf, self.rules.overage, self.rules.limit)
        )

    def _condensed_targets(self) -> Targets:
        most = max(512, self.rules.condensed) if self.reference else self.rules.condensed
        return self._fitting(Targets(most, most // 2, self.rules.overage, self.rules.limit))

    def _fitting(self, targets: Targets) -> Targets:
        """Shorten targets to half of what a budget leaves for summaries."""
        return targets if self.room is None else targets.within(self.room // 2)

    def _rule(self, hard: bool) -> Rule:
        least = max(self.rules.condensed, int(0.1 * self.rules.chunk))
        if self.room is not None and hard:
            least = 0
        deepest = self.rules.deepest(pressed=hard)
        return Rule(*self.rules.fanout, least, self.rules.chunk, deepest)

    def _depth(self, node: Node) -> int | None:
        return None if node.id in self.skipped else depth_of(node)

    def _size(self, node: Node) -> int:
        if not self.reference:
            return self.dag.size(node.id)
        return node.tokens if isinstance(node, Summary) else estimate_tokens(text_of(node))
