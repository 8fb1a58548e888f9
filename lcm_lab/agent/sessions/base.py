"""What the session tools stand on: a store, who asks, and what ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.sessions.listed import Sessions
from lcm_lab.agent.sessions.visibility import AgentToAgent, Mode, Visibility
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.named.reference import SessionsSearch
from lcm_lab.store.lcm.database import LcmDatabase
from lcm_lab.store.store import Store

__all__ = ["Base"]


class Base:
    """The store and its caller; `SessionTools` tells of the parameters."""

    def __init__(
        self,
        store: Store | LcmDatabase,
        caller: str = "agent:main:main",
        visibility: Mode = "all",
        agent_to_agent: AgentToAgent | bool | Sequence[str] = True,
        sandboxed: bool = False,
        *,
        search: Ranker | None = None,
        semantic: Ranker | None = None,
        zone: str = "UTC",
        compat: Literal["reference"] | None = None,
    ) -> None:
        if semantic is not None and not isinstance(semantic, Ranker):
            raise BadParameter(f"semantic is a policy, such as Dense(). Got {semantic!r:.80}.")
        self.visible = Visibility(caller, visibility, _between(agent_to_agent), sandboxed)
        self.history = History(store, search or SessionsSearch(), zone=zone, compat=compat)
        self.store, self.zone, self.compat = store, zone, compat
        self.semantic: Ranker = Dense() if semantic is None else semantic

    def sessions(self) -> Sessions:
        """List the sessions as they are now."""
        return Sessions(self.store.conversations(), self.visible)

    def late(self) -> frozenset[str]:
        """Name the conversations of which it is still being found out what stands."""
        return frozenset(self.store.indexing if isinstance(self.store, Store) else ())

    def messages(self, conversation: str) -> tuple[Message, ...]:
        """Give the messages of a conversation in order, also those that were left behind."""
        if isinstance(self.store, Store):
            return self.store.messages(conversation)
        return self.store.dag(conversation).messages


def _between(given: AgentToAgent | bool | Sequence[str]) -> AgentToAgent:
    if isinstance(given, AgentToAgent):
        return given
    if isinstance(given, bool):
        return AgentToAgent(given)
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise BadParameter(
            "agent_to_agent is True, False, or the agents that may look at each other: "
            f"['main', 'wo*']. Got {given!r:.80}."
        )
    return AgentToAgent(allow=tuple(given))
