"""What fuzzing found: files that were changed outside are refused, or read for what they are."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, Corpus, TfIdf
from lcm_lab.collection import read_qrels
from lcm_lab.compaction.guarded import Cached
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.ranking.dense.embeddings import Shelf
from lcm_lab.ranking.lexical.folder import _sum_of
from lcm_lab.run import Run
from lcm_lab.scale.files import table, write
from lcm_lab.store.audit import audit
from lcm_lab.store.store import Store
from lcm_lab.testing import small_corpus
from lcm_lab.topics import Topics

NOT_TEXT = b"q1 0 m1 1\nq1 0 \xff 1\n"


def flip(path, at):
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def fails(path, statement, *given):
    """Change a database as nobody should."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, given)


@pytest.fixture
def stored(tmp_path):
    with Store(tmp_path / "memory.db") as store:
        store.add(small_corpus())
    return tmp_path / "memory.db"


@pytest.mark.parametrize("at", [8, 40, -1], ids=["size of the head", "head", "content"])
@pytest.mark.parametrize("name", ["0-rows", "0-term-data"])
def test_a_bit_of_an_index_wherever_it_lies_is_seen(name, at, tmp_path):
    many = Corpus([f"w{i} w{i + 1}" for i in range(30)])
    BM25().fit(many).save(tmp_path / "a")
    flip(tmp_path / "a" / f"{name}.npy", at)
    with pytest.raises(BadInput, match=rf"{name}.npy was changed after it was written"):
        BM25().fit(many, saved=tmp_path / "a")


def test_what_an_index_says_of_itself_is_checked_too(tmp_path):
    policy = BM25() + 0.3 * TfIdf()
    policy.fit(small_corpus()).save(tmp_path / "a")
    path = tmp_path / "a" / "manifest.json"
    about = json.loads(path.read_text("utf-8"))
    del about["lists"][0]["rankers"][0]  # the weights of one ranker would be those of another
    path.write_text(json.dumps(about), "utf-8")
    with pytest.raises(BadInput, match=r"manifest.json was changed"):
        policy.fit(small_corpus(), saved=tmp_path / "a")


@pytest.mark.parametrize("name", ["../b/0-rows", "/tmp/0-rows"])
def test_an_index_reads_no_file_outside_its_folder(name, tmp_path):
    for folder in ("a", "b"):
        BM25().fit(small_corpus()).save(tmp_path / folder)
    path = tmp_path / "a" / "manifest.json"
    about = json.loads(path.read_text("utf-8"))
    about["files"][name] = about["files"]["0-rows"]
    del about["sum"]
    path.write_text(json.dumps({"sum": _sum_of(about), **about}), "utf-8")
    with pytest.raises(BadInput, match="a file elsewhere"):
        BM25().fit(small_corpus(), saved=tmp_path / "a")


def test_a_manifest_that_is_no_object_or_nests_too_deep_is_damaged(tmp_path):
    BM25().fit(small_corpus()).save(tmp_path / "a")
    for text in ("[1]", "[" * 100_000):
        (tmp_path / "a" / "manifest.json").write_text(text)
        with pytest.raises(BadInput, match="is damaged"):
            BM25().fit(small_corpus(), saved=tmp_path / "a")


def test_a_kept_summary_that_was_changed_or_is_of_another_call_is_not_taken(tmp_path):
    kept = Cached(lcm.Lead(), str(tmp_path))
    assert kept(["Use WAL. It is faster."], 4) == "Use WAL."
    (path,) = tmp_path.iterdir()
    whole = path.read_text("utf-8")
    path.write_text(whole.replace("Use WAL.", "No WAL."), "utf-8")
    with pytest.raises(BadInput, match=r"was changed after it was written. Delete it"):
        kept(["Use WAL. It is faster."], 4)
    kept(["Lunch at noon. Or one."], 4)
    other = next(one for one in tmp_path.iterdir() if one != path)
    other.write_text(whole, "utf-8")
    with pytest.raises(BadInput, match="was changed"):
        kept(["Lunch at noon. Or one."], 4)
    path.write_text("[" * 100_000)
    with pytest.raises(BadInput, match="holds no summary"):
        kept(["Use WAL. It is faster."], 4)


def test_a_summary_that_has_no_utf_8_is_kept(tmp_path):
    kept = Cached(lcm.Named("half", lambda texts, tokens: "half \ud83d"), str(tmp_path))
    assert kept(["a"], 4) == kept(["a"], 4) == "half \ud83d"


@pytest.mark.parametrize(
    "change",
    [
        "update vectors set vector = 'text'",
        "update vectors set vector = 7",
        "update vectors set sum = null",
        "update about set encoder = x'00'",
    ],
)
def test_an_embedding_of_another_type_is_not_given(change, tmp_path):
    shelf = Shelf(tmp_path, "an encoder")
    shelf.put(["a"], np.ones((1, 4), np.float32))
    fails(shelf.path, change)
    with pytest.warns(RuntimeWarning, match="damaged|it holds those of"):
        assert Shelf(tmp_path, "an encoder").get(["a"]) == [None]


def test_a_text_file_that_is_not_utf_8_is_refused_by_its_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(NOT_TEXT)
    topics = Topics.of(["retry"], small_corpus())
    for read in (read_qrels, lambda one: Run.from_trec(one, topics)):
        with pytest.raises(BadInput, match=r"a.txt:2 is not UTF-8"):
            read(path)
    with pytest.raises(NotFound, match="No file"):
        Run.from_trec(tmp_path / "none.txt", topics)
    path.write_bytes(b"\xef\xbb\xbfq1 0 m1 1\n")
    assert read_qrels(path)["qid"].tolist() == ["q1"]


def test_judgements_of_a_collection_that_are_not_utf_8_are_refused(tmp_path):
    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "text": "use WAL"}\n')
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "which journal?"}\n')
    (beir / "qrels" / "test.tsv").write_bytes(b"q\td\ts\nq1\t\xff\t1\n")
    with pytest.raises(BadInput, match=r"test.tsv:2 is not UTF-8"):
        lcm.load(beir)
    topics = pd.DataFrame({"qid": ["q1"], "query": ["retry?"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m2"], "relevance": [1]})
    saved = lcm.Collection("tiny", small_corpus(), topics, qrels).save(tmp_path / "tiny")
    (saved / "qrels.tsv").write_bytes(b"qid\tdocno\trelevance\nq1\t\xff\t1\n")
    with pytest.raises(BadInput, match=r"qrels.tsv:2 is not UTF-8"):
        lcm.load(saved)
    (saved / "topics.jsonl").write_text("[" * 100_000)
    with pytest.raises(BadInput, match=r"topics.jsonl:1 is not JSON"):
        lcm.load(saved)


@pytest.mark.parametrize("score", ["high", "nan", "inf", "1e999"])
def test_a_run_whose_scores_are_no_numbers_has_no_order(score, tmp_path):
    (tmp_path / "a.trec").write_text(f"q1 Q0 m1 1 -1 x\nq1 Q0 m2 2 {score} x\n")
    with pytest.raises(BadInput, match=rf"line 2: a score is a number. Got '{score}'"):
        Run.from_trec(tmp_path / "a.trec", Topics.of(["retry"], small_corpus()))


@pytest.mark.parametrize(
    "change",
    [
        "alter table messages rename column source to other",
        "alter table sessions rename column number to other",
        "drop table parts",
        "delete from conversations where number % 2",
    ],
)
def test_a_store_that_was_changed_outside_is_damaged_not_a_fault_of_ours(change, stored):
    fails(stored, change)
    with Store(stored, readonly=True) as store, pytest.raises(BadInput, match="is damaged"):
        store.corpus()
        for name in store.conversations()["name"]:
            store.dag(name)


def test_a_fault_of_ours_is_not_blamed_on_a_store_that_is_sound(stored):
    with Store(stored) as store, pytest.raises(IndexError), store.reading():
        raise IndexError("ours")


def test_an_audit_that_cannot_go_on_says_so_and_keeps_what_it_found(stored):
    fails(stored, "delete from conversations where number % 2")
    fails(stored, "alter table frontier rename column conversation to other")
    with Store(stored, readonly=True) as store:
        found = audit(store).set_index("rule")
    assert found["violations"]["what a row refers to is there"] > 0
    assert found["violations"]["all of it can be read"] == 1
    assert "more may be wrong" in found["meaning"]["all of it can be read"]


def test_a_full_text_index_that_lost_a_table_is_told_of(stored):
    fails(stored, "drop table docs_porter_unicode61_idx")
    with Store(stored, readonly=True) as store:
        found = audit(store).set_index("rule")
    assert found["violations"]["the index holds what its rows say"] > 0


def test_a_shard_with_a_wrong_offset_leads_nowhere(tmp_path):
    (path,) = write(small_corpus(), 1, tmp_path)
    rows = pa.ipc.open_file(path).read_all()
    offsets = rows["docno"].chunk(0).buffers()[1]
    data = (tmp_path / "shard-00000.arrow").read_bytes()
    at = data.index(offsets.to_pybytes()[:64])
    (tmp_path / "b.arrow").write_bytes(data[: at + 8] + b"\xff\xff\xff\x7f" + data[at + 12 :])
    with pytest.raises(BadInput, match="is no table of messages"):
        table(str(tmp_path / "b.arrow"))
    flat = tmp_path / "c.parquet"
    small_corpus().frame().to_parquet(flat)
    whole = flat.read_bytes()
    flat.write_bytes(whole[:4] + b"\xff" * 16 + whole[20:])
    with pytest.raises(BadInput, match="is no table of messages"):
        table(str(flat))


@pytest.mark.parametrize("odd", [2**64, -(10**400), {"a": "\ud800"}, ["\ud800"]], ids=range(4))
def test_a_value_that_no_column_can_hold_is_refused(odd):
    with pytest.raises(BadInput, match="Column 'size' holds what no column can"):
        Corpus([{"text": "use WAL", "size": odd}])


def test_columns_of_dicts_have_names_of_their_own_that_can_be_stored():
    with pytest.raises(BadInput, match="Two columns are called '1'"):
        Corpus([{"text": "use WAL", 1: "a", "1": "b"}])
    assert Corpus([{"text": "use WAL", "\ud800": "a"}])["\ufffd"].tolist() == ["a"]


def test_an_error_is_bounded_whatever_it_quotes_and_keeps_its_way_out():
    with pytest.raises(BadParameter) as refused:
        lcm.Analyzer(language="x" * 1_000_000)
    told = str(refused.value)
    assert len(told) <= 2_100
    assert told.startswith("No stemmer for language 'xxx")
    assert told.endswith("None for no stemming.")


def test_what_no_path_can_hold_is_refused_wherever_a_path_is_given(tmp_path, monkeypatch):
    search = BM25().fit(small_corpus())
    for use in (
        lambda path: search.save(path),
        lambda path: BM25().fit(small_corpus(), saved=path),
        lambda path: Store(path),
        lambda path: lcm.open_lcm(path),
        lambda path: lcm.load(path),
    ):
        with pytest.raises(BadInput, match="No path holds a NUL"):
            use("a\0b")
    monkeypatch.setenv("HOME", str(tmp_path))
    search.save("~/index")
    assert (tmp_path / "index" / "manifest.json").is_file()
    assert BM25().fit(small_corpus(), saved="~/index")("retry")["docno"].tolist()


def test_a_stretch_that_is_too_long_to_look_for_is_refused():
    search = lcm.Substring().fit(small_corpus())
    with pytest.raises(BadParameter, match=r"A stretch of 1,499,999 characters is too long"):
        search("retry " * 250_000)


def test_a_store_with_a_time_that_has_no_date_says_where(stored):
    fails(stored, "update messages set time = 9000000000000000000 where number = 1")
    with Store(stored) as store:
        name = store.conversations()["name"][0]
        with pytest.raises(BadInput, match="damaged: in message 'm1', 9000000000000000000 is no t"):
            store.messages(name)
        with pytest.raises(BadInput, match="no time of a year"):
            store.corpus()


@pytest.mark.parametrize("size", [1, 100, 511])
def test_a_file_shorter_than_any_database_is_no_store(size, tmp_path):
    """Of some of them SQLite says that they are locked, however long one waits."""
    path = tmp_path / "memory.db"
    path.write_bytes(b"S" * size)
    for readonly in (False, True):
        with pytest.raises(BadInput, match=r"is no store: file is not a database"):
            Store(path, readonly=readonly)
    assert path.read_bytes() == b"S" * size
