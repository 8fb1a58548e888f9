"""LongMemEval as published, streamed: haystacks, shared sessions, marked turns; and the stream."""

import bz2
import gzip
import json
import lzma
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadInput
from lcm_lab.transcripts import haystacks, stream
from lcm_lab.transcripts.load import load

DAY = "2023/05/20 (Sat) 10:00"


def turn(content, role="user", **more):
    return {"role": role, "content": content} | more


A = [turn("I bought a Volvo.", has_answer=True), turn("Nice.", "assistant", has_answer=False)]
B = [turn("Tea, please."), turn("", "assistant"), turn("Thanks.")]
C = [turn("Which stove?")]


def question(number, ids, sessions, gold, dates=None, **more):
    return {
        "question_id": f"q{number}",
        "question_type": "single-session-user",
        "question": "Which stove, and which Volvo?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": 7,
        "haystack_session_ids": ids,
        "haystack_dates": dates or [DAY] * len(ids),
        "haystack_sessions": sessions,
        "answer_session_ids": gold,
    } | more


ITEMS = [
    question(1, ["a", "b"], [A, B], ["a"]),
    question(2, ["b", "c"], [B, C], ["b"], ["2023/05/21 (Sun) 10:00", DAY]),
    question("3_abs", ["a", "c"], [A, C], ["c"]),
    question(4, ["c", "b"], [A, B], ["gone"]),
]


def test_a_question_sees_its_haystack_and_shared_sessions_are_stored_once():
    made = haystacks.collection(iter(ITEMS), "tiny")
    rows = made.corpus.frame()
    other = next(name for name in rows["session"].unique() if name.startswith("c~"))
    assert rows["docno"].tolist() == ["a/1", "a/2", "b/1", "b/3", "c/1", f"{other}/1", f"{other}/2"]
    assert rows["role"].tolist()[:2] == ["user", "assistant"]
    assert made.topics["session"].tolist() == [["a", "b"], ["b", "c"], ["a", "c"], [other, "b"]]
    assert made.topics["answer"].tolist() == ["7"] * 4
    assert (made.card["sessions"], made.card["sessions_shared"]) == (4, 3)
    times = rows.set_index("docno")["time"]
    assert times.isna().tolist() == [False, False, True, True, False, False, False]
    assert made.card["sessions_of_several_dates"] == 1
    found = (lcm.BM25() % 9).fit(made.corpus).run(made.topics).frame()
    assert found.loc[found["qid"] == "q2", "docno"].tolist() == ["c/1"]


def test_marked_turns_are_relevant_or_all_of_an_answer_session_without_any():
    made = haystacks.collection(iter(ITEMS), "tiny")
    assert made.qrels.to_numpy().tolist() == [["q1", "a/1", 1], ["q2", "b/1", 1], ["q2", "b/3", 1]]
    assert made.card["topics_without_evidence"] == ["q3_abs", "q4"]
    assert made.card["bad_evidence"] == [{"qid": "q4", "evidence": "gone"}]
    sessions = made.units("session")
    assert sessions.qrels.to_numpy().tolist() == [["q1", "a", 1], ["q2", "b", 1]]


@pytest.mark.parametrize("pack", [bytes, lzma.compress, gzip.compress, bz2.compress])
def test_arrays_lines_and_compressed_files_give_the_same(tmp_path, pack):
    whole = haystacks.collection(iter(ITEMS), "lme").fingerprint
    for name, text in {
        "lme.json": json.dumps(ITEMS, indent=1),
        "lme.jsonl": "\n".join(map(json.dumps, ITEMS)) + "\n",
    }.items():
        (tmp_path / name).write_bytes(pack(text.encode()))
        assert load(tmp_path / name).fingerprint == whole


def test_a_saved_collection_keeps_its_haystacks(tmp_path):
    made = haystacks.collection(iter(ITEMS), "tiny")
    made.save(tmp_path / "tiny")
    opened = load(tmp_path / "tiny")
    assert opened.fingerprint == made.fingerprint
    assert opened.topics["session"].tolist() == made.topics["session"].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"haystack_dates": ["2023/05/20"]}, "Question q1 names 2 sessions, dates 1 and has 2"),
        ({"haystack_sessions": [A, [{"role": "user"}]]}, "A turn of session b has no content"),
        ({"haystack_sessions": [A, [None]]}, "A turn of session b has no content"),
    ],
)
def test_what_does_not_pair_is_named(change, message):
    with pytest.raises(BadInput, match=message):
        haystacks.collection([ITEMS[0] | change], "tiny")


def test_half_a_benchmark_is_refused_with_the_record_where_it_ends(tmp_path):
    path = tmp_path / "lme.json"
    text = json.dumps(ITEMS)
    path.write_text(text[: text.index("q4")])
    with pytest.raises(BadInput, match=r"lme.json, record 4 is not JSON: the file ends before"):
        load(path)
    path.write_text(json.dumps(ITEMS[:2])[:-1])
    with pytest.raises(BadInput, match=r"lme.json, record 3 is cut short"):
        load(path)
    path.write_bytes(lzma.compress(text.encode())[:-40])
    with pytest.raises(BadInput, match=r"lme.json, record \d is not there: .* decompressed"):
        list(stream.values(path))
    path.write_text(json.dumps([*ITEMS[:1], {"other": 1}]))
    with pytest.raises(BadInput, match=r"lme.json, record 2 is not of LongMemEval"):
        load(path)


def test_memory_does_not_grow_with_the_file_but_with_its_different_sessions(tmp_path, monkeypatch):
    """A haystack of 400 KB a question, the same for all: three times the file, no more memory."""
    monkeypatch.setattr(stream, "CHUNK", 1 << 16)
    ids = [f"s{number}" for number in range(20)]

    def peak(questions):
        path = tmp_path / f"{questions}.json"
        with path.open("w") as file:
            long = [[turn(f"{name} {'word ' * 4_000}")] for name in ids]
            asked = (question(number, ids, long, ["s1"]) for number in range(questions))
            file.write(f"[{', '.join(map(json.dumps, asked))}]")
            del long
        tracemalloc.start()
        made = load(path)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (len(made.topics), len(made.corpus)) == (questions, 20)
        return top

    assert peak(60) < 1.2 * peak(20)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(max_examples=40)
@given(st.lists(st.dictionaries(st.text(max_size=3), JSON), max_size=5), st.integers(1, 9))
def test_values_are_those_that_a_whole_read_gives_however_small_the_pieces(
    tmp_path_factory, found, size
):
    path = tmp_path_factory.mktemp("s") / "a.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "CHUNK", size)
        path.write_text(json.dumps(found))
        assert list(stream.values(path)) == found
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found))
        assert list(stream.values(path)) == found
