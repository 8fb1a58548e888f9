"""What a notebook is shown: well-formed, escaped, without secrets, readable on any ground."""

import copy
import pickle
import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.llm import ledger
from lcm_lab.markup import STYLE, line, page, text
from lcm_lab.ranking.diagram import diagram
from lcm_lab.ranking.found import SHOWN, highlighted

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HOSTILE = f"<script>alert(1)</script> '\"&amp; \u202eegassem\x1b[31m\x00 {SECRET} the port is 5003"
VOID = {"br"}


class Reader(HTMLParser):
    """Reads HTML, and insists that every tag is closed in its turn."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def read(thing):
    """Read what is shown of a thing; nothing hostile may have got through."""
    html = thing if isinstance(thing, str) else thing._repr_html_()
    found = Reader(html)
    assert "script" not in found.tags
    assert SECRET not in html
    assert SECRET[:12] not in html
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f]", html)
    return found


@pytest.fixture(scope="module")
def hostile():
    return lcm.Corpus(
        [
            dict.fromkeys(("docno", "text"), f"{HOSTILE} {n}")
            | dict.fromkeys(("speaker", "conversation"), HOSTILE)
            for n in range(30)
        ]
    )  # fmt: skip


POLICIES = [
    lcm.BM25(),
    lcm.BM25() % 100 + 0.3 * lcm.TfIdf() >> lcm.Recency("30D") >> lcm.MMR(0.7) % 10,
    lcm.RRF(lcm.BM25() % 50, lcm.Neighbours(lcm.TfIdf(), 0.2).over(role="user")) >> lcm.Dedupe(),
    lcm.Fallback(lcm.LosslessClaw(), lcm.NaiveBM25()),
    lcm.Recommended(),
    lcm.BM25(k1=lcm.vary(0.9, 1.2)) % lcm.vary(5, 10),
    lcm.BM25().over(role=HOSTILE),
    lcm.Memory(lcm.Window(100), rank=lcm.BM25() % 5),
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: type(one).__name__)
def test_a_policy_is_drawn_and_its_expression_stands_below(policy):
    found = read(policy)
    if SECRET not in repr(policy):
        assert found.text.endswith(repr(policy))
    assert "5003" in found.text or SECRET not in repr(policy)


def test_a_diagram_reads_in_order_without_its_style():
    policy = lcm.BM25() % 100 + 0.3 * lcm.TfIdf() >> lcm.Recency("30D") % 10
    assert read(policy).text == (
        "BM25()top 100+0.3 ×TfIdf()→Recency('30D')top 10"
        "BM25() % 100 + 0.3 * TfIdf() >> Recency('30D') % 10"
    )
    assert read(lcm.RRF(lcm.BM25(), lcm.TfIdf(), k=10)).text.startswith("RRF(k=10)BM25()TfIdf()")


def test_a_policy_too_large_to_draw_is_printed():
    policy = lcm.BM25()
    for n in range(200):
        policy = policy + (0.1 + n) * lcm.BM25(k1=0.5 + n)
    found = read(policy)
    assert "box" not in diagram(policy).split("</style>")[1]
    assert len(found.text) <= 2_001


def test_a_searcher_says_what_it_searches(hostile):
    found = read(lcm.BM25().fit(hostile))
    assert found.text.endswith("BM25() over Corpus of 30 messages in 1 conversation")


def test_hits_show_what_matched_and_what_each_step_gave():
    corpus = lcm.Corpus(
        [
            {"text": "We chose the <b>port</b> 5003.", "time": "2026-05-01T10:00"},
            {"text": "Ports are rude.", "docno": "x"},
            "Lunch?",
        ]
    )
    search = (lcm.BM25() % 5 + 0.2 * lcm.TfIdf()).fit(corpus)
    hits = search("which ports?")
    found = read(hits)
    assert found.tags.count("mark") == 2
    assert "2 hits for which ports?" in found.text
    assert "m1 · c1 · 2026-05-01 10:00" in found.text
    assert re.search(
        r"BM25\(\) % 5 1\.000 \(rank 1\) · 0\.2 \* TfIdf\(\) 0\.\d{3} \(rank 1\)", found.text
    )
    assert "<b>port</b>" in found.text
    assert "0 hits for nothing here" in read(search("nothing here")).text
    empty = read(search("which ports?", before="2020-01-01"))
    assert "0 hits" in empty.text


def test_hostile_hits_are_shown_as_text(hostile):
    found = read((lcm.BM25() % 100).fit(hostile)("which port? <script>"))
    assert "<script>alert(1)</script>" in found.text
    assert "and 10 more hits" in found.text
    assert "[redacted:github-token]" in found.text


def test_hits_are_a_frame_and_what_is_made_of_them_is_a_plain_one():
    search = lcm.BM25().fit(lcm.Corpus(["use WAL", "drop the table"]))
    hits = search("table")
    assert isinstance(hits, pd.DataFrame)
    plain = pickle.loads(pickle.dumps(hits))
    for made in (plain, copy.deepcopy(hits), hits.head(1), hits[["docno"]], hits.assign(x=1)):
        assert type(made) is pd.DataFrame
    pd.testing.assert_frame_equal(pd.DataFrame(hits), plain)
    assert hits["docno"].tolist() == ["m2"]
    assert read(type(hits)(plain)).tags.count("table") == 1


@pytest.mark.parametrize(
    ("said", "question", "marked"),
    [
        ("We choose Postgres.", "postgres chooses", ["choose", "Postgres"]),
        ("getUser() in src/app.py", "user app", ["getUser", "app"]),
        ("数据库在哪里", "数据库", ["数据库"]),
        ("Nothing here.", "else", []),
        ("", "else", []),
        ("&lt; <mark>x</mark>", "x", ["x"]),
    ],
)
def test_words_that_match_are_marked(said, question, marked):
    html = highlighted(said, question)
    assert re.findall("<mark>(.*?)</mark>", html) == marked
    assert Reader(html).text == said


def test_a_long_text_is_shown_where_it_matches():
    html = highlighted("word " * 500 + "the port is 5003 " + "word " * 500, "port")
    assert html.startswith("… word")
    assert html.endswith(" …")
    assert "<mark>port</mark>" in html
    assert len(Reader(html).text) <= SHOWN + 4


@given(st.text(max_size=400), st.text("abc <&\"'数据\u202e\n", min_size=1, max_size=20))
def test_any_text_is_escaped_and_nothing_of_it_is_lost_but_what_is_cut(said, question):
    for html in (page(text(said, 50)), page(line(said, 50)), page(highlighted(said, question, 50))):
        found = Reader(html)
        assert set(found.tags) <= {"div", "style", "mark"}
        assert len(found.text) <= 54


def test_a_run_shows_topics_with_their_best_hits(hostile):
    run = (lcm.BM25() % 5).fit(hostile).run(["which port?"] * 12 + ["nothing else"])
    found = read(run)
    assert found.text.count("[redacted:github-token]") == 30
    assert "and 3 more topics" in found.text
    small = lcm.BM25().fit(lcm.Corpus(["use WAL", "drop the table"])).run(["table", "lunch"])
    assert str(small).splitlines()[0] == "Run of 1 hits for 2 topics"
    assert re.fullmatch(r"q1  1 hit  m2 \d\.\d{3}", str(small).splitlines()[1])
    assert str(small).splitlines()[2] == "q2  0 hits"


def test_a_dag_folds_and_hides_secrets(hostile):
    dag = lcm.compact(lcm.Dag.of(hostile), lcm.Leaves(300, fresh=3) >> lcm.Condense(3))
    found = read(dag)
    assert found.tags.count("details") == found.tags.count("summary") > 1
    assert "[redacted:github-token]" in found.text
    assert SECRET not in str(dag)


def test_a_replay_shows_what_was_kept():
    said = lcm.Corpus([f"Service {n} listens on port {5000 + n}." for n in range(20)])
    asked = pd.DataFrame({"qid": ["q1"], "query": ["port of service 3?"], "answer": ["5003"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m4"], "relevance": [1]})
    bench = lcm.Collection("<ports>", said, asked, qrels)
    replay = lcm.replay(bench, lcm.Window(), budgets=[0.5], arms=[lcm.Arm(), lcm.Arm(1)])
    found = read(replay)
    assert "1 conversation of <ports>: Window()" in found.text
    assert "closed book0.000–11" in found.text
    assert "1 search1.000–11" in found.text
    assert "too few" in found.text


def test_a_ledger_is_shown_without_anything_spent():
    ledger.clear()
    assert read(ledger).text == "Ledger: nothing was asked yet"


def test_colours_hold_on_light_and_dark():
    grounds = re.findall(r"background:([^;}]+)", STYLE)
    assert {one for one in grounds if not one.startswith("rgba(128,128,128")} == {"none", "#ffe28a"}
    assert set(re.findall(r"[;{]color:([^;}]+)", STYLE)) == {"inherit", "#1b1b1b"}
    assert all(
        rule.startswith(".lcm") for rule in re.findall(r"^[^\n{]+(?={)", STYLE, re.MULTILINE)
    )
