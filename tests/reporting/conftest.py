"""Small collections to report on."""

import pandas as pd
import pytest

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus

TALK = [
    ("c1", "Ada", "We decided on Postgres for the order service."),
    ("c1", "Bob", "The retry backoff is five seconds now."),
    ("c1", "Ada", "Lunch at noon?"),
    ("c1", "Bob", "Postgres was slow on the replica yesterday."),
    ("c2", "Cleo", "The migration to Redis is done."),
    ("c2", "Dan", "Rollback of the Redis cluster took an hour."),
    ("c2", "Cleo", "I set the retry limit to three."),
    ("c3", "Eve", "Our holiday starts on Friday."),
    ("c3", "Finn", "The deploy on Friday failed twice."),
]
ASKED = [
    ("q1", "which database did we decide on?", "fact", "c1", ["m1"]),
    ("q2", "what is the retry backoff?", "fact", "c1", ["m2"]),
    ("q3", "retry limit", "fact", "c2", ["m7"]),
    ("q4", "what happened to Redis?", "several", "c2", ["m5", "m6"]),
    ("q5", "zymurgy xylophone", "none", "c3", ["m9"]),
    ("q6", "when did the deploy fail?", "time", "c3", ["m9"]),
]


def collection(texts=None, asked=ASKED, name="toy", copies=1, **card):
    """Make a collection of nine messages and six topics; ``texts`` replaces messages by number.

    Copies have conversations and ids of their own.
    """
    parts = [_part(copy, texts or {}, asked) for copy in range(copies)]
    rows, topics, qrels = (
        pd.concat(found, ignore_index=True) for found in zip(*parts, strict=True)
    )
    return Collection(name, Corpus(rows), topics, qrels, card={"source": "made by hand", **card})


def _part(copy, texts, asked):
    mark = f"-{copy}" if copy else ""
    rows = [
        {
            "docno": f"m{i}{mark}",
            "conversation": f"{conversation}{mark}",
            "speaker": speaker,
            "text": texts.get(i, text),
            "time": pd.Timestamp("2026-03-01", tz="UTC") + pd.Timedelta(hours=i),
        }
        for i, (conversation, speaker, text) in enumerate(TALK, start=1)
    ]
    columns = ["qid", "query", "type", "conversation"]
    listed = [(f"{q}{mark}", query, kind, f"{c}{mark}") for q, query, kind, c, _ in asked]
    topics = pd.DataFrame(listed, columns=columns, dtype=object)
    judged = [(f"{topic[0]}{mark}", f"{d}{mark}", 1) for topic in asked for d in topic[4]]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "relevance"])
    return pd.DataFrame(rows), topics, qrels


@pytest.fixture(scope="session")
def toy():
    """The function that makes a collection."""
    return collection
