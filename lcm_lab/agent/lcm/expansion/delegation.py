"""A delegated question: which conversations are read, with how much, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lcm_lab.agent.lcm.expansion.buckets import MOST, Bucket, Candidate, bucketed
from lcm_lab.agent.lcm.expansion.budget import Deadline, cap_split
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.expansion.result import Expanded, Part, Recalled
from lcm_lab.agent.lcm.expansion.seeds import found, named
from lcm_lab.agent.lcm.expansion.together import Failure, together
from lcm_lab.agent.lcm.expansion.work import Task, answered
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.scope import Scope
from lcm_lab.compaction.summarise import beginning
from lcm_lab.shown import counted
from lcm_lab.text import count_tokens

__all__ = ["Delegation"]

NO_MATCH = "No matching summaries found"
LIMITED = f"left out: not among the {MOST} most promising conversations"
NO_TOKENS = "left out: no tokens were left for it"
ONE = "left out: one conversation at a time is expanded, unless allConversations=true"


@dataclass(frozen=True)
class Delegation:
    """A question with all that bounds its answer.

    Attributes
    ----------
    history : History
    scope : Scope
    task : Task
    cap : int
        Tokens that may be read in all.
    deadline : Deadline
    several : bool
        Whether more than one conversation may be read.
    """

    history: History
    scope: Scope
    task: Task
    cap: int
    deadline: Deadline
    several: bool

    def run(self, ids: Sequence[str], notes: tuple[str, ...] = ()) -> Recalled:
        """Answer from the history as it is now, whoever writes to it in the meantime."""
        now = replace(self, history=self.history.at_rest())
        try:
            return now.answer(ids, notes)
        finally:
            self.history.learn(now.history)

    def answer(self, ids: Sequence[str], notes: tuple[str, ...]) -> Recalled:
        """Find where the answer may lie, have workers read there, and join what they found."""
        candidates = named(self.history, self.scope, ids)
        if self.task.query:
            more, lost = found(self.history, self.scope, self.task.query)
            candidates += more
            if lost:
                notes = (*notes, f"Nothing here has: {', '.join(lost)}.")
        if not candidates:
            return self._nothing(notes)
        parts = self._expanded(candidates)
        return self._joined(parts, (*notes, *_refused(parts), *_unsound(parts)))

    def _nothing(self, notes: tuple[str, ...]) -> Recalled:
        made = Recalled("", (), self.scope.said, notes, several=self.several)
        where = self.scope.conversations
        if where is not None and len(where) == 1:
            return replace(made, answer=f"{NO_MATCH} in this scope.")
        return replace(made, error=f"{NO_MATCH}.")

    def _expanded(self, candidates: Sequence[Candidate]) -> list[Part]:
        """Have the most promising conversations read; say of the others why they are not."""
        buckets = bucketed(candidates)
        if not self.several:
            first = candidates[0].conversation
            buckets.sort(key=lambda one: one.conversation != first)
        most = MOST if self.several else 1
        caps = cap_split(min(len(buckets), most), self.cap)
        running = buckets[: len(caps)]
        results = self._worked(running, caps)
        left = buckets[len(caps) :]
        if self.history.compat and not self.several:
            left = []
        done = [
            Part(one.conversation, one.summaries, what)
            for one, what in zip(running, results, strict=True)
        ]
        return done + [
            Part(one.conversation, one.summaries, self._why(at + len(caps)))
            for at, one in enumerate(left)
        ]

    def _why(self, place: int) -> str:
        if not self.several:
            return ONE
        return LIMITED if place >= MOST else NO_TOKENS

    def _worked(self, buckets: Sequence[Bucket], caps: Sequence[int]) -> list[Expanded | Failure]:
        timer, ends = self.deadline.timer, self.deadline.ends
        grants = [
            Grant((one.conversation,), tokens=cap, expires=ends, timer=timer)
            for one, cap in zip(buckets, caps, strict=True)
        ]
        task = replace(self.task, tokens=max(self.task.tokens // len(buckets), 1))

        def job(bucket: Bucket, grant: Grant) -> Callable[[], Expanded]:
            return lambda: answered(self.history, bucket, task, grant, self.deadline)

        jobs = [job(*pair) for pair in zip(buckets, grants, strict=True)]
        return together(jobs, self.deadline, lambda at: grants[at].revoke())

    def _joined(self, parts: Sequence[Part], notes: tuple[str, ...]) -> Recalled:
        made = Recalled("", tuple(parts), self.scope.said, notes, several=self.several)
        good = [one for one in parts if isinstance(one.found, Expanded)]
        bad = [one.found for one in parts if isinstance(one.found, Failure)]
        if not good:
            first = bad[0]
            more = f" All {len(bad)} conversations failed." if len(bad) > 1 else ""
            return replace(made, error=f"{first.error}{more}", code=first.code)
        return replace(made, answer=_told(good, len(parts), self.task.tokens))


def _told(good: Sequence[Part], of: int, tokens: int) -> str:
    """Join the answers under a heading that says how many they are, and whether that is all."""
    answers = [one.found.answer for one in good if isinstance(one.found, Expanded)]
    if of == 1:
        return answers[0]
    partly = f" The other {of - len(good)} were left out or failed." if of > len(good) else ""
    head = f"From {len(good)} of {counted(of, 'conversation')}.{partly}"
    if len(good) == 1:
        whole = f"{head}\n{answers[0]}"
    else:
        names = [f"Conversation {one.conversation}:" for one in good]
        whole = "\n".join([head, *(f"{a}\n{b}" for a, b in zip(names, answers, strict=True))])
    return whole if count_tokens(whole) <= tokens else beginning(whole, tokens)


def _refused(parts: Sequence[Part]) -> Iterator[str]:
    for one in parts:
        if isinstance(one.found, Expanded) and one.found.refused:
            ids = ", ".join(one.found.refused[:10])
            yield (
                f"Cited and not kept, because it is not in conversation {one.conversation} or does "
                f"not hold what is said: {ids}."
            )


def _unsound(parts: Sequence[Part]) -> Iterator[str]:
    for one in parts:
        if isinstance(one.found, Expanded) and one.found.unsound:
            yield (
                f"The summaries of conversation {one.conversation} are not sound: "
                f"{', '.join(one.found.unsound[:10])}."
            )
