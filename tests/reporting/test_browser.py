"""The reports in a real browser: nothing in the console, and what a person does works.

Playwright drives the Chromium of the machine; where either is absent these tests are skipped and
say so. What they saw last is kept in reports/browser, out of version control.
"""

import re

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, RRF, TfIdf
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.evaluation.replay.run import replay
from lcm_lab.measures import IndexTime, Latency, R, nDCG
from lcm_lab.reporting.compaction import compaction_report

pytestmark = pytest.mark.slow
EVIL = "</script><script>window.stung = 1</script> \u202eevil <img src=x onerror='window.stung=1'> "
SYSTEMS = {
    "bm25": BM25() % 1,
    "tf-idf": TfIdf() % 1,
    "only c1": BM25().over(conversation="c1") % 1,
    "deep": BM25() % 5,
    "rrf": RRF(BM25(), TfIdf()) % 5,
    "<b>bold</b>": TfIdf() % 5,
    **{f"cut at {k}": BM25() % k for k in (2, 3, 4)},
}


@pytest.fixture(scope="module")
def report(toy, tmp_path_factory):
    """The page of a ranking report of nine systems, with a hostile and a huge message."""
    huge = "The retry backoff. " + EVIL + "Postgres " * 20_000
    on = toy({1: EVIL + "We decided on Postgres.", 2: huge, 9: "The deploy <b>failed</b> twice."})
    measures = (nDCG @ 3, R @ 3, Latency @ 95, IndexTime)
    result = lcm.evaluate(SYSTEMS, on=on, measures=measures)
    return lcm.ranking_report(result).save(tmp_path_factory.mktemp("ranking"))


@pytest.fixture(scope="module")
def folded(tmp_path_factory):
    """The page of a compaction report."""
    said = [f"Service {n} listens on port {5000 + n}, says the plan." for n in range(60)]
    topics = pd.DataFrame({"qid": ["q1"], "query": ["port of service 3?"], "answer": ["5003"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m4"], "relevance": [1]})
    bench = lcm.Collection("ports", lcm.Corpus(said), topics, qrels)
    found = replay(bench, Lossless(fresh=4, chunk=150), budgets=[0.1, 0.3])
    return compaction_report({"lossless": found}).save(tmp_path_factory.mktemp("compaction"))


@pytest.fixture
def at(chromium):
    """Open a page; at the end nothing may have stood in its console, nor gone out."""
    contexts, console, asked = [], [], []

    def opened(path, width=1400, fragment="", **given):
        context = chromium.new_context(viewport={"width": width, "height": 950}, **given)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: console.append(said.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
        page.goto(path.as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert console == []
    assert len(set(asked)) == 1


def means(page, column):
    return [
        float(value)
        for value in page.locator(f"#result tr[data-of] td:nth-child({column})").evaluate_all(
            "cells => cells.map((cell) => cell.dataset.value)"
        )
    ]


def keep(page, root, name):
    folder = root / "reports" / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png")


def test_a_page_loads_without_a_word_in_the_console_or_on_the_network(at, report, folded):
    assert "Which policy" in at(report).title() or at(report).locator("h1").count() == 1


def test_the_compaction_page_is_quiet_too_and_its_dag_folds_by_key(at, folded):
    page = at(folded)
    fold = page.locator(".folds details").first
    was = fold.evaluate("fold => fold.open")
    fold.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert fold.evaluate("fold => fold.open") != was


def test_a_column_sorts_down_then_up_then_back(at, report):
    page = at(report)
    given, button = means(page, 3), page.locator("#result thead th:nth-child(3) button")
    button.click()
    assert means(page, 3) == sorted(given, reverse=True)
    button.click()
    assert means(page, 3) == sorted(given)
    assert page.locator("#result thead th:nth-child(3)").get_attribute("aria-sort") == "ascending"
    button.press("Enter")
    assert means(page, 3) == given


def test_what_bounds_the_systems_is_never_sorted_among_them(at, report):
    page = at(report)
    page.locator("#result thead th:nth-child(2) button").click()
    last = page.locator("#result tbody tr").last
    assert "random order" in last.inner_text()


def test_rows_are_filtered_by_their_name(at, report):
    page = at(report)
    page.get_by_label("Filter rows: Result by system").fill("cut 4")
    assert page.locator("#result tr[data-of]:visible").all_inner_texts()[0].startswith("cut at 4")
    assert page.locator("#result tr[data-of]:visible").count() == 1
    assert page.locator("#result .tools output").inner_text() == "1 of 9"


def test_questions_are_filtered_by_words_by_type_and_by_who_finds_them(at, report):
    page = at(report)
    rows = page.locator("#explorer tbody tr")
    assert rows.count() == 6
    page.get_by_label("Filter questions by words").fill("retry")
    assert rows.count() == 2
    page.get_by_label("Filter questions by words").fill("")
    page.get_by_label("Type", exact=True).select_option("fact")
    assert rows.count() == 3
    page.get_by_label("Type", exact=True).select_option("")
    page.get_by_label("Found by").select_option(label="bm25")
    page.get_by_label("missed by").select_option(label="only c1")
    shown = rows.all_inner_texts()
    assert shown and all("Redis" in row or "limit" in row or "deploy" in row for row in shown)
    assert re.fullmatch(r"\d of 6 questions", page.locator("#explorer form output").inner_text())


def test_questions_are_sorted_by_what_a_system_makes_of_them(at, report):
    page = at(report)
    page.locator("#explorer thead button", has_text="only c1").click()
    cells = page.locator("#explorer tbody tr").evaluate_all(
        "rows => rows.map((row) => row.cells)"
        ".map((cells) => [...cells].map((cell) => cell.textContent))"
    )
    heads = page.locator("#explorer thead th").all_inner_texts()
    place = next(i for i, head in enumerate(heads) if "only c1" in head)
    found = [float(row[place]) for row in cells]
    assert found == sorted(found, reverse=True) != sorted(found)


def test_a_click_opens_a_question_with_gold_marked_and_each_miss_explained(at, report, root):
    page = at(report)
    page.get_by_role("button", name="what happened to Redis?").click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator("h2").inner_text() == "what happened to Redis?"
    lists = dialog.locator(".list")
    assert lists.count() == 9
    one = lists.filter(has_text=re.compile("^bm25"))
    assert one.locator("li.gold").count() == 1
    assert re.search(r"m[56] cut by % 1: it stood at rank 2", one.locator(".missed").inner_text())
    other = lists.filter(has_text=re.compile("^only c1"))
    assert "No hits." in other.inner_text()
    assert "hidden by the filter" in other.inner_text() or "no match" in other.inner_text()
    keep(page, root, "question")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_systems_are_taken_out_of_the_comparison_and_stay_out(at, report):
    page = at(report)
    page.locator("#explorer .opener").first.click()
    page.get_by_text("Choose systems").click()
    page.get_by_label("tf-idf", exact=True).uncheck()
    page.get_by_role("button", name="Next →").click()
    assert page.locator("dialog .list").count() == 8
    assert page.locator("dialog output").inner_text() == "2 of 6"


def test_keys_alone_find_a_question_open_it_turn_the_page_and_come_back(at, report):
    page = at(report)
    page.keyboard.press("/")
    page.keyboard.type("r")
    page.get_by_role("button", name="what is the retry backoff?").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    assert dialog.locator("h2").inner_text() == "what is the retry backoff?"
    page.keyboard.press("ArrowRight")
    assert dialog.locator("h2").inner_text() == "retry limit"
    assert page.evaluate("location.hash") == "#q=q3"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "retry limit"


def test_the_address_of_a_question_opens_it(at, report):
    page = at(report, fragment="#q=q4")
    assert page.locator("dialog h2").inner_text() == "what happened to Redis?"


def test_the_worst_questions_open_one_by_one_and_all_at_once(at, report):
    page = at(report)
    questions, opened = page.locator("#worst details"), page.locator("#worst details[open]")
    page.locator("#worst summary").first.press("Enter")
    assert opened.count() == 1
    button = page.locator("#worst .tools button")
    if questions.count() > 1:
        button.click()
    assert (opened.count(), button.inner_text()) == (questions.count(), "Close all")
    button.click()
    assert (opened.count(), button.inner_text()) == (0, "Open all")


def test_what_a_history_says_is_text_wherever_it_stands(at, report):
    page = at(report)
    page.get_by_label("Found by").select_option(label="<b>bold</b>")
    page.locator("#explorer .opener").first.click()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.locator("dialog").evaluate("one => one.close()")
    page.locator("#worst .tools button").click()
    assert page.evaluate("window.stung") is None
    assert page.locator("b", has_text="bold").count() == 0
    texts = page.evaluate("JSON.parse(document.getElementById('data').textContent).messages")
    evil = next(text for *_, text in texts if "stung" in text)
    assert "</script><script>" in evil and "\u202e" not in evil
    assert max(len(text) for *_, text in texts) < 400


@pytest.mark.parametrize("width", [360, 420, 768, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window(at, report, width, scheme, root):
    page = at(report, width, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    keep(page, root, f"ranking-{width}-{scheme}")
    page.locator("#explorer .opener").first.click()
    assert page.evaluate("document.querySelector('dialog').scrollWidth") <= width


def test_light_and_dark_are_chosen_by_the_system_or_by_hand(at, report):
    page = at(report, color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    ink = "getComputedStyle(document.querySelector('figure svg text')).fill"
    dark = page.evaluate(paper), page.evaluate(ink)
    page.get_by_role("button", name="Light or dark").click()
    light = page.evaluate(paper), page.evaluate(ink)
    assert light[0] == "rgb(255, 255, 255)"
    assert dark[0] != light[0] and dark[1] != light[1]
    page.get_by_role("button", name="Light", exact=True).click()
    assert page.evaluate(paper) == dark[0]


def test_paper_is_white_with_every_fold_open_and_no_tools(at, report):
    page = at(report, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert not page.locator("#explorer").is_visible()
    page.set_viewport_size({"width": 794, "height": 1123})  # A4
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 794
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#worst details[open]").count() == 0


def test_a_system_under_the_pointer_comes_to_the_front_of_every_figure(at, report):
    page = at(report)
    page.locator("#result tr[data-of]", has_text="rrf").hover()
    assert page.locator("figure svg.dim").count() >= 3
    assert page.locator("figure svg .lit").count() >= 3
    page.locator("h1").hover()
    assert page.locator("figure svg.dim").count() == 0


def test_without_a_script_the_page_says_what_is_missing_and_shows_the_rest(at, report):
    page = at(report, java_script_enabled=False)
    assert "needs JavaScript" in page.locator("#questions").inner_text()
    page.locator("#worst summary").first.click()
    assert page.locator("#worst .topic").first.is_visible()
