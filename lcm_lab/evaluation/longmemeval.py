"""LongMemEval's three averages of one run, by name: figures that differ by up to eight points.

Published figures rarely say which one they are. None counts what the others do: who is left out
differs, and so does what is gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.errors import BadInput
from lcm_lab.measures import Measure

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["DENOMINATORS", "denominators"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

#: By name: what is counted, and how many questions that is of the 500.
DENOMINATORS = {
    "strict": "answerable, and a turn of the user is evidence; gold are the sessions with such a "
    "turn (419 of 500; the official summary)",
    "answerable": "answerable; gold as in strict, and where there is none AllR is 1 and all else 0 "
    "(470 of 500; the official table)",
    "all": "every question, those that cannot be answered too; gold are all answer sessions (500 "
    "of 500; most vendors)",
}
COLUMNS = ("told_by_user", "answer_sessions")


def denominators(result: Evaluation) -> pd.DataFrame:
    """Average an evaluation of LongMemEval's sessions in the three ways that are published.

    Parameters
    ----------
    result : Evaluation
        On ``lcm.load(...)`` of a published file (S, M, oracle), cut by ``.units("session")``.

    Returns
    -------
    DataFrame
        system, measure, denominator ("strict", "answerable", "all", see `DENOMINATORS`), n, mean.
        Only measures of what is found are there.

    Raises
    ------
    BadInput
        For a collection that is not LongMemEval's, or is not cut into sessions.

    Notes
    -----
    The official index holds the user's turns alone; here the hits are taken as they are. A topic
    that failed counts as if it had no hits.

    References
    ----------
    .. [1] Wu et al. (2024), LongMemEval; src/retrieval/run_retrieval.py and
       src/evaluation/print_retrieval_metrics.py.
    """
    topics = result.collection.topics
    if any(name not in topics for name in COLUMNS):
        raise BadInput(
            f"{result.collection.name!r} is not LongMemEval as published: its topics have no "
            f"{' and '.join(COLUMNS)}. Load longmemeval_s or _m, or the oracle."
        )
    chosen = [measure for measure in result.measures if measure.needs == "qrels"]
    told, answers = (_judged_by(result, name) for name in COLUMNS)
    answerable = ~topics["qid"].astype(str).str.endswith("_abs").to_numpy(bool)
    by_user = np.array([bool(told) for told in topics["told_by_user"]], bool)
    rows = [
        (system, str(measure), *row)
        for system, run in result.runs.items()
        for measure in chosen
        for row in _means(
            measure,
            measure.per_topic(told.bench.judge(run)),
            measure.per_topic(answers.bench.judge(run)),
            answerable,
            by_user,
        )
    ]
    return pd.DataFrame(rows, columns=["system", "measure", "denominator", "n", "mean"])


def _judged_by(result: Evaluation, column: str) -> Evaluation:
    """Take the sessions that a column lists as gold, of every question."""
    collection = result.collection
    there, rows = set(collection.corpus["docno"]), []
    for qid, sessions in zip(collection.topics["qid"], collection.topics[column], strict=True):
        rows += [(qid, docno, 1) for docno in sessions if docno in there]
    listed = collection.topics[column].map(len).sum()
    if len(rows) < listed:
        raise BadInput(
            f"{listed - len(rows):,} of {listed:,} answer sessions of {collection.name!r} are no "
            'documents. Cut it first: bench.units("session").'
        )
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "relevance"])
    made = Collection(collection.name, collection.corpus, collection.topics, qrels)
    return replace(result, collection=made)


def _means(
    measure: Measure, told: Floats, answers: Floats, answerable: Bools, by_user: Bools
) -> Iterator[tuple[str, int, float]]:
    """Yield name, n and mean of each way."""
    strict = told[answerable & by_user]
    nothing = np.full(int((answerable & ~by_user).sum()), float(measure.name == "AllR"))
    for name, values in (
        ("strict", strict),
        ("answerable", np.concatenate([strict, nothing])),
        ("all", answers),
    ):
        yield name, int((~np.isnan(values)).sum()), measure.average(values)
