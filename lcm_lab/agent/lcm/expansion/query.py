"""``lcm_expand_query``: a question answered by bounded workers, from what lies under summaries."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Annotated, Any

from lcm_lab.agent.lcm.expansion.budget import Deadline, work_until
from lcm_lab.agent.lcm.expansion.delegation import Delegation
from lcm_lab.agent.lcm.expansion.expand import Expand
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.expansion.result import Recalled
from lcm_lab.agent.lcm.expansion.work import Task
from lcm_lab.agent.lcm.reader import Reader
from lcm_lab.agent.schema import ASKED, Between, tool
from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.query import require_words

__all__ = ["ExpandQuery"]


class ExpandQuery(Expand):
    """The tool ``lcm_expand_query``, which hands a question to workers and takes their answers."""

    @tool
    def lcm_expand_query(
        self,
        prompt: str,
        *,
        query: str | None = None,
        summaryIds: Annotated[list[str], Between(1, 200)] | None = None,
        maxTokens: Annotated[int, Between(1, 20_000)] = 2_000,
        timeoutMs: Annotated[int, Between(1, 600_000), ASKED] = 150_000,
        tokenCap: Annotated[int, Between(1, 10_000_000)] | None = None,
        conversationId: int | str | None = None,
        allConversations: bool = False,
    ) -> Recalled:
        """Answer a question from what lies under summaries: what they were made from, read again.

        Give query to find where the answer may lie, or summaryIds where you know. A bounded worker
        reads there and gives a short answer with the ids that it rests on. Use it for exact
        commands, errors, paths, quotes and reasons that a summary has left out.

        Parameters
        ----------
        prompt : str
            The question to answer.
        query : str
            Text query to find summaries (if no summaryIds).
        summaryIds : list of str
            Specific summary IDs to expand (if no query).
        maxTokens : int
            Answer length cap.
        timeoutMs : int
            Milliseconds until an answer must be there, 30,000 of them for handing over; use the
            default, so that the workers can finish first.
        tokenCap : int
            Tokens to read in all; no more than the host allows.
        conversationId : int or str
            One conversation; the current session family when left out.
        allConversations : bool
            Ask across all conversations: the three most promising ones are read.
        """
        question = _question(prompt)
        refused = self._refused((question, query, tuple(summaryIds or ()), conversationId))
        if refused is not None:
            return refused
        ids = _ids(query, summaryIds)
        lock = self._delegating
        if not lock.acquire(blocking=False):
            return _blocked("EXPANSION_CONCURRENCY_BLOCKED", "origin_session_in_flight")
        try:
            deadline = Deadline.within(work_until(timeoutMs, self.delegationTimeoutMs), self.timer)
            loose = bool(ids) and self.conversation is None
            scope = self.scope(conversationId, everywhere=allConversations or loose)
            several = allConversations and conversationId is None
            cap = min(tokenCap or self.maxExpandTokens, self.maxExpandTokens)
            task = Task(question, (query or "").strip(), maxTokens, self._reader())
            work = Delegation(self, scope, task, cap, deadline, several)
            notes = _notes(tokenCap, cap, self.behind(scope))
            return work.run(ids, notes)
        finally:
            lock.release()

    @property
    def _delegating(self) -> threading.Lock:
        """What a delegation holds while it runs: one at a time for a session."""
        lock: threading.Lock = self.__dict__.setdefault("_delegation", threading.Lock())
        return lock

    def _reader(self) -> Reader | None:
        if self.answer is not None and not callable(self.answer):
            raise BadParameter(
                "answer is a reader, a callable (question, passages) -> str. "
                f"Got {self.answer!r:.80}."
            )
        reader: Reader | None = self.answer
        return reader

    def _refused(self, request: Any) -> Recalled | None:
        """Refuse a worker: what was delegated is not delegated again."""
        if self.grant is None:
            return None
        known = isinstance(self.grant, Grant) and self.grant.again(request)
        reason = "idempotent_reentry" if known else "depth_cap"
        return _blocked("EXPANSION_RECURSION_BLOCKED", reason)


def _question(prompt: str) -> str:
    try:
        return require_words(prompt).strip()
    except EmptyQuery as error:
        raise EmptyQuery(f"prompt is the question that is answered. {error}") from None


def _ids(query: str | None, ids: Sequence[str] | None) -> tuple[str, ...]:
    if not ids and not (query or "").strip():
        raise (BadParameter if query is None else EmptyQuery)(
            "One of query and summaryIds is needed: query='retry backoff' to find where the answer "
            "may lie, or summaryIds=['sum_...'] where you know."
        )
    return tuple(ids or ())


def _blocked(code: str, reason: str) -> Recalled:
    told = {
        "depth_cap": "A worker may not delegate. Use lcm_describe, lcm_grep and lcm_expand.",
        "idempotent_reentry": "A worker may not delegate, and this was asked before. Use "
        "lcm_describe, lcm_grep and lcm_expand.",
        "origin_session_in_flight": "Another lcm_expand_query of this session is running. Wait for "
        "its answer, then ask again.",
    }
    return Recalled("", error=told[reason], code=code, reason=reason)


def _notes(asked: int | None, cap: int, behind: str) -> tuple[str, ...]:
    less = f"tokenCap is {cap:,}, the most that is allowed here." if (asked or 0) > cap else ""
    return tuple(filter(None, (less, f"{behind}." if behind else "")))
