"""Other engines behind one door, for timing side by side; each comes with the extra ``bench``."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lcm_lab.corpus import Corpus
from lcm_lab.errors import MissingExtra
from lcm_lab.ranking.base import Ranker

__all__ = ["BM25s", "Engine", "FTS5Engine", "Ours", "Tantivy"]


class Engine(Protocol):
    """What is timed: build once, then ask for the ten best rows."""

    name: str

    def build(self, corpus: Corpus) -> None:
        """Index the texts of a corpus, from raw text."""

    def close(self) -> None:
        """Give back what the index took on disk."""

    def search(self, query: str) -> Any:
        """Give the ten best rows of all."""

    def within(self, query: str, conversation: str) -> Any:
        """Give the ten best rows of one conversation."""

    def between(self, query: str, rows: slice) -> Any:
        """Give the ten best rows of a stretch of the time line."""


class InMemory:
    """An engine that leaves nothing behind."""

    def close(self) -> None:
        """Nothing is on disk."""


class Ours(InMemory):
    """A policy of this library."""

    def __init__(self, name: str, policy: Ranker) -> None:
        self.name, self.policy = name, policy

    def build(self, corpus: Corpus) -> None:
        """Fit the policy to a fresh corpus, so that nothing is already analysed."""
        self.corpus = Corpus(corpus._table)
        self.searcher = self.policy.fit(self.corpus)
        self.times = self.corpus.numpy("time")

    def search(self, query: str) -> Any:
        """Give the ten best rows of all."""
        return self.searcher.run(query, 10)

    def within(self, query: str, conversation: str) -> Any:
        """Give the ten best rows of one conversation."""
        return self.searcher.run(query, 10, conversation=conversation)

    def between(self, query: str, rows: slice) -> Any:
        """Give the ten best rows of a stretch of the time line."""
        since, before = (int(self.times[row]) for row in (rows.start, rows.stop))
        return self.searcher.run(query, 10, since=since, before=before)


def _extra(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra(
            f"Timing beside {module} needs it: pip install 'lcm-lab[bench]'."
        ) from None


class BM25s(InMemory):
    """bm25s with its numba backend; it filters by zeroing scores."""

    name = "bm25s, numba"

    def __init__(self) -> None:
        self._bm25s = _extra("bm25s")
        _extra("numba")

    def build(self, corpus: Corpus) -> None:
        """Index with its own tokeniser, without stop words or stems."""
        texts = corpus["text"].tolist()
        tokens = self._bm25s.tokenize(texts, stopwords=None, show_progress=False)
        self.index = self._bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
        self.index.index(tokens, show_progress=False)
        self.size, self.spans = len(corpus), corpus.conversations

    def search(self, query: str) -> Any:
        """Give the ten best rows of all."""
        return self._ask(query)

    def within(self, query: str, conversation: str) -> Any:
        """Give the ten best rows of one conversation."""
        return self.between(query, self.spans[conversation])

    def between(self, query: str, rows: slice) -> Any:
        """Give the ten best rows of a stretch."""
        mask = np.zeros(self.size, np.float32)
        mask[rows] = 1
        return self._ask(query, weight_mask=mask)

    def _ask(self, query: str, **options: Any) -> Any:
        settings = {"k": 10, "show_progress": False, "n_threads": 1} | options
        return self.index.retrieve([query.split()], **settings)


class Tantivy:
    """tantivy on disk, two writing threads, positions kept."""

    name = "tantivy"

    def __init__(self) -> None:
        self._tantivy = _extra("tantivy")

    def build(self, corpus: Corpus) -> None:
        """Index text, conversation and row."""
        tantivy = self._tantivy
        self.folder = tempfile.TemporaryDirectory()
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", stored=False)
        schema.add_text_field("conversation", stored=False, tokenizer_name="raw")
        schema.add_integer_field("row", stored=False, indexed=True, fast=True)
        self.schema = schema.build()
        self.index = tantivy.Index(self.schema, path=self.folder.name)
        writer = self.index.writer(heap_size=256_000_000, num_threads=2)
        talks = corpus["conversation"].tolist()
        for row, text in enumerate(corpus["text"].tolist()):
            writer.add_document(tantivy.Document(text=text, conversation=talks[row], row=row))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def close(self) -> None:
        """Remove the index."""
        del self.searcher, self.index
        self.folder.cleanup()

    def search(self, query: str) -> Any:
        """Give the ten best rows of all."""
        return self.searcher.search(self._any(query), 10, count=False)

    def within(self, query: str, conversation: str) -> Any:
        """Give the ten best rows of one conversation."""
        term = self._tantivy.Query.term_query(self.schema, "conversation", conversation)
        return self._filtered(query, term)

    def between(self, query: str, rows: slice) -> Any:
        """Give the ten best rows of a stretch."""
        whole = self._tantivy.FieldType.Integer
        bounds = (rows.start, rows.stop - 1)
        span = self._tantivy.Query.range_query(self.schema, "row", whole, *bounds)
        return self._filtered(query, span)

    def _any(self, query: str) -> Any:
        kind, should = self._tantivy.Query, self._tantivy.Occur.Should
        terms = [(should, kind.term_query(self.schema, "text", word)) for word in query.split()]
        return kind.boolean_query(terms)

    def _filtered(self, query: str, condition: Any) -> Any:
        kind, must = self._tantivy.Query, self._tantivy.Occur.Must
        free = kind.const_score_query(condition, 0.0)
        both = kind.boolean_query([(must, self._any(query)), (must, free)])
        return self.searcher.search(both, 10, count=False)


class FTS5Engine:
    """SQLite's FTS5 beside a table of messages, on disk."""

    name = "SQLite FTS5"

    def build(self, corpus: Corpus) -> None:
        """Index text beside a table of conversations."""
        self.folder = tempfile.TemporaryDirectory()
        self.database = sqlite3.connect(Path(self.folder.name) / "fts.db")
        run: Callable[..., Any] = self.database.execute
        run("pragma journal_mode = wal")
        run("create table message(id integer primary key, conversation text, text text)")
        run("create virtual table found using fts5(text, content=message, content_rowid=id)")
        talks, texts = corpus["conversation"].tolist(), corpus["text"].tolist()
        rows = list(zip(range(len(texts)), talks, texts, strict=True))
        with self.database:
            self.database.executemany("insert into message values (?, ?, ?)", rows)
            run("insert into found(rowid, text) select id, text from message")
            run("insert into found(found) values ('optimize')")
            run("create index talk on message(conversation)")

    def close(self) -> None:
        """Remove the database."""
        self.database.close()
        self.folder.cleanup()

    def search(self, query: str) -> Any:
        """Give the ten best rows of all."""
        return self._ask(query, "", ())

    def within(self, query: str, conversation: str) -> Any:
        """Give the ten best rows of one conversation."""
        inside = "and rowid in (select id from message where conversation = ?)"
        return self._ask(query, inside, (conversation,))

    def between(self, query: str, rows: slice) -> Any:
        """Give the ten best rows of a stretch."""
        return self._ask(query, "and rowid >= ? and rowid < ?", (rows.start, rows.stop))

    def _ask(self, query: str, condition: str, given: tuple[Any, ...]) -> Any:
        words = " OR ".join(f'"{word}"' for word in query.split())
        sql = f"select rowid from found where found match ? {condition} order by rank limit 10"
        return self.database.execute(sql, (words, *given)).fetchall()
