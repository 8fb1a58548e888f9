"""The audit: each rule is broken in a real database, and exactly that is seen."""

import json
import shutil
import sqlite3
import sys
from contextlib import closing

import pytest

from lcm_lab.agent import cli
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Summary
from lcm_lab.dag.check import RULES
from lcm_lab.messages import Message, Part
from lcm_lab.store import faults
from lcm_lab.store.audit import OF_DAGS, OF_STORES, audit
from lcm_lab.store.lcm import faults as lcm_faults
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from tests.store.conftest import add_chain, add_summary
from tests.store.made import START, history

A, B, C = (f"sum_{letter * 16}" for letter in "abc")


def broken(database):
    found = audit(database)
    some = found[found["violations"] > 0]
    assert (some["meaning"] != "").all()
    return dict(zip(some["rule"], some["examples"], strict=True))


def stray(sources, text="Stray."):
    def change(run):
        add_summary(run, "sum_stray", "leaf", 0, text, sources)
        run("update summaries set source_message_token_count = 20 where summary_id = 'sum_stray'")

    return change


def replay(run):
    for n in range(3):
        at = "2026-04-02 22:40:00"
        row = (50 + n, n, at)
        run("insert into messages values (?, 3, ?, 'user', 'again', 5, null, null, ?, null)", row)
        run("insert into messages_fts (rowid, content) values (?, 'again')", (50 + n,))
        run("insert into context_items values (3, ?, 'message', ?, null, '')", (n, 50 + n))


def reworded(text):
    return (
        f"update summaries set content = '{text}' where summary_id = '{C}'",
        f"update summaries_fts set content = '{text}' where summary_id = '{C}'",
    )


#: What is done, and all that is then broken: of a breach that brings others, those too.
LCM = {
    "damage": (
        (
            "create index by_role on messages (role) where message_id > 7",
            "pragma writable_schema = on",
            "update sqlite_master set sql = 'create index by_role on messages (role) "
            "where message_id > 6' where name = 'by_role'",
        ),
        {
            "the file is whole": (
                "row 7 missing from index by_role",
                "wrong # of entries in index by_role",
            )
        },
    ),
    "a source is gone": (
        (
            "delete from messages where message_id = 1",
            "delete from message_parts where message_id = 1",
            "delete from messages_fts where rowid = 1",
        ),
        {
            "what a summary was made from is there": ("m1",),
            "the time span is that of the sources": (A,),
            "totals are the sums of what is beneath": (A,),
        },
    ),
    "a summary of nothing": (
        (f"delete from summary_messages where summary_id = '{A}'",),
        {
            "a summary was made from something": (A,),
            "the frontier leaves no message out": ("m1", "m2"),
            "totals are the sums of what is beneath": (A,),
        },
    ),
    "a cycle": (
        (f"insert into summary_parents values ('{A}', '{C}', 0)",),
        {
            "no node lies under itself": (f"{A} > {C} > {A}",),
            "depth is one above the deepest source": (A,),
            "the time span is that of the sources": (A,),
            "a leaf is made of messages, the rest of summaries": (A,),
            "totals are the sums of what is beneath": (A,),
        },
    ),
    "a summary of itself": (
        (f"insert into summary_parents values ('{C}', '{C}', 2)",),
        {
            "no node lies under itself": (f"{C} > {C}",),
            "depth is one above the deepest source": (C,),
            "totals are the sums of what is beneath": (C,),
        },
    ),
    "a wrong depth": (
        (f"update summaries set depth = 3 where summary_id = '{C}'",),
        {"depth is one above the deepest source": (C,)},
    ),
    "a wrong span": (
        (f"update summaries set latest_at = '2026-04-02 22:40:09' where summary_id = '{C}'",),
        {"the time span is that of the sources": (C,)},
    ),
    "no tokens": (
        (f"update summaries set token_count = 0 where summary_id = '{C}'",),
        {"tokens are recorded": (C,)},
    ),
    "a frontier of what is not there": (
        ("insert into context_items values (2, 5, 'message', 99, null, '')",),
        {"what the frontier names is there": ("m99",)},
    ),
    "a message raw and under a summary": (
        ("insert into context_items values (2, 5, 'message', 4, null, '')",),
        {"the frontier covers no message twice": ("m4",)},
    ),
    "a message nowhere": (
        ("delete from context_items where message_id = 8",),
        {"the frontier leaves no message out": ("m8",)},
    ),
    "messages swapped": (
        (
            "update context_items set message_id = 99 where message_id = 7",
            "update context_items set message_id = 7 where message_id = 8",
            "update context_items set message_id = 8 where message_id = 99",
        ),
        {"messages keep their order": ("m7",)},
    ),
    "a summary that nothing refers to": (
        (stray([5]),),
        {"every summary is under the frontier": ("sum_stray",)},
    ),
    "a call without its result": (
        (
            stray([6]),
            "update context_items set message_id = null, summary_id = 'sum_stray', "
            "item_type = 'summary' where message_id = 6",
        ),
        {"a tool call and its result stay together": ("m7",)},
    ),
    "a cut without a model": (
        reworded("Postgres [Truncated from 99 tokens]"),
        {"a model wrote every summary": (C,)},
    ),
    "a cut in an emergency": (
        (f"update summaries set model = 'emergency-fallback' where summary_id = '{C}'",),
        {"a model wrote every summary": (C,)},
    ),
    "a summary that is longer": (
        reworded("long " * 60),
        {"a summary is shorter than its sources": (C,)},
    ),
    "a pruned frontier": (
        ("update context_items set ordinal = ordinal + 10",),
        {"the frontier is numbered without a gap": ("2",)},
    ),
    "a gap in seq": (
        ("update messages set seq = 9 where seq = 7",),
        {"messages are numbered without a gap": ("2",)},
    ),
    "a part that is missing": (
        ("update message_parts set ordinal = 1 where message_id = 3",),
        {"parts are numbered without a gap": ("m3",)},
    ),
    "a source that is missing": (
        ("update summary_messages set ordinal = 5 where message_id = 2",),
        {"sources are numbered without a gap": (A,)},
    ),
    "a wrong kind": (
        (f"update summaries set kind = 'condensed' where summary_id = '{A}'",),
        {"a leaf is made of messages, the rest of summaries": (A,)},
    ),
    "a source in another conversation": (
        ("update messages set conversation_id = 3 where message_id = 1",),
        {
            "what a summary was made from is there": ("m1",),
            "the time span is that of the sources": (A,),
            "a summary and its sources are of one conversation": (A,),
            "the frontier leaves no message out": ("m1",),
        },
    ),
    "a wrong total": (
        (f"update summaries set descendant_token_count = 1 where summary_id = '{C}'",),
        {"totals are the sums of what is beneath": (C,)},
    ),
    "an index that lacks rows": (
        (
            "delete from messages_fts where rowid = 5",
            f"delete from summaries_fts where summary_id = '{B}'",
        ),
        {"every text is in the index": ("m5", B)},
    ),
    "an index of what is gone": (
        (
            "insert into messages_fts (rowid, content) values (77, 'gone')",
            "insert into summaries_fts (summary_id, content) values ('sum_gone', 'gone')",
        ),
        {"the index holds nothing else": ("m77", "sum_gone")},
    ),
    "an index of other words": (
        ("update messages_fts set content = 'other' where rowid = 5",),
        {"the index holds the text as it is": ("m5",)},
    ),
    "a message that was changed": (
        (
            "update messages set content = 'changed' where message_id = 2",
            "update messages_fts set content = 'changed' where rowid = 2",
        ),
        {"a message is what its identity says": ("m2",)},
    ),
    "a replay": ((replay,), {"nothing was replayed": ("m50",)}),
    "a time that is none": (
        ("update messages set created_at = 'soon' where message_id = 5",),
        {"every message has a time": ("m5",)},
    ),
    "a file that is gone": (
        ("insert into large_files values ('file_x', 2, null, null, 1, 1, '2/gone', '', '')",),
        {
            "a file has its copy on disk": ("file_x",),
            "the content of a file can be read": ("file_x",),
        },
    ),
    "a file outside": (
        ("insert into large_files values ('file_x', 2, null, null, 1, 1, '../lcm.db', '', '')",),
        {"a file lies in the folder of files": ("file_x",)},
    ),
}


@pytest.mark.parametrize("what", LCM)
def test_a_broken_lossless_claw_database_is_seen_to_be_just_that(lcm_db, owner, what):
    """DG-01, DG-02, DG-05, DG-09, DG-10 and DG-12, among others."""
    statements, expected = LCM[what]
    owner(*statements)
    before = lcm_db.read_bytes()
    with open_lcm(lcm_db) as db:
        assert broken(db) == expected
    assert lcm_db.read_bytes() == before


def test_every_rule_of_a_lossless_claw_database_is_broken_by_some_test(lcm_db):
    seen = {rule for _, expected in LCM.values() for rule in expected}
    with open_lcm(lcm_db) as db:
        # Ids are keys there; a Dag made by hand can hold one twice.
        assert {*OF_DAGS, *db.rules} - seen == {"an id names one node"}


def test_a_sound_lossless_claw_database_is_clean(lcm_db):
    with open_lcm(lcm_db) as db:
        found = audit(db)
    assert found["violations"].sum() == 0
    assert list(found["rule"]) == [*OF_DAGS, *open_lcm(lcm_db).rules]


def test_the_reference_database_violates_nothing(shared):
    with open_lcm(shared.parent / "conformance" / "lcm_reference.db") as db:
        assert broken(db) == {}


def test_an_index_of_what_stands_in_the_place_of_a_file_may_differ(lcm_db, owner):
    reference = "[LCM File: file_0123456789abcdef | x | y | 9 bytes]"
    owner(
        f"update messages set content = '{reference} told', identity_hash = null "
        "where message_id = 5",
        f"update messages_fts set content = '{reference}' where rowid = 5",
    )
    with open_lcm(lcm_db) as db:
        assert broken(db) == {}


def test_a_chain_of_5_000_summaries_and_a_cycle_at_its_end_are_audited(lcm_db, owner):
    """DG-04."""
    owner(
        lambda run: add_chain(run, 5_000),
        lambda run: run("insert into summary_parents values ('sum_0', 'sum_2', 0)"),
    )
    with open_lcm(lcm_db) as db:
        found = broken(db)
    assert found["no node lies under itself"] == ("sum_0 > sum_2 > sum_1 > sum_0",)
    assert len(found["every summary is under the frontier"]) == 10


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with a compacted conversation, a large file and a second conversation."""
    path = tmp_path_factory.mktemp("made") / "memory.db"
    log = "\n".join(f"step {n} of the build: ok" for n in range(300))
    parts = (Part("text", "I look."), Part("text", "It is there."))
    more = (
        Message("two", "s1", "assistant", parts, START + 7_000_000_000),
        Message("big", "s1", "tool", (Part("tool_result", log),), START + 8_000_000_000),
        Message("x", "s2", "user", (Part("text", "elsewhere"),), START),
    )
    with Store(path, large=500) as store:
        store.add(Transcripts((*history(6), *more)))
        dag = store.dag("s1")
        for text, at in (("One.", 0), ("Two.", 1)):
            first, last = dag.frontier[at : at + 2]
            dag = dag.replace(first, last, Summary.of(text, [dag.node(first), dag.node(last)]))
        first, last = dag.frontier[:2]
        store.put(dag.replace(first, last, Summary.of("Both.", [dag.node(first), dag.node(last)])))
    return path


@pytest.fixture
def path(made, tmp_path):
    shutil.copytree(made.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "memory.db"


def docs(name):
    message = f"(select number from messages where id = '{name}')"
    return f"(select number from docs where message = {message})"


def ids(path):
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("select id from summaries order by number")
        one, two, both = (name for (name,) in found)
        (file,) = connection.execute("select id from files").fetchone()
    return {"one": one, "two": two, "both": both, "file": file}


TABLES = ("docs_porter_unicode61", "docs_unicode61_remove_diacritics_2")
STORE = {
    "an index of the file that lacks rows": (
        (
            "pragma writable_schema = on",
            "update sqlite_master set sql = 'create index conversations_dirty on conversations "
            "(number)' where name = 'conversations_dirty'",
        ),
        {
            "the file is whole": (
                "row 1 missing from index conversations_dirty",
                "row 2 missing from index conversations_dirty",
                "wrong # of entries in index conversations_dirty",
            )
        },
    ),
    "a reference to what is gone": (
        ("insert into parts values (999, 0, 'text', '', '', 0, null, '', 'lost')",),
        {"what a row refers to is there": ("parts None",)},
    ),
    "a gap in seq": (
        ("update messages set seq = 99 where id = 'big'",),
        {"messages are numbered 0, 1, 2": ("s1",)},
    ),
    "a place out of order": (
        ("update messages set place = 0 where id = 'u3'",),
        {"messages stand in the order of their places": ("u3",)},
    ),
    "a session of another conversation": (
        (
            "update messages set session = (select number from sessions where name = 's2') "
            "where id = 'big'",
        ),
        {"a session is of the conversation of its messages": ("big",)},
    ),
    "a row off the index": (
        (f"update docs set indexed = 0 where number = {docs('u5')}",),
        {
            "what is on the active branch is in the index": ("u5",),
            "what is in the index has a row": tuple(f"{table} 6" for table in TABLES),
            "the index holds what its rows say": TABLES,
        },
    ),
    "wrong tokens": (
        ("update messages set tokens = 77 where id = 'u5'",),
        {"tokens of a message are those of its docs": ("u5",)},
    ),
    "a text that is nowhere": (
        (
            "insert into parts values ((select number from messages where id = 'u5'), 1, "
            "'reasoning', '', '', 0, null, '', null)",
        ),
        {"the text of a part is there": ("u5",)},
    ),
    "a gap in the frontier": (
        ("update frontier set ordinal = 50 where ordinal = (select max(ordinal) from frontier)",),
        {"the frontier is numbered 0, 1, 2": ("s1",)},
    ),
    "no frontier": (
        ("delete from frontier",),
        {
            "every summary is under the frontier": ("{one}", "{two}", "{both}"),
            "a conversation that was compacted has a frontier": ("s1",),
        },
    ),
    "an edge into another conversation": (
        (
            "update edges set message = (select number from messages where id = 'x') "
            "where message = (select number from messages where id = 'u0')",
        ),
        {
            "what a summary was made from is there": ("x",),
            "the time span is that of the sources": ("{one}",),
            "the frontier leaves no message out": ("u0",),
            "what an edge names is of the same conversation": ("{one}",),
        },
    ),
    "other words in the index": (
        (f"update docs set narrow = 'x' where number = {docs('u5')}",),
        {"what is indexed is the text": ("u5",)},
    ),
    "a doc that is not the text": (
        (f"update docs set text = 'other' where number = {docs('two')}",),
        {
            "docs are the texts of the message": ("two",),
            "the index holds what its rows say": TABLES,
        },
    ),
    "a message that was changed": (
        ("update messages set role = 'system' where id = 'u5'",),
        {"the identity is that of the content": ("u5",)},
    ),
    "a row that is not in the index": (
        (f"delete from {TABLES[0]}_docsize where id = 3",),
        {
            "every row is in the index": (f"{TABLES[0]} 3",),
            "the index holds what its rows say": TABLES[:1],
        },
    ),
    "an index of what is gone": (
        (f"insert into {TABLES[0]}_docsize values (99, x'01')",),
        {
            "what is in the index has a row": (f"{TABLES[0]} 99",),
            "the index holds what its rows say": TABLES[:1],
        },
    ),
    "a wrong depth": (
        ("update summaries set depth = 5 where text = 'Both.'",),
        {"depth is one above the deepest source": ("{both}",)},
    ),
    "a cut without a model": (
        ("update summaries set model = 'emergency-fallback' where text = 'Both.'",),
        {"a model wrote every summary": ("{both}",)},
    ),
    "a row of a file that was changed": (
        ("update files set content = x'00'",),
        {"the row of a file holds what was stored": ("{file}",)},
    ),
    "a file outside": (
        ("update files set path = '../memory.db'",),
        {"a file lies in the folder of files": ("{file}",)},
    ),
}


@pytest.mark.parametrize("what", STORE)
def test_a_broken_store_is_seen_to_be_just_that(path, what):
    statements, expected = STORE[what]
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    names = ids(path)
    with Store(path, readonly=True) as store:
        assert broken(store) == {
            rule: tuple(one.format(**names) for one in examples)
            for rule, examples in expected.items()
        }


def test_copies_of_files_that_are_gone_or_changed_are_seen(path):
    (copy,) = path.with_name("memory.db.files").glob("*/*")
    name = ids(path)["file"]
    copy.write_text("changed")
    with Store(path, readonly=True) as store:
        assert broken(store) == {"the copy of a file is what was stored": (name,)}
        copy.unlink()
        assert broken(store) == {"a file has its copy on disk": (name,)}


def test_every_rule_of_a_store_is_broken_by_some_test(path):
    seen = {rule for _, expected in STORE.values() for rule in expected}
    assert set(OF_STORES) - seen == set()
    assert set(faults.QUERIES) - set(OF_STORES) == set()
    assert set(RULES) - set(OF_DAGS) == set()
    assert set(lcm_faults.CHECKS) == set(lcm_faults.MEANINGS)


def test_a_sound_store_is_clean(path):
    with Store(path, readonly=True) as store:
        found = audit(store)
    assert found["violations"].sum() == 0
    assert (found["meaning"] != "").all()


def test_a_store_in_memory_has_no_copies_to_miss():
    with Store(":memory:", large=20) as store:
        store.add(Corpus(["word " * 3_000]))
        assert broken(store) == {}
        assert "a file has its copy on disk" not in set(audit(store)["rule"])


@pytest.fixture
def check(monkeypatch, capsys):
    """Run ``lcm-lab check`` with these words."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["lcm-lab", "check", *map(str, words)])
        try:
            code = cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_check_says_clean_and_ends_with_0(check, path, lcm_db):
    for one in (path, lcm_db):
        code, out, err = check(one)
        assert (code, out.splitlines()[-1], err) == (0, "clean", "")


def test_check_names_what_is_broken_and_ends_with_1(check, lcm_db, owner):
    owner("update messages_fts set content = 'other'")
    code, out, _ = check(lcm_db)
    assert code == 1
    assert "the index holds the text as it is                           7" in out
    assert out.splitlines()[-2:] == [
        "the index holds the text as it is: m1, m2, m3, m4, m5, m7, m8",
        "  Full text finds it by words that it does not hold.",
    ]


def test_check_gives_json_to_programs(check, path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update messages set tokens = 77 where id = 'u5'")
        connection.commit()
    code, out, _ = check(path, "--json")
    rules = {one["rule"]: one for one in json.loads(out)["rules"]}
    assert code == 1
    assert rules["tokens of a message are those of its docs"] == {
        "rule": "tokens of a message are those of its docs",
        "violations": 1,
        "examples": ["u5"],
        "meaning": "Budgets are kept by recorded tokens.",
    }


def test_check_of_what_is_no_store_ends_with_2(check, tmp_path):
    (tmp_path / "x.jsonl").write_text("{}")
    for path in (tmp_path / "x.jsonl", tmp_path / "none.db", tmp_path):
        code, out, err = check(path)
        assert (code, out) == (2, "")
        assert err.startswith("lcm-lab: ")


def test_check_tells_what_an_old_schema_lacks(check, lcm_db, owner):
    owner("alter table summaries drop column model")
    code, out, _ = check(lcm_db)
    assert code == 0
    assert "no summaries.model: nothing says which model wrote a summary" in out.splitlines()


def test_an_audit_changes_nothing(path):
    def dump():
        with closing(sqlite3.connect(path)) as connection:
            return list(connection.iterdump())

    before = dump()
    with Store(path, readonly=True) as store:
        audit(store)
    assert dump() == before
