"""A corpus lent to worker processes: written once to a file that all of them map.

Sent by value it would be packed, sent and unpacked for each worker, and held by each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.topics import Topics

__all__ = ["lent", "settled"]

#: Ways of joblib to work in other processes of this machine.
LOCAL = ("LokyBackend", "MultiprocessingBackend")


@contextmanager
def lent(topics: Topics) -> Iterator[tuple[Topics, str | None]]:
    """Give topics to send, and the file of their corpus, or None where they hold it themselves.

    Workers on other machines do not see the file, and threads need none.
    """
    bare = copy(topics)
    bare._memo = {}
    if type(topics.corpus) is not Corpus or not _local():
        yield bare, None
        return
    bare.corpus = copy(topics.corpus)
    table, bare.corpus._table = topics.corpus._table, None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = str(Path(folder) / "corpus.arrow")
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        yield bare, path


def settled(corpus: Corpus, path: str) -> None:
    """Put the columns of the file under a corpus that was sent without."""
    corpus._table = pa.ipc.open_file(pa.memory_map(path)).read_all()


def _local() -> bool:
    from joblib.parallel import get_active_backend

    return type(get_active_backend()[0]).__name__ in LOCAL
