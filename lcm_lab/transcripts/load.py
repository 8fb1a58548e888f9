"""`load`: a collection by name or by path, recognised by what is there."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from lcm_lab.collection import Collection
from lcm_lab.collection.files import is_collection
from lcm_lab.collection.paths import called, expanded
from lcm_lab.errors import NotFound, nearest
from lcm_lab.transcripts import beir
from lcm_lab.transcripts.benchmarks import benchmark
from lcm_lab.transcripts.sources import find

__all__ = ["load", "shipped"]


def load(source: str | Path | Sequence[str | Path]) -> Collection:
    """Load a collection: a shipped one by name, or whatever a path holds.

    Parameters
    ----------
    source : str, Path, or several
        A name that `shipped` lists; a folder that `Collection.save` wrote, or one in the BEIR
        layout (``corpus.jsonl``, ``queries.jsonl``, ``qrels/*.tsv``); files of LoCoMo, BEAM or
        LongMemEval; or agent transcripts. Files are one, a folder, a glob, or several of these.
        ``./name`` is always a path.

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
    path = expanded(source)
    if path.is_dir():
        return _folder(path)
    if path.exists():
        return _mine([path])
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


def _mine(sources: Sequence[str | Path]) -> Collection:
    """Give the benchmark that files hold, or mine topics of the transcripts in them.

    The collection is named after the files, not where they lie.
    """
    from lcm_lab.transcripts.probes.mine import mine
    from lcm_lab.transcripts.read import read

    name = ", ".join(map(called, sources))
    found = benchmark(find(sources).paths, _stem(sources[0]) if len(sources) == 1 else name)
    return mine(read(sources), name=name) if found is None else found


def _stem(source: str | Path) -> str:
    """Name a collection after a file without its endings, or the folder that a glob looks in."""
    path = expanded(source)
    return path.parent.name if any(mark in path.name for mark in "*?[") else path.name.split(".")[0]
