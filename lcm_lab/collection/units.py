"""Re-cutting a corpus into exchanges or sessions, and carrying the judgements along."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter, nearest

__all__ = ["Unit", "carry", "check", "cut"]

Unit = Literal["turn", "exchange", "session"]

#: What a unit of several rows no longer has one of.
LOST = ("role", "kind", "speaker")
#: What a merged row says where its parts differ; elsewhere the column is left empty.
MIXED = {"scope": "messages", "kind": "text"}


def check(unit: str, topics: pd.DataFrame) -> None:
    """Refuse an unknown unit, and topics whose filters a unit could not satisfy.

    Raises
    ------
    BadParameter
    """
    known = get_args(Unit)
    if unit not in known:
        raise BadParameter(
            f"unit must be one of {', '.join(known)}. Got {unit!r}.{nearest(str(unit), known)}"
        )
    filtered = [name for name in LOST if name in topics and topics[name].notna().any()]
    if unit != "turn" and filtered:
        raise BadParameter(
            f"Topics filter on {', '.join(filtered)}, which a whole {unit} does not have. "
            "Keep units('turn'), or drop the column from the topics."
        )


def cut(corpus: Corpus, unit: Unit) -> tuple[Corpus, pd.Series]:
    """Merge the rows of each unit.

    Returns
    -------
    Corpus
        A row a unit: text of its rows, one a line (with ``speaker: `` before it where several
        speak), the newest time, and every text column in which its rows agree. An exchange takes
        the docno of its first row; a session is ``conversation/session``.
    Series
        The docno of the unit, by the docno of the row.
    """
    frame = corpus.frame()
    session = frame.groupby(["conversation", "session"], sort=False).ngroup()
    frame = frame.iloc[np.argsort(session.to_numpy(), kind="stable")].reset_index(drop=True)
    starts = _starts(frame, np.sort(session.to_numpy()), unit)
    number = pd.Series(np.cumsum(starts), index=frame.index)
    merged = _merge(frame, number)
    if unit == "session":
        merged["docno"] = _session_names(merged)
    names = merged["docno"].to_numpy()
    return Corpus(merged), pd.Series(names[number.to_numpy() - 1], index=frame["docno"].to_numpy())


def _starts(
    frame: pd.DataFrame, session: npt.NDArray[np.int64], unit: Unit
) -> npt.NDArray[np.bool_]:
    fresh = np.ones(len(frame), bool)
    fresh[1:] = session[1:] != session[:-1]
    if unit == "session":
        return fresh
    by_session = frame.groupby(session, sort=False)
    user = ((frame["role"] == "user") & (frame["kind"] == "text")).to_numpy()
    has_user = pd.Series(user).groupby(session).transform("any").to_numpy()
    speaker = frame["speaker"].to_numpy()
    opener = by_session["speaker"].transform("first").to_numpy()
    takes_turn = (speaker == opener) & (np.roll(speaker, 1) != opener)
    several = by_session["speaker"].transform("nunique").to_numpy() > 1
    pair = by_session.cumcount().to_numpy() % 2 == 0
    chosen = np.where(has_user, user, np.where(several, takes_turn, pair))
    return np.asarray(fresh | chosen, dtype=np.bool_)


def _merge(frame: pd.DataFrame, number: pd.Series) -> pd.DataFrame:
    groups = frame.groupby(number, sort=True)
    named = frame["speaker"].where(frame["speaker"] != "")
    several = named.groupby(number).transform("nunique") > 1
    prefix = (frame["speaker"] + ": ").where(several & (frame["speaker"] != ""), "")
    out = pd.DataFrame({"docno": groups["docno"].first(), "seq": groups["seq"].first()})
    out["text"] = (prefix + frame["text"]).groupby(number).agg("\n".join)
    out["time"] = groups["time"].max()
    for name in frame.columns.difference([*out.columns, "tokens"], sort=False):
        if pd.api.types.is_string_dtype(frame[name].dtype):
            same = groups[name].min() == groups[name].max()
            out[name] = groups[name].first().where(same, MIXED.get(name, ""))
    return out.reset_index(drop=True)


def _session_names(units: pd.DataFrame) -> pd.Series:
    plain = (units["session"] == "") | (units["session"] == units["conversation"])
    return units["conversation"].where(plain, units["conversation"] + "/" + units["session"])


def carry(
    qrels: pd.DataFrame, unit_of: pd.Series, topics: pd.DataFrame, corpus: Corpus
) -> tuple[pd.DataFrame, int]:
    """Map judgements of rows to the units that hold them.

    A unit gets the highest grade of its rows, and is stale only when all its judged rows are.

    Returns
    -------
    DataFrame
        Judgements of units that the question may see.
    int
        How many were left out since their unit was not complete when the question was asked.
    """
    mapped = qrels.assign(docno=unit_of.reindex(qrels["docno"]).to_numpy())
    how = {"relevance": "max", **({"stale": "min"} if "stale" in qrels else {})}
    mapped = mapped.groupby(["qid", "docno"], sort=False).agg(how).reset_index()
    horizon = topics.set_index("qid")["asked_at"]
    if "before" in topics:
        horizon = topics.set_index("qid")["before"].fillna(horizon)
    newest = corpus["time"].set_axis(corpus["docno"]).reindex(mapped["docno"])
    limit = horizon.reindex(mapped["qid"])
    hidden = (newest.reset_index(drop=True) >= limit.reset_index(drop=True)).to_numpy(bool)
    return mapped[~hidden].reset_index(drop=True), int(hidden.sum())
