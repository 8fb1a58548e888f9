"""`load`: a collection by name or by path, recognised by what is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from lcm_lab.collection import Collection
from lcm_lab.collection.files import is_collection
from lcm_lab.collection.unpack import unpack
from lcm_lab.errors import BadInput, NotFound, nearest
from lcm_lab.transcripts import beir, locomo

__all__ = ["load", "shipped"]

#: Keys by which benchmark files that are not read yet are known.
OTHERS = {
    "LongMemEval": ("question_id", "answer_session_ids"),
    "BEAM": ("probing_questions", "chat"),
}
READS = (
    "load reads a shipped collection by name, a folder that Collection.save or BEIR wrote, LoCoMo "
    "JSON, and agent transcripts (Claude Code JSONL, plain JSONL with role and content)."
)


def load(source: str | Path | Sequence[str | Path]) -> Collection:
    """Load a collection: a shipped one by name, or whatever a path holds.

    Parameters
    ----------
    source : str, Path, or several
        A name that `shipped` lists; a folder that `Collection.save` wrote, or one in the BEIR
        layout (``corpus.jsonl``, ``queries.jsonl``, ``qrels/*.tsv``); a LoCoMo file; or agent
        transcripts: a file, a folder, a glob, or several of these. ``./name`` is always a path.

    Returns
    -------
    Collection
        Transcripts have no questions of their own; theirs are mined, and the card says so.

    Raises
    ------
    NotFound
        Neither a name nor a path; lists the names there are and the nearest.
    BadInput
        A file that is not what it should be, or of no format that is read.

    Examples
    --------
    >>> load("synth-chat-s").name
    'synth-chat-s'
    """
    if not isinstance(source, str | Path):
        return _mine(list(source))
    names = shipped()
    if isinstance(source, str) and source in names:
        return Collection.open(names[source])
    path = Path(source).expanduser()
    if path.is_dir():
        return _folder(path)
    if path.is_file():
        return _file(path)
    if any(mark in str(source) for mark in "*?["):
        return _mine([source])
    there = f"Shipped are {', '.join(names)}." if names else "None are shipped."
    raise NotFound(f"No collection or path {str(source)!r}. {there}{nearest(str(source), names)}")


def shipped() -> dict[str, Path]:
    """List the collections that come with the package: name to folder, sorted by name.

    Examples
    --------
    >>> "synth-chat-s" in shipped()
    True
    """
    package = Path(str(resources.files("lcm_lab")))
    homes = (package / "_datasets", package.parent / "datasets")
    home = next((home for home in homes if home.is_dir()), None)
    folders = sorted(home.iterdir()) if home else []
    return {folder.name: folder for folder in folders if is_collection(folder)}


def _folder(path: Path) -> Collection:
    if is_collection(path):
        return Collection.open(path)
    if beir.is_beir(path):
        return beir.collection(path)
    return _mine([path])


def _file(path: Path) -> Collection:
    data = _json(path)
    if locomo.is_locomo(data):
        return locomo.collection(data, path.name.split(".")[0])
    first = data[0] if isinstance(data, list) and data else data
    for name, keys in OTHERS.items():
        if isinstance(first, dict) and any(key in first for key in keys):
            raise BadInput(f"{path.name} looks like {name}, which is not read yet. {READS}")
    return _mine([path])


def _json(path: Path) -> Any:
    """Give the file's JSON when the whole of it is one value, else its first line's, else None."""
    data, _ = unpack(path)
    for text in (data, data.split(b"\n", 1)[0]):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            continue
    return None


def _mine(sources: Sequence[str | Path]) -> Collection:
    """Mine topics of transcripts; the collection is named after the files, not where they lie."""
    from lcm_lab.transcripts.probes import mine
    from lcm_lab.transcripts.read import read

    name = ", ".join(Path(source).name for source in sources)
    return mine(read(sources), name)
