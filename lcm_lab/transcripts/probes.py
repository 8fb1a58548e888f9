"""Topics mined from a history that has no labels: the known items that it came back to itself.

A later message of the user or the assistant repeats an error line, a path or an identifier that a
few earlier messages hold and no other. The question is the sentence around the repeat, with the
repeat and its parts cut out; what it looks for are those earlier messages; it is asked at the
moment of the later message, which is therefore hidden together with all that follows. A first
version: what such a question finds says how well context leads to a place, not how well a person's
question does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from tqdm.std import tqdm

from lcm_lab.collection import Collection
from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput
from lcm_lab.identifiers import KINDS, anchors, mentions
from lcm_lab.transcripts.base import Transcripts
from lcm_lab.transcripts.question import LEAST, echoes, question

__all__ = ["mine"]

#: At most so many earlier messages hold the item; more, and it is no longer one place.
MOST_GOLD = 5
#: So many rows of the same session lie between the newest of them and the question.
GAP = 3
PER_SESSION = 20
#: From different sentences of it.
PER_MESSAGE = 3
#: How the record of a command, or what it printed, begins; the user did not write it.
COMMAND = ("<command-", "<local-command-")
#: An item all of whose words are in more rows than this is not looked up.
MOST_WORDS = 200

FEW_WORDS = f"question with fewer than {LEAST} words of content"
ECHO = "question that stands word for word in what it looks for"
CROWDED = f"beyond {PER_SESSION} from one session"
UNTIMED = "message without a time, so that nothing could be hidden from it"


@dataclass(frozen=True, slots=True)
class _Probe:
    row: int
    kind: str
    anchor: str
    gold: tuple[int, ...]
    query: str
    sentence: str
    nth: int = 1


def mine(transcripts: Transcripts, name: str = "transcripts") -> Collection:
    """Make a collection of transcripts, with known-item topics mined from them.

    Parameters
    ----------
    transcripts : Transcripts
    name : str
        What a report calls it.

    Returns
    -------
    Collection
        A row a message and kind (`Transcripts.corpus`). Topics carry ``asked_at``, their type is
        error, path or identifier, and their answer is the item. The card tells how many were
        dropped and why, and what was skipped in reading.

    Raises
    ------
    BadInput
        No messages at all.
    """
    if not transcripts.messages:
        counts = Counter(one.reason for one in transcripts.skipped).most_common(3)
        why = "; ".join(f"{count} x {reason}" for reason, count in counts) or "nothing was there"
        raise BadInput(f"No messages in {', '.join(transcripts.files) or 'these files'} ({why}).")
    corpus = transcripts.corpus()
    dropped: Counter[str] = Counter()
    probes = _chosen(corpus, dropped)
    docnos, times = corpus["docno"].tolist(), corpus["time"]
    named = [(f"{docnos[p.row]}/{p.nth}", p) for p in probes]
    topics = [(qid, p.query, p.kind, p.anchor, times.iloc[p.row]) for qid, p in named]
    qrels = [(qid, docnos[row], 1) for qid, p in named for row in p.gold]
    return Collection(
        name,
        corpus,
        pd.DataFrame(topics, columns=["qid", "query", "type", "answer", "asked_at"]),
        pd.DataFrame(qrels, columns=["qid", "docno", "relevance"]),
        card=_card(transcripts, probes, dropped),
    )


def _card(transcripts: Transcripts, probes: list[_Probe], dropped: Counter[str]) -> dict[str, Any]:
    return {
        "source": "agent transcripts",
        "unit": "message",
        "topics": "known items, mined from this history (first version)",
        "types": dict(sorted(Counter(probe.kind for probe in probes).items())),
        "dropped": {why: count for why, count in sorted(dropped.items()) if count},
        "files": dict(sorted(Counter(transcripts.files.values()).items())),
        "skipped": dict(sorted(Counter(one.reason for one in transcripts.skipped).items())),
        "read": dict(sorted(transcripts.notes.items())),
        "notes": [
            "A question is the sentence around an item that an earlier message introduced, without "
            "the item; it looks for the earlier messages. Nobody asked it, and nobody judged it."
        ],
    }


def _chosen(corpus: Corpus, dropped: Counter[str]) -> list[_Probe]:
    """Choose the probes of every session, spread over it, those of the user first."""
    sessions: dict[str, list[_Probe]] = {}
    asked: set[str] = set()
    conversations, roles = corpus["conversation"].tolist(), corpus["role"].tolist()
    for probe in _probes(corpus, dropped):
        if probe.query not in asked:
            asked.add(probe.query)
            sessions.setdefault(conversations[probe.row], []).append(probe)
    chosen: list[_Probe] = []
    for probes in sessions.values():
        own = [p for p in probes if roles[p.row] == "user"]
        others = [p for p in probes if roles[p.row] != "user"]
        kept = _spread(own, PER_SESSION)
        kept += _spread(others, PER_SESSION - len(kept))
        dropped[CROWDED] += len(probes) - len(kept)
        chosen += sorted(kept, key=lambda probe: probe.row)
    return chosen


def _spread(probes: list[_Probe], most: int) -> list[_Probe]:
    if len(probes) <= most:
        return probes
    return [probes[i * len(probes) // most] for i in range(most)]


def _probes(corpus: Corpus, dropped: Counter[str]) -> Iterator[_Probe]:
    """Go through the messages that repeat a rare item of earlier ones, an item once."""
    texts = corpus["text"].tolist()
    holders = _holders(texts)
    used: set[str] = set()
    for row in _asking(corpus, dropped):
        sentences: set[str] = set()
        for kind, anchor in sorted(anchors(texts[row]), key=lambda item: KINDS.index(item[0])):
            if anchor in used or len(sentences) == PER_MESSAGE:
                continue
            held = min((holders[word] for word in mentions(anchor)), key=len, default=[])
            gold = _gold(corpus, row, [one for one in held if anchor in texts[one]])
            probe = _probe(row, (kind, anchor), gold, texts, dropped) if gold else None
            if probe is not None and probe.sentence not in sentences:
                used.add(anchor)
                sentences.add(probe.sentence)
                yield replace(probe, nth=len(sentences))


def _asking(corpus: Corpus, dropped: Counter[str]) -> Iterator[int]:
    """Give the rows that may ask: what user or assistant said, no subagent, at a known time."""
    frame = pd.DataFrame({n: corpus[n] for n in ("role", "kind", "sidechain", "text", "time")})
    said = frame["role"].isin(["user", "assistant"]) & (frame["kind"] == "text")
    said &= (frame["sidechain"] == "no") & ~frame["text"].str.startswith(COMMAND)
    dropped[UNTIMED] += int((said & frame["time"].isna()).sum())
    yield from np.flatnonzero(said & frame["time"].notna()).tolist()


def _holders(texts: list[str]) -> dict[str, list[int]]:
    """Give the rows that hold each word; past `MOST_WORDS` of them none: it tells nothing."""
    holders: dict[str, list[int]] = {}
    bar = tqdm(texts, desc="mining", unit="row", delay=1, disable=None, leave=False)
    for row, text in enumerate(bar):
        for word in mentions(text):
            rows = holders.setdefault(word, [])
            if len(rows) <= MOST_WORDS:
                rows.append(row)
    return {word: [] if len(rows) > MOST_WORDS else rows for word, rows in holders.items()}


def _probe(
    row: int,
    item: tuple[str, str],
    gold: tuple[int, ...],
    texts: list[str],
    dropped: Counter[str],
) -> _Probe | None:
    kind, anchor = item
    sentences, query = question(texts[row], anchor)
    if not query:
        dropped[FEW_WORDS] += 1
        return None
    if any(echoes(sentences, anchor, query, texts[one]) for one in gold):
        dropped[ECHO] += 1
        return None
    return _Probe(row, kind, anchor, gold, query, "\n".join(sentences))


def _gold(corpus: Corpus, row: int, held: list[int]) -> tuple[int, ...]:
    """Give the earlier rows of those that hold the item, if few and none of them just before."""
    times, talks = corpus.numpy("time"), corpus.numpy("conversation")
    earlier = [one for one in held if NO_TIME < times[one] < times[row]]
    near = any(talks[one] == talks[row] and row - one < GAP for one in earlier)
    return () if near or len(earlier) > MOST_GOLD else tuple(earlier)
