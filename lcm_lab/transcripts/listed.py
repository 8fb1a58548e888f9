"""One object with a list of messages: how many programs and data sets write a conversation.

``{"messages": [{"role": ..., "content": ...}, ...]}``, one in a file, one a line, or a list of
them. The list may also be called conversation, conversations, turns or history; its messages are
read as `plain` reads them, also where each is wrapped in a record of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lcm_lab.messages import Session
from lcm_lab.text import clean
from lcm_lab.transcripts import plain
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.draft import Draft, Format, text_of

__all__ = ["FORMAT", "add_session", "each", "is_listed", "parse"]

LISTS = ("messages", "conversation", "conversations", "turns", "history")
IDS = ("sessionId", "session_id", "conversation_id", "id", "uuid", "instance_id")
#: What a conversation may say of itself, as `Session` calls it, and under which names.
ABOUT = {
    "title": ("title", "name", "subject", "summary"),
    "cwd": ("cwd", "workspace", "directory"),
    "branch": ("branch", "gitBranch"),
    "agent": ("agent", "agent_name"),
}


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, the line it stands on, and the name of its session."""

    line: int
    record: dict[str, Any]
    session: str


def is_listed(item: Any) -> bool:
    """Tell whether a value is an object with a list of messages, or a list of such objects."""
    if isinstance(item, list):
        return bool(item) and isinstance(item[0], dict) and is_listed(item[0])
    if not isinstance(item, dict):
        return False
    if isinstance(item.get("messages"), list) and not item["messages"]:
        return True
    return bool(_messages(item))


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the conversations of one file."""
    out = Draft(source)
    for talk in each(found, out, session, IDS):
        add_session(out, talk)
        for record in _messages(talk.record):
            if plain.is_plain(record) and isinstance(record, dict):
                plain.add(out, record, talk.line, talk.session)
            else:
                out.skipped.append(Skipped(out.source, talk.line, "not a message"))
    return out


def each(
    found: Iterable[tuple[int, Any]], out: Draft, session: str, ids: Iterable[str]
) -> list[Talk]:
    """Give the conversations of one file, which may be one, one a line, or a list of them.

    A conversation that names no session is that of the file; of several, that and its number.
    """
    flat = [
        (line, one) for line, item in found for one in (item if isinstance(item, list) else [item])
    ]
    talks = []
    for number, (line, record) in enumerate(flat, 1):
        if not isinstance(record, dict):
            out.skipped.append(Skipped(out.source, line, "not an object"))
            continue
        own = next((str(record[name]) for name in ids if _names(record.get(name))), "")
        made = session if len(flat) == 1 else f"{session}#{number}"
        talks.append(Talk(line, record, clean(own) or made))
    return talks


def add_session(out: Draft, talk: Talk, agent: str = "") -> None:
    """Note what a conversation says of itself; of two of one name, the later."""
    about = {
        name: next((found for one in names if (found := text_of(talk.record, one))), "")
        for name, names in ABOUT.items()
    }
    about["agent"] = agent or about["agent"]
    out.sessions[talk.session] = Session(talk.session, **about, source=out.source)


def _names(item: Any) -> bool:
    return isinstance(item, str | int) and not isinstance(item, bool) and item != ""


def _messages(record: dict[str, Any]) -> list[Any]:
    """Give the messages of a conversation, out of their wrapping; none where it holds no such."""
    for name in LISTS:
        found = record.get(name)
        if isinstance(found, list) and found:
            unwrapped = [_unwrapped(one) for one in found]
            if any(isinstance(one, dict) and plain.is_plain(one) for one in unwrapped):
                return unwrapped
    return []


def _unwrapped(item: Any) -> Any:
    """Take a message out of a record that holds it and says when it was."""
    inner = item.get("message") if isinstance(item, dict) else None
    if not isinstance(inner, dict):
        return item
    outer = {name: item[name] for name in (*plain.NAMES["time"], "id", "uuid") if name in item}
    return {**outer, **inner}


FORMAT = Format("one object with a list of messages", is_listed, parse)
