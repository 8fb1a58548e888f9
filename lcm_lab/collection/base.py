"""Collection: a corpus, its topics, its qrels, and the grade from which a judgement counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.collection import files, frames, units
from lcm_lab.collection.units import Unit
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag
from lcm_lab.errors import BadInput, BadParameter, unknown
from lcm_lab.ids import digest
from lcm_lab.shown import counted

__all__ = ["Collection"]


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """A corpus with topics and qrels: what `load` and `generate` return and `evaluate` takes.

    Parameters
    ----------
    name : str
        What a report calls it.
    corpus : Corpus
    topics : DataFrame
        One row a question: ``qid`` (unique), ``query``; ``type``, ``answer``, ``asked_at`` (an
        instant, UTC) where known; and any filter of that question (conversation, session, since,
        before, role, scope, kind, or another column of the corpus). A missing value is no filter.
    qrels : DataFrame
        One row a judgement: ``qid``, ``docno``, ``relevance`` (a whole number, at least 0), and
        ``stale`` (bool) where a document states what has since been superseded. A docno that the
        corpus does not hold is left out and listed under ``card["unknown_docnos"]``: no ranker
        could find it, so it must not count as a miss.
    relevant_from : int, default 1
        The grade from which a document counts as relevant in binary measures.
    card : dict
        Facts about the collection: source, licence, unit, notes, what was left out.

    Raises
    ------
    BadInput
        Missing columns, a qid twice, a judgement twice, or one of a question that nobody asks.

    Examples
    --------
    >>> from lcm_lab.corpus import Corpus
    >>> corpus = Corpus([{"docno": "m1", "text": "Postgres it is."}])
    >>> topics = pd.DataFrame({"qid": ["q1"], "query": ["which database?"]})
    >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    >>> Collection("tiny", corpus, topics, qrels)
    Collection 'tiny': 1 rows, 1 conversation, 1 topic (1 judged), 1 judgement
    """

    name: str
    corpus: Corpus
    topics: pd.DataFrame
    qrels: pd.DataFrame
    relevant_from: int = 1
    card: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        least: Any = self.relevant_from
        if isinstance(least, bool) or not isinstance(least, int | np.integer) or least < 1:
            raise BadInput(f"relevant_from is a grade, 1 or more. Got {least!r}.")
        topics = frames.topics(self.topics)
        qrels = frames.qrels(self.qrels, set(topics["qid"]))
        known = self.corpus.row_of(qrels["docno"].tolist()) >= 0
        missing = sorted(set(qrels.loc[~known, "docno"]))
        card = dict(self.card)
        if missing:
            card["unknown_docnos"] = sorted({*card.get("unknown_docnos", []), *missing})
        object.__setattr__(self, "topics", topics)
        object.__setattr__(self, "qrels", qrels[known].reset_index(drop=True))
        object.__setattr__(self, "card", card)

    def __repr__(self) -> str:
        conversations = self.corpus["conversation"].nunique()
        return (
            f"Collection {self.name!r}: {len(self.corpus):,} rows, "
            f"{counted(conversations, 'conversation')}, {counted(len(self.topics), 'topic')} "
            f"({len(self._findable()):,} judged), {counted(len(self.qrels), 'judgement')}"
        )

    @cached_property
    def fingerprint(self) -> str:
        """Identify the content: equal for equal corpus, topics, qrels and relevance level (hex)."""
        return digest(
            self.corpus.fingerprint,
            files.topics_bytes(self.topics).decode(),
            files.qrels_bytes(self.qrels).decode(),
            str(self.relevant_from),
        )

    def judged(self) -> Collection:
        """Keep the topics that have something to find: a judgement above 0."""
        keep = self.topics["qid"].isin(self._findable())
        return self._with(topics=self.topics[keep])

    def only(self, qids: Iterable[str]) -> Collection:
        """Keep some topics, with their judgements and over the same corpus.

        Parameters
        ----------
        qids : iterable of str
            As ``topics["qid"]`` has them, in any order; the order of the collection stays.

        Raises
        ------
        NotFound
            For a qid that no topic has; the nearest is suggested.
        BadParameter
            For one text in place of several.

        Examples
        --------
        >>> bench = lcm.load("synth-chat-s")
        >>> changed = bench.only(bench.topics.query("type == 'update'")["qid"])
        >>> len(changed.topics), len(changed.corpus) == len(bench.corpus)
        (60, True)
        """
        if isinstance(qids, str):
            raise BadParameter(f"only takes several qids: [{qids!r:.80}]. Got {qids!r:.80}.")
        wanted = dict.fromkeys(qids)
        there = set(self.topics["qid"])
        for qid in wanted:
            if qid not in there:
                raise unknown("qid", str(qid), self.topics["qid"])
        return self._with(topics=self.topics[self.topics["qid"].isin(list(wanted))])

    def conversation(self, name: str) -> Dag:
        """Give one conversation as a `Dag` without summaries, for `compact`.

        Raises
        ------
        NotFound
            When there is no such conversation; the nearest name is suggested.
        """
        if name not in self.corpus.conversations:
            raise unknown("conversation", name, self.corpus.conversations)
        return Dag.of(self.corpus, name)

    def units(self, unit: Unit) -> Collection:
        """Re-cut the corpus into turns, exchanges or sessions, and map the qrels (highest grade).

        A *turn* is a row as it is. An *exchange* is a user's message with all that follows until
        the user's next; in a session without a user it begins each time the speaker who opened the
        session takes the turn again, and where nobody is named it is a pair of rows. A *session* is
        one session of one conversation. A unit is as new as its last row, so that a question never
        sees a unit that was not complete when it was asked; judgements of such units are left out
        and counted under ``card["hidden_by_unit"]``.

        Raises
        ------
        BadParameter
            Another unit, or topics that filter on role or kind, which a unit does not have.
        """
        units.check(unit, self.topics)
        if unit == "turn":
            return self
        corpus, unit_of = units.cut(self.corpus, unit)
        qrels, hidden = units.carry(self.qrels, unit_of, self.topics, corpus)
        card = {**self.card, "unit": unit, "hidden_by_unit": hidden}
        return Collection(self.name, corpus, self.topics, qrels, self.relevant_from, card)

    def save(self, folder: str | Path) -> Path:
        """Write the collection as a folder of plain files, and give the folder.

        ``corpus.jsonl.xz``, ``topics.jsonl``, ``qrels.tsv`` and ``card.json``. The same collection
        gives the same bytes (xz: under the same liblzma). A save that is interrupted leaves what
        was there before, or is finished by whoever opens it; other files in the folder stay. Texts
        and questions are written as they came, secrets included; reports and results leave them
        out.
        """
        facts = {**self.card, "name": self.name, "relevant_from": self.relevant_from}
        return files.save(Path(folder), self.corpus, self.topics, self.qrels, facts)

    @classmethod
    def open(cls, folder: str | Path) -> Collection:
        """Read a folder that `save` wrote.

        Raises
        ------
        NotFound
            When the folder or one of its files is not there.
        BadInput
            When a file cannot be what it claims to be; names the file and the line.
        """
        corpus, topics, qrels, card = files.load(Path(folder))
        name = str(card.pop("name", Path(folder).name))
        return cls(name, corpus, topics, qrels, int(card.pop("relevant_from", 1)), card)

    def _findable(self) -> list[str]:
        return self.qrels.loc[self.qrels["relevance"] > 0, "qid"].unique().tolist()

    def _with(self, topics: pd.DataFrame) -> Collection:
        qrels = self.qrels[self.qrels["qid"].isin(topics["qid"])]
        return replace(self, topics=topics, qrels=qrels)
