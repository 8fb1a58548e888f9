"""The corpus: immutable columns, rows in (conversation, seq) order.

That order carries the performance: a conversation is a slice of the corpus, and where its times
rise, so is a time window inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.columns import NO_TIME, as_table, in_order
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.ids import digest
from lcm_lab.rows import Rows, intersect, rows_of, tidy
from lcm_lab.shown import counted
from lcm_lab.text import count_tokens
from lcm_lab.times import bound, date_words

__all__ = ["BEHIND", "Corpus"]

#: Under which `Corpus.memo` keeps the conversations that were not up to date in its store.
BEHIND = "behind"

#: Columns that are no filter of their own; since and before work on time.
UNFILTERED = {"docno", "text", "seq", "time", "tokens"}


class Corpus:
    """Messages (or any documents) as immutable columns, in (conversation, seq) order.

    Parameters
    ----------
    rows : iterable of str or dict, DataFrame, or pyarrow Table
        Columns are docno, text, conversation, session, seq, role, speaker, scope, kind, time and
        tokens; only text is needed. Others are kept and, when they hold text, can be filtered on.
        Times without a zone are UTC.

    Raises
    ------
    BadInput
        For rows without text, repeated docnos, or values that a column cannot hold.

    Examples
    --------
    >>> corpus = Corpus([{"text": "use WAL", "role": "user"}, {"text": "done", "role": "tool"}])
    >>> corpus
    Corpus of 2 messages in 1 conversation
    >>> corpus.rows(role="tool")
    slice(1, 2, None)
    """

    def __init__(self, rows: Any) -> None:
        self._table = in_order(as_table(rows))
        self._memo: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __repr__(self) -> str:
        talks = counted(len(self.conversations), "conversation")
        return f"Corpus of {counted(len(self), 'message')} in {talks}"

    def __getitem__(self, name: str) -> pd.Series:
        """Give a column as a Series."""
        return cast(pd.Series, self.column(name).to_pandas())

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._table.column_names)

    @property
    def filters(self) -> list[str]:
        """Names that `rows` takes, since and before included."""
        return [*self._filterable, "since", "before"]

    def column(self, name: str) -> pa.ChunkedArray:
        """Give a column as an Arrow array."""
        if name not in self.columns:
            there = ", ".join(self.columns)
            raise BadParameter(
                f"No column {name!r}. This corpus has {there}.{nearest(name, self.columns)}"
            )
        if name == "tokens" and self._table["tokens"].null_count:
            return self.memo("tokens", self._count)
        return self._table[name]

    def numpy(self, name: str) -> npt.NDArray[Any]:
        """Give a column as an array; times in microseconds since 1970, unknown the least int64."""
        return cast("npt.NDArray[Any]", self.memo(("numpy", name), lambda: self._numpy(name)))

    def frame(self) -> pd.DataFrame:
        """Give all columns as a DataFrame, a row a message."""
        return pd.DataFrame({name: self[name] for name in self.columns})

    def texts(self, rows: npt.NDArray[np.int64]) -> list[str]:
        """Give the texts of some rows, in the order asked."""
        return cast("list[str]", self.column("text").take(pa.array(rows)).to_pylist())

    def memo(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Keep what is derived from the corpus alone, made once: codes, counts, postings."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def kept(self, key: Hashable) -> Any:
        """Give what `memo` keeps under a key, or None where nothing was made yet."""
        return self._memo.get(key)

    @cached_property
    def conversations(self) -> dict[str, slice]:
        """The rows of each conversation, in order of first appearance."""
        codes, names = self.codes("conversation")
        edges = np.searchsorted(codes, np.arange(len(names) + 1))
        return {name: slice(int(edges[i]), int(edges[i + 1])) for i, name in enumerate(names)}

    @cached_property
    def fingerprint(self) -> str:
        """A hexadecimal digest of every column but the derived tokens, in whatever order."""
        parts: list[str | bytes] = []
        for name in sorted(self.columns):
            if name != "tokens":
                parts += [name, *_content(self._table[name])]
        return digest(*parts)

    def codes(self, name: str) -> tuple[npt.NDArray[np.int32], list[str]]:
        """Give a text column as numbers, shape (n,), and the texts that they stand for."""
        found = self.memo(("codes", name), lambda: self._encode(name))
        return cast("tuple[npt.NDArray[np.int32], list[str]]", found)

    def row_of(self, docnos: Sequence[str] | pd.Series) -> npt.NDArray[np.int64]:
        """Give the row of each docno, -1 where there is none; shape (len(docnos),), int64."""
        index = self.memo("row_of", lambda: pd.Index(self["docno"]))
        return np.asarray(index.get_indexer(pd.Index(docnos, dtype=index.dtype)), np.int64)

    def rows(self, **filters: Any) -> Rows:
        """Give the rows that satisfy every filter, as a slice where they lie together.

        Parameters
        ----------
        conversation, session, role, speaker, scope, kind, or any other text column
            A value, or several of which one must hold. None filters nothing.
        since, before
            Instants; since is inclusive, before is not. Rows of unknown time satisfy neither.

        Raises
        ------
        BadParameter
            For a filter that is not a column, or a time that is not one.
        """
        found: Rows = self.conversations_of(filters.get("conversation"))
        for name, wanted in filters.items():
            if name not in ("since", "before") and name not in self._filterable:
                there = ", ".join(self.filters[:-2])
                raise BadParameter(
                    f"Cannot filter on {name!r}. This corpus has {there}; since and before work on "
                    f"time.{nearest(name, self.filters)}"
                )
            if wanted is not None and name not in ("conversation", "since", "before"):
                found = self._equal(found, name, wanted)
        if filters.get("since") is None and filters.get("before") is None:
            return found
        return self._between(found, bound(filters.get("since")), bound(filters.get("before")))

    def conversations_of(self, wanted: Any) -> Rows:
        """Give the rows of one conversation, of several, or of all (None)."""
        if wanted is None:
            return slice(0, len(self))
        if isinstance(wanted, str):
            return cast(Rows, self.conversations.get(wanted, slice(0, 0)))
        return self._equal(slice(0, len(self)), "conversation", wanted)

    def view(
        self, fields: Sequence[str] = ("date", "speaker", "text"), start: int = 0
    ) -> pa.ChunkedArray:
        """Give the text that a scorer indexes: the fields of each row, one after the other.

        ``date`` is the day in words ("8 May 2023", UTC), empty where the time is unknown.
        Rows before ``start`` are left out.
        """
        parts = [self.column("time" if field == "date" else field)[start:] for field in fields]
        parts = [date_words(p) if f == "date" else p for f, p in zip(fields, parts, strict=True)]
        parts = [part.cast(pa.large_string()) for part in parts]
        return pc.binary_join_element_wise(*parts, pa.scalar(" ", pa.large_string()))

    @cached_property
    def _filterable(self) -> dict[str, None]:
        texts = (n for n in self.columns if pa.types.is_string(self._table[n].type))
        return dict.fromkeys(name for name in texts if name not in UNFILTERED)

    def _equal(self, rows: Rows, name: str, wanted: Any) -> Rows:
        codes, names = self.codes(name)
        some = [wanted] if isinstance(wanted, str) else wanted
        if isinstance(some, Mapping) or not isinstance(some, Collection):
            raise BadParameter(f"{name} must be a text or several. Got {wanted!r}.")
        place = self.memo(("places", name), lambda: {one: at for at, one in enumerate(names)})
        codes_wanted = [place[one] for one in some if isinstance(one, str) and one in place]
        return tidy(rows_of(rows)[np.isin(codes[rows], codes_wanted)])

    def _between(self, rows: Rows, since: int | None, before: int | None) -> Rows:
        low = NO_TIME + 1 if since is None else since
        high = np.iinfo(np.int64).max if before is None else before
        if low > high:
            raise BadParameter(
                f"since is later than before, by {(low - high) / 1e6:g} s. Swap them."
            )
        times = self.numpy("time")
        if isinstance(rows, slice) and self._rising(rows):
            start, stop = np.searchsorted(times[rows], (low, high))
            return intersect(rows, slice(rows.start + int(start), rows.start + int(stop)))
        found = times[rows]
        return tidy(rows_of(rows)[(found >= low) & (found < high)])

    def _rising(self, rows: slice) -> bool:
        times = self.numpy("time")[rows]
        key = ("rising", rows.start, rows.stop)
        return bool(self.memo(key, lambda: bool(np.all(times[1:] >= times[:-1]))))

    def _encode(self, name: str) -> tuple[npt.NDArray[np.int32], list[str]]:
        encoded = self._table[name].combine_chunks().dictionary_encode()
        return encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist()

    def _numpy(self, name: str) -> npt.NDArray[Any]:
        column = self.column(name)
        if name == "time":
            column = pc.fill_null(column.cast(pa.int64()), NO_TIME)
        array = column.to_numpy()
        array.flags.writeable = False
        return cast("npt.NDArray[Any]", array)

    def _count(self) -> pa.ChunkedArray:
        counted = pa.array(count_tokens(self._table["text"]), pa.int32())
        return pa.chunked_array([pc.coalesce(self._table["tokens"].combine_chunks(), counted)])


def _content(column: pa.ChunkedArray) -> tuple[bytes, bytes]:
    """Give bytes that two columns share when and only when their values are equal."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        whole = column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column
        return repr(column.type).encode(), repr(whole.to_pylist()).encode()
    lengths = pc.binary_length(column).to_numpy().astype("<i8").tobytes()
    return lengths, "".join(column.to_pylist()).encode()
