"""Gemini CLI: session files (``projectHash`` and ``messages``), and contents as its API has them.

A record of a session holds what the model thought and said, its calls and what they returned. A
newer session file is a line a record: what the file is about, messages, and changes to the first
(``$set``); ``$rewindTo`` takes the conversation back to before a message. Contents are a list of
``{"role": ..., "parts": [...]}``, as ``/chat save`` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from lcm_lab.messages import Session
from lcm_lab.transcripts import plain
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.draft import Draft, Format, text_of

__all__ = ["CONTENTS", "FORMAT", "is_contents", "is_gemini"]

AGENT = "Gemini CLI"
#: What a record is, as the role of its message; notices of the program are the system's.
ROLES = {
    "user": "user",
    "gemini": "assistant",
    "info": "system",
    "warning": "system",
    "error": "system",
}
FAILED = ("error", "cancelled")


def is_gemini(item: Any) -> bool:
    """Tell whether a value is a session, the head of one, or a record of one."""
    if not isinstance(item, dict):
        return False
    head = "projectHash" in item and "sessionId" in item
    return head or "$rewindTo" in item or (item.get("type") == "gemini" and "content" in item)


def is_contents(item: Any) -> bool:
    """Tell whether a value is a content of the API (a role and parts), or a list of such."""
    if isinstance(item, list):
        return bool(item) and isinstance(item[0], dict) and is_contents(item[0])
    if not isinstance(item, dict):
        return False
    parts = item.get("parts")
    return item.get("role") in ("user", "model") and isinstance(parts, list)


def _session(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for line, record in _records(found):
        if not isinstance(record, dict):
            out.skipped.append(Skipped(source, line, "not an object"))
        elif "sessionId" in record and "type" not in record:
            session = text_of(record, "sessionId") or session
            title = text_of(record, "summary")
            out.sessions[session] = Session(session, title=title, agent=AGENT, source=source)
        elif "$rewindTo" in record:
            _rewind(out, text_of(record, "$rewindTo"))
        else:
            _message(out, record, line, session)
    return out


def _records(found: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Go through heads and messages; the messages of a session in one object follow its head."""
    for line, item in found:
        yield line, item
        inner = item.get("messages") if isinstance(item, dict) else None
        yield from ((line, one) for one in (inner if isinstance(inner, list) else ()))


def _message(out: Draft, record: dict[str, Any], line: int, session: str) -> None:
    role = ROLES.get(text_of(record, "type"))
    if role is None:
        kind = text_of(record, "type") or ", ".join(list(record)[:3])
        out.skipped.append(Skipped(out.source, line, f"not a message: {kind}"))
        return
    blocks = [*_thoughts(record), *_said(record.get("content")), *_calls(record)]
    spoken = {"role": role, "content": blocks, "time": record.get("timestamp")}
    plain.add(out, {**spoken, "id": record.get("id")}, line, session)


def _thoughts(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for thought in _dicts(record.get("thoughts")):
        words = (text_of(thought, name) for name in ("subject", "description"))
        yield {"type": "thinking", "thinking": "\n".join(filter(None, words))}


def _said(content: Any) -> list[dict[str, Any]]:
    """Give blocks of content: text, one part or several."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for part in _dicts(content) for block in _part(part)]


def _part(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a part of the API as a block."""
    call, answer = part.get("functionCall"), part.get("functionResponse")
    data = part.get("inlineData") or part.get("fileData")
    if isinstance(call, dict):
        yield _called(call.get("name"), call.get("args"), call.get("id") or call.get("name"))
    elif isinstance(answer, dict):
        yield _returned(_output(answer), answer.get("id") or answer.get("name"))
    elif isinstance(data, dict):
        kind = "image" if text_of(data, "mimeType").startswith("image/") else "file"
        yield {"type": kind, "source": data}
    elif "text" in part:
        name = "thinking" if part.get("thought") is True else "text"
        yield {"type": name, name: part["text"]}
    else:
        yield {"type": next(iter(part), "empty part"), **part}


def _calls(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for call in _dicts(record.get("toolCalls")):
        yield _called(call.get("name"), call.get("args"), call.get("id"))
        failed = call.get("status") in FAILED
        for result in call["result"] if isinstance(call.get("result"), list) else ():
            answer = result.get("functionResponse") if isinstance(result, dict) else None
            text = _output(answer) if isinstance(answer, dict) else result
            yield _returned(text, call.get("id"), failed=failed)


def _called(name: Any, given: Any, call: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": given, "id": call}


def _returned(text: Any, call: Any, *, failed: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "content": text, "tool_use_id": call, "is_error": failed}


def _output(answer: dict[str, Any]) -> Any:
    """Give what a tool returned: its output or its error, else all of it as JSON."""
    response = answer.get("response")
    if not isinstance(response, dict):
        return response
    return next((response[name] for name in ("output", "error") if name in response), response)


def _dicts(items: Any) -> Iterator[dict[str, Any]]:
    listed = items if isinstance(items, list) else [items]
    return (one for one in listed if isinstance(one, dict))


def _rewind(out: Draft, to: str) -> None:
    """Leave behind a message and what follows it."""
    at = next((i for i, one in enumerate(out.messages) if one.id == to), len(out.messages))
    out.messages[at:] = [replace(one, active=False) for one in out.messages[at:]]


def _contents(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for line, item in found:
        for record in item if isinstance(item, list) else [item]:
            if not isinstance(record, dict) or not isinstance(record.get("parts"), list):
                out.skipped.append(Skipped(source, line, "not a message: no parts"))
                continue
            spoken = {"role": record.get("role"), "content": _said(record["parts"])}
            plain.add(out, spoken, line, session)
    return out


FORMAT = Format("Gemini session", is_gemini, _session)
CONTENTS = Format("Gemini contents", is_contents, _contents)
