"""Scorers that find what is literally there: a pattern, or a stretch of text."""

from __future__ import annotations

import itertools
import re
import unicodedata
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.exact.match import has_cjk, like_terms
from lcm_lab.ranking.exact.regex import Pattern, marked
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows, count, rows_of
from lcm_lab.run import Hits
from lcm_lab.text import clean
from lcm_lab.values import value

__all__ = ["Regex", "Substring"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class _Found(Scorer):
    """A scorer that tells of any row whether it is a hit: extend `hits`."""

    fields: tuple[str, ...]

    @abstractmethod
    def hits(self, index: Texts, query: str, rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which rows are hits; shape (n_rows,)."""

    def index(self, corpus: Corpus) -> Texts:
        """Give the texts in composed form, shared by all that look into the same fields."""
        made = corpus.memo(("texts", self.fields), lambda: Texts.of(corpus, self.fields))
        return cast(Texts, made)

    def score(self, index: Texts, queries: Sequence[str]) -> Floats:
        """Give 1 where the text is a hit, else 0; shape (n_queries, n_docs), float64."""
        every = slice(0, len(index.composed))
        found = [self.hits(index, query, every) for query in queries]
        return np.array(found, np.float64).reshape(len(queries), len(index.composed))

    def topk(self, index: Texts, queries: Sequence[str], k: int, rows: Sequence[Rows]) -> Hits:
        """Give the first k hits among the allowed rows; no others are looked at."""
        lists = []
        for query, allowed in zip(queries, rows, strict=True):
            found = rows_of(allowed)[self.hits(index, query, allowed)][:k]
            lists.append((found, np.ones(len(found))))
        return Hits.stack(lists)

    def rescore(self, index: Texts, queries: Sequence[str], offsets: Ints, rows: Ints) -> Floats:
        """Give 1 where a given row is a hit, else 0; shape (n_hits,), float64."""
        parts = zip(queries, itertools.pairwise(offsets), strict=True)
        found = [self.hits(index, query, rows[a:b]) for query, (a, b) in parts]
        return np.concatenate([*found, np.empty(0, bool)]).astype(np.float64)


@dataclass(eq=False)
class Texts:
    """What is looked into: texts in composed form, and marked copies of those that need them."""

    composed: pa.LargeStringArray
    beyond_ascii: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, corpus: Corpus, fields: Sequence[str]) -> Texts:
        """Take the fields of a corpus."""
        view = corpus.view(fields).combine_chunks().cast(pa.large_string()).fill_null("")
        plain = pc.string_is_ascii(view).to_numpy(zero_copy_only=False)
        composed = view if plain.all() else pc.utf8_normalize(view, form="NFC")
        return cls(composed, ~plain)

    def take(self, rows: Rows) -> pa.LargeStringArray:
        """Give the texts of some rows."""
        if isinstance(rows, slice):
            return self.composed.slice(rows.start, count(rows))
        return self.composed.take(pa.array(rows))


@value
class Regex(_Found):
    r"""Find rows that match a pattern; the question is the pattern.

    Parameters
    ----------
    ignore_case : bool
        Whether letters match whatever their case.
    fields : tuple of str
        What of a row is looked into.

    Notes
    -----
    A hit scores 1, so hits stand in corpus order; `Newest` puts the newest first. Patterns run on
    RE2, whose time grows with the length of the text and never explodes; it has no look-around and
    no back references. ``\w``, ``\d``, ``\s`` and ``\b`` mean what they mean in Unicode;
    ``\B``, and ``\W \D \S`` inside a negated class, are ASCII. ``.`` matches no new line, ``^``
    and ``$`` are the ends of the text, unless the pattern begins with ``(?s)`` or ``(?m)``. Pattern
    and text are compared in composed form (NFC). A pattern has at most 500 characters.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = lcm.Regex().fit(lcm.Corpus(["added retry with backoff", "retries: 3"]))
    >>> search(r"retr(y|ies): \d+")["docno"].tolist()
    ['m2']
    """

    ignore_case: bool = False
    fields: tuple[str, ...] = ("text",)

    def check(self) -> None:
        """Refuse fields that are none."""
        checks.texts("fields", self.fields, ("text",))

    def hits(self, index: Texts, query: str, rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which rows match the pattern; shape (n_rows,).

        Raises
        ------
        BadParameter
            For a query that is no pattern, saying where it is wrong.
        EmptyQuery
            For a pattern that the empty text satisfies.
        """
        pattern = Pattern.of(query)
        texts = index.take(rows)
        found = self._match(texts, pattern.plain)
        if pattern.edges:
            beyond = np.flatnonzero(index.beyond_ascii[rows])
            found[beyond] = self._match(marked(texts.take(pa.array(beyond))), pattern.over_marks)
        return found

    def _match(self, texts: pa.LargeStringArray, pattern: str) -> npt.NDArray[np.bool_]:
        return _mask(pc.match_substring_regex(texts, pattern, ignore_case=self.ignore_case))


@value
class Substring(_Found):
    """Find rows that hold the question as it stands, whatever its case.

    Parameters
    ----------
    fields : tuple of str
        What of a row is looked into.
    compat : {"episodic-memory", "lossless-claw"}, optional
        Look as that system does. episodic-memory: ``%`` and ``_`` stand for anything, and case is
        folded for ASCII alone. lossless-claw, for questions in CJK and no others: every stretch
        between white space must occur.

    Notes
    -----
    A hit scores 1, so hits stand in corpus order; `Newest` puts the newest first.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = lcm.Substring().fit(lcm.Corpus(["100% sure", "1000 sure"]))
    >>> search("100% S")["docno"].tolist()
    ['m1']
    """

    fields: tuple[str, ...] = ("text",)
    compat: str | None = None

    def check(self) -> None:
        """Refuse fields that are none, and systems that are not known."""
        checks.texts("fields", self.fields, ("text",))
        if self.compat not in (None, "episodic-memory", "lossless-claw"):
            raise BadParameter(
                f"compat must be None, 'episodic-memory' or 'lossless-claw'. Got {self.compat!r}."
            )

    def hits(self, index: Texts, query: str, rows: Rows) -> npt.NDArray[np.bool_]:
        """Tell which rows hold the query; shape (n_rows,)."""
        texts, query = index.take(rows), clean(query)
        if self.compat is None:
            stretch = unicodedata.normalize("NFC", query.strip())
            return _folded(texts, stretch)
        lowered = pc.ascii_lower(texts)
        if self.compat == "episodic-memory":
            like = _ascii_lower(query).replace("\\", "\\\\")
            return _mask(pc.match_like(lowered, f"%{like}%"))
        terms = like_terms(query) if has_cjk(query) else []
        found = np.full(len(texts), bool(terms))
        for term in terms:
            found &= _mask(pc.match_substring(lowered, term))
        return found


def _folded(texts: Any, stretch: str) -> npt.NDArray[np.bool_]:
    try:
        return _mask(pc.match_substring(texts, stretch, ignore_case=True))
    except pa.ArrowInvalid as error:  # RE2 looks for it, within a bound on memory
        raise BadParameter(
            f"A stretch of {len(stretch):,} characters is too long to look for. Ask for a part "
            f"of it: {stretch[:40]!r}."
        ) from error


def _mask(found: pa.BooleanArray) -> npt.NDArray[np.bool_]:
    return np.array(found.to_numpy(zero_copy_only=False), bool)


def _ascii_lower(text: str) -> str:
    return re.sub("[A-Z]+", lambda capitals: capitals[0].lower(), text)
