"""What is added, as entries by conversation: of transcripts, or of the rows of a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from lcm_lab.columns import SCHEMA
from lcm_lab.corpus import Corpus
from lcm_lab.messages import INDEXED, SAYS, Kind, Message, Part
from lcm_lab.store.files import externalise
from lcm_lab.store.rows import Doc, Entry, cleaned
from lcm_lab.text import clean
from lcm_lab.transcripts.base import Transcripts
from lcm_lab.transcripts.identity import identity

__all__ = ["Batch", "batches", "entry_of", "grouped", "scoped"]

#: How many messages a transaction holds, about.
BATCH = 5_000

#: The entries of a conversation, in order.
Batch = tuple[str, list[Entry]]


def batches(source: Transcripts | Corpus, large: int) -> Iterator[Batch]:
    """Give what is to be added, a conversation after the other.

    Parameters
    ----------
    source : Transcripts or Corpus
    large : int
        Tokens from which on a block of text is put aside.
    """
    return _of_corpus(source, large) if isinstance(source, Corpus) else _said(source, large)


def entry_of(message: Message, large: int) -> Entry:
    """Make an entry of a message whose session is its conversation."""
    message = cleaned(message)
    short, files = externalise(message, message.session, large)
    return Entry(short, message.session, identity(message), files)


def grouped(found: Iterable[Batch]) -> Iterator[list[Batch]]:
    """Group conversations into transactions, and cut the long ones."""
    group: list[Batch] = []
    size = 0
    for name, entries in found:
        for start in range(0, max(len(entries), 1), BATCH):
            piece = entries[start : start + BATCH]
            group.append((name, piece))
            size += len(piece)
            if size >= BATCH:
                yield group
                group, size = [], 0
    if group:
        yield group


def scoped(conversation: str, session: str) -> str:
    """Name a session so that it is told from one of the same name in another conversation."""
    return session if session == conversation else f"{conversation}\0{session}"


def _said(source: Transcripts, large: int) -> Iterator[Batch]:
    for session, messages in groupby(source.messages, lambda message: message.session):
        yield clean(session), [entry_of(message, large) for message in messages]


def _of_corpus(corpus: Corpus, large: int) -> Iterator[Batch]:
    names = list(corpus.columns)
    for conversation, rows in corpus.conversations.items():
        columns = [_listed(corpus, name, rows) for name in names]
        found = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
        joined = groupby(found, key=_base)
        entries = [_entry(conversation, key[0], list(held)) for key, held in joined]
        yield conversation, [_shortened(entry, conversation, large) for entry in entries]


def _listed(corpus: Corpus, name: str, rows: slice) -> list[Any]:
    column = corpus.column(name)[rows]
    listed: list[Any] = (column.cast("int64") if name == "time" else column).to_pylist()
    return listed


def _base(row: dict[str, Any]) -> tuple[Any, ...]:
    """Tell which message a row is of: several kinds of one are told by their endings."""
    kind = row["kind"]
    name = row["docno"].removesuffix(f"#{kind}") if kind in INDEXED else row["docno"]
    return name, row["session"], row["speaker"], row["time"]


def _entry(conversation: str, name: str, rows: list[dict[str, Any]]) -> Entry:
    first = rows[0]
    role = next((row["role"] for row in rows if row["kind"] not in SAYS), first["role"])
    message = Message(
        id=name,
        session=scoped(conversation, first["session"]),
        role=role,
        parts=tuple(Part(cast(Kind, row["kind"]), row["text"]) for row in rows),
        time=first["time"],
        parent=str(first.get("parent") or ""),
        speaker=first["speaker"],
        sidechain=first.get("sidechain") == "yes",
    )
    docs = tuple(_doc(name, role, row) for row in rows)
    return Entry(message, first["session"], identity(message), (), docs, _extra(first))


def _shortened(entry: Entry, conversation: str, large: int) -> Entry:
    """Put aside what is long; of a row of a corpus, the part and the doc are one text."""
    message, files = externalise(entry.message, conversation, large)
    if not files:
        return entry
    texts = [part.text for part in message.parts]
    docs = tuple(replace(doc, text=text) for doc, text in zip(entry.docs or (), texts, strict=True))
    return replace(entry, message=message, files=files, docs=docs)


def _doc(name: str, role: str, row: dict[str, Any]) -> Doc:
    kind = row["kind"]
    docno = name if kind == "text" else f"{name}#{kind}"
    scope = "summaries" if kind == "summary" else "messages"
    follows = {"docno": docno, "role": SAYS.get(kind, role), "scope": scope}
    given = {key: row[key] for key, told in follows.items() if row[key] != told}
    return replace(Doc(kind, row["text"]), **given)


def _extra(row: dict[str, Any]) -> str | None:
    others = {
        name: item
        for name, item in row.items()
        if name not in SCHEMA and name not in ("sidechain", "parent") and isinstance(item, str)
    }
    return json.dumps(others, ensure_ascii=False) if others else None
