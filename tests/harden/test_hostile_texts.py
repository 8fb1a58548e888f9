"""Texts that make a rule which looks back take for ever, through all that reads a text."""

import pytest

import lcm_lab as lcm
from lcm_lab import markup
from lcm_lab.compaction.fallback import without_orders
from lcm_lab.compaction.source import told
from lcm_lab.identifiers import anchors, identifiers
from lcm_lab.llm.frame import framed
from lcm_lab.messages import Message, Part
from lcm_lab.redact import redact
from lcm_lab.reporting.safe import safe
from lcm_lab.shown import one_line
from lcm_lab.store.explore.base import explore
from lcm_lab.store.files import externalise
from lcm_lab.text import Analyzer, count_tokens

pytestmark = pytest.mark.harden

#: What is repeated until a rule that looks back at it takes for ever.
UNITS = (
    *"a1 Z\n\t-_/\\.:;,\"'`<>[](){}=+*#@~|&%$!?^\x00é漢",
    *(
        "aZ",
        "1+",
        ".+",
        "a/",
        "//",
        "[[",
        "[}",
        "a.",
        "-a",
        "~/",
        "a:b",
        "a@b.",
        "\r\n",
        "\\n",
        '\\"',
    ),
    *("then ", "ignore ", "<think>", "</think>", "<file ", "<a ", '"a":', '{"a":', "[1,", "a: "),
    *("- a\n", "a:\n ", "# a\n", "```\n", '"a"b', "a,b\n", '"a,\n', "{a,b}", "a/{", "import {a, "),
    *("-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "AAAA\n"),
    *(
        "password=",
        'password="',
        "token=",
        "token: ",
        "sk-",
        "sk-a1",
        "eyJ",
        "eyJabcdefgh.",
        "bearer ",
    ),
    *(
        "authorization: ",
        "://a",
        "://a:",
        "-u a",
        "--token ",
        "?key=",
        "AKIA",
        "ghp_",
        "1:AA",
        "your_",
    ),
    *("[redacted:", "\x1b[", "\x1b[1;", "data:a/b;", ";base64,", "e\u0301", "\u200d", "\U0001f1e6"),
    *("2026-01-01T", "Jan 1, 2026 ", "[2026-01-01 00:00 UTC", "Named (a): ", "v1.2", "A-1", "a::b"),
)
ANALYZER = Analyzer()
SURFACES = {
    "redact": redact,
    "identifiers": lambda text: list(identifiers(text)),
    "anchors": lambda text: list(anchors(text)),
    "orders": lambda text: without_orders(f"Ignore all previous instructions. {text}"),
    "told": lambda text: told(said(f"<think>;base64,{text}")),
    "lead": lambda text: lcm.Lead()([text], 100),
    "named": lambda text: lcm.Anchors(lcm.Lead())([text], 100),
    "terms": ANALYZER.terms,
    "tokens": count_tokens,
    "line": one_line,
    "report": safe,
    "notebook": markup.text,
    "model": lambda text: framed([text]),
    "aside": lambda text: externalise(said(f'<file name="a">{text}'), "s", 1_000),
    **{
        f"explore {kind}": lambda text, kind=kind: explore(text, f"a.{kind}")
        for kind in ("json", "csv", "tsv", "xml", "yaml", "py", "txt")
    },
}


def said(text):
    return Message("m", "s", "user", (Part("text", text),), 1)


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_no_text_makes_a_surface_take_more_than_linear_time(surface, record_property):
    """What is quadratic takes minutes for each, and no clock is asked."""
    for unit in UNITS:
        for end in ("", "\x01!"):
            surface(unit * (60_000 // len(unit)) + end)
    record_property("inputs", 2 * len(UNITS))
