"""Markup in every field that a page shows, opened in a browser: none of it runs, or is fetched.

Needs Playwright and a Chromium; without them the tests are skipped and say so.
"""

from functools import partial

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab import BM25, TfIdf
from lcm_lab.evaluation.validating.validate import validate
from lcm_lab.reporting.validation_report import validation_report

pytestmark = [
    pytest.mark.harden,
    pytest.mark.filterwarnings("ignore:Glyph:UserWarning"),  # signs that no font of ours draws
]
STING = "window.stung=1"
#: What has run in pages, notebooks, drawings or viewers of Markdown elsewhere.
EVIL = (
    f"</script><script>{STING}</script>",
    f"<!--<script>{STING}</script>",
    f"--><script>{STING}</script><!--",
    f"]]><script>{STING}</script>",
    f"</style><script>{STING}</script>",
    f"</title><svg onload={STING}>",
    f"</textarea></template><img src=x onerror={STING}>",
    f"'\"><img src=https://x.test/a onerror={STING}>",
    f"' autofocus onfocus={STING} x='",
    f'" onmouseover="{STING}" style="position:fixed;inset:0',
    f"<a href=javascript:{STING}>click</a>",
    f"[click](javascript:{STING}) ![x](https://x.test/b.png)",
    f"<iframe srcdoc='<script>parent.{STING}</script>'></iframe>",
    "<meta http-equiv=refresh content='0;url=https://x.test/c'><base href=https://x.test/>",
    "<link rel=stylesheet href=https://x.test/d.css><style>@import 'https://x.test/e'</style>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={STING}>",
    f"{{{{constructor.constructor('{STING}')()}}}} {{% raw %}} {{{{7*7}}}}",
    f"$\\href{{javascript:{STING}}}{{x}}$ $$\\unicode{{x}}$$ \\(x\\)",
    f"&lt;script&gt;{STING}&lt;/script&gt; &#60;script&#62;{STING}&#60;/script&#62;",
    f"\u2028\u2029\\u003cscript\\u003e{STING}</script >",
    f"<ſcript>{STING}</ſcript> ＜script＞{STING}＜/script＞",
    f"\x1b]8;;javascript:{STING}\x07x\x1b]8;;\x07 \u202e\u2066<script>{STING}</script>",
    "graph TD; A[<img src=x onerror=window.stung=1>]-->B; click A href 'javascript:stung'",
)


def evil(number):
    return EVIL[number % len(EVIL)]


@pytest.fixture(scope="module")
def bench():
    """Messages and questions of which every field is markup."""
    rows = [
        {
            "docno": " ".join(f"m{n} {evil(n)}".split()),  # an id is one line
            "text": f"The retry backoff number {n} is {n} seconds. {evil(n)} {evil(n + 1)}",
            "conversation": f"c{n % 3}{evil(n % 3)}",
            "session": f"s{n % 3}{evil(n % 3 + 3)}",
            "role": "user" if n % 2 else "assistant",
            "speaker": evil(n + 2),
            "time": pd.Timestamp("2026-03-01", tz="UTC") + pd.Timedelta(hours=n),
        }
        for n in range(2 * len(EVIL))
    ]
    corpus = lcm.Corpus(rows)
    docnos = corpus["docno"].tolist()
    topics = pd.DataFrame(
        {
            "qid": [" ".join(f"q{n}{evil(n)}".split()) for n in range(len(EVIL))],
            "query": [f"retry backoff number {n}? {evil(n)}" for n in range(len(EVIL))],
            "type": [evil(n % 4) for n in range(len(EVIL))],
            "answer": [f"{n} seconds" for n in range(len(EVIL))],
        }
    )
    qrels = pd.DataFrame(
        {"qid": topics["qid"], "docno": docnos[: len(EVIL)], "relevance": [1] * len(EVIL)}
    )
    return lcm.Collection(f"evil {evil(0)}", corpus, topics, qrels)


class Broken(lcm.Scorer):
    """A scorer that fails with markup in its message."""

    def index(self, corpus):
        return None

    def score(self, index, queries):
        raise RuntimeError(f"no score {''.join(EVIL)}")

    def __repr__(self):
        return evil(7)


def ranking(bench):
    named = {f"{n} {one}": BM25(b=n / 30) % 5 for n, one in enumerate(EVIL)}
    return lcm.evaluate({**named, "tf": TfIdf() % 5, "broken": Broken()}, on=bench)


def pages(bench, folder):
    """Write every kind of report, and a page of all that notebooks show; gives their paths."""
    result = ranking(bench)
    yield lcm.ranking_report(result, command=evil(0)).save(folder / "ranking")
    kept = {one: lcm.replay(bench, lcm.Rolling(200, fresh=4), budgets=[0.5]) for one in EVIL[:3]}
    yield lcm.compaction_report(kept, command=evil(1)).save(folder / "compaction")
    five = [BM25(b=b) % 10 for b in (0, 0.25, 0.5, 0.75, 1)]
    found = validate(bench, bench, systems={f"{n} {evil(n)}": s for n, s in enumerate(five)})
    yield validation_report(found, evil(2)).save(folder / "validation")
    timed = [
        {"engine": one, "work": evil(n // 4), "n": 9, "median": 1.0, "p95": 2.0, "ratio": 1.0 + n}
        for n, one in enumerate(EVIL)
    ]
    frame = pd.DataFrame(timed).assign(wall=1.0)
    yield lcm.speed_report(frame, evil(3)).save(folder / "speed")
    shown = folder / "notebook.html"
    html = [one._repr_html_() for one in shown_in_notebooks(bench, result, kept)]
    shown.write_text("<!doctype html><meta charset=utf-8>" + "\n".join(html), encoding="utf-8")
    yield shown


def shown_in_notebooks(bench, result, kept):
    yield result
    yield result.compare(next(iter(result.systems)))
    yield lcm.diff(result, result)
    yield from kept.values()
    search = (BM25() % 10).fit(bench.corpus)
    yield search
    yield search(evil(0))
    yield search(f"retry {evil(4)}")
    yield lcm.compact(dag(bench), lcm.Rolling(99))
    yield BM25() + 0.5 * TfIdf()


def dag(bench):
    rows = bench.corpus.frame().assign(conversation=evil(1))
    return lcm.Dag.of(lcm.Corpus(rows.to_dict("records")))


def test_nothing_that_a_history_says_runs_in_a_page(bench, chromium, tmp_path, record_property):
    opened, asked, findings, told = 0, [], [], ""
    for path in pages(bench, tmp_path):
        page = chromium.new_page()
        page.on("dialog", partial(dismissed, findings))
        page.on("request", lambda one: asked.append(one.url))
        page.goto(path.as_uri())
        act(page)
        opened += 1
        told += page.text_content("body")
        ran = page.evaluate("() => window.stung")
        foreign = page.evaluate(
            "() => [...document.querySelectorAll('script[src],iframe,object,embed,base,link,img,"
            '[onload],[onerror],[onfocus],[onmouseover],a[href^="javascript" i]\')].length'
        )
        scripts = page.evaluate("() => document.querySelectorAll('script:not([type])').length")
        findings += [path.parent.name] * (ran is not None or bool(foreign) or scripts > 1)
        assert page.url.partition("#")[0] == path.as_uri()
        page.close()
    findings += [one for one in asked if not one.startswith("file:")]
    record_property("inputs", len(EVIL))
    record_property("pages", opened)
    record_property("findings", len(findings))
    assert findings == []
    assert "no score" in told  # what failed is on a page, and took its markup there


def dismissed(findings, dialog):
    findings.append(dialog.message)
    dialog.dismiss()


def act(page):
    """Do what a reader does: move over what there is, open what opens, and sort."""
    for name in ("summary", "thead button", ".opener"):
        for one in page.locator(name).all()[:6]:
            if one.is_visible():
                one.hover()
                one.click()
                page.keyboard.press("Escape")
    page.evaluate("() => document.querySelectorAll('[tabindex],a,button').forEach(e => e.focus())")
