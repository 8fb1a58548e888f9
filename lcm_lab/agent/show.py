"""What commands print: text for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lcm_lab.redact import redact
from lcm_lab.shown import cut, one_line, unstyled

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation

__all__ = ["as_json", "count", "grid", "hits", "moment", "result", "result_facts"]

#: A passage is so wide and so many lines long, and is looked for in so much of a text.
WIDTH, LINES, LOOK = 96, 3, 20_000


def as_json(thing: object) -> str:
    """Write JSON as programs read it: no NaN, times as ISO instants, no secrets.

    Text is escaped only where standard output could not hold it.
    """
    escaped = not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    return json.dumps(_plain(thing), ensure_ascii=escaped, indent=2, allow_nan=False)


def grid(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """Lay out rows under a head; columns but the first are aligned right.

    Examples
    --------
    >>> print(grid([["bm25", "0.5"]], head=["system", "R"]))
    system    R
    bm25    0.5
    """
    lines = [list(map(one_line, line)) for line in (head, *rows)]
    wide = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(w) if i else cell.ljust(w)
            for i, (cell, w) in enumerate(zip(line, wide, strict=True))
        ).rstrip()
        for line in lines
    )


def hits(frame: pd.DataFrame, question: str, explained: Sequence[str] = ()) -> str:
    """Print hits: a line of facts each, the parts of the score when asked, and a passage."""
    from lcm_lab.text import Analyzer

    analyzer = Analyzer()
    wanted = set(analyzer.query(question))
    told = []
    for row in frame.to_dict("records"):
        lines = _wrapped(row["text"])
        telling = [len(wanted.intersection(analyzer.terms(line))) for line in lines]
        told.append("\n".join([*_facts(row, explained), *_passage(lines, telling)]))
    return "\n\n".join(told)


def _facts(row: Mapping[Any, Any], explained: Sequence[str]) -> list[str]:
    who = row.get("speaker") or row.get("role")
    where = [who, row.get("conversation"), moment(row.get("time"))]
    facts = "  ".join(one_line(str(part)) for part in (row["docno"], *where) if part)
    lines = [f"{row['rank']:>3}  {row['score']:<8.4g} {facts}"]
    return lines + [f"       {_step(row[name], name):>8}  {name}" for name in explained]


def _step(value: float, name: str) -> str:
    return count(value) if name.startswith("rank in ") else _amount(value)


def _wrapped(text: str) -> list[str]:
    """Give a text as lines, without secrets and without what a terminal would act on."""
    # Redacted before the cut: half a secret is still part of one.
    plain = one_line(cut(redact(unstyled(text)).text, LOOK))
    lines = textwrap.wrap(plain, WIDTH) or [""]
    for above in range(len(lines) - 1):
        both = lines[above] + lines[above + 1]
        lines[above] = cut(both, len(lines[above]))
        lines[above + 1] = both[len(lines[above]) :]
    return lines


def _passage(lines: Sequence[str], telling: Sequence[int]) -> list[str]:
    """Give the few lines in a row that hold most words of the question, the first among equals."""
    found = [sum(telling[i : i + LINES]) for i in range(max(len(lines) - LINES, 0) + 1)]
    start = found.index(max(found))
    passage = list(lines[start : start + LINES])
    passage[0] = f"… {passage[0]}" if start else passage[0]
    passage[-1] = f"{passage[-1]} …" if start + LINES < len(lines) else passage[-1]
    return [f"     {line}" for line in passage]


def result(evaluation: Evaluation) -> str:
    """Print an evaluation: systems by measures with 95 % intervals, then what to know about it."""
    summary = evaluation.summary()
    measures = [str(measure) for measure in evaluation.measures]
    found = {(row.system, row.measure): row for row in summary.itertuples()}
    rows = [
        [name, *(_figure(found.get((name, m))) for m in measures)] for name in evaluation.systems
    ]
    counts = [
        f"n = {int(n):,}"
        for n in summary.groupby("measure", sort=False)["n"].max().reindex(measures).fillna(0)
    ]
    rows.append(["", *counts])
    head = [f"{m}, ms" if m.unit == "ms" else str(m) for m in evaluation.measures]
    notes = [
        textwrap.fill(note, WIDTH, initial_indent="- ", subsequent_indent="  ")
        for note in evaluation.notes
    ]
    return "\n".join(
        [repr(evaluation.collection), "", grid(rows, ["system", *head]), "", *notes]
    ).rstrip()


def result_facts(evaluation: Evaluation) -> dict[str, Any]:
    """Give an evaluation as JSON knows it: systems, summary with intervals, failures, notes."""
    return {
        "collection": evaluation.collection.name,
        "fingerprint": evaluation.collection.fingerprint,
        "systems": evaluation.systems,
        "summary": evaluation.summary().to_dict("records"),
        "failures": evaluation.failures.to_dict("records"),
        "notes": list(evaluation.notes),
    }


def _figure(row: Any) -> str:
    if row is None or math.isnan(row.mean):
        return "–"
    if math.isnan(row.low):
        return _amount(row.mean)
    return f"{_amount(row.mean)} [{_amount(row.low)}, {_amount(row.high)}]"


def count(value: Any) -> str:
    """Print a whole number; nothing where it is not known."""
    return "" if _missing(value) else f"{int(value):,}"


def _amount(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"


def moment(time: Any) -> str:
    """Print a time to the minute; nothing where it is not known."""
    return "" if _missing(time) else str(time.strftime("%Y-%m-%d %H:%M"))


def _missing(thing: Any) -> bool:
    import pandas as pd

    return thing is None or (pd.api.types.is_scalar(thing) and bool(pd.isna(thing)))


def _plain(thing: Any) -> Any:
    """Give a value as JSON knows it; what is unknown is null, not NaN."""
    if isinstance(thing, Mapping):
        return {str(key): _plain(item) for key, item in thing.items()}
    if isinstance(thing, str | bool | int):
        return redact(thing).text if isinstance(thing, str) else thing
    if isinstance(thing, Iterable):
        return [_plain(item) for item in thing]
    if _missing(thing) or (isinstance(thing, float) and not math.isfinite(thing)):
        return None
    if hasattr(thing, "isoformat"):
        return thing.isoformat()
    return thing.item() if hasattr(thing, "item") else thing
