"""The vectors of episodic-memory's parser and of its ``read``.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import pytest

import lcm_lab as lcm
from lcm_lab.agent.episodic.exchanges import exchanges
from lcm_lab.agent.episodic.parse import parsed
from lcm_lab.agent.episodic.render import rendered
from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.store.store import Store
from tests.agent.recall.held import NOW, lines, original, record, talk

CALL = {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "done"}


def text(content):
    return {"type": "text", "text": content}


SAMPLE = lines(
    {"type": "summary", "summary": "what came before"},
    record("user", "ask"),
    "",
    "{bad json",
    record("assistant", [text("a"), text("b"), CALL]),
    record("user", [RESULT]),
    record("assistant", "c", gitBranch="fix", message={"model": "later"}),
    record("user", "unanswered but for a tool"),
    record("assistant", [CALL]),
    record("user", "go look", isSidechain=True),
    record("assistant", "looked", isSidechain=True),
    record("assistant", ""),
    record("user", "   "),
    record("user", "never answered"),
)


def test_32_and_33_a_transcript_is_cut_where_a_user_speaks():
    one, other = parsed(SAMPLE, "ARCH.jsonl", "p")
    assert (one.start, one.end, one.user, one.assistant) == (2, 7, "ask", "a\nb\n\nc")
    assert (one.tools, one.branch, dict(one.told)["model"]) == (("Bash",), "fix", "later")
    assert (other.start, other.end, other.sidechain) == (10, 11, True)
    assert one.id == "deb0ce179886b6fac6b6e0073baee4ba"


def grown(count):
    records = [record("user", "q"), record("assistant", "a"), record("assistant", "b")]
    return lines("", "", *records[: count + 1])


def test_34_an_exchange_that_grew_is_another_one_there():
    before, after = ([one.id for one in parsed(grown(n), "g", "p")] for n in (1, 2))
    assert before == ["32d86406cc3c2637c4f863c52f4a4d5c"]
    assert after == ["798d5b9cb59005ec17010b261d18310b"]


def test_34_is_mended_since_an_exchange_that_grew_keeps_its_id(tmp_path):
    store, found = Store(":memory:"), []
    for count in (1, 2):
        (tmp_path / "g.jsonl").write_text(grown(count), encoding="utf-8")
        store.add(lcm.read(tmp_path))
        (one,) = EpisodicTools(store).memory.exchanges().values()
        found.append((one.id, one.assistant))
    assert found[0][0] == found[1][0]
    assert [said for _, said in found] == ["a", "a\n\nb"]


def test_35_thoughts_are_left_out_and_so_is_what_no_user_asked_for():
    thinking = {"type": "thinking", "thinking": "hm"}
    (one,) = parsed(
        lines(
            record("assistant", "hello"),
            record("user", "q"),
            record("assistant", [thinking, text("a")]),
        ),
        "x",
        "p",
    )
    assert (one.user, one.assistant) == ("q", "a")


def test_36_what_the_harness_says_is_taken_for_the_user_there(tmp_path):
    records = [record("user", "Caveat: generated", isMeta=True, uuid="u"), record("assistant", "a")]
    (one,) = parsed(lines(*records), "x", "p")
    assert one.user == "Caveat: generated"
    (tmp_path / "x.jsonl").write_text(lines(*records), encoding="utf-8")
    (ours,) = exchanges(lcm.read(tmp_path).messages, "s")
    assert (ours.user, ours.assistant) == ("", "a")


def item(**payload):
    return {"type": "response_item", "timestamp": "2026-01-01T00:00:00Z", "payload": payload}


ROLLOUT = [
    {"type": "session_meta", "payload": {"id": "s", "cwd": "/x/proj"}},
    {"type": "turn_context", "payload": {"cwd": "/x/proj", "model": "m"}},
    item(type="message", role="user", content=[{"type": "input_text", "text": "q"}]),
    item(type="function_call", name="shell", call_id="c1", arguments='{"a": 1}'),
    item(type="function_call_output", call_id="c1", output={"ok": True}),
    item(type="function_call_output", call_id="c9", output="orphan"),
    item(type="reasoning", summary=[]),
    item(type="message", role="assistant", content=[{"type": "output_text", "text": "a"}]),
    item(type="message", role="developer", content="be brief"),
    {"type": "event_msg", "payload": {"type": "x"}},
    item(type="custom_tool_call", call_id="c2", name="late", input="i"),
]


def test_37_a_rollout_of_codex_is_one_exchange():
    (one,) = parsed(lines(*ROLLOUT), "A/c.jsonl", "p")
    assert (one.start, one.end, one.project, one.tools) == (3, 11, "proj", ("shell", "late"))
    assert one.id == "3bc72a673565995563dbe75b2a6c8f56"


def test_39_a_project_is_the_folder_that_a_session_ran_in_wherever_its_file_lies(tmp_path):
    """The program names it by the folder of the file: "subagents", or "proj", by who indexed."""
    place = tmp_path / "proj" / "uuid" / "subagents" / "agent-1.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text(lines(*talk("q", cwd="/srv/dev/orders", uuid="u")), encoding="utf-8")
    store = Store(":memory:")
    store.add(lcm.read(tmp_path))
    (one,) = EpisodicTools(store).memory.exchanges().values()
    assert one.project == "orders"


def test_41_what_is_appended_to_an_exchange_is_found_when_its_file_is_read_again(tmp_path):
    """The program passes over lines that follow an exchange which it has."""

    def record_of(n, role, said):
        return record(role, said, f"2026-01-01T00:00:{n:02}Z", uuid=f"u{n}")

    first = [record_of(n, ("user", "assistant")[n % 2], f"said {n}") for n in range(4)]
    more = [
        record_of(4, "assistant", "zyxmarker"),
        *(record_of(n, ("assistant", "user")[n % 2], f"said {n}") for n in range(5, 11)),
    ]
    store = Store(":memory:")
    for records in (first, [*first, *more]):
        (tmp_path / "a.jsonl").write_text(lines(*records), encoding="utf-8")
        store.add(lcm.read(tmp_path))
    tools = EpisodicTools(store)
    assert len(tools.memory.exchanges()) == 5
    (hit,) = tools.search("zyxmarker", mode="text").hits
    assert hit.found.exchange.user == "said 2"


def test_42_what_cannot_be_read_is_an_error(tmp_path):
    tools = original(tmp_path, {"p/a.jsonl": talk("q")})
    with pytest.raises(NotFound):
        tools.read("p/none.jsonl")
    for window in ((0, None), (1.5, None)):
        with pytest.raises(BadParameter, match="startLine"):
            tools.read("p/a.jsonl", *window)


THREE = lines(record("user", "one"), "", record("user", "two"), record("user", "three"))


@pytest.mark.parametrize(
    ("number", "window", "shown"),
    [
        (43, (2, 2), ["two"]),
        (44, (5, 3), []),
        (44, (90, 99), []),
        (46, (3, 3), ["three"]),  # the fourth line of the file
    ],
)
def test_a_window_counts_lines_that_are_not_blank(number, window, shown):
    page = rendered(THREE, *window)
    assert [one for one in ("one", "two", "three") if f"\n{one}\n" in page] == shown
    assert bool(page) == bool(shown)


def test_46_physical_line_7_is_read_as_6_there_and_as_7_here(tmp_path):
    numbered = lines(
        record("user", "l1"), "", *(record("user", f"l{n}", uuid=f"u{n}") for n in range(3, 9))
    )
    assert "l7" in rendered(numbered, 6, 6)
    (tmp_path / "a.jsonl").write_text(numbered, encoding="utf-8")
    page = EpisodicTools(Store(":memory:"), roots=tmp_path).read("a.jsonl", 7, 7)
    assert [one.parts[0].text for one in page.entries] == ["l7"]


def test_45_a_broken_line_fails_the_window_that_holds_it_there_and_is_shown_here(tmp_path):
    broken = lines(record("user", "one"), "{bad", record("user", "three"))
    with pytest.raises(BadInput, match="not JSON"):
        rendered(broken, 1, 2)
    assert "three" in rendered(broken, 3, 3)
    (tmp_path / "a.jsonl").write_text(broken, encoding="utf-8")
    page = EpisodicTools(Store(":memory:"), roots=tmp_path).read("a.jsonl")
    assert [one.role for one in page.entries] == ["user", "malformed", "user"]


def called(result, between=0):
    """Write a call, so many records, and its result."""
    return lines(
        record("assistant", [{**CALL, "input": {"a": "ls"}}]),
        *(record("assistant", f"wait {n}") for n in range(between)),
        record("user", [{**RESULT, "content": result}]),
    )


def test_47_a_result_is_looked_for_in_the_next_five_records():
    assert "**Result:**" in rendered(called("done", 4))
    assert "**Result:**" not in rendered(called("done", 6))
    assert "**Result:**\n" + "x" * 100 + "\n\n" in rendered(called("x" * 100))
    assert "**Result:**\n```\n" + "x" * 101 in rendered(called("x" * 101))


def test_48_a_result_beside_a_record_hides_its_text_and_no_time_hides_the_record():
    page = rendered(lines(record("user", "my words", toolUseResult="its result")))
    assert ("its result" in page, "my words" in page) == (True, False)
    timeless = {**record("user", "timeless"), "timestamp": None}
    assert rendered(lines(timeless)) == ""


def test_49_a_subagent_is_between_two_marks():
    page = rendered(
        lines(
            record("user", "q"),
            record("user", "go look", isSidechain=True),
            record("assistant", "looked", isSidechain=True),
            record("assistant", "a"),
        )
    )
    start, end = page.index("SIDECHAIN START"), page.index("SIDECHAIN END")
    inside = page[start:end]
    assert "**Agent**" in inside
    assert "**Subagent**" in inside
    assert page.count("SIDECHAIN") == 2


def test_50_a_developer_is_shown_as_the_agent():
    page = rendered(lines(*ROLLOUT))
    before = page[: page.index("be brief")]
    assert before.rindex("**Agent**") > before.rindex("**User**")


def test_a_time_that_is_missing_is_that_of_the_clock():
    timeless = [{**one, "timestamp": None} for one in talk("q")]
    (one,) = parsed(lines(*timeless), "x", "p", NOW)
    assert one.to_dict()["timestamp"] == NOW
