"""Topics: questions, each with the rows it may see and the moment it is asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, EmptyQuery
from lcm_lab.query import require_words
from lcm_lab.rows import Rows, count, intersect
from lcm_lab.times import instant

__all__ = ["Topics", "ids"]

#: Columns that describe a topic and never filter, whatever columns the corpus has.
DESCRIBE = {"qid", "query", "type", "answer", "answer_span", "asked_at"}


class Topics:
    """Questions ready to be asked of one corpus.

    Attributes
    ----------
    qids, queries : list of str
    rows : list of slice or int64 array
        What each topic may see; decided by its filters before anything is ranked.
    filters : list of dict
        The filters that were applied, `before` from ``asked_at`` included.
    """

    def __init__(
        self, corpus: Corpus, qids: list[str], queries: list[str], filters: list[dict[str, Any]]
    ) -> None:
        self.corpus, self.qids, self.queries, self.filters = corpus, qids, queries, filters
        for qid, query in zip(qids, queries, strict=True):
            _require(qid, query, alone=len(qids) == 1)
        self.rows = _resolve(corpus, filters)
        self._asked: list[Any] = [None] * len(qids)
        self._frame: pd.DataFrame | None = None
        self._memo: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, questions: Any, corpus: Corpus, **filters: Any) -> Topics:
        """Make topics of a question, several, or a DataFrame with a ``query`` column.

        A frame's columns that the corpus can filter on (conversation, session, role, since, before,
        ...) narrow their own topic; missing values narrow nothing. ``asked_at`` hides what came at
        that moment or later, unless ``before`` is given. ``filters`` narrow every topic.

        Raises
        ------
        EmptyQuery
            For a question with nothing to look for.
        BadInput
            For a frame without ``query``, or repeated qids.
        """
        if isinstance(questions, Topics):
            if questions.corpus is not corpus:
                raise BadInput("These topics were made for another corpus. Make them anew.")
            return questions.narrow(filters) if filters else questions
        if isinstance(questions, pd.DataFrame):
            return cls._of_frame(questions, corpus, filters)
        if not isinstance(questions, Iterable) or isinstance(questions, bytes):
            raise BadParameter(f"Ask a text, several, or a DataFrame. Got {questions!r:.80}.")
        listed = [questions] if isinstance(questions, str) else list(questions)
        qids = [f"q{i}" for i in range(1, len(listed) + 1)]
        return cls(corpus, qids, listed, [dict(filters) for _ in listed])

    @classmethod
    def _of_frame(cls, frame: pd.DataFrame, corpus: Corpus, filters: Mapping[str, Any]) -> Topics:
        _require_columns(frame, corpus)
        numbered = pd.Series([f"q{i}" for i in range(1, len(frame) + 1)], dtype=object)
        qids = ids(frame.get("qid", numbered), "topics")
        blank = frame["query"].isna().to_numpy()
        if blank.any():
            raise BadInput(f"Topic {qids[int(blank.argmax())]} has no query.")
        if len(set(qids)) < len(qids):
            twice = next(qid for qid in qids if qids.count(qid) > 1)
            raise BadInput(f"Two topics have the qid {twice!r}. Give each a qid of its own.")
        narrowing = [n for n in corpus.filters if n in frame.columns and n not in DESCRIBE]
        # Without a column pandas 3.0.0 gives no record for a row.
        rows = frame[narrowing].to_dict("records") if narrowing else [{}] * len(frame)
        own = [_present(row) for row in rows]
        asked = (
            [instant(t) for t in frame["asked_at"]] if "asked_at" in frame else [None] * len(own)
        )
        timed = bool((corpus.numpy("time") != NO_TIME).any())
        for given, moment in zip(own, asked, strict=True):
            if timed and moment is not None and "before" not in given:
                given["before"] = moment
        made = cls(corpus, qids, [str(q) for q in frame["query"]], [f | dict(filters) for f in own])
        made._asked, made._frame = asked, frame.reset_index(drop=True)
        return made

    def __len__(self) -> int:
        return len(self.qids)

    @property
    def frame(self) -> pd.DataFrame:
        """The topics as a DataFrame, a row each: qid, query and whatever came with them."""
        if self._frame is None:
            self._frame = pd.DataFrame({"qid": self.qids, "query": self.queries})
        return self._frame

    @cached_property
    def clock(self) -> npt.NDArray[np.int64]:
        """When each topic is asked, in microseconds: ``asked_at``, else the newest time it sees."""
        times, newest = self.corpus.numpy("time"), dict[Any, int]()
        moments = []
        for asked, rows in zip(self._asked, self.rows, strict=True):
            key = (rows.start, rows.stop) if isinstance(rows, slice) else id(rows)
            if asked is None and key not in newest:
                newest[key] = int(times[rows].max()) if count(rows) else NO_TIME
            moments.append(newest[key] if asked is None else asked)
        return np.array(moments, np.int64)

    def narrow(self, filters: Mapping[str, Any]) -> Topics:
        """Give the same topics, each seeing only those of its rows that pass ``filters`` too."""
        within = self.corpus.rows(**filters)
        made = Topics.__new__(Topics)
        made.__dict__ |= self.__dict__ | {"clock": self.clock, "_memo": {}}
        made.filters = [given | dict(filters) for given in self.filters]
        made.rows = [intersect(rows, within) for rows in self.rows]
        return made

    def asked_of(self, corpus: Corpus) -> Topics:
        """Give the same questions, under the same filters and at the same moments, of a corpus."""
        made = Topics(corpus, self.qids, self.queries, [dict(given) for given in self.filters])
        made._asked, made._frame = self._asked, self._frame
        return made

    def memo(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Keep what is derived from these topics and a leaf alone, so that policies share it."""
        if key not in self._memo:
            self._memo[key] = make()
        return self._memo[key]

    def pick(self, which: Iterable[int]) -> Topics:
        """Give some of the topics, by position."""
        made, which = Topics.__new__(Topics), list(which)
        made.corpus, made._memo = self.corpus, {}
        made._frame = self.frame.iloc[which].reset_index(drop=True)
        for name in ("qids", "queries", "filters", "rows", "_asked"):
            setattr(made, name, [getattr(self, name)[i] for i in which])
        return made


def ids(column: pd.Series, of: str) -> list[str]:
    """Give ids as text; whole numbers stay whole, though a missing one beside them made them float.

    Raises
    ------
    BadInput
        Where one is missing.

    Examples
    --------
    >>> ids(pd.Series([1.0, 2.0], name="qid"), "topics")
    ['1', '2']
    """
    if column.isna().any():
        at = int(column.isna().to_numpy().argmax())
        raise BadInput(f"{of} have no {column.name} in row {at}. Give every row one.")
    whole = (int(one) if isinstance(one, float) and one.is_integer() else one for one in column)
    return [str(one) for one in whole]


def _require_columns(frame: pd.DataFrame, corpus: Corpus) -> None:
    """Refuse topics without questions, and a misspelt filter, which would filter nothing."""
    names = [str(name) for name in frame.columns]
    if "query" not in names:
        raise BadInput(f"Topics need a 'query' column. These have {', '.join(names)}.")
    known = {*DESCRIBE, *corpus.columns, *corpus.filters}
    for name in (name for name in names if name not in known):
        close = get_close_matches(name, corpus.filters, n=1, cutoff=0.85)
        if close:
            raise BadInput(
                f"Topics have a column {name!r}, which filters nothing. For the filter write "
                f"{close[0]!r}; for something else, a name less like it."
            )


def _require(qid: str, query: str, *, alone: bool) -> None:
    try:
        require_words(query)
    except EmptyQuery as error:
        raise (error if alone else EmptyQuery(f"Topic {qid}: {error}")) from None


def _present(row: Mapping[Any, Any]) -> dict[str, Any]:
    listed = {n: list(v) if isinstance(v, np.ndarray) else v for n, v in row.items()}
    return {
        name: given
        for name, given in listed.items()
        if isinstance(given, list | tuple | set) or not (given is None or pd.isna(given))
    }


def _resolve(corpus: Corpus, filters: list[dict[str, Any]]) -> list[Rows]:
    found: dict[str, Rows] = {}
    for given in filters:
        key = repr(sorted(given.items()))
        if key not in found:
            found[key] = corpus.rows(**given)
    return [found[repr(sorted(given.items()))] for given in filters]
