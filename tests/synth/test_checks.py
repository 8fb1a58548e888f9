"""The checks pass on what is shipped, and each of them fails where it should."""

from dataclasses import replace

import pandas as pd
import pytest

from lcm_lab.agent.promises import checked_collection, collection_at
from lcm_lab.corpus import Corpus
from lcm_lab.synth.checks import (
    CHECKS,
    NEED_WORLD,
    check,
    check_collection,
    check_folder,
)
from lcm_lab.synth.levels import overlaps, random_floor
from lcm_lab.synth.view import View


def first(bench, kind):
    return bench.topics.loc[bench.topics["type"] == kind, "qid"].iloc[0]


def gold(bench, qid):
    judged = bench.qrels[(bench.qrels["qid"] == qid) & (bench.qrels["relevance"] >= 2)]
    return judged["docno"].iloc[0]


def fails(name, bench, world):
    return CHECKS[name](View(bench, world))


def spoken(bench, docno, text):
    """The collection with another text for one message."""
    frame = bench.corpus.frame()
    frame.loc[frame["docno"] == docno, "text"] = text
    return replace(bench, corpus=Corpus(frame))


def elsewhere(bench, qid):
    """A message of the same conversation, its first."""
    frame = bench.corpus.frame()
    return frame.loc[frame["conversation"] == qid.split("-")[0], "docno"].iloc[0]


def test_every_check_passes_on_the_shipped_collection(shipped, world):
    assert {name: failed for name, failed in check(shipped, world).items() if failed} == {}


@pytest.mark.parametrize(("templates", "tier"), [("B", 1), ("A", 23), ("B", 6)])
def test_every_check_passes_on_other_seeds_tiers_and_templates(few, templates, tier):
    found = few(3, seed=3, tier=tier, templates=templates)
    failed = check(found.collection, found.world)
    assert {name: lines for name, lines in failed.items() if lines} == {}


def test_checks_are_one_table_and_without_the_state_log_fewer(folder, shipped):
    found = check_folder(folder)
    assert list(found.columns) == ["check", "value", "wanted", "passed"]
    assert list(found["check"]) == list(CHECKS)
    assert found["passed"].all()
    floor = found.set_index("check").loc["random floor"]
    assert 0 < floor["value"] < 0.05
    assert floor["wanted"] == "< 0.05"
    assert set(check_collection(shipped)["check"]) == set(CHECKS) - NEED_WORLD


def test_judgements_that_do_not_say_what_is_stale_are_checked_all_the_same(shipped):
    bench = replace(shipped, qrels=shipped.qrels.drop(columns="stale"))
    found = check_collection(bench).set_index("check")
    assert found["passed"].all()


def test_a_quotation_that_another_message_holds_is_found(shipped, world):
    qid = first(shipped, "quote")
    said = world["topics"][qid]["spans"][gold(shipped, qid)]
    other = elsewhere(shipped, qid)
    bench = spoken(shipped, other, f"You know what they say. {said}")
    assert f"{qid}: {other} says it too" in fails("verbatim", bench, world)


def test_a_value_said_elsewhere_is_not_necessary(shipped, world):
    qid = first(shipped, "single")
    answer = shipped.topics.set_index("qid").loc[qid, "answer"]
    other = elsewhere(shipped, qid)
    bench = spoken(shipped, other, f"So it is {answer}, is it?")
    assert f"{qid}: {other} also holds {answer!r}" in fails("necessity", bench, world)


def test_a_span_that_is_not_in_its_message_is_found(shipped, world):
    qid = first(shipped, "multi-session")
    docno = gold(shipped, qid)
    failed = fails("span", spoken(shipped, docno, "Something else."), world)
    assert f"{qid}: no exact span in {docno}" in failed


def test_an_answer_that_its_message_does_not_hold_is_found(shipped, world):
    qid = first(shipped, "identifier")
    docno = gold(shipped, qid)
    failed = fails("answer", spoken(shipped, docno, "Something else."), world)
    assert any(line.startswith(f"{qid}: {docno} does not hold") for line in failed)


def test_a_judgement_from_the_future_is_found(shipped, world):
    qid = first(shipped, "update")
    topics = shipped.topics.copy()
    topics.loc[topics["qid"] == qid, "asked_at"] = pd.Timestamp("2020-01-01", tz="UTC")
    bench, docno = replace(shipped, topics=topics), gold(shipped, qid)
    assert f"{qid}: {docno} is not older than the question" in fails("as of", bench, world)
    assert f"{qid}: {docno} cannot be seen" in fails("oracle", bench, world)


def test_a_grade_that_there_is_not_is_found(shipped, world):
    qrels = shipped.qrels.copy()
    qrels.loc[0, "relevance"] = 7
    failed = fails("grades", replace(shipped, qrels=qrels), world)
    assert failed == [f"{qrels['qid'][0]}: {qrels['docno'][0]} has grade 7"]


def test_a_judged_question_without_an_answer_is_found(shipped, world):
    qid = first(shipped, "abstention")
    docno = elsewhere(shipped, qid)
    line = pd.DataFrame([{"qid": qid, "docno": docno, "relevance": 1, "stale": False}])
    bench = replace(shipped, qrels=pd.concat([shipped.qrels, line]))
    assert fails("abstention", bench, world) == [
        f"{qid}: nothing answers it, yet something is judged"
    ]


def test_a_paraphrase_in_the_words_of_its_answer_is_found(shipped, world):
    qid = first(shipped, "paraphrase")
    topics = shipped.topics.copy()
    text = shipped.corpus.frame().set_index("docno").loc[gold(shipped, qid), "text"]
    topics.loc[topics["qid"] == qid, "query"] = text
    bench = replace(shipped, topics=topics)
    overlap, echo = fails("overlap", bench, world), fails("echo", bench, world)
    assert any(line.startswith(f"{qid}: a paraphrase shares 1.00") for line in overlap)
    assert [line.split(":")[0] for line in echo] == [qid]


def test_a_collection_in_which_chance_finds_answers_is_found(shipped, world):
    talk = shipped.corpus.frame()
    gold_docnos = set(shipped.qrels.loc[shipped.qrels["relevance"] >= 2, "docno"])
    small = replace(shipped, corpus=Corpus(talk[talk["docno"].isin(gold_docnos)]))
    assert random_floor(small) > 0.05 > random_floor(shipped)
    assert fails("random floor", small, world) != []


def test_overlap_with_snowball_is_near_the_overlap_that_was_controlled(shipped, world):
    measured = overlaps(shipped)
    controlled = {qid: state["overlap"] / 1000 for qid, state in world["topics"].items()}
    gaps = [measured[qid] - controlled[qid] for qid in measured]
    assert abs(sum(gaps) / len(gaps)) < 0.03


def test_the_command_checks_a_collection_by_its_name_or_folder(folder, shipped, tmp_path):
    assert collection_at("synth-chat-s").resolve() == folder.resolve()
    assert collection_at(str(tmp_path)) is None
    told, failed = checked_collection(folder, json=False)
    assert told.startswith(repr(shipped))
    assert told.endswith("clean")
    assert failed == 0
    broken = spoken(shipped, gold(shipped, first(shipped, "update")), "Nothing to see.")
    told, failed = checked_collection(broken.save(tmp_path / "broken"), json=False)
    assert "No state log beside it" in told
    assert "answer:\n  " in told
    assert failed >= 1
