"""The sentences of a report: its answer, how its numbers were made, and what they do not show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lcm_lab.evaluation.tables import ENOUGH
from lcm_lab.reporting.rows import rows
from lcm_lab.shown import counted

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure

__all__ = ["INTERVAL", "NOT_DRAWN", "WEAKNESSES", "answer", "limits", "machine"]

#: Entries of a collection's card that a reader must not miss.
WEAKNESSES = ("weaknesses", "known_weaknesses")
NOT_DRAWN = {
    "recall-by-k": "Recall by depth is not drawn: no question has a relevant message.",
    "quality-latency": "Quality against latency is not drawn: no search was timed.",
    "per-type": "Quality per type is not drawn: no question of a known type has a value.",
}

INTERVAL = (
    "The interval is a bootstrap that resamples whole conversations, since questions of one "
    "conversation are not independent. Bold: better than every other system in a paired bootstrap "
    f"of the same kind, which takes {ENOUGH} conversations or more."
)
COST_ALONE = "No measure of what is found was asked for; this page shows cost alone."
RETRIEVAL = (
    "Whether an answer written from the hits would be right. This page measures what is found, and "
    "nothing else; the quality of answers is another quantity and never shares a table with it."
)
UNPAIRED = (
    "Whether the order below the best is real. Only the best is compared with every other question "
    "by question; two intervals that overlap can still hide a difference that is consistent."
)
UNJUDGED = (
    "Relevant messages that nobody judged. A hit without a judgement counts as not relevant, so "
    "true quality may be higher."
)
OTHER_SETS = (
    "Which policy is best elsewhere. Real collections disagree about the order of rankers, mostly "
    "by message length and by who writes; run the report on a history like yours before choosing."
)
SERVICE = (
    "Latency under load. Searches were timed one after another on an idle system; waiting behind "
    "other searches is not in the figures."
)


def answer(summary: pd.DataFrame, measure: Measure | None, sure: bool, conversations: int) -> str:
    """Say what the table shows for the first measure, to follow the name of its best system.

    Parameters
    ----------
    summary : DataFrame
        system, mean, low, high, n of the first measure.
    measure : Measure or None
    sure : bool
        Whether the best was found better than every other.
    conversations : int
    """
    known = summary.dropna(subset=["mean"])
    if measure is None:
        return COST_ALONE
    if known.empty:
        return f"No question has a value of {measure}, so there is nothing to rank (n = 0)."
    up = measure.higher_is_better
    best = (max if up else min)(rows(known), key=lambda row: row.mean)
    told = (
        f"reaches the {'highest' if up else 'lowest'} mean {measure}: "
        f"{best.mean:.3f}{_interval(best)} over {counted(int(best.n), 'question')} in "
        f"{counted(conversations, 'conversation')}."
    )
    if len(known) == 1:
        return f"{told} It is the only system here, so there is nothing to hold it against."
    if sure:
        return f"{told} Compared question by question it is better than every other system here."
    return f"{told} {_near(known, best)}"


def _near(known: pd.DataFrame, best: Any) -> str:
    """Say whose intervals overlap that of the best."""
    others = known[known["system"] != best.system]
    clear = (others["high"] < best.low) | (others["low"] > best.high)
    near = others.loc[~clear, "system"].tolist()
    if not near:
        return "No other interval reaches into its own."
    if len(near) > 4:
        return f"Its interval overlaps those of {len(near)} others; the order is not settled here."
    listed = near[0] if len(near) == 1 else f"{', '.join(near[:-1])} and {near[-1]}"
    those = "that" if len(near) == 1 else "those"
    return f"Its interval overlaps {those} of {listed}; the order among them is not settled here."


def machine(kind: str) -> str:
    """Say what the times were taken on, and that they alone change from run to run."""
    return f"Taken on {kind}; the times are the only numbers here that change from run to run."


def limits(evaluation: Evaluation, conversations: int) -> list[str]:
    """List what a reader must not conclude from the page."""
    few = (
        f"How far {counted(conversations, 'conversation')} can stand for others. With fewer "
        "than 20 the interval itself is rough."
    )
    told = [RETRIEVAL, OTHER_SETS, UNPAIRED, *([few] if conversations < 20 else []), UNJUDGED]
    told += [SERVICE] if len(evaluation.latency) else []
    return told + _weaknesses(evaluation.collection.card)


def _weaknesses(card: dict[str, Any]) -> list[str]:
    told = [card[name] for name in WEAKNESSES if name in card]
    return [str(item) for part in told for item in ([part] if isinstance(part, str) else part)]


def _interval(row: Any) -> str:
    if math.isnan(row.low) or math.isnan(row.high):
        return ""
    return f" [{row.low:.3f}, {row.high:.3f}]"
