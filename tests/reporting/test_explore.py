"""The questions of a report as data: all of them, within a budget, each message told once."""

import json
import re

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, RRF, TfIdf, ranking_report
from lcm_lab.measures import R, nDCG
from lcm_lab.reporting.explore import SHOWN, SIGNS, explorer
from lcm_lab.reporting.reasons import reasons, searchers
from lcm_lab.run import Run

#: Built from parts, so that no scanner takes this file for a leak.
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"
SYSTEMS = {"one": BM25() % 1, "bm25": BM25() % 5, "rrf": RRF(BM25(), TfIdf()) % 3}


def explored(on, systems=SYSTEMS, budget=10**6):
    result = lcm.evaluate(systems, on=on, measures=[nDCG @ 3, R @ 3])
    why = reasons(result, searchers(result), SHOWN)
    return result, explorer(result, nDCG @ 3, why, budget)


def read(found):
    data = json.loads(found.text)
    for topic in data["topics"]:
        names = [data["messages"][row][0] for row in topic["rows"]]
        named = {sign: names[data["signs"].index(sign)] for sign in data["signs"][: len(names)]}
        topic["gold"] = {named[sign]: grade for sign, grade in topic["gold"]}
        topic["hits"] = [[named[sign] for sign in hits] for hits in topic["hits"]]
        topic["why"] = [
            {named[sign]: data["whys"][w].format(n=(*rank, "")[0]) for sign, w, *rank in told}
            for told in topic["why"]
        ]
    return data


def test_every_question_holds_the_hits_and_values_of_every_system(toy):
    result, found = explored(toy())
    data = read(found)
    assert data["systems"] == list(SYSTEMS)
    assert (found.shown, found.of) == (6, 6)
    for i, topic in enumerate(data["topics"]):
        assert topic["qid"] == f"q{i + 1}"
        for name, hits, value in zip(SYSTEMS, topic["hits"], topic["values"], strict=True):
            frame = result.runs[name].frame()
            assert hits == frame.loc[frame["qid"] == topic["qid"], "docno"].tolist()
            assert value == round(result.values(name, nDCG @ 3)[i], 3)


def test_a_message_is_told_once_whoever_finds_it(toy):
    data = read(explored(toy())[1])
    names = [docno for docno, *_ in data["messages"]]
    assert len(names) == len(set(names))
    told = {docno: (data["people"][who], text) for docno, who, _, text in data["messages"]}
    assert told["m6"] == ("Dan", "Rollback of the Redis cluster took an hour.")


def test_each_relevant_message_that_is_not_shown_has_its_reason(toy):
    data = read(explored(toy())[1])
    (redis,) = [topic for topic in data["topics"] if topic["qid"] == "q4"]
    assert redis["gold"] == {"m5": 1, "m6": 1}
    (why,) = redis["why"][0].values()
    assert why == "cut by % 1: it stood at rank 2"
    assert redis["why"][1] == {}
    (lost,) = [topic for topic in data["topics"] if topic["qid"] == "q5"]
    assert lost["why"][1] == {"m9": "no match: BM25() gives it no score"}


def test_what_stands_below_the_hits_shown_has_its_rank(toy):
    words = {i: f"retry number {'one ' * i}" for i in range(1, 5)}
    asked = [("q1", "retry", "fact", "c1", ["m4"])]
    result = lcm.evaluate({"bm25": BM25()}, on=toy(words, asked=asked), measures=[nDCG @ 3])
    row = result.collection.corpus.row_of(["m4"])[0]
    rank = result.runs["bm25"].frame().set_index("docno").loc["m4", "rank"]
    assert reasons(result, searchers(result), 2)["bm25"] == {
        (0, row): ("at rank {n}, below the 2 shown", rank)
    }


def test_a_finished_run_and_a_system_of_ones_own_are_told_without_reasons(toy):
    on = toy()

    class Mine:
        def fit(self, corpus):
            return (BM25() % 1).fit(corpus)

        def __repr__(self):
            return "BM25() % 5"  # not what it is

    run = (BM25() % 1).fit(on.corpus).run(on.topics)
    assert isinstance(run, Run)
    data = read(explored(on, {"run": run, "mine": Mine()})[1])
    told = {said for topic in data["topics"] for why in topic["why"] for said in why.values()}
    assert told == {"not among its hits"}


@pytest.mark.parametrize("budget", [2_500, 4_000, 6_000, 10**6])
def test_the_data_keeps_to_its_budget_and_the_hardest_questions_stay(toy, budget):
    texts = {i: "Postgres retry Redis deploy " * 30 + str(i) for i in range(1, 10)}
    result, found = explored(toy(texts), budget=budget)
    assert found.size <= budget
    kept = {topic["qid"] for topic in json.loads(found.text)["topics"]}
    assert found.shown == len(kept) >= 1
    means = np.nanmean([result.values(name, nDCG @ 3) for name in SYSTEMS], axis=0)
    left = [mean for qid, mean in zip(result.bench.topics.qids, means, strict=True) if qid in kept]
    gone = [
        mean for qid, mean in zip(result.bench.topics.qids, means, strict=True) if qid not in kept
    ]
    assert max(left) <= min(gone, default=1)


@pytest.mark.slow
def test_a_page_says_how_many_questions_it_has_room_for(toy):
    result = lcm.evaluate(SYSTEMS, on=toy(copies=40), measures=[nDCG @ 3])
    page = ranking_report(result, budget=20_000).page.render()
    count = int(re.search(r"the (\d+) hardest of 240 questions are here", page)[1])
    assert 0 < count < 240
    assert "All 240 questions are here." in ranking_report(result).page.render()


def test_data_ends_no_script_and_holds_no_secret_whole_or_cut(toy):
    asked = [("q1", f"who </script> uses {KEY}?", "fact", "c1", ["m1", "m2"])]
    texts = {1: f"</script><!-- {KEY} uses \u2028 it", 2: "uses " * 70 + KEY + " staging"}
    _, found = explored(toy(texts, asked=asked))
    assert not re.search("[<>&\u2028]", found.text)
    assert KEY[:9] not in found.text
    assert "</script><!--" in json.loads(found.text)["messages"][0][3]


def test_signs_are_one_character_each_and_plain_in_json():
    assert len(set(SIGNS)) == len(SIGNS) > 1000
    assert json.dumps(SIGNS, ensure_ascii=False) == f'"{SIGNS}"'


def test_no_question_and_no_measure_of_what_is_found_give_a_page_without_questions(toy):
    from lcm_lab.measures import Tokens

    empty = lcm.evaluate(SYSTEMS, on=toy(asked=[]), measures=[nDCG @ 3])
    assert "There is no question to open." in ranking_report(empty).page.render()
    cost = lcm.evaluate(SYSTEMS, on=toy(), measures=[Tokens @ 3])
    assert "There is no question to open." in ranking_report(cost).page.render()
