"""The parts of a lossless-claw message (spec/lcm.md 1.1 and 1.4) as ours.

A part is one of twelve types; the block that it was made of lies in its metadata. Tool calls and
results are of one type there, told apart by that block.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lcm_lab.messages import Kind, Part
from lcm_lab.shown import one_line
from lcm_lab.text import clean
from lcm_lab.transcripts.blocks import call_text, parts_of

__all__ = ["COLUMNS", "parts"]

COLUMNS = (
    *("part_type", "text_content", "tool_call_id", "tool_name", "tool_status", "tool_input"),
    *("tool_output", "tool_error", "tool_title", "patch_hash", "patch_files", "file_mime"),
    *("file_name", "file_url", "subtask_prompt", "subtask_desc", "subtask_agent", "step_reason"),
    *("snapshot_hash", "metadata"),
)
#: What blocks are called that are answers of a tool.
RESULTS = {"tool_result", "toolResult", "tool_use_result", "function_call_output"}

Row = Mapping[str, Any]


def parts(rows: list[Row], role: str, content: str) -> tuple[Part, ...]:
    """Give the parts of a message.

    Parameters
    ----------
    rows : list of mapping
        Of ``message_parts``, in order, by `COLUMNS`.
    role, content : str
        Of the message. Where its parts hold no text that a reader sees, its content does.
    """
    found = [part for row in rows for part in READ.get(str(row["part_type"]), _other)(row, role)]
    if content.strip() and not any(part.text.strip() for part in found):
        found.append(Part("tool_result" if role == "tool" else "text", clean(content)))
    return tuple(found)


def _said(row: Row, role: str) -> Iterator[Part]:
    text = _text(row["text_content"])
    if not text.strip():
        return
    facts = _facts(row)
    if role == "tool" or str(facts.get("originalRole")) in ("tool", "toolResult"):
        yield _result(row, facts, text)
    else:
        yield Part("text", text)


def _thought(row: Row, role: str) -> Iterator[Part]:
    del role
    facts = _facts(row)
    raw = _raw(facts)
    text = row["text_content"] or raw.get("thinking") or raw.get("text")
    text = text or facts.get("topLevelReasoningContent")
    if _text(text).strip():
        yield Part("reasoning", _text(text))


def _tool(row: Row, role: str) -> Iterator[Part]:
    """Give the call, the result, or both, as one row holds them for other hosts."""
    facts = _facts(row)
    raw = _raw(facts)
    kind = str(facts.get("rawType") or raw.get("type") or "")
    output = next(filter(None, _outputs(row, raw)), "")
    answers = kind in RESULTS or (role == "tool" and row["tool_input"] is None)
    if not answers:
        name = clean(str(row["tool_name"] or raw.get("name") or "unknown"))
        # Some hosts write the arguments as JSON in a string, which is then JSON twice.
        text = call_text(name, _read(_read(row["tool_input"])))
        yield Part("tool_call", text, name=name, call=_text(row["tool_call_id"]))
    if answers or output:
        yield _result(row, facts, output)


def _outputs(row: Row, raw: Mapping[str, Any]) -> Iterator[str]:
    yield _answer(row["tool_error"])
    yield _answer(row["tool_output"])
    for key in ("output", "content", "result"):
        yield _plain(raw.get(key))
    yield _text(row["text_content"])


def _answer(written: Any) -> str:
    """Give what a column holds of an answer: text, or blocks, as JSON; else it is the text."""
    read = _read(written)
    if isinstance(read, str):
        return _text(read)
    said = _said_in(read)
    return said if said else _text(written)


def _result(row: Row, facts: Mapping[str, Any], text: str) -> Part:
    raw = _raw(facts)
    told = (facts.get("isError"), raw.get("is_error"), raw.get("isError"))
    failed = True in told or bool(row["tool_error"]) or row["tool_status"] == "error"
    name = _text(row["tool_name"] or facts.get("toolName"))
    call = _text(row["tool_call_id"] or facts.get("toolCallId"))
    return Part("tool_result", text, name=name, call=call, error=failed)


def _patch(row: Row, role: str) -> Iterator[Part]:
    del role
    names = _read(row["patch_files"])
    listed = map(str, names) if isinstance(names, list) else [_plain(names)]
    text = "\n".join([f"patch {_text(row['patch_hash'])}".strip(), *listed])
    yield Part("tool_result", clean(text).strip(), name="patch")


def _file(row: Row, role: str) -> Iterator[Part]:
    del role
    facts = _facts(row)
    raw = _raw(facts)
    mime = _text(row["file_mime"] or raw.get("mimeType") or raw.get("media_type"))
    kind: Kind = "image" if mime.startswith("image/") or raw.get("type") == "image" else "file"
    named = (row["file_name"], mime, row["file_url"] if not _is_data(row["file_url"]) else "")
    told = ", ".join(one_line(_text(one)) for one in named if one) or "unknown"
    yield Part(kind, f"[{kind}: {told}]")
    if _text(row["text_content"]).strip():
        yield Part("text", _text(row["text_content"]))


def _subtask(row: Row, role: str) -> Iterator[Part]:
    del role
    name = _text(row["subtask_agent"]) or "subtask"
    given = {"description": row["subtask_desc"], "prompt": row["subtask_prompt"]}
    yield Part("tool_call", call_text(name, {k: v for k, v in given.items() if v}), name=name)


def _summary(row: Row, role: str) -> Iterator[Part]:
    del role
    if _text(row["text_content"]).strip():
        yield Part("summary", _text(row["text_content"]))
    else:
        yield from _other(row, "")


def _other(row: Row, role: str) -> Iterator[Part]:
    """Give what has no text of its own whole, and text, if any, as what it is in the original."""
    raw = _raw(_facts(row))
    known = [part for part in parts_of({"content": [raw]}) if part.kind != "unknown"] if raw else []
    if known:
        yield from known
    elif _text(row["text_content"]).strip():
        yield from _said(row, role)
    else:
        kept = {name: row[name] for name in COLUMNS if row[name] is not None}
        yield Part("unknown", "", name=str(row["part_type"]), raw=clean(json.dumps(kept)))


READ: dict[str, Callable[[Row, str], Iterator[Part]]] = {
    "text": _said,
    "reasoning": _thought,
    "tool": _tool,
    "patch": _patch,
    "file": _file,
    "subtask": _subtask,
    "compaction": _summary,
}


def _facts(row: Row) -> Mapping[str, Any]:
    found = _read(row["metadata"])
    return found if isinstance(found, dict) else {}


def _raw(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    raw = facts.get("raw")
    return raw if isinstance(raw, dict) else {}


def _read(value: Any) -> Any:
    """Give what a column holds as JSON; text that is none as it stands."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _plain(value: Any) -> str:
    """Give a tool's answer as text: blocks by what they say, other data as JSON."""
    if value is None or isinstance(value, str):
        return _text(value)
    return _said_in(value) or clean(json.dumps(value, ensure_ascii=False))


def _said_in(value: Any) -> str:
    listed = value if isinstance(value, list) else [value]
    blocks = [one for one in listed if isinstance(one, dict)]
    return "\n".join(part.text for part in parts_of({"content": blocks}) if part.text)


def _text(value: Any) -> str:
    return clean(value) if isinstance(value, str) else "" if value is None else clean(str(value))


def _is_data(url: Any) -> bool:
    return isinstance(url, str) and url.startswith("data:")
