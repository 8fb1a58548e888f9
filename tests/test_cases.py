"""Cases from public bug reports that no other file tests; an id names the report."""

import json
import math
import pickle
import subprocess
import sys
from importlib.metadata import version

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.measures import AP, RR, AllR, AnyR, R, nDCG
from lcm_lab.run import Run
from lcm_lab.shown import cut
from lcm_lab.topics import Topics
from lcm_lab.values import value

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


def collection(docs, gold, name="case"):
    """One question a key of ``gold``, over ``docs`` documents d1, d2, ..."""
    corpus = lcm.Corpus([{"docno": f"d{i}", "text": f"text {i}"} for i in range(1, docs + 1)])
    topics = pd.DataFrame({"qid": list(gold), "query": ["text"] * len(gold)})
    rows = [(qid, docno, grade) for qid, found in gold.items() for docno, grade in found.items()]
    return lcm.Collection(
        name, corpus, topics, pd.DataFrame(rows, columns=["qid", "docno", "relevance"])
    )


def finished(bench, folder, lists, scores=None):
    """A run that lists these documents, best first, or with these scores."""
    lines = [
        f"{qid} Q0 {docno} 1 {scores[i] if scores else -i} x"
        for qid, docnos in lists.items()
        for i, docno in enumerate(docnos)
    ]
    (folder / "run.trec").write_text("".join(f"{line}\n" for line in lines))
    asked = pd.DataFrame({"qid": list(lists), "query": ["text"] * len(lists)})
    return Run.from_trec(folder / "run.trec", Topics.of(asked, bench.corpus))


def measured(bench, run, *measures):
    return lcm.evaluate({"run": run}, on=bench, measures=measures)


def written(folder, name, *records):
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))


def say(uuid, content, role="user", time="2026-03-01T10:00:00Z", **more):
    return {
        "type": role,
        "uuid": uuid,
        "sessionId": "s1",
        "timestamp": time,
        "message": {"role": role, "content": content, **more.pop("message", {})},
        **more,
    }


@pytest.mark.parametrize("limit", range(25, 46))
def test_a_cut_keeps_an_emoji_of_several_code_points_whole_or_leaves_it_out(limit):
    """CU-09."""
    shown = cut(f"{'a' * 30}{FAMILY}{'b' * 30}", limit)
    assert len(shown) <= limit
    assert shown.rstrip("b") in ("a" * min(limit, 30), f"{'a' * 30}{FAMILY}")
    assert json.loads(json.dumps(shown.encode().decode())) == shown


def test_a_policy_that_was_stored_ranks_as_before():
    """RK-16: for the policy alone; `test_postings.py` has it for a saved index."""
    spanish = lcm.BM25(analyzer=lcm.Analyzer(language="spanish", stop=("el", "la")))
    corpus = lcm.Corpus(["el perro corre", "la gata duerme", "corriendo por la calle"])
    again = pickle.loads(pickle.dumps(spanish))
    assert again == spanish
    before, after = (policy.fit(corpus)("corriendo") for policy in (spanish, again))
    pd.testing.assert_frame_equal(before, after)
    assert before["docno"].tolist() == ["m1", "m3"]


def test_ids_given_as_numbers_and_as_text_are_the_same_document():
    """SN-07."""
    corpus = lcm.Corpus([{"docno": 12, "text": "use WAL"}, {"docno": 13, "text": "no"}])
    topics = pd.DataFrame({"qid": [7.0], "query": ["wal"]})
    qrels = pd.DataFrame({"qid": ["7"], "docno": [12.0], "relevance": [1]})
    bench = lcm.Collection("ids", corpus, topics, qrels)
    assert bench.qrels.to_numpy().tolist() == [["7", "12", 1]]
    fused = lcm.RRF(lcm.BM25(), lcm.TfIdf(), lcm.Substring()).fit(corpus)("wal")
    assert fused[["docno", "score"]].to_numpy().tolist() == [["12", pytest.approx(3 / 61)]]


@value
class Broken(lcm.Scorer):
    """A scorer whose backend is away."""

    def index(self, corpus):
        return len(corpus)

    def score(self, index, queries):
        raise ConnectionError("backend is away")


def test_a_retriever_that_fails_is_not_the_same_as_one_that_finds_nothing():
    """SN-13."""
    bench = collection(2, {"q1": {"d1": 1}})
    with pytest.raises(ConnectionError, match="backend is away"):
        lcm.evaluate([lcm.BM25() + Broken()], on=bench)
    nothing = (lcm.BM25() + lcm.Phrase()).fit(bench.corpus)("text 1")
    assert nothing["docno"].tolist() == ["d1", "d2"]


def test_a_compaction_record_repeats_no_instruction(tmp_path):
    """DD-09."""
    written(
        tmp_path,
        "a.jsonl",
        say("u1", "delete the staging db"),
        say("u2", "The user asked: delete the staging db", isCompactSummary=True),
    )
    found = lcm.read(tmp_path)
    corpus = found.corpus(kinds=("text", "summary"))
    assert corpus["kind"].tolist() == ["text", "summary"]
    assert found.corpus()["docno"].tolist() == ["u1"]


def test_white_space_within_a_message_is_kept_and_tells_two_turns_apart(tmp_path):
    """DD-10, the second pair."""
    code = ['x = "a  b"', 'x = "a b"']
    written(tmp_path, "a.jsonl", *(say(f"u{i}", text) for i, text in enumerate(code)))
    assert lcm.read(tmp_path).corpus()["text"].tolist() == code


def test_usage_that_repeats_with_every_fragment_is_not_counted(tmp_path):
    """TK-05: tokens are those of the text, each part of a turn once."""
    usage = {"id": "msg_1", "usage": {"output_tokens": 100}}
    parts = [[{"type": "text", "text": text}] for text in ("one two", "three", "four")]
    records = [
        say(f"a{i}", part, "assistant", message=usage) for i, part in enumerate(parts, start=1)
    ]
    written(tmp_path, "a.jsonl", *records)
    corpus = lcm.read(tmp_path).corpus()
    assert corpus["text"].tolist() == ["one two\nthree\nfour"]
    assert corpus.numpy("tokens").tolist() == [lcm.Corpus(["one two\nthree\nfour"])["tokens"][0]]


def test_a_file_that_grew_is_read_whole_and_one_that_shrank_as_it_is(tmp_path):
    """TP-06."""
    records = [say(f"u{i}", f"line {i}") for i in range(15)]
    for size in (10, 15, 4):
        written(tmp_path, "a.jsonl", *records[:size])
        found = lcm.read(tmp_path)
        assert [m.id for m in found] == [f"u{i}" for i in range(size)]
        assert [m.line for m in found] == list(range(1, size + 1))


def test_side_files_are_listed_as_skipped_and_an_archive_belongs_to_its_session(tmp_path):
    """TP-09."""
    written(tmp_path, "a.jsonl", {"role": "user", "content": "new"})
    written(tmp_path, "a.jsonl.reset.2026-03-01", {"role": "user", "content": "old"})
    written(tmp_path, "a.jsonl.bak", {"role": "user", "content": "copy"})
    written(tmp_path, "a.trajectory.jsonl", {"step": 1})
    found = lcm.read(tmp_path)
    assert sorted((m.session, m.text) for m in found) == [("a", "new"), ("a", "old")]
    assert {(one.source, one.reason) for one in found.skipped} == {
        ("a.jsonl.bak", "backup or temporary file"),
        ("a.trajectory.jsonl", "trace beside a session's own file"),
    }


def test_one_of_three_at_rank_one_is_any_but_neither_all_nor_everything(tmp_path):
    """ME-01, ME-02."""
    bench = collection(4, {"q1": {"d1": 1, "d2": 1, "d3": 1}})
    run = finished(bench, tmp_path, {"q1": ["d1"]})
    found = measured(bench, run, nDCG @ 10, R @ 10, AnyR @ 10, AllR @ 10).summary()
    assert found["mean"].round(4).tolist() == [0.4693, 0.3333, 1, 0]


def test_a_question_without_gold_is_left_out_counted_and_listed(tmp_path):
    """ME-03, ME-09."""
    bench = collection(3, {"q1": {"d1": 1}, "q2": {}, "q3": {"d3": 1}})
    run = finished(bench, tmp_path, {"q1": ["d1"], "q2": ["d2"], "q3": ["d2"]})
    result = measured(bench, run, R @ 1)
    assert result.summary()[["mean", "n", "undefined"]].to_numpy().tolist() == [[0.5, 2, 1]]
    assert result.notes[0].startswith("There is nothing to find for 1 of 3 topics (q2)")


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
def test_tied_documents_measure_the_same_in_whatever_order_a_file_lists_them(tmp_path, order):
    """ME-04: ties stand in corpus order for every measure."""
    bench = collection(4, {"q1": {"d3": 1}})
    listed = [f"d{i + 1}" for i in order]
    run = finished(bench, tmp_path, {"q1": listed}, scores=[1.0] * 4)
    found = measured(bench, run, RR, AP, nDCG).summary()["mean"].tolist()
    assert found == pytest.approx([1 / 3, 1 / 3, 0.5])


def test_a_question_that_a_run_lacks_counts_zero_and_a_stranger_not_at_all(tmp_path):
    """ME-07."""
    bench = collection(3, {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}})
    run = finished(bench, tmp_path, {"q9": ["d3"], "q1": ["d1"], "q2": ["d1", "d2"]})
    result = measured(bench, run, RR)
    assert result.summary()[["mean", "n"]].to_numpy().tolist() == [[0.5, 3]]
    assert any("finds nothing at all for 1 of 3 topics (q3)" in note for note in result.notes)


def test_the_same_run_under_two_names_differs_by_exactly_nothing(tmp_path):
    """ME-14."""
    gold = {f"q{i}": {f"d{i % 3 + 1}": 1} for i in range(20)}
    bench = collection(3, gold)
    run = finished(bench, tmp_path, {qid: ["d1", "d2"] for qid in gold})
    result = lcm.evaluate({"a": run, "b": run}, on=bench, measures=[nDCG @ 2])
    low, high = result.summary()[["low", "high"]].to_numpy().T
    assert low[0] == low[1] < high[0] == high[1]
    assert result.manifest()["bootstrap"]["seed"] == 0


def test_gain_is_printed_with_the_number(tmp_path):
    """ME-16."""
    bench = collection(3, {"q1": {"d1": 3, "d3": 1}})
    run = finished(bench, tmp_path, {"q1": ["d1", "d2", "d3"]})
    found = measured(bench, run, nDCG(gain="linear"), nDCG).summary()
    assert found["mean"].round(4).tolist() == [0.9639, 0.9828]
    assert found["measure"].nunique() == 2


def test_gold_outside_what_a_question_may_see_is_said():
    """ME-19."""
    corpus = lcm.Corpus(
        [
            {"docno": "d1", "text": "which port?", "role": "user"},
            {"docno": "d2", "text": "port 8080", "role": "assistant"},
        ]
    )
    topics = pd.DataFrame({"qid": ["q1"], "query": ["which port"], "role": ["user"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["d2"], "relevance": [1]})
    result = lcm.evaluate([lcm.BM25()], on=lcm.Collection("c", corpus, topics, qrels))
    assert any("lies outside the rows that the topic may see" in note for note in result.notes)


def test_a_share_of_four_hundred_at_five_comes_with_its_ceiling(tmp_path):
    """ME-20."""
    bench = collection(500, {"q1": {f"d{i}": 1 for i in range(1, 401)}})
    run = finished(bench, tmp_path, {"q1": [f"d{i}" for i in range(1, 6)]})
    result = measured(bench, run, R @ 5)
    assert result.summary()["mean"].tolist() == [0.0125]
    assert any("the best mean that any system can reach is 0.0125" in n for n in result.notes)


def test_fifty_evaluations_of_a_run_are_identical(tmp_path):
    """ME-21."""
    bench = collection(9, {"q1": {"d2": 2, "d5": 1}, "q2": {"d9": 1}})
    run = finished(bench, tmp_path, {"q1": ["d5", "d1", "d2"], "q2": ["d8", "d9"]})
    values = {tuple(measured(bench, run, nDCG @ 3, RR, AP).frame["value"]) for _ in range(50)}
    assert len(values) == 1
    assert all(0 <= number <= 1 and math.isfinite(number) for number in values.pop())


def test_two_versions_of_a_policy_are_two_artefacts_with_their_settings(tmp_path):
    """ME-22, ME-23."""
    bench = collection(3, {"q1": {"d1": 1}})
    systems = {"p v1": lcm.BM25(k1=0.9) % 10, "p v2": lcm.BM25(k1=1.6) % 5}
    result = lcm.evaluate(systems, on=bench, measures=[RR @ 10, RR @ 5])
    result.save(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert [made["expression"] for made in manifest["systems"]] == [
        "BM25(k1=0.9) % 10",
        "BM25(k1=1.6) % 5",
    ]
    assert len({made["run"] for made in manifest["systems"]}) == 2
    table = pd.read_parquet(tmp_path / "data.parquet")
    assert len(table) == 4
    assert not table.duplicated(["system", "qid", "measure"]).any()


def test_a_folder_with_a_space_and_a_letter_beyond_ascii_reads_and_saves(tmp_path):
    """IN-06."""
    folder = tmp_path / "mes données à moi"
    folder.mkdir()
    written(folder, "forêt.jsonl", {"role": "user", "content": "use WAL"})
    assert lcm.read(folder).corpus()["session"].tolist() == ["forêt"]
    collection(2, {"q1": {"d1": 1}}).save(folder / "bench é")
    assert len(lcm.load(folder / "bench é").topics) == 1


def test_the_version_is_that_of_the_metadata_and_reports_carry_it():
    """IN-07."""
    assert lcm.__version__ == version("lcm-lab")
    result = lcm.evaluate([lcm.BM25()], on=collection(2, {"q1": {"d1": 1}}))
    assert result.manifest()["versions"]["lcm-lab"] == lcm.__version__


def test_the_first_steps_need_no_network():
    """IN-08."""
    steps = (
        "import socket\n"
        "def away(*_a, **_k): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = away\n"
        "import lcm_lab as lcm\n"
        "bench = lcm.load('synth-chat-s')\n"
        "found = (lcm.BM25() % 3).fit(bench.corpus)('which holiday?')\n"
        "print(len(found), bench.corpus['tokens'][0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", steps], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:2], done.stderr) == (0, "3 ", "")
