"""A corpus whose texts and indexes lie on the workers of a Dask cluster."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Hashable, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.corpus import UNFILTERED, Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.postings import Postings
from lcm_lab.ranking.links import lent_on
from lcm_lab.ranking.view import asks, questions
from lcm_lab.scale import part as on_worker
from lcm_lab.scale.files import named, write
from lcm_lab.scale.search import FarSearcher
from lcm_lab.scale.sights import Said, Sets, Shown
from lcm_lab.scale.words import Reads, Whole
from lcm_lab.scale.workers import Workers

__all__ = ["Shards", "shard"]

Ints = npt.NDArray[np.int64]


def shard(
    corpus: Corpus | Iterable[str | Path],
    client: Any,
    n: int | None = None,
    folder: str | Path | None = None,
) -> Shards:
    """Spread a corpus over the workers of a Dask cluster, whole conversations each.

    Parameters
    ----------
    corpus : Corpus, or paths
        Paths are of tables, parquet or Arrow, with the columns that `Corpus` takes and a docno;
        each is a shard, and no conversation lies in two. Workers open them, so that the rows never
        pass through this process.
    client : dask.distributed.Client
    n : int, optional
        Shards to cut a corpus into, the workers there are when not given; fewer where there are
        fewer conversations.
    folder : str or Path, optional
        Where the shards of a corpus are written, for the workers to read: on several machines, one
        that all of them see. A temporary one when not given, which goes with the `Shards`.

    Returns
    -------
    Shards
        ``policy.fit(shards)`` answers exactly as ``policy.fit(corpus)`` does, to the last bit.

    Raises
    ------
    BadParameter
        For what is neither a corpus nor paths, and for a client that is none.
    BadInput
        For a conversation or a docno that lies in two files, and files of different columns.

    Examples
    --------
    >>> from dask.distributed import Client                                  # doctest: +SKIP
    >>> shards = lcm.scale.shard(corpus, Client("tcp://scheduler:8786"))     # doctest: +SKIP
    >>> search = (lcm.BM25() % 100 >> lcm.Recency("30D") % 10).fit(shards)   # doctest: +SKIP
    >>> search("which database did we pick?")                                # doctest: +SKIP
    """
    _require_client(client)
    if not isinstance(corpus, Corpus):
        if n is not None or folder is not None or isinstance(corpus, str):
            raise BadParameter("Each path is a shard: give a list of them, without n or folder.")
        return Shards(client, named(corpus))
    if n is not None:
        checks.whole("n", n)
    home = Path(tempfile.mkdtemp(prefix="lcm-shards-")) if folder is None else Path(folder)
    shards = Shards(client, write(corpus, n or len(client.nthreads()) or 1, home))
    lent_on(corpus, shards)
    if folder is None:
        weakref.finalize(shards, shutil.rmtree, home)
    return shards


class Shards(Corpus):
    """A corpus of which each worker holds some conversations; made by `shard`.

    Filters, and whatever a policy does after its scorers have answered, work on the columns that
    are kept here, all but the text. Texts are fetched by row.

    Parameters
    ----------
    client : dask.distributed.Client
    paths : list of str
        One file a shard.
    """

    def __init__(self, client: Any, paths: list[str]) -> None:
        self._memo, self.workers = {}, Workers(client, paths)
        tables = self.workers.each(on_worker.light)
        self._table = _joined(tables, paths)
        sizes = [table.num_rows for table in tables]
        self.workers.starts = np.append(0, np.cumsum(sizes)).astype(np.int64)

    def __repr__(self) -> str:
        return f"{super().__repr__()}, in {len(self.workers.parts)} shards"

    def __reduce__(self) -> NoReturn:
        """Refuse: a connection to a cluster does not travel."""
        raise BadParameter(
            "Shards stay with their client. Ask them here, or send Corpus(shards.frame())."
        )

    def fit(self, policy: Ranker) -> FarSearcher:
        """Index every shard for a policy; what ``policy.fit(shards)`` does."""
        return FarSearcher(policy, self)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return ["text", *self._table.column_names]

    @cached_property
    def fingerprint(self) -> str:
        """A hexadecimal digest of every column; fetches all texts."""
        return Corpus(self.frame()).fingerprint

    def column(self, name: str) -> pa.ChunkedArray:
        """Give a column as an Arrow array; for ``text``, all texts are fetched."""
        if name != "text":
            return super().column(name)
        return cast(pa.ChunkedArray, self.memo("text", self._texts))

    def texts(self, rows: Ints) -> list[str]:
        """Fetch the texts of some rows, in the order asked."""
        return self.workers.by_row(rows, on_worker.texts)

    def memo(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Keep what is derived from the corpus alone; what needs texts is derived by workers."""
        return super().memo(key, self._elsewhere(key) or make)

    def said(self, rows: Ints, reads: Reads) -> tuple[Ints, npt.NDArray[np.int32]]:
        """Give the terms of some rows end to end, as `Tokens.of` does."""
        found = self.workers.where(rows, on_worker.terms, reads, self.workers.whole(reads))
        counts = np.zeros(len(rows), np.int64)
        for place, (sizes, _) in found:
            counts[place] = sizes
        ids, starts = np.empty(int(counts.sum()), np.int32), np.cumsum(counts) - counts
        for place, (sizes, terms) in found:
            before = np.cumsum(sizes) - sizes
            ids[np.arange(len(terms)) + np.repeat(starts[place] - before, sizes)] = terms
        return np.repeat(np.arange(len(rows)), counts), ids

    def _elsewhere(self, key: Hashable) -> Callable[[], Any] | None:
        """Tell how something is derived that needs texts, None for what needs none."""
        kind, *reads = key if isinstance(key, tuple) else (key,)
        makers: dict[Any, Callable[[], Any]] = {
            "shown": lambda: Shown(self),
            "asks": lambda: np.concatenate(self.workers.each(on_worker.mapped, asks)),
            "questions": lambda: np.concatenate(self.workers.each(on_worker.mapped, questions)),
            "term sets": lambda: Sets(self, *reads),
            "postings": lambda: self._known((reads[0], reads[1])),
            "forward": lambda: Said(self, (reads[0], reads[1]), self._whole((reads[0], reads[1]))),
        }
        return makers.get(kind)

    def _known(self, reads: Reads) -> Postings:
        """Give what is known of all rows, with lists that are empty here."""
        whole = self._whole(reads)
        lengths = np.concatenate(self.workers.each(on_worker.lengths, reads))
        return Postings(
            reads[0],
            whole.terms(),
            np.zeros(len(whole.stop) + 1, np.int64),
            np.empty(0, np.int32),
            np.empty(0, np.float32),
            lengths,
            whole.stop,
            whole=whole.statistics,
        )

    def _whole(self, reads: Reads) -> Whole:
        return cast(Whole, self.workers.whole(reads).result())

    @cached_property
    def _filterable(self) -> dict[str, None]:
        texts = (n for n in self._table.column_names if pa.types.is_string(self._table[n].type))
        return dict.fromkeys(name for name in texts if name not in UNFILTERED)

    def _texts(self) -> pa.ChunkedArray:
        return pa.chunked_array(self._parts_of("text"), pa.large_string())

    def _count(self) -> pa.ChunkedArray:
        return pa.chunked_array(self._parts_of("tokens"), pa.int32())

    def _parts_of(self, name: str) -> list[pa.Array]:
        return [whole.combine_chunks() for whole in self.workers.each(on_worker.column, name)]


def _joined(tables: list[pa.Table], paths: list[str]) -> pa.Table:
    """Put the rows of shards end to end, and refuse shards that do not fit together."""
    for table, path in zip(tables, paths, strict=True):
        if table.schema != tables[0].schema:
            raise BadInput(
                f"{path} has the columns {', '.join(table.column_names)}, and {paths[0]} has "
                f"{', '.join(tables[0].column_names)}. Give all shards the same, of the same types."
            )
    whole = pa.concat_tables(tables)
    talks = [set(table["conversation"].unique().to_pylist()) for table in tables]
    twice = sorted(set().union(*talks)) if sum(map(len, talks)) else []
    if len(twice) < sum(map(len, talks)):
        name = next(n for n in twice if sum(n in talk for talk in talks) > 1)
        raise BadInput(f"The conversation {name!r} lies in two shards. Keep each in one file.")
    if pc.count_distinct(whole["docno"]).as_py() < whole.num_rows:
        raise BadInput("Two shards have the same docno. Give every row a docno of its own.")
    return whole


def _require_client(client: Any) -> None:
    if not hasattr(client, "submit") or not hasattr(client, "nthreads"):
        raise BadParameter(
            f"shard() needs a client of a Dask cluster. Got {client!r:.80}. Write "
            "dask.distributed.Client(address); it comes with pip install 'lcm-lab[dask]'."
        )
    if getattr(client, "asynchronous", False):
        raise BadParameter("shard() waits for answers. Give a Client without asynchronous=True.")
