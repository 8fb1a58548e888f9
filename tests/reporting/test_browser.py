"""The report in a real browser: nothing in the console, tables sort, questions open, it fits."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import lcm_lab as lcm
from lcm_lab import BM25, TfIdf
from lcm_lab.measures import IndexTime, Latency, R, nDCG

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the page is not opened"),
]
SORT = "document.querySelector('#result thead th:nth-child({}) button').click()"
FIRST = "[...document.querySelectorAll('#result tbody th')].map((th) => th.dataset.value)"


class Browser:
    """Chromium, spoken to in its own protocol over two pipes."""

    def __init__(self, profile):
        to_browser, self.send_to = os.pipe()
        self.read_from, from_browser = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        flags += [f"--user-data-dir={profile}", "--no-first-run", "--disable-dev-shm-usage"]

        # The browser reads descriptor 3 and writes descriptor 4; a wrapper puts the pipes there.
        wrapper = (
            f"import os, sys; os.dup2({to_browser}, 103); os.dup2({from_browser}, 104)\n"
            "os.dup2(103, 3); os.dup2(104, 4); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", wrapper, CHROMIUM, *flags],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.count, self.rest, self.console, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.send_to, json.dumps(message).encode() + b"\0")
        while (answer := self.next()).get("id") != self.count:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def next(self):
        while b"\0" not in self.rest:
            part = os.read(self.read_from, 1 << 16)
            assert part, "the browser went away"
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        found = json.loads(message)
        if found.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.console.append(found["params"])
        if found.get("method") == "Network.requestWillBeSent":
            self.asked.append(found["params"]["request"]["url"])
        return found

    def open(self, path, width=1280, dark=False):
        self.asked = []
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.as_uri())
        while self.next().get("method") != "Page.loadEventFired":
            pass

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def close(self):
        os.close(self.send_to)
        self.process.wait(timeout=30)
        os.close(self.read_from)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture
def page(toy, tmp_path):
    systems = {"bm25": BM25() % 1, "tf-idf": TfIdf() % 1, "c1": BM25().over(conversation="c1") % 1}
    measures = (nDCG @ 3, R @ 3, Latency @ 95, IndexTime)
    result = lcm.evaluate(systems, on=toy({3: "<script>x()</script>"}), measures=measures)
    return lcm.ranking_report(result).save(tmp_path)


def test_the_page_loads_without_a_word_in_the_console_or_on_the_network(browser, page):
    browser.open(page)
    assert browser.console == []
    assert browser.asked == [page.as_uri()]


def test_a_column_sorts_down_then_up_then_back(browser, page):
    browser.open(page)
    given = browser.js(FIRST)
    cells = "document.querySelectorAll('#result tbody td:nth-child(3)')"
    means = f"[...{cells}].map((td) => +td.dataset.value)"
    browser.js(SORT.format(3))
    assert browser.js(means) == sorted(browser.js(means), reverse=True)
    heads = "document.querySelector('#result thead th:nth-child(3)').getAttribute('aria-sort')"
    assert browser.js(heads) == "descending"
    browser.js(SORT.format(3))
    assert browser.js(means) == sorted(browser.js(means))
    browser.js(SORT.format(3))
    assert (browser.js(FIRST), browser.js(heads)) == (given, None)
    browser.js(SORT.format(1))
    browser.js(SORT.format(1))
    assert browser.js(FIRST) == sorted(given)


def test_questions_open_one_by_one_and_all_at_once(browser, page):
    browser.open(page)
    shut = "document.querySelectorAll('#worst details:not([open])').length"
    every = browser.js(shut)
    browser.js("document.querySelector('#worst summary').click()")
    assert every > 1
    assert browser.js(shut) == every - 1
    browser.js("document.querySelector('#worst .tools button').click()")
    assert browser.js(shut) == 0


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_its_window(browser, page, width, dark):
    browser.open(page, width, dark)
    browser.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert browser.js("document.scrollingElement.scrollWidth") <= width


def test_dark_and_light_have_colours_of_their_own(browser, page):
    colour = "getComputedStyle(document.querySelector('figure svg text')).fill"
    paper = "getComputedStyle(document.body).backgroundColor"
    found = {}
    for dark in (False, True):
        browser.open(page, dark=dark)
        found[dark] = (browser.js(colour), browser.js(paper))
    assert found[False] != found[True]
    assert found[False][1] == "rgb(255, 255, 255)"
