"""What ``search`` does: one question to one history; an answer that is never silently empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lcm_lab.agent import show
from lcm_lab.agent.source import searchable
from lcm_lab.errors import BadParameter, nearest
from lcm_lab.redact import redact

if TYPE_CHECKING:
    import pandas as pd

    from lcm_lab.corpus import Corpus

__all__ = ["Question", "answered"]

#: How many conversations are named.
LISTED = 5
MORE = ("conversation", "session", "role", "speaker", "kind", "time")


@dataclass(frozen=True)
class Question:
    """A question as a command line gives it."""

    text: str
    on: str
    policy: str
    filters: Mapping[str, str | None]
    where: Sequence[str]
    k: int


def answered(asked: Question, *, explain: bool, json: bool) -> str:
    """Answer a question: hits as text or JSON, or why there are none."""
    from lcm_lab.query import require_words
    from lcm_lab.ranking.parse import policy

    if asked.k < 1:
        raise BadParameter(f"--k is how many hits to show, 1 or more. Got {asked.k}.")
    require_words(asked.text)
    ranker, filters = policy(asked.policy), _filters(asked)
    corpus, indexing = searchable(asked.on)
    search = (ranker % asked.k).fit(corpus)
    found = search.explain(asked.text, **filters) if explain else search(asked.text, **filters)
    steps = [
        str(name)
        for name in found
        if name not in ("docno", "rank", "score", "text", "conversation", "time")
    ]
    found = _with_facts(found, corpus)
    note = "" if len(found) else redact(_why_none(asked, corpus, filters)).text
    if json:
        behind = {"indexing": True, "indexingSessions": indexing} if indexing else {}
        return show.as_json(_facts(asked, filters, found, note) | behind)
    told = [note or show.hits(found, asked.text, steps), _behind(indexing)]
    return "\n\n".join(filter(None, told))


def _behind(indexing: Sequence[str]) -> str:
    """Say of which conversations it is not found out yet what stands; "" where of all it is."""
    from lcm_lab.shown import counted

    if not indexing:
        return ""
    more = f" and {len(indexing) - LISTED:,} more" if len(indexing) > LISTED else ""
    return (
        f"Still being indexed: {counted(len(indexing), 'conversation')} that went back to an "
        f"earlier message ({', '.join(indexing[:LISTED])}{more}). What was left behind there may "
        "be among the hits; Store.reconcile sorts it out."
    )


def _filters(asked: Question) -> dict[str, Any]:
    from lcm_lab.times import bound

    given = {name: value for name, value in asked.filters.items() if value is not None}
    for pair in asked.where:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise BadParameter(f"--where is COLUMN=VALUE, such as speaker=Ada. Got {pair!r}.")
        given[name.strip()] = value
    # Read here, so that a wrong date is refused before a large history is read.
    return {
        name: bound(value) if name in ("since", "before") else value
        for name, value in given.items()
    }


def _with_facts(found: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    rows = corpus.row_of(found["docno"].tolist())
    told = {name: corpus[name].iloc[rows].to_numpy() for name in MORE}
    return found.assign(**{**told, "time": corpus["time"].iloc[rows].array})


def _why_none(asked: Question, corpus: Corpus, filters: Mapping[str, Any]) -> str:
    from lcm_lab.rows import count
    from lcm_lab.shown import counted

    passing = count(corpus.rows(**filters))
    if passing:
        return (
            f"No hits: {asked.policy} finds nothing in the {counted(passing, 'message')} searched. "
            "Ask in words that they may hold."
        )
    if not len(corpus):
        return "No hits: there are no messages."
    return f"No hits: no message passes the filters. {_strange(corpus, filters)}"


def _strange(corpus: Corpus, filters: Mapping[str, Any]) -> str:
    """Say which filter alone passes nothing, with the nearest value there is; else list all."""
    for name, value in filters.items():
        if name not in ("since", "before"):
            there = sorted(set(corpus[name].dropna()))
            if value not in there:
                return f"{name} is never {value!r}.{nearest(str(value), there)}"
    if "since" not in filters and "before" not in filters:
        return f"Each of {', '.join(filters)} passes some alone."
    times = corpus["time"].dropna()
    if times.empty:
        return "No message has a time."
    return f"Times run from {show.moment(times.min())} to {show.moment(times.max())}, UTC."


def _facts(
    asked: Question, filters: Mapping[str, Any], found: pd.DataFrame, note: str
) -> dict[str, Any]:
    hits = found.assign(text=[redact(text).text for text in found["text"]]).to_dict("records")
    shown = {**filters, **{n: v for n, v in asked.filters.items() if v is not None}}
    return {
        "question": asked.text,
        "policy": asked.policy,
        "filters": shown,
        "hits": hits,
        "note": note,
    }
