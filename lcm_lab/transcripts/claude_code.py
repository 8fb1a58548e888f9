"""Claude Code session files: one JSON record a line, an assistant's turn spread over several.

What is read: records of a ``message`` with a role. Fragments of one turn (the same message id)
become one message. What the harness wrote in the user's name (``isMeta``) has the role system; the
summary that replaces a compacted context is a part of kind summary, since it repeats what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lcm_lab.messages import Message, Part
from lcm_lab.transcripts.base import REPEATED, Skipped
from lcm_lab.transcripts.blocks import parts_of
from lcm_lab.transcripts.draft import Draft, text_of

__all__ = ["TYPES", "parse"]

ROLES = ("user", "assistant", "system", "tool")

#: Records that hold no message, by which such a file is still known.
TYPES = ("summary", "file-history-snapshot", "queue-operation", "progress")


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the records of one file.

    Parameters
    ----------
    found : iterable of (line, value)
    source : str
        The file, for references.
    session : str
        The session of records that name none.
    """
    out = Draft(source)
    turns = _Turns(out)
    links = _Links()
    for line, record in found:
        message = _message(record, line, out, session)
        if message is None:
            links.pass_over(record)
        else:
            turn = text_of(record["message"], "id") or f"line {line}"
            links.lead(record, turns.add(message, turn))
    out.messages = [links.tie(one) for one in out.messages]
    return out


class _Turns:
    """Fragments of a turn become one message, at the place of the first."""

    def __init__(self, out: Draft) -> None:
        self.out = out
        self.at: dict[tuple[str, str], int] = {}
        self.seen: set[tuple[Any, ...]] = set()

    def add(self, message: Message, turn: str) -> str:
        """Take in a fragment, unless it is a repeat, and give the id of its message."""
        fragment = (message.session, turn, message.parts, message.time or message.id)
        at = self.at.setdefault(fragment[:2], len(self.out.messages))
        if at == len(self.out.messages):
            self.out.messages.append(message)
        elif fragment in self.seen:
            self.out.skipped.append(Skipped(message.source, message.line, REPEATED))
        else:
            self.out.extend(at, message.parts)
        self.seen.add(fragment)
        return self.out.messages[at].id


class _Links:
    """Parent ids name records; here they come to name messages, past records that hold none."""

    def __init__(self) -> None:
        self.message: dict[str, str] = {}
        self.above: dict[str, str] = {}

    def lead(self, record: dict[str, Any], message: str) -> None:
        self.message.setdefault(text_of(record, "uuid"), message)

    def pass_over(self, record: Any) -> None:
        if isinstance(record, dict) and text_of(record, "uuid"):
            self.above.setdefault(text_of(record, "uuid"), _parent(record))

    def tie(self, message: Message) -> Message:
        """Name the message that one follows; as written where it is not in this file."""
        at, seen = message.parent, set[str]()
        while at and at not in self.message and at in self.above and at not in seen:
            seen.add(at)
            at = self.above[at]
        at = self.message.get(at, at)
        return message if at == message.parent else replace(message, parent=at)


def _parent(record: dict[str, Any]) -> str:
    return text_of(record, "parentUuid") or text_of(record, "logicalParentUuid")


def _message(record: Any, line: int, out: Draft, session: str) -> Message | None:
    reason = _no_message(record)
    parts = () if reason else _parts(record, out)
    if not reason and not parts:
        reason = "no content"
    if reason:
        out.skipped.append(Skipped(out.source, line, reason))
        return None
    inner = record["message"]
    time, stamp = out.time(inner.get("timestamp") or record.get("timestamp"))
    return Message(
        id=text_of(record, "uuid") or text_of(inner, "id"),
        session=text_of(record, "sessionId") or session,
        role=_role(record, parts),
        parts=parts,
        time=time,
        stamp=stamp,
        parent=_parent(record),
        sidechain=record.get("isSidechain") is True,
        source=out.source,
        line=line,
    )


def _no_message(record: Any) -> str:
    """Say why a record is no message, or nothing."""
    if not isinstance(record, dict):
        return "not an object"
    kind = text_of(record, "type") or "no type"
    if kind not in ROLES:
        return f"not a message: {kind}"
    if not isinstance(record.get("message"), dict):
        return f"not a message: {text_of(record, 'subtype') or 'nothing'} in {kind}"
    return "" if _named_role(record) in ROLES else f"not a message: role {_named_role(record)!r}"


def _named_role(record: dict[str, Any]) -> str:
    return text_of(record["message"], "role") or text_of(record, "type")


def _role(record: dict[str, Any], parts: tuple[Part, ...]) -> str:
    if all(part.kind == "tool_result" for part in parts):
        return "tool"
    return "system" if record.get("isMeta") is True else _named_role(record)


def _parts(record: dict[str, Any], out: Draft) -> tuple[Part, ...]:
    parts = parts_of(record["message"])
    for part in parts:
        if part.kind == "unknown":
            out.note(f"unknown block: {part.name}")
    if record.get("isCompactSummary") is True:
        return tuple(Part("summary", part.text) for part in parts if part.text)
    return tuple(parts)
