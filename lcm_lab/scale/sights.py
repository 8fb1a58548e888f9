"""What steps that look at texts see of a corpus in shards: only the rows that they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from scipy import sparse

from lcm_lab.ranking.lexical.terms import Listed
from lcm_lab.ranking.steps.likeness import sets_of
from lcm_lab.scale import part as on_worker
from lcm_lab.text import Analysis

if TYPE_CHECKING:
    from lcm_lab.scale.shards import Shards
    from lcm_lab.scale.words import Reads, Whole

__all__ = ["Said", "Sets", "Shown"]

Ints = npt.NDArray[np.int64]


class Shown:
    """What `Run.frame` shows of rows, taken as from a DataFrame: ``shown.iloc[rows]``."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    @property
    def iloc(self) -> Shown:
        """Itself, to be asked for rows."""
        return self

    def __getitem__(self, rows: Ints) -> pd.DataFrame:
        """Give some rows: docno, conversation, time, text."""
        which = pa.array(rows)
        names = ("docno", "conversation", "time")
        columns = {name: self._shards.column(name).take(which).to_pandas() for name in names}
        texts = pa.array(self._shards.texts(rows), pa.large_string())
        return pd.DataFrame(columns | {"text": pa.chunked_array([texts]).to_pandas()})


class Sets:
    """Which row holds which term, as a table that is made of the rows that are asked for."""

    def __init__(self, shards: Shards, analyzer: Analysis, fields: Sequence[str]) -> None:
        self._shards, self._analyzer, self._fields = shards, analyzer, tuple(fields)

    def __getitem__(self, rows: Ints) -> sparse.csr_array:
        """Give 1 where a row holds a term; shape (n_rows, n_terms of these rows)."""
        said = self._shards.workers.by_row(rows, on_worker.viewed, self._fields)
        return sets_of(self._analyzer.analyze(pa.array(said, pa.large_string())))


class Said:
    """The terms of rows in the order of the text, fetched when asked for."""

    def __init__(self, shards: Shards, reads: Reads, whole: Whole) -> None:
        self._shards, self._reads = shards, reads
        self.vocabulary, self.stop = Listed(whole.terms()), whole.stop

    def of(self, docs: Ints) -> tuple[Ints, npt.NDArray[np.int32]]:
        """Give the terms of some documents end to end: (place in ``docs``, term), in order."""
        return self._shards.said(docs, self._reads)
