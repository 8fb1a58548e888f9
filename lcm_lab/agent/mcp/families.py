"""The families of tools that ``lcm-lab serve`` knows by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lcm_lab.errors import BadParameter, nearest

if TYPE_CHECKING:
    from lcm_lab.ranking.base import Ranker
    from lcm_lab.store.lcm.database import LcmDatabase
    from lcm_lab.store.store import Store

__all__ = ["FAMILIES", "families", "served"]


def families(
    store: Store | LcmDatabase,
    names: str,
    *,
    search: Ranker | None = None,
    caller: str = "agent:main:main",
    visibility: Any = "all",
    roots: Sequence[str] = (),
) -> list[object]:
    """Make tools over a store.

    Parameters
    ----------
    store : Store or LcmDatabase
    names : str
        Of `FAMILIES`, with commas between.
    search : Ranker, optional
        What ranks the full text of lcm_grep, and mode "both" of search.
    caller, visibility : str
        Who asks for sessions, and what it may see.
    roots : sequence of str
        Folders of transcripts that read may open.

    Raises
    ------
    BadParameter
        For a name that is none.
    """
    makers: dict[str, Callable[[], object]] = {
        "lcm": lambda: _lcm(store, search),
        "sessions": lambda: _sessions(store, caller, visibility),
        "episodic": lambda: _episodic(store, roots, search),
    }
    asked = [name for one in names.split(",") if (name := one.strip())]
    for name in asked:
        if name not in makers:
            there = ", ".join(FAMILIES)
            raise BadParameter(
                f"No tools {name!r:.40}.{nearest(name, FAMILIES)} There are {there}."
            )
    if not asked:
        raise BadParameter(f"Name the tools to serve, of {', '.join(FAMILIES)}. Got {names!r:.40}.")
    return [makers[name]() for name in dict.fromkeys(asked)]


FAMILIES = ("lcm", "sessions", "episodic")


def served(path: str, names: str, policy: str | None, http: int | None, **told: Any) -> None:
    """Open a store, or a lossless-claw database, and serve tools over it as it is at each call."""
    from lcm_lab.agent.mcp.live import Live
    from lcm_lab.agent.mcp.server import registered, run
    from lcm_lab.ranking.parse import policy as parse

    search = None if policy is None else parse(policy)
    live = Live(path, lambda held: registered(families(held, names, search=search, **told)))
    with closing(live):
        run(live.tools, live.lent, http)


def _lcm(store: Store | LcmDatabase, search: Ranker | None) -> object:
    from lcm_lab.agent.lcm.tools import LcmTools

    return LcmTools(store, search)


def _sessions(store: Store | LcmDatabase, caller: str, visibility: Any) -> object:
    from lcm_lab.agent.sessions.tools import SessionTools

    return SessionTools(store, caller, visibility)


def _episodic(store: Store | LcmDatabase, roots: Sequence[str], search: Ranker | None) -> object:
    from lcm_lab.agent.episodic.tools import EpisodicTools

    return EpisodicTools(store, roots=list(roots), search=search)
