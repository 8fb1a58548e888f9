"""The contract of a ranker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lcm_lab.corpus import Corpus
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.modifier import Modifier
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.rows import Rows, contains, count, rows_of
from lcm_lab.run import Hits, Run, best_first
from lcm_lab.testing.expect import check_value, expect
from lcm_lab.topics import Topics

__all__ = ["QUERIES", "check_ranker", "small_corpus"]

QUERIES = ("which database did we pick", "retry", "WAL retry backoff", "zebra", "缓存")


def small_corpus() -> Corpus:
    """Give a corpus of 40 messages in 3 conversations, with repeats, blanks and ties.

    Examples
    --------
    >>> len(small_corpus())
    40
    """
    said = (
        "we picked Postgres as the database", "retry with backoff, said the retry guide", "use WAL",
        "", "retry", "retry", "今天讨论了缓存方案", "!!!", "which database? Postgres",
        "the WAL grew while we slept and the retry loop hid it from us for a week",
    )  # fmt: skip
    rows = [
        {
            "text": said[i * 7 % len(said)],
            "conversation": f"c{i % 3}",
            "session": f"s{i // 20}",
            "role": ("user", "assistant")[i % 2],
            "time": f"2026-01-{1 + i // 2:02d}T0{i % 9}:00:00Z" if i % 11 else None,
        }
        for i in range(40)
    ]
    return Corpus(rows)


def check_ranker(ranker: Ranker, corpus: Corpus | None = None) -> None:
    """Check that a ranker keeps its contract; a broken one raises, saying which clause and where.

    Parameters
    ----------
    ranker : Ranker
        A retriever, or a modifier or reranker, which is then checked behind BM25.
    corpus : Corpus, optional
        What to try it on; `small_corpus` when not given.

    Raises
    ------
    AssertionError
        When equality, hash or print do not follow the fields; when a fast path differs from
        `score`; when a batch differs from a loop; when a filter, an order or a bound is not kept.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> check_ranker(lcm.BM25())
    """
    corpus = small_corpus() if corpus is None else corpus
    check_value(ranker)
    policy = ranker if ranker.retrieves else BM25() >> ranker
    for some in (corpus, Corpus([]), Corpus(["retry"]), Corpus(["", "  ", "!!!"])):
        if isinstance(ranker, Scorer):
            _check_paths(ranker, some)
        _check_runs(policy, some)
    if isinstance(ranker, Modifier):
        _check_factor(ranker, corpus)


def _row_sets(corpus: Corpus) -> Iterator[Rows]:
    yield slice(0, len(corpus))
    yield slice(0, 0)
    yield slice(len(corpus) // 3, 2 * len(corpus) // 3)
    yield np.arange(0, len(corpus), 3)
    yield np.arange(1, len(corpus), 7)


def _check_paths(scorer: Scorer, corpus: Corpus) -> None:
    index = scorer.index(corpus)
    scores = np.asarray(scorer.score(index, QUERIES), np.float64)
    shape = (len(QUERIES), len(corpus))
    expect(scores.shape == shape, "score is (n_queries, n_docs)", scores.shape)
    fine = np.isfinite(scores).all() and (scores >= 0).all()
    expect(fine, "scores are finite, 0 or more", scorer)
    for rows in _row_sets(corpus):
        for k in (1, 3, 10 * len(corpus) + 1):
            found = scorer.topk(index, QUERIES, k, [rows] * len(QUERIES))
            _same(found, _defined(scores, rows, k), "topk gives what score gives", scorer, rows, k)
        each = rows_of(rows)
        offsets = np.arange(len(QUERIES) + 1) * len(each)
        again = scorer.rescore(index, QUERIES, offsets, np.tile(each, len(QUERIES)))
        same = np.allclose(again, scores[:, each].ravel(), rtol=1e-9, atol=0)
        expect(same, "rescore gives what score gives", scorer, rows)


def _defined(scores: Any, rows: Rows, k: int) -> Hits:
    lists = []
    for line in scores:
        allowed = rows_of(rows)
        hit = allowed[line[allowed] > 0]
        lists.append(best_first(hit, line[hit], k))
    return Hits.stack(lists)


def _same(found: Hits, wanted: Hits, clause: str, *where: Any) -> None:
    expect(np.array_equal(found.offsets, wanted.offsets), clause, *where)
    expect(np.array_equal(found.rows, wanted.rows), clause, *where)
    expect(np.allclose(found.scores, wanted.scores, rtol=1e-9, atol=0), clause, *where)


def _check_runs(policy: Ranker, corpus: Corpus) -> None:
    search = policy.fit(corpus)
    narrowings: list[dict[str, Any]] = [{}, {"conversation": "c1"}, {"role": "user"}]
    for filters in [*narrowings, {"before": "2026-01-09"}]:
        run = search.run(list(QUERIES), **filters)
        _check_order(run, policy)
        allowed = corpus.rows(**filters)
        expect(contains(allowed, run.rows).all(), "filters hold", policy, filters)
        expect(len(run) <= len(QUERIES) * count(allowed), "no hit twice", policy, filters)
        for i, query in enumerate(QUERIES):
            alone, part = search.run(query, **filters), slice(run.offsets[i], run.offsets[i + 1])
            same = np.array_equal(alone.rows, run.rows[part])
            same = same and np.allclose(alone.scores, run.scores[part], rtol=1e-9, atol=0)
            expect(same, "a batch gives what a loop gives", policy, query, filters)


def _check_order(run: Run, policy: Ranker) -> None:
    for qid, rows, scores in run:
        expect(len(set(rows.tolist())) == len(rows), "no hit twice", policy, qid)
        expect((scores > 0).all() and np.isfinite(scores).all(), "scores are above 0", policy, qid)
        expect((np.diff(scores) <= 0).all(), "scores never rise down a ranking", policy, qid)
        if not policy.by_depth:
            tied = np.diff(scores) == 0
            expect((np.diff(rows)[tied] > 0).all(), "ties stand in corpus order", policy, qid)


def _check_factor(modifier: Modifier, corpus: Corpus) -> None:
    topics = Topics.of(list(QUERIES), corpus)
    run = BM25().fit(corpus).run(topics)
    factor = np.asarray(modifier.factor(topics, run))
    expect(factor.shape == (len(run),), "one factor a hit", modifier, factor.shape)
    expect(((factor >= 0) & (factor <= 1)).all(), "factors lie between 0 and 1", modifier)
