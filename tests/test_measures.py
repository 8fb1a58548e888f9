"""Measures: worked values, the oracle, and what is undefined."""

import json
import lzma
from dataclasses import replace
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.evaluation.judge import Bench
from lcm_lab.measures import (
    AP,
    RR,
    AllR,
    AnyR,
    Evidence,
    IndexTime,
    Judged,
    Latency,
    R,
    Stale,
    Tokens,
    nDCG,
    parse,
)
from lcm_lab.run import Run
from lcm_lab.topics import Topics

NAN = float("nan")
EVERY = [nDCG @ 10, nDCG(gain="linear") @ 3, nDCG, R @ 5, R, AnyR @ 1, AllR @ 20, RR, RR @ 10]
EVERY += [AP, AP @ 7, Evidence @ 2000, Stale @ 10, Tokens @ 10, Latency @ 95, Latency @ 99.9]
EVERY += [Latency, IndexTime]


def judge(hits, gold, stale=None, ms=None, **kwargs):
    """Judge lists of grades, best hit first, against the grades of all judged documents."""
    judged = Judged.of(hits, gold, **kwargs)
    if stale is not None:
        can_be_stale = np.ones(len(hits), bool)
        judged = replace(judged, stale=np.array(stale), can_be_stale=can_be_stale)
    return judged if ms is None else replace(judged, latency=np.array(ms))


def values(measure, *args, **kwargs):
    return measure.per_topic(judge(*args, **kwargs)).tolist()


def test_ndcg_takes_its_ideal_over_documents_that_were_not_found():
    assert values(nDCG @ 10, [[1]], [[1, 1, 1]]) == pytest.approx([0.4693], abs=5e-5)


def test_any_all_and_share_are_three_measures_with_three_names():
    hits, gold = [[1]], [[1, 1, 1]]
    assert values(AnyR @ 10, hits, gold) == [1.0]
    assert values(AllR @ 10, hits, gold) == [0.0]
    assert values(R @ 10, hits, gold) == [1 / 3]
    assert [repr(m) for m in (AnyR @ 10, AllR @ 10, R @ 10)] == ["AnyR@10", "AllR@10", "R@10"]


def test_exponential_and_linear_gain_differ_and_print_differently():
    hits = gold = [[3, 0, 1]]
    assert values(nDCG @ 10, hits, gold) == pytest.approx([7.5 / (7 + 1 / np.log2(3))])
    assert values(nDCG(gain="linear") @ 10, hits, gold) == pytest.approx(
        [3.5 / (3 + 1 / np.log2(3))]
    )
    assert repr(nDCG(gain="linear") @ 10) == "nDCG(gain='linear')@10"


def test_grades_of_zero_and_below_are_not_relevant():
    for measure in (nDCG @ 10, R @ 10, AnyR @ 10, AllR @ 10, RR, AP):
        assert values(measure, [[0, -1, 1]], [[0, -1, 1]]) == values(measure, [[0, 0, 1]], [[1]])


def test_recall_of_four_hundred_documents_at_five_has_a_ceiling_of_an_eightieth():
    judged = judge([[1] * 5], [[1] * 400])
    assert (R @ 5).ceiling(judged).tolist() == [0.0125]
    assert (R @ 5).per_topic(judged).tolist() == [0.0125]
    assert (AllR @ 5).ceiling(judged).tolist() == [0.0]
    assert (AnyR @ 5).ceiling(judged).tolist() == [1.0]


def test_a_topic_with_nothing_to_find_is_undefined_and_one_without_hits_is_zero():
    for measure in (nDCG @ 10, R @ 10, AnyR @ 10, AllR @ 10, RR, AP, Evidence @ 100):
        found = values(measure, [[1], [], [0], []], [[1], [1], [], [0]])
        assert found == pytest.approx([1.0, 0.0, NAN, NAN], nan_ok=True)


def test_the_mean_leaves_out_what_is_undefined():
    assert (R @ 10).average(np.array([1.0, NAN, 0.0])) == 0.5
    assert np.isnan((R @ 10).average(np.array([NAN])))
    assert np.isnan((Latency @ 95).average(np.array([])))


def test_binary_measures_start_at_the_relevant_grade_and_ndcg_takes_every_grade():
    hits, gold = [[1, 3]], [[1, 3]]
    assert values(RR, hits, gold, relevant_from=2) == [0.5]
    assert values(R @ 1, hits, gold, relevant_from=2) == [0.0]
    assert values(nDCG @ 1, hits, gold, relevant_from=2) == [1 / 7]
    assert values(R @ 1, [[1]], [[1]], relevant_from=2) == pytest.approx([NAN], nan_ok=True)


def test_evidence_counts_only_what_ends_within_the_limit():
    hits, gold, tokens = [[1, 0, 1]], [[1, 1]], [[30, 50, 20]]
    for limit, share in ((29, 0.0), (30, 0.5), (99, 0.5), (100, 1.0)):
        assert values(Evidence @ limit, hits, gold, tokens=tokens) == [share]


def test_evidence_starts_anew_with_each_topic():
    tokens = [[90], [90]]
    assert values(Evidence @ 100, [[1], [1]], [[1], [1]], tokens=tokens) == [1.0, 1.0]


def stale_at(k, hits, gold, stale):
    """Measure one topic whose hits have these grades and, where true, are stale."""
    return values(Stale @ k, [hits], [gold], stale=stale)


def test_stale_is_one_where_the_old_answer_stands_above_every_current_one():
    assert stale_at(10, [1, 3], [1, 3], [True, False]) == [1.0]
    assert stale_at(10, [3, 1], [1, 3], [False, True]) == [0.0]
    assert stale_at(10, [0], [0, 3], [True]) == [1.0]
    assert stale_at(1, [0, 0], [0, 3], [False, True]) == [0.0]


def test_stale_is_undefined_without_both_an_old_and_a_current_answer():
    assert values(Stale, [[3]], [[3]]) == pytest.approx([NAN], nan_ok=True)


def test_tokens_adds_up_the_first_hits_and_needs_no_judgement():
    assert values(Tokens @ 2, [[0, 0, 0], []], [[], []], tokens=[[5, 7, 9], []]) == [12.0, 0.0]


def test_latency_averages_to_a_percentile_over_the_topics_that_were_timed():
    judged = judge([[]] * 5, [[]] * 5, ms=[1.0, 2.0, 3.0, 100.0, NAN])
    ms = (Latency @ 50).per_topic(judged)
    assert (Latency @ 50).average(ms) == 2.5
    assert Latency.average(ms) == 26.5


def test_a_run_over_no_topics_has_no_values():
    for measure in EVERY[:-1]:
        assert values(measure, [], []) == []


@pytest.mark.parametrize("measure", EVERY, ids=repr)
def test_a_measure_parses_back_from_what_it_prints(measure):
    assert parse(repr(measure)) == measure
    assert hash(parse(repr(measure))) == hash(measure)


def test_measures_that_differ_are_different_keys():
    assert len(dict.fromkeys(EVERY)) == len(EVERY)


def test_success_and_mrr_are_read_as_our_names():
    assert parse("Success@5") == AnyR @ 5
    assert parse(" MRR ") == RR


@pytest.mark.parametrize("text", ["", "nDCG@", "nDCG@-1", "@10", "nDCG 10", "nDCG(linear)@10"])
def test_what_is_not_a_measure_is_refused(text):
    with pytest.raises(BadParameter):
        parse(text)


@pytest.mark.parametrize("make", [lambda: R @ 0, lambda: R @ 2.5, lambda: R @ True])
def test_a_cutoff_is_a_whole_number_from_one(make):
    with pytest.raises(BadParameter, match=r"R@ needs a whole number of hits"):
        make()


def test_other_parameters_are_checked():
    with pytest.raises(BadParameter, match="percentile between 0 and 100"):
        Latency @ 100
    with pytest.raises(BadParameter, match="takes no cutoff"):
        IndexTime @ 5
    with pytest.raises(BadParameter, match="gain must be"):
        nDCG(gain="cubic")
    with pytest.raises(NotFound, match="nDCG"):
        parse("NDGC@10")
    with pytest.raises(NotFound, match="gain"):
        nDCG(gains="linear")


ORACLE = {
    nDCG @ 10: ir_measures.nDCG(gains={1: 1, 2: 3, 3: 7}) @ 10,
    nDCG: ir_measures.nDCG(gains={1: 1, 2: 3, 3: 7}),
    nDCG(gain="linear") @ 5: ir_measures.nDCG @ 5,
    R @ 5: ir_measures.R @ 5,
    AnyR @ 5: ir_measures.Success @ 5,
    RR: ir_measures.RR,
    RR @ 3: ir_measures.RR @ 3,
    AP: ir_measures.AP,
    AP @ 4: ir_measures.AP @ 4,
}


def agree_with_the_oracle(hits, missed):
    """Compare per topic; hits are grades (None unjudged), missed are judged grades not found."""
    n = len(hits)
    ranked = pd.DataFrame(
        [(str(q), f"h{i}", -float(i)) for q in range(n) for i in range(len(hits[q]))],
        columns=["query_id", "doc_id", "score"],
    )
    found = [(str(q), f"h{i}", g) for q in range(n) for i, g in enumerate(hits[q]) if g is not None]
    lost = [(str(q), f"x{i}", g) for q in range(n) for i, g in enumerate(missed[q])]
    qrels = pd.DataFrame(found + lost, columns=["query_id", "doc_id", "relevance"])
    gold = [[g for g in [*hits[q], *missed[q]] if g is not None] for q in range(n)]
    ours = judge([[g or 0 for g in topic] for topic in hits], gold)
    for measure, oracle in ORACLE.items():
        # One call each: asked together, the oracle lends the gains of one nDCG to the other.
        theirs = {r.query_id: r.value for r in ir_measures.iter_calc([oracle], qrels, ranked)}
        for topic, value in enumerate(measure.per_topic(ours)):
            if any(g > 0 for g in gold[topic]):
                expected = theirs.get(str(topic), 0.0)
                assert value == pytest.approx(expected, abs=1e-12), (measure, topic)
            else:
                assert np.isnan(value)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([None, 0, 1, 2, 3]), max_size=25),
            st.lists(st.integers(0, 3), max_size=6),
        ),
        min_size=1,
        max_size=4,
    ).filter(lambda topics: any(g is not None for h, m in topics for g in [*h, *m]))
)
def test_measures_agree_with_ir_measures(topics):
    agree_with_the_oracle([hits for hits, _ in topics], [missed for _, missed in topics])


def test_measures_agree_with_ir_measures_on_a_thousand_random_topics():
    rng = np.random.default_rng(0)
    grades = [None, None, None, 0, 1, 2, 3]
    draw = lambda most: [grades[i] for i in rng.integers(0, 7, rng.integers(0, most))]  # noqa: E731
    hits = [draw(40) for _ in range(1000)]
    missed = [[g for g in draw(15) if g is not None] for _ in range(1000)]
    agree_with_the_oracle(hits, missed)


def random_runs(bench, folder, rng, n):
    """Yield runs read from files: tied scores, topics missing, documents that nobody judged."""
    topics = Topics.of(bench.collection.topics, bench.collection.corpus)
    docnos = bench.collection.corpus["docno"].tolist()
    for _ in range(n):
        lines = [
            f"{qid} Q0 {docnos[doc]} 0 {rng.integers(4) / 3} x"
            for qid in topics.qids
            if rng.random() < 0.8
            for doc in rng.permutation(len(docnos))[: rng.integers(0, 16)]
        ]
        (folder / "run.trec").write_text("\n".join(lines))
        yield Run.from_trec(folder / "run.trec", topics)


@pytest.mark.parametrize("runs", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_runs_with_ties_and_missing_topics_agree_with_ir_measures(tmp_path, runs):
    """From files to values; the order of ties is ours, as the export writes it."""
    rng = np.random.default_rng(2)
    docs = pd.DataFrame({"docno": [f"d{i}" for i in rng.permutation(24)], "text": "word"})
    topics = pd.DataFrame({"qid": [f"q{i}" for i in range(5)], "query": "word"})
    judged = [
        (f"q{topic}", f"d{doc}", int(rng.integers(0, 4)))
        for topic in range(4)  # nobody judged anything for q4
        for doc in rng.permutation(24)[: 3 + 3 * topic]
    ]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "relevance"])
    bench = Bench.of(Collection("tied", Corpus(docs), topics, qrels))
    ours, exported, tied = {measure: {} for measure in ORACLE}, [], 0
    for number, run in enumerate(random_runs(bench, tmp_path, rng, runs)):
        tied += int((np.diff(run.scores) == 0).sum())
        judgements = bench.judge(run)
        for measure, found in ours.items():
            for qid, value in zip(bench.topics.qids, measure.per_topic(judgements), strict=True):
                found[f"{number}/{qid}"] = value
        frame = run.frame()
        exported.append(frame.assign(qid=f"{number}/" + frame["qid"].astype(str)))
    hits = pd.concat(exported)
    hits = pd.DataFrame(
        {"query_id": hits["qid"], "doc_id": hits["docno"], "score": -hits["rank"].astype(float)}
    )
    every = [(f"{run}/{qid}", docno, grade) for run in range(runs) for qid, docno, grade in judged]
    asked = pd.DataFrame(every, columns=["query_id", "doc_id", "relevance"])
    assert tied > 10 * runs
    for measure, oracle in ORACLE.items():
        theirs = {r.query_id: r.value for r in ir_measures.iter_calc([oracle], asked, hits)}
        for qid, value in ours[measure].items():
            if qid.endswith("/q4"):
                assert np.isnan(value)
            else:
                assert abs(value - theirs.get(qid, 0.0)) <= 1e-12, (measure, qid)


def longmemeval_ndcg(hits, gold, k):
    """nDCG as LongMemEval's src/retrieval/eval_utils.py has it; gold is 1 or 0 a document."""

    def dcg(relevances):
        first, later = relevances[:1], np.array(relevances[1:k])
        return sum(first) + float((later / np.log2(np.arange(2, len(later) + 2))).sum())

    ideal = dcg(sorted(gold, reverse=True))
    return dcg(hits) / ideal if ideal else 0.0


def test_the_gain_of_longmemeval_is_that_of_its_own_code():
    rng, measure = np.random.default_rng(3), nDCG(discount="longmemeval")
    for k in (1, 2, 5, 10):
        gold = [rng.integers(0, 2, 12).tolist() for _ in range(200)]
        hits = [rng.permutation(one)[: rng.integers(1, 13)].tolist() for one in gold]
        wanted = [longmemeval_ndcg(h, g, k) for h, g in zip(hits, gold, strict=True)]
        assert values(measure @ k, hits, gold) == pytest.approx(wanted, abs=1e-12)


def test_the_gain_of_longmemeval_weighs_the_first_two_ranks_alike_and_says_its_name():
    measure = nDCG(discount="longmemeval") @ 5
    assert values(measure, [[1, 0], [0, 1], [0, 0, 1]], [[1]] * 3) == pytest.approx(
        [1.0, 1.0, 1 / np.log2(3)]
    )
    assert repr(measure) == "nDCG(discount='longmemeval')@5"
    assert parse(repr(measure)) == measure != nDCG @ 5
    with pytest.raises(BadParameter, match="discount must be 'standard' or 'longmemeval'"):
        nDCG(discount="log")


def test_all_hit_agrees_with_full_recall():
    rng = np.random.default_rng(1)
    hits = [rng.integers(0, 2, 6).tolist() for _ in range(300)]
    gold = [[*topic, *rng.integers(0, 2, 2).tolist()] for topic in hits]
    everything = np.array(values(R @ 4, hits, gold)) == 1.0
    all_hit = np.array(values(AllR @ 4, hits, gold))
    assert np.array_equal(all_hit == 1.0, everything)


def test_the_stored_longmemeval_ranking_gives_its_published_recall(shared: Path):
    name = "rankings_longmemeval_sibyl_raw_rc1_20260610.json.xz"
    with lzma.open(shared / "longmemeval" / name) as file:
        cases = json.load(file)["case_results"]
    gold = [case["answer_session_ids"] for case in cases]
    hits = [
        [int(found in wanted) for found in case["ranked_session_ids"]]
        for case, wanted in zip(cases, gold, strict=True)
    ]
    judged = judge(hits, [[1] * len(wanted) for wanted in gold])
    mean = lambda measure: measure.average(measure.per_topic(judged))  # noqa: E731
    assert len(cases) == 500
    assert not np.isnan((R @ 5).per_topic(judged)).any()
    assert mean(AnyR @ 5) == pytest.approx(0.966, abs=1e-9)
    assert mean(AllR @ 5) == pytest.approx(0.850, abs=1e-9)
    assert mean(AnyR @ 1) == pytest.approx(0.806, abs=1e-9)
    assert mean(R @ 10) == pytest.approx(0.9616666666666667, abs=1e-12)
    for measure, key in ((nDCG @ 5, "ndcg@5"), (nDCG @ 10, "ndcg@10"), (R @ 5, "recall@5")):
        stored = [case[key] for case in cases]
        assert measure.per_topic(judged) == pytest.approx(stored, abs=1e-12)
    answerable = [not case["question_id"].endswith("_abs") for case in cases]
    assert sum(answerable) == 470
    assert (AllR @ 5).per_topic(judged)[answerable].mean() == pytest.approx(0.857, abs=5e-4)


@pytest.mark.parametrize(
    "written",
    [
        "nDCG(gain=" + "-" * 20_000 + "1)@10",
        "nDCG(gain=" + "(" * 300 + ")" * 300 + ")@10",
        "R@" + "9" * 5_000,
        "nDCG(gain={[]: 1})@10",
        "nDCG(gain={{}})@10",
        "nDCG(gain=__import__('os'))@10",
        "nDCG(**{})@10",
    ],
)
def test_what_is_no_measure_is_refused_whatever_is_written(written):
    with pytest.raises(BadParameter):
        parse(written)
