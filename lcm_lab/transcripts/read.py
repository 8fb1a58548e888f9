"""`read`: agent transcripts from files, folders and globs, and what was skipped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from tqdm.std import tqdm

from lcm_lab.collection.unpack import unpack
from lcm_lab.errors import BadInput, LcmError
from lcm_lab.redact import redact
from lcm_lab.transcripts import tables
from lcm_lab.transcripts.base import Skipped, Transcripts
from lcm_lab.transcripts.draft import Draft, sessions_of
from lcm_lab.transcripts.lines import INCOMPLETE, Bad, Record, decode, records
from lcm_lab.transcripts.merge import merge
from lcm_lab.transcripts.recognise import READ, UNKNOWN, recognise
from lcm_lab.transcripts.sources import NAMES, OTHER, Sources, archived, find

__all__ = ["draft_of", "read"]

#: Readers of what is no JSON: each gives the rows of a file of its kind as records, else None.
TABLES: tuple[Callable[[bytes], list[Record | Bad] | None], ...] = (
    tables.parquet,
    tables.delimited,
)

#: What every file of SQLite begins with.
SQLITE = b"SQLite format 3\0"
#: How many values tell the format of a file.
SAMPLE = 64
#: How much of a broken line is shown.
EXCERPT = 80


def read(source: str | Path | Sequence[str | Path], *, strict: bool = False) -> Transcripts:
    """Read agent transcripts; the format is recognised by what is in a file.

    Transcripts are trees: what a rewind or a rollback left behind is read and not ``active``, so
    that it is in a corpus only when asked for. What was a session's file until it was reset or
    deleted (``a.jsonl.reset.<time>``) is of that session; backups and traces beside it are skipped.

    Parameters
    ----------
    source : str, Path, or several
        A file, a folder (read recursively, links not followed), or a glob; ``~`` is the home
        folder. Files may be compressed with xz, gzip or bzip2. Tables (CSV, TSV, parquet) are read
        where they are named or a glob matches them, and passed over in a folder.
    strict : bool, default False
        Refuse the first broken line instead of reporting it among the skipped. A last line that is
        still written is none.

    Returns
    -------
    Transcripts
        Every message that could be read. Each line and file that gave none is in ``skipped`` with
        its number and reason; what is said of the sessions is in ``sessions``.

    Raises
    ------
    NotFound
        A path that does not exist, or a glob that matches nothing.
    BadInput
        Nothing of a known format in all of it (says what was found instead); with ``strict``, a
        broken line or a file that is not read.

    Examples
    --------
    >>> read("no-such-folder/")
    Traceback (most recent call last):
    lcm_lab.errors.NotFound: No file or folder 'no-such-folder/'. Give a file, a folder or a glob.
    """
    sources = find([source] if isinstance(source, str | Path) else list(source))
    skipped: list[Skipped] = [*sources.skipped]
    formats: dict[str, str] = {}
    drafts: list[Draft] = []
    for path in tqdm(
        sources.paths, desc="reading", unit="file", delay=1, disable=None, leave=False
    ):
        outcome = draft_of(path, sources, strict=strict)
        if isinstance(outcome, Skipped):
            skipped.append(outcome)
            continue
        formats[outcome[1].source], draft = outcome
        drafts.append(draft)
        skipped += draft.skipped
    if not drafts:
        raise _nothing_read(sources, skipped)
    messages, repeats = merge(draft.messages for draft in drafts)
    notes = sum((draft.notes for draft in drafts), Counter(sources.notes))
    told = sessions_of(drafts)
    return Transcripts(tuple(messages), (*skipped, *repeats), formats, dict(notes), told)


def draft_of(path: Path, sources: Sources, *, strict: bool) -> tuple[str, Draft] | Skipped:
    """Read one file: its format and what is in it, or why nothing is."""
    name = sources.name(path)
    try:
        found, whole = _decoded(path)
        kind = recognise(one.value for one in islice(_good(found), SAMPLE))
        if kind is None or kind.parse is None:
            raise BadInput(f"{kind.name}, {kind.why}" if kind else _unknown(found))
    except LcmError as error:
        if strict:
            raise BadInput(f"{name}: {error}") from error
        return Skipped(name, 0, str(error))
    broken = [one for one in found if isinstance(one, Bad)]
    wrong = next((one for one in broken if one.reason != INCOMPLETE), None)
    if strict and wrong is not None:
        raise BadInput(f"{name}:{wrong.line} is {wrong.reason}: {_excerpt(wrong.text)}")
    lines = ((one.line, one.value) for one in _good(found))
    draft = kind.parse(lines, name, sources.session(path))
    draft.archived = archived(path.name)
    if kind.beside:
        kind.beside(draft, path)
    draft.skipped += [Skipped(name, one.line, one.reason, _excerpt(one.text)) for one in broken]
    draft.skipped.sort(key=lambda one: one.line)
    if not whole:
        draft.note("compressed file that is cut short, read as far as it goes")
    return kind.name, draft


def _decoded(path: Path) -> tuple[list[Record | Bad], bool]:
    data, whole = unpack(path)
    if not data.strip():
        raise BadInput("empty file")
    if data.startswith(SQLITE):
        raise BadInput(
            "an SQLite database. A store is opened with lcm_lab.Store or searched with --on, "
            "a lossless-claw database with lcm_lab.open_lcm"
        )
    for rows in TABLES:
        if (found := rows(data)) is not None:
            return found, whole
    return list(records(decode(data), ends=whole)), whole


def _good(found: list[Record | Bad]) -> Iterator[Record]:
    return (one for one in found if isinstance(one, Record))


def _unknown(found: list[Record | Bad]) -> str:
    """Say what a file of no known format holds, as far as that can be told."""
    values = [one.value for one in islice(_good(found), SAMPLE)]
    if not values:
        return f"{UNKNOWN}: no JSON in it"
    keys = Counter(key for item in values if isinstance(item, dict) for key in item)
    shown = ", ".join(key for key, _ in keys.most_common(6))
    return f"{UNKNOWN}: JSON with {shown}" if keys else f"{UNKNOWN}: JSON, but no objects"


def _excerpt(text: str) -> str:
    return redact(text[: 4 * EXCERPT]).text[:EXCERPT]


def _passed_over(sources: Sources) -> str:
    others = sources.notes[OTHER]
    return f"; {others:,} there of other kinds than {', '.join(NAMES)}" if others else ""


def _nothing_read(sources: Sources, skipped: list[Skipped]) -> BadInput:
    reads = f"read knows {', '.join(READ)}, also compressed."
    if len(skipped) == 1:
        return BadInput(f"{skipped[0].source}: {skipped[0].reason.rstrip('.')}. {reads}")
    counts = Counter(one.reason for one in skipped)
    listed = "; ".join(f"{count} x {reason}" for reason, count in counts.most_common(5))
    if skipped:
        found = f"Of {len(skipped)} files none can be read ({listed})."
    else:
        found = f"No transcripts there{_passed_over(sources)}."
    return BadInput(f"{', '.join(sources.asked)}: {found} {reads}")
