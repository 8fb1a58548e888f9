"""Shards on real worker processes answer as one index does, to the last bit."""

import os
import signal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab import scale
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ranking.named.openclaw import Saturated
from lcm_lab.testing import QUERIES, small_corpus

# The client's own thread may draw a random number while Hypothesis draws an example.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

CORPUS = small_corpus()

WORDS = ["retry", "backoff", "the", "database", "postgres", "why?", "cat", "src/app.py", "東京", ""]
QUESTIONS = [
    "why retry the database?",
    "postgres backoff cat",
    "src/app.py",
    "東京",
    "absent words",
]

rows = st.fixed_dictionaries(
    {
        "text": st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join),
        "conversation": st.sampled_from(["a", "b", "c", "d"]),
        "session": st.sampled_from(["s1", "s2"]),
        "role": st.sampled_from(["user", "assistant"]),
        "speaker": st.sampled_from(["Ann", "Bo", ""]),
        "time": st.sampled_from([None, "2026-01-01", "2026-01-05", "2026-02-01T10:00:00"]),
    }
)
corpora = st.lists(rows, max_size=25).map(
    lambda said: lcm.Corpus([row | {"docno": f"d{i}"} for i, row in enumerate(said)])
)
filters = st.sampled_from(
    [{}, {"conversation": "b"}, {"role": "user"}, {"before": "2026-01-06"}, {"session": "s2"}]
)

words = st.sampled_from([lcm.BM25(), lcm.TfIdf(), lcm.QueryLikelihood(), lcm.BM25(framing=0.4)])
leaves = st.one_of(
    words,
    st.sampled_from([lcm.CharGrams(), lcm.Dense(lcm.LSA(4)), lcm.Phrase(), lcm.Substring()]),
    st.sampled_from([lcm.Newest(lcm.FTS5(match="any")), Saturated(lcm.BM25(rarity=1.5))]),
)
modifiers = st.sampled_from([lcm.Recency("7D"), lcm.Decay("hyperbolic", "30D", floor=0)])
around = st.one_of(
    st.builds(lcm.Neighbours, leaves, after_question=st.just(0.5), fade=st.just(9.0)),
    st.builds(lcm.SessionPrior, leaves),
    st.builds(lcm.ByRole, leaves),
    st.builds(lcm.AboveMean, leaves),
    st.builds(lcm.Questions, leaves),
    st.builds(lcm.Feedback, leaves),
    st.just(lcm.Recommended()),
)
rerankers = st.sampled_from([lcm.MMR(0.6), lcm.Dedupe(), lcm.Dedupe(alike=0.6), lcm.TiesByTime()])


def grown(parts):
    cut = st.sampled_from([1, 3, 100])
    return st.one_of(
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: 0.3 * a + b, parts, modifiers),
        st.builds(lambda a, b: a >> b, parts, st.one_of(parts, modifiers)),
        st.builds(lambda a, k: a % k, parts, cut),
        st.builds(lambda a, r: a.over(role=r), parts, st.sampled_from(["user", "assistant"])),
    )


sums = st.recursive(st.one_of(leaves, around), grown, max_leaves=4)
policies = st.one_of(
    sums,
    st.builds(lambda a, b: a >> b, sums, rerankers),
    st.builds(lambda a, b: lcm.RRF(a, b) >> lcm.TiesByTime(), leaves, leaves),
    st.builds(lambda a, b: lcm.Fuse(a % 5, b, norm="zscore"), leaves, leaves),
    st.builds(lambda a, b: lcm.Fallback(a, b) % 4, leaves, leaves),
)


def hits(search, asked, **narrowing):
    return [(r.tolist(), s.tolist()) for _, r, s in search.run(asked, **narrowing)]


def require_same(policy, corpus, shards, asked=QUESTIONS, **narrowing):
    one, many = policy.fit(corpus), policy.fit(shards)
    assert hits(many, asked, **narrowing) == hits(one, asked, **narrowing)
    shown = many(asked[0], **narrowing)
    assert shown.equals(one(asked[0], **narrowing))
    assert many.explain(asked[0], **narrowing).equals(one.explain(asked[0], **narrowing))


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora, st.integers(1, 4), policies, filters)
def test_shards_answer_as_one_index_to_the_last_bit(client, corpus, n, policy, narrowing):
    require_same(policy, corpus, scale.shard(corpus, client, n), **narrowing)


def test_what_lies_under_a_summary_is_known_in_shards_too(client):
    dag = lcm.Dag.of(lcm.Corpus(["Which database?", "Postgres it is.", "Lunch?"]))
    summary = lcm.Summary.of("A database was chosen.", dag.messages[:2])
    corpus = dag.replace("m1", "m2", summary).corpus()
    for policy in (lcm.BM25() >> lcm.Expand(), lcm.InView()):
        require_same(policy, corpus, scale.shard(corpus, client, 1))


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora, st.integers(1, 4), policies, filters)
def test_many_more_corpora_and_policies_answer_as_one_index(client, corpus, n, policy, narrowing):
    require_same(policy, corpus, scale.shard(corpus, client, n), **narrowing)


@pytest.mark.slow
def test_a_worker_that_dies_takes_nothing_with_it(client):
    policy = lcm.BM25() % 20 + 0.3 * lcm.Dense(lcm.LSA(4)) >> lcm.MMR(0.7)
    search = policy.fit(scale.shard(CORPUS, client, 3))
    before = hits(search, list(QUERIES))
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert hits(search, list(QUERIES)) == before
    client.wait_for_workers(2)
    assert hits(search, list(QUERIES)) == before == hits(policy.fit(CORPUS), list(QUERIES))


def test_a_corpus_that_lies_in_files_is_the_corpus_of_all_of_them(client, tmp_path):
    table, paths = CORPUS._table, []
    for number, (start, stop) in enumerate([(0, 4), (4, len(CORPUS))]):
        whole = CORPUS._table.slice(start, stop - start)
        named = whole["conversation"].to_pandas().add(f"-{number}").tolist()
        at = whole.column_names.index("conversation")
        whole = whole.set_column(at, "conversation", [named])
        pq.write_table(whole, tmp_path / f"{number}.parquet")
        paths.append(tmp_path / f"{number}.parquet")
    shards = scale.shard(paths, client)
    whole = lcm.Corpus(pq.read_table(paths[0]).to_pylist() + pq.read_table(paths[1]).to_pylist())
    assert len(shards) == len(table) == len(whole)
    assert shards.column("text").to_pylist() == whole.column("text").to_pylist()
    assert shards.numpy("tokens").tolist() == whole.numpy("tokens").tolist()
    assert shards.fingerprint == whole.fingerprint
    require_same(lcm.Recommended() % 5, whole, shards, list(QUERIES))


def test_conversations_stay_whole_and_texts_stay_where_they_are(client):
    shards = scale.shard(CORPUS, client, 3)
    edges = set(shards.workers.starts.tolist())
    starts = {talk.start for talk in CORPUS.conversations.values()}
    assert edges <= starts | {len(CORPUS)}
    search = (lcm.Recommended() % 9 + 0.1 * lcm.Newest(lcm.Regex()) >> lcm.MMR(0.7)).fit(shards)
    search(QUERIES[0])
    (lcm.BM25() >> lcm.Dedupe()).fit(shards)(QUERIES[0])
    assert shards.kept("text") is None
    assert shards.texts(np.array([3, 0, 3])) == [CORPUS["text"][i] for i in (3, 0, 3)]


def test_a_ranker_of_ones_own_runs_where_it_says_that_rows_do_not_matter_to_each_other(client):
    @lcm.value
    class Longest(lcm.Scorer):
        by_row = True

        def index(self, corpus):
            return corpus["text"].str.len().to_numpy(float)

        def score(self, lengths, queries):
            return np.tile(lengths, (len(queries), 1))

    @lcm.value
    class Opaque(Longest):
        by_row = False

    @lcm.value
    class Shouting(lcm.Modifier):
        def factor(self, topics, run):
            return np.where(run.corpus["text"].str.contains("!").to_numpy()[run.rows], 1.0, 0.5)

    shards = scale.shard(CORPUS, client, 2)
    require_same(lcm.BM25() + Longest() >> Shouting(), CORPUS, shards, list(QUERIES))
    with pytest.raises(BadParameter, match="by_row = True in Opaque"):
        Opaque().fit(shards)


@pytest.mark.parametrize(
    ("policy", "way"),
    [
        (lcm.BM25() + lcm.FTS5(), r"Write BM25\(\), or Newest\(FTS5\(\)\)"),
        (lcm.BestPassage(lcm.BM25()), r"Write BM25\(\)"),
        (lcm.Dense(lcm.LSA(4), scan="hnsw"), 'Write scan="sq8"'),
        (Saturated(lcm.FTS5()), r"Newest\(FTS5\(\)\)"),
    ],
)
def test_what_shards_would_answer_otherwise_is_refused_with_a_way_out(client, policy, way):
    with pytest.raises(BadParameter, match=way):
        policy.fit(scale.shard(CORPUS, client, 2))


def test_what_is_no_corpus_and_no_client_is_refused(client, tmp_path):
    with pytest.raises(BadParameter, match="client of a Dask cluster"):
        scale.shard(CORPUS, "tcp://localhost:8786")
    with pytest.raises(BadParameter, match="was given no paths"):
        scale.shard([], client)
    with pytest.raises(BadParameter, match=r"Got 'notes\.txt'"):
        scale.shard(["notes.txt"], client)
    with pytest.raises(BadParameter, match="a list of them"):
        scale.shard("rows.parquet", client)
    for name in ("1.parquet", "2.parquet"):
        pq.write_table(CORPUS._table, tmp_path / name)
    with pytest.raises(BadInput, match="lies in two shards"):
        scale.shard([tmp_path / "1.parquet", tmp_path / "2.parquet"], client)
    (tmp_path / "no.parquet").write_bytes(b"hello")
    with pytest.raises(BadInput, match="is no table of messages"):
        scale.shard([tmp_path / "no.parquet"], client)
    search = lcm.BM25().fit(scale.shard(CORPUS, client))
    with pytest.raises(BadParameter, match="does not grow"):
        search.grow(CORPUS)
    with pytest.raises(BadParameter, match="is not saved"):
        search.save(tmp_path)


def test_a_sweep_on_the_cluster_gives_what_it_gives_here(client):
    joblib = pytest.importorskip("joblib")
    bench = lcm.Collection(
        "small",
        CORPUS,
        pd.DataFrame([{"qid": f"q{i}", "query": q} for i, q in enumerate(QUERIES)]),
        pd.DataFrame(
            [{"qid": f"q{i}", "docno": "m1", "relevance": 1} for i in range(len(QUERIES))]
        ),
    )
    family = (lcm.BM25(k1=lcm.vary(0.9, 1.2)) % 10 >> lcm.Recency(lcm.vary("1D", "7D"))).grid()
    here = lcm.evaluate(family, on=bench)
    with joblib.parallel_config(backend="dask", client=client):
        there = lcm.evaluate(family, on=bench)
    assert there.frame.equals(here.frame)
