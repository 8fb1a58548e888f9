"""``lcm_grep`` over large files: which files are looked at, and what is found in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from lcm_lab.agent.lcm.grep.files import (
    SCANNED,
    Place,
    is_searchable,
    pattern_places,
    place_hit,
    reference_places,
    word_places,
)
from lcm_lab.agent.lcm.grep.pattern import Places
from lcm_lab.agent.lcm.grep.result import Hit
from lcm_lab.agent.lcm.grep.rows import time_of
from lcm_lab.agent.lcm.grep.words import Asked
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.scope import Scope
from lcm_lab.dag.nodes import file_ids
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.shown import counted

__all__ = ["Filed", "in_files"]

#: Gives the places of a text, and the words of the question that it holds.
Search = Callable[[str], tuple[Sequence[Place], tuple[str, ...]]]


@dataclass
class Filed:
    """What was found in files, and what was not looked at.

    Attributes
    ----------
    hits : list of Hit
    unmatched, notes : tuple of str
    """

    hits: list[Hit]
    unmatched: tuple[str, ...]
    notes: tuple[str, ...]


def in_files(
    history: History,
    scope: Scope,
    pattern: str,
    *,
    mode: str,
    only: Sequence[str] | None,
    span: tuple[int | None, int | None],
) -> Filed:
    """Look through the files of a scope: conversations in its order, newest files first.

    Raises
    ------
    NotFound
        For an id that this scope does not have.
    """
    search, words = _search(history, pattern, mode)
    files = _files(history, scope, only)
    times = _times(history, files)
    found: list[tuple[int, list[Hit]]] = []
    held: set[str] = set()
    seen = _Seen()
    for file in files.itertuples():
        time = times[str(file.id)]
        if _within(time, span):
            places, has = search(_content(history, file, seen))
            held |= set(has)
            cut = str(file.id) in seen.cut
            found.append((-len(has), [place_hit(file, one, time, cut=cut) for one in places]))
    if not history.compat:
        found.sort(key=lambda pair: pair[0])  # files that hold more of the words first
    hits = [hit for _, some in found for hit in some]
    lost = tuple(word for word in words if word not in held)
    return Filed(hits, lost, tuple(seen.notes(len(files))))


def _search(history: History, pattern: str, mode: str) -> tuple[Search, tuple[str, ...]]:
    if history.compat:
        return (lambda text: (reference_places(text, pattern, mode), ())), ()
    if mode == "regex":
        places = Places(pattern)
        return (lambda text: (pattern_places(text, places), ())), ()
    asked = Asked.of(pattern)
    return (lambda text: word_places(text, asked)), tuple(piece.said for piece in asked.pieces)


class _Seen:
    """What was not looked at, or in part, while files were read."""

    def __init__(self) -> None:
        self.cut: set[str] = set()
        self.other: list[str] = []
        self.gone: list[str] = []

    def notes(self, files: int) -> Iterator[str]:
        yield f"{counted(files, 'file')} in this scope; of each the first {SCANNED:,} bytes."
        for some, said in (
            (sorted(self.cut), "longer than that, and not looked at to the end"),
            (self.other, "of a type that is no text, and not looked at"),
            (self.gone, "not to be read: the content is gone or was changed"),
        ):
            if some:
                more = f" and {len(some) - 5} more" if len(some) > 5 else ""
                yield f"{', '.join(some[:5])}{more}: {said}."


def _content(history: History, file: Any, seen: _Seen) -> str:
    """Give the beginning of a file; "" where there is none to look at, which is noted."""
    mime = file.mime if isinstance(file.mime, str) else None
    if not is_searchable(mime):
        seen.other.append(str(file.id))
        return ""
    try:
        piece = history.store.read(str(file.id), None, SCANNED)
    except (NotFound, BadInput):
        seen.gone.append(str(file.id))
        return ""
    if piece.truncated:
        seen.cut.add(str(file.id))
    return piece.text


def _files(history: History, scope: Scope, only: Sequence[str] | None) -> pd.DataFrame:
    """Give the files to look at, in order."""
    files = history.files(scope)
    for one in only or ():
        if one not in set(files["id"]):
            raise NotFound(
                f"File {one!r:.80} is not in this scope ({scope.said}). Pass the conversationId "
                "where it is, or allConversations=true."
            )
    if only is not None:
        files = files[files["id"].isin(list(only))]
    names = scope.conversations or tuple(dict.fromkeys(files["conversation"]))
    place = files["conversation"].map({name: at for at, name in enumerate(names)})
    newest = files[::-1].assign(place=place[::-1])
    return newest.sort_values("place", kind="stable")


def _times(history: History, files: pd.DataFrame) -> dict[str, int | None]:
    """Tell when each file came in: as recorded, or when a message first names it."""
    if "created" in files.columns:
        times = files["created"]
        return {
            str(name): None if pd.isna(time) else int(time.value // 1_000)
            for name, time in zip(files["id"], times, strict=True)
        }
    found: dict[str, int | None] = dict.fromkeys(files["id"])
    corpus = history.corpus()
    if found:
        named = pc.match_substring(corpus.column("text"), "file_").to_numpy()
        for row in named.nonzero()[0].tolist():
            for name in file_ids(str(corpus.column("text")[row].as_py())):
                if name in found and found[name] is None:
                    found[name] = time_of(corpus, row)
    return found


def _within(time: int | None, span: tuple[int | None, int | None]) -> bool:
    since, before = span
    if time is None:
        return since is None and before is None
    return (since is None or time >= since) and (before is None or time < before)
