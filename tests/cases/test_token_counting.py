"""Token counting, group I of the bug reports: an id names the report."""

import json

import pytest

import lcm_lab as lcm
from lcm_lab.messages import Message, Part
from lcm_lab.text import count_tokens


def counted(text):
    """The tokens of a text, wherever they are told: all by one rule."""
    corpus = lcm.Corpus([{"docno": "m1", "text": text}])
    dag = lcm.Dag.of(corpus)
    with lcm.Store(":memory:") as store:
        store.add(corpus)
        kept = store.corpus()["tokens"][0]
    found = {count_tokens(text), int(corpus["tokens"][0]), dag.size("m1"), dag.tokens, int(kept)}
    (only,) = found
    return only


@pytest.mark.parametrize(
    ("text", "least"),
    [
        pytest.param("明早开会", 2, id="TK-01 four characters"),
        pytest.param("このメモは日本語です", 5, id="TK-01 ten kana and Han"),
        pytest.param("汉字" * 200, 200, id="TK-01 four hundred Han"),
        pytest.param("🚲🍋🎯", 3, id="TK-02 three emoji"),
        pytest.param("👨\u200d👩\u200d👧\u200d👦", 4, id="TK-02 a family of seven code points"),
        pytest.param("a <|endoftext|> b", 5, id="TK-03 end of text"),
        pytest.param("<|im_start|>user", 4, id="TK-03 start of a turn"),
    ],
)
def test_a_text_is_not_counted_short_anywhere(text, least):
    """TK-01, TK-02, TK-03."""
    assert least <= counted(text) <= 1.5 * len(text)


def test_the_tokeniser_that_counts_are_calibrated_to_is_named():
    """TK-01: an exact count by another would be a second definition, and none is offered."""
    assert "Calibrated to cl100k" in count_tokens.__doc__


def test_what_reads_as_a_special_token_parts_nothing():
    """TK-03: it is text, and found as such."""
    corpus = lcm.Corpus(["before <|endoftext|> after", "other"])
    assert lcm.Substring().fit(corpus)("<|endoftext|>")["docno"].tolist() == ["m1"]
    dag = lcm.Dag.of(corpus)
    assert dag.view().text.splitlines()[0] == "before <|endoftext|> after"
    assert len(lcm.assemble(dag, 500)) == 2


def record(name, content, usage, message="msg_1"):
    said = {"role": "assistant", "id": message, "content": content, "usage": usage}
    return {"type": "assistant", "uuid": name, "sessionId": "s1", "message": said}


def test_usage_that_repeats_with_every_fragment_is_not_counted(tmp_path):
    """TK-05: tokens are those of the text, each part of a turn once."""
    texts, more = ("one two", "three", "four"), ("five", "six")
    lines = [
        *(record(f"a{i}", [{"type": "text", "text": t}], {"output_tokens": 100})
          for i, t in enumerate(texts)),
        *(record(f"b{i}", [{"type": "text", "text": t}], {"output_tokens": tokens}, "msg_2")
          for i, (t, tokens) in enumerate(zip(more, (2, 100), strict=True))),
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    corpus = lcm.read(tmp_path).corpus()
    assert corpus["text"].tolist() == ["one two\nthree\nfour", "five\nsix"]
    assert corpus["tokens"].tolist() == [counted("one two\nthree\nfour"), counted("five\nsix")]


@pytest.mark.parametrize(
    ("content", "tokens"),
    [(None, 0), ([], 0), ("", 0), (7, count_tokens("7")), ({"a": 1}, 0)],
    ids=lambda one: f"TK-06 {one!r}",
)
def test_content_of_any_shape_counts_what_it_says(tmp_path, content, tokens):
    """TK-06."""
    said = [{"role": "user", "content": content}, {"role": "user", "content": "on"}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    found = lcm.read(tmp_path)
    assert int(sum(found.corpus()["tokens"])) == tokens + count_tokens("on")
    assert lcm.Dag.of(found.messages).tokens == tokens + count_tokens("on")


def test_the_arguments_of_a_call_count_everywhere():
    """TK-06."""
    call = Part("tool_call", "Edit\npath: src/app.py", "Edit", "t1")
    message = Message("m1", "s1", "assistant", (call,))
    dag = lcm.Dag.of([message])
    assert dag.size("m1") == count_tokens("Edit\npath: src/app.py") > 4
    with lcm.Store(":memory:") as store:
        store.add(lcm.Transcripts((message,)))
        assert int(sum(store.corpus()["tokens"])) == dag.tokens
