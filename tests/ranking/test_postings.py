import json
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab import BM25, Analyzer, Corpus, Feedback, Phrase, Proximity, QueryLikelihood, TfIdf
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.ranking.lexical import proof
from lcm_lab.ranking.lexical.grams import CharGrams
from lcm_lab.ranking.lexical.postings import Postings, forward, postings
from lcm_lab.ranking.lexical.split import Split
from lcm_lab.ranking.lexical.terms import Hashed, Layered, Listed

SAID = [
    "el perro corre por la calle",
    "la gata duerme",
    "corriendo por el parque",
    "",
    "Straße 東京都 src/app.py",
    "el perro, el perro y la gata",
]
SPANISH = Analyzer(language="spanish", stop=("el", "la", "por"))
POLICIES = [
    BM25(),
    BM25(k1=0.9, b=0.4, average=20, framing=0.4),
    TfIdf(),
    QueryLikelihood(),
    CharGrams(),
    BM25(analyzer=Split(), fields=("text",)),
    BM25() % 5 + 0.3 * TfIdf(analyzer=SPANISH, fields=("text",)),
    Feedback(Proximity(BM25()), BM25()),
]

words = st.sampled_from(
    ["el", "perro", "corre", "corriendo", "the", "dog", "runs", "running", "src/app.py", "東京"]
)
texts = st.lists(st.lists(words, max_size=6).map(" ".join), max_size=8)


def same(got, wanted):
    """Require lists to be equal to the last bit, terms and their numbers included."""
    assert list(got.terms) == list(wanted.terms)
    for name in (
        field.name for field in fields(Postings) if field.name not in ("analyzer", "terms", "whole")
    ):
        there, due = getattr(got, name), getattr(wanted, name)
        assert there.dtype == due.dtype
        assert there.tolist() == due.tolist(), name


def same_tokens(got, wanted):
    assert list(got.vocabulary) == list(wanted.vocabulary)
    for name in ("ids", "offsets", "lengths", "stop"):
        assert getattr(got, name).tolist() == getattr(wanted, name).tolist(), name


def answers(search):
    run = search.run(["corriendo el perro", "straße", "gata the dog runs", "東京"])
    return run.rows.tolist(), run.scores.tolist()


@given(st.sampled_from(POLICIES), texts, texts, texts)
def test_rows_added_at_the_end_give_what_a_full_rebuild_gives(policy, first, second, third):
    search = policy.fit(Corpus(SAID + first))
    search = search.grow(Corpus(SAID + first + second)).grow(Corpus(SAID + first + second + third))
    whole = Corpus(SAID + first + second + third)
    assert answers(search) == answers(policy.fit(whole))


@given(texts, texts)
def test_lists_and_tokens_that_grew_are_those_of_a_full_rebuild(first, second):
    small, large, whole = Corpus(first), Corpus(first + second), Corpus(first + second)
    policy = Feedback(BM25())
    policy.fit(small).grow(large)
    reads = BM25().analyzer, BM25().fields
    same(postings(large, *reads), postings(whole, *reads))
    same_tokens(forward(large, *reads), forward(whole, *reads))


def test_dates_and_speakers_of_added_rows_are_found(tmp_path):
    rows = [
        {"text": "a", "speaker": "Ann", "time": "2023-05-08", "conversation": "c1"},
        {"text": "b", "speaker": "Bob", "conversation": "c2"},
        {"text": "c", "speaker": "Ann", "time": "2023-06-09", "conversation": "c2"},
    ]
    first, whole = Corpus(rows[:1]), Corpus(rows)
    search = BM25().fit(first)
    search.save(tmp_path / "a")
    for grown in (search.grow(whole), BM25().fit(Corpus(rows), saved=tmp_path / "a")):
        assert grown("Ann")["docno"].tolist() == ["m1", "m3"]
        assert grown("9 June")["docno"].tolist() == ["m3"]
        assert grown("Bob", conversation="c2")["docno"].tolist() == ["m2"]


def test_only_new_rows_are_analysed():
    seen = []

    @lcm.value
    class Watched:
        def analyze(self, column):
            seen.extend(column.to_pylist())
            return Analyzer().analyze(column)

        def query(self, text):
            return Analyzer().query(text)

    search = BM25(analyzer=Watched(), fields=("text",)).fit(Corpus(SAID))
    seen.clear()
    more = search.grow(Corpus([*SAID, "nuevo perro"]))
    assert seen == ["nuevo perro"]
    assert set(more("perro")["docno"]) == {"m1", "m6", "m7"}


@pytest.mark.parametrize(
    ("rows", "where"),
    [(SAID[:3], "shorter"), ([*SAID[:2], "otra", *SAID[3:], "x"], "'text' of row 2 differs")],
)
def test_a_corpus_that_does_not_begin_with_the_fitted_rows_is_refused(rows, where):
    with pytest.raises(BadParameter, match=where):
        BM25().fit(Corpus(SAID)).grow(Corpus(rows))


def test_messages_that_go_on_with_an_earlier_conversation_are_refused():
    rows = [{"text": "a", "conversation": "c1"}, {"text": "b", "conversation": "c2"}]
    late = [*rows, {"text": "c", "conversation": "c1"}]
    with pytest.raises(BadParameter, match="Only rows at the end can be added"):
        BM25().fit(Corpus(rows)).grow(Corpus(late))
    ends = [*rows, {"text": "c", "conversation": "c2"}, {"text": "d", "conversation": "c3"}]
    assert len(BM25().fit(Corpus(rows)).grow(Corpus(ends)).corpus) == 4


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize("more", [[], ["corriendo y corriendo", "nuevas palabras 東京"]])
def test_saved_lists_answer_as_built_ones(policy, more, tmp_path):
    policy.fit(Corpus(SAID)).save(tmp_path / "index")
    search = policy.fit(Corpus(SAID + more), saved=tmp_path / "index")
    assert answers(search) == answers(policy.fit(Corpus(SAID + more)))


def test_saved_lists_are_mapped_and_cannot_be_written_to(tmp_path):
    policy = BM25()
    built = policy.fit(Corpus(SAID))
    built.save(tmp_path / "index")
    search = policy.fit(Corpus(SAID), saved=str(tmp_path / "index"))
    mine, other = search.indexes[policy], built.indexes[policy]
    same(mine.postings, other.postings)
    assert mine.worth.tolist() == other.worth.tolist()
    assert mine.postings.highest.tolist() == other.postings.highest.tolist()
    for array in (mine.postings.rows, mine.postings.highest, mine.worth):
        assert type(array) is np.ndarray
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_saved_lists_serve_rankers_that_read_texts_alike(tmp_path):
    BM25().fit(Corpus(SAID)).save(tmp_path / "index")
    policy = BM25(k1=0.5) + Phrase()
    search = policy.fit(Corpus(SAID), saved=tmp_path / "index")
    assert answers(search) == answers(policy.fit(Corpus(SAID)))


def test_what_was_loaded_can_be_grown_and_saved_again(tmp_path):
    whole = [*SAID, "perro nuevo", "corriendo otra vez"]
    policy = Proximity(BM25())
    policy.fit(Corpus(SAID)).save(tmp_path / "a")
    grown = policy.fit(Corpus(whole[:7]), saved=tmp_path / "a").grow(Corpus(whole))
    grown.save(tmp_path / "a")
    again = policy.fit(Corpus(whole), saved=tmp_path / "a")
    assert answers(again) == answers(policy.fit(Corpus(whole)))


def test_an_empty_corpus_can_be_saved_and_grown(tmp_path):
    BM25().fit(Corpus([])).save(tmp_path / "a")
    assert len(BM25().fit(Corpus([]), saved=tmp_path / "a").run("perro").rows) == 0
    search = BM25().fit(Corpus(SAID), saved=tmp_path / "a")
    assert answers(search) == answers(BM25().fit(Corpus(SAID)))


PROCESS = """
import sys
import lcm_lab as lcm

@lcm.value
class Commas:
    def analyze(self, column):
        import pyarrow.compute as pc
        return lcm.Analyzer("spanish", ("el", "la")).analyze(pc.replace_substring(column, ",", " "))

    def query(self, text):
        return lcm.Analyzer("spanish", ("el", "la")).query(text.replace(",", " "))

policy = lcm.BM25(analyzer=Commas(), fields=("text",)) % 3
corpus = lcm.Corpus(["el perro corre", "la gata duerme", "corriendo,por la calle"])
if sys.argv[1] == "save":
    search = policy.fit(corpus)
    search.save(sys.argv[2])
else:
    search = policy.fit(corpus, saved=sys.argv[2])
run = search.run("corriendo")
print(run.rows.tolist(), [score.hex() for score in run.scores.tolist()])
"""


def test_another_process_gives_the_same_hits_and_scores(tmp_path):
    """RK-16: a stemmer, Spanish stop words and an analyzer of one's own."""

    def told(script, what):
        command = [sys.executable, "-c", script, what, str(tmp_path / "index")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    saved, loaded = told(PROCESS, "save"), told(PROCESS, "load")
    assert saved.stdout.startswith("[0, 2] ") or saved.stdout.startswith("[2, 0] ")
    assert (loaded.stdout, loaded.stderr) == (saved.stdout, "")
    edited = told(PROCESS.replace('column, ",", " "', 'column, ",", "-"'), "load")
    assert "Commas() no longer gives the terms it gave when the index" in edited.stderr


@pytest.mark.parametrize("package", proof.VERSIONS)
def test_lists_saved_under_another_version_are_refused(package, tmp_path, monkeypatch):
    BM25().fit(Corpus(SAID)).save(tmp_path / "a")
    monkeypatch.setitem(proof.VERSIONS, package, "99.0")
    with pytest.raises(BadInput, match=f"this is .*{package} 99.0.*, which may read texts"):
        BM25().fit(Corpus(SAID), saved=tmp_path / "a")


@pytest.mark.parametrize(
    "policy",
    [BM25(analyzer=SPANISH), BM25(fields=("text",)), BM25() + TfIdf(analyzer=Split())],
    ids=repr,
)
def test_a_policy_that_reads_texts_otherwise_is_refused(policy, tmp_path):
    BM25().fit(Corpus(SAID)).save(tmp_path / "a")
    with pytest.raises(BadParameter, match="This policy reads"):
        policy.fit(Corpus(SAID), saved=tmp_path / "a")


@pytest.mark.parametrize(
    "frame",
    [
        {"text": SAID[::-1]},
        {"text": SAID[:5]},
        {"text": SAID, "speaker": ["Ann"] * 6},
        {"text": SAID, "time": ["2024-05-01"] * 6},
        {"text": [*SAID[:4], SAID[4] + " " + SAID[5], ""]},
    ],
    ids=["other order", "shorter", "speaker", "time", "moved"],
)
def test_another_corpus_is_refused(frame, tmp_path):
    BM25().fit(Corpus(SAID)).save(tmp_path / "a")
    with pytest.raises(BadParameter, match="does not begin with"):
        BM25().fit(Corpus(pd.DataFrame(frame)), saved=tmp_path / "a")


def test_columns_that_are_not_indexed_do_not_matter(tmp_path):
    BM25().fit(Corpus(SAID)).save(tmp_path / "a")
    other = Corpus(pd.DataFrame({"text": SAID, "role": ["user"] * 6}))
    assert len(BM25().fit(other, saved=tmp_path / "a").run("perro").rows) == 2


def spoil_size(folder):
    path = folder / "0-rows.npy"
    path.write_bytes(path.read_bytes()[:-4])


def spoil_value(folder):
    path = folder / "0-ranker0-values.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x40")


def spoil_manifest(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")


def forget_a_file(folder):
    (folder / "0-term-table.npy").unlink()


@pytest.mark.parametrize("spoil", [spoil_size, spoil_value, spoil_manifest, forget_a_file])
def test_damaged_files_are_refused(spoil, tmp_path):
    BM25().fit(Corpus(SAID)).save(tmp_path / "a")
    spoil(tmp_path / "a")
    with pytest.raises(BadInput, match="is damaged"):
        BM25().fit(Corpus(SAID), saved=tmp_path / "a")


def test_another_format_is_refused(tmp_path):
    BM25().fit(Corpus(SAID)).save(tmp_path / "a")
    path = tmp_path / "a" / "manifest.json"
    about = json.loads(path.read_text("utf-8")) | {"format": 0}
    path.write_text(json.dumps(about), "utf-8")
    with pytest.raises(BadInput, match=r"holds .lcm_lab posting lists., format 0"):
        BM25().fit(Corpus(SAID), saved=tmp_path / "a")


def test_a_folder_without_an_index_is_not_found(tmp_path):
    with pytest.raises(NotFound, match="No saved index in"):
        BM25().fit(Corpus(SAID), saved=tmp_path)


def test_saving_replaces_an_index_and_leaves_nothing_beside_it(tmp_path):
    first = BM25().fit(Corpus(SAID))
    first.save(tmp_path / "a")
    opened = BM25().fit(Corpus(SAID), saved=tmp_path / "a")
    TfIdf().fit(Corpus(SAID[:2])).save(tmp_path / "a")
    assert answers(opened) == answers(first)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("name", ["mine.txt", "manifest.json", "data.npy"])
def test_saving_refuses_a_folder_that_holds_anything_else(name, tmp_path):
    (tmp_path / name).write_text('{"systems": []}', "utf-8")
    with pytest.raises(BadParameter, match="is there and no saved index"):
        BM25().fit(Corpus(SAID)).save(tmp_path)
    assert (tmp_path / name).read_text("utf-8") == '{"systems": []}'


def test_a_policy_without_words_has_nothing_to_save(tmp_path):
    with pytest.raises(BadParameter, match="has no ranker of words"):
        lcm.Substring().fit(Corpus(SAID)).save(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_an_analyzer_that_no_other_process_would_know_is_refused(tmp_path):
    class Mine:
        def analyze(self, column):
            return Analyzer().analyze(column)

        def query(self, text):
            return Analyzer().query(text)

    with pytest.raises(BadParameter, match="Make Mine an @lcm"):
        BM25(analyzer=Mine()).fit(Corpus(SAID)).save(tmp_path / "a")


@given(st.lists(st.text(), unique=True), st.text())
def test_hashed_terms_are_looked_up_as_in_a_dictionary(terms, other):
    numbers = {term: i for i, term in enumerate(terms)}
    hashed = Hashed(*Hashed.arrays(numbers))
    assert dict(hashed) == numbers
    assert list(hashed) == terms
    assert hashed.get(other) == numbers.get(other)


def test_terms_of_equal_hash_are_told_apart():
    alike = ["plumless", "buckeroo"]  # of one CRC-32
    hashed = Hashed(*Hashed.arrays({term: i for i, term in enumerate(alike)}))
    assert [hashed[term] for term in alike] == [0, 1]


def test_layers_of_terms_stay_two():
    layered = Layered(Layered({"a": 0}, {"b": 1}), {"c": 2})
    assert dict(layered) == {"a": 0, "b": 1, "c": 2}
    assert (len(layered), layered.get("d")) == (3, None)
    assert Listed(layered)[1:] == ["b", "c"]
    assert layered._base == {"a": 0}
