"""How hard a collection is: what questions share with their answers, and what chance finds."""

from __future__ import annotations

from math import comb
from statistics import fmean

from lcm_lab.collection import Collection
from lcm_lab.rows import count
from lcm_lab.synth.view import gold_rows
from lcm_lab.text import Analyzer
from lcm_lab.topics import Topics

__all__ = ["overlaps", "random_floor"]


def overlaps(collection: Collection) -> dict[str, float]:
    """Measure how much of each question its gold holds (the mean over gold messages).

    The share of the question's distinct content terms that occur in speaker and text, as the
    default Analyzer cuts and stems them.

    Returns
    -------
    dict of qid to share in [0, 1]
        Topics without gold are left out.
    """
    analyzer = Analyzer()
    texts = collection.corpus.view(("speaker", "text")).to_pylist()
    gold = gold_rows(collection)
    found = {}
    for qid, query in zip(collection.topics["qid"], collection.topics["query"], strict=True):
        asked = set(analyzer.query(query))
        if qid in gold:
            shares = [len(asked & set(analyzer.terms(texts[r]))) / len(asked) for r in gold[qid]]
            found[str(qid)] = fmean(shares)
    return found


def random_floor(collection: Collection) -> float:
    """Give the chance that ten random rows hold a relevant one, the mean over judged topics."""
    gold = gold_rows(collection)
    topics = Topics.of(collection.topics, collection.corpus)
    chances = []
    for qid, rows in zip(topics.qids, topics.rows, strict=True):
        if qid in gold:
            size, good = count(rows), len(gold[qid])
            chances.append(1 - comb(max(size - good, 0), 10) / comb(max(size, 10), 10))
    return fmean(chances)
