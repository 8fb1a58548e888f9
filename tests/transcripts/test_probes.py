"""Topics mined from one's own history: what is asked, what is hidden, what is dropped (ME-15)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.messages import Message, Part
from lcm_lab.transcripts.base import Skipped, Transcripts
from lcm_lab.transcripts.probes.adjacent import Adjacency
from lcm_lab.transcripts.probes.known import GAP, MOST_GOLD, KnownItem
from lcm_lab.transcripts.probes.language import asked, prose
from lcm_lab.transcripts.probes.mine import KINDS, PER_SESSION, mine
from lcm_lab.transcripts.probes.unanswered import NoAnswer
from lcm_lab.transcripts.read import read
from tests.transcripts.histories import MINUTE, history, talk

FILLER = [f"something else entirely number {i}" for i in range(GAP)]
ASK = "Remember that the retry limit of uploads lives somewhere in parseRetryAfter today."
MADE_HERE = [kind for kind in KINDS if kind != NoAnswer()]
TOLD = "I wrote parseRetryAfter() just now, for the uploads that hit the limit."


def known(*messages, **more):
    return mine(Transcripts(tuple(messages)), [KnownItem()], **more)


def test_a_later_repeat_becomes_a_question_about_the_earlier_message():
    made = known(*history(TOLD, *FILLER, ASK))
    topic = made.topics.iloc[0]
    assert len(made.topics) == 1
    assert topic["query"] == "Remember that the … limit of uploads lives somewhere in … today."
    assert (topic["type"], topic["item"], topic["answer"]) == (
        "known item",
        "identifier",
        "parseRetryAfter",
    )
    assert made.qrels.to_numpy().tolist() == [[topic["qid"], "s1-0", 1]]
    seen = made.corpus.rows(before=topic["before"])
    assert made.corpus["docno"].to_numpy()[seen].tolist() == [f"s1-{i}" for i in range(GAP + 1)]
    assert topic["reach"] == "own session"
    assert made.card["types"] == {"known item": 1}


def test_the_item_and_its_parts_are_not_in_the_question():
    sentence = (
        "Set the retry limit in src/net/client.ts, since net/client.ts was set too low there."
    )
    assert (
        asked(sentence, "src/net/client.ts")[1]
        == "Set the retry limit in … since … was set too low there."
    )


def test_a_question_never_parts_a_secret_from_the_name_that_tells_of_it():
    """Blanking what was repeated left the password of ``DB_PASSWORD="..."`` to be asked for."""
    told = "Remember that the worker of the billing service reads DB_PASSWORD today."
    again = 'So the billing worker of the service reads DB_PASSWORD="correct horse FAKE".'
    found = known(*history(told, *FILLER, again))
    assert len(found.topics) == 1
    asked = " ".join(found.topics["query"])
    assert "horse" not in asked


def test_what_is_repeated_at_once_or_everywhere_is_no_known_item():
    soon = ["see parseRetryAfter here", ASK]
    assert len(known(*history(*FILLER, *soon)).topics) == 0
    often = [f"again parseRetryAfter limit uploads {i}" for i in range(MOST_GOLD + 1)]
    assert len(known(*history(*often, *FILLER, ASK)).topics) == 0
    assert len(known(*history(*often[1:], *FILLER, ASK)).topics) == 1


def test_a_mention_just_before_is_hidden_together_with_the_question():
    made = known(*history(TOLD, *FILLER, "the limit of uploads is in parseRetryAfter", ASK))
    assert made.qrels["docno"].tolist() == ["s1-0"]
    seen = made.corpus.rows(before=made.topics["before"].iloc[0])
    assert made.corpus["docno"].to_numpy()[seen].tolist() == [f"s1-{i}" for i in range(GAP + 1)]


def test_a_message_that_holds_the_item_and_speaks_of_something_else_is_not_right():
    made = known(*history("renamed parseRetryAfter", *FILLER, ASK))
    assert len(made.topics) == 0
    assert made.card["dropped"] == {"item in a message that speaks of something else": 1}
    far = f"parseRetryAfter {'x ' * 400} uploads with a limit, remember, somewhere"
    assert len(known(*history(far, *FILLER, ASK)).topics) == 0


def test_a_question_with_too_few_words_or_that_echoes_its_answer_is_dropped_and_counted():
    short = known(*history("parseRetryAfter()", "ok", *FILLER, "and parseRetryAfter?"))
    assert len(short.topics) == 0
    assert list(short.card["dropped"].values()) == [1]
    assert "fewer than 4 words" in next(iter(short.card["dropped"]))
    echo = known(*history(f"He said: {ASK}", *FILLER, ASK))
    assert len(echo.topics) == 0
    assert echo.card["dropped"] == {"question that stands word for word in what it looks for": 1}


def test_code_and_traces_do_not_ask():
    assert prose("Now update the light theme to match the dark one.")
    for line in (
        "const parseRetryAfter = (value) => { return JSON.parse(value); }",
        "at resolveVarRefs (/srv/app/theme.ts:213:9)",
        "| a | b | c | d |",
        "x" * 500,
        "",
    ):
        assert not prose(line)
    code = "const limit = parseRetryAfter(uploads, session.retry); // somewhere, today"
    assert len(known(*history(TOLD, *FILLER, code)).topics) == 0


def test_an_error_line_that_comes_up_again_is_asked_for_by_what_is_said_around_it():
    line = "TypeError: cannot read properties of undefined"
    paste = f"The nightly deploy of the importer broke again.\n{line}\nWhat did we do last time?"
    made = known(*history(f"$ make deploy\n{line}\nexit 1", *FILLER, paste))
    assert made.topics[["item", "answer", "query"]].to_numpy().tolist() == [
        ["error", line, "The nightly deploy of the importer broke again. …"]
    ]
    assert made.qrels["docno"].tolist() == ["s1-0"]


def test_a_quotation_of_an_earlier_message_is_asked_for_by_what_is_said_around_it():
    first = "The cache is flushed before every deploy, so nothing stale survives it."
    later = (
        'You told me "the cache is flushed before every deploy" and yet customers saw old prices '
        "after Monday's deploy of the shop."
    )
    made = known(*history(first, *FILLER, later.replace("the cache", "The cache")))
    assert made.topics["item"].tolist() == ["quote"]
    assert "flushed" not in made.topics["query"].iloc[0]
    assert made.qrels["docno"].tolist() == ["s1-0"]


def test_what_earlier_sessions_answer_hides_the_session_that_asks():
    early = history(f"{TOLD} Remember it.", session="s1")
    late = history("Hello there", "we talk of uploads", *FILLER, ASK, session="s2", start=100)
    after = history("parseRetryAfter() limit of uploads came later.", session="s3", start=200)
    made = known(*after, *late, *early)
    topic = made.topics.iloc[0]
    assert made.qrels["docno"].tolist() == ["s1-0"]
    assert topic["reach"] == "earlier session"
    seen = made.corpus["docno"].to_numpy()[made.corpus.rows(before=topic["before"])]
    assert set(seen.tolist()) == {"s1-0"}
    assert made.card["reach"] == {"earlier session": 1}


def test_with_nothing_hidden_the_topics_are_the_same_and_see_everything():
    said = history(TOLD, *FILLER, ASK)
    then, now = known(*said), known(*said, as_of=False)
    assert now.topics["query"].tolist() == then.topics["query"].tolist()
    assert now.topics["before"].isna().all()
    assert now.topics["asked_at"].isna().all()
    assert now.card["as of"] == "nothing is hidden: a question may find itself"
    assert now.qrels.equals(then.qrels)


def test_subagents_and_what_programs_write_do_not_ask():
    for opening in ("<local-command-stdout>", "<system-reminder>", "Caveat: The messages below "):
        assert len(known(*history(TOLD, *FILLER, opening + ASK)).topics) == 0
    said = history(TOLD, *FILLER)
    side = Message("x", "s1", "user", (Part("text", ASK),), 99 * MINUTE, sidechain=True)
    assert len(known(*said, side).topics) == 0


def test_a_session_gives_a_bounded_number_of_topics_spread_over_it():
    count = PER_SESSION + 15
    words = "abcdefghijklmnopqrstuvwxyzabcdefghi"
    first = [f"parseThing{i}x() is defined, colourful {w}{w}{i}" for i, w in enumerate(words)]
    later = [
        f"Remember where colourful {w}{w}{i} of gardens and parseThing{i}x lives nowadays"
        for i, w in enumerate(words)
    ]
    made = known(*history(*first, *FILLER, *later))
    assert len(made.topics) == PER_SESSION
    assert made.card["dropped"]["beyond 20 of a kind from one session"] == 15
    at = made.topics["answer"].str.extract(r"(\d+)")[0].astype(int).to_numpy()
    assert at[0] <= 1
    assert at[-1] >= count - 2
    assert (np.diff(at) > 0).all()
    fewer = known(*history(*first, *FILLER, *later), per_session=3)
    assert len(fewer.topics) == 3
    other = known(*history(*first, *FILLER, *later), seed=1)
    assert other.topics["answer"].tolist() != made.topics["answer"].tolist()


def test_what_comes_right_after_is_asked_without_the_words_of_what_comes_after():
    said = history(
        "Who signed off the migration on Tuesday night, was it somebody from billing?",
        "Priya approved the migration once its second rehearsal had finished cleanly.",
        "Splendid.",
    )
    made = mine(Transcripts(said), [Adjacency()])
    query = made.topics["query"].iloc[0]
    assert query == (
        "What was said right after this: Who signed off the … on Tuesday night, was it somebody "
        "from billing?"
    )
    assert made.qrels["docno"].tolist() == ["s1-1"]
    assert made.topics["before"].isna().all()
    assert made.card["overlap"]["adjacency"]["gold"] == 0.0


def test_copies_of_the_successor_are_right_too_and_a_clue_that_stands_twice_is_none():
    question = "Which quarterly budget did marketing overspend during the autumn campaign?"
    answer = "Finance found that it was the second one, by nine percent, mostly on travel."
    other = "Completely unrelated words about gardening follow here, nothing more."
    made = mine(Transcripts(history(question, answer, other, answer)), [Adjacency()])
    first = made.topics["qid"][made.topics["query"].str.contains("quarterly")].iloc[0]
    assert made.qrels.loc[made.qrels["qid"] == first, "docno"].tolist() == ["s1-1", "s1-3"]
    twice = mine(Transcripts(history(question, answer, question, other)), [Adjacency()])
    assert not twice.topics["query"].str.contains("quarterly").any()


def test_the_successor_skips_tools_but_not_many_of_them():
    ask = ("user", "Could somebody explain why yesterday's nightly backup took nine hours?")
    tools = [("call", "Bash", {"command": "ls"}), ("result", "total 0")]
    told = ("assistant", "Snapshots were compressed twice; disabling one pass fixes that slowness.")
    made = mine(Transcripts(talk(ask, *tools, told)), [Adjacency()])
    assert made.qrels["docno"].tolist() == ["s1-3"]
    assert len(mine(Transcripts(talk(ask, *tools * 5, told)), [Adjacency()]).topics) == 0


def test_a_tool_that_writes_the_words_of_a_clue_said_nothing():
    ask = ("user", "Could somebody explain why yesterday's nightly backup took nine hours?")
    told = ("assistant", "Snapshots were compressed twice; disabling one pass fixes that slowness.")
    page = f"log: {ask[1]} and a thousand lines more"
    made = mine(Transcripts(talk(ask, told, ("call", "Bash", {}), ("result", page))), [Adjacency()])
    assert made.qrels["docno"].tolist() == ["s1-1"]
    said = mine(Transcripts(talk(ask, told, ("user", page))), [Adjacency()])
    assert not said.topics["query"].str.contains("nightly").any()


def test_no_answer_probes_have_nothing_to_find_and_a_word_that_is_nowhere():
    said = Transcripts(history(TOLD, *FILLER, ASK))
    made = mine(said, [NoAnswer(n=7)])
    assert len(made.topics) == 7
    assert len(made.qrels) == 0
    words = {word for text in made.corpus["text"] for word in text.lower().split()}
    for query in made.topics["query"]:
        assert any(word.strip("?.,`'").lower() not in words for word in query.split())
    assert made.card["overlap"]["no answer"]["n"] == 7


def test_a_question_that_something_here_may_answer_is_no_probe():
    question = "Which region hosts the staging replica of billing?"
    bench = Collection(
        "other",
        Corpus(["nothing"]),
        mine(Transcripts(history("x")), [KnownItem()])
        .topics.reindex([0])
        .assign(qid="q1", query=question, type=""),
        mine(Transcripts(history("x")), [KnownItem()]).qrels,
    )
    here = history("The staging replica of billing is hosted in the Frankfurt region.")
    made = mine(Transcripts(here), [NoAnswer(bench)])
    assert len(made.topics) == 0
    assert len(mine(Transcripts(history("Lunch?")), [NoAnswer(bench)]).topics) == 1


def test_nothing_to_mine_is_an_error_that_says_what_was_skipped():
    skipped = (Skipped("a.jsonl", 1, "not a message: summary"),)
    with pytest.raises(BadInput, match=r"No messages in a.jsonl \(1 x not a message: summary\)"):
        mine(Transcripts((), skipped, {"a.jsonl": "Claude Code JSONL"}))
    with pytest.raises(BadInput, match="No messages in a corpus"):
        mine(Corpus([]))


def test_a_history_of_one_message_gives_no_topics_but_a_collection():
    made = mine(Transcripts(history("Hello.")), MADE_HERE)
    assert (len(made.topics), len(made.corpus)) == (0, 1)
    assert made.card["topics"] == "mined from this history: none"
    assert made.topics.columns.tolist()[:4] == ["qid", "query", "type", "answer"]


def test_times_that_are_unknown_are_counted_and_ask_nothing():
    said = tuple(Message(m.id, m.session, m.role, m.parts) for m in history(TOLD, *FILLER, ASK))
    made = known(*said)
    assert len(made.topics) == 0
    assert made.card["dropped"] == {
        "message without a time, so that nothing could be hidden from it": 5
    }


def test_mining_twice_or_in_another_process_order_gives_the_same_collection(tmp_path):
    said = Transcripts(history(TOLD, *FILLER, ASK))
    kinds = MADE_HERE
    made = mine(said, kinds)
    assert made.topics["type"].tolist() == ["known item", "adjacency"]
    assert mine(said, kinds).fingerprint == made.fingerprint
    assert Collection.open(made.save(tmp_path / "mined")).fingerprint == made.fingerprint


def test_rows_alone_give_the_same_known_items_as_the_transcripts():
    said = Transcripts(history(TOLD, *FILLER, ASK))
    of_rows = mine(said.corpus(), [KnownItem()])
    of_collection = mine(known(*said.messages), [KnownItem()])
    for made in (of_rows, of_collection):
        assert made.topics["query"].tolist() == known(*said.messages).topics["query"].tolist()


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ({"kinds": []}, r"kinds are KnownItem\(\).*Got none"),
        ({"kinds": ["known-item"]}, r"Got 'known-item'"),
        ({"kinds": [KnownItem(), KnownItem()]}, "'known item' more than once"),
        ({"per_session": 0}, "per_session is how many topics, 1 or more. Got 0"),
    ],
)
def test_what_cannot_be_mined_is_refused(given_, told):
    with pytest.raises(BadParameter, match=told):
        mine(Transcripts(history("x")), **given_)
    with pytest.raises(BadParameter, match="Got int"):
        mine(3)
    with pytest.raises(BadParameter, match=r"1 or more\. Got 0"):
        NoAnswer(n=0)


@pytest.fixture(scope="module")
def mined(shared):
    """What the real transcripts give."""
    return mine(read(shared / "transcripts"))


def test_real_transcripts_give_two_hundred_topics_in_the_band_of_real_sets(mined):
    made = mined
    assert len(made.topics) >= 200
    for kind in ("known item", "reuse"):
        found = made.card["overlap"][kind]
        assert 0.45 <= found["gold"] <= 0.60
        assert found["best_distractor"] > found["gold"]
    assert made.card["overlap"]["adjacency"]["gold"] <= 0.05
    sessions = made.corpus.frame().set_index("docno")["conversation"]
    judged = made.qrels.drop_duplicates("qid").merge(made.topics[["qid", "type"]])
    home = judged["qid"].str.split(":").str[-1].str.split("/").str[0].map(sessions)
    assert judged.groupby(["type", home])["qid"].count().max() <= PER_SESSION


def test_gold_is_always_visible_and_older_than_the_question(mined):
    made = mined
    times = made.corpus.frame().set_index("docno")["time"]
    asked_at = made.topics.set_index("qid")["before"]
    hidden = made.qrels.assign(before=made.qrels["qid"].map(asked_at)).dropna(subset=["before"])
    assert (hidden["docno"].map(times) < hidden["before"]).all()
    assert len(hidden) > 50


ODD = ["…", "“", "”", "`", "**", "的数据库", "\x00", "\u202e", "}", "{", ";", "|", "\n", "> "]
SAYS = """
parseRetryAfter src/net/client.ts #a1b2c3d the retry limit of uploads Error: failed badly "we chose
Postgres over everything" on Tuesday night because billing complained bitterly and nobody answered
"""
WORDS = st.sampled_from([*SAYS.split(), *ODD])
TEXTS = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), TEXTS), max_size=14))
@settings(max_examples=25)
def test_whatever_was_said_topics_hide_their_answer_and_see_their_gold(turns):
    said = [("user", "x"), *turns, *turns[:3]]
    made = mine(Transcripts(talk(*said)), MADE_HERE)
    times = made.corpus.frame().set_index("docno")["time"]
    before = made.topics.set_index("qid")["before"]
    for qid, docno in zip(made.qrels["qid"], made.qrels["docno"], strict=True):
        assert before.isna()[qid] or times[docno] < before[qid]
    known = made.topics[made.topics["type"] == "known item"]
    assert not any(a in q for a, q in zip(known["answer"], known["query"], strict=True))
    assert set(made.qrels["qid"]) == set(made.topics["qid"])
