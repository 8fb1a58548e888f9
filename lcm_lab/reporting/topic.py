"""A topic in words: its type, what narrowed it, and moments as a page prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["facts", "kind", "moment", "words"]


def kind(topic: Any) -> str:
    """Give the type of a topic, blank where it has none."""
    return words(topic.get("type"))


def facts(evaluation: Evaluation, i: int) -> str:
    """Say of the topic at a position its id, its answer, and what narrowed the search."""
    topic = evaluation.collection.topics.iloc[i]
    told = [str(topic["qid"])]
    answer = words(topic.get("answer"))
    told += [f"answer: {answer}"] if answer else []
    given = evaluation.bench.topics.filters[i]
    asked = {"before": moment(given["before"])} if "before" in given else {}
    narrowed = {name: value for name, value in given.items() if name != "before"} | asked
    return " · ".join([*told, *(f"{name} {words(value)}" for name, value in narrowed.items())])


def words(given: object) -> str:
    """Print what a column of the topics holds; blank for nothing."""
    if given is None or (not isinstance(given, list | tuple | set) and bool(pd.isna(given))):  # type: ignore[call-overload]
        return ""
    return (
        ", ".join(map(str, given))
        if isinstance(given, Sequence) and not isinstance(given, str)
        else str(given)
    )


def moment(given: object) -> str:
    """Print an instant to the minute, in UTC; what has been given as text stays as it is."""
    from lcm_lab.times import instant, show

    if given is None:
        return ""
    if isinstance(given, str):
        return given
    return show(instant(given))[:16].replace("T", " ")
