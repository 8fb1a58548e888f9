"""Turns of a prompt repaired, so that a provider takes them: calls answered, nothing blank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

__all__ = ["Compat", "Turn", "Wire", "calls_of", "is_blank", "paired", "without_open_calls"]

#: A message as a provider is sent it: ``role``, ``content``, and of a result ``toolCallId``.
Wire: TypeAlias = Mapping[str, Any]
Compat: TypeAlias = Literal["reference"] | None

MISSING = "[no result of this call is recorded]"
REFERENCE = (
    "[lossless-claw] missing tool result in session history; "
    "inserted synthetic error result for transcript repair."
)
#: How a turn ends whose calls were never made.
BROKEN = ("error", "aborted")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a prompt.

    Attributes
    ----------
    wire : dict
        As a provider is sent it.
    node : str
        The message or summary that it comes from; "" of a result that was made up.
    """

    wire: Wire
    node: str = ""

    @property
    def role(self) -> str:
        """user, assistant, toolResult or system."""
        return str(self.wire.get("role", ""))

    @property
    def answers(self) -> str:
        """The id of the call that it is the result of, "" where it is none."""
        return str(self.wire.get("toolCallId", "")) if self.role == "toolResult" else ""


def calls_of(turn: Turn) -> list[Mapping[str, Any]]:
    """Give the tool calls of an assistant's turn; none where it ended in an error."""
    if turn.role != "assistant" or turn.wire.get("stopReason") in BROKEN:
        return []
    return [block for block in _blocks(turn) if block.get("type") == "toolCall"]


def is_blank(turn: Turn, compat: Compat = None) -> bool:
    """Tell whether a turn says nothing.

    Reasoning says nothing, and neither do texts of white space. A result of a tool is never blank:
    that it was empty is what it says. With ``compat="reference"`` white space in a block is
    something, and a result without a block, or of a blank text, is nothing.
    """
    content = turn.wire.get("content")
    if compat is None and turn.role == "toolResult":
        return False
    if content is None or isinstance(content, str):
        return not (content or "").strip()
    if compat is not None and turn.role != "assistant":
        return len(content) == 0
    return all(_says_nothing(block, compat) for block in content)


def _says_nothing(block: Mapping[str, Any], compat: Compat) -> bool:
    text = str(block.get("text", ""))
    blank = not (text if compat is not None else text.strip())
    return block.get("type") == "thinking" or (block.get("type") == "text" and blank)


def without_open_calls(turns: Sequence[Turn], tail: int) -> list[Turn]:
    """Drop calls before a place that no later turn answers; what is said beside them stays."""
    found: list[Turn] = []
    later = {turn.answers for turn in turns[tail:]}
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        open_ = {call["id"] for call in calls_of(turn)} - later
        later.add(turn.answers)
        if place < tail and open_:
            turn = _without(turn, open_)
        found.append(turn)
    return [turn for turn in reversed(found) if turn.wire.get("content") != []]


def paired(turns: Sequence[Turn], compat: Compat = None) -> list[Turn]:
    """Put each result right behind its call, and give calls without one an error for a result.

    Results are looked for behind the call, past whatever stands between; a real one goes before one
    that was made up. Results of no call go, and so do second calls of one id and second results. A
    turn that ended in an error loses its calls; one that has nothing left goes.

    Examples
    --------
    >>> call = Turn({"role": "assistant", "content": [{"type": "toolCall", "id": "x"}]})
    >>> result = Turn({"role": "toolResult", "toolCallId": "x", "content": "ok"})
    >>> [turn.role for turn in paired([call, Turn({"role": "user", "content": "?"}), result])]
    ['assistant', 'toolResult', 'user']
    """
    results = _Results(turns)
    given: list[Turn] = []
    claimed: set[str] = set()
    for place, turn in enumerate(turns):
        if turn.role == "toolResult":
            continue
        kept = _own(turn, claimed)
        if kept is None:
            continue
        given.append(kept)
        for call in calls_of(kept):
            given.append(results.after(place, call) or _made_up(call, compat))
    return given


def _own(turn: Turn, claimed: set[str]) -> Turn | None:
    """Give a turn with the calls that are its own, which it claims; None where nothing is left."""
    own, extra = set[str](), list[int]()
    valid = {id(call) for call in calls_of(turn)}
    for place, block in enumerate(_blocks(turn)):
        if block.get("type") == "toolCall":
            name = str(block.get("id", ""))
            if id(block) in valid and name not in claimed | own:
                own.add(name)
            else:
                extra.append(place)
    claimed |= own
    if not extra:
        return turn
    left = [block for place, block in enumerate(_blocks(turn)) if place not in extra]
    return replace(turn, wire={**turn.wire, "content": left}) if left else None


class _Results:
    """The results among turns, by the call that they answer."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._found: dict[str, list[tuple[bool, int, Turn]]] = {}
        for place, turn in enumerate(turns):
            if turn.role == "toolResult":
                self._found.setdefault(turn.answers, []).append((_is_made_up(turn), place, turn))

    def after(self, place: int, call: Mapping[str, Any]) -> Turn | None:
        """Give the first result of a call behind it; one that was made up only for want of it."""
        found = [one for one in self._found.get(str(call.get("id", "")), []) if one[1] > place]
        return min(found, key=lambda one: one[:2])[2] if found else None


def _made_up(call: Mapping[str, Any], compat: Compat) -> Turn:
    text = MISSING if compat is None else REFERENCE
    return Turn(
        {
            "role": "toolResult",
            "toolCallId": call.get("id", ""),
            "toolName": call.get("name", ""),
            "content": [{"type": "text", "text": text}],
            "isError": True,
        }
    )


def _is_made_up(turn: Turn) -> bool:
    return any(block.get("text") in (MISSING, REFERENCE) for block in _blocks(turn))


def _without(turn: Turn, calls: set[str]) -> Turn:
    left = [
        block
        for block in _blocks(turn)
        if block.get("type") != "toolCall" or block.get("id") not in calls
    ]
    return replace(turn, wire={**turn.wire, "content": left})


def _blocks(turn: Turn) -> Iterator[Mapping[str, Any]]:
    content = turn.wire.get("content")
    yield from content if isinstance(content, list | tuple) else ()
