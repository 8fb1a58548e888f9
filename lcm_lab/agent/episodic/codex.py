"""A Codex rollout as markdown, as episodic-memory 1.4.0 writes it, faults included."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lcm_lab.agent.episodic.parse import CALLS, blank
from lcm_lab.agent.episodic.pieces import fenced, field, given, head, heading, result

__all__ = ["codex"]

METADATA = {
    "id": "Session ID",
    "git": "Git Branch",
    "cwd": "Working Directory",
    "cli_version": "Codex Version",
    "model": "Model",
    "model_provider": "Model Provider",
}


def codex(found: Sequence[Any]) -> str:
    """Write the records of a rollout; whoever is not the user is the agent."""
    told: dict[str, Any] = {"Harness": "Codex"} | dict.fromkeys(METADATA.values())
    entries: list[str] = []
    for at, record in enumerate(found):
        payload = record.get("payload") if isinstance(record, dict) else None
        if not isinstance(payload, dict):
            continue
        if record.get("type") in ("session_meta", "turn_context"):
            told |= {
                label: held for name, label in METADATA.items() if (held := _told(payload, name))
            }
        elif record.get("type") == "response_item":
            entries += _entry(at, record, payload)
    return head(told) + "".join(entries)


def _told(payload: dict[str, Any], name: str) -> Any:
    held = payload.get(name)
    return held.get("branch") if isinstance(held, dict) else held


def _entry(at: int, record: dict[str, Any], payload: dict[str, Any]) -> Iterator[str]:
    kind, stamp = str(payload.get("type")), record.get("timestamp") or ""
    call = payload.get("call_id") or f"msg-{at}"
    if kind == "message":
        text = _texts(payload.get("content"))
        if not blank(text):
            role = "User" if payload.get("role") == "user" else "Agent"
            yield heading(role, stamp, f"msg-{at}") + f"{text}\n\n"
    elif kind in CALLS:
        name = payload.get("name") or payload.get("namespace") or kind
        yield heading("Tool Use", stamp, call) + f"**Tool Use:** `{name}`\n\n"
        yield _given(payload)
    elif kind.removesuffix("_output") + "_call" in CALLS or kind.endswith("_call_output"):
        yield heading("Tool Result", stamp, f"{call}-result") + result(_output(payload))
    elif kind == "reasoning":
        text = _texts(payload.get("summary"))
        if not blank(text):
            yield heading("Reasoning", stamp, f"msg-{at}") + f"{text}\n\n"


def _given(payload: dict[str, Any]) -> str:
    held = payload.get("arguments") or payload.get("input") or payload.get("action")
    if isinstance(held, str):
        try:
            held = json.loads(held)
        except ValueError:
            return fenced(held) + "\n"
    if not isinstance(held, dict):
        return given(held)
    return "".join(_field(name, one) for name, one in held.items()) + "\n"


def _field(name: str, held: Any) -> str:
    if isinstance(held, str) and "\n" in held:
        return f"- **{name}:**\n" + fenced(held, "json")
    return field(name, held)


def _output(payload: dict[str, Any]) -> str:
    held = payload.get("output")
    if isinstance(held, str):
        return held
    return _texts(held) or json.dumps(held, separators=(",", ":"), ensure_ascii=False)


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    return "\n".join(one["text"] for one in blocks if isinstance(one.get("text"), str))
