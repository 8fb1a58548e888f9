"""LongMemEval's three averages of one run: strict, answerable, all."""

import json
import lzma

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput
from lcm_lab.evaluation.longmemeval import DENOMINATORS, denominators
from lcm_lab.measures import AllR, AnyR, Latency, R, nDCG
from lcm_lab.run import Run
from lcm_lab.topics import Topics
from lcm_lab.transcripts import haystacks


def turn(content, role="user", marked=False):
    return {"role": role, "content": content, "has_answer": marked}


USER = [turn("I bought a Volvo.", marked=True), turn("Nice.", "assistant")]
ASSISTANT = [turn("What car?"), turn("Take a Volvo.", "assistant", marked=True)]
OTHER = [turn("Which stove?")]


def question(qid, gold, sessions=("u", "a", "o")):
    texts = {"u": USER, "a": ASSISTANT, "o": OTHER}
    return {
        "question_id": qid,
        "question_type": "single-session-user",
        "question": "Which Volvo?",
        "haystack_session_ids": list(sessions),
        "haystack_sessions": [texts[one] for one in sessions],
        "answer_session_ids": gold,
    }


def bench():
    """Evidence by the user, by the assistant, by both, and a question without an answer."""
    items = [
        question("q1", ["u"]),
        question("q2", ["a"]),
        question("q3", ["u", "a"]),
        question("q4_abs", ["o"]),
    ]
    return haystacks.collection(items, "lme").units("session")


def ranking(bench, lists, folder):
    lines = [
        f"{qid} Q0 {docno} {rank} {-rank} x"
        for qid, docnos in lists.items()
        for rank, docno in enumerate(docnos, 1)
    ]
    (folder / "run.trec").write_text("\n".join(lines))
    return Run.from_trec(folder / "run.trec", Topics.of(bench.topics, bench.corpus))


def means(found, measure):
    rows = found[found["measure"] == str(measure)]
    return {row.denominator: (row.n, row.mean) for row in rows.itertuples()}


def test_the_three_averages_leave_out_and_count_what_the_official_code_does(tmp_path):
    made = bench()
    lists = {"q1": ["u"], "q2": ["a"], "q3": ["u"], "q4_abs": ["o"]}
    wanted = [AnyR @ 1, AllR @ 1, nDCG @ 1]
    result = lcm.evaluate({"run": ranking(made, lists, tmp_path)}, on=made, measures=wanted)
    found = denominators(result)
    # q3 is whole under "strict", whose gold is the session that the user's turn is in.
    assert means(found, AllR @ 1) == {"strict": (2, 1.0), "answerable": (3, 1.0), "all": (4, 0.75)}
    assert means(found, AnyR @ 1) == {"strict": (2, 1.0), "answerable": (3, 2 / 3), "all": (4, 1.0)}
    assert means(found, nDCG @ 1)["answerable"] == (3, 2 / 3)
    assert set(found["denominator"]) == set(DENOMINATORS)


def test_only_measures_of_what_is_found_are_averaged_and_each_system_has_its_rows(tmp_path):
    made = bench()
    systems = {"bm25": lcm.BM25() % 2, "tf": lcm.TfIdf() % 2}
    result = lcm.evaluate(systems, on=made, measures=[R @ 2, Latency @ 50])
    found = denominators(result)
    assert found[["system", "measure"]].drop_duplicates().to_numpy().tolist() == [
        ["bm25", "R@2"],
        ["tf", "R@2"],
    ]


def test_another_collection_and_one_of_turns_are_refused(toy):
    with pytest.raises(BadInput, match="topics have no told_by_user and answer_sessions"):
        denominators(lcm.evaluate(lcm.BM25() % 3, on=toy.chat()))
    turns = haystacks.collection([question("q1", ["u"])], "lme")
    with pytest.raises(BadInput, match=r'Cut it first: bench\.units\("session"\)'):
        denominators(lcm.evaluate(lcm.BM25() % 3, on=turns))


@pytest.mark.slow
def test_the_stored_ranking_gives_its_published_figures_by_name(shared, tmp_path):
    folder = shared / "longmemeval"
    stored = folder / "rankings_longmemeval_sibyl_raw_rc1_20260610.json.xz"
    with lzma.open(stored) as file:
        cases = json.load(file)["case_results"]
    names = sorted({one for case in cases for one in case["ranked_session_ids"]})
    names += sorted({one for case in cases for one in case["answer_session_ids"]} - set(names))
    corpus = lcm.Corpus([{"docno": name, "text": "session"} for name in names])
    topics = pd.DataFrame(
        {
            "qid": [case["question_id"] for case in cases],
            "query": [case["question"] for case in cases],
            "answer_sessions": [case["answer_session_ids"] for case in cases],
        }
    )
    # Who told it is in the evidence of half the questions; the others are taken as told by users.
    with lzma.open(folder / "lme_evidence_dev250.jsonl.xz", "rt") as file:
        evidence = {one["question_id"]: one for one in map(json.loads, file)}
    topics["told_by_user"] = [
        told(evidence.get(case["question_id"]), case["answer_session_ids"]) for case in cases
    ]
    qrels = pd.DataFrame(
        [(case["question_id"], one, 1) for case in cases for one in case["answer_session_ids"]],
        columns=["qid", "docno", "relevance"],
    )
    made = lcm.Collection("lme-s", corpus, topics, qrels)
    # A few lists name a session twice, below rank 5; its first place counts.
    lists = {one["question_id"]: list(dict.fromkeys(one["ranked_session_ids"])) for one in cases}
    run = ranking(made, lists, tmp_path)
    result = lcm.evaluate({"sibyl": run}, on=made, measures=[AnyR @ 5, AllR @ 5])
    found = denominators(result)
    assert means(found, AnyR @ 5)["all"] == (500, pytest.approx(0.966, abs=1e-9))
    assert means(found, AllR @ 5)["all"] == (500, pytest.approx(0.850, abs=1e-9))
    n_strict, strict = means(found, AllR @ 5)["strict"]
    n_answerable, answerable = means(found, AllR @ 5)["answerable"]
    assert n_answerable == 470
    # 25 of these 250 have evidence of the assistant alone; the official set has 51 of 500.
    assert n_strict == 445
    assert answerable == pytest.approx((n_strict * strict + 25) / 470)
    assert not np.isnan(found["mean"]).any()


def told(item, answers):
    """Name the answer sessions in which a user's turn is evidence."""
    if item is None:
        return answers
    prefix = f"{item['question_id']}_"
    sessions = zip(item["answer_session_ids"], item["evidence_sessions"], strict=True)
    by_user = {
        name.removeprefix(prefix)
        for name, had in sessions
        if any(turn["role"] == "user" for turn in had["turns"])
    }
    return [name for name in answers if name in by_user]
