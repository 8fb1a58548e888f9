"""The checks pass on what is shipped, and each of them fails where it should."""

from dataclasses import replace

import pandas as pd
import pytest

from lcm_lab.corpus import Corpus
from lcm_lab.synth.checks import CHECKS, check, overlaps, random_floor
from lcm_lab.synth.generate import build
from lcm_lab.synth.view import View


def first(bench, kind):
    return bench.topics.loc[bench.topics["type"] == kind, "qid"].iloc[0]


def gold(bench, qid):
    judged = bench.qrels[(bench.qrels["qid"] == qid) & (bench.qrels["relevance"] >= 2)]
    return judged["docno"].iloc[0]


def fails(name, bench, world):
    return CHECKS[name](View(bench, world))


def said(bench, docno, text):
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


@pytest.mark.parametrize(
    ("templates", "tier"), [("B", 1), pytest.param("A", 23, marks=pytest.mark.slow)]
)
def test_every_check_passes_on_other_seeds_tiers_and_templates(templates, tier):
    made = build("chat", seed=3, tier=tier, templates=templates)
    failed = check(made.collection, made.world)
    assert {name: found for name, found in failed.items() if found} == {}


def test_a_value_said_elsewhere_is_not_necessary(shipped, world):
    qid = first(shipped, "single")
    answer = shipped.topics.set_index("qid").loc[qid, "answer"]
    other = elsewhere(shipped, qid)
    bench = said(shipped, other, f"So it is {answer}, is it?")
    assert f"{qid}: {other} also holds {answer!r}" in fails("necessity", bench, world)


def test_a_span_that_is_not_in_its_message_is_found(shipped, world):
    qid = first(shipped, "multi-session")
    docno = gold(shipped, qid)
    failed = fails("span", said(shipped, docno, "Something else."), world)
    assert f"{qid}: no exact span in {docno}" in failed


def test_an_answer_that_its_message_does_not_hold_is_found(shipped, world):
    qid = first(shipped, "identifier")
    docno = gold(shipped, qid)
    failed = fails("answer", said(shipped, docno, "Something else."), world)
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
