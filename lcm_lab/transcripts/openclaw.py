"""Sessions of pi and of OpenClaw, which share a format: a header, then entries that form a tree.

Version 1 is a line of entries without ids, 2 gave them ids and parents, 3 names; all are read.
Which messages stand is said by the leaf: see `lcm_lab.transcripts.branches`. Compactions and
summaries of left branches are parts of kind summary. What an extension put into the context has the
role system; a command that the user ran is the user's words and the tool's result. A reset ends its
segment with a message without text, whose part says from which entry on it kept what was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from lcm_lab.messages import Message, Part
from lcm_lab.transcripts.blocks import result_parts
from lcm_lab.transcripts.branches import Tree
from lcm_lab.transcripts.draft import Draft, Format, text_of
from lcm_lab.transcripts.openclaw_keys import is_index, keyed

__all__ = ["FORMAT", "INDEX", "TRACE", "is_session", "parse"]

#: Entries that move the leaf to themselves; of these only the first five are messages.
ENTRIES = (
    *("message", "custom_message", "compaction", "branch_summary", "reset"),
    *("custom", "label", "session_info", "model_change", "thinking_level_change"),
)
ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "toolResult": "tool",
    "bashExecution": "user",
    "custom": "system",
    "custom_message": "system",
    "compaction": "system",
    "branch_summary": "system",
    "hookMessage": "system",
    "branchSummary": "system",
    "reset": "system",
    "compactionSummary": "system",
}


def is_session(item: Any) -> bool:
    """Tell whether a record is the header or an entry of such a session."""
    if not isinstance(item, dict) or "payload" in item:
        return False
    kind = item.get("type")
    if kind == "message":
        return isinstance(item.get("message"), dict)
    if kind == "session":
        return "version" in item or ("id" in item and "cwd" in item)
    return kind in ENTRIES or (kind == "leaf" and "targetId" in item)


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the entries of one file; ``session`` is its session where no header names one."""
    reading = _Reading(source, session)
    for line, record in found:
        reading.take(line, record)
    reading.close()
    return reading.out


class _Reading:
    def __init__(self, source: str, session: str) -> None:
        self.out = Draft(source)
        self.session = session
        self.headed = False
        self.tree = Tree()
        self.names: list[str] = []
        self.read = 0

    def take(self, line: int, record: Any) -> None:
        """Read one record."""
        self.read += 1
        if not isinstance(record, dict):
            self.out.skip(line, "not an object")
            return
        kind = text_of(record, "type") or "no type"
        if kind == "session":
            self._begin(record)
        elif kind == "leaf":
            self._move(record)
        else:
            self._enter(record, kind)
        if kind == "session_info":
            self.out.tell(self.session, title=text_of(record, "name"))
        reason = self._say(line, record, kind)
        if reason:
            self.out.skip(line, reason)

    def _name(self, record: dict[str, Any]) -> str:
        return text_of(record, "id") or f"entry {self.read}"

    def _begin(self, header: dict[str, Any]) -> None:
        if self.headed:
            return
        self.headed = True
        self.session = text_of(header, "id") or self.session
        came = text_of(header, "parentSession") or text_of(header, "branchedFrom")
        parent = PurePath(came.replace("\\", "/")).name.split(".jsonl")[0].rpartition("_")[2]
        self.out.tell(self.session, cwd=text_of(header, "cwd"), parent=parent)

    def _enter(self, record: dict[str, Any], kind: str) -> None:
        """Append a record to the tree; one without an id cannot be named, and follows the leaf."""
        name = self._name(record)
        parent = _place(record.get("parentId")) if "parentId" in record else None
        if kind == "reset":
            self.tree.reset(name, parent)
        elif kind in ENTRIES or "parentId" in record:
            side = record.get("appendMode") == "side"
            self.tree.add(name, parent, side=side, known=kind in ENTRIES)

    def _move(self, record: dict[str, Any]) -> None:
        target = _place(record.get("targetId"))
        cursor = _place(record["appendParentId"]) if "appendParentId" in record else target
        self.tree.move(self._name(record), _place(record.get("parentId")), target, cursor)

    def _say(self, line: int, record: dict[str, Any], kind: str) -> str:
        """Add the message of a record, or say why there is none."""
        inner = record.get("message") if kind == "message" else record
        if kind not in ENTRIES[:5] or not isinstance(inner, dict):
            return f"not a message: {kind}"
        named = text_of(inner, "role") if kind == "message" else kind
        parts = self._parts(inner, named)
        if not parts:
            return "no content"
        time, stamp = self.out.time(inner.get("timestamp") or record.get("timestamp"))
        self.names.append(self._name(record))
        self.out.messages.append(
            Message(
                id=text_of(record, "id"),
                session=self.session,
                role=self._role(named),
                parts=parts,
                time=time,
                stamp=stamp,
                source=self.out.source,
                line=line,
                segment=self.tree.resets - (kind == "reset"),
            )
        )
        return ""

    def _role(self, named: str) -> str:
        if named not in ROLES:
            self.out.note(f"unknown role: {named or 'none'}")
        return ROLES.get(named, "")

    def _parts(self, inner: dict[str, Any], role: str) -> tuple[Part, ...]:
        if role in ("compaction", "branch_summary", "compactionSummary", "branchSummary"):
            text = text_of(inner, "summary")
            return (Part("summary", text),) if text.strip() else ()
        if role == "reset":
            kept = {name: inner[name] for name in ("reason", "firstKeptEntryId") if name in inner}
            return (Part("unknown", "", name="reset", raw=json.dumps(kept, ensure_ascii=False)),)
        if role == "bashExecution":
            ran = Part("text", f"$ {text_of(inner, 'command')}")
            failed = inner.get("exitCode") not in (None, 0)
            return (ran, *result_parts(inner.get("output"), "", error=failed))
        if role != "toolResult":
            return self.out.parts(inner)
        result = {
            "type": "tool_result",
            "tool_use_id": inner.get("toolCallId"),
            "content": inner.get("content"),
            "is_error": inner.get("isError"),
        }
        return self.out.parts({"content": [result]})

    def close(self) -> None:
        """Mark what stands on no branch, and name what each message follows."""
        stands = self.tree.branch()
        at = dict(zip(self.names, self.out.messages, strict=True))
        above: dict[str, str] = {}
        for name, parent in self.tree.parents.items():
            above[name] = parent if parent in at else above.get(parent, parent)
        self.out.messages = [
            replace(
                message,
                active=name in stands,
                parent=at[above[name]].id if above[name] in at else above[name],
            )
            for name, message in zip(self.names, self.out.messages, strict=True)
        ]


def _place(written: Any) -> str:
    return written if isinstance(written, str) else ""


FORMAT = Format("pi or OpenClaw session", is_session, parse, beside=keyed)
INDEX = Format("OpenClaw session index", is_index, lambda _found, source, _session: Draft(source))
TRACE = Format(
    "OpenClaw trace",
    lambda item: isinstance(item, dict) and item.get("traceSchema") == "openclaw-trajectory",
    why="which repeats what its session's own file holds",
)
