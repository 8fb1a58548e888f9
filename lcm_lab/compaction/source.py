"""What a summariser is given of a node: who said it and when, and the text without noise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lcm_lab.dag.nodes import Node, Summary
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message, Part
from lcm_lab.times import show

__all__ = ["SPAN", "sequence_or_refused", "speaker_of", "told"]

#: What memory plugins put before a user's words: of another time, and not said here.
INJECTED = re.compile(
    r"<(active_memory_plugin|relevant[-_]memories|hindsight_memories)\b[^>]*>.*?</\1>\s*", re.DOTALL
)
REASONING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>\s*", re.DOTALL)
DATA = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,[A-Za-z0-9+/=_-]+")
WHEN = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
#: What the header of a summary holds: its span, and how far above the messages it lies.
SPAN = rf"(?:{WHEN} - {WHEN}|summary)(?: \| depth (?P<depth>\d+))?"
HEADER = re.compile(rf"\[(?:{SPAN}|(?:{WHEN} \| )?(?P<who>[^\]\n|]*))\]\n")

#: Where a tool's answer holds its text, as JSON: lossless-claw's order of keys.
TEXTS = ("text", "transcript", "transcription", "message", "summary")
LISTS = ("segments", "utterances", "paragraphs", "alternatives", "words", "items", "results")
NESTED = ("content", "output", "result", "payload", "data", "value")
NESTING = 6


def told(node: Node) -> str:
    r"""Give what a summariser reads of a node: a header line, then its text; "" where it has none.

    The header of a message is ``[time | role]``, with the speaker where there is one; of a leaf
    ``[first - last]``, or ``[summary]``, and of what lies above it ``[first - last | depth 1]``.
    Reasoning, injected memories and inline data are left out, and the text of a tool's answer is
    taken out of its JSON.

    Examples
    --------
    >>> told(Message("m1", "s1", "user", (Part("text", "Postgres it is."),), 0))
    '[1970-01-01 00:00 UTC | user]\nPostgres it is.'
    """
    if isinstance(node, Summary):
        text = _clean(node.text)
        return f"[{' | '.join(_heading(node))}]\n{text}" if text else ""
    text = "\n".join(filter(None, map(_part, node.parts)))
    return f"[{' | '.join(filter(None, _header(node)))}]\n{text}" if text else ""


def sequence_or_refused(texts: object) -> None:
    """Refuse one text where several are wanted: its characters would be taken for texts.

    Raises
    ------
    BadParameter
    """
    if isinstance(texts, str):
        raise BadParameter(f"A summariser takes a list of texts: [text]. Got {texts!r:.80}.")


def speaker_of(text: str) -> tuple[str, str]:
    """Part what `told` gave into who speaks, "" for a summary, and the text."""
    found = HEADER.match(text)
    if found is None:
        return "", text
    return (found["who"] or "").split(", ")[-1], text[found.end() :]


def _header(message: Message) -> Iterator[str]:
    yield _minute(message.time)
    yield f"{message.role}, {message.speaker}" if message.speaker else message.role or "message"


def _heading(summary: Summary) -> Iterator[str]:
    dated = summary.first is not None
    yield f"{_minute(summary.first)} - {_minute(summary.last)}" if dated else "summary"
    if summary.depth:
        yield f"depth {summary.depth}"


def _minute(time: int | None) -> str:
    return f"{show(time)[:16].replace('T', ' ')} UTC" if time is not None else ""


def _part(part: Part) -> str:
    if part.kind == "reasoning":
        return ""
    if part.kind == "tool_result":
        return _clean(_unwrapped(part.text))
    return _clean(part.text)


def _clean(text: str) -> str:
    if "<" in text:
        text = REASONING.sub("", INJECTED.sub("", text))
    if ";base64," in text:
        text = DATA.sub("[data]", text)
    return text.strip()


def _unwrapped(text: str) -> str:
    """Take the text out of a tool's answer in JSON, where it holds one; else give it as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        found = "\n".join(_texts(json.loads(text), 0))
    except (ValueError, RecursionError):
        return text
    return found or text


def _texts(item: Any, depth: int) -> Iterator[str]:
    if isinstance(item, str):
        yield from [item] if item.strip() and depth else []
    elif isinstance(item, list) and depth < NESTING:
        for one in item:
            yield from _texts(one, depth + 1)
    elif isinstance(item, dict) and depth < NESTING:
        said = [item[key] for key in TEXTS if isinstance(item.get(key), str) and item[key].strip()]
        if said:
            yield said[0]
            return
        for key in (*LISTS, *NESTED):
            yield from _texts(item.get(key), depth + 1)
