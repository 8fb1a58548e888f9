"""Splitting on white space and nothing else, as published baselines do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.text import Column, Tokens
from lcm_lab.values import value

__all__ = ["Split"]


@value
class Split:
    """Take what stands between white space as the terms, untouched.

    "Postgres", "postgres" and "Postgres." are three terms: this shows what an analyzer is worth.

    Examples
    --------
    >>> Split().query("Did OPS-417 close?")
    ['Did', 'OPS-417', 'close?']
    """

    def analyze(self, column: Column) -> Tokens:
        """Give the stretches of every text of a column; nulls have none."""
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        texts = pc.utf8_trim_whitespace(pc.fill_null(whole.cast(pa.large_string()), ""))
        lists = pc.utf8_split_whitespace(texts)
        blank = pc.equal(texts, "").to_numpy(zero_copy_only=False)
        counts = np.where(blank, 0, pc.list_value_length(lists).to_numpy(zero_copy_only=False))
        flat = lists.flatten()
        encoded = flat.filter(pc.not_equal(flat, "")).dictionary_encode()
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        vocabulary = encoded.dictionary.to_pylist()
        ids = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), np.int32)
        never = np.zeros(len(vocabulary), bool)
        return Tokens(ids, offsets, counts.astype(np.int32), vocabulary, never)

    def query(self, text: str) -> list[str]:
        """Give the stretches of a question, in order, with repeats."""
        return text.split()
