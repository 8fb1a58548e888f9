"""Serving over files that are locked, missing, damaged, of a newer schema, or that change."""

import asyncio
import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from lcm_lab.agent.mcp.families import FAMILIES, families
from lcm_lab.agent.mcp.live import Live
from lcm_lab.agent.mcp.server import registered, server_of
from lcm_lab.errors import BadInput, NotFound, OverBudget
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store import opening
from lcm_lab.store.store import Store
from lcm_lab.times import instant

pytest.importorskip("mcp", reason="the MCP SDK is not installed: serving is not tested")

KEY = "agent:main:main"
#: A question to each tool that a good store has an answer to.
ASKED = {
    "lcm_grep": {"pattern": "Postgres", "allConversations": True},
    "sessions_search": {"query": "postgres"},
    "sessions_history": {"sessionKey": KEY},
    "search": {"query": "which database"},
    "read": {"path": "s1.jsonl"},
}


def fill(path, text="Postgres, since the orders need transactions."):
    with Store(path) as store:
        for at, said in enumerate(("Which database shall we take?", text)):
            role = ("user", "assistant")[at]
            when = instant(f"2026-03-01T10:0{at}:00Z")
            made = Message(
                f"m{at}", "s1", role, (Part("text", said),), when, source="s1.jsonl", line=at + 1
            )
            store.append(made, Session("s1", key=KEY))


def whole(path):
    """Give the bytes of a store, its log worked in."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    return path.read_bytes()


def missing(path):
    path.unlink()


def junk(path):
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 20)


def empty(path):
    path.write_bytes(b"")


def text(path):
    path.write_text("no database at all")


def folder(path):
    path.unlink()
    path.mkdir()


def damaged(path):
    content = whole(path)
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096))


def shortened(path):
    content = whole(path)
    path.write_bytes(content[: len(content) // 2])


def newer(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 99")


#: What was done to a store, and what is said of it.
FAULTS = {
    missing: "No store '{}'. Make one with lcm-lab import",
    junk: "is no sound SQLite database: file is not a database",
    empty: "is no SQLite database",
    text: "is no SQLite database",
    folder: "is a folder or a device",
    damaged: "is damaged: database disk image is malformed",
    shortened: "is damaged: database disk image is malformed",
    newer: "was written by a newer lcm_lab (schema 99; this one knows 1)",
}


@pytest.mark.parametrize(
    ("harm", "told"), FAULTS.items(), ids=lambda one: getattr(one, "__name__", "")
)
def test_a_store_that_cannot_be_read_is_one_line_of_every_command(lcm_lab, tmp_path, harm, told):
    fill(tmp_path / "memory.db")
    harm(tmp_path / "memory.db")
    for words in (
        ["serve", "--store", "memory.db"],
        ["sessions", "search", "postgres", "--on", "memory.db"],
        ["sessions", "history", KEY, "--on", "memory.db"],
        ["episodic", "search", "postgres", "--on", "memory.db"],
        ["episodic", "read", "s1.jsonl", "--on", "memory.db"],
    ):
        done = lcm_lab(*words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), words
        assert told.format("memory.db") in done.err, words


@pytest.fixture
def impatient(monkeypatch):
    """Wait a moment for another process, not half a minute."""
    monkeypatch.setattr(opening, "PATIENCE", 0.05)


@pytest.fixture
def locked(tmp_path, impatient):
    """Keep a store to oneself."""
    path = tmp_path / "locked.db"
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("pragma locking_mode = exclusive")
        connection.execute("begin exclusive")
        yield path
        connection.execute("rollback")


def test_a_locked_store_is_one_line_of_every_command(lcm_lab, locked):
    for words in (
        ["serve", "--store", locked],
        ["sessions", "search", "postgres", "--on", locked],
        ["episodic", "search", "postgres", "--on", locked],
    ):
        done = lcm_lab(*words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), words
        assert "Another process has kept" in done.err


def live(path):
    return Live(str(path), lambda held: registered(families(held, ",".join(FAMILIES))))


def ask(one, asked=ASKED):
    """Ask tools of a live file over MCP."""
    from mcp import Client

    async def asking():
        server = server_of(one.tools, one.lent)
        async with Client(server, read_timeout_seconds=60) as client:
            return {name: await client.call_tool(name, given) for name, given in asked.items()}

    return asyncio.run(asking())


@pytest.fixture
def served(tmp_path):
    path = tmp_path / "memory.db"
    fill(path)
    with closing(live(path)) as one:
        yield path, one


def swap(path, harm):
    """Put a copy that something was done to in the place of a store."""
    copy = path.with_name("copy.db")
    copy.write_bytes(whole(path))
    harm(copy)
    for log in path.parent.glob("memory.db-*"):
        log.unlink()
    if copy.exists():
        copy.replace(path)
    else:
        path.unlink()


@pytest.mark.parametrize("harm", [missing, junk, damaged, newer], ids=lambda one: one.__name__)
def test_a_store_that_goes_bad_while_it_is_served_is_told_of_by_every_call(served, harm):
    path, one = served
    assert not any(answer.is_error for answer in ask(one).values())
    kept = whole(path)
    swap(path, harm)
    told = "is gone since it was opened" if harm is missing else FAULTS[harm]
    for name, answer in ask(one).items():
        assert answer.is_error, name
        assert told in answer.content[0].text
        assert answer.structured_content["error"] == answer.content[0].text
    path.unlink(missing_ok=True)
    path.write_bytes(kept)
    assert not any(answer.is_error for answer in ask(one).values())


def test_a_store_that_is_locked_in_the_place_of_another_is_told_of(served, locked):
    path, one = served
    path.unlink()
    path.hardlink_to(locked)
    for answer in ask(one).values():
        assert answer.is_error
        assert "Another process has kept" in answer.content[0].text


def test_another_store_under_the_same_name_is_answered_from(served):
    path, one = served
    ask(one)
    swap(path, missing)
    fill(path, "Postgres it was; MariaDB it is.")
    for name, answer in ask(one).items():
        assert not answer.is_error, name
        assert "MariaDB" in answer.content[0].text, name


def test_what_is_written_to_a_store_while_it_is_served_is_found(served):
    path, one = served
    ask(one)
    with Store(path) as store:
        said = (Part("text", "zyxmarker"),)
        store.append(Message("m9", "s1", "user", said), Session("s1", key=KEY))
    found = ask(one, {"sessions_search": {"query": "zyxmarker"}})
    assert "m9" in found["sessions_search"].content[0].text


def test_what_its_owner_writes_to_a_lossless_claw_database_is_found(shared, tmp_path):
    file = shared.parent / "conformance" / "lcm_reference.db"
    if not file.is_file():
        pytest.skip("no ../shared/conformance/lcm_reference.db")
    shutil.copyfile(file, tmp_path / "lcm.db")
    asked = {"search": {"query": "zyxmarker"}}
    with closing(live(tmp_path / "lcm.db")) as one:
        assert "Found 0 exchanges" in ask(one, asked)["search"].content[0].text
        with closing(sqlite3.connect(tmp_path / "lcm.db", isolation_level=None)) as owner:
            (last,) = owner.execute("select max(message_id) from messages").fetchone()
            owner.execute(
                "update messages set content = 'zyxmarker', role = 'user' where message_id = ?",
                (last,),
            )
            owner.execute("delete from message_parts where message_id = ?", (last,))
        assert "zyxmarker" in ask(one, asked)["search"].content[0].text


def test_a_file_is_closed_when_no_call_stands_on_it_any_more(served):
    path, one = served
    with one.lent():
        before = one._now
        swap(path, missing)
        fill(path, "MariaDB.")
        with one.lent():
            assert one._now is not before
            assert before.held.conversations()["name"].tolist() == ["s1"]
    with pytest.raises(Exception, match="closed"):
        before.held.conversations()


def test_what_cannot_be_opened_is_refused_before_it_is_served(tmp_path):
    with pytest.raises(NotFound):
        live(tmp_path / "none.db")
    fill(tmp_path / "memory.db")
    newer(tmp_path / "memory.db")
    with pytest.raises(BadInput, match="newer"):
        live(tmp_path / "memory.db")


def test_a_locked_file_is_refused_before_it_is_served(locked):
    with pytest.raises(OverBudget):
        live(locked)
