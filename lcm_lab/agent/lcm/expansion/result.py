"""What ``lcm_expand_query`` answers, and what became of each conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lcm_lab.agent.lcm.expansion.together import Failure
from lcm_lab.agent.lcm.scope import number_or_name
from lcm_lab.agent.lcm.text import DATA, MOST, quoted
from lcm_lab.shown import counted, cut, one_line

__all__ = ["Expanded", "Part", "Recalled"]

#: Ids, conversations and notes that are named in words.
NAMED = 40


@dataclass(frozen=True, slots=True)
class Expanded:
    """What a worker found in one conversation.

    Attributes
    ----------
    answer : str
    cited : tuple of str
        The summaries that it rests on, each found to exist, in scope, and to hold what it says.
    messages : tuple of str
        The messages that it rests on.
    refused : tuple of str
        Ids that the reader cited and that are none of these.
    unsound : tuple of str
        What lies under the summaries and cannot be read, each with the reason.
    summaries, tokens : int
        How many summaries were expanded, and how many tokens were read.
    truncated : bool
    """

    answer: str
    cited: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    unsound: tuple[str, ...] = ()
    summaries: int = 0
    tokens: int = 0
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A conversation that was expanded, or why it was not.

    Attributes
    ----------
    conversation : str
    tried : tuple of str
        The summaries that it was to be expanded from.
    found : Expanded, Failure or str
        A text says why it was left out.
    """

    conversation: str
    tried: tuple[str, ...]
    found: Expanded | Failure | str

    @property
    def status(self) -> Literal["success", "failed", "skipped"]:
        """What became of it."""
        if isinstance(self.found, Expanded):
            return "success"
        return "failed" if isinstance(self.found, Failure) else "skipped"

    def to_dict(self) -> dict[str, Any]:
        """Give it with the names that the reference has."""
        found = self.found if isinstance(self.found, Expanded) else Expanded("")
        made: dict[str, Any] = {
            "conversationId": number_or_name(self.conversation),
            "status": self.status,
            "expandedSummaryCount": found.summaries,
            "citedIds": list(found.cited),
            "totalSourceTokens": found.tokens,
            "truncated": found.truncated,
            "summaryIds": list(self.tried),
        }
        if isinstance(self.found, Failure):
            made |= {"phase": self.found.phase, "elapsedMs": self.found.elapsed}
            made |= {"errorCode": self.found.code, "error": self.found.error}
        return made | ({"reason": self.found} if isinstance(self.found, str) else {})

    def line(self) -> str:
        """Say it in a line."""
        name = one_line(f"conversation {self.conversation}: {self.status}")
        if isinstance(self.found, Failure):
            return f"{name}, {self.found.code} after {self.found.elapsed:,} ms: {self.found.error}"
        if isinstance(self.found, str):
            return f"{name}, {self.found}"
        read = counted(self.found.tokens, "token")
        return f"{name}, {read} read{', not all' if self.found.truncated else ''}"


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer of ``lcm_expand_query``, or why there is none.

    Attributes
    ----------
    answer : str
        "" where it failed.
    parts : tuple of Part
        Each conversation that was looked at, the most promising first.
    scope : str
    notes : tuple of str
    error, code : str
        Why there is no answer, for people and for programs; "" where there is one.
    reason : str
        Which rule was broken, where a delegation was not even begun.
    several : bool
        Whether it was asked of several conversations.
    """

    answer: str
    parts: tuple[Part, ...] = ()
    scope: str = ""
    notes: tuple[str, ...] = ()
    error: str = ""
    code: str = ""
    reason: str = ""
    several: bool = False

    @property
    def expanded(self) -> list[Expanded]:
        """What was found, conversation by conversation."""
        return [one.found for one in self.parts if isinstance(one.found, Expanded)]

    @property
    def truncated(self) -> bool:
        """Whether there was more to read: in a conversation, or in others."""
        left = any(not isinstance(one.found, Expanded) for one in self.parts)
        return left or any(one.truncated for one in self.expanded)

    @property
    def tokens(self) -> int:
        """Tokens that were read to answer."""
        return sum(one.tokens for one in self.expanded)

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of the summaries that the answer rests on."""
        return tuple(dict.fromkeys(name for one in self.expanded for name in one.cited))

    def to_dict(self) -> dict[str, Any]:
        """Give the fields that the tool's documentation names; with ``error``, empty ones."""
        names = [one.conversation for one in self.parts if one.status == "success"]
        sources = sorted(map(number_or_name, names), key=lambda one: (isinstance(one, str), one))
        made: dict[str, Any] = {"error": self.error} if self.error else {"answer": self.answer}
        made |= {
            "citedIds": list(self.cited),
            "citedMessageIds": _each(one.messages for one in self.expanded),
            "sourceConversationIds": sources,
            "expandedSummaryCount": sum(one.summaries for one in self.expanded),
            "totalSourceTokens": self.tokens,
            "truncated": self.truncated,
            "conversationScope": self.scope,
            "notes": list(self.notes),
        }
        if len(sources) == 1:
            made["sourceConversationId"] = sources[0]
        if self.code:
            made["errorCode"] = self.code
        if self.reason:
            made["reason"] = self.reason
        if self.several or self.error or len(self.parts) > 1:
            made["conversationBreakdown"] = [one.to_dict() for one in self.parts]
        return made

    def to_text(self) -> str:
        """Give it for an agent to read, at most 40,000 characters."""
        head = "\n".join(self._head())
        tail = "\n".join(self._tail())
        shown = quoted(self.answer) if self.answer else ""
        room = MOST - len(head) - len(tail) - 200
        if len(shown) > room:
            shown = cut(shown, room) + "\n[cut here: ask for less with maxTokens]"
        return "\n".join(filter(None, (head, shown, tail)))

    def _head(self) -> Iterator[str]:
        yield one_line(f"lcm_expand_query: {self.scope or 'not begun'}")
        if self.error:
            yield one_line(f"Error{f' {self.code}' if self.code else ''}: {self.error}")
            return
        found = self.expanded
        summaries = sum(one.summaries for one in found)
        made = f"{summaries:,} {'summary' if summaries == 1 else 'summaries'}"
        where = counted(len(found), "conversation")
        more = " There was more to read." if self.truncated else ""
        yield f"{counted(self.tokens, 'token')} read under {made} in {where}.{more}"
        yield DATA

    def _tail(self) -> Iterator[str]:
        for said, ids in (
            ("Rests on", self.cited),
            ("Messages", _each(one.messages for one in self.expanded)),
        ):
            if ids:
                more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
                yield one_line(f"{said}: {', '.join(ids[:NAMED])}{more}")[:4_000]
        yield from (one_line(note)[:1_000] for note in self.notes[:NAMED])
        if len(self.parts) > 1 or self.error:
            yield from (one_line(part.line())[:700] for part in self.parts[:NAMED])
            if len(self.parts) > NAMED:
                yield f"and {counted(len(self.parts) - NAMED, 'conversation')} more"


def _each(lists: Iterator[Sequence[str]] | Any) -> list[str]:
    return list(dict.fromkeys(name for some in lists for name in some))
