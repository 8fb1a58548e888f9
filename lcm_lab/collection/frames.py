"""The two tables of a collection, checked and brought into one form."""

from __future__ import annotations

from collections.abc import Collection as Names

import pandas as pd

from lcm_lab.errors import BadInput
from lcm_lab.times import instant
from lcm_lab.topics import ids

__all__ = ["instants", "qrels", "topics"]

#: A gain is 2 ** grade - 1, which must stay a number.
HIGHEST = 100
TIMES = ("asked_at", "since", "before")


def topics(frame: pd.DataFrame) -> pd.DataFrame:
    """Check topics: unique text qids, a text query, instants as UTC timestamps, nothing shared.

    Raises
    ------
    BadInput
        A missing column, a missing query, or a qid twice.
    """
    need(frame, ("qid", "query"), "topics")
    out = frame.reset_index(drop=True).copy()
    out["qid"] = pd.Series(ids(out["qid"], "topics"), dtype=object)
    if out["query"].isna().any():
        raise BadInput(f"Topic {out['qid'][out['query'].isna()].iloc[0]!r} has no query.")
    out["query"] = out["query"].astype(str)
    refuse_twice(out, ["qid"], "topics")
    out["type"] = out["type"].fillna("").astype(object) if "type" in out else ""
    for column, empty in (("answer", None), ("asked_at", None)):
        if column not in out:
            out[column] = empty
    for column in out.columns.difference(["qid", "query", "type"]):
        given = out[column].astype(object)
        out[column] = instants(given) if column in TIMES else given.where(given.notna(), None)
    return out


def instants(column: pd.Series) -> pd.Series:
    """Read a column of instants (text, numbers or timestamps; naive is UTC) as UTC timestamps."""
    read = [None if pd.isna(item) else instant(item) for item in column.tolist()]
    stamps = pd.to_datetime(pd.Series(read, dtype="Int64", index=column.index), unit="us", utc=True)
    return stamps.astype("datetime64[us, UTC]")


def qrels(frame: pd.DataFrame, asked: Names[str]) -> pd.DataFrame:
    """Check judgements: known qids, whole grades of at least 0, no pair twice.

    Raises
    ------
    BadInput
        A missing column, a grade that is no whole number, a pair twice, or a qid nobody asks.
    """
    need(frame, ("qid", "docno", "relevance"), "qrels")
    columns = ["qid", "docno", "relevance", *(["stale"] if "stale" in frame else [])]
    out = frame[columns].reset_index(drop=True).copy()
    for column in ("qid", "docno"):
        out[column] = pd.Series(ids(out[column], "qrels"), dtype=object)
    out["relevance"] = _grades(out["relevance"])
    if "stale" in out:
        out["stale"] = out["stale"].fillna(False).astype(bool)
    refuse_twice(out, ["qid", "docno"], "qrels")
    strangers = sorted(set(out["qid"]) - set(asked))
    if strangers:
        shown = ", ".join(strangers[:3])
        raise BadInput(
            f"qrels judge {len(strangers)} questions that topics do not ask ({shown}). "
            "Give both with the same qids."
        )
    return out


def need(frame: pd.DataFrame, columns: tuple[str, ...], what: str) -> None:
    """Refuse a table that lacks a column.

    Raises
    ------
    BadInput
        Names the columns that are missing and those that are there.
    """
    if not isinstance(frame, pd.DataFrame):
        raise BadInput(f"{what} are a DataFrame with {', '.join(columns)}. Got {frame!r:.60}.")
    missing = [column for column in columns if column not in frame]
    if missing:
        there = ", ".join(map(str, frame.columns)) or "no columns"
        raise BadInput(f"{what} need {', '.join(missing)}. There is {there}.")


def refuse_twice(frame: pd.DataFrame, key: list[str], what: str) -> None:
    """Refuse a table in which a key occurs more than once.

    Raises
    ------
    BadInput
        Names the first key that is there twice.
    """
    again = frame[frame.duplicated(key)]
    if not again.empty:
        first = " ".join(map(str, again.iloc[0][key]))
        raise BadInput(
            f"{what} hold {first!r} more than once; each {' and '.join(key)} stands once."
        )


def _grades(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = numbers.isna() | (numbers % 1 != 0) | ~numbers.between(-HIGHEST, HIGHEST)
    if wrong.any():
        raise BadInput(
            f"A relevance is a whole number from 0 to {HIGHEST}. Got {column[wrong].tolist()[0]!r}."
        )
    return numbers.clip(lower=0).astype("int64")  # TREC marks junk by grades below 0
