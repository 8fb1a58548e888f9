"""What ``lcm_grep`` answers: hits, and where and how they were looked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from lcm_lab.agent.lcm.scope import number_or_name
from lcm_lab.agent.lcm.text import DATA, MOST, iso
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.times import show

__all__ = ["Found", "Hit"]

#: Characters of a snippet in words, and how many more of what matched in a file; fields have all.
LINE, MATCHED = 206, 200


@dataclass(frozen=True, slots=True)
class Hit:
    """A message, a summary, or a place in a file.

    Attributes
    ----------
    id : str
        Of the message, the summary or the file.
    type : {"message", "summary", "file"}
    snippet : str
        One line around the match, secrets left out.
    conversation : str
    time : int or None
        Of a message, of the newest message under a summary, of the message that holds a file.
    score : float or None
        As the policy gave it; higher is better. None where only time orders.
    matched : tuple of str
        What of the question it holds; of a pattern or a file the text that matched.
    role, part : str
        Of a message: who, and whether text, tool_call or tool_result.
    kind, depth : str, int or None
        Of a summary: leaf or condensed, and how deep.
    also : tuple of str
        Where else the same stands: messages that say it again, summaries over it that were found by
        nothing else.
    covered : str
        Of a message: the leaf over it.
    name, line, offset, cut : str, int, int, bool
        Of a file: its name; the line, from 1; bytes before the match; whether only the beginning of
        the file was looked at.
    """

    id: str
    type: Literal["message", "summary", "file"]
    snippet: str
    conversation: str
    time: int | None = None
    score: float | None = None
    matched: tuple[str, ...] = ()
    role: str = ""
    part: str = ""
    kind: str = ""
    depth: int | None = None
    also: tuple[str, ...] = ()
    covered: str = ""
    name: str = ""
    line: int = 0
    offset: int = 0
    cut: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Give the fields that the tool's documentation names, and why it is a hit."""
        made: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "snippet": self.snippet,
            "conversationId": number_or_name(self.conversation),
            "createdAt": iso(self.time),
            "score": self.score,
            "matched": list(self.matched),
        }
        if self.type == "message":
            made |= {"role": self.role, "part": self.part, "coveredBy": self.covered or None}
        if self.type == "summary":
            made |= {"summaryId": self.id, "kind": self.kind, "depth": self.depth}
        if self.type == "file":
            made |= {"fileId": self.id, "fileName": self.name, "lineNumber": self.line}
            made |= {"byteOffset": self.offset, "matchedText": self.matched[0]}
            made |= {"scanTruncated": self.cut}
        return made | ({"alsoIn": list(self.also)} if self.also else {})

    def lines(self, zone: str) -> Iterator[str]:
        """Give it as two lines: what it is, and what it says."""
        when = show(self.time, zone).replace("T", " ")[:16] or "time unknown"
        place = f"conversation {self.conversation}"
        if self.type == "message":
            facts = [place, f"{self.role or 'message'}", when, self.part.replace("text", "")]
        elif self.type == "summary":
            facts = [place, f"{self.kind}, depth {self.depth}", when]
        else:
            part = "only its beginning was looked at" if self.cut else ""
            facts = [place, self.name, f"line {self.line}, byte {self.offset:,}", part]
        if self.score is not None:
            facts.append(f"score {self.score:.4g}")
        if self.matched and self.type != "file":
            facts.append(cut(f"has {', '.join(self.matched)}", 300))
        if self.score is not None and not self.matched:
            facts.append("near a match")
        if self.covered:
            facts.append(f"under {self.covered}")
        if self.also:
            more = f" and {len(self.also) - 5} more" if len(self.also) > 5 else ""
            facts.append(f"also in {', '.join(self.also[:5])}{more}")
        yield one_line(" · ".join([self.id, *filter(None, facts)]))
        longest = LINE + (MATCHED if self.type == "file" else 0)
        yield f"  | {cut(one_line(self.snippet), longest)}"


@dataclass(frozen=True, slots=True)
class Found:
    """The answer of ``lcm_grep``.

    Attributes
    ----------
    hits : tuple of Hit
        Best first. Under ``compat="reference"`` messages and then summaries.
    asked : dict
        pattern, mode, scope, sort (as applied), conversationScope, since and before.
    total : int
        Rows that matched, before the limit; at least so many where not ``exact``.
    unmatched : tuple of str
        Words of the question that nothing in this scope holds.
    notes : tuple of str
        What else to know about the list.
    zone : str
        In which times are written in words.
    """

    hits: tuple[Hit, ...]
    asked: dict[str, Any]
    total: int = 0
    exact: bool = True
    unmatched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    zone: str = "UTC"

    def __len__(self) -> int:
        return len(self.hits)

    def count(self, kind: str) -> int:
        """Count the hits of a type."""
        return sum(hit.type == kind for hit in self.hits)

    def to_dict(self) -> dict[str, Any]:
        """Give matches, counts, and how it was looked for."""
        return {
            "matches": [hit.to_dict() for hit in self.hits],
            "messageCount": self.count("message"),
            "summaryCount": self.count("summary"),
            "fileCount": self.count("file"),
            "totalMatches": self.total,
            "totalIsExact": self.exact,
            "unmatchedWords": list(self.unmatched),
            "notes": list(self.notes),
            **self.asked,
        }

    def to_text(self) -> str:
        """Give it for an agent to read, at most 40,000 characters."""
        lines = [*self._head(), ""]
        used = sum(map(len, lines)) + len(lines)
        for at, hit in enumerate(self.hits):
            told = list(hit.lines(self.zone))
            used += sum(map(len, told)) + len(told)
            if used > MOST - 200:
                lines.append(
                    f"[{counted(len(self.hits) - at, 'hit')} left out here: the answer is full. "
                    "Ask for fewer with limit, or for less with since, before or conversationId.]"
                )
                break
            lines += told
        return "\n".join(lines).rstrip()

    def _head(self) -> Iterator[str]:
        zone = None if self.zone == "UTC" else self.zone
        told = {n: given for n, given in {**self.asked, "zone": zone}.items() if given is not None}
        said = (f"{name}={cut(str(given), 200)}" for name, given in told.items())
        yield one_line("lcm_grep: " + ", ".join(said))
        more = "" if self.exact else "at least "
        yield f"{counted(len(self.hits), 'hit')} of {more}{self.total:,} that match."
        if self.unmatched:
            yield f"Nothing here has: {cut(', '.join(map(one_line, self.unmatched)), 500)}."
        yield from self.notes
        if self.hits:
            yield DATA
