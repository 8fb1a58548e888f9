"""The sentences of a report: its answer, how its numbers were made, and what they do not show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.rows import rows
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from lcm_lab.evaluation.result import Evaluation
    from lcm_lab.measures import Measure

__all__ = [
    "ANCHORS",
    "BEYOND",
    "NOT_DRAWN",
    "WEAKNESSES",
    "answer",
    "interval",
    "limits",
    "machine",
]

#: Entries of a collection's card that a reader must not miss.
WEAKNESSES = ("weaknesses", "known_weaknesses")
NOT_DRAWN = {
    "recall-by-k": "Recall by depth is not drawn: no question has a relevant message.",
    "quality-latency": "Quality against latency is not drawn: no search was timed.",
    "per-type": "Quality per type is not drawn: no question of a known type has a value.",
}

BY_CONVERSATION = (
    "The interval is a bootstrap that resamples whole conversations, since questions of one "
    "conversation are not independent"
)
BY_QUESTION = (
    "All questions are of one conversation, so the interval is a bootstrap that resamples "
    "questions, and says nothing about other conversations"
)
#: What each section does not show.
BEYOND = {
    "result": (
        "Which policy is best elsewhere: real collections disagree about the order of rankers, "
        "mostly by message length and by who writes."
    ),
    "cost": (
        "Latency under load: searches were timed one after another, none waiting for another, on "
        "whatever else the machine did. What a hosted model would cost is not in the figures."
    ),
    "types": (
        "Differences that were looked for in advance: these tables are many looks at the same "
        "questions, and some of their cells stand out by chance."
    ),
    "abstention": (
        "Whether an agent would abstain: this is the order of top scores, and a threshold has to "
        "be chosen on other questions than these. Where questions without an answer are of another "
        "length or style than those with one, as mined ones are, a score that grows with the words "
        "of a question tells them apart by that alone."
    ),
    "anchors": (
        "A ranking of memory systems. Units, questions and measures differ between the sets, and "
        "accuracy of answers, which most products quote, is another quantity."
    ),
    "questions": (
        "Messages that nobody judged: a hit without a mark counts as not relevant, and may be."
    ),
    "worst": (
        "A fair sample: the lowest questions of one system are chosen by that system's failures, "
        "and some of them fail because a judgement is wrong."
    ),
}
ANCHORS = (
    "Figures recorded by the same measures on public sets: binary relevance, stemmed words without "
    "stop words, k1 = 1.2, b = 0.75; naive is text split at white space. A harness that gives "
    "others for such systems, on such a set at such a unit, has a fault. AnyR@k asks for any "
    "relevant document among the first k, AllR@k for all of them."
)
COST_ALONE = "No measure of what is found was asked for; this page shows cost alone."
RETRIEVAL = (
    "Whether an answer written from the hits would be right. This page measures what is found, and "
    "nothing else; the quality of answers is another quantity and never shares a table with it."
)
UNPAIRED = (
    "That systems which no test tells apart are equal. There may be too few questions to tell; and "
    "two intervals that overlap can still hide a difference that is consistent."
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
    "Latency under load. Searches were timed one after another; waiting behind other searches is "
    "not in the figures, and what else the machine did meanwhile is."
)


def interval(conversations: int) -> str:
    """Say how intervals and bold were made, over so many conversations of judged questions."""
    over, unit = (
        (BY_QUESTION, "questions") if conversations == 1 else (BY_CONVERSATION, "conversations")
    )
    return (
        f"{over}; of values that are 0 or 1, and nearly all alike, it is Wilson's. Bold: better "
        f"than every other system, by a permutation test of all pairs at once (max-T over {unit}, "
        "5 %)."
    )


def answer(
    summary: pd.DataFrame,
    measure: Measure | None,
    near: Sequence[str] | None,
    conversations: int,
) -> str:
    """Say what the table shows for the first measure, to follow the name of its best system.

    Parameters
    ----------
    summary : DataFrame
        system, mean, low, high, n of the first measure.
    measure : Measure or None
    near : sequence of str, or None
        The systems that a test of all pairs does not tell from the best; None where there is no
        such test, or where it does not make the best the best: it failed on some topic, or a random
        order does as well.
    conversations : int
        Of the questions that have a value.
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
        alone = "It is the only system here with a value, so there is nothing to hold it against."
        return f"{told} {alone}"
    if near is None:
        return f"{told} Whether it is better than the others is not settled here."
    if not near:
        return f"{told} Compared question by question it is better than every other system here."
    return f"{told} {_near(near, len(known) - 1)}"


def _near(near: Sequence[str], others: int) -> str:
    """Say from which of the others no test tells the best."""
    if len(near) > 4:
        told = f"{len(near)} of the {others} others"
    else:
        told = near[0] if len(near) == 1 else f"{', '.join(near[:-1])} and {near[-1]}"
    which = "the two" if len(near) == 1 else "these"
    return (
        f"Compared question by question it is not told apart from {told}; the order among {which} "
        "is not settled here."
    )


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
