"""What ``bench tools`` does: time ``lcm_grep`` beside the SQL of lossless-claw."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd

from lcm_lab.agent import show
from lcm_lab.agent.group import say
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.evaluation.bench.tools import LIMIT, ReferenceSQL, bench_tools, work_of, write_lcm
from lcm_lab.evaluation.bench.zipf import zipf
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.store.lcm.database import open_lcm

__all__ = ["timed_tools"]


def timed_tools(size: int, questions: int, seed: int, *, json: bool) -> str:
    """Time the tool over a database of so many made-up messages, and write the table."""
    made = zipf(size, questions=questions, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lcm.db"
        write_lcm(made.corpus, path)
        say(f"{path.stat().st_size / 1e6:,.0f} MB")
        work = work_of(made)
        del made
        with open_lcm(path) as held, closing(ReferenceSQL(path)) as reference:
            started = time.perf_counter()
            ours = LcmTools(held)
            ours.corpus()
            say(f"rows read in {time.perf_counter() - started:,.1f} s")
            tools: dict[str, Any] = {
                "lcm_grep": _asked(ours),
                "lcm_grep, search=BM25()": _asked(_over(ours, BM25())),
                "lossless-claw's SQL": reference,
            }
            started = time.perf_counter()
            for ask in tools.values():
                ask("full_text", work["full text, content words"][1][0])
            say(f"indexed in {time.perf_counter() - started:,.1f} s")
            frame = bench_tools(tools, work, seed)
    return show.as_json(frame.to_dict("records")) if json else _told(frame, size)


def _over(tools: LcmTools, policy: Ranker) -> LcmTools:
    """Give tools that share what was read and indexed."""
    other = LcmTools(tools.store, policy)
    other.shares(tools)
    return other


def _asked(tools: LcmTools) -> Any:
    def ask(mode: Any, text: str) -> Any:
        return tools.lcm_grep(text, mode=mode, sort="relevance", limit=LIMIT, allConversations=True)

    return ask


def _told(frame: pd.DataFrame, size: int) -> str:
    blocks = []
    for work, rows in frame.groupby("work", sort=False):
        lines = [
            [
                str(row["tool"]),
                f"{row['p50']:,.1f} ms",
                f"{row['p95']:,.1f} ms",
                f"{row['wall']:,.1f} ms",
                f"{row['answered']:.0%}",
            ]
            for row in rows.to_dict("records")
        ]
        head = [f"{work} (n = {rows['n'].iloc[0]:,})", "p50", "p95", "p50 wall", "answered"]
        blocks.append(show.grid(lines, head))
    told = (
        f"{size:,} made-up messages, all of them searched, {LIMIT} hits asked for. Times are of "
        "the processor, and on the clock where so named; answered: the share of questions with any "
        "hit. The SQL tries a pattern on the newest 10,000 messages alone, and finds what holds "
        "every word."
    )
    return "\n\n".join([*blocks, told])
