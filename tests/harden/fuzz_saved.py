"""Laws of what was saved: what is damaged is refused, or gives the answer that it gave whole."""

import json
import shutil
import sqlite3
import tempfile
import warnings
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.agent.checking import checked
from lcm_lab.agent.schema import tools_of
from lcm_lab.compaction.guarded import Cached
from lcm_lab.dag import Dag, Summary
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.llm.kept import Kept
from lcm_lab.measures import R, nDCG
from lcm_lab.ranking.dense.embeddings import Shelf
from lcm_lab.scale.files import table, write
from lcm_lab.store.recognised import database
from lcm_lab.store.store import Store
from lcm_lab.testing import small_corpus
from lcm_lab.transcripts.probes.handmade import read_table
from tests.harden.fuzz_tools import said
from tests.harden.fuzzing import ROOT, done, law, tried
from tests.harden.given import damaged, scalars, texts
from tests.store.conftest import make

REFERENCE = ROOT.parent / "shared" / "conformance" / "lcm_reference.db"
QUESTIONS = ("retry backoff", "postgres", "缓存", "WAL")
POLICIES = (lcm.BM25() + 0.3 * lcm.TfIdf(), lcm.Phrase() + lcm.BM25(), lcm.QueryLikelihood())


@cache
def folder():
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def answers(search):
    return [search(text)[["docno", "score"]].to_dict("records") for text in QUESTIONS]


@cache
def indexes():
    """Save an index of each policy; give the folder, the policy and the right answers."""
    made = []
    for place, policy in enumerate(POLICIES):
        search = policy.fit(small_corpus())
        home = search.save(folder() / f"index-{place}")
        made.append((home, policy, answers(search)))
    return made


@st.composite
def harm(draw, home):
    """Give the files of a folder, some of them damaged, changed for each other, or gone."""
    files = {
        path.relative_to(home): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }
    names = st.sampled_from(sorted(files))
    for _ in range(draw(st.integers(1, 2))):
        one, other = draw(names), draw(names)
        how = draw(st.sampled_from(["damage", "damage", "damage", "swap", "copy", "gone", "empty"]))
        if one in files and other in files:
            if how == "damage":
                files[one] = draw(damaged(files[one]))
            elif how == "swap":
                files[one], files[other] = files[other], files[one]
            elif how == "copy":
                files[one] = files[other]
            elif how == "gone":
                del files[one]
            else:
                files[one] = b""
    return files


def laid(files, name):
    """Write files to a folder that holds nothing else."""
    home = folder() / name
    shutil.rmtree(home, ignore_errors=True)
    for path, data in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_bytes(data)
    home.mkdir(exist_ok=True)
    return home


@law(
    st.deferred(
        lambda: st.integers(0, len(POLICIES) - 1).flatmap(
            lambda at: st.tuples(st.just(at), harm(indexes()[at][0]))
        )
    ),
    3_000,
)
def a_damaged_index_is_refused_or_right(given):
    at, files = given
    _, policy, right = indexes()[at]
    home = laid(files, "damaged")
    search = tried(lambda: policy.fit(small_corpus(), saved=home))
    if search is not None:
        assert answers(search) == right, "a wrong answer from a damaged index"
        done["right"] += 1


@law(st.deferred(lambda: numbers()), 600)
def a_large_index_is_refused_or_right(change):
    home, policy, right = large()
    name, at, value = change
    path = sorted(home.glob("*.npy"))[name % len(list(home.glob("*.npy")))]
    held = bytearray(path.read_bytes())
    old, place = held[at % len(held)], at % len(held)
    with path.open("r+b") as file:
        file.seek(place)
        file.write(bytes([old ^ value]))
    try:
        search = tried(lambda: policy.fit(large_corpus(), saved=home))
        if search is not None:
            assert answers(search) == right, f"a wrong answer: {path.name} byte {place}"
            done["right"] += 1
    finally:
        with path.open("r+b") as file:
            file.seek(place)
            file.write(bytes([old]))


def numbers():
    return st.tuples(st.integers(0, 200), st.integers(0, 1 << 30), st.integers(1, 255))


@cache
def large_corpus():
    words = [f"w{i * i % 9973}" for i in range(300_000)]
    return lcm.Corpus(
        [*small_corpus()["text"], *(" ".join(words[i : i + 60]) for i in range(0, 300_000, 60))]
    )


@cache
def large():
    """Save an index of which some arrays are larger than a megabyte."""
    search = lcm.BM25().fit(large_corpus())
    return search.save(folder() / "large"), lcm.BM25(), answers(search)


@cache
def stored():
    """Make a store, and give its bytes."""
    path = folder() / "whole.db"
    with Store(path, large=400) as store:
        for at in range(30):
            store.append(said(f"s{at % 3}", at))
        store.append(lcm.Message("big", "s0", "user", (lcm.Part("text", "line of log\n" * 800),)))
        messages = store.dag("s1").messages
        leaf = Summary.of("Of s1.", messages[:4])
        store.put(Dag("s1", messages, (leaf,), (leaf.id, *(one.id for one in messages[4:]))))
        store.connection.execute("pragma wal_checkpoint(truncate)")
    return path.read_bytes()


@cache
def lossless():
    """Give the bytes of lossless-claw databases: one that is made here, and a recorded one."""
    path = folder() / "lcm.db"
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.execute("pragma journal_mode = delete")
    recorded = [REFERENCE.read_bytes()] if REFERENCE.is_file() else []
    return [path.read_bytes(), *recorded]


def used(path):
    """Open a database, and do with it what its users do; each may be refused."""
    held = tried(database, str(path))
    if held is None:
        return
    with held:
        repr(held)
        talks = tried(held.conversations)
        names = [] if talks is None else list(talks["name"])[:3]
        corpus = tried(held.corpus)
        if corpus is not None:
            tried(lambda: lcm.FTS5().fit(corpus)("retry backoff"))
        for name in names:
            dag = tried(held.dag, name)
            if dag is not None:
                dag.check()
                tried(lcm.compact, dag, lcm.Window(50))
            tried(held.family, name)
        files = tried(held.files)
        for one in [] if files is None else list(files["id"])[:2]:
            tried(held.read, one)
        asked(held, names)
    tried(checked, str(path), json=True)


CALLS = {
    "lcm_grep": {"pattern": "retry|the", "allConversations": True},
    "lcm_describe": {"id": "sum_aaaaaaaaaaaaaaaa", "allConversations": True},
    "lcm_expand_query": {
        "query": "retry",
        "prompt": "Which retry?",
        "timeoutMs": 60_000,
        "allConversations": True,
    },
    "sessions_search": {"query": "retry"},
    "sessions_history": {"sessionKey": "s1"},
    "search": {"query": "retry", "mode": "text"},
    "read": {"path": "s1.jsonl"},
}


def asked(held, names):
    """Call every tool over a database."""
    for made in (lcm.LcmTools, lcm.SessionTools, lcm.EpisodicTools):
        for one in tools_of(tried(made, held) or object()):
            answer = tried(one.call, **CALLS[one.name]) if one.name in CALLS else None
            if answer is not None:
                answer.to_text()
                answer.to_dict()


@law(st.deferred(lambda: damaged(stored())), 700)
def a_damaged_store_is_refused_or_answers(data):
    path = folder() / "store.db"
    path.write_bytes(data)
    used(path)
    store = tried(Store, path)
    if store is not None:
        with store:
            tried(store.append, said("s1", 99))
            tried(store.add, small_corpus())
            tried(store.delete, "s2")


@law(st.deferred(lambda: st.sampled_from(lossless()).flatmap(damaged)), 500)
def a_damaged_lossless_claw_database_is_refused_or_answers(data):
    path = folder() / "damaged-lcm.db"
    path.write_bytes(data)
    used(path)


def columns(data):
    """List (table, column) of a database, and nothing of its index."""
    path = folder() / "listed.db"
    path.write_bytes(data)
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        ]
        plain = [name for name in tables if "fts" not in name and not name.startswith("sqlite_")]
        return [
            (name, row[1])
            for name in plain
            for row in connection.execute(f"pragma table_info({name})")
        ]


STATEMENTS = (
    "update {table} set {column} = ?",
    "update {table} set {column} = ? where rowid % 3 = 1",
    "update {table} set {column} = cast(? as blob)",
    "delete from {table} where rowid % 2",
    "drop table {table}",
    "alter table {table} drop column {column}",
    "alter table {table} rename column {column} to other",
    "pragma user_version = 2",
    "pragma user_version = 99999",
    "pragma application_id = 7",
)
cells = scalars.filter(lambda one: not isinstance(one, int) or abs(one) < 2**63) | st.sampled_from(
    [
        "[",
        "{}",
        "[1]",
        '["a"]',
        "null",
        b"\xff\xfe",
        b"",
        2**62,
        -(2**62),
        -1,
        "9" * 400,
        "x" * 9000,
    ]
)


@st.composite
def statements(draw, data):
    """Draw some statements that a database is changed by."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        table, column = draw(st.sampled_from(columns(data)))
        found.append(
            (draw(st.sampled_from(STATEMENTS)).format(table=table, column=column), draw(cells))
        )
    return found


def changed(data, path, some):
    """Write a database and change it; what SQLite refuses is left."""
    path.write_bytes(data)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("pragma ignore_check_constraints = on")
        for statement, value in some:
            try:
                connection.execute(statement, (value,) if "?" in statement else ())
            except (sqlite3.Error, UnicodeEncodeError):
                done["left"] += 1
        connection.execute("pragma journal_mode = delete")


@law(st.deferred(lambda: statements(stored())), 700)
def a_store_with_wrong_rows_is_refused_or_answers(some):
    path = folder() / "wrong.db"
    changed(stored(), path, some)
    used(path)


@law(
    st.deferred(
        lambda: st.sampled_from(lossless()).flatmap(lambda d: st.tuples(st.just(d), statements(d)))
    ),
    600,
)
def a_lossless_claw_database_with_wrong_rows_is_refused_or_answers(given):
    path = folder() / "wrong-lcm.db"
    changed(given[0], path, given[1])
    used(path)


@cache
def shelf():
    """Keep three embeddings, and give what is where."""
    made = Shelf(folder() / "shelf", "an encoder")
    vectors = np.eye(3, 8, dtype=np.float32)
    made.put(["a", "b", "c"], vectors)
    return made.path.read_bytes(), vectors


@law(st.deferred(lambda: damaged(shelf()[0])), 1_500)
def a_damaged_embedding_is_never_given(data):
    made = Shelf(folder() / "other-shelf", "an encoder")
    made.path.parent.mkdir(exist_ok=True)
    made.path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what is damaged is told of
        found = tried(made.get, ["a", "b", "c"])
        for vector, right in zip(found, shelf()[1], strict=True):
            assert vector is None or np.array_equal(vector, right)
        tried(made.put, ["d"], np.ones((1, 8), np.float32))


@cache
def kept():
    """Keep an answer of a model and a summary, and give their files."""
    one = Kept(str(folder() / "kept"), "http://localhost", "/chat", {"model": "m"})
    one.put({"choices": [{"message": {"content": "Postgres."}}]})
    cached = Cached(lcm.Lead(), str(folder() / "cached"))
    cached(["Use WAL. It is faster."], 4)
    (path,) = (folder() / "cached").iterdir()
    return one.path.read_bytes(), path.read_bytes()


@law(st.deferred(lambda: st.tuples(damaged(kept()[0]), damaged(kept()[1]))), 2_500)
def a_damaged_answer_is_never_given(given):
    one = Kept(str(folder() / "kept"), "http://localhost", "/chat", {"model": "m"})
    one.path.write_bytes(given[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = tried(one.get)
    assert found in (None, {"choices": [{"message": {"content": "Postgres."}}]})
    (path,) = (folder() / "cached").iterdir()
    path.write_bytes(given[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        text = tried(Cached(lcm.Lead(), str(folder() / "cached")), ["Use WAL. It is faster."], 4)
    assert text in (None, "Use WAL."), text


@cache
def tiny():
    """Save a small collection and an evaluation of it."""
    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["which database", "retry backoff"]})
    qrels = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["m1", "m2"], "relevance": [1, 2]})
    made = lcm.Collection("tiny", small_corpus(), topics, qrels)
    made.save(folder() / "tiny")
    result = lcm.evaluate({"a": lcm.BM25() % 5, "b": lcm.TfIdf() % 5}, made, [nDCG @ 5, R @ 5])
    return made, result.save(folder() / "evaluation")


@law(st.deferred(lambda: tiny() and harm(folder() / "tiny")), 1_200)
def a_damaged_collection_is_refused_or_read(files):
    home = laid(files, "collection")
    made = tried(lcm.Collection.open, home)
    tried(lcm.load, home)
    if made is not None:
        repr(made)
        tried(lambda: lcm.evaluate({"a": lcm.BM25() % 5}, made.judged(), [nDCG @ 5]))


@law(st.deferred(lambda: tiny() and harm(tiny()[1])), 1_200)
def a_damaged_evaluation_is_refused_or_read(files):
    home = laid(files, "read")
    found = tried(Evaluation.load, home, tiny()[0])
    if found is not None:
        repr(found)
        tried(found.summary)
    changes = tried(lcm.diff, home, tiny()[1])
    if changes is not None:
        repr(changes)


@cache
def shards():
    """Write shards in Arrow and in parquet."""
    (path,) = write(small_corpus(), 1, folder() / "shards")
    flat = folder() / "shards" / "one.parquet"
    small_corpus().frame().to_parquet(flat)
    return Path(path).read_bytes(), flat.read_bytes()


@law(st.deferred(lambda: st.tuples(damaged(shards()[0]), damaged(shards()[1]))), 1_000)
def a_damaged_shard_is_refused_or_read(given):
    for data, name in zip(given, ("a.arrow", "a.parquet"), strict=True):
        path = folder() / name
        path.write_bytes(data)
        rows = tried(table, str(path))
        corpus = None if rows is None else tried(lcm.Corpus, rows)
        if corpus is not None:
            lcm.BM25().fit(corpus)("retry")


TREC = {
    "run": "q1 Q0 m1 1 -1 x\nq1 Q0 m3 2 -2 x\nq2 Q0 m2 1 0.5 x\n",
    "qrels": "q1 0 m1 1\nq2 0 m2 2\nq2 0 m3 -1\n",
    "questions": "question,message,quote\nwhich database?,m1,\nretry?,,retry with backoff\n",
}


@law(
    st.tuples(
        *(
            damaged(text.encode()) | texts.map(lambda t: t.encode("utf-8", "surrogatepass"))
            for text in TREC.values()
        )
    ),
    4_000,
)
def lines_of_trec_are_read_or_refused(given):
    run, qrels, asked = (folder() / name for name in TREC)
    for path, data in zip((run, qrels, asked), given, strict=True):
        path.write_bytes(data)
    topics = lcm.BM25().fit(small_corpus()).run(["which database", "retry"]).topics
    read = tried(type(lcm.BM25().fit(small_corpus()).run("retry")).from_trec, run, topics)
    if read is not None:
        assert np.isfinite(read.scores).all()
    from lcm_lab.collection import read_qrels

    tried(read_qrels, qrels)
    tried(read_table, str(asked))


@law(st.deferred(lambda: harm(beir())), 1_500)
def a_beir_folder_is_refused_or_read(files):
    made = tried(lcm.load, laid(files, "beir-read"))
    if made is not None:
        repr(made)


@cache
def beir():
    home = folder() / "beir"
    (home / "qrels").mkdir(parents=True)
    rows = [{"_id": f"d{i}", "title": "t", "text": f"use WAL {i}"} for i in range(5)]
    (home / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (home / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "which journal?"}) + "\n")
    (home / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return home
