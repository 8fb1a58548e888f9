"""The ranking report: what is in the folder, what is on the page, and what must not be."""

import base64
import getpass
import hashlib
import html
import json
import re
import socket
from html.parser import HTMLParser
from xml.etree import ElementTree

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, TfIdf, ranking_report
from lcm_lab.measures import IndexTime, Latency, R, nDCG

SYSTEMS = {"bm25": BM25() % 5, "tf-idf": TfIdf() % 5}
#: Built from parts, so that no scanner takes this file for a leak.
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"
VOID = {"meta", "br", "hr", "img", "input", "link"}


def evaluated(on, systems=SYSTEMS, measures=(nDCG @ 3, R @ 3)):
    return lcm.evaluate(systems, on=on, measures=measures)


def saved(result, folder, command="lcm-lab report"):
    page = ranking_report(result, command).save(folder)
    return page.read_text(encoding="utf-8")


class Outline(HTMLParser):
    """Tags that balance, ids that are one, addresses, and the text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.addresses, self.words, self.wrong = [], [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [v for k, v in attrs if k in ("href", "src", "xlink:href") and v]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


def test_the_folder_holds_what_the_design_says(toy, tmp_path):
    saved(evaluated(toy(), measures=(nDCG @ 3, Latency @ 95)), tmp_path)
    found = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert found == [
        "data.parquet",
        "figures/per-type.png",
        "figures/per-type.svg",
        "figures/quality-latency.png",
        "figures/quality-latency.svg",
        "figures/recall-by-k.png",
        "figures/recall-by-k.svg",
        "figures/told-apart.png",
        "figures/told-apart.svg",
        "index.html",
        "manifest.json",
        "runs/bm25.trec",
        "runs/tf-idf.trec",
    ]
    made = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert made["command"] == "lcm-lab report"
    assert [system["expression"] for system in made["systems"]] == ["BM25() % 5", "TfIdf() % 5"]
    assert made["collection"]["fingerprint"] == toy().fingerprint


def test_the_page_is_well_formed_and_asks_nothing_of_a_network(toy, tmp_path):
    page = saved(evaluated(toy(), measures=(nDCG @ 3, Latency @ 95, IndexTime)), tmp_path)
    outline = Outline(page)
    assert (outline.open, outline.wrong) == ([], [])
    assert sorted(set(outline.ids)) == sorted(outline.ids)
    assert {address for address in outline.addresses if not address.startswith("#")} == set()
    assert {address[1:] for address in outline.addresses} <= set(outline.ids)
    assert set(re.findall(r"https?://[\w.]+", page)) <= {"http://www.w3.org"}


def test_only_the_script_of_the_page_may_run(toy, tmp_path):
    page = saved(evaluated(toy()), tmp_path)
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in page or f"'sha256-{digest}'" in page
    assert "default-src 'none'" in page


def test_sections_stand_in_the_order_of_the_design(toy, tmp_path):
    page = saved(evaluated(toy()), tmp_path)
    assert re.findall(r"<h2>(.*?)</h2>", page) == [
        "Which policy finds the most?",
        "What does it cost?",
        "For which questions?",
        "Does a score tell when there is nothing to find?",
        "What did each policy find for each question?",
        "Where does the best one fail?",
        "Is the harness sane?",
        "What it does not show",
        "How it was made",
    ]
    assert page.count("<b>What it does not show.</b>") == 7


def test_the_table_shows_mean_interval_and_n(toy, tmp_path):
    result = evaluated(toy())
    text = Outline(saved(result, tmp_path)).text
    for row in result.summary().itertuples():
        assert f"{row.mean:.3f} [{row.low:.3f}, {row.high:.3f}]" in text
    assert "nDCG@3 n = 6" in text


@pytest.mark.slow
def test_the_same_evaluation_gives_the_same_bytes(toy, tmp_path):
    for name in ("a", "b"):
        saved(evaluated(toy()), tmp_path / name)
    for file in sorted(p for p in (tmp_path / "a").rglob("*") if p.is_file()):
        again = tmp_path / "b" / file.relative_to(tmp_path / "a")
        assert file.read_bytes() == again.read_bytes(), file.name


def test_worst_questions_show_gold_and_hits_with_their_text(toy, tmp_path):
    page = Outline(saved(evaluated(toy(), {"bm25": BM25() % 1}), tmp_path)).text
    lost = page[page.index("zymurgy xylophone") :]
    assert "No hits: the system finds nothing for this question." in lost
    why = "no match: BM25() gives it no score"
    assert f"relevant (1) · Finn · 2026-03-01 09:00 · m9 · {why}" in lost
    assert "The deploy on Friday failed twice." in lost
    assert "several what happened to Redis? first relevant at rank 1" in page
    assert re.search(r"m[56] · found at rank 1 .* m[56] · cut by % 1: it stood at rank 2", page)
    assert "What the steps gave" in page


def test_a_question_with_all_there_is_to_find_is_not_among_the_worst(toy, tmp_path):
    page = Outline(saved(evaluated(toy(), {"bm25": BM25() % 5}), tmp_path)).text
    worst = page[page.index("Where does the best one fail?") : page.index("Is the harness sane?")]
    assert "what is the retry backoff?" not in worst


def test_hostile_text_is_shown_as_text(toy, tmp_path):
    """NB-04."""
    bad = "<script>x()</script> </title></style> ![a](javascript:x) | a\n| {{ 7*7 }} &amp; \u202e"
    name = 'toy</title><img src=x onerror="x()"> $1$'
    on = toy({1: bad}, name=name, note="<b>bold</b>")
    systems = {"</td><script>y()</script>": BM25() % 5, "_$x^2$": TfIdf() % 5}
    page = saved(evaluated(on, systems), tmp_path)
    outline = Outline(page)
    assert (outline.open, outline.wrong) == ([], [])
    assert re.findall("<script[^>]*>", page) == [
        '<script type="application/json" id="data">',
        "<script>",
    ]
    assert "<img" not in page
    assert "onerror" in outline.text
    assert (
        "<script>x()</script> </title></style> ![a](javascript:x) | a | {{ 7*7 }}" in outline.text
    )
    assert "\u202e" not in page
    rows = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    assert {len(re.findall(r"<t[hd]", row)) for row in rows[:1]} == {3}
    for figure in (tmp_path / "figures").glob("*.svg"):
        ElementTree.parse(figure)


def test_no_secret_of_the_history_reaches_any_file(toy, tmp_path):
    """SE-14: the key stands in a message, in a question, and in an answer."""
    asked = [("q1", f"who uses {KEY}?", "fact", "c1", ["m1"])]
    on = toy({1: f"aws_access_key_id = {KEY} for staging", 2: "x" * 410 + " " + KEY}, asked=asked)
    on.topics["answer"] = f"{KEY} is in use"
    saved(evaluated(on), tmp_path)
    for file in (p for p in tmp_path.rglob("*") if p.is_file()):
        assert KEY.encode() not in file.read_bytes(), file.name
        assert KEY[:12].encode() not in file.read_bytes(), file.name
    table = pd.read_parquet(tmp_path / "data.parquet")
    assert KEY not in table.to_csv()


def test_no_folder_user_or_host_name_reaches_any_file(toy, tmp_path, monkeypatch):
    """NB-08."""
    folder = tmp_path / "client-secret-project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    text = "I wrote /home/someone/notes.md and C:\\Users\\someone\\x"
    saved(evaluated(toy({1: text}), measures=(nDCG @ 3, Latency @ 95)), folder / "report")
    for file in (p for p in folder.rglob("*") if p.is_file()):
        content = file.read_bytes()
        assert b"client-secret-project" not in content
        assert b"someone" not in content
        assert str(tmp_path).encode() not in content
        if len(socket.gethostname()) > 4:
            assert socket.gethostname().encode() not in content
        if getpass.getuser() != "root":
            assert getpass.getuser().encode() not in content


def test_no_topic_gives_a_page_that_says_so(toy, tmp_path):
    """NB-06: nothing to average is n = 0 said plainly, without an empty chart."""
    page = saved(evaluated(toy(asked=[])), tmp_path)
    text = Outline(page).text
    assert "there is nothing to rank (n = 0)" in text
    assert "n = 0: no question has a value" in text
    assert "Recall by depth is not drawn" in text
    assert "<svg role" not in page
    assert list((tmp_path / "figures").glob("*")) == []


def test_one_system_gives_a_page_without_a_winner(toy, tmp_path):
    """NB-06."""
    page = saved(evaluated(toy(), {"bm25": BM25() % 5}), tmp_path)
    assert "It is the only system here" in Outline(page).text
    assert "<b>0." not in page


def test_topics_without_type_give_a_page(toy, tmp_path):
    on = toy(asked=[("q1", "which database?", None, "c1", ["m1"])])
    text = Outline(saved(evaluated(on), tmp_path)).text
    assert "The questions of this collection have no groups to tell apart." in text
    assert "Quality per type is not drawn" in text


@pytest.mark.slow
def test_only_a_significant_best_is_bold(toy, tmp_path):
    level = saved(evaluated(toy(), {"one": BM25() % 5, "two": 2 * BM25() % 5}), tmp_path / "level")
    assert "<td data-value" in level
    assert not re.search(r"<td[^>]*><b>", level)
    worse = {"bm25": BM25() % 5, "wrong": BM25().over(speaker="nobody") % 5}
    few = saved(evaluated(toy(), worse), tmp_path / "few")
    assert not re.search(r"<td[^>]*><b>", few)
    found = saved(evaluated(toy(copies=4), worse), tmp_path / "clear")
    assert "it is better than every other system here" in Outline(found).text
    assert re.search(r"<td[^>]*><b>", found)


def test_notes_of_the_evaluation_stand_beside_the_table(toy, tmp_path):
    """ME-11: k at or beyond the pool is said on the page."""
    result = evaluated(toy(), measures=(R @ 50,))
    text = Outline(saved(result, tmp_path)).text
    assert "k is not below the number of rows to rank for 6 of 6 topics" in text


def test_figures_say_in_words_what_they_show(toy, tmp_path):
    page = saved(evaluated(toy(), measures=(nDCG @ 3, Latency @ 95)), tmp_path)
    told = [html.unescape(alt) for alt in re.findall(r'role="img" aria-label="(.*?)"', page)]
    assert len(told) == 4
    assert "not told apart: bm25, tf-idf" in told[0]
    assert re.search(r"At k = 2: bm25 0\.\d{3}, tf-idf 0\.\d{3}\.", told[1])
    assert re.search(r"bm25 0\.\d{3} at \d+\.\d\d ms", told[2])
    assert "a row for each of 4 question types" in told[3]


@pytest.mark.slow
def test_times_never_stand_in_the_table_of_what_is_found(toy, tmp_path):
    page = saved(evaluated(toy(), measures=(nDCG @ 3, Latency @ 95, IndexTime)), tmp_path)
    heads = re.findall(r"<thead>(.*?)</thead>", page, flags=re.DOTALL)
    assert "Latency" not in heads[0]
    timed = next(head for head in heads if "median, ms" in head)
    assert "nDCG" not in timed


def test_the_command_that_is_not_given_is_the_python_that_makes_it(toy, tmp_path):
    result = evaluated(toy())
    page = ranking_report(result).save(tmp_path).read_text(encoding="utf-8")
    text = Outline(page).text
    assert "result = lcm.evaluate(systems, on=collection, measures=[nDCG@3, R@3])" in text


@pytest.mark.slow
def test_a_report_over_an_older_one_leaves_none_of_its_runs(toy, tmp_path):
    saved(evaluated(toy()), tmp_path)
    saved(evaluated(toy(), {"only": BM25() % 5}), tmp_path)
    assert [p.name for p in (tmp_path / "runs").iterdir()] == ["only.trec"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 8, 16])
def test_any_number_of_systems_is_told_apart(toy, tmp_path, count):
    systems = {f"system number {i} with quite a long name": BM25() % i for i in range(1, count + 1)}
    page = saved(evaluated(toy(), systems), tmp_path)
    looks = re.findall(r'<svg class="key"[^>]*style="fill: ([^"]+)">(<[^>]+>)', page)
    assert len({f"{c}{m}" for c, m in looks}) == min(count, 49)


class Raises:
    """A system of somebody's own that raises on some questions, or on all."""

    def __init__(self, *on):
        self.on = on

    def fit(self, corpus):
        return self

    def run(self, topics):
        if not self.on or set(self.on) & set(topics.qids):
            raise RuntimeError("no room")
        return BM25().fit(topics.corpus).run(topics)


def test_a_system_that_failed_as_a_whole_is_in_no_figure_and_every_figure_is_drawn(toy, tmp_path):
    result = evaluated(toy(), SYSTEMS | {"broken": Raises()}, (nDCG @ 3, Latency @ 95))
    page = saved(result, tmp_path)
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.png")}
    assert drawn == {"per-type", "quality-latency", "recall-by-k", "told-apart"}
    assert ">broken<" not in (tmp_path / "figures" / "per-type.svg").read_text()
    assert "broken raised RuntimeError on every question" in Outline(page).text
    alone = saved(evaluated(toy(), {"bm25": BM25(), "broken": Raises()}), tmp_path / "alone")
    assert "It is the only system here with a value" in Outline(alone).text


def test_recall_by_depth_leaves_out_what_failed(toy):
    some = evaluated(toy(), {"bm25": BM25() % 5, "same": Raises("q1"), "broken": Raises()})
    curve = some.curve([1]).set_index("system")["mean"]
    assert pd.isna(curve["broken"])
    rest = some.collection.topics["qid"] != "q1"
    values = evaluated(toy(), measures=[R @ 1]).values("bm25", R @ 1)[rest.to_numpy()]
    assert curve["same"] == pytest.approx(pd.Series(values).mean())


def test_the_headline_counts_judged_topics_and_says_what_the_test_of_all_pairs_found(toy):
    from tests.reporting.conftest import ASKED

    lost = [(f"none{i}", "who is the cook?", "none", None, []) for i in range(4)]
    result = evaluated(toy(asked=[*ASKED, *lost]))
    assert result.n_judged == (6, 3)
    said = ranking_report(result).headline
    assert "over 6 questions in 3 conversations. Compared question by question it is not" in said
    assert said.endswith("; the order among the two is not settled here.")
