"""Laws of the agent's tools: whatever they are called with, in Python and over MCP."""

import json
import logging
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.mcp.families import FAMILIES, families
from lcm_lab.agent.mcp.server import _called
from lcm_lab.agent.schema import tools_of
from lcm_lab.dag import Dag, Summary
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store.store import Store
from tests.harden.fuzzing import law, tried
from tests.harden.given import PIECES, deep, json_values, long_texts, texts, values

KEYS = ("agent:main:main", "agent:main:dev", "agent:other:main", "global", "agent:main:subagent:x")
DAY = 86_400_000_000
#: What a tool says of itself when it fails in a way that nobody thought of.
INTERNAL = " failed: "


def said(talk, at):
    """Make a message of a hostile history."""
    text = " ".join(PIECES[(at * 3 + i) % len(PIECES)] for i in range(4))
    kind = ("text", "text", "tool_call", "tool_result", "reasoning")[at % 5]
    parts = (Part(kind, text, name="Read" if kind == "tool_call" else "", call=f"k{at}"),)
    role = "tool" if kind == "tool_result" else ("user", "assistant")[at % 2]
    return Message(
        f"{talk}-{at}", talk, role, parts, at * DAY or None, source=f"{talk}.jsonl", line=at + 1
    )


@cache
def store():
    """Make a store with five sessions of a hostile history, summaries and a large file."""
    held = Store(":memory:", large=400)
    for place, key in enumerate(KEYS):
        talk = f"s{place}"
        for at in range(20):
            held.append(said(talk, at), Session(talk, key=key, cwd="/srv/orders", branch="main"))
        held.append(Message(f"{talk}-big", talk, "user", (Part("text", "line of log\n" * 800),)))
        messages = held.dag(talk).messages
        leaves = [
            Summary.of(f"Of {talk}: {PIECES[i]}", messages[i * 5 : i * 5 + 5]) for i in range(3)
        ]
        top = Summary.of("All of it.", leaves)
        rest = tuple(message.id for message in messages[15:])
        held.put(Dag(talk, messages, (*leaves, top), (top.id, *rest)))
    return held


@cache
def names():
    """Name what there is, by the parameter that asks for it."""
    talks = list(store().conversations()["name"])
    summaries = [one.id for talk in talks for one in store().summaries(talk)]
    files = list(store().files()["id"])
    times = ["1970-01-03", "2026-03-01T00:00:00Z", "1970-01-01T00:00:00+05:30"]
    return {
        **dict.fromkeys(("conversationId", "sessionId", "session_id"), talks),
        **dict.fromkeys(("since", "before", "after"), times),
        **{"sessionKey": [*KEYS, *talks], "messageId": ["s1-3", "s0-0"], "fileIds": files},
        **{"id": [*summaries, *files], "summaryIds": summaries, "path": ["s1.jsonl", "s4.jsonl"]},
        **{"project": ["orders", "/srv/orders"], "git_branch": ["main"]},
    }


@cache
def tools():
    """Make every tool, as it is and as the systems under study have it."""
    found = [one for family in families(store(), ",".join(FAMILIES)) for one in tools_of(family)]
    for made in (lcm.LcmTools, lcm.SessionTools, lcm.EpisodicTools):
        found += tools_of(made(store(), compat="reference"))
    grant = Grant([f"s{at}" for at in range(3)], tokens=1 << 40)
    found = [one for one in found if one.name != "lcm_expand"]
    found += [
        one for one in tools_of(lcm.LcmTools(store(), grant=grant)) if one.name == "lcm_expand"
    ]
    found += tools_of(lcm.SessionTools(store(), KEYS[4], "tree"))
    found += tools_of(lcm.LcmTools(store(), lcm.LosslessClaw(), conversation="s1"))
    return found


def fitting(name, allowed):
    """Draw what a parameter allows, mostly; its bounds and beyond, and names that there are."""
    if "anyOf" in allowed:
        return st.one_of([fitting(name, one) for one in allowed["anyOf"]])
    if "enum" in allowed:
        return st.sampled_from(allowed["enum"])
    kind = allowed["type"]
    if kind == "array":
        return st.lists(fitting(name, allowed["items"]), min_size=1, max_size=4)
    if kind == "boolean":
        return st.booleans()
    if kind in ("integer", "number"):
        low, high = allowed.get("minimum", 0), allowed.get("maximum", 1 << 53)
        beyond = [low - 1, high + 1, 5.0]
        return st.sampled_from([low, high, min(high, low + 1), min(high, low + 7)] * 4 + beyond)
    there = st.sampled_from(
        names().get(name, ["Postgres", "the retry backoff", "log", "缓存 OPS-417"])
    )
    return st.sampled_from([there] * 5 + [texts]).flatmap(lambda drawn: drawn)


@st.composite
def calls(draw, wrong):
    """Draw a tool and what it is called with, some of it wrong."""
    one = draw(st.sampled_from(tools()))
    properties = one.schema["properties"]
    more = draw(st.lists(st.sampled_from(list(properties)), max_size=3))
    given = {
        name: draw(fitting(name, properties[name])) for name in (*one.schema["required"], *more)
    }
    if one.name == "lcm_expand_query":
        given.setdefault("query", draw(fitting("query", properties["query"])))
    if "allConversations" in properties and draw(st.integers(0, 7)):
        given["allConversations"] = True
        given.pop("conversationId", None)
    for _ in range(draw(st.sampled_from([0] * 6 + [1, 2]))):
        name = draw(st.sampled_from(list(properties)) | texts)
        given[name] = draw(wrong)
        if draw(st.integers(0, 4)) == 0:
            given.pop(draw(st.sampled_from(sorted(given))))
    return one, given


@law(st.deferred(lambda: calls(values | st.just(5_000).map(lambda n: 10**n) | deep)), 4_000)
def a_call_is_answered_or_refused(call):
    one, given = call
    given.pop("self", None)
    answer = tried(one.call, **given)
    if answer is not None:
        assert isinstance(answer.to_text(), str)
        json.dumps(answer.to_dict(), default=str)


@law(st.deferred(lambda: calls(json_values | deep)), 3_000)
def a_call_over_mcp_is_never_an_internal_error(call):
    one, given = call
    logging.disable()
    answer = tried(_called, lambda: _lent(one), one.name, given)
    text = answer.content[0].text
    text.encode()
    assert not text.startswith(f"{one.name}{INTERNAL}"), text
    assert isinstance(answer.structured_content, dict)
    assert answer.is_error == bool(answer.structured_content.get("error"))


class _lent:
    """One tool, lent for one call."""

    def __init__(self, one):
        self.one = one

    def __enter__(self):
        return {self.one.name: self.one}

    def __exit__(self, *_):
        return None


@law(st.deferred(lambda: st.tuples(st.sampled_from(tools()), long_texts)), 150)
def a_call_of_megabytes_is_answered_or_refused(call):
    one, text = call
    for name, allowed in one.schema["properties"].items():
        if allowed.get("type") == "string" and "enum" not in allowed:
            needed = {key: "log" for key in one.schema["required"] if key != "timeoutMs"}
            needed |= (
                {"allConversations": True} if "allConversations" in one.schema["properties"] else {}
            )
            answer = tried(one.call, **{**needed, name: text})
            assert answer is None or len(answer.to_text()) < 1 << 20


@law(st.deferred(lambda: patterns()), 3_000)
def a_pattern_is_matched_or_refused(pattern):
    answer = tried(lcm.LcmTools(store()).lcm_grep, pattern, mode="regex", allConversations=True)
    assert answer is None or isinstance(answer.to_text(), str)


def patterns():
    """Draw what nearly is a regular expression."""
    atoms = st.sampled_from(
        [
            *(
                "a",
                ".",
                "\\w",
                "\\d+",
                "[a-z]",
                "[^\\]]",
                "(?:a|b)",
                "(?i)",
                "^",
                "$",
                "\\b",
                "\\1",
                "(?P<n>x)",
            ),
            *(
                "*",
                "+",
                "?",
                "{2,}",
                "{1000}",
                "{1,1000}{1,1000}",
                "(",
                ")",
                "[",
                "]",
                "|",
                "\\",
                "(?<=a)",
                "(?#",
            ),
            *(
                "\\p{Greek}",
                "\\pN",
                "\\C",
                "\\Q",
                "\\E",
                "\\x{110000}",
                "\\u0041",
                "[[:alpha:]]",
                "(?R)",
                "\\K",
            ),
        ]
    )
    return st.lists(atoms | texts, max_size=8).map("".join)


PATHS = st.sampled_from(
    [
        *(
            "s1.jsonl",
            "./s1.jsonl",
            "../s1.jsonl",
            "/etc/passwd",
            "~/x",
            "~root",
            "s1.jsonl/..",
            "a" * 5000,
        ),
        *(
            "s1.jsonl\x00",
            "\x00",
            "",
            ".",
            "/",
            "//s1.jsonl",
            "s1.jsonl#3",
            "file:s1.jsonl",
            "link.jsonl",
        ),
        *(
            "dir.jsonl",
            "fifo",
            "empty.jsonl",
            "odd.jsonl",
            "gone.jsonl",
            "broken.jsonl",
            "C:\\x",
            "/dev/zero",
        ),
    ]
)


@cache
def reading():
    """Make tools over a folder of odd files."""
    folder = Path(tempfile.mkdtemp())
    line = json.dumps(
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": "hello"}}
    )
    (folder / "s1.jsonl").write_text(f"{line}\n" * 5)
    (folder / "empty.jsonl").touch()
    (folder / "dir.jsonl").mkdir()
    (folder / "broken.jsonl").write_bytes(b"\xff\xfe\x00{" + line.encode() + b"\n\x00\n[[[[\n")
    (folder / "odd.jsonl").write_text(f'{line}\r\n{{"a":\n{line}\u2028\n{"[" * 9000}\n{line}')
    (folder / "link.jsonl").symlink_to("/etc/passwd")
    return lcm.EpisodicTools(store(), roots=[str(folder)]), str(folder)


@law(
    st.tuples(
        PATHS | texts,
        st.booleans(),
        st.dictionaries(st.sampled_from(["startLine", "endLine"]), st.integers(-1, 9)),
    ),
    2_000,
)
def a_path_is_read_or_refused(given):
    path, whole, window = given
    made, folder = reading()
    answer = tried(made.read, f"{folder}/{path}" if whole else path, **window)
    if answer is not None:
        assert "root:" not in answer.to_text()
