"""Reports, group N of the bug reports; notebooks are in tests/test_notebooks.py. An id names it."""

import re

import pandas as pd

import lcm_lab as lcm
from lcm_lab.measures import RR
from tests.cases.judged import noted

HOSTILE = "x | y\nz </title><script>q()</script> ![a](javascript:x)"


def hostile(name):
    """Five questions, of which one finds nothing, over hostile texts."""
    texts = [f"port {i} <script>x()</script> | a\nb ![a](javascript:x)" for i in range(1, 5)]
    rows = [{"docno": f"d{i}", "text": text} for i, text in enumerate(texts, start=1)]
    asked = [*(f"port {i} {name}" for i in range(1, 5)), "zebra"]
    topics = pd.DataFrame({"qid": [f"q{i}" for i in range(1, 6)], "query": asked})
    docnos = ["d1", "d2", "d3", "d4", "d1"]
    qrels = pd.DataFrame({"qid": topics["qid"], "docno": docnos, "relevance": 1})
    return lcm.Collection(name, lcm.Corpus(rows), topics, qrels)


def test_hostile_texts_are_text_and_the_tables_keep_their_columns(tmp_path):
    """NB-04, NB-06: in HTML and in Markdown; a question without hits has its row in each."""
    result = lcm.evaluate({HOSTILE: lcm.BM25(), "other": lcm.TfIdf()}, hostile(HOSTILE), [RR])
    table = result.to_markdown().split("\n\n")[0].splitlines()
    assert len(table) == 5
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {3}
    assert r"\<script\>" in table[2]
    assert r"!\[a\](javascript:x)" in table[2]
    page = lcm.ranking_report(result).save(tmp_path).read_text(encoding="utf-8")
    assert re.findall("<script[^>]*>", page) == [
        '<script type="application/json" id="data">',
        "<script>",
    ]
    assert page.count("</title>") == 1
    assert not re.search(r"<(img|a)[^>]*javascript:", page)
    lost = result.frame[result.frame["qid"] == "q5"]
    assert lost["value"].tolist() == [0, 0]
    assert len(noted(result, "finds nothing at all for 1 of 5 topics (q5)")) == 2
    assert "zebra" in page
    assert "none relevant among 0 hits" in page
    kept = pd.read_parquet(tmp_path / "data.parquet")
    assert set(kept["qid"]) == {f"q{i}" for i in range(1, 6)}
