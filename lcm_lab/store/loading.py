"""`load`: a collection by name or by path, whatever is there; also a store and an ``lcm.db``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lcm_lab.collection import Collection
from lcm_lab.collection.paths import called, expanded
from lcm_lab.store.recognised import database, is_database
from lcm_lab.transcripts import load as files

__all__ = ["load"]


def load(source: str | Path | Sequence[str | Path]) -> Collection:
    """Load a collection: a shipped one by name, or whatever a path holds.

    Parameters
    ----------
    source : str, Path, or several
        A name that ships; a folder that `Collection.save` wrote, or one in the BEIR layout
        (``corpus.jsonl``, ``queries.jsonl``, ``qrels/*.tsv``); files of LoCoMo, BEAM or
        LongMemEval; agent transcripts; a store, or the ``lcm.db`` of lossless-claw, which are only
        read. Files are one, a folder, a glob, or several of these. ``./name`` is always a path.

    Returns
    -------
    Collection
        Transcripts and databases have no questions of their own; theirs are mined (`mine`), and the
        card says so.

    Raises
    ------
    NotFound
        Neither a name nor a path; lists the names there are and the nearest.
    BadInput
        A file that is not what it should be, or of no format that is read; a history that nothing
        was said in.

    Examples
    --------
    >>> load("synth-chat-s").name
    'synth-chat-s'
    """
    if isinstance(source, str | Path) and is_database(expanded(source)):
        from lcm_lab.transcripts.probes.mine import mine

        with database(source) as held:
            return mine(held, name=called(source))
    return files.load(source)
