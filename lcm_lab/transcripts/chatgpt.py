"""ChatGPT data exports: ``conversations.json``, each conversation a tree of nodes in ``mapping``.

The active branch runs from ``current_node`` up to the root; an answer that was made anew, or a
question that was written over, is kept and not active. What the assistant sends to a tool is a
call, what a tool says is its result. Nodes without content (the root, hidden system messages) are
skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lcm_lab.transcripts import plain
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.branches import path
from lcm_lab.transcripts.draft import Draft, Format, text_of
from lcm_lab.transcripts.listed import Talk, add_session, each

__all__ = ["FORMAT", "is_chatgpt"]

IDS = ("conversation_id", "id")


def is_chatgpt(item: Any) -> bool:
    """Tell whether a value is a conversation of an export, or a list of them."""
    if isinstance(item, list):
        return bool(item) and isinstance(item[0], dict) and is_chatgpt(item[0])
    return isinstance(item, dict) and isinstance(item.get("mapping"), dict)


def _parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for talk in each(found, out, session, IDS):
        if is_chatgpt(talk.record):
            add_session(out, talk, "ChatGPT")
            _talk(out, talk)
        else:
            out.skipped.append(Skipped(source, talk.line, "not a conversation: no mapping"))
    return out


def _talk(out: Draft, talk: Talk) -> None:
    nodes = {name: one for name, one in talk.record["mapping"].items() if isinstance(one, dict)}
    parents = {name: _above(nodes, name) for name in nodes}
    active = set(path(parents, text_of(talk.record, "current_node")))
    calls: dict[str, str] = {}
    for name in _in_order(nodes):
        message = nodes[name].get("message")
        if not isinstance(message, dict):
            out.skipped.append(Skipped(out.source, talk.line, "not a message: empty node"))
            continue
        record = _record(name, message, parents[name], calls)
        plain.add(out, record, talk.line, talk.session, active=not active or name in active)


def _in_order(nodes: dict[str, Any]) -> list[str]:
    """Give the nodes from each root downwards, branch after branch; then what hangs on nothing."""
    roots = [name for name in nodes if _above(nodes, name) not in nodes]
    ordered: dict[str, None] = {}
    left = roots[::-1]
    while left:
        name = left.pop()
        if name in ordered:
            continue
        ordered[name] = None
        below = nodes[name].get("children")
        listed = below if isinstance(below, list) else []
        left += [one for one in reversed(listed) if isinstance(one, str) and one in nodes]
    return [*ordered, *(name for name in nodes if name not in ordered)]


def _above(nodes: dict[str, Any], name: str) -> str:
    above = nodes[name].get("parent")
    return above if isinstance(above, str) else ""


def _record(
    name: str, message: dict[str, Any], parent: str, calls: dict[str, str]
) -> dict[str, Any]:
    """Give a node as a record; a tool answers the node above it."""
    author = message.get("author")
    who = author if isinstance(author, dict) else {}
    role, to = text_of(who, "role"), text_of(message, "recipient")
    said = list(_blocks(message.get("content")))
    if role == "assistant" and to not in ("", "all", "assistant"):
        text = "\n".join(str(block.get("text", "")) for block in said)
        said = [{"type": "tool_use", "name": to, "input": text, "id": name}]
        calls[name] = name
    elif role == "tool":
        call = calls.get(parent, parent)
        calls[name] = call
        said = [{"type": "tool_result", "content": said, "tool_use_id": call}]
    time = message.get("create_time")
    return {"role": role, "content": said, "time": time, "id": name, "parent": parent}


def _blocks(content: Any) -> Iterator[dict[str, Any]]:
    """Give blocks of a node's content, by its content type."""
    if not isinstance(content, dict):
        return
    kind = text_of(content, "content_type")
    for thought in _listed(content.get("thoughts")):
        if isinstance(thought, dict):
            words = (text_of(thought, name) for name in ("summary", "content"))
            yield {"type": "thinking", "thinking": "\n".join(filter(None, words))}
    for name in ("user_profile", "user_instructions", "title", "text", "result", "content"):
        if isinstance(content.get(name), str):
            reasoned = kind == "reasoning_recap"
            yield {"type": "thinking" if reasoned else "text", "text": content[name]}
    for part in _listed(content.get("parts")):
        yield from _part(part)


def _part(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, str):
        yield {"type": "text", "text": part}
    elif isinstance(part, dict) and isinstance(part.get("text"), str):
        yield {"type": "text", "text": part["text"]}
    elif isinstance(part, dict):
        kind = text_of(part, "content_type")
        shown = "image" if kind.startswith("image") else "file"
        yield {"type": shown, "name": text_of(part, "asset_pointer"), "media_type": kind}


def _listed(items: Any) -> list[Any]:
    return items if isinstance(items, list) else []


FORMAT = Format("ChatGPT export", is_chatgpt, _parse)
