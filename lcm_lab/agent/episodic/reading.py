"""Reading a transcript for ``read``: from its file, or from what the store has of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from lcm_lab.agent.episodic.files import Roots
from lcm_lab.agent.episodic.memory import Memory
from lcm_lab.agent.episodic.page import Page, page
from lcm_lab.collection.unpack import unpack
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.messages import Message
from lcm_lab.transcripts import claude_code
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.lines import Bad, Record, decode, records
from lcm_lab.transcripts.read import draft_of
from lcm_lab.transcripts.recognise import recognise
from lcm_lab.transcripts.sources import Sources

__all__ = ["read_page"]

Window = tuple[int | None, int | None]
#: How many records tell the format.
SAMPLE = 64
#: How many files are kept.
KEPT = 4
GONE = "The file is not under a declared root; this is what the store has of it."


def read_page(memory: Memory, roots: Roots, path: str, window: Window) -> Page:
    """Read lines of a transcript.

    Raises
    ------
    NotFound
        For a path that is under no root and not known to the store, whether or not there is a file.
    BadInput
        For a file that is no transcript.
    """
    place = roots.place(path)
    known = memory.sources()
    roots.refresh(memory.state)
    source = path if path in known else _known(path, known)
    if place is None and source:
        place = roots.locate(source)
    if place is not None:
        return _of_file(place, window)
    if not source:
        raise NotFound(
            f"No transcript {path!r:.200}: it is under no declared root, and the store has nothing "
            "of it. search names paths that can be read."
        )
    found = memory.lines(source)
    lines = max(one.line for one in found)
    return page(source, found, lines, window, _about(found), [GONE])


@dataclass(frozen=True)
class _Held:
    found: tuple[Message | Bad, ...]
    lines: int
    about: tuple[tuple[str, str], ...]


def _of_file(place: Path, window: Window) -> Page:
    written = place.stat()
    held = _parsed(place, written.st_mtime_ns, written.st_size)
    return page(str(place), held.found, held.lines, window, held.about)


@lru_cache(KEPT)
def _parsed(place: Path, _written: int, _size: int) -> _Held:
    """Read a file; those read last are kept, since pages of one are read one after the other."""
    outcome = draft_of(place, Sources([str(place)], [place]), strict=False)
    if isinstance(outcome, Skipped):
        raise BadInput(f"{place.name} is no transcript that can be read: {outcome.reason}")
    kind, draft = outcome
    text = decode(unpack(place)[0])
    found, broken, lines = list(draft.messages), list[Bad](), 0
    if _is_json(text):  # no table
        lines = text.count("\n") + (not text.endswith("\n"))
        broken = [one for one in records(text) if isinstance(one, Bad)]
    if kind == claude_code.FORMAT.name:
        found = _by_line(text, place.name)
    about = [
        fact
        for one in islice(draft.sessions.values(), 1)
        for fact in (("Session", one.id), ("Folder", one.cwd), ("Branch", one.branch))
    ]
    held: tuple[Message | Bad, ...] = (*found, *broken)
    return _Held(held, max([lines, *(one.line for one in held)]), tuple(about))


def _by_line(text: str, name: str) -> list[Message]:
    """Read each record by itself: a turn that is spread over lines is shown on each of them."""
    return [
        message
        for one in records(text)
        if isinstance(one, Record)
        for message in claude_code.parse([(one.line, one.value)], name, name).messages
    ]


def _is_json(text: str) -> bool:
    values = (one.value for one in records(text) if isinstance(one, Record))
    return recognise(islice(values, SAMPLE)) is not None


def _known(path: str, sources: Iterable[str]) -> str:
    """Name the transcript in the store that a longer path ends with, if it is just one."""
    parts = Path(path).parts
    fits = [one for one in sources if parts[-len(Path(one).parts) :] == Path(one).parts]
    longest = max((len(Path(one).parts) for one in fits), default=0)
    best = [one for one in fits if len(Path(one).parts) == longest]
    return best[0] if len(best) == 1 and Path(path).is_absolute() else ""


def _about(found: list[Message]) -> list[tuple[str, str]]:
    return [("Session", ", ".join(dict.fromkeys(one.session for one in found)))]
