"""An evaluation as a table for others: LaTeX and Markdown with intervals and n, HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lcm_lab import markup
from lcm_lab.evaluation.views import tables
from lcm_lab.shown import counted, one_line

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation

__all__ = ["html", "latex", "markdown"]

#: What means something to TeX in text, and how it is written.
TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{char: rf"\{char}" for char in "&%$#_{}"},
}


def _cells(result: Evaluation) -> tuple[list[str], list[tuple[str, list[tables.Shown]]]]:
    """Give the headings, and the cells of each system with their intervals."""
    board = tables.leaderboard(result, intervals=True)
    systems = zip(board.index, board.itertuples(index=False), strict=True)
    return list(board.columns), [(str(name), list(row)) for name, row in systems]


def _counts(result: Evaluation) -> list[str]:
    """Give the topics that each mean is over: one number, or from the fewest to the most."""
    summary: pd.DataFrame = result.summary()
    found = []
    for measure in result.measures:
        n = summary.loc[summary["measure"] == str(measure), "n"]
        low, high = (int(n.min()), int(n.max())) if len(n) else (0, 0)
        found.append(f"{low:,}" if low == high else f"{low:,} to {high:,}")
    return found


def _caption(result: Evaluation) -> str:
    judged, talks = result.n_judged
    topics = counted(judged or len(result.bench.topics), "topic")
    units = "these topics" if talks < 2 else counted(talks, "conversation")
    told = (
        f"Means over {topics} of {one_line(result.collection.name)}, with 95 % intervals of a "
        f"bootstrap over {units}. Bold: better than every other system beyond doubt."
    )
    lost = len(result.failures)
    return f"{told} {counted(lost, 'failure')} left out." if lost else told


def markdown(result: Evaluation) -> str:
    """Lay out systems by measures with intervals and n, as GitHub reads tables."""
    heads, rows = _cells(result)
    lines = [["", *heads]]
    for name, cells in rows:
        shown = [f"**{_md(cell.text)}**" if cell.best else _md(cell.text) for cell in cells]
        lines.append([_md(name), *shown])
    lines.append(["n", *_counts(result)])
    ruled = [lines[0], ["---", *["---:"] * len(heads)], *lines[1:]]
    table = "\n".join(f"| {' | '.join(line)} |" for line in ruled)
    return f"{table}\n\n{_md(_caption(result))}\n"


def _md(text: str) -> str:
    """Escape what Markdown would act on; a pipe would end the cell."""
    return re.sub(r"([\\`*_{}\[\]<>|~#$&])", r"\\\1", one_line(text))


def latex(result: Evaluation) -> str:
    """Lay out systems by measures with intervals and n, for the package booktabs."""
    heads, rows = _cells(result)
    lines = [" & ".join(["", *map(_tex, heads)]) + r" \\", r"\midrule"]
    for name, cells in rows:
        shown = [
            rf"\textbf{{{_tex(cell.text)}}}" if cell.best else _tex(cell.text) for cell in cells
        ]
        lines.append(" & ".join([_tex(name), *shown]) + r" \\")
    lines += [r"\midrule", " & ".join(["n", *_counts(result)]) + r" \\"]
    body = "\n".join(lines)
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{_tex(_caption(result))}}}\n"
        f"\\begin{{tabular}}{{l{'r' * len(heads)}}}\n\\toprule\n{body}\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def _tex(text: str) -> str:
    """Write a text so that TeX prints it."""
    return "".join(TEX.get(char, char) for char in one_line(text)).replace("–", "--")


def html(result: Evaluation) -> str:
    """Give the leaderboard as HTML, everything escaped, in the one style of notebooks."""
    board = tables.leaderboard(result)
    body = []
    for name, cells in zip(board.index, board.itertuples(index=False), strict=True):
        told = f'<span title="{markup.line(result.systems[name])}">{markup.line(name)}</span>'
        shown = (markup.line(cell.text) for cell in cells)
        body.append(
            [told, *(f"<b>{t}</b>" if c.best else t for t, c in zip(shown, cells, strict=True))]
        )
    for words in tables.limits(result).itertuples():
        body.append([f"<i>{markup.line(word)}</i>" for word in words])
    topics = counted(len(result.bench.topics), "topic")
    caption = f"{topics} of {markup.line(result.collection.name)}"
    head = ["", *board.columns]
    table = markup.rows(head, body, caption=caption, numbers=" " + "#" * len(board.columns))
    return markup.page(table, markup.notes(result.notes))
