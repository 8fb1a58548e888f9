"""Which prompts a user took back, in files whose forks are mostly none (Claude Code).

Such a file names no leaf. Parallel tool calls, their results, hooks and attachments hang side by
side from one record and belong to one turn, so a fork alone tells nothing. Taken for a rewind is
only this: a prompt of the user, asked where an earlier one was asked (after the same message), once
the branch of the earlier one had ended. That branch is abandoned: the prompt and all that follows
from it.

In doubt a message stands: prompts that follow nothing (a chain that was broken or begun anew is
commoner than a rewind to the very beginning), branches that grew side by side (two processes at
work in one session), and a copy of a prompt with the time of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Entry", "rewound"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of a file that names no leaf; see `rewound`.

    Attributes
    ----------
    id, parent : str
        "" where there is none.
    prompt : bool
        Whether the user asked something in it.
    says : bool
        Whether it is a message; others are passed over when asking what a prompt was asked after.
    same : str
        What a copy of it has in common with it (its time and words).
    """

    id: str
    parent: str = ""
    prompt: bool = False
    says: bool = True
    same: str = ""


def rewound(entries: Sequence[Entry]) -> list[bool]:
    """Tell of each entry whether a rewind left it behind; the rule stands in the module's head.

    Parameters
    ----------
    entries : sequence of Entry, length n
        In order of the file.

    Returns
    -------
    list of bool, length n

    Examples
    --------
    >>> asked = [Entry("a"), Entry("b", "a", prompt=True), Entry("c", "b"), Entry("d", "a", True)]
    >>> rewound(asked)
    [False, True, True, False]
    """
    above = _above(entries)
    gone = [False] * len(entries)
    for group in _asked_at_one_place(entries, above):
        for at in group.left_behind():
            gone[at] = True
    for at, parent in enumerate(above):
        gone[at] = gone[at] or (parent >= 0 and gone[parent])
    return gone


def _above(entries: Sequence[Entry]) -> list[int]:
    """Find the place of each entry's parent: the nearest one before it of that id, or -1."""
    last: dict[str, int] = {}
    found = []
    for at, entry in enumerate(entries):
        found.append(last.get(entry.parent, -1) if entry.parent else -1)
        if entry.id:
            last[entry.id] = at
    return found


@dataclass(slots=True)
class _Place:
    """The prompts asked after one message: where each begins, and where its branch ends."""

    begins: dict[str, list[int]] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)

    def left_behind(self) -> list[int]:
        """Give the prompts whose branch had ended when another was asked here."""
        newest = sorted((begun[0], same) for same, begun in self.begins.items())[-2:]
        gone: list[int] = []
        for same, begun in self.begins.items():
            other = max((first for first, name in newest if name != same), default=-1)
            gone += begun if other > self.ends[same] else []
        return gone


def _asked_at_one_place(entries: Sequence[Entry], above: Sequence[int]) -> list[_Place]:
    ends = list(range(len(entries)))
    for at in range(len(entries) - 1, -1, -1):
        if not entries[at].says and ends[at] == at:
            ends[at] = -1
        if above[at] >= 0:
            ends[above[at]] = max(ends[above[at]], ends[at])
    after: list[object] = []
    places: dict[object, _Place] = {}
    for at, entry in enumerate(entries):
        place = after[above[at]] if above[at] >= 0 else entry.parent
        after.append(at if entry.says or place == "" else place)
        if entry.prompt and place != "":
            one = places.setdefault(place, _Place())
            same = entry.same or f"entry {at}"
            one.begins.setdefault(same, []).append(at)
            one.ends[same] = max(one.ends.get(same, -1), ends[at])
    return [one for one in places.values() if len(one.begins) > 1]
