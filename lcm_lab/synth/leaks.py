"""What makes the scores on a collection mean less than they seem to, synthetic or not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.rows import contains, rows_of
from lcm_lab.synth.overlap import plain
from lcm_lab.topics import Topics

__all__ = ["ceiling", "echoes", "same_questions", "twins"]


def echoes(collection: Collection) -> dict[str, list[str]]:
    """Find messages that hold a question word for word and that the question may see.

    Any ranker finds such a message, and it answers nothing; judged as relevant it is a gift.

    Returns
    -------
    dict of qid to docnos
    """
    topics = Topics.of(collection.topics, collection.corpus)
    texts = [plain(text) for text in collection.corpus["text"]]
    docnos = collection.corpus["docno"].tolist()
    found = {}
    for qid, query, rows in zip(topics.qids, topics.queries, topics.rows, strict=True):
        words = plain(query)
        held = [docnos[row] for row in rows_of(rows) if words in texts[row]]
        if held:
            found[qid] = held
    return found


def same_questions(collection: Collection) -> list[list[str]]:
    """Give groups of qids with the same words and filters: one ranking must serve them all."""
    topics = Topics.of(collection.topics, collection.corpus)
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for qid, query, filters in zip(topics.qids, topics.queries, topics.filters, strict=True):
        groups[plain(query), repr(sorted(filters.items()))].append(qid)
    return [group for group in groups.values() if len(group) > 1]


def ceiling(collection: Collection) -> dict[str, float]:
    """Give the best that any ranker can reach, where questions with the same words differ in gold.

    Returns
    -------
    dict
        ``Success@1`` and ``RR``: means over the topics with gold, 1.0 where nothing limits them.
        Greedy where topics of a group have several gold documents each, exact where they have one.
    """
    gold = _gold(collection)
    groups = [[q for q in group if q in gold] for group in same_questions(collection)]
    grouped = {qid for group in groups for qid in group}
    groups += [[qid] for qid in gold if qid not in grouped]
    hits, ranks = 0.0, 0.0
    for group in groups:
        left, rank = list(group), 0
        while left:
            rank += 1
            best, _ = Counter(d for q in left for d in sorted(gold[q])).most_common(1)[0]
            served = [q for q in left if best in gold[q]]
            hits += len(served) if rank == 1 else 0
            ranks += len(served) / rank
            left = [q for q in left if q not in served]
    size = max(len(gold), 1)
    return {"Success@1": hits / size, "RR": ranks / size}


def twins(collection: Collection) -> dict[str, list[str]]:
    """Find documents that are not gold though they say what a gold one says, word for word.

    Case, punctuation and spaces are left aside; only documents that the topic may see count.

    Returns
    -------
    dict of qid to docnos
    """
    topics = Topics.of(collection.topics, collection.corpus)
    gold, corpus = _gold(collection), collection.corpus
    alike = corpus.memo("said again", lambda: _said_again(corpus))
    docnos, found = corpus["docno"].tolist(), {}
    for qid, rows in zip(topics.qids, topics.rows, strict=True):
        wanted = gold.get(qid, frozenset())
        mine = corpus.row_of(sorted(wanted)).tolist()
        others = np.array(sorted({row for one in mine for row in alike.get(one, ())}), np.int64)
        seen = others[contains(rows, others)].tolist()
        if names := [docnos[row] for row in seen if docnos[row] not in wanted]:
            found[qid] = names
    return found


def _said_again(corpus: Corpus) -> dict[int, list[int]]:
    """Give the rows that say the same, for each row that is not the only one to say so."""
    said: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(corpus["text"]):
        said[plain(text)].append(row)
    return {row: rows for rows in said.values() if len(rows) > 1 for row in rows}


def _gold(collection: Collection) -> Mapping[str, frozenset[str]]:
    relevant = collection.qrels[collection.qrels["relevance"] >= collection.relevant_from]
    grouped: dict[str, list[str]] = defaultdict(list)
    for row in relevant.itertuples():
        grouped[str(row.qid)].append(str(row.docno))
    return {qid: frozenset(docnos) for qid, docnos in grouped.items()}
