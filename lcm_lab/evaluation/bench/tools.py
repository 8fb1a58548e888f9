"""Tools timed beside the SQL of the system that they come from, on one database of its schema."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.bench.zipf import Zipf
from lcm_lab.evaluation.progress import progress
from lcm_lab.ranking.exact.match import matching
from lcm_lab.times import show_all

__all__ = ["LIMIT", "ReferenceSQL", "bench_tools", "work_of", "write_lcm"]

#: Hits that are asked for, rows that the reference tries a pattern on, questions before any counts.
LIMIT, SCANNED, WARM = 50, 10_000, 3

#: Asks for a question or a pattern: (mode, text).
Ask = Callable[[str, str], Any]

_SCHEMA = """
create table conversations (conversation_id integer primary key, session_id text not null,
    session_key text, active integer not null default 1, archived_at text, archive_cause text,
    title text, bootstrapped_at text, created_at text not null, updated_at text not null);
create table messages (message_id integer primary key, conversation_id integer not null,
    seq integer not null, role text not null, content text not null, token_count integer not null,
    identity_hash text, transcript_entry_id text, created_at text not null, large_content text,
    unique (conversation_id, seq));
create table message_parts (part_id text primary key, message_id integer not null,
    session_id text not null, part_type text not null, ordinal integer not null, text_content text,
    tool_call_id text, tool_name text, tool_status text, tool_input text, tool_output text,
    tool_error text, metadata text, unique (message_id, ordinal));
create table summaries (summary_id text primary key, conversation_id integer not null,
    kind text not null, depth integer not null, content text not null, token_count integer not null,
    earliest_at text, latest_at text, descendant_count integer not null default 0,
    descendant_token_count integer not null default 0,
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
"""
_WORDS = """
    select m.message_id, m.conversation_id, m.role,
        snippet(messages_fts, 0, '', '', '...', 32), rank, m.created_at
    from messages_fts join messages m on m.message_id = messages_fts.rowid
    where messages_fts match ? order by rank, m.created_at desc limit ?
"""
_ROWS = """
    select message_id, conversation_id, role, content, created_at from messages
    order by created_at desc limit ?
"""


def write_lcm(corpus: Corpus, path: Path) -> None:
    """Write a corpus as a database of lossless-claw's schema, its index included."""
    times = [time.removesuffix("Z").replace("T", " ") for time in show_all(corpus.column("time"))]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"pragma synchronous = off; {_SCHEMA}")
        run = connection.executemany
        codes, names = corpus.codes("conversation")
        talks = ((at, name, name, times[0], times[0]) for at, name in enumerate(names, 1))
        run(
            "insert into conversations (conversation_id, session_id, session_key, created_at, "
            "updated_at) values (?, ?, ?, ?, ?)",
            talks,
        )
        said = zip(codes.tolist(), corpus["text"], corpus["seq"], times, strict=True)
        rows = (
            (at, talk + 1, int(seq), "user", text, len(text) // 4, when)
            for at, (talk, text, seq, when) in enumerate(said, 1)
        )
        run(
            "insert into messages (message_id, conversation_id, seq, role, content, token_count, "
            "created_at) values (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        connection.execute(
            "insert into messages_fts (rowid, content) select message_id, content from messages"
        )
        connection.commit()


class ReferenceSQL:
    """What lossless-claw asks of its database, by the same statements.

    Its patterns run on JavaScript's engine; here Python's `re`, which backtracks as that does,
    stands in for it, on the newest 10,000 rows as there.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)

    def __call__(self, mode: str, text: str) -> list[Any]:
        """Give the hits of a question or a pattern."""
        if mode == "full_text":
            expression = matching(text, "all", "lossless-claw")
            return self.connection.execute(_WORDS, (expression, LIMIT)).fetchall()
        found, pattern = list[Any](), re.compile(text)
        for row in self.connection.execute(_ROWS, (SCANNED,)):
            match = pattern.search(row[3])
            if match:
                found.append((*row, match[0]))
                if len(found) == LIMIT:
                    break
        return found

    def close(self) -> None:
        """Close the database."""
        self.connection.close()


def work_of(made: Zipf) -> dict[str, tuple[str, list[str]]]:
    """Give pieces of work: what it is called, to the mode and the questions or patterns."""
    pairs = [question.split()[:2] for question in made.content if len(question.split()) > 1]
    return {
        "full text, natural question": ("full_text", made.natural),
        "full text, content words": ("full_text", made.content),
        "regex, one of two words": ("regex", [f"{a}|{b}" for a, b in pairs]),
        "regex, one after the other": ("regex", [rf"\b{a}\b.*\b{b}\b" for a, b in pairs]),
    }


def bench_tools(
    tools: Mapping[str, Ask], work: Mapping[str, tuple[str, Sequence[str]]], seed: int = 0
) -> pd.DataFrame:
    """Time tools side by side: every question goes to every one, in an order drawn anew.

    Parameters
    ----------
    tools : mapping of str to callable
        Each answers (mode, text) with something that has a length.
    work : mapping
        As `work_of` gives it.
    seed : int
        Of the order.

    Returns
    -------
    DataFrame
        A row a tool and a piece of work: tool, work, n, p50 and p95 in milliseconds of processor
        time, wall (p50 on the clock), answered (share of questions with any hit).
    """
    rng, rows = np.random.default_rng(seed), []
    names = list(tools)
    for what, (mode, asked) in work.items():
        for text in asked[:WARM]:
            for name in names:
                tools[name](mode, text)
        spent = np.zeros((2, len(asked), len(names)))
        hits = np.zeros((len(asked), len(names)), int)
        for at, text in enumerate(progress(asked, what)):
            for place in rng.permutation(len(names)):
                started = np.array((time.process_time(), time.perf_counter()))
                hits[at, place] = len(tools[names[place]](mode, text))
                ended = np.array((time.process_time(), time.perf_counter()))
                spent[:, at, place] = ended - started
        for place, name in enumerate(names):
            p50, p95 = np.percentile(spent[0, :, place], (50, 95)) * 1e3
            wall = float(np.median(spent[1, :, place])) * 1e3
            share = float((hits[:, place] > 0).mean())
            row = {"tool": name, "work": what, "n": len(asked), "p50": p50, "p95": p95}
            rows.append(row | {"wall": wall, "answered": share})
    return pd.DataFrame(rows)
