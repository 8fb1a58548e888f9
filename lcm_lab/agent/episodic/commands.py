"""What ``lcm-lab episodic`` prints: the answers of the tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lcm_lab.agent import show
from lcm_lab.agent.checking import database
from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.agent.lcm.commands import lines_of

if TYPE_CHECKING:
    from lcm_lab.ranking.base import Ranker
    from lcm_lab.store.lcm.database import LcmDatabase
    from lcm_lab.store.store import Store

__all__ = ["opened", "searched"]


def searched(
    path: str,
    asked: Mapping[str, Any],
    policy: str | None,
    roots: Sequence[str],
    *,
    reference: bool,
) -> str:
    """Search a store, or a lossless-claw database, and write the hits."""
    from lcm_lab.ranking.parse import policy as parse

    search = None if policy is None else parse(policy)
    with database(path) as held:
        tools = _tools(held, roots, search, reference=reference)
        return tools.search(**asked).to_text()


def opened(
    path: str,
    transcript: str,
    lines: str | None,
    roots: Sequence[str],
    *,
    reference: bool,
    json: bool,
) -> str:
    """Write out lines of a transcript."""
    with database(path) as held:
        tools = _tools(held, roots, None, reference=reference)
        page = tools.read(transcript, **lines_of(lines))
        return show.as_json(page.to_dict()) if json else page.to_text()


def _tools(
    held: Store | LcmDatabase, roots: Sequence[str], search: Ranker | None, *, reference: bool
) -> EpisodicTools:
    compat: Literal["reference"] | None = "reference" if reference else None
    return EpisodicTools(held, roots=roots, search=search, compat=compat)
