"""What a reader must know beside the numbers: who was left out, and what limits a measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.corpus import BEHIND
from lcm_lab.errors import BadInput
from lcm_lab.evaluation.behaviour import depth, failed, no_hits, surfaced, tied
from lcm_lab.evaluation.judge import Bench
from lcm_lab.evaluation.limits import limits
from lcm_lab.evaluation.naming import LISTED, some_of
from lcm_lab.measures import Measure
from lcm_lab.run import Run
from lcm_lab.shown import counted

__all__ = ["FEW", "facts", "require_judgements"]

#: With fewer conversations than this, an interval over conversations is itself uncertain.
FEW = 20


def require_judgements(bench: Bench, measures: Sequence[Measure]) -> None:
    """Refuse measures that no topic could have a value of.

    Raises
    ------
    BadInput
        When no topic has a relevant document, or stale ones are asked for and none is marked.
    """
    judged = [measure for measure in measures if measure.needs in ("qrels", "stale")]
    if not judged or not len(bench.topics):
        return
    if not bench.relevant.any():
        raise BadInput(
            f"None of the {len(bench.topics)} topics of {bench.collection.name!r} has a document "
            f"of grade {bench.relevant_from} or above, so {judged[0]} has no value. "
            f"There are {len(bench.grade)} judgements. Add qrels, or measure Latency or Tokens."
        )
    stale = next((measure for measure in judged if measure.needs == "stale"), None)
    if stale is not None and not bench.stale.any():
        raise BadInput(
            f"{stale} needs qrels that mark what was superseded. Those of "
            f"{bench.collection.name!r} mark nothing. "
            "Add a column 'stale' (true or false)."
        )


def facts(
    bench: Bench,
    measures: Sequence[Measure],
    runs: Mapping[str, Run],
    units: npt.NDArray[np.int64],
    failures: pd.DataFrame,
) -> list[str]:
    """State what limits the numbers, a sentence a fact: what failed first, then what is general."""
    return [
        *failed(bench, runs, failures),
        *_indexing(bench),
        *_mined(bench),
        *_left_out(bench),
        *_out_of_reach(bench),
        *limits(bench, measures),
        *depth(bench, measures, runs),
        *no_hits(bench, runs, failures),
        *tied(bench, measures, runs),
        *surfaced(bench, runs, failures),
        *_few(units, bench),
    ]


def _indexing(bench: Bench) -> Iterator[str]:
    corpus = bench.collection.corpus
    behind = [*(corpus.kept(BEHIND) or ()), *bench.collection.card.get("indexing", ())]
    names = list(dict.fromkeys(map(str, behind)))
    if names:
        shown = ", ".join(names[:LISTED])
        more = f", and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
        yield (
            f"The index was behind: {counted(len(names), 'conversation')} not up to date ({shown}"
            f"{more}). These numbers are of what was indexed until then; run it again when done."
        )


def _mined(bench: Bench) -> Iterator[str]:
    made = bench.collection.card.get("topics")
    if isinstance(made, str) and made:
        yield (
            f"Nobody asked these questions: they are {made}. What they measure is told in the "
            "collection's card."
        )


def _left_out(bench: Bench) -> Iterator[str]:
    nothing = np.flatnonzero(bench.n_relevant == 0)
    if len(nothing) or not len(bench.topics):
        yield (
            f"There is nothing to find for {some_of(bench.topics.qids, nothing)}; left "
            "out of every mean of what is found."
        )


def _out_of_reach(bench: Bench) -> Iterator[str]:
    hidden = np.unique(bench.topic[bench.hidden])
    if len(hidden):
        yield (
            f"For {some_of(bench.topics.qids, hidden)} something relevant lies outside the "
            f"rows that the topic may see ({counted(int(bench.hidden.sum()), 'document')} in all); "
            "it counts as missed for every system."
        )
    lost = bench.collection.card.get("unknown_docnos", [])
    if lost:
        yield f"Not in the corpus, and not counted: {counted(len(lost), 'judged document')}."


def _few(units: npt.NDArray[np.int64], bench: Bench) -> Iterator[str]:
    """Count the conversations of what is judged: a topic with nothing to find is alone in one."""
    judged = bench.n_relevant > 0 if bench.relevant.any() else np.ones(len(units), bool)
    n = len(np.unique(units[judged]))
    if n == 1:
        which = "All topics" if judged.all() else "All topics with something to find"
        yield (
            f"{which} are of one conversation: intervals resample topics, and say nothing about "
            "other conversations."
        )
    elif 1 < n < FEW:
        yield (
            f"Intervals resample {n} conversations; fewer than {FEW} are too few to trust their "
            f"width{_held(n)}. Resampling topics instead would hide how conversations differ."
        )


def _held(n: int) -> str:
    """Say how often so few conversations hold the truth; simulated, see `significance.interval`."""
    held = {2: 50, 3: 75, 4: 87}
    return f", and with {n} they hold the truth in about {held[n]} % of cases" if n in held else ""
