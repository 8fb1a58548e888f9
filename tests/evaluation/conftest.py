"""A scorer that says what it was told to, and small collections for it."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.ranking.scorer import Scorer
from lcm_lab.values import value

calls = Counter()


@value
class Says(Scorer):
    """Give the i-th row of a table as the scores of "question i"; counts how often it is asked."""

    table: tuple = ()
    label: str = ""

    def index(self, corpus):
        calls["index", self.label] += 1
        return np.array(self.table, float).reshape(-1, len(corpus))

    def score(self, index, queries):
        calls["score", self.label] += len(queries)
        return index[[int(query.split()[-1]) for query in queries]]


def collection(docs, topics, qrels, name="toy", relevant_from=1):
    """Make a collection of docs d0, d1, ... and topics q0, q1, ...; both a number or columns.

    qrels are (topic, doc, grade) or (topic, doc, grade, stale), by number.
    """
    docs = {"text": [f"text {i}" for i in range(docs)]} if isinstance(docs, int) else docs
    names = {"docno": [f"d{i}" for i in range(len(docs["text"]))]}
    topics = (
        {"query": [f"question {i}" for i in range(topics)]} if isinstance(topics, int) else topics
    )
    qids = {"qid": [f"q{i}" for i in range(len(topics["query"]))]}
    judged = [(f"q{topic}", f"d{doc}", *rest) for topic, doc, *rest in qrels]
    columns = (
        ["qid", "docno", "relevance", "stale"][: len(judged[0])] if judged else ["qid", "docno"]
    )
    frame = pd.DataFrame(judged, columns=columns)
    frame = frame if judged else frame.assign(relevance=[])
    asked = pd.DataFrame(qids | topics)
    return Collection(name, Corpus(pd.DataFrame(names | docs)), asked, frame, relevant_from)


WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def chat(seed=0, n=120, n_topics=40, **kwargs):
    """Make chats of random words, twelve messages each, and questions with the words of one."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(n)]
    gold = rng.integers(n, size=n_topics)
    docs = {"text": texts, "conversation": [f"c{i // 12}" for i in range(n)]}
    asked = {"query": [" ".join(texts[i].split()[:3]) for i in gold]}
    asked["conversation"] = [f"c{i // 12}" for i in gold]
    asked["type"] = [("single", "multi")[i % 2] for i in range(n_topics)]
    qrels = [(topic, int(doc), 1 + topic % 3) for topic, doc in enumerate(gold)]
    return collection(docs, asked, qrels, **kwargs)


@pytest.fixture
def toy():
    """The scorer `says`, `collection`, `chat`, and how often scorers were asked."""
    calls.clear()
    return SimpleNamespace(says=Says, collection=collection, chat=chat, calls=calls)
