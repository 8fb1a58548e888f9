"""Which sessions the tools of a session may look at: four modes, agents, and a sandbox.

What is decided here needs the key that is asked for, and whether the caller spawned it; it never
needs to know whether a session of that key exists, so that a refusal does not tell.
"""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from lcm_lab.errors import BadParameter, nearest
from lcm_lab.values import value

__all__ = ["AgentToAgent", "Forbidden", "Mode", "Visibility", "agent_of", "is_incognito"]

Mode = Literal["self", "tree", "agent", "all"]

#: The agent of a caller whose key names none.
MAIN = "main"
_SCOPED = re.compile(r"agent:([^:]+):(.+)", re.DOTALL | re.IGNORECASE)
_INCOGNITO = re.compile(
    r"agent:[^:]+:(?:dashboard|subagent|internal-session-effects):incognito-", re.IGNORECASE
)


class Forbidden(BadParameter):
    """A session that the caller may not look at, whether it is there or not."""


def agent_of(key: str, otherwise: str = MAIN) -> str:
    """Give the agent that a session key names, or another where it names none.

    Examples
    --------
    >>> agent_of("agent:work:dashboard:x"), agent_of("3f2c", "main")
    ('work', 'main')
    """
    found = _SCOPED.fullmatch(key)
    return found[1] if found else otherwise


def is_incognito(key: str) -> bool:
    """Tell whether a key is that of an incognito session.

    Examples
    --------
    >>> is_incognito("agent:main:dashboard:incognito-7"), is_incognito("agent:main:main")
    (True, False)
    """
    return _INCOGNITO.match(key) is not None


@value
class AgentToAgent:
    """Whether agents may look at each other's sessions, and which.

    Parameters
    ----------
    enabled : bool
    allow : tuple of str
        Both agents must be among these, if there are any: an id, ``*`` for any, or a pattern such
        as ``wo*``, which does not mind case. A blank entry is no agent.

    Examples
    --------
    >>> AgentToAgent(allow=("main", "wo*")).permits("main", "work")
    True
    >>> AgentToAgent(allow=("wo*",)).permits("main", "work")
    False
    """

    enabled: bool = True
    allow: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what is no list of agents."""
        if not isinstance(self.enabled, bool):
            raise BadParameter(f"enabled is True or False. Got {self.enabled!r:.80}.")
        listed: Any = self.allow
        if not isinstance(listed, tuple) or not all(isinstance(one, str) for one in listed):
            raise BadParameter(f"allow lists agents, such as ('main', 'wo*'). Got {self.allow!r}.")

    def permits(self, one: str, other: str) -> bool:
        """Tell whether one agent may look at sessions of another."""
        if not self.enabled:
            return False
        return not self.allow or all(
            any(_fits(entry, agent) for entry in self.allow) for agent in (one, other)
        )


@value
class Visibility:
    """What the tools of one session may look at.

    Parameters
    ----------
    caller : str
        The key of the session that asks.
    mode : {"self", "tree", "agent", "all"}
        Its own session; also those that it spawned (the main session of an agent: every one of the
        agent); every session of its agent; also those of other agents.
    agent_to_agent : AgentToAgent
        What "all" means between agents. Sessions that the caller spawned are reached without.
    sandboxed : bool
        Never more than its own session and those that it spawned.

    Examples
    --------
    >>> Visibility("agent:main:main", "agent").allows("agent:work:main")
    False
    >>> Visibility("agent:main:main", "tree").allows("agent:work:acp:1", owned=True)
    True
    """

    caller: str = "agent:main:main"
    mode: Mode = "all"
    agent_to_agent: AgentToAgent = AgentToAgent()
    sandboxed: bool = False

    def check(self) -> None:
        """Refuse a mode that there is not, and a caller without a key."""
        modes = get_args(Mode)
        if self.mode not in modes:
            there = ", ".join(modes)
            close = nearest(str(self.mode), modes)
            raise BadParameter(f"visibility is one of {there}. Got {self.mode!r:.80}.{close}")
        caller: Any = self.caller
        if not isinstance(caller, str) or not caller.strip():
            raise BadParameter(
                f"caller is the key of a session: 'agent:main:main'. Got {self.caller!r}."
            )
        if not isinstance(self.agent_to_agent, AgentToAgent):
            raise BadParameter(
                f"agent_to_agent is an AgentToAgent. Got {self.agent_to_agent!r:.80}."
            )
        if not isinstance(self.sandboxed, bool):
            raise BadParameter(f"sandboxed is True or False. Got {self.sandboxed!r:.80}.")

    @property
    def agent(self) -> str:
        """The agent of the caller."""
        return agent_of(self.caller)

    @property
    def said(self) -> str:
        """What it comes to, in words."""
        box = ", sandboxed" if self.sandboxed else ""
        return f"what {self.caller} may see (visibility {self.mode}{box})"

    def allows(self, key: str, *, owned: bool = False) -> bool:
        """Tell whether a session may be looked at."""
        return not self.refusal(key, owned=owned)

    def refusal(self, key: str, *, owned: bool = False) -> str:
        """Say why a session may not be looked at; "" where it may.

        The reason is one for any key of its kind, whether the caller spawned it or not: else it
        would tell that there is such a session.

        Parameters
        ----------
        key : str
        owned : bool
            Whether the caller spawned it, or it was forked from the caller's.
        """
        if owned and not self._refusal(key, owned=True):
            return ""
        return self._refusal(key, owned=False)

    def _refusal(self, key: str, *, owned: bool) -> str:
        if is_incognito(key):
            return "incognito sessions are never shown to session tools"
        if key == self.caller:
            return ""
        if self.sandboxed and not owned:
            return "a sandbox reaches the current session and those that it spawned"
        if owned and self.mode in ("tree", "all"):
            return ""
        agent = agent_of(key, self.agent)
        return self._beyond(agent) if agent != self.agent else self._within()

    def _within(self) -> str:
        """Say why a session of the same agent may not be looked at."""
        if self.mode == "self":
            return "visibility 'self' reaches the current session alone"
        if self.mode == "tree" and self.caller != f"agent:{self.agent}:main":
            return "visibility 'tree' reaches the current session and those that it spawned"
        return ""

    def _beyond(self, agent: str) -> str:
        """Say why a session of another agent may not be looked at."""
        if self.mode != "all":
            return f"sessions of other agents need visibility 'all'; it is {self.mode!r}"
        if not self.agent_to_agent.enabled:
            return "access between agents is off; agentToAgent.enabled switches it on"
        if not self.agent_to_agent.permits(self.agent, agent):
            return f"agentToAgent.allow does not have both {self.agent!r} and {agent!r}"
        return ""


def _fits(entry: str, agent: str) -> bool:
    """Match an agent in linear time: each stretch between stars at its first place."""
    entry = entry.strip()
    if "*" not in entry:
        return bool(entry) and entry == agent
    first, *middle, last = entry.lower().split("*")
    name = agent.lower()
    if not name.startswith(first) or len(name) < len(first) + len(last):
        return False
    at, end = len(first), len(name) - len(last)
    for piece in middle:
        at = name.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return name.endswith(last)
