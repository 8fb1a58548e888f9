"""A lossless-claw database, made as its owner makes one: two segments of a session, compacted."""

import sqlite3
from contextlib import closing
from hashlib import sha256

import pytest

SCHEMA = """
create table conversations (conversation_id integer primary key autoincrement,
    session_id text not null, session_key text, active integer not null default 1,
    archived_at text, archive_cause text, title text, bootstrapped_at text,
    created_at text not null, updated_at text not null default '');
create table messages (message_id integer primary key autoincrement,
    conversation_id integer not null, seq integer not null, role text not null,
    content text not null, token_count integer not null, identity_hash text,
    transcript_entry_id text, created_at text not null, large_content text,
    unique (conversation_id, seq));
create table message_parts (part_id text primary key, message_id integer not null,
    session_id text not null, part_type text not null, ordinal integer not null,
    text_content text, is_ignored integer, is_synthetic integer, tool_call_id text,
    tool_name text, tool_status text, tool_input text, tool_output text, tool_error text,
    tool_title text, patch_hash text, patch_files text, file_mime text, file_name text,
    file_url text, subtask_prompt text, subtask_desc text, subtask_agent text,
    step_reason text, snapshot_hash text, metadata text, unique (message_id, ordinal));
create table summaries (summary_id text primary key, conversation_id integer not null,
    kind text not null, depth integer not null default 0, content text not null,
    token_count integer not null, earliest_at text, latest_at text,
    descendant_count integer not null default 0, descendant_token_count integer not null default 0,
    source_message_token_count integer not null default 0, created_at text not null,
    file_ids text not null default '[]', model text not null default 'unknown');
create table summary_messages (summary_id text not null, message_id integer not null,
    ordinal integer not null, primary key (summary_id, message_id));
create table summary_parents (summary_id text not null, parent_summary_id text not null,
    ordinal integer not null, primary key (summary_id, parent_summary_id));
create table context_items (conversation_id integer not null, ordinal integer not null,
    item_type text not null, message_id integer, summary_id text, created_at text,
    primary key (conversation_id, ordinal));
create table large_files (file_id text primary key, conversation_id integer not null,
    file_name text, mime_type text, byte_size integer, line_count integer,
    storage_uri text not null, exploration_summary text, created_at text not null);
create virtual table messages_fts using fts5(content, tokenize='porter unicode61');
create virtual table summaries_fts using fts5(
    summary_id unindexed, content, tokenize='porter unicode61');
"""

SAID = [
    ("user", "Which database shall we take for the orders, and why would that be the best choice?"),
    ("assistant", "Postgres, since the orders need transactions and we know how to run it well."),
    ("user", "And how long shall a worker wait before it tries a failed order once more?"),
    (
        "assistant",
        "Five seconds, doubling up to a minute, with a little noise so that none collide.",
    ),
    ("user", "Please look at the configuration of the workers and tell me what is in there now."),
    ("assistant", ""),
    ("tool", "retry: 5s"),
    ("assistant", "The retry is five seconds already."),
]
#: id, kind, depth, text, sources: messages 1 and 2, 3 and 4, then the two.
MADE = [
    ("sum_aaaaaaaaaaaaaaaa", "leaf", 0, "Postgres for the orders, for its transactions.", [1, 2]),
    ("sum_bbbbbbbbbbbbbbbb", "leaf", 0, "Retry after 5 s, doubling to 60 s, with noise.", [3, 4]),
    (
        "sum_cccccccccccccccc",
        "condensed",
        1,
        "Postgres; retry 5 s to 60 s.",
        [
            "sum_aaaaaaaaaaaaaaaa",
            "sum_bbbbbbbbbbbbbbbb",
        ],
    ),
]
TOKENS = 20


def write(path, run):
    """Change a database as its owner would: ``run`` is called with its execute."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma synchronous = off")
        run(connection.execute)
        connection.commit()


def make(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = off")
        connection.executescript(SCHEMA)
        run = connection.execute
        day = "2026-04-02 22:40:"
        run(
            "insert into conversations values (1, 'run-1', 'agent:main:main', 0, ?, "
            "'manual-reset', 'before', null, ?, '')",
            (f"{day}00", f"{day}00"),
        )
        run(
            "insert into conversations values (2, 'run-2', 'agent:main:main', 1, null, null, "
            "'now', null, ?, '')",
            ("2026-04-03 08:00:00",),
        )
        run(
            "insert into conversations values (3, 'other', null, 1, null, null, null, null, ?, '')",
            ("2026-04-01 00:00:00",),
        )
        for number, (role, text) in enumerate(SAID, 1):
            identity = sha256(f"{role}\x00{text}".encode()).hexdigest()
            row = (number, 2, number - 1, role, text, TOKENS, identity, f"{day}{number:02}")
            run("insert into messages values (?, ?, ?, ?, ?, ?, ?, null, ?, null)", row)
            if text:
                run("insert into messages_fts (rowid, content) values (?, ?)", (number, text))
        parts = [
            (n, 0, {"part_type": "text", "text_content": t}) for n, (_, t) in enumerate(SAID, 1)
        ]
        parts[5] = (
            6,
            0,
            {
                "part_type": "tool",
                "tool_call_id": "t1",
                "tool_name": "bash",
                "tool_input": '{"command": "cat workers.yaml"}',
                "metadata": '{"rawType": "toolCall", "raw": {"type": "toolCall"}}',
            },
        )
        parts[6] = (
            7,
            0,
            {
                "part_type": "tool",
                "tool_call_id": "t1",
                "tool_name": "bash",
                "metadata": '{"originalRole": "toolResult", "rawType": "toolResult", "raw": '
                '{"type": "toolResult", "content": '
                '[{"type": "text", "text": "retry: 5s\\nqueue: orders"}]}}',
            },
        )
        for message, ordinal, part in parts:
            add_part(run, message, ordinal, **part)
        for name, kind, depth, text, sources in MADE:
            add_summary(run, name, kind, depth, text, sources)
        run(
            "update summaries set descendant_count = 2, descendant_token_count = ? where depth = 1",
            (2 * TOKENS,),
        )
        run("update summaries set source_message_token_count = ? where depth = 0", (2 * TOKENS,))
        run("update summaries set source_message_token_count = ? where depth = 1", (4 * TOKENS,))
        frontier = ["sum_cccccccccccccccc", 5, 6, 7, 8]
        for ordinal, name in enumerate(frontier):
            both = (None, name) if isinstance(name, str) else (name, None)
            kind = "summary" if isinstance(name, str) else "message"
            row = (2, ordinal, kind, *both, f"{day}30")
            run("insert into context_items values (?, ?, ?, ?, ?, ?)", row)
        connection.commit()


def add_part(run, message, ordinal, **columns):
    row = {
        "part_id": f"{message}-{ordinal}",
        "message_id": message,
        "session_id": "run-2",
        "ordinal": ordinal,
        **columns,
    }
    marks = ", ".join("?" * len(row))
    run(f"insert into message_parts ({', '.join(row)}) values ({marks})", tuple(row.values()))


def add_summary(run, name, kind, depth, text, sources):
    first, last = (1, 4) if depth else (min(sources), max(sources))
    span = (f"2026-04-02T22:40:{first:02}.000Z", f"2026-04-02T22:40:{last:02}.000Z")
    row = (name, 2, kind, depth, text, TOKENS, *span, "2026-04-02 22:41:00")
    run(
        "insert into summaries (summary_id, conversation_id, kind, depth, content, token_count, "
        "earliest_at, latest_at, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    run("insert into summaries_fts (summary_id, content) values (?, ?)", (name, text))
    for ordinal, source in enumerate(sources):
        table = "summary_parents" if isinstance(source, str) else "summary_messages"
        run(f"insert into {table} values (?, ?, ?)", (name, source, ordinal))


def add_chain(run, size):
    """Add as many summaries, each made of the one before and the first of message 5."""
    add_summary(run, "sum_0", "leaf", 0, "x", [5])
    for n in range(1, size):
        run(
            "insert into summaries (summary_id, conversation_id, kind, depth, content, "
            "token_count, created_at) values (?, 2, 'condensed', ?, 'x', 1, '')",
            (f"sum_{n}", n),
        )
        run("insert into summary_parents values (?, ?, 0)", (f"sum_{n}", f"sum_{n - 1}"))


@pytest.fixture
def lcm_db(tmp_path):
    """The path of a lossless-claw database: conversation 2 has 8 messages and 3 summaries."""
    path = tmp_path / "owner" / "lcm.db"
    path.parent.mkdir()
    make(path)
    return path


@pytest.fixture
def owner(lcm_db):
    """Write to it as its owner: give statements, or a function of ``execute``."""

    def change(*statements):
        def run(execute):
            for statement in statements:
                statement(execute) if callable(statement) else execute(statement)

        write(lcm_db, run)

    change.add_part = add_part
    return change
