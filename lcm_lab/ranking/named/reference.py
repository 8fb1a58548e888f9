"""Rankings of systems in use, each as one expression of the algebra.

They rank beside one's own policies, on the same history. Each is a function that gives a policy, so
what it does is seen by printing it. By default a fault of the original is mended and said;
``compat="reference"`` keeps it, so that the difference can be measured. None is cut, since their
limits differ: append ``% 10``.
"""

from __future__ import annotations

from typing import Any, Literal

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.whole import Substring
from lcm_lab.ranking.lexical.split import Split
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.ranking.named.openclaw import Mix, Saturated, Strict
from lcm_lab.ranking.steps.decay import Decay
from lcm_lab.ranking.steps.diverse import MMR
from lcm_lab.ranking.steps.order import Newest, TiesByTime
from lcm_lab.ranking.steps.turns import Append, Fallback

__all__ = ["EpisodicMemory", "LosslessClaw", "NaiveBM25", "OpenClawMemory", "SessionsSearch"]

Compat = Literal["reference"] | None

#: lossless-claw and OpenClaw keep the text of tool calls, tool results and reasoning out of search.
SPOKEN = {"kind": ("text", "summary", "file")}

#: OpenClaw indexes what users and assistants said; transcripts without roles are taken as that.
SAID = {"kind": "text", "role": ("user", "assistant", "")}


def LosslessClaw(
    sort: Literal["recency", "relevance", "hybrid"] = "recency", compat: Compat = None
) -> Ranker:
    """Give the full-text ranking of lossless-claw's ``lcm_grep``, an implementation of LCM.

    SQLite FTS5 (``porter unicode61``) finds what holds every word and quoted phrase. They stand
    newest first, or by bm25, or (hybrid) by bm25 / (1 + 0.001 x age in hours); ties newest first.

    Parameters
    ----------
    sort : {"recency", "relevance", "hybrid"}
    compat : "reference", optional
        Keep these faults: a question with one word that nothing holds finds nothing; messages and
        summaries have statistics of their own but share one list; tool text is not searched;
        questions in CJK get any row that holds their stretches, newest first whatever the sort.

    Returns
    -------
    Ranker
        Mended, a question whose words nothing holds together is asked again for any of them, by
        relevance; every row is searched; CJK is ranked like anything else.

    Notes
    -----
    The tool's regex mode is ``Newest(Regex())``. Of hybrid, the 1,000 best by bm25 are weighed by
    age, and what lies in the future of the topic counts as new, where the original divides by less
    than 1.

    References
    ----------
    .. [1] Martian-Engineering/lossless-claw, commit 4214b48: src/store/full-text-sort.

    Examples
    --------
    >>> LosslessClaw("hybrid").steps[1]
    Decay('hyperbolic', '1000h', floor=0, undated=1)
    >>> LosslessClaw()
    Fallback(Newest(FTS5()), FTS5(match='any') >> TiesByTime())
    """
    _check("sort", sort, ("recency", "relevance", "hybrid"))
    ties, fade = TiesByTime(), Decay("hyperbolic", "1000h", floor=0, undated=1)
    if _original(compat):
        words = FTS5(apart="scope", compat="lossless-claw")
        cjk = Newest(Substring(compat="lossless-claw"))
        found: Ranker = Fallback(Newest(words) if sort == "recency" else words, cjk)
        ranked = {"recency": found, "relevance": found >> ties, "hybrid": found >> fade >> ties}
        return ranked[sort].over(**SPOKEN)
    words, any_ = FTS5(), FTS5(match="any")
    if sort == "recency":
        return Fallback(Newest(words), any_ >> ties)
    found = Fallback(words, any_)
    return found >> ties if sort == "relevance" else found >> fade >> ties


def SessionsSearch(compat: Compat = None) -> Ranker:
    """Give the ranking of OpenClaw's ``sessions_search``.

    SQLite FTS5 (``unicode61 remove_diacritics 2``) over what users and assistants said finds what
    holds every word, by bm25, ties newest first.

    Parameters
    ----------
    compat : "reference", optional
        Keep these faults: a stretch of punctuation or emoji alone makes the question match nothing,
        quoted phrases are words, a repeated word counts twice, a run of CJK is one word.

    Returns
    -------
    Ranker
        Mended, stretches without a word are passed over, phrases are phrases, any stretch of CJK is
        found, and a question whose words nothing holds together is asked again for any of them.

    References
    ----------
    .. [1] OpenClaw 2026.9.6, the tool sessions_search and the index session_transcript_fts.

    Examples
    --------
    >>> SessionsSearch(compat="reference").ranker
    FTS5(tokenize='unicode61 remove_diacritics 2', compat='openclaw') >> TiesByTime()
    """
    tokenize = "unicode61 remove_diacritics 2"
    if _original(compat):
        return (FTS5(tokenize, compat="openclaw") >> TiesByTime()).over(**SAID)
    found = Fallback(FTS5(tokenize), FTS5(tokenize, match="any"))
    return (found >> TiesByTime()).over(**SAID)


def OpenClawMemory(encoder: Any = None, compat: Compat = None) -> Ranker:
    """Give the ranking of OpenClaw's ``memory_search``.

    Cosines weigh 0.7 and keyword scores 0.3; the sum halves every 30 days; MMR (0.7) orders it.

    Parameters
    ----------
    encoder : Encoder, optional
        What makes vectors; `LSA`, which needs no model, when not given.
    compat : "reference", optional
        Keep these faults: scores are added as they come, cosines and s / (1 + s) of bm25, a hit
        that one of the two lists of 200 lacks counting 0 there; hits below 0.35 are dropped after
        MMR has seen them, except what keywords alone found.

    Returns
    -------
    Ranker
        Mended, it is a sum of the library: complete, each part a share of its best hit.

    Notes
    -----
    Messages stand for the original's chunks of notes; what it does with paths, importance and
    projects, and its boost of keyword scores, has nothing to stand on here.

    References
    ----------
    .. [1] OpenClaw 2026.9.6, the tool memory_search.

    Examples
    --------
    >>> OpenClawMemory().steps[1:]
    (Decay('exponential', '30D', floor=0, undated=1), MMR(0.7))
    """
    dense, fade = _dense(encoder) % 200, Decay("exponential", "30D", floor=0, undated=1)
    if not _original(compat):
        words = Fallback(FTS5("unicode61"), FTS5("unicode61", match="any")) % 200
        return 0.7 * dense + 0.3 * words >> fade >> MMR(0.7)
    strict = FTS5("unicode61", compat="openclaw-memory")
    any_ = FTS5("unicode61", match="any", compat="openclaw-memory")
    keywords = Fallback(Saturated(strict), Saturated(any_)) % 200
    mixed = Mix(0.7 * dense, 0.3 * keywords)
    return mixed >> fade >> Strict(0.35, MMR(0.7), keywords, dense)


def EpisodicMemory(
    mode: Literal["vector", "text", "both"] = "both",
    encoder: Any = None,
    limit: int = 10,
    compat: Compat = None,
) -> Ranker:
    """Give the ranking of episodic-memory's ``search``.

    Vector: by cosine. Text: what holds the question as it stands, newest first. Both: the first
    ``limit`` by vector, then those by text that are not yet there.

    Parameters
    ----------
    mode : {"vector", "text", "both"}
    encoder : Encoder, optional
        What makes vectors; `LSA`, which needs no model, when not given. The original uses
        bge-small-en-v1.5.
    limit : int
        How many each of the two lists gives in mode both.
    compat : "reference", optional
        Keep these faults: ``%`` and ``_`` stand for anything, and case is folded for ASCII alone.

    Returns
    -------
    Ranker
        Filters come before the cut in either case, where the original cuts first; cosines below 0
        are no hits.

    References
    ----------
    .. [1] obra/episodic-memory 1.4.0, commit 4bd25d1: src/search.

    Examples
    --------
    >>> EpisodicMemory("text")
    Newest(Substring())
    >>> EpisodicMemory()
    Append(Dense(fields=('text',)) % 10, Newest(Substring()) % 10)
    """
    _check("mode", mode, ("vector", "text", "both"))
    text = Newest(Substring(compat="episodic-memory" if _original(compat) else None))
    if mode == "text":
        return text
    dense = _dense(encoder)
    return dense if mode == "vector" else Append(dense % limit, text % limit)


def NaiveBM25() -> Ranker:
    """Give BM25 as published baselines run it: text split on white space, nothing folded.

    Notes
    -----
    ``rank_bm25``'s parameters, k1 1.5 and b 0.75, over the text alone. Its idf is Lucene's here,
    which differs for words in half of the texts or more.

    Examples
    --------
    >>> NaiveBM25()
    BM25(k1=1.5, fields=('text',), analyzer=Split())
    """
    return BM25(k1=1.5, fields=("text",), analyzer=Split())


def _dense(encoder: Any) -> Dense:
    fields = ("text",)
    return Dense(fields=fields) if encoder is None else Dense(encoder, fields)


def _original(compat: Compat) -> bool:
    _check("compat", compat, (None, "reference"))
    return compat is not None


def _check(name: str, got: Any, options: tuple[Any, ...]) -> None:
    if got not in options:
        raise BadParameter(f"{name} must be one of {', '.join(map(repr, options))}. Got {got!r}.")
