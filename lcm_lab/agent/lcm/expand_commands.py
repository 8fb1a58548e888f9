"""What ``lcm-lab expand`` prints: the answer of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lcm_lab.agent import show
from lcm_lab.agent.checking import database
from lcm_lab.agent.lcm.tools import LcmTools

__all__ = ["expanded"]


def expanded(
    path: str,
    asked: Mapping[str, Any],
    policy: str | None,
    *,
    most: int,
    reference: bool,
    json: bool,
) -> tuple[str, bool]:
    """Ask a store, or a lossless-claw database; give the answer, and whether there is one."""
    from lcm_lab.ranking import parse

    search = None if policy is None else parse.policy(policy)
    with database(path) as held:
        tools = LcmTools(
            held,
            search,
            maxExpandTokens=most,
            compat="reference" if reference else None,
        )
        found = tools.lcm_expand_query(**asked)
    return show.as_json(found.to_dict()) if json else found.to_text(), not found.error
