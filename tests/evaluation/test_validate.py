"""Agreement of two collections: tau-b, its ceilings, the gates, and the report of them."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.evaluation.statistics.agreement import draws, ends, halves, signs_agree, tau
from lcm_lab.evaluation.validating.gates import bar
from lcm_lab.evaluation.validating.panel import FAMILIES, panel
from lcm_lab.evaluation.validating.validate import validate
from lcm_lab.measures import nDCG
from lcm_lab.reporting.validation_report import validation_report

FIVE = {
    "bm25": lcm.BM25() % 10,
    "shared": lcm.BM25(k1=0.0) % 10,
    "tf-idf": lcm.TfIdf() % 10,
    "characters": lcm.CharGrams() % 10,
    "two": lcm.BM25() % 2,
}
SCORES = arrays(np.float64, st.integers(2, 9), elements=st.integers(0, 4))


@given(SCORES, st.randoms(use_true_random=False))
def test_tau_is_that_of_scipy_ties_included(left, random):
    right = left.copy()
    random.shuffle(right)
    ours, theirs = float(tau(left, right)), kendalltau(left, right).statistic
    assert np.isnan(ours) == np.isnan(theirs)
    assert np.isnan(ours) or abs(ours - theirs) < 1e-12
    many = tau(np.stack([left, right]), np.stack([right, right]))
    assert np.array_equal(many, [tau(left, right), tau(right, right)], equal_nan=True)


def test_means_that_differ_by_rounding_alone_are_tied():
    apart = np.array([0.1, 0.1 + 1e-12, 0.3])
    assert float(tau(apart, np.array([1.0, 1.0, 2.0]))) == 1.0
    assert np.isnan(tau(np.full(3, 0.5), np.arange(3.0)))


def test_halves_of_a_set_without_noise_agree_and_of_noise_alone_do_not():
    sure = np.tile(np.arange(5.0), (40, 1))
    assert set(halves(sure)) == {1.0}
    noise = np.random.default_rng(0).random((400, 8))
    assert abs(halves(noise).mean()) < 0.25
    assert np.isnan(halves(sure[:1])).all()


def test_pairs_that_are_sure_on_both_sides_are_counted_with_their_direction():
    rng = np.random.default_rng(0)
    up = rng.normal((0.1, 0.2, 0.2), 0.01, (500, 3))
    down = rng.normal((0.2, 0.1, 0.3), 0.01, (500, 3))
    assert signs_agree(up, up) == (2, 2)
    assert signs_agree(up, down) == (2, 1)


def test_an_interval_of_nothing_is_unknown():
    assert np.isnan(ends(np.full(4, np.nan))).all()
    assert draws(np.array([[1.0], [3.0]]), 0).mean() == pytest.approx(2.0, abs=0.1)


def test_the_panel_has_families_enough_and_every_system_prints_as_made():
    systems = panel()
    assert len(systems) == 22
    assert len(FAMILIES) == 8
    assert len(set(systems.values())) == 22
    for system in systems.values():
        assert eval(repr(system), vars(lcm) | {n: getattr(lcm, n) for n in lcm.__all__}) == system


def test_a_collection_predicts_itself(toy):
    bench = toy.chat(n_topics=60)
    found = validate(bench, bench, systems=FIVE, types={"single": "single", "multi": ["multi"]})
    gates = found.gates().set_index("gate")
    assert found.tau == gates.loc["tau-b", "figure"] == 1.0
    assert gates.loc["BM25 AnyR@5, synthetic less real", ["figure", "passed"]].tolist() == [0, True]
    assert gates["passed"].tolist()[-1] is None
    frame = found.frame()
    assert frame["system"].tolist() == list(FIVE)
    assert (frame["synthetic"] == frame["real"]).all()
    assert (frame["real_low"] < frame["real"]).all()
    assert (frame["real"] < frame["real_high"]).all()
    assert found.difficulty()["n_real"].tolist() == [30, 30]


def test_a_gate_fails_where_the_order_is_reversed_and_the_level_is_off(toy):
    said = {f"s{i}": toy.says(table=(*([0.0] * i), 1.0, *([0.0] * (4 - i))) * 6) for i in range(5)}
    systems = {name: scorer % 10 for name, scorer in said.items()}
    here = toy.collection(5, 6, [(t, d, 1) for t, d in enumerate((0, 0, 0, 1, 1, 2))], "synthetic")
    there = toy.collection(5, 6, [(t, d, 1) for t, d in enumerate((4, 4, 4, 3, 3, 2))], "real")
    found = validate(here, there, systems=systems)
    gates = found.gates().set_index("gate")
    assert found.tau < -0.5
    assert gates.loc["tau-b", "passed"] is False
    assert gates.loc["lower end of tau-b", "passed"] is False
    assert not found.passed
    assert "tau-b -0." in repr(found)


def test_what_is_wanted_depends_on_the_real_set_unless_it_is_said(toy):
    assert [bar("LoCoMo (2024)", unit).tau for unit in ("turn", "session")] == [0.7, 0.6]
    assert [bar(name, "turn").tau for name in ("LongMemEval", "BEAM", "mine")] == [0.55, 0.7, 0.6]
    bench = toy.chat(n_topics=20)
    wanted = validate(bench, bench, systems=FIVE, least=0.33).gates()["wanted"]
    assert wanted[0] == "at least 0.33"


def test_where_all_systems_tie_no_order_is_shown(toy):
    bench = toy.chat(n_topics=20)
    tied = {str(b): lcm.BM25(b=b) % 10 for b in (0.0, 0.2, 0.4, 0.6, 0.8)}
    found = validate(bench, bench, systems=tied)
    assert np.isnan(found.tau)
    assert found.gates()["passed"].tolist()[:2] == [False, False]
    assert not found.passed
    assert json.loads(json.dumps(found.facts(), allow_nan=False))["gates"][0]["figure"] is None


def test_sessions_are_compared_where_the_real_rows_are_sessions(toy):
    bench = toy.chat(n_topics=20)
    real = lcm.Collection("r", bench.corpus, bench.topics, bench.qrels, 1, {"unit": "session, cut"})
    found = validate(bench, real, systems=FIVE)
    assert (found.unit, found.against) == ("session", "r by session")
    assert len(found.synthetic.collection.corpus) == 10


def test_level_is_of_bm25_whatever_a_system_is_called(toy):
    bench = toy.chat(n_topics=20)
    misnamed = {**FIVE, "bm25": lcm.BM25() % 1}
    found = validate(bench, bench, systems=misnamed)
    assert list(found.counted) == found.frame()["system"].tolist() == list(misnamed)
    level = validate(bench, bench, systems=FIVE).gates().loc[2, "wanted"]
    assert found.gates().loc[2, "wanted"] == level


def test_summaries_are_left_out_and_unanswerable_questions_do_not_count(toy):
    bench = toy.chat(n_topics=20)
    topics = bench.topics.assign(type=["summarization"] * 5 + ["single"] * 15)
    real = lcm.Collection("r", bench.corpus, topics, bench.qrels[bench.qrels["qid"] != "q19"])
    found = validate(bench, real, systems=FIVE)
    assert [len(values) for values in found.measured] == [20, 14]


def test_too_few_systems_unknown_types_and_nothing_to_find_are_refused(toy):
    bench = toy.chat(n_topics=20)
    with pytest.raises(BadParameter, match="An order of 2 systems says nothing; give at least 5"):
        validate(bench, bench, systems=[lcm.BM25(), lcm.TfIdf()])
    with pytest.raises(BadParameter, match=r"No question of type 'odd'. There are multi, single"):
        validate(bench, bench, systems=FIVE, types={"single": "odd"})
    empty = lcm.Collection("e", bench.corpus, bench.topics, bench.qrels.head(0))
    with pytest.raises(BadInput, match="None of the 20 topics"):
        validate(bench, empty, systems=FIVE)


def test_the_report_shows_every_gate_and_system_and_saves_them(toy, tmp_path):
    first, second = toy.chat(n_topics=40, name="<made>"), toy.chat(seed=1, n_topics=40, name="real")
    types = {"single": "single", "multi": "multi"}
    found = [validate(first, second, systems=FIVE, types=types, unit=u) for u in (None, "session")]
    report = validation_report(found, "lcm-lab validate x")
    assert report.headline.startswith("<made> orders 5 systems as real does with a tau-b of ")
    page = report.save(tmp_path).read_text("utf-8")
    assert "&lt;made&gt;" in page
    assert "<made>" not in page
    for name in FIVE:
        assert len(re.findall(rf"\d {re.escape(name)}<", page)) == 2
    for wanted in found[0].gates()["wanted"]:
        assert wanted in page
    assert page.count("<figure") == 4
    gates = pd.read_parquet(tmp_path / "gates.parquet")
    assert gates["against"].tolist() == ["real"] * 6 + ["real by session"] * 6
    assert gates["passed"].isna().sum() == 2
    again = validation_report(found[0]).save(tmp_path / "b").read_text("utf-8")
    assert "lcm.validate(synthetic, lcm.load(" in again


def test_a_card_can_hold_what_was_found(toy):
    bench = toy.chat(n_topics=40)
    facts = validate(bench, bench, systems=FIVE).facts()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["gates"][-1]["passed"] is None
    assert facts["questions"] == [40, 40]


@pytest.mark.slow
def test_chat_orders_the_panel_as_locomo_does(shared):
    """The gates of EVALUATION 4.6 for chat against LoCoMo turns, development half."""
    real = lcm.load(shared / "locomo" / "locomo_dev.json.xz")
    found = validate(lcm.load("synth-chat-s"), real)
    assert [len(values) for values in found.measured] == [637, 997]
    assert list(found.types) == ["multi-session", "preference", "single", "temporal"]
    assert found.gates().set_index("gate").loc[["tau-b", "lower end of tau-b"], "passed"].all()
    assert found.ceilings["mean"].between(0.85, 1).all()


@lcm.value
class Away(lcm.Scorer):
    """A scorer whose backend is away."""

    def index(self, corpus):
        raise ConnectionError("backend is away")

    def score(self, index, queries):
        raise AssertionError("never asked")


def test_a_system_that_failed_is_refused_since_an_order_needs_every_value():
    bench = lcm.load("synth-chat-s")
    with pytest.raises(BadInput, match=r"'away' failed on 'synth-chat-s' .*backend is away"):
        validate(bench, bench, systems=FIVE | {"away": Away()})


def test_the_evidence_view_searches_what_answers_something_and_nothing_else():
    made = lcm.load("synth-chat-s")
    found = validate(made, made, systems=FIVE, view="evidence")
    judged = made.qrels
    gold = set(judged.loc[judged["relevance"] >= 2, "docno"])
    assert set(found.synthetic.collection.corpus["docno"]) == gold
    assert set(found.real.collection.corpus["docno"]) > gold
    assert len(found.measured[0]) == len(found.measured[1])
    assert found.against == "synth-chat-s, evidence alone"
    assert found.facts()["view"] == "evidence"
    assert found.gates()["figure"][2] > 0
    report = validation_report([found])
    assert "unit='turn', view='evidence')" in report.command


def two_users():
    """A question of each of two users, and a third; b's answer holds more of what a asks."""
    said = {"docno": ["a1", "b1", "b2"], "conversation": ["a", "b", "b"]}
    texts = ["my oven is a Tevik", "the new oven in my kitchen is a Brenna", "hens"]
    topics = {
        "qid": ["qa", "qb", "other"],
        "query": ["the new oven in my kitchen", "which Brenna", "hens"],
        "conversation": ["a", "b", "b"],
        "type": ["single", "single", "quote"],
    }
    gold = {"qid": ["qa", "qb", "other"], "docno": ["a1", "b1", "b2"], "relevance": [3, 3, 3]}
    corpus = lcm.Corpus(pd.DataFrame({**said, "text": texts}))
    return lcm.Collection("two", corpus, pd.DataFrame(topics), pd.DataFrame(gold))


def test_a_pool_searches_the_answers_of_all_users_for_what_the_real_set_asks_too():
    made, kinds = two_users(), {"single": "single"}
    systems = {f"b={b}": lcm.BM25(b=b) % 10 for b in (0, 0.25, 0.5, 0.75, 1)}
    alone, pool = (
        validate(made, made, systems=systems, view=view, types=kinds)
        for view in ("evidence", "pool")
    )
    left = pool.synthetic.collection
    assert left.topics["qid"].tolist() == ["qa", "qb"]
    assert left.corpus["docno"].tolist() == ["a1", "b1"]
    assert pool.against == "two, evidence as one pool"
    values = [one.synthetic.values("b=0", nDCG @ 10)[:2].tolist() for one in (alone, pool)]
    assert values == [[1.0, 1.0], [pytest.approx(0.6309, abs=1e-4), 1.0]]


def test_a_view_that_there_is_not_and_one_of_nothing_are_refused(toy):
    bench = toy.chat(n_topics=20)
    with pytest.raises(BadParameter, match=r"view must be .* 'evidence', 'pool'. Got 'evid"):
        validate(bench, bench, systems=FIVE, view="evidense")
    empty = lcm.Collection("e", bench.corpus, bench.topics, bench.qrels.head(0))
    with pytest.raises(BadInput, match="No message of 'e' answers anything"):
        validate(empty, bench, systems=FIVE, view="evidence")


SAID = (
    "Deploys wait for review before noon.", "Priya approved it once the rehearsal had finished.",
    "Who signed off the migration last Tuesday night?", "Nobody touched the ledger since winter.",
    "Rollbacks are kept for ninety days in cold storage.", "The invoice parser chokes on umlauts.",
    "Grafana shows a steady climb of queue latency.", "Let us drop the old exporter entirely.",
)  # fmt: skip


def talk(name, turn=0):
    said = [*SAID[turn:], *SAID[:turn]]
    rows = [{"text": text, "role": "user", "conversation": "c"} for text in said]
    topics = pd.DataFrame({"qid": ["q"], "query": ["ledger"], "type": ["single"]})
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["m4"], "relevance": [2]})
    return lcm.Collection(name, lcm.Corpus(rows), topics, qrels, relevant_from=2)


def test_a_history_that_nobody_labelled_is_compared_by_what_was_said_next():
    real = lcm.mine(lcm.Corpus([{"text": text, "role": "user"} for text in SAID]), name="mine")
    found = validate(talk("made", 3), real)
    assert len(found.counted) == 21
    assert found.types == {"adjacency": ("adjacency",)}
    for side in found.sides:
        assert set(side.collection.topics["type"]) == {"adjacency"}
        assert side.collection.topics["query"].str.contains("right after|came next|followed").all()
    gates = found.gates()["gate"].tolist()
    assert gates[2] == "BM25 around AnyR@5, synthetic less real"
    assert found.measured[1].mean() > 0
    plain = validate(talk("made", 3), talk("other"), systems=FIVE)
    assert plain.gates()["gate"][2] == "BM25 AnyR@5, synthetic less real"


def test_a_history_without_a_successor_to_ask_for_is_refused():
    real = lcm.mine(lcm.Corpus([{"text": text, "role": "user"} for text in SAID]), name="mine")
    topics = pd.DataFrame({"qid": ["q"], "query": ["hi"]})
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["m1"], "relevance": [1]})
    short = lcm.Collection("short", lcm.Corpus(["Hi.", "Yes."]), topics, qrels)
    with pytest.raises(BadInput, match="No message of 'short' has a successor"):
        validate(short, real, systems=FIVE)
