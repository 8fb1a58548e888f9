"""What shows that saved posting lists are those that would be built now."""

from __future__ import annotations

import unicodedata
from hashlib import sha256
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import Stemmer

from lcm_lab import __version__
from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.ids import digest
from lcm_lab.text import Analysis

__all__ = ["VERSIONS", "content", "probe", "sources"]

#: What decides which terms a text has, or what a ranker of a given expression does with them.
VERSIONS = {
    "lcm-lab": __version__,
    "PyStemmer": str(Stemmer.version()),
    "Unicode": unicodedata.unidata_version,
}

#: Words that analyzers differ about, and how many texts of the corpus, cut to how many characters,
#: are read beside them.
WORDS = (
    "Running ponies, corriendo laufende; didn't it's src/app.py getUserName OPS-417 v1.2.3 "
    "Stra\u00dfe na\u00efve e\u0301 \u2460\ufb01 \u041c\u043e\u0441\u043a\u0432\u0430 "
    "\u6771\u4eac\u90fd \u304b\u306a \ud55c\uad6d\uc5b4 \u0e44\u0e17\u0e22"
)
SAMPLE, CHARACTERS = 16, 2_000


def sources(fields: tuple[str, ...]) -> list[str]:
    """Give the columns that fields are made of."""
    return ["time" if field == "date" else field for field in fields]


def probe(analyzer: Analysis, corpus: Corpus, fields: tuple[str, ...], size: int) -> str:
    """Give a digest of what an analyzer makes of some texts, as documents and as questions.

    The texts are words that analyzers differ about, and some of the first ``size`` rows: the same
    expression may stand for another stemmer, or for a class that was edited since.
    """
    texts = [WORDS]
    some = pa.array(np.unique(np.linspace(0, size - 1, SAMPLE).astype(np.int64)))
    for name in sources(fields) if size else []:
        if name != "time":
            texts += _text(corpus.column(name)).take(some).to_pylist()
    texts = [text[:CHARACTERS] for text in texts]
    read = analyzer.analyze(pa.array(texts, pa.large_string()))
    arrays = (read.ids, read.offsets, read.lengths, read.stop)
    asked = [term for text in texts for term in [*analyzer.query(text), None]]
    return digest(
        *read.vocabulary, *(np.asarray(one, np.int64).tobytes() for one in arrays), *asked
    )


def content(corpus: Corpus, fields: tuple[str, ...], size: int) -> str:
    """Give a digest of what is indexed of the first ``size`` rows, computed once."""
    key = ("content", fields, size)
    return cast(str, corpus.memo(key, lambda: _content(corpus, fields, size)))


def _content(corpus: Corpus, fields: tuple[str, ...], size: int) -> str:
    state = sha256()
    for name in sources(fields):
        column = corpus.column(name)[:size]
        if pa.types.is_timestamp(column.type):
            state.update(pc.fill_null(column.cast(pa.int64()), NO_TIME).to_numpy())
            continue
        column = _text(column)
        state.update(np.asarray(pc.binary_length(column).to_numpy(), np.int64).data)
        for chunk in filter(len, column.chunks):
            _, ends, data = chunk.buffers()
            first, last = np.frombuffer(ends, np.int64)[[chunk.offset, chunk.offset + len(chunk)]]
            state.update(memoryview(data)[first:last] if last > first else b"")
    return state.hexdigest()


def _text(column: Any) -> pa.ChunkedArray:
    """Give a column as text, null as nothing: both are indexed alike."""
    return pc.fill_null(column.cast(pa.large_string()), "")
