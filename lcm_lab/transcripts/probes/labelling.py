"""Labelling in ten minutes: what several policies found, shown blind, judged, kept in a CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab import whole
from lcm_lab.collection import Collection
from lcm_lab.collection.paths import expanded
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.query import require_words
from lcm_lab.ranking.base import Ranker
from lcm_lab.shown import counted
from lcm_lab.transcripts.probes.answers import Answer, columns, with_answers
from lcm_lab.transcripts.probes.blind import as_html, as_text, excerpt
from lcm_lab.transcripts.probes.handmade import HandMade, read_table
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.mine import mine

__all__ = ["Labelling", "label"]

DONE = "All questions are answered."


def label(
    source: Any,
    questions: Iterable[str],
    path: str | Path,
    *,
    policies: Iterable[Ranker] | Mapping[str, Ranker] | None = None,
    k: int = 5,
    seed: int = 0,
) -> Labelling:
    """Begin, or go on with, labelling what answers some questions.

    What the policies find is pooled and shown in an order that does not tell who found what. Every
    answer is written to the file at once; a question that is in it is not asked again.

    Parameters
    ----------
    source : Transcripts, Collection, Corpus, Store or LcmDatabase
    questions : iterable of str
        Write them before you look, as you would ask.
    path : str or Path
        A CSV, or TSV by its ending, made if need be; `HandMade` reads it. Of one that is there the
        first line says in which columns answers go.
    policies : policies, optional
        By default BM25, TF-IDF and the recommended one.
    k : int, default 5
        How many hits of each are pooled.
    seed : int, default 0
        Of the order in which candidates are shown.

    Examples
    --------
    >>> import tempfile
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["The database is Postgres.", "Lunch at noon?"])
    >>> table = f"{tempfile.mkdtemp()}/labels.csv"
    >>> labels = label(corpus, ["which database did we choose?"], table, policies=[lcm.BM25()])
    >>> labels.candidates["text"].tolist()
    ['The database is Postgres.']
    >>> labels.answer(1)
    Labelling of 1 question: all are answered
    >>> labels.collection().qrels["docno"].tolist()
    ['m1']
    """
    depth: Any = k
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise BadParameter(f"k is how many hits of each policy, 1 or more. Got {k!r}.")
    listed = [questions] if isinstance(questions, str) else list(questions)
    asked = list(dict.fromkeys(require_words(question) for question in listed))
    if not asked:
        raise BadParameter("There are no questions. Write some, as you would ask them.")
    return Labelling(source, asked, path, _rankers(policies), k, seed)


def _rankers(policies: Any) -> list[Ranker]:
    if policies is None:
        from lcm_lab.ranking.lexical.words import BM25, TfIdf
        from lcm_lab.ranking.named.recommended import Recommended

        return [BM25(), TfIdf(), Recommended()]
    listed = list(policies.values()) if isinstance(policies, Mapping) else policies
    found = [listed] if isinstance(listed, Ranker) else list(listed)
    wrong = next((one for one in found if not isinstance(one, Ranker)), None)
    if wrong is not None or not found:
        got = "none" if wrong is None else repr(wrong)
        raise BadParameter(f"policies are rankers, such as [BM25(), TfIdf()]. Got {got}.")
    return found


class Labelling:
    """Questions to be judged, one after the other; shown as a card in a notebook.

    Attributes
    ----------
    questions : list of str
        All of them.
    path : Path
        The CSV that holds the answers.

    Examples
    --------
    >>> import tempfile
    >>> import lcm_lab as lcm
    >>> corpus = lcm.Corpus(["The database is Postgres.", "Lunch at noon?"])
    >>> table = f"{tempfile.mkdtemp()}/labels.csv"
    >>> labels = lcm.label(corpus, ["which database?"], table, policies=[lcm.BM25()])
    >>> labels.question, labels.left
    ('which database?', 1)
    """

    def __init__(
        self,
        source: Any,
        questions: list[str],
        path: str | Path,
        policies: list[Ranker],
        k: int,
        seed: int,
    ) -> None:
        self.questions, self.path = questions, expanded(path)
        self._source, self._k, self._seed = source, k, seed
        self._history = History.of(source)
        self._searchers = [policy.fit(self._history.corpus) for policy in policies]
        self._passed: set[str] = set()
        self._done: list[str] = self._read()

    def __repr__(self) -> str:
        what = f"Labelling of {counted(len(self.questions), 'question')}"
        if self.question is None:
            return f"{what}: all are answered"
        return f"{what}: {self.left} left\n\n{as_text(self.question, self.candidates)}"

    def _repr_html_(self) -> str:
        if self.question is None:
            return f"<p>{DONE}</p>"
        return f"<p>{self.left} left</p>{as_html(self.question, self.candidates)}"

    @property
    def question(self) -> str | None:
        """The question that is asked now; None where all are answered."""
        open_ = [one for one in self.questions if one not in self._done]
        return next((one for one in open_ if one not in self._passed), next(iter(open_), None))

    @property
    def left(self) -> int:
        """How many questions are not answered."""
        return sum(question not in self._done for question in self.questions)

    @property
    def candidates(self) -> pd.DataFrame:
        """What the policies found for the question, numbered from 1: text, role, session, time.

        A long text is cut to the place that holds the most words of the question; secrets are
        masked.
        """
        question, corpus = self.question, self._history.corpus
        rows = self._pool(question) if question else []
        texts = [excerpt(self._history.texts[row], question or "") for row in rows]
        shown = {name: corpus[name].iloc[rows].to_numpy() for name in ("role", "session")}
        times = corpus["time"].iloc[rows].dt.strftime("%Y-%m-%d %H:%M").fillna("no time").to_numpy()
        return pd.DataFrame({"text": texts, **shown, "time": times}, index=range(1, len(rows) + 1))

    def answer(self, *numbers: int) -> Labelling:
        """Say which candidates answer the question, by number; none for none of them.

        Raises
        ------
        BadParameter
            For a number that is not shown, or where nothing is left to answer.
        """
        question = self._open()
        rows = self._pool(question)
        there = range(1, len(rows) + 1)
        wrong = [number for number in numbers if type(number) is not int or number not in there]
        if wrong:
            raise BadParameter(f"Candidates are 1 to {len(rows)}. Got {wrong[0]!r}.")
        judged = [(self._history.docnos[row], int(n in numbers)) for n, row in enumerate(rows, 1)]
        if not judged:
            raise BadParameter(
                f"No policy finds anything for {question!r}, so there is nothing to judge. "
                "skip() it."
            )
        self._write([(question, docno, grade) for docno, grade in judged])
        self._done.append(question)
        return self

    def skip(self) -> Labelling:
        """Leave the question for later, after all others."""
        question = self._open()
        if self._passed >= {one for one in self.questions if one not in self._done} - {question}:
            self._passed.clear()
        self._passed.add(question)
        return self

    def collection(self) -> Collection:
        """Make a collection of what was answered so far."""
        return mine(self._source, [HandMade(str(self.path))], name=self.path.stem)

    def _open(self) -> str:
        if self.question is None:
            raise BadParameter(f"{DONE} labels.collection() gives what was answered.")
        return self.question

    def _pool(self, question: str) -> list[int]:
        """Give the rows that any policy has among its first, in an order drawn for the question."""
        corpus = self._history.corpus
        found = (search(question)["docno"].tolist()[: self._k] for search in self._searchers)
        rows = sorted({int(row) for docnos in found for row in corpus.row_of(docnos)})
        rng = np.random.default_rng([self._seed, self.questions.index(question)])
        return [rows[i] for i in rng.permutation(len(rows))]

    def _read(self) -> list[str]:
        if not self.path.exists() or not self.path.stat().st_size:
            return []
        known = set(self._history.docnos)
        lines = read_table(str(self.path))
        columns(str(self.path), self.path.read_bytes())
        strange = next((line for line in lines if line.message and line.message not in known), None)
        if strange is not None:
            raise BadInput(
                f"{str(self.path)!r}, row {strange.number}, judges {strange.message!r}, which this "
                "history does not hold. Give the history that it was made of, or another file."
            )
        return [line.question for line in lines]

    def _write(self, answers: list[Answer]) -> None:
        """Add answers to the file, all or none: one that is cut short may be another judgement."""
        before = self.path.read_bytes() if self.path.exists() else b""
        after = with_answers(str(self.path), before, answers)
        with whole.file(self.path) as part:
            part.write_bytes(after)
