"""Edges of ranking, group D of the bug reports, its first half: an id names the report."""

import itertools

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput
from lcm_lab.measures import RR
from lcm_lab.run import Hits, Run
from lcm_lab.topics import Topics
from tests.cases.ways import POLICIES, SORTS, Asked

#: Beside the policies that are asked everywhere, those that look otherwise at words.
EVERY = {
    **POLICIES,
    "CharGrams": lcm.CharGrams(),
    "Phrase": lcm.Phrase(),
    "Substring": lcm.Substring(),
    "Regex": lcm.Regex(ignore_case=True),
    "Dense": lcm.Dense(),
    "NaiveBM25": lcm.NaiveBM25(),
    "Neighbours": lcm.Neighbours(lcm.BM25()),
    "Feedback": lcm.Feedback(lcm.BM25()),
    "Proximity": lcm.Proximity(lcm.BM25()),
    "Saturated": lcm.Saturated(lcm.FTS5()),
    "MMR": lcm.BM25() >> lcm.MMR(0.7),
    "Recency": lcm.BM25() >> lcm.Recency("7D"),
    "OpenClawMemory as it is": lcm.OpenClawMemory(compat="reference"),
}
#: Those of which a hit has the words of the question, not their neighbourhood.
STRICT = [name for name in EVERY if name not in ("Recommended", "Neighbours")]


def found(texts, query, names=tuple(EVERY)):
    """Give what each policy finds, having looked at the scores."""
    corpus = lcm.Corpus(texts)
    told = {}
    for name in names:
        hits = EVERY[name].fit(corpus)(query)
        scores = hits["score"].to_numpy()
        assert np.isfinite(scores).all() and (scores > 0).all(), name
        assert (np.diff(scores) <= 0).all(), name
        told[name] = hits["docno"].tolist()
    return told


@pytest.mark.parametrize(("texts", "query"), [([], "x"), (["", "  ", "!!!"], "cache")])
def test_where_there_is_nothing_to_find_nothing_is_found(texts, query, tmp_path):
    """RK-01 and RK-02: by policies, by tools and by their commands alike."""
    assert found(texts, query) == {name: [] for name in EVERY}
    asked = Asked(tmp_path, *texts)
    for name, ask in asked.ways(commands=not texts):
        assert ask(query * 2) == [], name  # one asks for two characters
    assert asked.grep(query, allConversations=True).hits == ()


def test_a_word_of_half_the_documents_still_counts():
    """RK-03."""
    told = found(["bread and butter", "rain in bergen"], "rain", STRICT)
    assert told == {name: ["m2"] for name in STRICT}


def test_no_match_is_worth_less_than_none():
    """RK-04."""
    texts = ["log log log error", "log ok", "log", "lunch"]
    told = found(texts, "log error")
    assert {ids[0] for ids in told.values()} == {"m1"}
    for name in ("BM25", "TfIdf", "QueryLikelihood", "FTS5 any", "RRF", "Fuse", "BestPassage"):
        assert set(told[name]) == {"m1", "m2", "m3"}, name


def test_there_are_no_more_hits_than_documents():
    """RK-05."""
    corpus = lcm.Corpus(["one cache", "two cache"])
    for name, policy in EVERY.items():
        hits = (policy % 10).fit(corpus)("cache")
        assert sorted(hits["docno"]) == ["m1", "m2"], name


@pytest.mark.parametrize("scan", ["exact", "hnsw", "sq8", "ivf"])
def test_ten_nearest_of_three_vectors_are_three(scan):
    """RK-07."""
    rows = {"a": [1, 0], "b": [1, 1], "c": [1, 2], "asked": [1, 0]}
    encoder = lcm.Named("table", lambda texts: [rows[text] for text in texts])
    search = (lcm.Dense(encoder, fields=("text",), scan=scan) % 10).fit(lcm.Corpus(["a", "b", "c"]))
    hits = search("asked")
    assert hits["docno"].tolist() == ["m1", "m2", "m3"]
    assert np.isfinite(hits["score"]).all()


@lcm.value
class Given(lcm.Scorer):
    """Gives each document the score that a column of the corpus has."""

    def index(self, corpus):
        return corpus["score"].astype(float).to_numpy()

    def score(self, index, queries):
        return np.tile(index, (len(queries), 1))


def test_scores_that_are_no_numbers_are_no_hits_in_whatever_order_they_come():
    """RK-08: of a scorer, and how many there were is said."""
    rows = {"a": "0.9", "b": "nan", "c": "0.4", "d": "-inf", "e": "inf"}
    for order in itertools.islice(itertools.permutations(rows, 5), 0, None, 7):
        corpus = lcm.Corpus([{"docno": n, "text": n, "score": rows[n]} for n in order])
        with pytest.warns(RuntimeWarning, match="3 scores that are not finite"):
            hits = Given().fit(corpus)("anything")
        assert hits["docno"].tolist() == ["a", "c"]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_keeps_its_document_out_in_whatever_order(wrong):
    """RK-08, of a finished run."""
    rows = [{"docno": name, "text": name} for name in "abc"]
    topics = pd.DataFrame({"qid": ["q1"], "query": ["x"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["c"], "relevance": [1]})
    bench = lcm.Collection("nan", lcm.Corpus(rows), topics, qrels)
    asked = Topics.of(topics, bench.corpus)
    means = set()
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        scores = np.array([0.9, wrong, 0.4])[order]
        run = Run.of(asked, Hits.stack([(np.array(order), scores)]))
        result = lcm.evaluate({"run": run}, on=bench, measures=[RR])
        means.add(result.summary()["mean"].iloc[0])
        assert any("no finite numbers, 1 in all, for 1 topic (q1)" in note for note in result.notes)
    assert means == {0.5}


def test_ties_stand_in_corpus_order_whoever_made_them():
    """RK-09: equal is equal to the last bit, and the measures go by the same order."""
    for names in itertools.permutations(("d1", "d2", "d3")):
        corpus = lcm.Corpus([{"docno": n, "text": "use WAL", "score": "1.0"} for n in names])
        for policy in (Given(), lcm.BM25(), lcm.TfIdf(), lcm.FTS5(), lcm.Dense(), lcm.Phrase()):
            assert tuple(policy.fit(corpus)("wal")["docno"]) == names
        topics = pd.DataFrame({"qid": ["q1"], "query": ["wal"]})
        qrels = pd.DataFrame({"qid": ["q1"], "docno": [names[1]], "relevance": [1]})
        bench = lcm.Collection("ties", corpus, topics, qrels)
        result = lcm.evaluate([Given()], on=bench, measures=[RR])
        assert result.frame["value"].tolist() == [0.5]
    near = lcm.Corpus([{"text": "a", "score": "0.3"}, {"text": "b", "score": str(0.1 + 0.2)}])
    assert Given().fit(near)("any")["docno"].tolist() == ["m2", "m1"]


def test_a_short_list_begins_a_longer_one(tmp_path):
    """RK-10: in every policy, sort and mode; many of these hits have one score."""
    rows = [f"cache {'retry ' * (i % 4)} row {i} {'pool' * (i % 3)}" for i in range(60)]
    asked = Asked(tmp_path, *rows)
    several = {**EVERY, "an original": lcm.LosslessClaw("hybrid", "reference")}
    for name in several.keys() - {"MMR"}:  # whose law is in `test_diverse.py`
        whole = several[name].fit(asked.corpus).run("cache retry").rows.tolist()
        for k in (1, 5, 50):
            few = (several[name] % k).fit(asked.corpus).run("cache retry").rows.tolist()
            assert few == whole[:k], name

    def grepped(k, mode, query, sort):
        how = {"mode": mode, "sort": sort, "limit": k, "allConversations": True}
        return [hit.id for hit in asked.grep(query, **how).hits]

    def seen(k, mode):
        return [hit.message for hit in asked.sessions("cache", mode=mode, limit=k).hits]

    def recalled(k, mode):
        found = asked.episodic("cache", mode=mode, limit=k).hits
        return [hit.found.exchange.user for hit in found]

    ways = [
        *((grepped, "full_text", "cache retry", sort) for sort in SORTS),
        (grepped, "regex", "cache", "recency"),
        *((seen, mode) for mode in ("exact", "substring", "semantic")),
        *((recalled, mode) for mode in ("vector", "text", "both")),
    ]
    for ask, *how in ways:
        whole = ask(25, *how)
        assert len(whole) == 25
        assert [ask(k, *how) for k in (1, 5)] == [whole[:1], whole[:5]], how


def test_scores_rise_with_likeness_whatever_a_backend_counts():
    """RK-11: the order of SQLite's negative ranks is turned over, and three stay three."""
    said = ["wal wal wal", "wal and more words", "wal among very many more words than that", "x"]
    said += ["tea"] * 4
    for policy in (lcm.FTS5(), lcm.LosslessClaw("relevance"), lcm.SessionsSearch()):
        hits = policy.fit(lcm.Corpus(said))("wal")
        assert hits["docno"].tolist() == ["m1", "m2", "m3"]
        assert hits["score"].nunique() == 3
        assert (hits["score"] > 0).all()


@pytest.mark.parametrize(
    ("texts", "query", "first"), [(["7 8", "9 5"], "9", "m2"), (["I ran", "x y"], "I", "m1")]
)
def test_single_characters_are_words(texts, query, first, tmp_path):
    """RK-12."""
    words = [name for name in EVERY if not name.startswith("Dense")]  # LSA knows no stop words
    assert {name: ids[0] for name, ids in found(texts, query, words).items()} == dict.fromkeys(
        words, first
    )
    asked = Asked(tmp_path, *texts)
    assert asked.grep(query, mode="full_text", allConversations=True).hits[0].id == first
    assert asked.sessions(query).hits[0].message == first


def test_an_encoder_that_gives_no_vector_is_named():
    """RK-12 and RK-19: what is dropped is said."""
    zeros = lcm.Named("zeros", lambda texts: [[0.0, 0.0] for _ in texts])
    with pytest.warns(RuntimeWarning, match="zeros for 2 of 2 texts that are not blank"):
        assert lcm.Dense(zeros).fit(lcm.Corpus(["I ran", "x y"]))("I").empty
    wide = lcm.Named("wide", lambda texts: [[1.0] * (2 + (t == "I")) for t in texts])
    with pytest.raises(BadInput, match="3 dimensions where others have 2"):
        lcm.Dense(wide, fields=("text",)).fit(lcm.Corpus(["a", "b"]))("I")
