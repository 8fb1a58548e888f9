"""A transcript as markdown, as episodic-memory 1.4.0 writes it, faults included.

Spec: sessions_and_episodic A8. `lcm_lab.agent.episodic.page` has the corrected one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lcm_lab.agent.episodic.codex import codex
from lcm_lab.agent.episodic.parse import blank, is_codex
from lcm_lab.agent.episodic.pieces import given, head, heading, result
from lcm_lab.errors import BadInput

__all__ = ["rendered"]

#: How many kept records are looked through for the result of a tool.
AHEAD = 5
START, END = (f"\n---\n**🔀 SIDECHAIN {word}**\n---\n\n" for word in ("START", "END"))
METADATA = {
    "sessionId": "Session ID",
    "gitBranch": "Git Branch",
    "cwd": "Working Directory",
    "version": "Claude Code Version",
}


def rendered(text: str, start: int | None = None, end: int | None = None) -> str:
    """Write lines of a transcript as markdown; numbers count lines that are not blank.

    Raises
    ------
    BadInput
        For a line in the window that is not JSON.
    """
    lines = [line for line in text.split("\n") if not blank(line)]
    found = []
    for line in lines[(start or 1) - 1 : end]:
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise BadInput(f"A line in this window is not JSON: {error}.") from None
    if any(is_codex(one) for one in found[:1]):
        return codex(found)
    return "".join(_claude([one for one in found if _kept(one)]))


def _kept(record: Any) -> bool:
    if not isinstance(record, dict) or record.get("type") not in ("user", "assistant"):
        return False
    inner = record.get("message")
    if not record.get("timestamp") or not isinstance(inner, dict):
        return False
    if not inner.get("content"):
        return record["type"] == "assistant" and bool(inner.get("usage"))
    return True


def _claude(kept: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not kept:
        return
    yield head({label: kept[0].get(name) for name, label in METADATA.items()})
    inside = False
    for at, record in enumerate(kept):
        if _only_results(record):
            continue
        side = bool(record.get("isSidechain"))
        if side != inside:
            yield START if side else END
            inside = side
        who = ("Agent", "Subagent") if side else ("User", "Agent")
        role = who[record["type"] == "assistant"]
        yield heading(role, record["timestamp"], record.get("uuid") or f"msg-{at}")
        yield from _user(record) if record["type"] == "user" else _assistant(kept, at)
    if inside:
        yield END


def _only_results(record: dict[str, Any]) -> bool:
    content = record["message"].get("content")
    return (
        record["type"] == "user"
        and isinstance(content, list)
        and all(_of(block, "tool_result") for block in content)
    )


def _user(record: dict[str, Any]) -> Iterator[str]:
    gave = record.get("toolUseResult")
    if not gave:
        yield from _texts(record["message"]["content"])
        return
    yield "**Tool Result:**\n\n"
    yield from _texts(gave)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield f"{content}\n\n"
    for block in content if isinstance(content, list) else ():
        if _of(block, "text") and block.get("text"):
            yield f"{block['text']}\n\n"


def _assistant(kept: Sequence[dict[str, Any]], at: int) -> Iterator[str]:
    message = kept[at]["message"]
    content = message.get("content")
    if isinstance(content, str):
        yield f"{content}\n\n"
    for block in content if isinstance(content, list) else ():
        if _of(block, "text") and block.get("text"):
            yield f"{block['text']}\n\n"
        elif _of(block, "tool_use"):
            yield f"**Tool Use:** `{block.get('name')}`\n\n"
            yield given(block.get("input"))
            yield from _result(kept[at + 1 : at + 1 + AHEAD], block.get("id"))
    if message.get("usage"):
        yield _usage(message["usage"])


def _result(after: Sequence[dict[str, Any]], call: Any) -> Iterator[str]:
    for record in after:
        content = record["message"].get("content")
        for block in content if isinstance(content, list) else ():
            if _of(block, "tool_result") and block.get("tool_use_id") == call:
                yield result(block.get("content"))
                return


def _usage(usage: dict[str, Any]) -> str:
    told = {
        "in": usage.get("input_tokens") or 0,
        "cache read": usage.get("cache_read_input_tokens"),
        "cache create": usage.get("cache_creation_input_tokens"),
        "out": usage.get("output_tokens") or 0,
    }
    shown = [f"{name}: {count:,}" for name, count in told.items() if count or name in ("in", "out")]
    return f"_{' | '.join(shown)}_\n\n"


def _of(block: Any, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind
