"""Files into a store: each is read when it is new or has changed, and added when it was read.

A file is done when its row in ``sources`` is written, which is after its messages. So an import
that was stopped goes on where it was, and two at a time do no harm.
"""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tqdm.std import tqdm

from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ids import digest
from lcm_lab.messages import Message
from lcm_lab.shown import counted
from lcm_lab.store import deleted
from lcm_lab.store.added import Added
from lcm_lab.store.store import Store
from lcm_lab.text import clean
from lcm_lab.transcripts.base import Skipped, Transcripts
from lcm_lab.transcripts.draft import Draft, sessions_of
from lcm_lab.transcripts.merge import merge
from lcm_lab.transcripts.read import draft_of
from lcm_lab.transcripts.sources import Sources, find

__all__ = ["Imported", "import_files"]

_RECORD = "insert or replace into sources values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Attributes
    ----------
    added : Added
    formats : dict of str to int
        How many files of each format were read.
    unchanged : int
        Files that are as they were when they were last imported, and of which something was.
    skipped : tuple of Skipped
        Lines and files that gave no message, and why; repeats of what is there are not among them,
        nor the lines of unchanged files.
    """

    added: Added = field(default_factory=Added)
    formats: dict[str, int] = field(default_factory=dict)
    unchanged: int = 0
    skipped: tuple[Skipped, ...] = ()

    def __repr__(self) -> str:
        read = counted(sum(self.formats.values()), "file")
        left = f", {self.unchanged:,} unchanged" if self.unchanged else ""
        return f"{self.added!r}, from {read}{left}; {counted(len(self.skipped), 'line')} skipped"


def import_files(
    store: Store, source: str | Path | Sequence[str | Path], *, imported: int | None = None
) -> Imported:
    """Import files into a store; what is there already, and what has not changed, is passed over.

    Parameters
    ----------
    store : Store
    source : str, Path, or several
        As `lcm_lab.read` takes them.
    imported : int, optional
        The instant that is written beside new messages.

    Raises
    ------
    NotFound
        A path that does not exist, or a glob that matches nothing.
    BadInput
        Nothing there that could be read, or ever was.
    """
    if store.readonly:
        raise BadParameter(f"{store!r} was opened to read. Open it with Store(path) to import.")
    sources = find([source] if isinstance(source, str | Path) else list(source))
    _leave_own(sources, store.folder)
    job = _Import(store, sources, imported)
    for path in tqdm(sources.paths, "importing", unit="file", delay=1, disable=None, leave=False):
        job.take(path)
    job.settle_archives()
    if not job.formats and not job.unchanged:
        raise BadInput(_nothing(sources, job.skipped))
    return Imported(job.added, dict(job.formats), job.unchanged, tuple(job.skipped))


@dataclass(slots=True)
class _File:
    """A file as it is now."""

    path: Path
    digest: str
    folder: str
    size: int
    mtime: int

    @classmethod
    def at(cls, path: Path) -> _File:
        told = path.stat()
        whole = path.resolve()
        # Subagents write into a folder of their session, beside which its own file stands.
        folder = whole.parents[2] if whole.parent.name == "subagents" else whole.parent
        return cls(path, digest(str(whole)), digest(str(folder)), told.st_size, told.st_mtime_ns)


class _Import:
    def __init__(self, store: Store, sources: Sources, imported: int | None) -> None:
        self.store, self.sources, self.imported = store, sources, imported
        self.added = Added()
        self.formats: Counter[str] = Counter()
        self.unchanged = 0
        self.skipped: list[Skipped] = [*sources.skipped]
        self.digests: list[str] = []

    def take(self, path: Path) -> None:
        """Import a file, unless it was and has not changed."""
        try:
            file = _File.at(path)
            if not os.access(path, os.R_OK):  # that may change without a new time of the file
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            name = self.sources.name(path)
            self.skipped.append(Skipped(name, 0, f"cannot be read: {error.strerror}"))
            return
        self.digests.append(file.digest)
        if path.is_file() and self._is_done(file):  # a pipe may bring something else each time
            return
        named = _Named(self.sources, self._session(file))
        outcome = draft_of(path, named, strict=False)
        if isinstance(outcome, Skipped):
            self.skipped.append(outcome)
            self._record(file, "", Draft(outcome.source), [outcome])
            return
        kind, draft = outcome
        self.formats[kind] += 1
        self.skipped += draft.skipped
        told = {name: replace(one, archived="") for name, one in sessions_of([draft]).items()}
        said = Transcripts(self._wanted(draft), sessions=told)
        self.added += self.store.add(said, imported=self.imported)
        self._record(file, kind, draft, draft.skipped)

    def _wanted(self, draft: Draft) -> tuple[Message, ...]:
        """Give the messages without those of conversations that were deleted from the store."""
        messages, _ = merge([draft.messages])
        with self.store.reading():
            names = {clean(message.session) for message in messages}
            gone = deleted.among(self.store.connection, names)
        self.skipped += [Skipped(draft.source, 0, deleted.TOLD.format(one)) for one in sorted(gone)]
        return tuple(message for message in messages if clean(message.session) not in gone)

    def settle_archives(self) -> None:
        """Archive the sessions of which no live file is left among those that were given."""
        ask = (
            "select sessions, archived from sources "
            "where digest in (select value from json_each(?)) and format <> ''"
        )
        given = (json.dumps(self.digests),)
        with self.store.reading() as run:
            found = [(json.loads(held), why) for held, why in run(ask, given)]
        live = {name for held, why in found if not why for name in held}
        gone = {name: why for held, why in found if why for name in held}
        changed = [("" if name in live else why, name, why) for name, why in gone.items()]
        ask = (
            "select count(*) from conversations "
            "where archived <> ? and name = ? and archived in ('', ?)"
        )
        with self.store.reading() as run:
            changed = [row for row in changed if run(ask, row).fetchone()[0]]
        if changed:
            with self.store.writing() as connection:
                connection.executemany(
                    "update conversations set archived = ? where name = ? and archived in ('', ?)",
                    changed,
                )

    def _is_done(self, file: _File) -> bool:
        """Tell whether a file is as it was; why nothing could be read of it is said each time."""
        ask = "select format, skipped from sources where digest = ? and size = ? and mtime = ?"
        with self.store.reading() as run:
            found = run(ask, (file.digest, file.size, file.mtime)).fetchone()
        if found is None:
            return False
        self.unchanged += bool(found[0])
        reasons = () if found[0] else json.loads(found[1])
        self.skipped += [Skipped(self.sources.name(file.path), 0, why) for why in reasons]
        return True

    def _session(self, file: _File) -> str:
        """Name the session of what names none: as before, and as nothing in another folder is."""
        base = self.sources.session(file.path)
        with self.store.reading() as run:
            before = run("select session from sources where digest = ?", (file.digest,)).fetchone()
            taken = "select count(*) from sources where session = ? and folder <> ?"
            for parent in ("", *(one.name for one in file.path.resolve().parents)):
                if before is not None:
                    break
                base = f"{parent}/{base}" if parent else base
                if not run(taken, (base, file.folder)).fetchone()[0]:
                    break
        return base if before is None else str(before[0])

    def _record(self, file: _File, kind: str, draft: Draft, skipped: Iterable[Skipped]) -> None:
        reasons = Counter(one.reason for one in skipped)
        held = sorted({message.session for message in draft.messages})
        row = (
            *(file.digest, file.folder, draft.source, file.size, file.mtime, kind),
            *(self._session(file), json.dumps(held), draft.archived),
            *(json.dumps(reasons, ensure_ascii=False), self.imported),
        )
        with self.store.writing() as connection:
            connection.execute(_RECORD, row)


class _Named(Sources):
    """Sources among which the session of what names none is settled."""

    def __init__(self, sources: Sources, session: str) -> None:
        super().__init__(sources.asked, sources.paths, sources.skipped, sources.notes)
        self.named = session

    def session(self, path: Path) -> str:
        """Name the session of a file that names none."""
        del path
        return self.named


def _leave_own(sources: Sources, folder: Path | None) -> None:
    """Leave out the copies of large files that the store itself wrote."""
    own = folder and folder.resolve()
    mine = [path for path in sources.paths if own in path.resolve().parents]
    sources.skipped += [Skipped(sources.name(path), 0, "written by the store") for path in mine]
    sources.paths = [path for path in sources.paths if path not in set(mine)]


def _nothing(sources: Sources, skipped: list[Skipped]) -> str:
    counts = Counter(one.reason for one in skipped)
    listed = "; ".join(f"{count} x {reason}" for reason, count in counts.most_common(5))
    asked = ", ".join(sources.asked)
    return f"{asked}: nothing to import ({listed or 'no transcripts there'})."
