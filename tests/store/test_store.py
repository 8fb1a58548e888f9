"""The store: what comes in is there once, comes out as it was, and is in the index."""

import pickle
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, MissingExtra, NotFound
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store import incoming
from lcm_lab.store.lending import Lent
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from lcm_lab.transcripts.merge import merge
from tests.store.made import MINUTE, dump, history, said, talk

FTS = "docs_porter_unicode61"


@pytest.fixture
def store():
    with Store(":memory:") as made:
        yield made


def hits(store, query, **filters):
    search = (lcm.FTS5() % 10).fit(store.corpus())
    return search(query, **filters)["docno"].tolist()


def in_index(store, word, table=FTS):
    ask = f"select count(*) from {table} where {table} match ?"
    return store.connection.execute(ask, (word,)).fetchone()[0]


def clean(store):
    return list(store.faults()) == []


def test_messages_come_out_as_they_went_in(store):
    parts = (
        Part("text", "look  at\r\nthis"),
        Part("image", "[image: a.png]"),
        Part("reasoning", "hm"),
        Part("tool_call", "Bash\ncommand: ls", name="Bash", call="c1"),
        Part("tool_call", "Bash\ncommand: pwd", name="Bash", call="c2"),
        Part("tool_result", "a b", call="c1", error=True),
        Part("unknown", "", name="odd", raw='{"type": "odd"}'),
    )
    whole = Message(
        *("m1", "s1", "assistant", parts, -5, "1969-12-31T23:59:59.999995Z", "m0", "Ada", True),
        *("a.jsonl", 7, True, 2),
    )
    messages = (whole, said("plain", "m2"), Message("m3", "s1", "user", ()), said("缓存", "m4"))
    store.add(Transcripts(messages))
    assert store.dag("s1").messages == tuple(m for m in messages if not m.sidechain)
    found = store.corpus(("text", "tool_call", "tool_result", "reasoning"), abandoned=True)
    wanted = Transcripts(messages).corpus(("text", "tool_call", "tool_result", "reasoning"))
    assert found.fingerprint == wanted.fingerprint
    assert clean(store)


def test_a_corpus_comes_out_as_it_went_in(store):
    rows = [
        {"docno": "a", "text": "use WAL", "conversation": "c1", "session": "1", "role": "user"},
        {"docno": "b", "text": "ls", "conversation": "c1", "kind": "tool_call", "role": "user"},
        {"docno": "b#tool_result", "text": "x", "conversation": "c1", "kind": "tool_result"},
        {"docno": "c", "text": "ok", "conversation": "c2", "role": "user", "mood": "calm"},
        {"docno": "d", "text": "ok", "conversation": "c2", "scope": "files", "kind": "file"},
        {"docno": "e", "text": "", "conversation": "c2", "time": "2026-01-01"},
    ]
    source = Corpus(rows)
    store.add(source)
    kinds = ("text", "tool_call", "tool_result")
    found = store.corpus(kinds).frame().set_index("docno")
    wanted = source.frame().set_index("docno")
    same = ["text", "conversation", "session", "role", "scope", "kind", "tokens", "mood"]
    there = [docno for docno in wanted.index if docno != "d"]  # of a kind that is not asked for
    assert found.loc[there, same].fillna("").equals(wanted.loc[there, same].fillna(""))
    assert found.loc["e", "time"] == wanted.loc["e", "time"]
    assert repr(store.add(source)) == "Added 0 messages; 5 repeats"  # two rows are of b
    assert clean(store)


def test_equal_rows_of_two_conversations_are_two_messages(store):
    rows = [{"docno": f"{c}{i}", "text": "ok", "conversation": c} for c in "ab" for i in range(2)]
    store.add(Corpus(rows))
    again = [{"docno": "m1", "text": "ok", "conversation": "x"}]
    store.add(Corpus(again))
    store.add(Corpus([again[0] | {"conversation": "y"}]))
    assert store.conversations()["messages"].tolist() == [2, 2, 1, 1]


def test_adding_again_changes_nothing_and_a_grown_copy_adds_what_is_new(store):
    """DD-04."""
    whole = history(12)
    again = [replace(one, id=f"new{i}") for i, one in enumerate(whole[2:5])]
    counts = []
    for messages in (whole[:10], whole[:10], whole[:10], whole, whole + again):
        store.add(Transcripts(tuple(messages)))
        counts.append(len(store.corpus()))
    assert counts == [10, 10, 10, 12, 12]
    assert clean(store)


def test_equal_text_at_another_time_or_place_is_another_message(store):
    """DD-03."""
    messages = (said("ok", "", 0), said("done", "", 5 * MINUTE), said("ok", "", 6 * MINUTE))
    for _ in range(2):
        store.add(Transcripts(messages))
    assert store.corpus()["text"].tolist() == ["ok", "done", "ok"]


def test_what_is_said_live_is_known_by_its_id_alone(store):
    for name in ("x1", "x2", "x2", "", ""):
        store.append(said("ok", name))
    assert len(store.corpus()) == 4
    store.add(Transcripts(tuple(said("ok", f"file{i}") for i in range(4))))  # its transcript
    assert len(store.corpus()) == 4


def test_white_space_is_one_turn_under_one_id_and_two_turns_under_two(store):
    """DD-10."""
    store.add(Transcripts((said("a  b\r\nc", "t1", 1),)))
    store.append(said("a b\nc", "t1", 2))
    store.append(said('x = "a  b"', "t2", 3))
    store.append(said('x = "a b"', "t3", 3))
    assert store.corpus()["text"].tolist() == ["a  b\r\nc", 'x = "a  b"', 'x = "a b"']


def test_a_turn_that_grew_is_kept_at_its_longest_and_found_by_its_new_words(store):
    short = Message("t", "s1", "assistant", (Part("text", "one"),), 5)
    cut = replace(short, parts=(*short.parts, Part("text", "thr")))
    longer = replace(short, parts=(*short.parts, Part("text", "three fishes")))
    for one in (short, longer, cut, short):
        store.append(one)
    assert store.dag("s1").messages == (longer,)
    assert (in_index(store, "fishes"), in_index(store, "thr")) == (1, 0)
    assert clean(store)


def test_one_id_with_two_contents_is_two_messages_however_often_they_come(store):
    pair = (said("mine", "u1", 1), said("theirs", "u1", 2))
    for _ in range(3):
        store.add(Transcripts(pair))
        store.add(Transcripts(pair[::-1]))
    assert sorted(store.corpus()["text"]) == ["mine", "theirs"]


def test_ids_that_count_from_one_in_every_session_are_not_mixed_up(store):
    for session in ("a", "b"):
        store.add(Transcripts((Message("1", session, "user", (Part("text", "hello"),)),)))
    assert store.conversations()["messages"].tolist() == [1, 1]
    copied = Message("77", "c", "user", (Part("text", "hello"),), 7)
    store.append(replace(copied, session="d"))
    store.add(Transcripts((copied,)))
    assert store.conversations()["name"].tolist() == ["a", "b", "d"]  # c had none of its own


def test_ids_that_look_like_docnos_stay_apart_from_them(store):
    call = Message("a", "s1", "assistant", (Part("text", "x"), Part("tool_call", "y")))
    store.add(Transcripts((call, said("z", "a#tool_call"))))
    assert len(set(store.corpus()["docno"])) == 3


def test_an_older_stretch_that_comes_later_stands_where_it_was_said(store):
    early, late = history(6)[:3], history(6)[3:]
    store.add(Transcripts(tuple(late)))
    store.add(Transcripts(tuple(early)))
    assert [m.id for m in store.dag("s1").messages] == [f"u{i}" for i in range(6)]
    with Store(":memory:") as other:
        other.add(Transcripts(tuple(early)))
        other.add(Transcripts(tuple(late)))
        assert dump(other) == dump(store)
    assert clean(store)


WORDS = ("ok", "done", "no way", "缓存", "x\x00y")


def turn(name, length):
    """A message with an id of its own, of which there are shorter and longer copies."""
    at = int(name[1:])
    parts = tuple(Part("text", word) for word in WORDS[at : at + length])
    return Message(name, f"s{at % 2}", ("user", "assistant")[at % 2], parts, at)


NAMED = st.builds(turn, st.sampled_from(["u0", "u1", "u2", "u3"]), st.integers(1, 3))
UNNAMED = st.builds(
    lambda text, time, session: Message("", session, "user", (Part("text", text),), time),
    st.sampled_from(WORDS),
    st.none() | st.integers(0, 3),
    st.sampled_from(["s0", "s1"]),
)
MESSAGES = st.lists(NAMED | UNNAMED, max_size=6)


@settings(max_examples=25)
@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_files_added_one_by_one_are_what_they_are_when_read_together(files):
    wanted, _ = merge(files)
    with Store(":memory:") as store:
        for messages in [*files, *files]:
            store.add(Transcripts(tuple(merge([messages])[0])))
        found = [m for name in store.conversations()["name"] for m in store.dag(name).messages]
        told = [[(m.session, m.role, m.time, m.parts) for m in some] for some in (found, wanted)]
        assert sorted(told[0], key=repr) == sorted(told[1], key=repr)
        assert clean(store)


@settings(max_examples=25)
@given(MESSAGES, st.data())
def test_a_beginning_and_then_the_whole_is_the_whole_alone(messages, data):
    whole = tuple(merge([messages])[0])
    cut = data.draw(st.integers(0, len(whole)))
    with Store(":memory:") as grown, Store(":memory:") as alone:
        grown.add(Transcripts(whole[:cut]))
        grown.add(Transcripts(whole))
        alone.add(Transcripts(whole))
        assert dump(grown) == dump(alone)


def test_kinds_scopes_and_conversations_are_asked_for_or_refused(store):
    store.add(Transcripts(tuple(talk())))
    assert set(store.corpus()["kind"]) == {"text", "tool_call", "tool_result"}
    assert set(store.corpus("reasoning")["kind"]) == {"reasoning"}
    assert len(store.corpus(scope=("summaries",))) == 0
    with pytest.raises(BadParameter, match=r"kinds are text, .* Did you mean 'tool_call'"):
        store.corpus(("tool_cal",))
    with pytest.raises(BadParameter, match="scope are messages, summaries"):
        store.corpus(scope="files")
    with pytest.raises(NotFound, match=r"No conversation 's11' among 1. Did you mean 's1'"):
        store.corpus(conversation="s11")


def test_tool_text_is_searched_under_its_own_kind(store):
    store.add(Transcripts(tuple(talk())))
    assert hits(store, "settings.py") == ["t2#tool_call"]
    assert hits(store, "timeout", kind="tool_result") == ["t3#tool_result"]
    assert hits(store, "timeout", kind="text") == ["t1"]


def test_the_same_corpus_is_given_until_the_store_changes(store):
    store.add(Transcripts(tuple(history(3))))
    first = store.corpus()
    assert store.corpus() is first
    store.append(said("more", "m9", 99 * MINUTE))
    assert len(first), len(store.corpus()) == (3, 4)


def test_deleting_a_conversation_leaves_nothing_of_it(store):
    """CL-05: deleted material is gone from the next reply."""
    store.add(Transcripts(tuple(talk())))
    before = dump(store)
    store.append(Message("x1", "other", "user", (Part("text", "a secret plan"),)))
    assert hits(store, "secret") == ["x1"]
    store.delete("other")
    assert hits(store, "secret") == []
    assert in_index(store, "secret") == 0
    assert dump(store) == before
    assert clean(store)
    with pytest.raises(NotFound):
        store.delete("other")


def test_a_family_is_what_shares_a_key_the_active_one_first(store):
    for name, time, why in (("s1", 3, "reset"), ("s2", 1, "reset"), ("s3", 2, ""), ("s4", 9, "")):
        told = Session(name, key="" if name == "s4" else "agent:main", archived=why)
        store.append(said("x", f"{name}m", time, name), told)
    assert store.family("s2") == ["s3", "s1", "s2"]
    assert store.family("s4") == ["s4"]
    store.archive("s3", "session-end")
    store.rename_key("agent:main", "agent:other")
    assert store.family("s3") == ["s1", "s3", "s2"]
    frame = store.conversations().set_index("name")
    assert frame["archived"].to_dict() == {
        "s1": "reset",
        "s2": "reset",
        "s3": "session-end",
        "s4": "",
    }
    assert frame["active"].tolist() == [False, False, False, True]
    with pytest.raises(NotFound, match=r"No key 'agent:main'. There is agent:other"):
        store.rename_key("agent:main", "x")


def test_a_session_keeps_what_was_told_of_it(store):
    told = Session("s1", title="Fix CI", cwd="/code", branch="main", agent="cli 2", parent="s0")
    store.append(said("x", "m1"), told)
    store.append(said("y", "m2"), Session("s1", branch="fix"))
    (row,) = store.conversations().to_dict("records")
    assert [row[name] for name in ("title", "cwd", "branch", "agent", "parent")] == [
        "Fix CI",
        "/code",
        "fix",
        "cli 2",
        "s0",
    ]
    assert (row["messages"], row["sessions"], row["indexing"]) == (2, 1, False)


def test_times_are_utc_with_the_offset_they_came_with_and_the_import_is_apart(store):
    """TZ-10."""
    times = [1_740_000_000_000_000 + i for i in (0, 1)]
    messages = [replace(said(f"x{i}", f"m{i}", t), stamp="2025") for i, t in enumerate(times)]
    store.add(Transcripts(tuple(messages)), imported=1_790_000_000_000_000)
    assert store.corpus().numpy("time").tolist() == times
    ask = "select distinct stamp, imported from messages"
    assert store.connection.execute(ask).fetchall() == [("2025", 1_790_000_000_000_000)]


def test_lone_surrogates_and_nul_are_stored(store):
    store.append(said("dump \udc88 end", "m\udc88", 1))
    store.append(said("zero\x00byte", "m2", 2))
    assert store.corpus()["text"].tolist() == ["dump \ufffd end", "zero\x00byte"]
    assert clean(store)


SCORERS = [
    lcm.FTS5(),
    lcm.FTS5(match="any"),
    lcm.FTS5("unicode61 remove_diacritics 2"),
    lcm.FTS5(apart="scope"),
    lcm.FTS5(compat="lossless-claw"),
    lcm.FTS5("unicode61 remove_diacritics 2", match="any", compat="openclaw"),
]


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
@pytest.mark.parametrize("plain", [True, False])
def test_the_lent_index_scores_as_one_that_is_built(tmp_path, scorer, plain):
    messages = talk() + ([] if plain else [said("缓存 timeout ＡＰＩ", "z1", 99 * MINUTE)])
    with Store(tmp_path / "a.db") as store:
        store.append(said("of another timeout", "n1", 5, "s0"))
        store.add(Transcripts(tuple(messages)))
        corpus = store.corpus()
        index = scorer.index(corpus)
        assert isinstance(index, Lent) == (plain or scorer.compat is None)
        built = scorer.index(Corpus(corpus.frame()))
        queries = [
            "timeout",
            "settings.py",
            "the timeout is",
            "nothing",
            "缓存",
            "retry OR timeout",
        ]
        assert np.array_equal(scorer.score(index, queries), scorer.score(built, queries))


def test_the_index_is_lent_only_over_the_rows_that_it_holds(tmp_path):
    with Store(tmp_path / "a.db") as store:
        store.add(Transcripts(tuple(talk())))
        lent = [
            store.corpus(),
            store.corpus(scope="messages"),
            store.corpus(("tool_result", "text", "tool_call")),
        ]
        others = [
            store.corpus("text"),
            store.corpus(conversation="s1"),
            store.corpus(abandoned=True),
            store.corpus(("text", "tool_call", "tool_result", "reasoning")),
        ]
        assert all(isinstance(lcm.FTS5().index(one), Lent) for one in lent)
        assert not any(isinstance(lcm.FTS5().index(one), Lent) for one in others)
        assert not isinstance(lcm.FTS5("trigram").index(lent[0]), Lent)
        assert not isinstance(lcm.FTS5(fields=("date", "text")).index(lent[0]), Lent)


def test_what_is_written_after_a_corpus_was_made_is_not_in_its_hits(tmp_path):
    with Store(tmp_path / "a.db") as store:
        store.add(Transcripts(tuple(talk())))
        corpus, scorer = store.corpus(), lcm.FTS5(match="any")
        index = scorer.index(corpus)
        before = scorer.score(index, ["timeout"])
        store.append(said("another timeout", "n1", 99 * MINUTE))
        assert np.array_equal(scorer.score(index, ["timeout"]), before)
        assert scorer.score(scorer.index(store.corpus()), ["timeout"]).shape[1] == len(corpus) + 1


def test_a_corpus_of_a_store_goes_to_other_processes(tmp_path):
    with Store(tmp_path / "a.db") as store:
        store.add(Transcripts(tuple(talk())))
        corpus, scorer = store.corpus(), lcm.FTS5()
        index = scorer.index(corpus)
        copied = pickle.loads(pickle.dumps((corpus, index)))
        wanted = scorer.score(index, ["timeout"])
        assert np.array_equal(scorer.score(copied[1], ["timeout"]), wanted)
        assert np.array_equal(scorer.score(scorer.index(copied[0]), ["timeout"]), wanted)


def test_a_store_may_keep_other_indexes(tmp_path):
    words = ("trigram", "unicode61")
    with Store(tmp_path / "a.db", words=words) as store:
        store.add(Transcripts((*talk(), said("缓存方案 fooBARbaz", "z", 99 * MINUTE))))
        scorer = lcm.FTS5("trigram")
        index = scorer.index(store.corpus())
        assert isinstance(index, Lent)
        built = scorer.index(Corpus(store.corpus().frame()))
        queries = ["存方案", "oBARb", "timeout"]
        assert np.array_equal(scorer.score(index, queries), scorer.score(built, queries))
        assert scorer.score(index, queries)[:2].any(axis=1).all()
        store.delete("s1")
        assert in_index(store, "oBARb", "docs_trigram") == 0
        assert clean(store)
    with Store(tmp_path / "a.db") as again:  # it keeps its own
        assert isinstance(lcm.FTS5("unicode61").index(again.corpus()), Lent) is False  # empty
    with pytest.raises(BadParameter, match="tokenize must be"):
        Store(tmp_path / "b.db", words="nonesuch")
    with pytest.raises((BadParameter, MissingExtra)):
        Store(":memory:", words=("nonesuch 2",))


def test_a_store_without_an_index_is_searched_all_the_same(tmp_path):
    with Store(tmp_path / "a.db", words=()) as store:
        store.add(Transcripts(tuple(talk())))
        assert hits(store, "timeout")[0] == "t3#tool_result"
        assert clean(store)


def test_long_conversations_are_written_in_stretches(tmp_path, monkeypatch):
    monkeypatch.setattr(incoming, "BATCH", 7)
    whole = history(30)
    with Store(tmp_path / "a.db") as store, Store(":memory:") as other:
        for messages in (whole[:20], whole, whole[::2], whole):
            store.add(Transcripts(tuple(messages)))
        monkeypatch.undo()
        other.add(Transcripts(tuple(whole)))
        assert dump(store) == dump(other)
        assert clean(store)


def test_a_store_that_could_not_be_made_can_be_made_after_all(tmp_path):
    with pytest.raises(BadParameter):
        Store(tmp_path / "b.db", words="nonesuch")
    with Store(tmp_path / "b.db") as store:
        store.append(said("x", "m1"))
        assert clean(store)


def test_what_is_no_store_is_refused_with_what_it_is(tmp_path):
    with pytest.raises(NotFound, match="No store"):
        Store(tmp_path / "none.db", readonly=True)
    with pytest.raises(NotFound, match="No store"):
        Store(tmp_path / "none.db", create=False)
    with pytest.raises(NotFound, match="No folder"):
        Store(tmp_path / "none" / "a.db")
    (tmp_path / "notes.txt").write_text("# notes\n" * 200)
    with pytest.raises(BadInput, match="is no store: file is not a database"):
        Store(tmp_path / "notes.txt")
    with pytest.raises(BadInput, match=r"Cannot open|is no store"):
        Store(tmp_path)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("create table messages (x)")
    other.close()
    with pytest.raises(BadInput, match=r"no store of lcm_lab. A lossless-claw database opens with"):
        Store(tmp_path / "other.db")
    Store(tmp_path / "a.db").close()
    newer = sqlite3.connect(tmp_path / "a.db")
    newer.execute("pragma user_version = 99")
    newer.close()
    with pytest.raises(BadInput, match=r"newer lcm_lab \(schema 99; this one knows 1\)"):
        Store(tmp_path / "a.db")


def test_a_store_opened_to_read_is_not_written(tmp_path):
    with Store(tmp_path / "a.db") as store:
        store.add(Transcripts(tuple(talk())))
    bytes_before = (tmp_path / "a.db").read_bytes()
    with Store(tmp_path / "a.db", readonly=True) as store:
        assert len(store.corpus()) == 5
        assert hits(store, "timeout") != []
        assert clean(store)
        for write in (
            lambda: store.append(said("x", "m1")),
            lambda: store.delete("s1"),
            lambda: store.add(Transcripts(tuple(talk()))),
        ):
            with pytest.raises(BadParameter, match="was opened to read"):
                write()
    assert (tmp_path / "a.db").read_bytes() == bytes_before


def test_nothing_added_is_nothing_wrong(store):
    assert repr(store.add(Transcripts(()))) == "Added 0 messages"
    assert repr(store.add(Corpus([]))) == "Added 0 messages"
    assert len(store.corpus()) == 0
    assert store.conversations().empty
    assert repr(store) == "Store(':memory:') of 0 messages in 0 conversations"
    assert clean(store)
    with pytest.raises(BadInput, match="A store takes Transcripts"):
        store.add([said("x", "m1")])


def test_every_rule_is_seen_to_be_broken():
    every = {
        "messages are numbered 0, 1, 2": "messages set seq = seq + 7 where id = 't4'",
        "messages stand in the order of their places": "messages set place = 1 << 60 where seq = 0",
        "what is on the active branch is in the index": "docs set indexed = 0 where kind = 'text'",
        "tokens of a message are those of its docs": "messages set tokens = 77 where seq = 1",
        "what is indexed is the text": "docs set folded = 'other' where kind = 'tool_call'",
        "the text of a part is there": "docs set kind = 'x' where kind = 'tool_result'",
        "docs are the texts of the message": "parts set text = 'x' where kind = 'text'",
        "the identity is that of the content": "messages set role = 'system' where seq = 0",
        "a conversation that was compacted has a frontier": "conversations set compacted = 1",
        "every row is in the index": "docs set indexed = 1 where kind = 'reasoning'",
        "what is in the index has a row": "docs set indexed = 0 where kind = 'tool_call'",
        "the index holds what its rows say": "docs set text = 'changed' where kind = 'text'",
        "what a row refers to is there": "messages set session = 99 where seq = 2",
    }
    breaks = {rule: f"update {what}" for rule, what in every.items()}
    for rule, statement in breaks.items():
        with Store(":memory:") as store:
            store.add(Transcripts(tuple(talk())))
            store.connection.execute("pragma foreign_keys = off")
            assert clean(store)
            store.connection.execute(statement)
            assert rule in {found for found, _ in store.faults()}


@pytest.mark.parametrize("again", [True, False])
def test_a_store_that_was_taken_away_is_not_written_to(tmp_path, monkeypatch, again):
    monkeypatch.chdir(tmp_path)
    with Store("a.db") as store:
        store.append(said("one", "m1"))
        monkeypatch.chdir("/")
        store.append(said("two", "m2"))
        for path in tmp_path.glob("a.db*"):
            path.unlink()
        if again:
            Store(tmp_path / "a.db").close()
        with pytest.raises(BadInput, match=r"'a.db' was removed or replaced since it was opened"):
            store.append(said("three", "m3"))
        assert store.corpus()["docno"].tolist() == ["m1", "m2"]


def test_a_damaged_store_is_told_of_also_where_its_tables_are_no_text(tmp_path):
    Store(tmp_path / "a.db").close()
    whole = (tmp_path / "a.db").read_bytes()
    (tmp_path / "a.db").write_bytes(whole.replace(b"TABLE conversa", b"T\xccBLE conversa"))
    with pytest.raises(BadInput, match=r"a.db' is damaged: it holds bytes that are no text"):
        Store(tmp_path / "a.db")
