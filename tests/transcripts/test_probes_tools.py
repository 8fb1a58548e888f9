"""Topics mined from tool calls: what was looked up again, and what memory was asked."""

import pytest

from lcm_lab.transcripts.base import Transcripts
from lcm_lab.transcripts.probes.lookups import Call, argument, looked_for, looks_up
from lcm_lab.transcripts.probes.mine import mine
from lcm_lab.transcripts.probes.recalled import RecallLog, asks_memory, sent
from lcm_lab.transcripts.probes.reused import Reuse
from tests.transcripts.histories import talk

CODE = "\n".join(f"    {n:2}→def handler_{n}(request): return {n} * request.size" for n in range(9))
PLAIN = "\n".join(f"def handler_{n}(request): return {n} * request.size" for n in range(9))
FIRST = [
    ("user", "The upload handlers are slow, why is that so?"),
    ("text+call", "Reading the handlers.", "Read", {"file_path": "/srv/app/handlers.py"}),
    ("result", CODE),
    ("assistant", "They multiply sizes."),
    ("user", "Now to something else: the colour of the logo."),
    ("assistant", "It is blue."),
]
AGAIN = ("text+call", "Now compare how every upload handler multiplies sizes.")


def reused(*turns):
    return mine(Transcripts(talk(*turns)), [Reuse()])


def test_a_second_read_asks_for_the_first_output():
    made = reused(*FIRST, (*AGAIN, "Read", {"file_path": "/srv/app/handlers.py"}), ("result", CODE))
    topic = made.topics.iloc[0]
    assert topic["query"] == "Now compare how every upload handler multiplies sizes: handlers.py"
    assert made.qrels["docno"].tolist() == ["s1-2#tool_result"]
    seen = made.corpus["docno"].to_numpy()[made.corpus.rows(before=topic["before"])].tolist()
    assert "s1-6" not in seen
    assert "s1-2#tool_result" in seen


def test_another_tool_that_prints_the_same_lines_counts_as_well():
    bash = ("Bash", {"command": "cd /srv && grep -n 'def handler' app/handlers.py"})
    made = reused(*FIRST, (*AGAIN, *bash), ("result", PLAIN))
    assert made.qrels["docno"].tolist() == ["s1-2#tool_result"]
    assert made.topics["query"].iloc[0].endswith(": def handler handlers.py")


def test_what_changed_in_between_is_not_right():
    changed = CODE.replace("request.size", "request.length")
    call = (*AGAIN, "Read", {"file_path": "/srv/app/handlers.py"})
    assert len(reused(*FIRST, call, ("result", changed)).topics) == 0


def test_what_does_something_is_no_lookup():
    for command in ("make test", "cat a > b", "sed -i s/a/b/ x", "find . -delete"):
        made = reused(*FIRST, (*AGAIN, "Bash", {"command": command}), ("result", CODE))
        assert len(made.topics) == 0
    assert looks_up(Call(0, "bash", "command: grep -rn x src 2>/dev/null | head"))
    assert not looks_up(Call(0, "Edit", "file_path: a.py"))


def test_a_lookup_that_nothing_was_said_about_is_dropped_and_counted():
    call = ("call", "Read", {"file_path": "/srv/app/handlers.py"})
    quiet = [("call", "Bash", {"command": "make"}), ("result", "ok")] * 3
    made = reused(*FIRST, *quiet, call, ("result", CODE))
    assert made.card["dropped"] == {"lookup that nothing was said about, or too little": 1}


def test_results_are_paired_by_id_and_without_ids_only_where_they_are_alone():
    call = (*AGAIN, "Read", {"file_path": "/srv/app/handlers.py"})
    said = Transcripts(talk(*FIRST, call, ("result", CODE)))
    of_rows = mine(said.corpus(), [Reuse()])
    assert of_rows.topics["query"].tolist() == mine(said, [Reuse()]).topics["query"].tolist()
    two = mine(
        Transcripts(talk(*FIRST, call, ("result", CODE), ("result", "x"))).corpus(), [Reuse()]
    )
    assert len(two.topics) == 0


def test_arguments_are_read_from_the_text_of_a_call():
    assert argument("query: a\nquery: b", ("query",)) == "a"
    assert argument("nothing", ("query",)) == ""
    assert looked_for(Call(0, "Grep", "pattern: foo|bar.*baz\npath: src")) == "foo bar baz"
    assert looked_for(Call(0, "Bash", "command: ls")) == ""


SAID = ("assistant", "We settled on WAL mode for ledger-store because vacuum_full locked writers.")


def remembered(*after, call=("lcm_grep", {"pattern": "ledger WAL", "mode": "full_text"}), out=None):
    quoted = "1 hit\n[s1-1] We settled on WAL mode for ledger-store because vacuum_full locked..."
    early = talk(("user", "Which journal mode for the ledger?"), SAID)
    late = talk(
        ("user", "What did we decide on the ledger?"),
        ("call", *call),
        ("result", quoted if out is None else out),
        *after,
        session="s2",
        start=100,
    )
    return mine(Transcripts((*early, *late)), [RecallLog()])


def test_a_query_sent_to_memory_is_a_topic_where_the_agent_used_what_it_was_shown():
    made = remembered(("assistant", "WAL, since vacuum_full got in the way."))
    assert made.topics[["query", "item", "reach"]].to_numpy().tolist() == [
        ["ledger WAL", "lcm_grep", "earlier session"]
    ]
    assert made.qrels["docno"].tolist() == ["s1-1"]


def test_opening_a_message_is_using_it():
    made = remembered(("call", "lcm_describe", {"id": "s1-1"}), ("result", "..."))
    assert made.qrels["docno"].tolist() == ["s1-1"]


@pytest.mark.parametrize(
    "after",
    [
        [],
        [("assistant", "I found nothing of use.")],
        [("user", "So what about vacuum_full?")],
        [("user", "Never mind."), ("assistant", "vacuum_full it was.")],
    ],
)
def test_a_query_of_which_nothing_was_used_is_counted_and_not_asked(after):
    made = remembered(*after)
    assert len(made.topics) == 0
    assert made.card["dropped"] == {
        "query of the recall log of which nobody knows what was right": 1
    }


def test_what_the_search_did_not_show_is_not_right():
    made = remembered(("assistant", "vacuum_full, I guess."), out="0 hits")
    assert len(made.topics) == 0


@pytest.mark.parametrize(
    ("tool", "given", "query"),
    [
        ("mcp__lcm__lcm_grep", "pattern: retry.*backoff", "retry backoff"),
        ("sessions_search", "query: retry backoff", "retry backoff"),
        ("memory_search", "query: what did we decide?", "what did we decide?"),
        (
            "mcp__plugin_episodic-memory_episodic-memory__search",
            'query: ["auth", "jwt"]',
            "auth jwt",
        ),
        ("lcm_expand_query", "query: OAuth fix\nprompt: why?", "OAuth fix"),
        ("Bash", "command: rg -n 'flaky test' ~/.claude/projects/*/*.jsonl", "flaky test"),
    ],
)
def test_searches_over_memory_are_known_by_their_names(tool, given, query):
    call = Call(0, tool, given)
    assert asks_memory(call)
    assert sent(call) == query


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Grep", "pattern: retry"),
        ("WebSearch", "query: retry"),
        ("Bash", "command: rg retry src"),
        ("sessions_search", "limit: 3"),
        ("research", "query: x"),
    ],
)
def test_other_searches_are_not_over_memory(tool, given):
    assert not asks_memory(Call(0, tool, given))


def test_a_query_without_a_word_is_counted():
    made = remembered(call=("lcm_grep", {"pattern": "..."}))
    assert made.card["dropped"] == {"query of the recall log without a word": 1}
