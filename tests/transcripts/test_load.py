"""`load`: by name, by folder, by what a file holds."""

import json

import pandas as pd
import pytest

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.transcripts import load as loading
from lcm_lab.transcripts.load import load, shipped


def saved(folder):
    topics = pd.DataFrame({"qid": ["q1"], "query": ["which database?"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    corpus = Corpus([{"docno": "m1", "text": "Postgres it is."}])
    return Collection("tiny", corpus, topics, qrels).save(folder)


def test_a_saved_folder_is_opened(tmp_path):
    assert load(saved(tmp_path / "tiny")).name == "tiny"
    assert load(str(tmp_path / "tiny")).topics["query"].tolist() == ["which database?"]


def test_shipped_collections_are_found_by_name_in_the_wheel_or_the_checkout(tmp_path, monkeypatch):
    package = tmp_path / "site" / "lcm_lab"
    package.mkdir(parents=True)
    monkeypatch.setattr(loading.resources, "files", lambda _: package)
    assert shipped() == {}
    saved(tmp_path / "site" / "datasets" / "one")
    assert list(shipped()) == ["one"]
    saved(package / "_datasets" / "two")
    assert list(shipped()) == ["two"]
    assert load("two").name == "tiny"
    with pytest.raises(NotFound, match=r"'tow'. Shipped are two. Did you mean 'two'\?"):
        load("tow")


def test_the_beir_layout_is_read(tmp_path):
    def write(name, *records):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in records))

    write(
        "corpus.jsonl", {"_id": "d1", "title": "T", "text": "body"}, {"_id": "d2", "text": "other"}
    )
    write(
        "queries.jsonl", {"_id": "q1", "text": "body?"}, {"_id": "q2", "text": "of another split"}
    )
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    made = load(tmp_path)
    assert made.corpus["text"].tolist() == ["T body", "other"]
    assert made.topics["qid"].tolist() == ["q1"]
    assert made.qrels.to_numpy().tolist() == [["q1", "d1", 1]]
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\n")
    with pytest.raises(BadInput, match=r"test.tsv:2 "):
        load(tmp_path)


def test_what_is_nowhere_is_not_found(tmp_path):
    with pytest.raises(NotFound, match="No collection or path 'no-such-thing'"):
        load("no-such-thing")
    (tmp_path / "empty.json").write_text("")
    with pytest.raises(BadInput, match="empty file"):
        load(tmp_path / "empty.json")


def test_transcripts_of_several_paths_are_mined_together(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"role": "user", "content": name}))
    made = load([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    assert (made.name, len(made.corpus), len(made.topics)) == ("a.jsonl, b.jsonl", 2, 0)
    assert made.card["dropped"] == {
        "message without a time, so that nothing could be hidden from it": 2
    }
