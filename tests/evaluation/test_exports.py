"""An evaluation for other programs, and opened again."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.measures import RR, Latency, R, Tokens, nDCG
from lcm_lab.run import Run

HOSTILE = r"a|b_c & 50% <i>\x{1}$#~^`*"


def made(toy, name=HOSTILE, measures=(RR, R @ 1, Tokens @ 1)):
    n = 8
    docs = {"text": ["a", "b"] * n, "conversation": [f"c{i // 2}" for i in range(2 * n)]}
    asked = {"query": [f"question {i}" for i in range(n)]}
    asked["conversation"] = [f"c{i}" for i in range(n)]
    bench = toy.collection(docs, asked, [(i, 2 * i, 1) for i in range(n)])
    right, wrong = toy.says(((2, 1) * n,) * n), toy.says(((1, 2) * n,) * n)
    return evaluate({name: right, "other": wrong}, on=bench, measures=measures)


def test_markdown_has_means_intervals_and_n_and_escapes_names(toy):
    text = made(toy).to_markdown()
    lines = text.splitlines()
    assert lines[:2] == ["|  | RR | R@1 | Tokens@1 |", "| --- | ---: | ---: | ---: |"]
    assert lines[2].startswith(
        r"| a\|b\_c \& 50% \<i\>\\x\{1\}\$\#\~^\`\* | **1.000 \[0.676, 1.000\]** |"
    )
    assert lines[4] == "| n | 8 | 8 | 8 |"
    assert "8 topics of toy, with 95 % intervals of a bootstrap over 8 conversations" in text
    # No cell ends early: as many bars that are not escaped in every line.
    assert {line.replace("\\|", "").count("|") for line in lines[:5]} == {5}


def test_latex_has_means_intervals_and_n_and_escapes_names(toy):
    text = made(toy).to_latex()
    assert r"\begin{tabular}{lrrr}" in text
    assert r"\toprule" in text
    assert (
        r"a\textbar{}b\_c \& 50\% \textless{}i\textgreater{}\textbackslash{}x\{1\}\$\#"
        r"\textasciitilde{}\textasciicircum{}`*" in text
    )
    assert r"\textbf{1.000 [0.676, 1.000]}" in text
    assert "n & 8 & 8 & 8 \\\\" in text
    assert text.count("\\\\\n") == 4


def test_a_single_unit_has_no_interval_in_a_table(toy):
    bench = toy.collection(2, 1, [(0, 0, 1)])
    result = evaluate({"s": toy.says(((2, 1),))}, on=bench, measures=[RR])
    assert "| s | 1.000 |" in result.to_markdown()


def test_csv_holds_every_row_and_digit(toy, tmp_path):
    result = made(toy)
    text = result.to_csv(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes().decode() == text
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(text)), result.frame, check_dtype=False)


def test_parquet_and_trec_are_those_that_save_writes(toy, tmp_path):
    result = made(toy)
    result.save(tmp_path / "whole")
    path = result.to_parquet(tmp_path / "table.parquet")
    assert path.read_bytes() == (tmp_path / "whole" / "data.parquet").read_bytes()
    folder = result.to_trec(tmp_path / "trec")
    names = sorted(one.name for one in folder.iterdir())
    assert names == sorted(one.name for one in (tmp_path / "whole" / "runs").iterdir())
    for name in names:
        assert (folder / name).read_text() == (tmp_path / "whole" / "runs" / name).read_text()


def test_text_is_written_where_a_path_is_given(toy, tmp_path):
    result = made(toy)
    assert result.to_markdown(tmp_path / "t.md") == (tmp_path / "t.md").read_text()
    assert result.to_latex(tmp_path / "t.tex") == (tmp_path / "t.tex").read_text()


def test_failures_stand_in_tables(toy):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)])
    run = toy.says(((1, 1), (1, 1))).fit(bench.corpus).run(bench.topics)
    twice = Run(run.topics, run.corpus, run.offsets, np.array([0, 1, 1, 1]), run.scores)
    result = evaluate({"s": twice, "t": toy.says(((1, 1),) * 2)}, on=bench, measures=[RR])
    text = result.to_markdown()
    assert "| s | 1.000 (1 failed) |" in text
    assert "| n | 1 to 2 |" in text
    assert "1 failure left out" in text


def test_an_evaluation_opened_again_says_what_it_said(toy, tmp_path):
    result = made(toy, measures=(RR, R @ 1, Latency @ 50))
    again = Evaluation.load(result.save(tmp_path), on=result.collection)
    assert again.systems == result.systems
    assert again.measures == result.measures
    assert again.notes == result.notes
    pd.testing.assert_frame_equal(again.summary(), result.summary())
    pd.testing.assert_frame_equal(again.by("conversation"), result.by("conversation"))
    pd.testing.assert_frame_equal(again.latency, result.latency)
    pd.testing.assert_frame_equal(again.losses("other", HOSTILE), result.losses("other", HOSTILE))
    pd.testing.assert_frame_equal(again.bounds(), result.bounds())
    assert repr(again) == repr(result)
    assert again.miss("other", "q0")["reason"].tolist() == ["found"]


def test_failures_are_loaded_too(toy, tmp_path):
    bench = toy.collection(2, 2, [(0, 0, 1), (1, 0, 1)])
    run = toy.says(((1, 1), (1, 1))).fit(bench.corpus).run(bench.topics)
    twice = Run(run.topics, run.corpus, run.offsets, np.array([0, 1, 1, 1]), run.scores)
    result = evaluate({"s": twice}, on=bench, measures=[RR])
    again = Evaluation.load(result.save(tmp_path), on=bench)
    pd.testing.assert_frame_equal(again.failures, result.failures)
    assert again.summary()["failed"].tolist() == [1]
    assert json.loads((tmp_path / "manifest.json").read_text())["failures"][0]["qid"] == "q1"


def test_scores_are_not_saved_so_ties_and_abstention_are_refused(toy, tmp_path):
    result = made(toy)
    again = Evaluation.load(result.save(tmp_path), on=result.collection)
    for view in (again.ties, again.abstention, again.risk_coverage):
        with pytest.raises(BadParameter, match="scores are not saved"):
            view()


def test_another_collection_is_refused(toy, tmp_path):
    result = made(toy)
    result.save(tmp_path)
    with pytest.raises(BadInput, match="their fingerprints differ"):
        Evaluation.load(tmp_path, on=toy.collection(2, 1, [(0, 0, 1)]))


@pytest.mark.parametrize(
    ("file", "content", "error", "told"),
    [
        ("manifest.json", None, NotFound, "holds no manifest.json"),
        ("data.parquet", None, NotFound, "holds no data.parquet"),
        ("manifest.json", "{", BadInput, "is not JSON"),
        ("manifest.json", "[]", BadInput, "is no manifest"),
        ("manifest.json", "{}", BadInput, "its manifest lacks collection, systems, measures"),
        ("data.parquet", "PAR1", BadInput, "cannot be read"),
        ("runs/other.trec", None, NotFound, "though the manifest names it"),
    ],
)
def test_a_damaged_folder_is_refused_by_what_is_wrong(toy, tmp_path, file, content, error, told):
    result = made(toy)
    result.save(tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(content)
    with pytest.raises(error, match=told):
        Evaluation.load(tmp_path, on=result.collection)


def test_the_lists_of_a_memory_cannot_be_opened_again_and_that_is_said(tmp_path):
    bench = lcm.load("synth-chat-s").conversation("c01")
    corpus = bench.corpus()
    topics = pd.DataFrame({"qid": ["q1"], "query": ["holiday"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": [corpus["docno"][0]], "relevance": [1]})
    small = lcm.Collection("c01", corpus, topics, qrels)
    memory = lcm.Memory(lcm.Rolling(200, fresh=1), rank=lcm.BM25(), every=400)
    result = evaluate({"memory": memory.over(scope="summaries")}, on=small, measures=[nDCG @ 5])
    result.save(tmp_path)
    with pytest.raises(BadInput, match="no docno 'sum_"):
        Evaluation.load(tmp_path, on=small)
