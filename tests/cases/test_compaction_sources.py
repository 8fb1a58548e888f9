"""Compaction policies, group H: what a summariser reads and gives. An id names the report."""

import json

import pytest

import lcm_lab as lcm
from lcm_lab.messages import Message, Part

ENVELOPE = (
    '{"ok":true,"value":{"result":{"content":[{"type":"text","text":"disk 91% full"}]}},'
    '"logs":["noise"]}'
)


@pytest.fixture
def history(tmp_path):
    """A function that writes Claude Code records of one session, and reads them."""

    def write(*contents):
        records = [
            {
                "type": role,
                "uuid": f"u{at}",
                "sessionId": "s1",
                "timestamp": f"2026-03-01T10:00:{at:02}Z",
                "message": {"role": role, "content": content},
            }
            for at, (role, content) in enumerate(contents)
        ]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / "a.jsonl").write_text(lines)
        return lcm.read(tmp_path / "a.jsonl")

    return write


def summarised(found, fresh=1):
    """What a summariser is given of a history."""
    seen = []

    def reads(texts, tokens):
        seen.extend(texts)
        return "short"

    dag = lcm.Dag.of(found.messages)
    lcm.compact(dag, lcm.Leaves(fresh=fresh), reads, budget=20)
    return "\n".join(seen)


def searched(found, *queries):
    """How often each query is found by the tools, by words and by a pattern."""
    with lcm.Store(":memory:") as store:
        store.add(found)
        tools = lcm.LcmTools(store)
        hits = [
            [str(tools.lcm_grep(query, mode=mode, allConversations=True).hits) for query in queries]
            for mode in ("full_text", "regex")
        ]
    return [[query in text for query, text in zip(queries, row, strict=True)] for row in hits]


def test_what_was_thought_reaches_no_summary_no_index_no_snippet_and_no_count(history):
    """CP-11."""
    thought = {"type": "thinking", "thinking": "maybe drop table users"}
    kept = {"type": "text", "text": "kept the table " * 9}
    found = history(("user", "go"), ("assistant", [thought, kept]), ("user", "and?"))
    assert "kept the table" in summarised(found)
    assert "drop" not in summarised(found)
    assert searched(found, "kept", "drop", "maybe drop table") == [[True, False, False]] * 2
    corpus, plain = found.corpus(), lcm.Corpus([kept["text"].strip()])
    assert corpus["tokens"][1] == plain["tokens"][0]
    assert lcm.Dag.of(found.messages).size(found.messages[1].id) == plain["tokens"][0]
    assert "drop" not in str(lcm.assemble(lcm.Dag.of(found.messages), 500).messages)
    asked = found.corpus(kinds=("text", "reasoning"))
    assert "maybe drop table users" in asked["text"].tolist()


def test_the_words_within_a_result_are_found_and_summarised_without_its_logs(
    history,
):
    """CP-12: read without its logs; a search finds what a summary leaves out, and so all of it."""
    call = {"type": "tool_use", "id": "t1", "name": "df", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": ENVELOPE}
    found = history(
        ("user", "is there room? " * 9), ("assistant", [call]), ("user", [result]), ("user", "?")
    )
    assert "disk 91% full" in summarised(found)
    assert "noise" not in summarised(found)
    assert searched(found, "disk", "91% full", "noise") == [[True, True, True]] * 2


def test_the_bytes_of_an_image_are_no_words_anywhere_and_it_counts_in_the_tail(history):
    """CP-13."""
    data = "iVBORw0KGgo" * 190_000
    source = {"type": "base64", "media_type": "image/png", "data": data}
    image = {"type": "image", "source": source}
    text = {"type": "text", "text": "see the red arrow"}
    found = history(("user", "word " * 60), ("user", [text, image]))
    said = "see the red arrow\n[image: image/png, 2 MB]"
    assert found.corpus()["text"].tolist()[1] == said
    assert said in summarised(found, fresh=0)
    assert "iVBOR" not in summarised(found, fresh=0)
    assert searched(found, "arrow", "iVBORw0KGgo") == [[True, False]] * 2
    dag = lcm.Dag.of(found.messages)
    name = found.messages[1].id
    assert 10 <= dag.size(name) < 50
    bare = lcm.Dag.of([Message("x", "s", "user", (Part("text", "see the red arrow"),))])
    assert dag.size(name) > bare.tokens
    assert lcm.compact(dag, lcm.Window(bare.tokens)).outcome.after > bare.tokens


MARKS = "[Truncated from 9 tokens] [LCM fallback summary; truncated for context management] "


def test_that_a_summary_is_a_fallback_is_a_field_and_not_its_words():
    """CP-16: and nothing repairs a summary, so that no marked text is fed back to be repaired."""
    said = [
        Message(f"m{i}", "s", "user", (Part("text", f"{MARKS} quoted {i}. " * 3),))
        for i in range(12)
    ]
    dag = lcm.Dag.of(said)
    rules = lcm.Lossless(window=300, fresh=1, chunk=300)
    echoed = lcm.compact(dag, rules, lambda texts, _: f"{MARKS} it says.")
    assert {one.level for one in echoed.summaries} == {"normal"}
    cut = lcm.compact(dag, rules, lambda *_: "")
    assert {one.level for one in cut.summaries} == {"cut"}
    for after in (echoed, cut):
        with lcm.Store(":memory:") as store:
            store.add(lcm.Transcripts(dag.messages))
            store.put(after)
            kept = store.dag("s").summaries
            assert [one.level for one in kept] == [one.level for one in after.summaries]
