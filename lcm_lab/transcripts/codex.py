"""Codex rollouts: what was said, as the API has it, among events and settings.

Two shapes: ``{"timestamp", "type", "payload"}`` a line, and the older one of bare items after a
line that begins the session, whose only time is the session's. A message stands there twice, as an
item of the conversation and as an event for the screen; the first of the two is read, so that a
file that grows keeps its ids. What the program tells the model in the user's name (environment,
instructions) has the role system. Turns that were rolled back stay, and are no longer active.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate
from typing import Any

from lcm_lab.messages import Message, Part
from lcm_lab.transcripts.base import REPEATED
from lcm_lab.transcripts.codex_items import ITEMS, NO_ITEMS, OUTPUTS, role_of, said_in
from lcm_lab.transcripts.codex_twins import Twins
from lcm_lab.transcripts.draft import Draft, Format, text_of

__all__ = ["FORMAT", "is_codex", "parse"]

WRAPPED = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
BLOCKS = ("input_text", "output_text", "input_image")
SPEAKS = {"user_message": "user", "agent_message": "assistant"}
SETTING_TIME = "time of the session's start, given to its messages"
ORPHAN = "tool result without its call, kept"


def is_codex(item: Any) -> bool:
    """Tell whether a record is a line of a rollout, or one of the older kind in a whole."""
    if not isinstance(item, dict):
        return False
    kind = item.get("type")
    if isinstance(item.get("payload"), dict):
        return kind in WRAPPED
    if kind == "message":
        content = item.get("content")
        blocks = content if isinstance(content, list) else []
        return any(isinstance(one, dict) and one.get("type") in BLOCKS for one in blocks)
    if kind is None:
        return _is_whole(item) or _is_head(item) or item.get("record_type") == "state"
    return (
        isinstance(kind, str)
        and kind in ITEMS
        and ("call_id" in item or "summary" in item or "action" in item)
    )


def _is_head(item: dict[str, Any]) -> bool:
    return "id" in item and "timestamp" in item and ("instructions" in item or "git" in item)


def _is_whole(item: dict[str, Any]) -> bool:
    return isinstance(item.get("session"), dict) and isinstance(item.get("items"), list)


def parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    """Read the records of one rollout; ``session`` is its session where it names none."""
    rollout = _Rollout(source, session)
    for line, record in found:
        rollout.take(line, record)
    rollout.close()
    return rollout.out


class _Rollout:
    def __init__(self, source: str, session: str) -> None:
        self.out = Draft(source)
        self.session = session
        self.named = self.sidechain = False
        self.began: Any = None
        self.calls: set[str] = set()
        self.turns: list[int] = []
        self.left: list[tuple[int, int]] = []
        self.twins = Twins()

    def take(self, line: int, record: Any) -> None:
        """Read one record."""
        if not isinstance(record, dict):
            self.out.skip(line, "not an object")
            return
        payload = record.get("payload")
        kind = text_of(record, "type")
        if kind in WRAPPED and isinstance(payload, dict):
            self._wrapped(line, kind, payload, record.get("timestamp"))
        elif _is_whole(record):
            self._begin(record["session"])
            for item in record["items"]:
                self.take(line, item)
        elif not kind and _is_head(record):
            self._begin(record)
            self.out.skip(line, "not a message: session")
        elif kind:
            self._item(line, record, record.get("timestamp"))
        else:
            self.out.skip(line, f"not a message: {text_of(record, 'record_type') or 'no type'}")

    def _wrapped(self, line: int, kind: str, payload: dict[str, Any], time: Any) -> None:
        if kind == "response_item":
            self._item(line, payload, time)
        elif kind == "event_msg":
            self._event(line, payload, time)
        elif kind == "compacted":
            text = text_of(payload, "message")
            parts = (Part("summary", text),) if text.strip() else ()
            self._add(line, "system", parts, time)
        else:
            if kind == "session_meta":
                self._begin(payload)
            self.out.tell(self.session, cwd=text_of(payload, "cwd"))
            self.out.skip(line, f"not a message: {kind}")

    def _begin(self, meta: dict[str, Any]) -> None:
        """Take in what the first record says of the session; later ones are of what it copied."""
        if self.named:
            return
        self.named = True
        self.session = text_of(meta, "id") or self.session
        self.began = meta.get("timestamp")
        spawned, git = _within(meta, "source", "subagent"), meta.get("git")
        self.sidechain = bool(spawned)
        thread = _within(meta, "source", "subagent", "thread_spawn", "parent_thread_id")
        version = text_of(meta, "cli_version")
        self.out.tell(
            self.session,
            cwd=text_of(meta, "cwd"),
            branch=text_of(git, "branch") if isinstance(git, dict) else "",
            agent=f"Codex {version}".strip(),
            parent=text_of(meta, "forked_from_id")
            or text_of(meta, "parent_thread_id")
            or (thread if isinstance(thread, str) else ""),
        )

    def _item(self, line: int, item: dict[str, Any], time: Any) -> None:
        kind = text_of(item, "type")
        if kind in NO_ITEMS:
            self.out.skip(line, f"not a message: {kind}")
            return
        parts = said_in(item)
        role = role_of(item, parts)
        if kind == "message" and self.twins.item(role, parts):
            self.out.skip(line, REPEATED)
            return
        for part in parts:
            self._pair(part, is_output=kind in OUTPUTS)
        if kind == "reasoning" and not parts:
            self.out.skip(line, "reasoning that only its provider can read")
        else:
            self._add(line, role, parts, time)

    def _pair(self, part: Part, *, is_output: bool) -> None:
        if part.kind == "tool_call":
            self.calls.add(part.call)
        elif part.kind == "unknown":
            self.out.note(f"unknown block: {part.name}")
        elif is_output and part.call not in self.calls:
            self.out.note(ORPHAN)

    def _event(self, line: int, event: dict[str, Any], time: Any) -> None:
        kind = text_of(event, "type")
        if kind in SPEAKS:
            parts = said_in({"type": "message", "content": event.get("message")})
            role = role_of({"type": "message", "role": SPEAKS[kind]}, parts)
            if self.twins.event(role, parts):
                self.out.skip(line, REPEATED)
            else:
                self._add(line, role, parts, time)
            return
        if kind == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))
        self.out.skip(line, f"not a message: {kind or 'nothing'} in event_msg")

    def _roll_back(self, turns: Any) -> None:
        count = turns if isinstance(turns, int) and turns > 0 else 0
        if count and self.turns:
            self.left.append((self.turns[-count:][0], len(self.out.messages)))
            del self.turns[-count:]

    def close(self) -> None:
        """Mark what was rolled back."""
        messages = self.out.messages
        edges = [0] * (len(messages) + 1)
        for first, end in self.left:
            edges[first] += 1
            edges[end] -= 1
        for at, depth in enumerate(accumulate(edges[:-1])):
            if depth:
                messages[at] = replace(messages[at], active=False)

    def _add(self, line: int, role: str, parts: tuple[Part, ...], written: Any) -> None:
        if not parts:
            self.out.skip(line, "no content")
            return
        if role == "user":
            self.turns.append(len(self.out.messages))
        if not written and self.began:
            written = self.began
            self.out.note(SETTING_TIME)
        time, stamp = self.out.time(written)
        self.out.messages.append(
            Message(
                id="",
                session=self.session,
                role=role,
                parts=parts,
                time=time,
                stamp=stamp,
                sidechain=self.sidechain,
                source=self.out.source,
                line=line,
            )
        )


def _within(record: Any, *names: str) -> Any:
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record


FORMAT = Format("Codex rollout", is_codex, parse)
