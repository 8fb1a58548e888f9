"""What a search seems to find when it may look at what did not exist yet when it was asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from lcm_lab.errors import BadInput, unknown
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.measures import Measure

__all__ = ["hindsight", "told"]

#: The columns of topics that hide what came later.
HORIZON = ("asked_at", "before")


def hindsight(result: Evaluation, measure: Measure | None = None) -> pd.DataFrame:
    """Measure systems as of the moment of each question, and again with nothing hidden.

    Parameters
    ----------
    result : Evaluation
        On a collection with ``asked_at`` or ``before`` in its topics, as `mine` gives. Topics
        without either, those with nothing to find, and those on which a system has no value one
        way or the other, are left out of both its scores.
    measure : Measure, optional
        One that was evaluated and counts hits; by default the first of them.

    Returns
    -------
    DataFrame
        system, measure, as_of and nothing_hidden (means over the same topics), n (those topics).

    Raises
    ------
    BadInput
        When no topic hides anything, the evaluation was loaded and holds no policies, or it has no
        measure of what is found.
    NotFound
        For a measure that was not evaluated.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.measures import R
    >>> told = ["We host it on Hetzner.", "Lunch?", "Where do we host it?", "Hetzner hosts it all."]
    >>> rows = [{"text": text, "time": f"2026-01-0{day}"} for day, text in enumerate(told, 1)]
    >>> topics = {"qid": ["q1"], "query": ["where do we host it?"], "asked_at": ["2026-01-03"]}
    >>> qrels = {"qid": ["q1"], "docno": ["m1"], "relevance": [1]}
    >>> made = lcm.Collection("h", lcm.Corpus(rows), pd.DataFrame(topics), pd.DataFrame(qrels))
    >>> result = lcm.evaluate({"bm25": lcm.BM25()}, on=made, measures=[R @ 1])
    >>> hindsight(result)[["as_of", "nothing_hidden", "n"]].values.tolist()
    [[1.0, 0.0, 1.0]]
    """
    measure, made = _chosen(result, measure), result.collection
    hiding = made.topics.reindex(columns=list(HORIZON)).notna().any(axis=1)
    asked = made.topics[hiding & (result.bench.n_relevant > 0)]
    if asked.empty:
        raise BadInput(f"No topic of {made.name!r} hides anything, so both scores are the same.")
    if not result.policies:
        raise BadInput("This evaluation was loaded: it names its systems and holds none. Run it.")
    open_ = asked.drop(columns=[column for column in HORIZON if column in asked])
    judged = made.qrels[made.qrels["qid"].isin(asked["qid"])]
    later = evaluate(
        result.policies, on=replace(made, topics=open_, qrels=judged), measures=[measure]
    )
    place = result.collection.topics["qid"].isin(asked["qid"]).to_numpy()
    rows = []
    for name in result.systems:
        both = result.values(name, measure)[place], later.values(name, measure)
        known = ~np.isnan(both[0] + both[1])
        means = [float(one[known].mean()) if known.any() else float("nan") for one in both]
        rows.append((name, str(measure), *means, int(known.sum())))
    return pd.DataFrame(rows, columns=["system", "measure", "as_of", "nothing_hidden", "n"])


def _chosen(result: Evaluation, measure: Measure | None) -> Measure:
    """Give the measure that is asked for, or the first that counts hits."""
    if measure is not None:
        if measure not in result.measures:
            raise unknown("measure here", str(measure), map(str, result.measures))
        return measure
    found = next((one for one in result.measures if _counts(one)), None)
    if found is None:
        raise BadInput("No measure of what is found was evaluated. Evaluate with nDCG@10.")
    return found


def told(found: pd.DataFrame) -> str:
    """Say both scores in a sentence: what the notes of a report hold."""
    scores = "; ".join(
        f"{row.system} {row.as_of:.3f} and {row.nothing_hidden:.3f}" for row in found.itertuples()
    )
    n, least = int(found["n"].max()), int(found["n"].min())
    fewer = "" if least == n else f", down to {least:,} where a system failed"
    return (
        f"{found['measure'].iloc[0]} as of the moment of each question, and with nothing hidden, "
        f"when a question can find itself and what came later (n = {n:,} topics "
        f"that were asked at a moment{fewer}): {scores}."
    )


def _counts(measure: Measure) -> bool:
    return measure.per == "topic" and measure.needs == "qrels"
