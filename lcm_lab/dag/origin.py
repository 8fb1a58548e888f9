"""Where the messages of a Dag come from: messages, a corpus, or transcripts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, unknown
from lcm_lab.messages import SAYS, Kind, Message, Part
from lcm_lab.shown import counted

__all__ = ["origin"]

#: The columns of a corpus that a message is made of.
USED = ("docno", "text", "conversation", "session", "role", "speaker", "kind")


def origin(source: Any, conversation: str | None) -> tuple[str, list[Message]]:
    """Give the name and the messages of one conversation; see `Dag.of`."""
    if isinstance(source, Corpus):
        name = _chosen(list(source.conversations), conversation)
        return name, _from_rows(source, name)
    if hasattr(source, "messages"):
        return _from_transcripts(source, conversation)
    if isinstance(source, str) or not isinstance(source, Iterable):
        raise BadInput(
            "A Dag is made of messages, a Corpus or Transcripts: Dag.of(lcm.read(path)). "
            f"Got {source!r:.80}."
        )
    messages = list(source)
    wrong = next((one for one in messages if not isinstance(one, Message)), None)
    if wrong is not None:
        raise BadInput(f"A Dag is made of messages. Got {wrong!r:.80}; of texts, Corpus(texts).")
    named = list(dict.fromkeys(one.session for one in messages))
    return conversation if conversation is not None else _chosen(named, None), messages


def _chosen(there: list[str], wanted: str | None) -> str:
    if wanted is not None:
        if there and wanted not in there:
            raise unknown("conversation", wanted, there[:20])
        return wanted
    if len(there) > 1:
        shown = ", ".join(map(repr, there[:5])) + (", ..." if len(there) > 5 else "")
        raise BadParameter(
            f"A Dag is one conversation. This holds {counted(len(there), 'conversation')}: {shown}."
            f" Name one: Dag.of(source, conversation={there[0]!r})."
        )
    return there[0] if there else ""


def _from_transcripts(source: Any, wanted: str | None) -> tuple[str, list[Message]]:
    """Take the active branch of a session, or of the sessions that share a key.

    What a subagent said is none of what the session's own model saw, unless it is all there is.
    """
    keys = {name: one.key for name, one in getattr(source, "sessions", {}).items() if one.key}
    active = [one for one in source.messages if one.active]
    there = list(dict.fromkeys(one.session for one in active))
    if wanted is not None and wanted not in there and wanted in keys.values():
        chosen, name = {one for one in there if keys.get(one) == wanted}, wanted
    else:
        name = _chosen(there, wanted)
        chosen = {name}
    own = [one for one in active if one.session in chosen]
    return name, [one for one in own if not one.sidechain] or own


def _from_rows(corpus: Corpus, name: str) -> list[Message]:
    """Join the rows of each message; rows of summaries are none."""
    rows = corpus.conversations.get(name, slice(0, 0))
    columns = [corpus.column(column)[rows].to_pylist() for column in USED]
    times = corpus.column("time")[rows].cast("int64").to_pylist()
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in zip(*columns, times, strict=True):
        docno, kind = row[0], row[6]
        part = docno.endswith(f"#{kind}")
        if part or kind != "summary":
            found.setdefault(docno.removesuffix(f"#{kind}") if part else docno, []).append(row)
    return [_message(docno, held) for docno, held in found.items()]


def _message(docno: str, held: list[tuple[Any, ...]]) -> Message:
    """Make a message of its rows; its role is that of its text, where it has one."""
    _, _, conversation, session, role, speaker, kind, time = next(
        (row for row in held if row[6] not in SAYS), held[0]
    )
    del kind
    parts = tuple(Part(cast(Kind, row[6]), row[1]) for row in held)
    return Message(docno, session or conversation, role, parts, time, speaker=speaker)
