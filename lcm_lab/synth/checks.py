"""Does a synthetic collection keep what it promises? Every check gives what fails, with its id."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from math import comb
from statistics import fmean
from typing import Any

from lcm_lab.collection import Collection
from lcm_lab.rows import contains, count
from lcm_lab.synth.ask import BANDS
from lcm_lab.synth.leaks import echoes, same_questions, twins
from lcm_lab.synth.view import View, gold_rows
from lcm_lab.text import Analyzer
from lcm_lab.topics import Topics

__all__ = ["CHECKS", "check", "overlaps", "random_floor"]

#: Types whose answer is a string in the message, not a date worked out from it or a list.
LITERAL = frozenset({"single", "update", "identifier", "paraphrase", "near-duplicate"})
#: Overlap was controlled with a plain stemmer; with Snowball's it may lie this far outside a band.
SLACK = 0.06
RANDOM = 0.05


def check(collection: Collection, world: Mapping[str, Any]) -> dict[str, list[str]]:
    """Run every check on a synthetic collection and its state log.

    Parameters
    ----------
    collection : Collection
    world : dict
        What `lcm_lab.synth.generate.build` gives, or the content of ``world.json``.

    Returns
    -------
    dict of str to list of str
        By check, one line for each failure, beginning with the id; empty lists where all is well.
    """
    view = View(collection, world)
    return {name: run(view) for name, run in CHECKS.items()}


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


def _necessity(view: View) -> list[str]:
    """Find messages that hold a fact's value and are not its sources, which must be needed."""
    failed = []
    for qid, state in view.world["topics"].items():
        spoken = view.spoken[str(view.topics[qid]["conversation"])]
        for ref in state["facts"]:
            fact = view.facts[ref]
            value = fact["value"].lower()
            held = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
            sources = set(fact["sources"])
            failed += [
                f"{qid}: {docno} also holds {fact['value']!r}"
                for docno, text in spoken.items()
                if value in text and docno not in sources and held.search(text)
            ]
    return failed


def _span(view: View) -> list[str]:
    failed = []
    for qid, docnos in view.gold.items():
        spans = view.world["topics"][qid]["spans"]
        failed += [
            f"{qid}: no exact span in {docno}"
            for docno in docnos
            if not spans.get(docno) or spans[docno] not in view.texts[docno]
        ]
    return failed


def _answer(view: View) -> list[str]:
    return [
        f"{qid}: {docno} does not hold {view.topics[qid]['answer']!r}"
        for qid, docnos in view.gold.items()
        if view.topics[qid]["type"] in LITERAL
        for docno in docnos
        if str(view.topics[qid]["answer"]).lower() not in view.texts[docno].lower()
    ]


def _as_of(view: View) -> list[str]:
    corpus = view.collection.corpus
    times = dict(zip(corpus["docno"], corpus["time"], strict=True))
    return [
        f"{row.qid}: {row.docno} is not older than the question"
        for row in view.collection.qrels.itertuples()
        if times[row.docno] >= view.topics[str(row.qid)]["asked_at"]
    ]


def _grades(view: View) -> list[str]:
    return [
        f"{row.qid}: {row.docno} has grade {row.relevance}{' and is stale' if row.stale else ''}"
        for row in view.collection.qrels.itertuples()
        if row.relevance not in (1, 2, 3) or (row.stale and row.relevance != 1)
    ]


def _abstention(view: View) -> list[str]:
    """Find questions without an answer that are judged, and others that have no gold."""
    judged = set(view.collection.qrels["qid"])
    failed = []
    for qid, topic in view.topics.items():
        if topic["type"] == "abstention" and qid in judged:
            failed.append(f"{qid}: nothing answers it, yet something is judged")
        if topic["type"] != "abstention" and qid not in view.gold:
            failed.append(f"{qid}: nothing relevant is judged")
    return failed


def _overlap(view: View) -> list[str]:
    by_type: dict[str, list[float]] = defaultdict(list)
    failed = []
    for qid, share in overlaps(view.collection).items():
        kind = str(view.topics[qid]["type"])
        by_type[kind].append(share)
        if kind == "paraphrase" and share > BANDS[kind][1] / 1000 + SLACK:
            failed.append(f"{qid}: a paraphrase shares {share:.2f} with its gold")
    for kind, shares in by_type.items():
        low, high = BANDS[kind][0] / 1000, BANDS[kind][1] / 1000
        if not low - SLACK <= fmean(shares) <= high + SLACK:
            failed.append(f"{kind}: mean overlap {fmean(shares):.2f}, band {low:.2f} to {high:.2f}")
    return failed


def _random(view: View) -> list[str]:
    floor = random_floor(view.collection)
    return [] if floor < RANDOM else [f"ten random rows hold an answer in {floor:.3f} of topics"]


def _oracle(view: View) -> list[str]:
    """Find judged documents that a topic may not see, so that no ranker could reach 1."""
    collection = view.collection
    topics = Topics.of(collection.topics, collection.corpus)
    rows = dict(zip(topics.qids, topics.rows, strict=True))
    judged = collection.qrels
    found = collection.corpus.row_of(judged["docno"].tolist())
    return [
        f"{qid}: {docno} cannot be seen"
        for i, (qid, docno) in enumerate(zip(judged["qid"], judged["docno"], strict=True))
        if not contains(rows[qid], found[i : i + 1])[0]
    ]


def _echo(view: View) -> list[str]:
    return [f"{qid}: {' '.join(docnos)}" for qid, docnos in echoes(view.collection).items()]


def _same_question(view: View) -> list[str]:
    return [" ".join(group) for group in same_questions(view.collection)]


def _twin(view: View) -> list[str]:
    return [f"{qid}: {' '.join(docnos)}" for qid, docnos in twins(view.collection).items()]


#: What is checked, by name.
CHECKS: dict[str, Callable[[View], list[str]]] = {
    "necessity": _necessity,
    "span": _span,
    "answer": _answer,
    "as of": _as_of,
    "grades": _grades,
    "abstention": _abstention,
    "overlap": _overlap,
    "random floor": _random,
    "oracle": _oracle,
    "echo": _echo,
    "same question": _same_question,
    "twin": _twin,
}
