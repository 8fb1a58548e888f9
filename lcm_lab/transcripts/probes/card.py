"""The card of mined topics: how much of each question its gold holds, and what was dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

from lcm_lab.transcripts.probes.base import Dropped, Kind
from lcm_lab.transcripts.probes.hiding import Hidden
from lcm_lab.transcripts.probes.history import History

__all__ = ["card", "overlaps"]

#: Of real sets, for comparison: share of a question's stems in its gold, and in the best other.
REAL = "LoCoMo .54 (.60), LongMemEval .52 (.46), BEAM .48 (.72)"
AS_OF = (
    "a topic that earlier sessions answer does not see the session that asked it, nor what came "
    "after that began; one that only its own session answers sees nothing from the question on"
)
NOTES = (
    "Nobody judged these topics. What is right follows from what a history did later; other "
    "messages may answer as well.",
    "Known items are kept where an earlier message shares words with the question beside the item, "
    "which favours policies that go by words.",
)


def card(
    history: History,
    topics: Mapping[Kind, Sequence[Hidden]],
    dropped: Dropped,
    *,
    as_of: bool,
) -> dict[str, Any]:
    """State what a mined collection is: sources, kinds, overlap, what is hidden, what was left."""
    kinds = [kind for kind, found in topics.items() if found]
    made = ", ".join(f"{kind.name} ({len(topics[kind])})" for kind in kinds) or "none"
    reach = Counter(one.reach for found in topics.values() for one in found)
    told = {
        **history.facts,
        "unit": "message",
        "topics": f"mined from this history: {made}",
        "types": {kind.name: len(topics[kind]) for kind in kinds},
        "kinds": {kind.name: kind.means for kind in kinds},
        "overlap": overlaps(history, {kind.name: topics[kind] for kind in kinds}),
        "overlap of real sets": f"gold, best distractor in brackets: {REAL}",
        "as of": AS_OF if as_of else "nothing is hidden: a question may find itself",
        "reach": dict(sorted(reach.items())) if as_of else {},
        "dropped": {why: count for why, count in sorted(dropped.items()) if count},
        "notes": list(NOTES),
    }
    return {name: fact for name, fact in told.items() if fact not in ("", [], {})}


def overlaps(
    history: History, topics: Mapping[str, Sequence[Hidden]]
) -> dict[str, dict[str, float | int]]:
    """Measure, for each type, how much of a question its gold and the best other message hold.

    Returns
    -------
    dict of type to dict
        n; gold, zero (the share of topics whose gold holds no stem of them) and best_distractor,
        means over topics in [0, 1]; tie_or_beat, the median number of others that hold as much as
        the best gold. Of topics without gold only n and best_distractor.
    """
    return {name: _overlap(history, found) for name, found in topics.items() if found}


def _overlap(history: History, topics: Sequence[Hidden]) -> dict[str, float | int]:
    shares, rivals, beaten = [], [], []
    for one in topics:
        query, size = one.draft.query, history.seen(one.before)
        gold = history.place[list(one.gold)].tolist() if one.gold else []
        rivals.append(history.overlap.rival(query, gold, size))
        if gold:
            share, others = history.overlap.of(query, gold, size)
            shares.append(share)
            beaten.append(others)
    told: dict[str, float | int] = {"n": len(topics)}
    if shares:
        told["gold"] = round(fmean(shares) / 1000, 3)
        told["zero"] = round(sum(share == 0 for share in shares) / len(shares), 3)
    told["best_distractor"] = round(fmean(rivals) / 1000, 3)
    if beaten:
        told["tie_or_beat"] = median(beaten)
    return told
