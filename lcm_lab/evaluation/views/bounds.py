"""What a measure can move between: the best order there is, a random one, and who is left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.views.chance import chance
from lcm_lab.measures import Measure
from lcm_lab.run import Hits, Run

__all__ = ["beyond", "bounded", "bounds", "luck", "oracle"]

Bools = npt.NDArray[np.bool_]

#: A measure of which a random order has this share of the best ranks nothing.
GIVEN = 0.9

COLUMNS = ["measure", "random", "ceiling", "n", "no_gold", "hidden", "beyond", "draws"]


def bounded(measure: Measure) -> bool:
    """Tell whether a measure has bounds: those of what is found have, those of cost have none."""
    return measure.needs in ("qrels", "stale") and measure.per == "topic"


def bounds(bench: Bench, measures: Sequence[Measure], seed: int = 0) -> pd.DataFrame:
    """Give the mean of the best and of a random order, a row a measure.

    Returns
    -------
    DataFrame
        As `Evaluation.bounds` documents.
    """
    rows = []
    for measure in filter(bounded, measures):
        best = measure.per_topic(bench.judge(oracle(bench, measure)))
        luck = chance(bench, measure, seed)
        rows.append(
            (
                str(measure),
                measure.average(luck.values),
                measure.average(best),
                int((~np.isnan(best)).sum()),
                int((bench.n_relevant == 0).sum()),
                len(np.unique(bench.topic[bench.hidden])),
                int(beyond(bench, measure).sum()),
                luck.draws,
            )
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def luck(found: pd.DataFrame) -> list[str]:
    """Name the measures of a table of bounds by which nothing can be told from a random order."""
    given = found["random"] >= GIVEN * found["ceiling"]
    return [str(name) for name in found.loc[given & (found["ceiling"] > 0), "measure"]]


def beyond(bench: Bench, measure: Measure) -> Bools:
    """Tell for which topics with something to find k is not below the rows there are to rank.

    Of a budget of tokens: not below the tokens of all these rows.
    """
    if measure.at is None or not bounded(measure):
        return np.zeros(len(bench.topics), bool)
    there = bench.pool if measure.cutoff == "hits" else bench.pool_tokens
    return np.asarray((bench.n_relevant > 0) & (there <= measure.at))


def oracle(bench: Bench, measure: Measure) -> Run:
    """Rank what was judged as well as it can be ranked for a measure, within what each topic sees.

    Highest grade first, the shorter of two alike first; where tokens are counted the shortest of
    the relevant first, whatever their grade; nothing stale where that counts against it.
    """
    usable = ~bench.outside & (bench.grade > 0)
    if measure.needs == "stale":
        usable &= ~bench.stale
    which = np.flatnonzero(usable)
    tokens = bench.collection.corpus.numpy("tokens")[bench.row[which]]
    worth = bench.relevant[which] if measure.cutoff == "tokens" else bench.grade[which]
    which = which[np.lexsort((bench.row[which], tokens, -worth.astype(int), bench.topic[which]))]
    topic = bench.topic[which]
    offsets = np.searchsorted(topic, np.arange(len(bench.topics) + 1)).astype(np.int64)
    falling = np.arange(len(which), 0.0, -1.0)
    return Run.of(bench.topics, Hits(offsets, bench.row[which], falling))
