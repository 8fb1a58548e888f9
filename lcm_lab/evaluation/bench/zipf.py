"""A corpus of made-up words for timing: word frequencies, bursts and lengths as in conversations.

It says nothing about quality. Words follow Zipf and Mandelbrot's law; a third of those in a message
come from a small pool of its conversation; lengths are log-normal with a mean of about 60.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.corpus import Corpus

__all__ = ["Zipf", "blocks", "zipf"]

Ints = npt.NDArray[np.int64]

TYPES, POOL, BURST, TALK = 300_000, 64, 0.3, 200

#: Mean and deviation of the logarithm of a message's words: of agents, and of short chat turns.
USUAL, SHORT = (3.62, 0.95), (2.2, 0.7)

#: Messages of which `blocks` makes so many at a time.
BLOCK = 100_000

#: Terms above this rank are content; the more frequent ones are what stop lists hold.
CONTENT = 150


@dataclass(frozen=True, eq=False)
class Zipf:
    """Messages of made-up words, and questions drawn from them.

    Attributes
    ----------
    corpus : Corpus
    natural, content : list of str
        Questions of 2 to 8 words of one message: any words, and rarer ones only.
    asked : list of str
        The conversation that each question was drawn from.
    """

    corpus: Corpus
    natural: list[str]
    content: list[str]
    asked: list[str]


def zipf(
    size: int,
    *,
    questions: int = 400,
    seed: int | tuple[int, ...] = 0,
    words: tuple[float, float] = USUAL,
) -> Zipf:
    """Make a corpus of ``size`` messages, and questions about it; equal seeds make equal ones."""
    rng = np.random.default_rng(seed)
    lengths = np.clip(np.round(rng.lognormal(*words, size)), 5, 2000).astype(np.int64)
    talks = np.sort(rng.integers(0, max(8, size // TALK), size))
    ids = _words(rng, lengths, talks)
    vocabulary = _vocabulary()
    ends = np.cumsum(lengths)
    texts = [" ".join(vocabulary[ids[e - n : e]]) for e, n in zip(ends, lengths, strict=True)]
    names = [f"c{talk}" for talk in talks]
    minutes = pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(np.arange(size), "min")
    corpus = Corpus(pd.DataFrame({"text": texts, "conversation": names, "time": minutes}))
    drawn = rng.choice(np.flatnonzero(lengths >= 20), questions)
    asked = [_question(rng, ids[ends[i] - lengths[i] : ends[i]]) for i in drawn]
    sides = zip(*asked, strict=True)
    natural, content = ([" ".join(vocabulary[list(q)]) for q in side] for side in sides)
    return Zipf(corpus, natural, content, [names[i] for i in drawn])


def blocks(size: int, *, questions: int, seed: int = 0) -> Iterator[Zipf]:
    """Make short messages a block at a time, which together need not fit in memory.

    Each block has conversations of its own, called alike, and so many questions.
    """
    for number, start in enumerate(range(0, size, BLOCK)):
        several = min(BLOCK, size - start)
        yield zipf(several, questions=questions, seed=(seed, number), words=SHORT)


def _words(rng: np.random.Generator, lengths: Ints, talks: Ints) -> Ints:
    share = 1 / (np.arange(1, TYPES + 1) + 2.7) ** 1.05
    ladder = np.cumsum(share / share.sum())
    ladder[-1] = 1
    ids = np.searchsorted(ladder, rng.random(int(lengths.sum())))
    rare = ladder[200] + rng.random((int(talks.max()) + 1, POOL)) * (1 - ladder[200])
    pools = np.searchsorted(ladder, rare)
    burst = np.flatnonzero(rng.random(len(ids)) < BURST)
    place = (POOL * rng.random(len(burst)) ** 2).astype(np.int64)
    ids[burst] = pools[np.repeat(talks, lengths)[burst], place]
    return ids


@cache
def _vocabulary() -> npt.NDArray[np.object_]:
    syllables = [c + v for c in "bcdfghjklmnprstvwz" for v in "aeiou"]
    made = []
    for number in range(TYPES):
        word, left = "", number
        while not word or left:
            left, syllable = divmod(left, len(syllables))
            word += syllables[syllable]
        made.append(word + "n" * (number % 3 > 0))
    return np.array(made, object)


def _question(rng: np.random.Generator, ids: Ints) -> tuple[Ints, Ints]:
    words = np.unique(ids)
    rare = words[words >= CONTENT]
    size = int(rng.integers(2, 9))
    return rng.permutation(words)[:size], rng.permutation(rare if len(rare) else words)[:size]
