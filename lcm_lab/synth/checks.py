"""Does a synthetic collection keep what it promises? Every check gives what fails, with its id."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.rows import contains
from lcm_lab.synth.folder import WORLD, read_world
from lcm_lab.synth.generate import bands_of
from lcm_lab.synth.leaks import echoes, same_questions, twins
from lcm_lab.synth.levels import overlaps, random_floor
from lcm_lab.synth.speech import holds
from lcm_lab.synth.view import View
from lcm_lab.topics import Topics

__all__ = [
    "CHECKS", "check", "check_collection", "check_folder", "overlaps", "random_floor",
]  # fmt: skip

#: Types whose answer is a string in the message, not a date worked out from it or a list.
LITERAL = frozenset(
    {"single", "update", "identifier", "paraphrase", "near-duplicate", "cross-lingual"}
)
#: Types in scripts of which pairs of characters are counted, not stems.
UNSTEMMED = frozenset({"cross-lingual"})
#: Overlap was controlled with a plain stemmer; with Snowball's it may lie this far outside a band.
SLACK = 0.06
RANDOM = 0.05


def check(collection: Collection, world: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Run every check on a synthetic collection; without the state log those that need none.

    Parameters
    ----------
    collection : Collection
    world : dict or None
        What `lcm_lab.synth.generate.build` gives, or the content of ``world.json.xz``.

    Returns
    -------
    dict of str to list of str
        By check, one line for each failure, beginning with the id; empty lists where all is well.
    """
    view = View(collection, world or {})
    return {
        name: run(view)
        for name, run in CHECKS.items()
        if world is not None or name not in NEED_WORLD
    }


def check_collection(
    collection: Collection, world: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Run every check that can be run: without the state log those that need none.

    Returns
    -------
    DataFrame
        A row a check: ``check``, ``value`` (how many topics or documents fail; for "random floor"
        the share of topics in which ten random rows hold an answer), ``wanted``, ``passed``.
    """
    rows = []
    for name, failed in check(collection, world).items():
        value, wanted = float(len(failed)), "0"
        if name == "random floor":
            value, wanted = round(random_floor(collection), 4), f"< {RANDOM:g}"
        rows.append({"check": name, "value": value, "wanted": wanted, "passed": not failed})
    return pd.DataFrame(rows)


def check_folder(folder: str | Path) -> pd.DataFrame:
    """Run every check on a collection's folder, with its ``world.json.xz`` where there is one."""
    folder = Path(folder)
    there = (folder / WORLD).is_file()
    return check_collection(Collection.open(folder), read_world(folder) if there else None)


def _necessity(view: View) -> list[str]:
    """Find messages that hold a fact's value and neither state nor repeat it."""
    failed = []
    for qid, state in view.world["topics"].items():
        spoken = view.spoken[str(view.topics[qid]["conversation"])]
        for ref in state["facts"]:
            fact = view.facts[ref]
            value, known = _plain(fact["value"]), {*fact["sources"], *fact.get("repeats", ())}
            held = holds([value])
            failed += [
                f"{qid}: {docno} also holds {fact['value']!r}"
                for docno, text in spoken.items()
                if value in text and docno not in known and held.search(text)
            ]
    return failed


def _verbatim(view: View) -> list[str]:
    """Find quotations that a message holds which is not the one asked for."""
    failed = []
    for qid, docnos in view.gold.items():
        if view.topics[qid]["type"] != "quote":
            continue
        said = {_plain(view.world["topics"][qid]["spans"][docno]) for docno in docnos}
        spoken = view.spoken[str(view.topics[qid]["conversation"])]
        failed += [
            f"{qid}: {docno} says it too"
            for docno, text in spoken.items()
            if docno not in docnos and any(one in text for one in said)
        ]
    return failed


def _span(view: View) -> list[str]:
    failed = []
    for qid, docnos in view.gold.items():
        spans = view.world["topics"][qid]["spans"]
        failed += [
            f"{qid}: no exact span in {docno}"
            for docno in docnos
            if not spans.get(docno) or spans[docno] not in view.texts[docno]
        ]
    return failed


def _answer(view: View) -> list[str]:
    return [
        f"{qid}: {docno} does not hold {view.topics[qid]['answer']!r}"
        for qid, docnos in view.gold.items()
        if view.topics[qid]["type"] in LITERAL
        for docno in docnos
        if _plain(str(view.topics[qid]["answer"])) not in _plain(view.texts[docno])
    ]


def _as_of(view: View) -> list[str]:
    corpus = view.collection.corpus
    times = dict(zip(corpus["docno"], corpus["time"], strict=True))
    return [
        f"{row.qid}: {row.docno} is not older than the question"
        for row in view.collection.qrels.itertuples()
        if times[row.docno] >= view.topics[str(row.qid)]["asked_at"]
    ]


def _grades(view: View) -> list[str]:
    qrels = view.collection.qrels
    old = qrels["stale"] if "stale" in qrels else [False] * len(qrels)
    return [
        f"{row.qid}: {row.docno} has grade {row.relevance}{' and is stale' if stale else ''}"
        for row, stale in zip(qrels.itertuples(), old, strict=True)
        if row.relevance not in (1, 2, 3) or (stale and row.relevance != 1)
    ]


def _abstention(view: View) -> list[str]:
    """Find questions without an answer that are judged, and others that have no gold."""
    judged = set(view.collection.qrels["qid"])
    failed = []
    for qid, topic in view.topics.items():
        if topic["type"] == "abstention" and qid in judged:
            failed.append(f"{qid}: nothing answers it, yet something is judged")
        if topic["type"] != "abstention" and qid not in view.gold:
            failed.append(f"{qid}: nothing relevant is judged")
    return failed


def _overlap(view: View) -> list[str]:
    """Find types whose mean overlap is out of band, and paraphrases that share too much."""
    bands = bands_of(view.collection.card.get("parameters", {}).get("profile"))
    by_type: dict[str, list[float]] = defaultdict(list)
    failed = []
    for qid, share in overlaps(view.collection).items():
        kind = str(view.topics[qid]["type"])
        if kind in UNSTEMMED:
            share = view.world["topics"][qid]["overlap"] / 1000
        by_type[kind].append(share)
        if kind == "paraphrase" and share > bands[kind][1] / 1000 + SLACK:
            failed.append(f"{qid}: a paraphrase shares {share:.2f} with its gold")
    for kind, shares in by_type.items():
        low, high = bands[kind][0] / 1000, bands[kind][1] / 1000
        if not low - SLACK <= fmean(shares) <= high + SLACK:
            failed.append(f"{kind}: mean overlap {fmean(shares):.2f}, band {low:.2f} to {high:.2f}")
    return failed


def _random(view: View) -> list[str]:
    floor = random_floor(view.collection)
    return [] if floor < RANDOM else [f"ten random rows hold an answer in {floor:.3f} of topics"]


def _oracle(view: View) -> list[str]:
    """Find judged documents that a topic may not see, so that no ranker could reach 1."""
    collection = view.collection
    topics = Topics.of(collection.topics, collection.corpus)
    rows = dict(zip(topics.qids, topics.rows, strict=True))
    judged = collection.qrels
    found = collection.corpus.row_of(judged["docno"].tolist())
    return [
        f"{qid}: {docno} cannot be seen"
        for i, (qid, docno) in enumerate(zip(judged["qid"], judged["docno"], strict=True))
        if not contains(rows[qid], found[i : i + 1])[0]
    ]


def _echo(view: View) -> list[str]:
    return [f"{qid}: {' '.join(docnos)}" for qid, docnos in echoes(view.collection).items()]


def _same_question(view: View) -> list[str]:
    return [" ".join(group) for group in same_questions(view.collection)]


def _twin(view: View) -> list[str]:
    return [f"{qid}: {' '.join(docnos)}" for qid, docnos in twins(view.collection).items()]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


#: What is checked, by name.
CHECKS: dict[str, Callable[[View], list[str]]] = {
    "necessity": _necessity,
    "verbatim": _verbatim,
    "span": _span,
    "answer": _answer,
    "as of": _as_of,
    "grades": _grades,
    "abstention": _abstention,
    "overlap": _overlap,
    "random floor": _random,
    "oracle": _oracle,
    "echo": _echo,
    "same question": _same_question,
    "twin": _twin,
}
#: Those that look into the state log.
NEED_WORLD = frozenset({"necessity", "verbatim", "span", "overlap"})
