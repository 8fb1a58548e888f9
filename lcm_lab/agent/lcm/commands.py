"""What ``lcm-lab grep``, ``describe`` and ``expand`` print: the answer of the tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from lcm_lab.agent import show
from lcm_lab.agent.checking import database
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.errors import BadParameter

__all__ = ["described", "expanded", "grepped", "lines_of"]


def grepped(
    path: str,
    asked: Mapping[str, Any],
    policy: str | None,
    zone: str,
    *,
    reference: bool,
    json: bool,
) -> str:
    """Search a store, or a lossless-claw database, and write the hits."""
    from lcm_lab.ranking import parse

    search = None if policy is None else parse.policy(policy)
    with database(path) as held:
        found = LcmTools(held, search, zone=zone, compat=_compat(reference)).lcm_grep(**asked)
        return show.as_json(found.to_dict()) if json else found.to_text()


def described(
    path: str, asked: Mapping[str, Any], zone: str, *, reference: bool, json: bool
) -> str:
    """Write out a summary or a file of a store."""
    with database(path) as held:
        found = LcmTools(held, zone=zone, compat=_compat(reference)).lcm_describe(**asked)
        return show.as_json(found.to_dict()) if json else found.to_text()


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
            compat=_compat(reference),
        )
        found = tools.lcm_expand_query(**asked)
    return show.as_json(found.to_dict()) if json else found.to_text(), not found.error


def _compat(reference: bool) -> Literal["reference"] | None:
    return "reference" if reference else None


def lines_of(given: str | None) -> dict[str, int]:
    """Read a range of lines.

    Raises
    ------
    BadParameter
        For what is none.

    Examples
    --------
    >>> lines_of("100-120"), lines_of("7"), lines_of("7-"), lines_of(None)
    ({'startLine': 100, 'endLine': 120}, {'startLine': 7, 'endLine': 7}, {'startLine': 7}, {})
    """
    if given is None:
        return {}
    found = re.fullmatch(r"(\d{1,9})(-?)(\d{0,9})", given.strip())
    if found is None or (found[3] and not found[2]):
        raise BadParameter(
            f"--lines is FIRST, FIRST- or FIRST-LAST, such as 100-120. Got {given!r}."
        )
    first, last = int(found[1]), found[3] or (found[1] if not found[2] else "")
    return {"startLine": first} | ({"endLine": int(last)} if last else {})
