"""Which format a file is in, by the records in it and never by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from lcm_lab.transcripts import claude_code, plain

__all__ = ["READ", "UNKNOWN", "recognise"]

CODEX = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")

#: What `read` turns into messages.
READ = ("Claude Code JSONL", "plain JSONL")
UNKNOWN = "unknown format"


def recognise(values: Iterable[Any]) -> str:
    """Name the format of some of a file's values: one of `READ`, another that is known, or unknown.

    The format that most of the values are of; on a tie the one that is listed first here.
    """
    votes: Counter[str] = Counter()
    for item in values:
        name = next((name for name, is_one in TESTS.items() if is_one(item)), None)
        if name:
            votes[name] += 1
    return max(TESTS, key=lambda name: votes[name]) if votes else UNKNOWN


def _claude(item: Any) -> bool:
    if not isinstance(item, dict) or "payload" in item:
        return False
    if item.get("type") in claude_code.ROLES:
        return isinstance(item.get("message"), dict) or "parentUuid" in item
    return item.get("type") in claude_code.TYPES


def _codex(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in CODEX and "payload" in item


def _pi(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    return (item.get("type") == "message" and isinstance(item.get("message"), dict)) or (
        item.get("type") == "session" and "version" in item
    )


def _gemini(item: Any) -> bool:
    return isinstance(item, dict) and "projectHash" in item and "messages" in item


def _openhands(item: Any) -> bool:
    first = item[0] if isinstance(item, list) and item else None
    return isinstance(first, dict) and ("action" in first or "observation" in first)


def _trajectory(item: Any) -> bool:
    return isinstance(item, dict) and "messages" in item and "info" in item


def _swe_agent(item: Any) -> bool:
    return isinstance(item, dict) and ("trajectory" in item or "history" in item)


def _session(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("messages"), list)


TESTS: dict[str, Callable[[Any], bool]] = {
    "Claude Code JSONL": _claude,
    "plain JSONL": plain.is_plain,
    "Codex rollout": _codex,
    "pi or OpenClaw session": _pi,
    "Gemini session": _gemini,
    "OpenHands trajectory": _openhands,
    "SWE-agent trajectory": _swe_agent,
    "mini-swe-agent trajectory": _trajectory,
    "one object with a list of messages": _session,
}
