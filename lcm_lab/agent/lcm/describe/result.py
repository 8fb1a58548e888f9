"""What ``lcm_describe`` answers: a summary with its place in the Dag, or a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.lcm.describe.manifest import Row
from lcm_lab.agent.lcm.scope import number_or_name
from lcm_lab.agent.lcm.text import DATA, MOST, iso, quoted
from lcm_lab.dag import Summary
from lcm_lab.redact import redact
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.times import show

__all__ = ["DescribedFile", "DescribedSummary"]

#: Ids, and rows of a manifest, that are named in words.
NAMED = 40


@dataclass(frozen=True, slots=True)
class DescribedSummary:
    """A summary, what it was made from, and what reading on costs.

    Attributes
    ----------
    id, conversation : str
    summary : Summary
    made_from, made_into : tuple of str
        Summaries; what reaches up from messages is in ``messages``.
    messages : tuple of str
        Ids of the messages that a leaf was made from.
    rows : tuple of Row
        Its manifest, itself first.
    cap, source : int, str
        The tokens it is held against, and who says so: request, delegated_grant_remaining or
        config_default.
    zone : str
    """

    id: str
    conversation: str
    summary: Summary
    made_from: tuple[str, ...]
    made_into: tuple[str, ...]
    messages: tuple[str, ...]
    rows: tuple[Row, ...]
    cap: int
    source: str
    zone: str = "UTC"

    @property
    def content(self) -> str:
        """What it says, without secrets."""
        return redact(self.summary.text).text

    def to_dict(self) -> dict[str, Any]:
        """Give it with the names that the reference has: parents are what it was made from."""
        one, below = self.summary, self.rows[0].below
        return {
            "id": self.id,
            "type": "summary",
            "conversationId": number_or_name(self.conversation),
            "kind": "condensed" if one.depth else "leaf",
            "content": self.content,
            "depth": one.depth,
            "tokenCount": one.tokens,
            "descendantCount": below.summaries,
            "descendantTokenCount": below.tokens,
            "sourceMessageTokenCount": below.messages,
            "fileIds": list(one.files),
            "parentIds": list(self.made_from),
            "childIds": list(self.made_into),
            "messageIds": list(self.messages),
            "earliestAt": iso(one.first),
            "latestAt": iso(one.last),
            "createdAt": iso(one.created),
            "budgetCap": self.cap,
            "budgetSource": self.source,
            "subtree": [row.to_dict(self.cap) for row in self.rows],
        }

    def to_text(self) -> str:
        """Give it for an agent to read, at most 40,000 characters."""
        return _bounded(list(self._head()), self.content)

    def _head(self) -> Iterator[str]:
        one = self.summary
        kind = f"condensed, depth {one.depth}" if one.depth else "leaf"
        span = " to ".join(dict.fromkeys(_day(at, self.zone) for at in (one.first, one.last)))
        yield f"{self.id}: {kind} summary in conversation {one_line(self.conversation)}"
        made = f", made {_day(one.created, self.zone)}" if one.created is not None else ""
        zone = "" if self.zone == "UTC" else f" ({self.zone})"
        yield f"{one.tokens:,} tokens, of {span}{made}{zone}"
        yield from _ids("made from summaries", self.made_from)
        yield from _ids("made from messages", self.messages)
        yield from _ids("went into", self.made_into)
        yield from _ids("files", one.files)
        said = {"request": "asked for", "delegated_grant_remaining": "left of the grant"}
        yield f"To read on, against {self.cap:,} tokens ({said.get(self.source, 'the default')}):"
        for row in self.rows[:NAMED]:
            yield _line(row, self.cap)
        if len(self.rows) > NAMED:
            yield f"  and {len(self.rows) - NAMED:,} more summaries under it"


@dataclass(frozen=True, slots=True)
class DescribedFile:
    """A large file that was put aside.

    Attributes
    ----------
    id, conversation, name, mime, path : str
        ``path`` is where its copy lies.
    size, lines : int or None
        Bytes and lines.
    explored : str
        What is told of it in its place.
    created : int or None
    content : str or None
        The piece that was asked for; None where none was, or where it is gone.
    first, truncated : int, bool
        The first line of the piece, and whether it was cut.
    note : str
        Where the content came from, or why there is none.
    zone : str
    """

    id: str
    conversation: str
    name: str
    mime: str
    path: str
    size: int | None
    lines: int | None
    explored: str
    created: int | None = None
    content: str | None = None
    first: int = 1
    truncated: bool = False
    note: str = ""
    zone: str = "UTC"

    def to_dict(self) -> dict[str, Any]:
        """Give the fields that the tool's documentation names; secrets are left out."""
        return {
            "id": self.id,
            "type": "file",
            "conversationId": number_or_name(self.conversation),
            "fileName": self.name or None,
            "mimeType": self.mime or None,
            "byteSize": self.size,
            "lineCount": self.lines,
            "createdAt": iso(self.created),
            "storageUri": self.path,
            "explorationSummary": redact(self.explored).text,
            "content": None if self.content is None else redact(self.content).text,
            "startLine": self.first,
            "truncated": self.truncated,
            "note": self.note,
        }

    def to_text(self) -> str:
        """Give it for an agent to read, at most 40,000 characters."""
        told = self.to_dict()
        explored = quoted(told["explorationSummary"])
        head = [*self._head(), "What it is about:", cut(explored, MOST // 4)]
        if told["content"] is None:
            return "\n".join([DATA, *head])
        end = "; cut: ask for startLine and endLine, or more expandFileMaxBytes" * self.truncated
        return _bounded([*head, f"From line {self.first}{end}:"], told["content"])

    def _head(self) -> Iterator[str]:
        facts = (self.name, self.mime, _of(self.size, "byte"), _of(self.lines, "line"))
        yield f"{self.id}: file in conversation {one_line(self.conversation)}"
        yield one_line(", ".join(filter(None, facts)))
        yield one_line(f"stored as {self.path}")
        yield from filter(None, [self.note])


def _bounded(head: Sequence[str], content: str) -> str:
    """Put stored text under what is said of it, and say so where it does not fit."""
    above = "\n".join([*head, DATA])
    body, room = quoted(content), MOST - len(above) - 200
    if len(body) <= room:
        return f"{above}\n{body}"
    left = len(body) - room
    return f"{above}\n{cut(body, room)}\n[{left:,} characters left out here: the answer is full.]"


def _line(row: Row, cap: int) -> str:
    fit = row.to_dict(cap)
    costs = [
        f"{fit['costs'][name]:,} {said} ({'fits' if fit['fit'][name] else 'over'})"
        for name, said in (("summariesOnly", "in summaries"), ("withMessages", "with messages"))
    ]
    return f"{'  ' * (min(row.distance, 10) + 1)}{row.summary.id}: {', '.join(costs)}"


def _ids(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        yield one_line(f"{what}: {', '.join(names[:NAMED])}{more}")


def _of(number: int | None, noun: str) -> str:
    return "" if number is None else counted(number, noun)


def _day(at: int | None, zone: str) -> str:
    return show(at, zone).replace("T", " ")[:16] or "time unknown"
