"""``lcm_expand``: a worker reads on under summaries, within its grant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from lcm_lab.agent.lcm.expansion.buckets import Bucket, Candidate, bucketed
from lcm_lab.agent.lcm.expansion.grants import DEPTH, Grant
from lcm_lab.agent.lcm.expansion.routing import Intent, route
from lcm_lab.agent.lcm.expansion.seeds import found, named
from lcm_lab.agent.lcm.expansion.walked import Walked, walk
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.scope import Scope
from lcm_lab.agent.schema import Between, tool
from lcm_lab.dag import Dag, Expansion
from lcm_lab.errors import BadParameter

__all__ = ["Expand"]


class Expand(History):
    """The tool ``lcm_expand``, which only the holder of a grant may call."""

    @tool
    def lcm_expand(
        self,
        *,
        summaryIds: Annotated[list[str], Between(1, 200)] | None = None,
        query: str | None = None,
        maxDepth: Annotated[int, Between(0, 10)] = DEPTH,
        tokenCap: Annotated[int, Between(1, 10_000_000)] | None = None,
        includeMessages: bool = False,
        conversationId: int | str | None = None,
        allConversations: bool = False,
    ) -> Walked:
        """Read what summaries were made from. For workers that hold a grant, and only for them.

        Parameters
        ----------
        summaryIds : list of str
            Where to begin.
        query : str
            What to find where to begin by; it wins over summaryIds.
        maxDepth : int
            Levels down, no more than the grant allows.
        tokenCap : int
            Tokens, no more than the grant has left.
        includeMessages : bool
            Whether messages are given, or summaries alone.
        conversationId : int or str
            One conversation of the grant.
        allConversations : bool
            Has no meaning here: a grant says where a worker may look.
        """
        grant = self.grant
        if not isinstance(grant, Grant):
            raise BadParameter(
                "lcm_expand is for workers that hold a grant. Ask lcm_expand_query instead: it "
                "expands, and answers."
            )
        scope = self.scope(conversationId, everywhere=allConversations)
        grant.check()
        asked = (query or "").strip()
        bucket = _only(self._begin(scope, asked, summaryIds))
        if bucket is None:
            return Walked(Dag(""), (), Expansion(), grant.remaining)
        grant.check(bucket.conversation, bucket.summaries)
        tokens, depth = grant.allowed(tokenCap, maxDepth)
        with_messages = includeMessages and not (asked and self.compat)
        made = walk(
            self.dag(bucket.conversation),
            bucket.summaries,
            depth,
            tokens,
            messages=with_messages,
            compat=self.compat,
        )
        grant.spend(made.below.tokens)
        intent: Intent = "query_probe" if asked else "explicit_expand"
        count = len(made.summaries)
        judged = route(asked, count, tokens, depth, intent, messages=with_messages)
        return replace(made, left=grant.remaining, route=judged)

    def _begin(self, scope: Scope, query: str, ids: Sequence[str] | None) -> list[Candidate]:
        """Give the summaries that a walk begins at."""
        if query:
            return found(self.standing(), scope, query)[0]
        if not ids:
            raise BadParameter("One of summaryIds and query is needed: summaryIds=['sum_...'].")
        return named(self.standing(), scope, ids)


def _only(candidates: Sequence[Candidate]) -> Bucket | None:
    buckets = bucketed(candidates)
    if len(buckets) > 1:
        names = ", ".join(one.conversation for one in buckets[:5])
        raise BadParameter(
            f"These are of {len(buckets)} conversations ({names}), and one is expanded at a time. "
            "Pass conversationId."
        )
    return buckets[0] if buckets else None
