"""Anchors: an index of what a summary would drop first, the names of things."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lcm_lab.compaction.checks import fraction
from lcm_lab.compaction.guarded import callable_or_refused
from lcm_lab.compaction.source import sequence_or_refused
from lcm_lab.compaction.summarise import Lead
from lcm_lab.identifiers import NAMED, identifiers
from lcm_lab.text import count_tokens
from lcm_lab.values import value

__all__ = ["Anchors", "index_of", "unfolded"]

#: A line of an index, which a later index is made from again.
LINE = re.compile(r"^Named \((?P<kind>[a-z]+)\): (?P<names>.+)$", re.MULTILINE)
FOLDER = re.compile(r"(?P<folder>[^\s,{}]+/)\{(?P<names>[^{}]*)\}")
#: By how much of the source a name counts half.
HALF = 0.25


@value
class Anchors:
    """Add an index of identifiers to what another summariser writes, at a share of its room.

    Parameters
    ----------
    summariser : callable ``(texts, tokens) -> str``, default `Lead`
    share : float between 0 and 1
        The most of the limit that the index takes.

    Notes
    -----
    Paths, hashes, tickets, flags, settings, versions, errors, amounts and names in code, as
    `lcm_lab.identifiers` finds them. A name is worth the sum over where it stands of ½ per quarter
    of the source that follows, so what was named often and late goes in first. A summary that
    holds an index is indexed by it: names are carried up, not summarised away. A name alone does
    not say what it is of; that is left to the summariser.

    Examples
    --------
    >>> texts = ["Look at src/app/main.py and src/app/store.py.", "OPS-417 is about retry_limit=5."]
    >>> print(Anchors(share=0.7)(texts, 80))
    Look at src/app/main.py and src/app/store.py.
    OPS-417 is about retry_limit=5.
    Named (ticket): OPS-417
    Named (setting): retry_limit=5
    Named (path): src/app/{main.py, store.py}
    """

    summariser: Any = Lead()
    share: float = 0.25

    def check(self) -> None:
        """Refuse what is no summariser, and a share that is none."""
        callable_or_refused(self, self.summariser)
        fraction(self, share=self.share)

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give a summary of at most ``tokens`` tokens, its index included.

        Parameters
        ----------
        texts : sequence of str
        tokens : int
            At least 1.
        """
        sequence_or_refused(texts)
        index = index_of(texts, int(tokens * self.share))
        room = tokens - (count_tokens(index) + 1 if index else 0)
        said = [LINE.sub("", text).strip() for text in texts]
        told = self.summariser([text for text in said if text], room) if room > 0 else ""
        return "\n".join(filter(None, [told, index]))


def index_of(texts: Sequence[str], tokens: int) -> str:
    """Give an index of the identifiers of some texts, the newest last, a line a kind.

    Parameters
    ----------
    texts : sequence of str
        In order of time.
    tokens : int
        The limit by `count_tokens`.

    Returns
    -------
    str
        "" where nothing is named, or nothing fits.
    """
    worth = _worth(texts)
    order = sorted(worth, key=lambda name: (-worth[name], name))
    taken: list[tuple[str, str]] = []
    left = tokens
    for kind, name in order:
        size = count_tokens(name.rpartition("/")[2] if kind == "path" else name) + 1
        if size <= left:
            taken.append((kind, name))
            left -= size
        if left <= 1:
            break
    text = _written(taken)
    while taken and count_tokens(text) > tokens:
        # Headings and folders cost too; what is worth least makes room for them.
        drop = max(1, (count_tokens(text) - tokens) // 8)
        del taken[-drop:]
        text = _written(taken)
    return text


def unfolded(text: str) -> str:
    """Write out the folders of an index: ``src/{a.py, b.py}`` as ``src/a.py, src/b.py``.

    Examples
    --------
    >>> unfolded("Named (path): src/{a.py, b.py}, c/d.py")
    'Named (path): src/a.py, src/b.py, c/d.py'
    """
    return FOLDER.sub(
        lambda found: ", ".join(found["folder"] + name for name in found["names"].split(", ")), text
    )


def _worth(texts: Sequence[str]) -> dict[tuple[str, str], float]:
    worth: dict[tuple[str, str], float] = defaultdict(float)
    for at, text in enumerate(texts, start=1):
        weight = 0.5 ** ((len(texts) - at) / (HALF * len(texts)))
        for found in _names(text):
            worth[found] += weight
    return worth


@lru_cache(maxsize=1 << 14)
def _names(text: str) -> tuple[tuple[str, str], ...]:
    """Find the identifiers of a text; those of an index in it are taken as it gives them."""
    found: list[tuple[str, str]] = []
    for line in LINE.finditer(text):
        if line["kind"] in NAMED:
            found += ((line["kind"], name) for name in unfolded(line["names"]).split(", "))
    return (*found, *identifiers(LINE.sub("", text)))


def _written(taken: Sequence[tuple[str, str]]) -> str:
    kinds: dict[str, list[str]] = {kind: [] for kind in NAMED}
    for kind, name in taken:
        kinds[kind].append(name)
    kinds["path"] = _folded(kinds["path"])
    return "\n".join(
        f"Named ({kind}): {', '.join(names)}" for kind, names in kinds.items() if names
    )


def _folded(paths: list[str]) -> list[str]:
    """Write paths of one folder together, its name once."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, slash, name = path.rpartition("/")
        folders.setdefault(folder + slash, []).append(name)
    return [
        f"{folder}{{{', '.join(names)}}}" if len(names) > 1 and folder else f"{folder}{names[0]}"
        for folder, names in folders.items()
    ]
