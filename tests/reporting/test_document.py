"""A document: its page is escaped, its data is what it was given, and it names how to make it."""

import json
import re

import pandas as pd

import lcm_lab as lcm
from lcm_lab.evaluation.bench.lexical import bench_ranking
from lcm_lab.reporting.document import Document, Grid, Section
from lcm_lab.reporting.tables import Cell


def document(**changed):
    grid = Grid(("Name", "mean"), (("<b>a</b>", (Cell("0.500", value=0.5),)),), "A | table")
    lists = {"points": ("one",), "notes": ("two",), "texts": ("x\ny",)}
    section = Section("result", "Result", "Say <i>", tables=(grid,), **lists)
    given = {
        "kind": "speed",
        "question": "How <fast>?",
        "lede": "is fast.",
        "subject": "a",
        "sections": (section,),
        "command": "lcm-lab bench 'x'",
        "data": {"data": pd.DataFrame({"a": [1, 2]})},
        "strip": (("messages", "1,000"),),
        "facts": {"seed": 3},
    }
    return Document(**given | changed)


def test_everything_on_a_page_is_text_and_no_markup():
    page = document().render()
    for shown in ("&lt;b&gt;a&lt;/b&gt;", "How &lt;fast&gt;?", "Say &lt;i&gt;", "x\ny", "1,000"):
        assert shown in page
    assert not re.search(r"<b>a</b>|<fast>|src=|https?://(?!www.w3.org)", page)


def test_what_is_saved_is_what_was_given(tmp_path):
    page = document().save(tmp_path / "new" / "folder")
    assert page.read_text("utf-8").count("<section") == 2
    assert pd.read_parquet(page.parent / "data.parquet")["a"].tolist() == [1, 2]
    made = json.loads((page.parent / "manifest.json").read_text("utf-8"))
    assert (made["report"], made["command"], made["seed"]) == ("speed", "lcm-lab bench 'x'", 3)
    assert made["versions"]["lcm-lab"] == lcm.__version__


def test_a_report_of_a_bench_shows_every_ratio_it_measured(tmp_path):
    timed = bench_ranking(300, questions=3)
    report = lcm.speed_report(timed, "lcm-lab bench ranking --size 300")
    page = report.save(tmp_path).read_text("utf-8")
    for ratio in timed["ratio"]:
        assert f">{ratio:.2f}<" in page
    assert report.headline.startswith("BM25, plain words is the first engine.")
    assert (tmp_path / "figures" / "ratios.svg").read_text("utf-8").startswith("<?xml")


def test_an_engine_alone_is_said_to_be_alone():
    row = {"engine": "ours", "work": "w", "n": 1, "median": 1.0, "p95": 1.0, "ratio": 1.0}
    row["wall"] = float("nan")
    assert "the only engine" in lcm.speed_report(pd.DataFrame([row]), "x").headline
