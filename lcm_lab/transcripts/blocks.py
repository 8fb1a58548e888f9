"""Content blocks, in the form that agents share, made into parts with readable text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from lcm_lab.messages import Kind, Part
from lcm_lab.shown import unstyled
from lcm_lab.text import clean

__all__ = ["call_part", "call_text", "parsed", "parts_of", "result_parts", "shown"]

#: Inline data, which is never words: a data URI of more than a few characters.
DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/=_-]{64,})")


def parts_of(message: dict[str, Any]) -> list[Part]:
    """Give the parts of a message: its content, and a tool's input and output beside it.

    Content may be text, a list of blocks, one block, or nothing; what is none of these is shown as
    JSON, so that nothing is lost.
    """
    content = message.get("content", message.get("text"))
    listed = content if isinstance(content, list) else [content]
    try:
        parts = [part for block in listed for part in _block(block)]
    except RecursionError:
        parts = [Part("unknown", "", name="nested too deeply", raw=clean(shown(content)))]
    if message.get("role") == "tool" and parts:
        call = str(message.get("tool_call_id") or "")
        parts = [Part("tool_result", p.text, call=call) if p.kind == "text" else p for p in parts]
    return parts + list(_calls(message)) + list(_beside(message))


def _block(block: Any) -> Iterator[Part]:
    if not isinstance(block, dict):
        yield from _worded("text", block if block is None else shown(block))
        return
    kind = str(block.get("type") or "no type")
    read = BLOCKS.get(kind)
    if read is not None:
        yield from read(block)
    elif kind.endswith("tool_result"):
        yield from _returned(block)
    else:
        yield Part("unknown", "", name=clean(kind), raw=clean(shown(block)))


def _said(block: dict[str, Any]) -> Iterator[Part]:
    return _worded("text", block.get("text"))


def _refused(block: dict[str, Any]) -> Iterator[Part]:
    return _worded("text", block.get("refusal"))


def _thought(block: dict[str, Any]) -> Iterator[Part]:
    return _worded("reasoning", block.get("thinking") or block.get("text"))


def _called(block: dict[str, Any]) -> Iterator[Part]:
    given = block["input"] if "input" in block else parsed(block.get("arguments"))
    yield call_part(block.get("name"), given, block.get("id"))


def _returned(block: dict[str, Any]) -> Iterator[Part]:
    return result_parts(
        block.get("content"), block.get("tool_use_id"), error=block.get("is_error") is True
    )


def _found(block: dict[str, Any]) -> Iterator[Part]:
    """Read what a search gave: where it is and what it is called; its text is often sealed."""
    named = (block.get(key) for key in ("title", "url", "source", "tool_name"))
    yield from _worded("text", "\n".join(one for one in named if isinstance(one, str)))
    inner = block.get("content")
    yield from (part for one in inner for part in _block(one)) if isinstance(inner, list) else ()


def _placed(block: dict[str, Any]) -> Iterator[Part]:
    source = block.get("source")
    inner = source if isinstance(source, dict) else block
    media = str(inner.get("media_type") or inner.get("mimeType") or inner.get("type") or "unknown")
    name = next((str(block[key]) for key in ("title", "name", "filename") if block.get(key)), "")
    data = inner.get("data")
    size = _size(len(data) * 3 // 4) if isinstance(data, str) else ""
    kind: Kind = "image" if block["type"] == "image" else "file"
    shown = ", ".join(part for part in (name, media, size) if part)
    yield Part(kind, clean(f"[{kind}: {shown}]"))


def _pictured(block: dict[str, Any]) -> Iterator[Part]:
    """Read an image given by its address, which is most often the image itself."""
    where = block.get("image_url")
    where = where.get("url") if isinstance(where, dict) else where
    text = _readable(where) if isinstance(where, str) and where else "unknown"
    yield Part("image", f"[image: {text[len('[data: ') : -1] if text[:6] == '[data:' else text}]")


def _sealed(_block: dict[str, Any]) -> Iterator[Part]:
    """Give nothing for reasoning that only its provider can read."""
    return iter(())


BLOCKS: dict[str, Callable[[dict[str, Any]], Iterator[Part]]] = {
    "text": _said,
    "input_text": _said,
    "output_text": _said,
    "refusal": _refused,
    "thinking": _thought,
    "reasoning": _thought,
    "redacted_thinking": _sealed,
    "tool_use": _called,
    "server_tool_use": _called,
    "mcp_tool_use": _called,
    "toolCall": _called,
    "tool_reference": _found,
    "web_search_result": _found,
    "search_result": _found,
    "input_image": _pictured,
    "image_url": _pictured,
    "image": _placed,
    "document": _placed,
    "file": _placed,
}


def _worded(kind: Kind, text: Any) -> Iterator[Part]:
    words = shown(text)
    if words.strip():
        yield Part(kind, _readable(words))


def call_part(name: Any, given: Any, call: Any) -> Part:
    """Give the part of a tool call: its name, what it was given, and its id."""
    tool = clean(str(name or "unknown"))
    return Part("tool_call", call_text(tool, given), name=tool, call=clean(str(call or "")))


def call_text(tool: str, given: Any) -> str:
    """Write a tool call as text: the tool's name, then a line an argument.

    Examples
    --------
    >>> print(call_text("Bash", {"command": "ls -la", "timeout": 5}))
    Bash
    command: ls -la
    timeout: 5
    """
    if not isinstance(given, dict):
        return _readable(f"{tool}\n{shown(given)}".rstrip())
    return _readable("\n".join([tool, *(f"{name}: {shown(item)}" for name, item in given.items())]))


def shown(item: Any) -> str:
    """Give text as it is, and anything else as JSON; "" for nothing."""
    if item is None:
        return ""
    try:
        return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
    except RecursionError:
        return "[nested too deeply]"


def result_parts(content: Any, call: Any, *, error: bool = False) -> Iterator[Part]:
    """Give the part of a tool's result: text, or blocks; what is unknown in them stays beside."""
    listed = content if isinstance(content, list) else [content]
    inner = [part for block in listed for part in _returned_block(block, content)]
    text = "\n".join(part.text for part in inner if part.text)
    yield Part("tool_result", text, call=clean(str(call or "")), error=error)
    yield from (part for part in inner if part.kind == "unknown")


def _returned_block(block: Any, content: Any) -> Iterator[Part]:
    """Read a block of a result; what is no block is the tool's own JSON, and its text."""
    kind = block.get("type") if isinstance(block, dict) else None
    is_block = isinstance(kind, str) and (kind in BLOCKS or isinstance(content, list))
    yield from _block(block if is_block or block is None else shown(block))


def _calls(message: dict[str, Any]) -> Iterator[Part]:
    """Read calls written beside the content, as chat APIs do."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        inner = call.get("function") if isinstance(call, dict) else None
        if isinstance(inner, dict):
            yield call_part(inner.get("name"), parsed(inner.get("arguments")), call.get("id"))


def _beside(message: dict[str, Any]) -> Iterator[Part]:
    """Read a tool's name, input and output written as fields of the message."""
    if message.get("tool_name"):
        yield call_part(
            message["tool_name"], message.get("tool_input"), message.get("tool_call_id")
        )
    if message.get("tool_output"):
        yield from result_parts(message["tool_output"], message.get("tool_call_id"))


def parsed(arguments: Any) -> Any:
    """Read arguments written as JSON; what is none stays as it is."""
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (RecursionError, ValueError):
        return arguments


def _readable(text: str) -> str:
    """Give text as it is read and searched: no inline data, no colours, storable."""
    plain = unstyled(text) if "\x1b" in text else text
    return clean(DATA_URI.sub(_named_data, plain) if "base64," in plain else plain)


def _named_data(found: re.Match[str]) -> str:
    return f"[data: {found[1] or 'unknown'}, {_size(len(found[2]) * 3 // 4)}]"


def _size(count: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if count < 1000 or unit == "MB":
            break
        count = round(count / 1000)
    return f"{count:,} {unit}"
