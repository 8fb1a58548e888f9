"""What a compaction report says: headings, how to read each part, and its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.safe import safe

if TYPE_CHECKING:
    from lcm_lab.evaluation.replay.result import Replay

__all__ = ["LIMITS", "SECTIONS", "lost", "snippet", "told"]

#: Name of a section -> its title, and how to read it.
SECTIONS = {
    "result": (
        "Result",
        "A fact is a value that was said, and is kept when it stands as a whole in what the model "
        "sees, or in what searches and expansions bring back: at most 2,000 tokens each and 8,000 "
        "together. The question is the topic's own, never the answer; closed book is without any. "
        "By summaries: searches see summaries alone, so that their text, and a line "
        "“Expand for details about”, must lead to the message. Intervals are of 95 %, from a "
        "bootstrap over conversations. The area is the mean over the logarithm of the budget.",
    ),
    "frontier": (
        "Frontier",
        "Two points that are fixed are not drawn: everything in view keeps everything, and an "
        "empty view without a search keeps nothing.",
    ),
    "claims": (
        "Claims",
        "Differences are paired, fact by fact, over the budgets that both have. A claim holds or "
        "fails where the interval says so. A claim of no gain holds where none is to be seen.",
    ),
    "curves": (
        "By age, condensations and cycle",
        "Age is in tokens: 0 is the newest, 1 the oldest. Condensations are the summaries that lie "
        "over the message, on the way up to the view; 0 stands in view as it was said. Bands are "
        "95 % intervals over conversations.",
    ),
    "fates": (
        "Where the facts went",
        "In view, or brought back by a search or an expansion; else lost. Not found: no search "
        "showed its message or a summary over it. Expand budget ended: one did, and the value was "
        "in the part that did not fit. Of slots that were updated: which values are still there. "
        "Then by kind.",
    ),
    "real": (
        "Beside real summaries",
        "Where a real summary replaced the context of a session: which identifiers of before, that "
        "the agent used again after it, other ways to fill the same room would have kept. What a "
        "session used later was shaped by the summary that it had, which flatters that summary; a "
        "name without its meaning is not a memory.",
    ),
    "cost": (
        "Cost",
        "Over all conversations and cycles. Read and written are the summariser's tokens, over "
        "those of the conversations. Prefix kept is the share of the view, in front, that a prompt "
        "cache still holds after a compaction; rewritten is what it does not. Invented are "
        "identifiers in view that no message holds.",
    ),
    "dag": ("A Dag drawn", "What lies under what. Below, as an outline that unfolds."),
    "lost": ("Facts that were lost", "Spread evenly over all that were lost."),
}

LIMITS = (
    "Whether a model would answer right: a value that is in view can be overlooked, and one that "
    "is not can be guessed. No model is asked.",
    "What an agent with judgement would search for: here it asks the question as it stands, once "
    "of what the user said alone, and opens the best hits. A better agent finds more.",
    "Meaning that is no value: a fact counts as kept when its words stand there, whatever stands "
    "around them.",
    "Money: prices of tokens, and of a cache that is missed, differ by provider. The counts are in "
    "the table of costs.",
)


def told(budget: str, arm: str) -> Iterator[tuple[str, str, str, tuple[str, str, str, str]]]:
    """Yield the curves: column, arm, name of the chart, and its words."""
    for number, one in enumerate(dict.fromkeys(("closed book", arm)), 1):
        yield (
            "age",
            one,
            f"age-{number}",
            (f"By age, {one}", f"At {budget}, in tenths.", "age", "share of facts kept"),
        )
        yield (
            "condensations",
            one,
            f"condensations-{number}",
            (
                f"By condensations, {one}",
                f"At {budget}.",
                "summaries over the message",
                "share of facts kept",
            ),
        )
    yield (
        "cycle",
        "closed book",
        "cycle",
        (
            "By cycle, closed book",
            f"At {budget}, of the facts told by then.",
            "cycle",
            "share of facts kept",
        ),
    )


def lost(row: Any) -> str:
    """Say of a lost fact what it was, who asked for it, and where it went."""
    value, query = safe(" ".join(row.value.split()), 120), safe(" ".join(row.query.split()), 200)
    where = f"{safe(row.conversation, 40)}, {safe(row.source, 60)}"
    over = f"under {row.condensations}" if row.condensations else "in view, cut"
    return (
        f"{row.how}: {safe(row.kind, 40)} “{value}” ({where}; age {row.age:.2f}, {over}). "
        f"Asked: “{query}”"
    )


def snippet(results: Mapping[str, Replay]) -> str:
    """Write the Python that makes the report again."""
    source = next(iter(results.values())).source
    lines = [
        f"    {name!r}: replay(bench, {one.strategy!r}, {one.summariser!r}, cycles={one.cycles}),"
        for name, one in results.items()
    ]
    opened = f"bench = lcm.load({source!r})" if source else "bench = ..."
    return "\n".join([opened, "compaction_report({", *lines, '}).save("reports/compaction")'])
