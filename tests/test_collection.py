"""Collections: what they refuse, how units carry judgements, and that saving changes nothing."""

import json
import lzma

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.collection import Collection, read_qrels, write_qrels
from lcm_lab.collection import files as stored
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, NotFound, unknown

ROWS = [
    ("a1", "c1", "s1", "user", "which database?", "2026-01-01T10:00:00Z"),
    ("a2", "c1", "s1", "assistant", "Postgres it is.", "2026-01-01T10:01:00Z"),
    ("a3", "c1", "s1", "tool", "ok", "2026-01-01T10:02:00Z"),
    ("a4", "c1", "s2", "user", "and the port?", "2026-01-02T10:00:00Z"),
    ("a5", "c1", "s2", "assistant", "5433, not 5432.", "2026-01-02T10:01:00Z"),
    ("b1", "c2", "s1", "user", "unrelated\u2028 text é", None),
]
NAMES = ["docno", "conversation", "session", "role", "text", "time"]


def tiny(**changes):
    parts = {
        "corpus": Corpus([dict(zip(NAMES, row, strict=True)) for row in ROWS]),
        "topics": pd.DataFrame(
            {
                "qid": ["q1", "q2", "q3"],
                "query": ["database?", "port?", "colour?"],
                "type": ["fact", "fact", "abstention"],
                "answer": ["Postgres", 5433, None],
                "asked_at": ["2026-03-01", "2026-01-02T10:01:30Z", None],
                "conversation": ["c1", "c1", None],
            }
        ),
        "qrels": pd.DataFrame(
            [
                ("q1", "a2", 2, False),
                ("q1", "a1", 1, True),
                ("q2", "a5", 1, False),
                ("q3", "b1", 0, False),
            ],
            columns=["qid", "docno", "relevance", "stale"],
        ),
        "card": {"licence": "MIT"},
    } | changes
    return Collection("tiny", **parts)


def test_a_collection_says_what_is_in_it():
    assert repr(tiny()) == (
        "Collection 'tiny': 6 rows, 2 conversations, 3 topics (2 judged), 4 judgements"
    )


def test_topics_and_qrels_come_out_in_one_form():
    made = tiny()
    assert made.topics["asked_at"].tolist()[:2] == [
        pd.Timestamp("2026-03-01", tz="UTC"),
        pd.Timestamp("2026-01-02T10:01:30", tz="UTC"),
    ]
    assert made.topics["asked_at"].isna().tolist() == [False, False, True]
    assert made.qrels["relevance"].tolist() == [2, 1, 1, 0]
    bare = Collection("bare", made.corpus, made.topics[["qid", "query"]], made.qrels)
    assert bare.topics["type"].tolist() == ["", "", ""]


def test_a_judgement_of_an_unknown_document_is_listed_and_left_out():
    more = pd.concat(
        [tiny().qrels, pd.DataFrame([("q1", "zzz", 1)], columns=["qid", "docno", "relevance"])]
    )
    made = tiny(qrels=more)
    assert made.card == {"licence": "MIT", "unknown_docnos": ["zzz"]}
    assert made.qrels["docno"].tolist() == ["a2", "a1", "a5", "b1"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"topics": pd.DataFrame({"qid": ["q1"]})}, "topics need query. There is qid"),
        (
            {"topics": pd.DataFrame({"qid": ["q1", "q1"], "query": ["a", "b"]})},
            "'q1' more than once",
        ),
        ({"topics": pd.DataFrame({"qid": [None], "query": ["a"]})}, "topics have no qid in row 0"),
        (
            {"qrels": pd.DataFrame({"qid": ["q1"], "docno": [None], "relevance": [1]})},
            "qrels have no docno in row 0",
        ),
        ({"topics": pd.DataFrame({"qid": ["q1"], "query": [None]})}, "'q1' has no query"),
        (
            {"topics": pd.DataFrame({"qid": ["q1"], "query": ["a"]})},
            r"judge 2 questions that topics do not ask \(q2, q3\)",
        ),
        (
            {"qrels": pd.DataFrame({"qid": ["q1"], "docno": ["a1"], "relevance": [0.5]})},
            "whole number from 0 to 100. Got 0.5",
        ),
        (
            {"qrels": pd.DataFrame({"qid": ["q1"], "docno": ["a1"], "relevance": [1e18]})},
            "whole number from 0 to 100. Got 1e\\+18",
        ),
        ({"topics": [{"qid": "q1", "query": "a"}]}, "topics are a DataFrame with qid, query"),
        ({"qrels": {"q1": {"a1": 1}}}, "qrels are a DataFrame with qid, docno, relevance"),
        ({"qrels": None}, "qrels are a DataFrame with qid, docno, relevance"),
        *(
            ({"relevant_from": least}, "relevant_from is a grade, 1 or more")
            for least in (0, -1, 1.5, "1", None, True)
        ),
        (
            {"qrels": pd.DataFrame({"qid": ["q1"] * 2, "docno": ["a1"] * 2, "relevance": [1, 2]})},
            "'q1 a1' more than once",
        ),
    ],
)
def test_what_cannot_be_a_collection_is_refused(changes, says):
    with pytest.raises(BadInput, match=says):
        tiny(**changes)


def test_judged_keeps_the_topics_that_have_something_to_find():
    judged = tiny().judged()
    assert judged.topics["qid"].tolist() == ["q1", "q2"]
    assert judged.qrels["qid"].unique().tolist() == ["q1", "q2"]


def test_some_topics_are_kept_with_their_judgements_in_the_order_of_the_collection():
    some = tiny().only(iter(["q3", "q1", "q3"]))
    assert some.topics["qid"].tolist() == ["q1", "q3"]
    assert some.qrels["docno"].tolist() == ["a2", "a1", "b1"]
    assert some.corpus.fingerprint == tiny().corpus.fingerprint
    assert tiny().only(tiny().topics["qid"]).fingerprint == tiny().fingerprint
    assert len(tiny().only([]).topics) == 0


def test_an_error_about_one_name_among_hundreds_is_no_page_of_names():
    names = [f"q{n:03}" for n in range(700)]
    told = str(unknown("qid", "q70", names))
    assert told.startswith("No qid 'q70'. There is q000, q001, ")
    assert told.endswith("q039, and 660 others. Did you mean 'q670'?")
    assert "others" not in str(unknown("qid", "x", names[:40]))


def test_topics_that_are_not_there_are_refused():
    with pytest.raises(NotFound, match=r"No qid 'q9'. There is q1, q2, q3."):
        tiny().only(["q1", "q9"])
    with pytest.raises(BadParameter, match=r"only takes several qids: \['q1'\]"):
        tiny().only("q1")


def test_a_conversation_is_a_dag_and_a_wrong_name_gets_the_nearest():
    assert tiny().conversation("c2").frontier == ("b1",)
    with pytest.raises(NotFound, match=r"No conversation 'c3'. There is c1, c2"):
        tiny().conversation("c3")


def test_an_exchange_is_a_user_message_with_all_that_follows():
    cut = tiny().units("exchange")
    assert cut.corpus["docno"].tolist() == ["a1", "a4", "b1"]
    assert cut.corpus["text"].tolist()[0] == "which database?\nPostgres it is.\nok"
    assert cut.corpus["role"].tolist() == ["", "", "user"]
    assert cut.corpus["time"].tolist()[0] == pd.Timestamp("2026-01-01T10:02:00", tz="UTC")
    first = cut.qrels[cut.qrels["qid"] == "q1"]
    assert first[["docno", "relevance", "stale"]].to_numpy().tolist() == [["a1", 2, False]]


def test_a_unit_that_was_not_complete_when_the_question_was_asked_is_no_judgement():
    late = tiny(
        topics=tiny().topics.assign(asked_at="2026-01-02T10:00:30Z"),
        qrels=pd.DataFrame({"qid": ["q2"], "docno": ["a4"], "relevance": [1]}),
    )
    cut = late.units("exchange")
    assert len(cut.qrels) == 0
    assert cut.card["hidden_by_unit"] == 1
    assert len(late.units("turn").qrels) == 1


def test_a_session_is_named_by_its_conversation_and_itself():
    cut = tiny().units("session")
    assert cut.corpus["docno"].tolist() == ["c1/s1", "c1/s2", "c2/s1"]
    pairs = cut.qrels[["qid", "docno"]].to_numpy().tolist()
    assert pairs == [["q1", "c1/s1"], ["q2", "c1/s2"], ["q3", "c2/s1"]]


def test_two_people_exchange_when_the_opener_takes_the_turn_again():
    said = [("Ann", "1"), ("Bo", "2"), ("Ann", "3"), ("Ann", "4"), ("Bo", "5"), ("Bo", "6")]
    rows = [{"docno": f"d{i}", "speaker": who, "text": text} for i, (who, text) in enumerate(said)]
    topics = pd.DataFrame({"qid": ["q"], "query": ["x"]})
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["d5"], "relevance": [1]})
    cut = Collection("pair", Corpus(rows), topics, qrels).units("exchange")
    assert cut.corpus["text"].tolist() == ["Ann: 1\nBo: 2", "Ann: 3\nAnn: 4\nBo: 5\nBo: 6"]
    assert cut.qrels["docno"].tolist() == ["d2"]


def test_where_nobody_is_named_an_exchange_is_a_pair():
    topics, qrels = pd.DataFrame({"qid": [], "query": []}), tiny().qrels[:0]
    cut = Collection("bare", Corpus(["a", "b", "c"]), topics, qrels).units("exchange")
    assert cut.corpus["text"].tolist() == ["a\nb", "c"]


def test_units_that_cannot_be_are_refused():
    with pytest.raises(BadParameter, match=r"turn, exchange, session. Got 'sesion'. Did you mean"):
        tiny().units("sesion")
    filtered = tiny(topics=tiny().topics.assign(role="user"))
    assert filtered.units("turn") is filtered
    with pytest.raises(BadParameter, match="filter on role, which a whole session does not have"):
        filtered.units("session")


def test_saving_and_opening_gives_the_same_collection(tmp_path):
    made = tiny(relevant_from=2)
    back = Collection.open(made.save(tmp_path / "a folder"))
    assert (back.name, back.card, back.relevant_from) == ("tiny", made.card, 2)
    pd.testing.assert_frame_equal(back.corpus.frame(), made.corpus.frame())
    pd.testing.assert_frame_equal(back.topics, made.topics, check_dtype=False)
    pd.testing.assert_frame_equal(back.qrels, made.qrels)
    assert back.fingerprint == made.fingerprint


def test_the_same_collection_gives_the_same_bytes_and_other_files_stay(tmp_path):
    made = tiny()
    (tmp_path / "world.json").write_text("{}")
    made.save(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    made.save(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert sorted(first) == [
        "card.json",
        "corpus.jsonl.xz",
        "qrels.tsv",
        "topics.jsonl",
        "world.json",
    ]


def test_files_hold_only_what_does_not_follow_from_the_rest(tmp_path):
    tiny().save(tmp_path)
    lines = lzma.decompress((tmp_path / "corpus.jsonl.xz").read_bytes()).split(b"\n")
    assert json.loads(lines[2]) == {
        "docno": "a3",
        "text": "ok",
        "conversation": "c1",
        "session": "s1",
        "role": "tool",
        "time": "2026-01-01T10:02:00Z",
    }
    assert (tmp_path / "qrels.tsv").read_text().split("\n")[:2] == [
        "qid\tdocno\trelevance\tstale",
        "q1\ta2\t2\t0",
    ]


def test_an_interrupted_save_is_no_collection(tmp_path, monkeypatch):
    tiny().save(tmp_path)

    def stop(*_):
        raise KeyboardInterrupt

    made = tiny()
    monkeypatch.setattr(stored, "qrels_bytes", stop)
    with pytest.raises(KeyboardInterrupt):
        made.save(tmp_path)
    monkeypatch.undo()
    assert Collection.open(tmp_path).fingerprint == made.fingerprint
    (tmp_path / "card.json").unlink()
    with pytest.raises(NotFound, match=r"no whole collection: it lacks card.json"):
        Collection.open(tmp_path)


def test_a_broken_file_is_named_with_its_line(tmp_path):
    tiny().save(tmp_path)
    with (tmp_path / "topics.jsonl").open("a") as file:
        file.write('{"qid": "q4", ')
    with pytest.raises(BadInput, match=r"topics.jsonl:4 is not JSON"):
        Collection.open(tmp_path)


def test_a_cut_off_corpus_is_refused(tmp_path):
    tiny().save(tmp_path)
    corpus = tmp_path / "corpus.jsonl.xz"
    corpus.write_bytes(corpus.read_bytes()[:-20])
    with pytest.raises(BadInput, match="cut short"):
        Collection.open(tmp_path)


def test_the_fingerprint_tells_content_apart():
    made = tiny()
    assert made.fingerprint == tiny(card={}).fingerprint
    assert made.fingerprint != tiny(relevant_from=2).fingerprint
    assert made.fingerprint != tiny(qrels=made.qrels.assign(relevance=1)).fingerprint
    assert made.fingerprint != tiny(topics=made.topics.assign(query="other")).fingerprint


def test_trec_qrels_go_out_and_come_in(tmp_path):
    path = write_qrels(tiny().qrels, tmp_path / "a.qrels")
    assert path.read_text() == "q1 0 a2 2\nq1 0 a1 1\nq2 0 a5 1\nq3 0 b1 0\n"
    assert read_qrels(path).to_numpy().tolist() == tiny().qrels.iloc[:, :3].to_numpy().tolist()


def test_trec_qrels_that_cannot_be_are_refused(tmp_path):
    path = tmp_path / "bad.qrels"
    path.write_text("q1 0 a2 1\nq1 a2 1\n")
    with pytest.raises(BadInput, match=r"bad.qrels:2 is not 'qid 0 docno relevance'"):
        read_qrels(path)
    with pytest.raises(NotFound):
        read_qrels(tmp_path / "none")
    with pytest.raises(BadInput, match="has blanks"):
        write_qrels(pd.DataFrame({"qid": ["q 1"], "docno": ["a"], "relevance": [1]}), path)


def test_a_collection_of_nothing_is_cut_saved_and_opened(tmp_path):
    topics, qrels = tiny().topics[:0], tiny().qrels[:0]
    empty = Collection("empty", Corpus([]), topics, qrels)
    assert repr(empty) == (
        "Collection 'empty': 0 rows, 0 conversations, 0 topics (0 judged), 0 judgements"
    )
    for unit in ("exchange", "session"):
        assert len(empty.units(unit).corpus) == 0
    assert Collection.open(empty.save(tmp_path)).fingerprint == empty.fingerprint


ROLES = st.sampled_from(["user", ""])
PLACES = st.tuples(st.sampled_from("xy"), st.sampled_from("st"), ROLES)


@settings(max_examples=25)
@given(st.lists(PLACES, min_size=1, max_size=12))
def test_every_row_is_in_one_unit_and_no_unit_crosses_a_session(rows):
    corpus = Corpus(
        [
            {"docno": f"d{i}", "text": f"text{i}", "conversation": c, "session": s, "role": r}
            for i, (c, s, r) in enumerate(rows)
        ]
    )
    topics = pd.DataFrame({"qid": corpus["docno"], "query": "x"})
    qrels = pd.DataFrame({"qid": corpus["docno"], "docno": corpus["docno"], "relevance": 1})
    made = Collection("any", corpus, topics, qrels)
    for unit in ("exchange", "session"):
        cut = made.units(unit)
        words = [word for text in cut.corpus["text"] for word in text.split("\n")]
        assert sorted(words) == sorted(corpus["text"])
        texts = dict(zip(cut.corpus["docno"], cut.corpus["text"], strict=True))
        assert len(cut.qrels) == len(rows)
        for qid, docno in zip(cut.qrels["qid"], cut.qrels["docno"], strict=True):
            assert f"text{qid[1:]}" in texts[docno].split("\n")
        whole = corpus.frame().groupby(["conversation", "session"])
        if unit == "session":
            assert len(cut.corpus) == whole.ngroups
