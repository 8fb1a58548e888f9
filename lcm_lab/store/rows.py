"""A message as rows of tables, and back: what is written is what can be told again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from lcm_lab.messages import INDEXED, PLACED, Kind, Message, Part, rows
from lcm_lab.ranking.exact.match import prepared
from lcm_lab.store.files import File
from lcm_lab.text import clean

T = TypeVar("T", Message, Part)

_TEXTS_OF_PART = ("kind", "text", "name", "call", "raw")
_TEXTS = ("id", "session", "role", "stamp", "parent", "speaker", "source")

__all__ = ["Doc", "Entry", "cleaned", "docs_of", "folded", "is_plain", "part_rows", "parts_from"]


@dataclass(frozen=True, slots=True)
class Doc:
    """A row of a corpus: the text that a message has of one kind.

    ``docno``, ``role`` and ``scope`` are None where they follow from the message.
    """

    kind: str
    text: str
    docno: str | None = None
    role: str | None = None
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A message on its way into the store.

    Attributes
    ----------
    message : Message
        What is long in it was put aside. Its session tells conversations apart, too: see `scoped`.
    session : str
        The name of its session.
    content : str
        The identity of the message as it came.
    files : tuple of File
        What was put aside.
    docs : tuple of Doc, or None
        None where they follow from its parts.
    extra : str, or None
        More columns, as JSON.
    """

    message: Message
    session: str
    content: str
    files: tuple[File, ...] = ()
    docs: tuple[Doc, ...] | None = None
    extra: str | None = None


def docs_of(entry: Entry) -> tuple[Doc, ...]:
    """Give the rows that a corpus has of a message."""
    if entry.docs is not None:
        return entry.docs
    return tuple(Doc(row[7], row[1]) for row in rows(entry.message, INDEXED))


def folded(text: str) -> tuple[str | None, str | None]:
    """Give a text as trigrams and as words are made of it; None where that is the text itself.

    Examples
    --------
    >>> folded("plain"), folded("ＡＰＩ")
    ((None, None), ('API', 'API'))
    """
    forms = (prepared(text, spread=False), prepared(text))
    return cast("tuple[str | None, str | None]", tuple(f if f != text else None for f in forms))


def is_plain(message: Message, docs: Sequence[Doc]) -> bool:
    """Tell whether a message is one part that its one doc tells all of."""
    if len(message.parts) != 1 or len(docs) != 1:
        return False
    (part,), (doc,) = message.parts, docs
    return part == Part(cast(Kind, doc.kind), doc.text)


def part_rows(number: int, parts: Sequence[Part], docs: Sequence[Doc]) -> list[tuple[Any, ...]]:
    """Give the rows of ``parts``; text that a doc holds is not written again."""
    held = {doc.kind: doc.text for doc in docs}
    return [
        (
            *(number, ordinal, part.kind, part.name, part.call, int(part.error), part.raw),
            None if held.get(PLACED.get(part.kind, part.kind)) == part.text else part.text,
        )
        for ordinal, part in enumerate(parts)
    ]


def parts_from(found: Sequence[tuple[Any, ...]], docs: Mapping[str, str]) -> tuple[Part, ...]:
    """Give parts back: of rows (kind, name, call, error, raw, text) and the text of each kind.

    In a damaged store a text may be missing; it is "" then, and `faults` tells of it.
    """
    made = []
    for kind, name, call, error, raw, text in found:
        held = docs.get(PLACED.get(kind, kind), "")
        made.append(Part(kind, held if text is None else text, name, call, bool(error), raw))
    return tuple(made)


def cleaned(message: Message) -> Message:
    """Make every text of a message storable."""
    parts = tuple(_cleaned(part, _TEXTS_OF_PART) for part in message.parts)
    message = _cleaned(message, _TEXTS)
    return message if parts == message.parts else replace(message, parts=parts)


def _cleaned(item: T, names: tuple[str, ...]) -> T:
    held = {name: getattr(item, name) for name in names}
    unclean: dict[str, Any] = {
        name: clean(text) for name, text in held.items() if clean(text) != text
    }
    return replace(item, **unclean) if unclean else item
