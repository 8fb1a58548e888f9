"""Which entries of a transcript stand on the branch that its session went on with.

Transcripts are trees written line by line: an entry names its parent, and going back to an earlier
one begins another branch. What was left behind is kept and marked (`Message.active`), since only
the branch that the session went on with is its history. Files say where that is in three ways:

- by a leaf (OpenClaw, pi): `Tree` here, by the rules that OpenClaw's own readers follow. The last
  entry is the leaf unless a control moves it; the branch is the way from the leaf to the root;
- by asking anew (Claude Code): `lcm_lab.transcripts.rewinds`;
- by a count of turns that are rolled back (Codex): there is no tree, and its reader counts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Tree", "path"]


def path(parents: Mapping[str, str], leaf: str) -> list[str]:
    """Give the entries from the root to a leaf.

    Parameters
    ----------
    parents : mapping of str to str
        The parent of each entry; "" for a root.
    leaf : str

    Returns
    -------
    list of str
        The root first. Where an ancestor is missing, the part below it; where the way runs in a
        circle, nothing.

    Examples
    --------
    >>> path({"a": "", "b": "a", "c": "a"}, "c")
    ['a', 'c']
    """
    found: dict[str, None] = {}
    at = leaf
    while at in parents:
        if at in found:
            return []
        found[at] = None
        at = parents[at]
    return list(found)[::-1]


@dataclass(slots=True)
class Tree:
    """The branch that leaf controls and appended entries lead to, in order of the file.

    Names of entries are their ids; "" is the root. Two places are kept: the leaf, which is what the
    session shows, and the cursor, which is what was written last.

    Examples
    --------
    >>> tree = Tree()
    >>> for name, parent in [("a", ""), ("b", "a"), ("c", "a")]:
    ...     tree.add(name, parent)
    >>> sorted(tree.branch())
    ['a', 'c']

    References
    ----------
    OpenClaw, session-transcript-tree; spec, sessions_and_episodic B3.
    """

    parents: dict[str, str] = field(default_factory=dict)
    leaf: str = ""
    cursor: str = ""
    controlled: bool = False
    resets: int = 0
    _since: dict[str, int] = field(default_factory=dict)
    _controls: set[str] = field(default_factory=set)
    _inert: set[str] = field(default_factory=set)

    def add(self, name: str, parent: str | None, *, side: bool = False, known: bool = True) -> None:
        """Append an entry.

        Parameters
        ----------
        name : str
        parent : str or None
            "" for a root; None where the entry names none, which then follows the leaf.
        side : bool
            A side append moves the cursor and not the leaf.
        known : bool
            So does an entry of a type that is not known.

        Notes
        -----
        An id names one entry: a line that is there twice goes nowhere the second time.
        """
        if name in self.parents:
            return
        if known and not side and parent == self.cursor != self.leaf:
            parent = self.leaf
        above = self._seen(self.leaf if parent is None else parent)
        if known and above and above not in self.parents and self.leaf:
            above = self.leaf
        above = self._within(above) if known else above
        self.parents[name] = above
        self._since[name] = self._since.get(above, 0)
        self.cursor = name
        if known and not side:
            self.leaf = name

    def reset(self, name: str, parent: str | None) -> None:
        """Append a reset, which nothing that comes later goes back past."""
        if name in self.parents:
            return
        self.add(name, parent)
        self.resets += 1
        self._since[name] = self.resets

    def move(self, name: str, parent: str, target: str, cursor: str) -> None:
        """Follow a control: the leaf is the target now. One that points nowhere changes nothing."""
        self._controls.add(name)
        if not (self._is_place(target) and self._is_place(cursor)):
            self._inert.add(name)
            self.parents[name] = parent
            return
        self.controlled = True
        self.leaf = self._within(self._seen(target))
        self.cursor = self._within(self._seen(cursor))
        self.parents[name] = self.leaf
        self._since[name] = self._since.get(self.leaf, 0)

    def branch(self) -> set[str]:
        """Give what stands: the way to the leaf, or all where there is none and no control."""
        found = set(path(self.parents, self.leaf))
        if not found and not self.controlled:
            found = set(self.parents)
        return found - self._controls

    def _is_place(self, name: str) -> bool:
        return not name or (name in self.parents and name not in self._inert)

    def _seen(self, name: str) -> str:
        """Look through controls, which are no part of a branch, at what they point to."""
        passed: set[str] = set()
        while name in self._controls and name not in passed:
            passed.add(name)
            name = self.parents[name]
        return name

    def _within(self, name: str) -> str:
        """Stay on this side of the latest reset."""
        return name if self._since.get(name, 0) == self.resets else self.leaf
