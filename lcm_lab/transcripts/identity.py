"""When two messages are one: the one definition, for files that are read and for a store.

A message is the same when its session, role, time and parts are, or its id and parts; equal text at
another time or place is another message. A copy may have grown: it may hold more parts, or go on
where the text of the last one breaks off, at the same time. White space that a program changed on
the way does not make another message of an id. Between sessions an id says nothing without an equal
time, since programs count from 1 in every session.
"""

from __future__ import annotations

from lcm_lab.ids import digest, message_id
from lcm_lab.messages import Message, Part

__all__ = ["identity", "made_id", "union"]


def identity(message: Message) -> str:
    """Give a digest of what makes a message the one it is: session, role, time and parts.

    Examples
    --------
    >>> words = (Part("text", "ok"),)
    >>> first, copy = (Message(name, "s1", "user", words, 5) for name in ("m1", "m2"))
    >>> identity(first) == identity(copy)
    True
    """
    return digest(message.session, message.role, message.time, *_pieces(message))


def union(kept: Message, message: Message) -> tuple[Part, ...] | None:
    """Give the parts of the more complete of two messages of one id, or None if they differ."""
    at_once = kept.time == message.time
    known = kept.session == message.session or (at_once and kept.time is not None)
    if kept.role != message.role or not known:
        return None
    if _begins(message.parts, kept.parts, breaks=at_once):
        return kept.parts
    return message.parts if _begins(kept.parts, message.parts, breaks=at_once) else None


def _begins(shorter: tuple[Part, ...], longer: tuple[Part, ...], *, breaks: bool) -> bool:
    """Tell whether parts are the beginning of others; the last one may break off."""
    if len(shorter) > len(longer):
        return False
    if not shorter or shorter == longer[: len(shorter)]:
        return True
    *whole, last = zip(shorter, longer, strict=False)
    (*kind, text), (*other, whole_text) = map(_shape, last)
    ends = text == whole_text or (breaks and bool(text) and whole_text.startswith(text))
    return kind == other and ends and all(_shape(a) == _shape(b) for a, b in whole)


def _shape(part: Part) -> tuple[str, str, str, str]:
    """Give what of a part survives programs that change white space."""
    return part.kind, part.name, part.call, " ".join(part.text.split())


def made_id(message: Message, nth: int) -> str:
    """Make an id of the content of a message that has none, the same in every copy of its file."""
    text = digest(*_pieces(message))
    return message_id(message.session, message.role, text, message.time, nth)


def _pieces(message: Message) -> list[str]:
    return [piece for part in message.parts for piece in (part.kind, part.text, part.call)]
