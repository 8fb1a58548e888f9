"""`SessionTools`: the tools by which an agent finds and reopens past sessions."""

from __future__ import annotations

from lcm_lab.agent.sessions.history import Reopen
from lcm_lab.agent.sessions.search import Search

__all__ = ["SessionTools"]


class SessionTools(Search, Reopen):
    """Tools over past sessions, with the names and parameters of OpenClaw's.

    Parameters
    ----------
    store : Store or LcmDatabase
        A conversation of it is a session id; conversations of one key are one session.
    caller : str
        The key of the session that asks.
    visibility : {"self", "tree", "agent", "all"}
        What it may see: itself; what it spawned too (all of its agent for an agent's main session);
        all of its agent; all agents. Incognito sessions are never seen.
    agent_to_agent : AgentToAgent, bool or sequence of str
        Whether "all" goes beyond the caller's agent, or the agents between which it does.
    sandboxed : bool
        Never more than the caller's own session and those that it spawned.
    search, semantic : Ranker, optional
        What ranks mode "exact" and mode "semantic"; `SessionsSearch` and `Dense` when not given.
    zone : str
        In which times are written for an agent to read; fields have UTC.
    compat : "reference", optional
        Answer as OpenClaw does, faults included, so that the difference can be measured.

    Notes
    -----
    What may be seen is decided before anything is found, counted or cut, and by the key alone, so
    that a refusal does not tell whether there is such a session. Scores weigh words as what may be
    seen has them, for the same reason.

    Examples
    --------
    >>> from lcm_lab.agent.sessions.tools import SessionTools
    >>> from lcm_lab.messages import Message, Part, Session
    >>> from lcm_lab.store.store import Store
    >>> store = Store(":memory:")
    >>> said = Message("m1", "s1", "user", (Part("text", "Postgres, for its transactions."),))
    >>> store.append(said, Session("s1", key="agent:main:main"))
    'm1'
    >>> tools = SessionTools(store)
    >>> hit = tools.sessions_search("postgres").hits[0]
    >>> hit.key, hit.session, hit.message
    ('agent:main:main', 's1', 'm1')
    >>> page = tools.sessions_history(hit.key, messageId=hit.message, sessionId=hit.session)
    >>> page.messages[0].blocks
    ({'type': 'text', 'text': 'Postgres, for its transactions.'},)
    """
