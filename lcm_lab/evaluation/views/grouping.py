"""Into which groups topics fall: a column of theirs, or what follows from question and answer.

Derived groups, with their bins (each from its first number up to, not with, the next):

- ``length``: tokens of the question; ``gold_length``: tokens of its relevant documents, on average;
- ``age``: days from the newest relevant document to the moment of the topic (``asked_at``, else the
  newest time that it may see); unknown where a time is, or where the document came later;
- ``language``: the script of the question, that of most of its letters;
- ``conversation``: the one a topic is asked of, else that of its best judged document;
- ``answerable``: whether the topic may see anything relevant to it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from lcm_lab.columns import NO_TIME
from lcm_lab.errors import unknown
from lcm_lab.evaluation.judge import Bench, homes
from lcm_lab.text import count_tokens

__all__ = ["AGES", "DERIVED", "GOLD_TOKENS", "QUESTION_TOKENS", "Groups", "groups", "script"]

Floats = npt.NDArray[np.float64]

#: Where the bins of a derived group begin.
QUESTION_TOKENS = (0, 8, 12, 16, 24, 48)
GOLD_TOKENS = (0, 16, 64, 256, 1024)
AGES = (0, 1, 7, 30, 90, 365)

DAY = 86_400_000_000
UNKNOWN = "unknown"
#: Letters of these scripts are read as one: Japanese and Korean mix theirs.
CJK = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")

#: The name of each group, in the order they are shown, and the group of each topic.
Groups = tuple[list[Any], npt.NDArray[np.int64]]


def groups(bench: Bench, column: str) -> Groups:
    """Give the groups of a column, and the number of the group of each topic.

    A column of the topics comes first, its values in order of first appearance, but for
    ``conversation`` where not every topic names its own; the bins of a derived group rise.

    Raises
    ------
    NotFound
        For a name that is neither.
    """
    topics = bench.collection.topics
    if column in topics and not (column in DERIVED and topics[column].isna().any()):
        return _numbered(_keys(topics[column]))
    if column in DERIVED:
        return DERIVED[column](bench)
    known = [*map(str, topics.columns), *(name for name in DERIVED if name not in topics)]
    raise unknown("column of the topics", column, known)


def _keys(column: pd.Series) -> list[object]:
    """Give the values as keys; filters may be lists, which are none."""
    return [str(v) if isinstance(v, list | set | dict) else v for v in column]


def _numbered(keys: Sequence[Any]) -> Groups:
    codes, names = pd.factorize(pd.Series(keys, dtype=object), use_na_sentinel=False)
    return list(names), np.asarray(codes, np.int64)


def _binned(values: Floats, starts: Sequence[int], unit: str) -> Groups:
    """Put numbers into bins, what is not known into one of its own; empty bins are left out."""
    ends = [f"{a} to {b} {unit}" for a, b in pairwise(starts)]
    names = [*ends, f"{starts[-1]} {unit} and more", UNKNOWN]
    places = np.searchsorted(np.array(starts, float), np.nan_to_num(values), "right") - 1
    places = np.where(np.isnan(values), len(starts), np.maximum(places, 0))
    there, codes = np.unique(places, return_inverse=True)
    return [names[i] for i in there], codes.astype(np.int64)


def _length(bench: Bench) -> Groups:
    tokens = np.asarray(count_tokens(pa.array(bench.topics.queries, pa.large_string())), float)
    return _binned(tokens, QUESTION_TOKENS, "tokens")


def _gold_length(bench: Bench) -> Groups:
    tokens = bench.collection.corpus.numpy("tokens")[bench.row[bench.relevant]]
    n = len(bench.topics)
    summed = np.bincount(bench.topic[bench.relevant], weights=tokens, minlength=n)
    means = np.full(n, np.nan)
    np.divide(summed, bench.n_relevant, out=means, where=bench.n_relevant > 0)
    return _binned(means, GOLD_TOKENS, "tokens")


def _age(bench: Bench) -> Groups:
    times, n = bench.collection.corpus.numpy("time"), len(bench.topics)
    newest = np.full(n, NO_TIME, np.int64)
    np.maximum.at(newest, bench.topic[bench.relevant], times[bench.row[bench.relevant]])
    asked = bench.topics.clock
    known = (newest != NO_TIME) & (asked != NO_TIME) & (asked >= newest)
    days = np.full(n, np.nan)
    days[known] = (asked[known] - newest[known]) / DAY
    return _binned(days, AGES, "days")


def _language(bench: Bench) -> Groups:
    return _numbered([script(query) for query in bench.topics.queries])


def script(text: str) -> str:
    """Name the script of most letters of a text; of several alike the first in the alphabet.

    Examples
    --------
    >>> script("Where is the café?"), script("昨日のバックアップ"), script("42?")
    ('Latin', 'CJK', 'none')
    """
    plain = unicodedata.normalize("NFKC", text)  # half and full width are the same letters
    letters = (unicodedata.name(c, "").split(" ")[0] for c in plain if c.isalpha())
    counts = Counter("CJK" if word in CJK else word.capitalize() for word in letters if word)
    if not counts:
        return "none"
    return min(counts, key=lambda name: (-counts[name], name))


def _conversation(bench: Bench) -> Groups:
    return _numbered([UNKNOWN if name is None else name for name in homes(bench)])


def _answerable(bench: Bench) -> Groups:
    names = ["nothing to find", "something to find"]
    there, codes = np.unique(bench.answerable, return_inverse=True)
    return [names[int(i)] for i in there], codes.astype(np.int64)


DERIVED: Mapping[str, Callable[[Bench], Groups]] = {
    "length": _length,
    "gold_length": _gold_length,
    "age": _age,
    "language": _language,
    "conversation": _conversation,
    "answerable": _answerable,
}
