"""Exchanges as episodic-memory 1.4.0 cuts them out of a transcript, faults included.

Spec: sessions_and_episodic A2 and A3. `lcm_lab.agent.episodic.exchanges` has the corrected view.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.errors import LcmError
from lcm_lab.times import instant

__all__ = ["BLANK", "blank", "is_codex", "parsed", "records"]

#: White space as JavaScript has it.
BLANK = "[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
CODEX = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
CALLS = ("function_call", "custom_tool_call", "tool_search_call", "local_shell_call")


@dataclass
class _Open:
    """An exchange that is not closed yet."""

    user: str
    start: int
    end: int
    told: dict[str, Any]
    answers: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)


def parsed(text: str, path: str, project: str, now: str = "") -> Iterator[Exchange]:
    """Cut a transcript into exchanges.

    Parameters
    ----------
    text : str
        Of the file.
    path, project : str
        Of the archive; the path is part of each id.
    now : str
        The time of what has none.
    """
    found = list(records(text))
    first = next((record for _, record in found), None)
    cutter = _Codex(path, project, now) if is_codex(first) else _Claude(path, project, now)
    for line, record in found:
        if isinstance(record, dict):
            yield from cutter.take(line, record)
    yield from cutter.close()


def is_codex(record: Any) -> bool:
    """Tell whether the first record of a file makes it one of Codex."""
    return isinstance(record, dict) and bool(record.get("payload")) and record.get("type") in CODEX


def records(text: str) -> Iterator[tuple[int, Any]]:
    """Give the lines that are JSON, with their numbers among all lines."""
    for line, written in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        if not blank(written):
            try:
                yield line, json.loads(written)
            except (ValueError, RecursionError):
                continue


def blank(text: str) -> bool:
    """Tell whether a text is white space alone, to JavaScript."""
    return re.fullmatch(f"{BLANK}*", text) is not None


class _Cutter(ABC):
    def __init__(self, path: str, project: str, now: str) -> None:
        self.path, self.project, self.now = path, project, now
        self.open: _Open | None = None

    @abstractmethod
    def take(self, line: int, record: dict[str, Any]) -> Iterator[Exchange]:
        """Take in a record; gives the exchange that it closes."""

    def close(self) -> Iterator[Exchange]:
        """Give the open exchange, unless the assistant said nothing in it."""
        if self.open is not None and self.open.answers:
            yield self._made(self.open)
        self.open = None

    def _made(self, one: _Open) -> Exchange:
        told = {name: str(held) for name, held in one.told.items() if held}
        stamp = told.pop("timestamp", self.now)
        name = f"{self.path}:{one.start}-{one.end}"
        return Exchange(
            id=hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(),
            conversation=self.path,
            user=one.user,
            assistant="\n\n".join(one.answers),
            tools=tuple(one.tools),
            session=told.pop("sessionId", ""),
            project=self.project,
            branch=told.pop("gitBranch", ""),
            path=self.path,
            start=one.start,
            end=one.end,
            time=_time(stamp),
            stamp=stamp,
            sidechain=bool(told.pop("isSidechain", "")),
            told=tuple(told.items()),
        )


class _Claude(_Cutter):
    #: Fields that a later record of the assistant overwrites.
    LATER = ("sessionId", "cwd", "gitBranch", "version")

    def take(self, line: int, record: dict[str, Any]) -> Iterator[Exchange]:
        inner = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(inner, dict):
            return
        text, tools = _content(inner.get("content"))
        if blank(text) and not (tools and inner.get("role") == "assistant"):
            return
        if inner.get("role") == "user":
            yield from self.close()
            told = {name: record.get(name) for name in (*self.LATER, "parentUuid", "isSidechain")}
            told["timestamp"] = record.get("timestamp")
            told["claudeVersion"] = told.pop("version")
            self.open = _Open(text, line, line, told)
        elif inner.get("role") == "assistant" and self.open is not None:
            self._answered(self.open, line, record, text, tools)

    def _answered(
        self, one: _Open, line: int, record: dict[str, Any], text: str, tools: list[str]
    ) -> None:
        one.answers += [] if blank(text) else [text]
        one.end = line
        one.tools += tools
        one.told["timestamp"] = record.get("timestamp") or self.now
        for name in self.LATER:
            kept = "claudeVersion" if name == "version" else name
            one.told[kept] = record.get(name) or one.told.get(kept)
        one.told["model"] = record["message"].get("model") or one.told.get("model")


class _Codex(_Cutter):
    def __init__(self, path: str, project: str, now: str) -> None:
        super().__init__(path, project, now)
        self.state: dict[str, Any] = {}

    def take(self, line: int, record: dict[str, Any]) -> Iterator[Exchange]:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            return
        kind = record.get("type")
        if kind == "session_meta":
            git = payload.get("git")
            branch = git.get("branch") if isinstance(git, dict) else None
            self._tell(payload, {"sessionId": "id", "cwd": "cwd", "agentVersion": "cli_version"})
            self._tell({"branch": branch, **payload}, {"gitBranch": "branch"})
            self._tell(payload, {"modelProvider": "model_provider"})
        elif kind == "turn_context":
            self._tell(payload, {"cwd": "cwd", "model": "model"})
        elif kind == "response_item":
            yield from self._item(line, record, payload)

    def _tell(self, payload: dict[str, Any], names: dict[str, str]) -> None:
        said = {name: payload[held] for name, held in names.items() if payload.get(held)}
        self.state |= said
        if self.open is not None:
            self.open.told |= said
        if "cwd" in said:
            self.project = PurePosixPath(str(said["cwd"])).name or self.project

    def _item(
        self, line: int, record: dict[str, Any], payload: dict[str, Any]
    ) -> Iterator[Exchange]:
        kind, stamp = str(payload.get("type")), record.get("timestamp") or self.now
        if kind == "message" and payload.get("role") in ("user", "assistant"):
            text = _texts(payload.get("content"))
            if blank(text):
                return
            if payload["role"] == "user":
                yield from self.close()
                self.open = _Open(text, line, line, {**self.state, "timestamp": stamp})
            elif self.open is not None:
                self.open.answers.append(text)
                self._reach(self.open, line, stamp)
        elif self.open is not None and kind in CALLS:
            self.open.tools.append(payload.get("name") or payload.get("namespace") or kind)
            self._reach(self.open, line, stamp)
        elif self.open is not None and kind.removesuffix("_output") + "_call" in CALLS:
            self.open.end = line

    def _reach(self, one: _Open, line: int, stamp: str) -> None:
        one.end, one.told["timestamp"] = line, stamp


def _content(content: Any) -> tuple[str, list[str]]:
    if isinstance(content, str):
        return content, []
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    texts = [one["text"] for one in blocks if one.get("type") == "text" and one.get("text")]
    tools = [one.get("name") or "unknown" for one in blocks if one.get("type") == "tool_use"]
    return "\n".join(texts), tools


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    return "\n".join(one["text"] for one in blocks if isinstance(one.get("text"), str))


def _time(stamp: str) -> int | None:
    try:
        return instant(stamp) if stamp else None
    except LcmError:
        return None
