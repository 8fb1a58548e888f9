"""The compaction report: it shows what replays found, escaped, and names how to make it again."""

import json
import re

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.compaction.strategies import Rolling, Window
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.replay.arms import Arm
from lcm_lab.evaluation.replay.run import replay
from lcm_lab.reporting.compaction import compaction_report


def bench():
    said = [f"Service {n} <b>listens</b> on port {5000 + n}, says the plan." for n in range(60)]
    said[7] += " export DB_PASSWORD=hunter2-hunter2-7"
    rows = [{"text": text, "conversation": f"c{n % 2}"} for n, text in enumerate(said)]
    topics = [
        {"qid": f"q{n}", "query": f"port of service {n}?", "answer": str(5000 + n), "type": "t<i>"}
        for n in range(0, 60, 5)
    ]
    corpus = lcm.Corpus(rows)
    docnos = {text: docno for docno, text in zip(corpus["docno"], corpus["text"], strict=True)}
    qrels = [{"qid": f"q{n}", "docno": docnos[said[n]], "relevance": 1} for n in range(0, 60, 5)]
    return lcm.Collection("ports", corpus, pd.DataFrame(topics), pd.DataFrame(qrels))


@pytest.fixture(scope="module")
def results():
    ports, leaves = bench(), Leaves(100, fresh=4, target=30)
    return {
        "rolling <1>": replay(ports, Rolling(fresh=4), budgets=[0.1, 0.3], cycles=3),
        "lossless": replay(ports, Lossless(fresh=4, chunk=150), budgets=[0.1, 0.3], cycles=3),
        "leaves": replay(ports, leaves >> Condense(2), budgets=[None], cycles=4, arms=[Arm()]),
    }


@pytest.fixture(scope="module")
def page(results):
    return compaction_report(results, "lcm-lab report --kind compaction").render()


def test_every_mean_of_the_replay_stands_on_the_page(results, page):
    summary = results["lossless"].summary()
    for mean in summary.loc[summary["budget"] == "10 %", "mean"]:
        assert f">{mean:.3f}<" in page
    assert "2 conversations: too few for an interval to mean much." in page


def test_every_claim_stands_there_with_its_outcome(page):
    for claim in ("H1", "H2", "H3", "H4", "H5"):
        assert re.search(rf'<th scope="row">{claim}</th>', page)
    assert "not measured" in page  # H3: nothing has an index


def test_what_was_said_is_text_and_no_markup_and_holds_no_secret(page):
    assert "<b>listens</b>" not in page and "rolling &lt;1&gt;" in page
    assert "hunter2" not in page
    assert not re.search(r"src=|https?://(?!www.w3.org)", page)


def test_the_dag_is_drawn_and_unfolds(page):
    assert "<details" in page and "A Dag drawn" in page
    assert page.count("<figure") >= 5


def test_lost_facts_are_listed_with_where_they_went(results):
    one = {"lossless": replay(bench(), Lossless(fresh=4), budgets=[0.1], arms=[Arm()])}
    assert "not summarised: t&lt;i&gt;" in compaction_report(one).render()
    assert "none was lost" in compaction_report({"lossless": results["lossless"]}).render()


@pytest.mark.slow
def test_what_is_saved_can_be_read_again(results, tmp_path):
    folder = compaction_report(results, "again").save(tmp_path).parent
    facts = pd.read_parquet(folder / "data.parquet")
    assert len(facts) == sum(len(one.facts) for one in results.values())
    made = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert made["command"] == "again"
    assert made["replays"]["lossless"]["strategy"] == "Lossless(fresh=4, chunk=150)"
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {"frontier-1.svg", "frontier-2.svg", "dag.svg", "age-1.svg"} <= names


@pytest.mark.slow
def test_the_same_replays_give_the_same_page(results, page):
    assert compaction_report(results, "lcm-lab report --kind compaction").render() == page


def test_a_replay_without_a_valid_point_is_reported_as_such():
    nothing = replay(bench(), Window(), budgets=[10**6])
    report = compaction_report({"window": nothing})
    assert "No point is valid" in report.headline
    assert "invalid" in report.render()


def test_what_is_no_replay_is_refused(results):
    for wrong in ({}, {"a": 1}):
        with pytest.raises(BadParameter, match="replays by name"):
            compaction_report(wrong)
    assert compaction_report(results["lossless"]).kind == "compaction"
