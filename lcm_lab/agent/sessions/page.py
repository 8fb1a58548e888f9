"""A page of a session's history: a bounded run of messages, and how to read on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.lcm.text import DATA, quoted
from lcm_lab.agent.sessions.result import fitting, size_of
from lcm_lab.agent.sessions.shown import Shown
from lcm_lab.shown import counted, one_line
from lcm_lab.times import show

__all__ = ["MOST", "Page", "grown", "newest"]

#: Bytes of all messages as JSON.
MOST = 80 * 1024


def newest(sizes: Sequence[int], limit: int = MOST) -> tuple[int, int]:
    """Give which of some messages fit, the oldest being dropped first and the last one never.

    Examples
    --------
    >>> newest([40, 40, 40], 85), newest([99], 9)
    ((1, 3), (0, 1))
    """
    count = max(fitting(reversed(sizes), limit), min(len(sizes), 1))
    return len(sizes) - count, len(sizes)


def grown(sizes: Sequence[int], at: int, limit: int = MOST) -> tuple[int, int]:
    """Give which of some messages fit, grown from one: older and newer in turn, to what is too big.

    Examples
    --------
    >>> grown([10, 90, 10, 10, 10], 2, 50), grown([10, 10, 10, 10], 1, 35)
    ((2, 5), (0, 3))
    """
    start, stop, total = at, at + 1, sizes[at] + 2
    older, newer = True, True
    while older or newer:
        if older:
            older = start > 0 and total + sizes[start - 1] + 1 <= limit
            start -= older
            total += (sizes[start] + 1) * older
        if newer:
            newer = stop < len(sizes) and total + sizes[stop] + 1 <= limit
            total += (sizes[stop] + 1) if newer else 0
            stop += newer
    return start, stop


@dataclass(frozen=True, slots=True)
class Page:
    """The answer of `sessions_history`.

    Attributes
    ----------
    key, session : str
        Of the session, and the id that its messages are from.
    messages : tuple of Shown
        Oldest first.
    total : int
        Messages of the view that they are from.
    offset : int or None
        As it was asked for: how many messages of the view are newer. None for an anchor.
    dropped : bool
        Whether messages are left out for their size.
    fields : mapping of str to any, optional
        What the original says otherwise, under ``compat="reference"``.
    notes : tuple of str
    anchor, zone : str
        The message that was asked for; in which times are shown.
    """

    key: str
    session: str
    messages: tuple[Shown, ...]
    total: int
    offset: int | None
    dropped: bool = False
    fields: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    anchor: str = ""
    zone: str = "UTC"

    @property
    def older(self) -> int:
        """How many messages of the view are older."""
        return self.messages[0].seq - 1 if self.messages else 0

    @property
    def newer(self) -> int:
        """How many messages of the view are newer."""
        return self.total - self.messages[-1].seq if self.messages else 0

    def to_dict(self) -> dict[str, Any]:
        """Give the fields of the original; where to read on always, not only when asked."""
        shown = [message.to_dict() for message in self.messages]
        short = any(message.cut for message in self.messages)
        made: dict[str, Any] = {
            "sessionKey": self.key,
            "sessionId": self.session,
            "messages": shown,
            "truncated": short or self.dropped,
            "droppedMessages": self.dropped,
            "contentTruncated": short,
            "contentRedacted": any(message.redacted for message in self.messages),
            "redactions": sum(message.redacted for message in self.messages),
            "bytes": size_of(shown),
        }
        if self.anchor:
            made |= {"totalMessages": self.total, "olderMessages": self.older}
            made |= {"newerMessages": self.newer}
        elif self.offset is not None:
            made |= {"offset": self.offset, "totalMessages": self.total, "hasMore": self.older > 0}
            made |= {"nextOffset": self.total - self.older} if self.older else {}
        made |= {"notes": list(self.notes)} if self.notes else {}
        return made if self.fields is None else made | dict(self.fields)

    def to_text(self) -> str:
        """Write the messages, each line of them marked, and how to read on."""
        head = f"{one_line(self.key)}, session {one_line(self.session)}: {self._which()}."
        lines = [head, *self.notes]
        if self.messages:
            lines += [DATA, *map(self._written, self.messages), ""]
        if self.dropped:
            lines.append(f"Messages were left out: an answer has at most {MOST // 1024} KiB.")
        lines += self._onward()
        return "\n".join(lines)

    def _onward(self) -> list[str]:
        """Say how to read what stands before and after."""
        told = []
        for count, what, end in ((self.older, "older", 0), (self.newer, "newer", -1)):
            if count and (self.anchor or what == "older"):
                place = f"offset={self.total - self.older}"
                if self.anchor:
                    place = f"messageId={one_line(self.messages[end].id)!r}"
                told.append(f"{counted(count, what + ' message')}: sessions_history with {place}.")
        return told

    def _which(self) -> str:
        if not self.messages:
            return f"no messages here, of {self.total:,}"
        first, last = self.messages[0].seq, self.messages[-1].seq
        return f"messages {first:,} to {last:,} of {self.total:,}"

    def _written(self, shown: Shown) -> str:
        when = "time unknown" if shown.time is None else show(shown.time, self.zone)
        mark = "  (asked for)" if shown.id == self.anchor else ""
        head = f"\n{shown.seq}. {shown.role or 'role unknown'}  {when}  {one_line(shown.id)}{mark}"
        return "\n".join([head, *map(_lines, shown.blocks)])


def _lines(block: dict[str, Any]) -> str:
    if block["type"] in ("text", "omitted"):
        return quoted(block["text"])
    name = f" {one_line(block['name'])}" if block.get("name") else ""
    return f"[{block['type']}{name}]" + (f"\n{quoted(block['text'])}" if block.get("text") else "")
