"""Candidates as a person judges them: numbered, without what found them, without secrets."""

from __future__ import annotations

import pandas as pd

from lcm_lab import markup
from lcm_lab.redact import redact
from lcm_lab.shown import cut
from lcm_lab.synth.overlap import stems

__all__ = ["as_html", "as_text", "excerpt"]

#: Characters of a candidate that are shown.
SHOWN = 500
HOW = "answer(1, 3), answer() for none of them, skip()"


def as_text(question: str, candidates: pd.DataFrame) -> str:
    """Write a question and its candidates for a terminal."""
    lines = [question, ""]
    lines += [
        f"[{number}] {row['role']}, {row['time']}\n    {row['text']}"
        for number, row in candidates.iterrows()
    ]
    return "\n".join([*lines, "", HOW])


def as_html(question: str, candidates: pd.DataFrame) -> str:
    """Write a question and its candidates for a notebook; all that was said is escaped."""
    body = [
        [
            f"<b>{number}</b>",
            f"{markup.line(row['role'])}<br>{markup.line(row['time'])}",
            f"<pre>{markup.text(row['text'])}</pre>",
        ]
        for number, row in candidates.iterrows()
    ]
    table = markup.rows(["", "who, when", "what"], body, caption=f"<b>{markup.line(question)}</b>")
    return markup.page(table, f"<p><code>{markup.line(HOW)}</code></p>")


def excerpt(text: str, question: str) -> str:
    """Give the stretch of a text that holds the most words of a question, without its secrets."""
    bare = redact(text).text
    if len(bare) <= SHOWN:
        return bare
    wanted = stems(question)
    starts = range(0, len(bare) - SHOWN // 2, SHOWN // 2)
    best = max(starts, key=lambda at: (len(wanted & stems(bare[at : at + SHOWN])), -at))
    end = "…" if best + SHOWN < len(bare) else ""
    return f"{'…' if best else ''}{cut(bare[best:], SHOWN)}{end}"
