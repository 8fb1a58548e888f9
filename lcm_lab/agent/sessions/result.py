"""What ``sessions_search`` answers: hits that ``sessions_history`` opens."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from lcm_lab.agent.lcm.text import DATA
from lcm_lab.shown import counted, one_line
from lcm_lab.times import show

__all__ = ["FoundSessions", "SessionHit", "fitting", "size_of"]

T = TypeVar("T")

#: Bytes of all hits as JSON.
MOST = 32 * 1024
WARNING = (
    "Sessions are still being indexed, so hits may be missing. Ask sessions_search again shortly."
)


def size_of(thing: object) -> int:
    """Count the bytes of JSON, in UTF-8 and without spaces between.

    Examples
    --------
    >>> size_of({"text": "caf\u00e9"})
    16
    """
    written = json.dumps(thing, ensure_ascii=False, separators=(",", ":"))
    return len(written.encode(errors="replace"))


def fitting(sizes: Iterable[int], limit: int) -> int:
    """Count how many items of a JSON array fit, from the first on.

    Examples
    --------
    >>> fitting([10, 20, 30], 34), fitting([40_000], 32_768)
    (2, 0)
    """
    total, count = 2, 0
    for size in sizes:
        total += size + (count > 0)
        if total > limit:
            return count
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A message that was found.

    Attributes
    ----------
    key, session, message : str
        What `sessions_history` takes to open it.
    role, snippet : str
        Who said it; one bounded piece of it around the match, secrets left out.
    time : int or None
        Microseconds since 1970, UTC.
    score : float
        As the policy gave it; higher is better, and comparable within one answer alone.
    matched : tuple of str
        What of the question it holds.
    """

    key: str
    session: str
    message: str
    role: str
    snippet: str
    time: int | None
    score: float
    matched: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the fields of the original, and why it is a hit; times in milliseconds."""
        made: dict[str, Any] = {
            "sessionKey": self.key,
            "sessionId": self.session,
            "messageId": self.message,
            "timestamp": None if self.time is None else self.time // 1000,
            "role": self.role,
            "snippet": self.snippet,
            "score": self.score,
        }
        return made | ({"matched": list(self.matched)} if self.matched else {})


@dataclass(frozen=True, slots=True)
class FoundSessions:
    """The answer of `sessions_search`.

    Attributes
    ----------
    hits : tuple of SessionHit
        Best first.
    query, mode, scope : str
        What was asked, how, and where, in words.
    indexing : tuple of str
        Keys of the sessions that are not searched yet: it is being found out what of them stands.
    truncated : bool
        Whether there are more hits.
    notes : tuple of str
    zone : str
        In which times are shown.
    """

    hits: tuple[SessionHit, ...]
    query: str
    mode: str
    scope: str
    indexing: tuple[str, ...] = ()
    truncated: bool = False
    notes: tuple[str, ...] = ()
    zone: str = "UTC"

    def to_dict(self) -> dict[str, Any]:
        """Give the fields of the original, and the scope."""
        made: dict[str, Any] = {"results": [hit.to_dict() for hit in self.hits]}
        if self.indexing:
            made |= {"indexing": True, "indexingSessions": list(self.indexing)[:20]}
            made["warning"] = WARNING
        made |= {"truncated": True} if self.truncated else {}
        made |= {"query": self.query, "mode": self.mode, "scope": self.scope}
        return made | ({"notes": list(self.notes)} if self.notes else {})

    def to_text(self) -> str:
        """Write hits, what was left out, and how to open one."""
        more = "; there are more, so narrow the query or raise limit" if self.truncated else ""
        what = f"{counted(len(self.hits), 'hit')} for {self.query!r:.200}"
        lines = [f"{what} in {self.scope}, {self.mode}{more}.", *self.notes]
        if self.indexing:
            listed = ", ".join(self.indexing[:5])
            lines.append(f"{WARNING} Not searched yet: {listed}{self._rest}.")
        if self.hits:
            lines += [DATA, *map(self._written, range(len(self.hits))), ""]
            lines.append(
                "To read on around a hit: sessions_history with its sessionKey, messageId and "
                "sessionId."
            )
        return "\n".join(lines)

    @property
    def _rest(self) -> str:
        return f" and {len(self.indexing) - 5:,} more" if len(self.indexing) > 5 else ""

    def _written(self, at: int) -> str:
        hit = self.hits[at]
        when = "time unknown" if hit.time is None else show(hit.time, self.zone)
        why = f"  has: {', '.join(map(one_line, hit.matched))}" if hit.matched else ""
        return (
            f"\n{at + 1}. {one_line(hit.key)}  {when}  {hit.role or 'role unknown'}  score "
            f"{hit.score:.3f}{why}\n   messageId {one_line(hit.message)}  sessionId "
            f"{one_line(hit.session)}\n| {one_line(hit.snippet)}"
        )
