"""misses: for many messages at once what `Searcher.miss` says of each."""

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.ranking.misses import misses
from lcm_lab.ranking.parse import policy
from lcm_lab.topics import Topics

SAID = [
    "We decided on Postgres for the order service.",
    "The retry backoff is five seconds now.",
    "Lunch at noon?",
    "Postgres was slow on the replica yesterday.",
    "The migration to Redis is done.",
    "Rollback of the Redis cluster took an hour.",
    "I set the retry limit to three.",
    "The deploy on Friday failed twice.",
]
ASKED = ["which Postgres replica was slow?", "retry limit", "the Redis rollback", "zymurgy"]


def bench():
    hour = pd.Timedelta(hours=1)
    start = pd.Timestamp("2026-03-01", tz="UTC")
    rows = [
        {"text": text, "conversation": f"c{i % 2}", "role": "user", "time": start + i * hour}
        for i, text in enumerate(SAID)
    ]
    frame = pd.DataFrame(
        {
            "qid": [f"q{i}" for i in range(len(ASKED))],
            "query": ASKED,
            "conversation": ["c0", "c1", None, None],
        }
    )
    return lcm.Corpus(rows), frame


@pytest.mark.parametrize(
    "written",
    [
        "BM25() % 1",
        "BM25() % 2 >> Recency('1h') % 1",
        "(BM25() + 0.3 * TfIdf()) % 1",
        "RRF(BM25() % 2, TfIdf()) % 1",
        "BM25() % 3 >> MMR(0.5) % 2",
        "Recommended() % 1",
        "LosslessClaw('hybrid') % 1",
        "OpenClawMemory() % 1",
        "OpenClawMemory(compat='reference') % 1",
        "EpisodicMemory('text') % 1",
        "EpisodicMemory() % 2",
        "SessionsSearch() % 2",
        "BM25().over(role='nobody') % 3",
    ],
)
def test_each_is_told_as_alone(written):
    corpus, frame = bench()
    searcher = policy(written).fit(corpus)
    topics = Topics.of(frame, corpus)
    topic, row = (part.ravel() for part in np.mgrid[: len(topics), : len(corpus)])
    docnos = corpus["docno"].tolist()
    told = misses(searcher, topics, topic, row)
    for found, at, one in zip(told, topic.tolist(), row.tolist(), strict=True):
        given = frame["conversation"].iloc[at]
        filters = {} if pd.isna(given) else {"conversation": given}
        alone = searcher.miss(ASKED[at], docnos[one], **filters)
        rank = None if alone.reason == "outscored" else alone.rank
        assert (found.docno, found.reason, found.step, found.rank) == (
            alone.docno,
            alone.reason,
            alone.step,
            rank,
        )


def test_nothing_asked_is_nothing_told():
    corpus, frame = bench()
    nothing = np.empty(0, np.int64)
    assert misses(lcm.BM25().fit(corpus), Topics.of(frame, corpus), nothing, nothing) == []
