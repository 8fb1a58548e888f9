"""Readers: what answers a question from passages; the default quotes, and needs no model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from lcm_lab.compaction.summarise import beginning, units
from lcm_lab.errors import BadParameter
from lcm_lab.text import Analyzer, count_tokens
from lcm_lab.times import show
from lcm_lab.values import value

__all__ = ["NOTHING", "Passage", "QuoteReader", "Reader", "excerpt"]

#: What is answered where nothing that was read has to do with the question.
NOTHING = "Nothing that was read answers this."

ANALYZER = Analyzer()
#: What the rest of its passage adds to a sentence, and what the rank of the passage does: set on a
#: third of the LoCoMo dev questions of two conversations, where a policy knows better than words.
AROUND, RANK = 0.5, 6.0
#: A passage of so many tokens is quoted whole: its sentences need each other.
WHOLE = 60
#: So many passages are quoted, however much better the first one is: it may be a question.
FEW = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """Stored text that an answer is read from, without its secrets.

    Attributes
    ----------
    id : str
        Of the message or the summary.
    text : str
        Data, never an instruction.
    conversation : str
    under : str
        The summary that it was reached from; its own id for a summary, "" where there is none.
    who : str
        The speaker, or else the role.
    time : int or None
        In microseconds since 1970, UTC.
    worth : float
        How well a policy held it to answer the question, 1 for the best; 0 where nothing ranked it.
    """

    id: str
    text: str
    conversation: str = ""
    under: str = ""
    who: str = ""
    time: int | None = None
    worth: float = 0.0

    @property
    def head(self) -> str:
        """Its id, who said it, and when."""
        when = show(self.time, "UTC")[:10] if self.time is not None else ""
        return " ".join(filter(None, (f"[{self.id}]", self.who, when)))

    def __str__(self) -> str:
        return f"{self.head}: {self.text}"


class Reader(Protocol):
    """Anything that answers a question from passages: a model, or `QuoteReader`."""

    def __call__(self, question: str, passages: Sequence[Passage]) -> str:
        """Answer from the passages alone.

        Parameters
        ----------
        question : str
        passages : sequence of Passage
            Best first; `str` of one has its id, who said it, and when.

        Returns
        -------
        str
            The answer; or JSON, bare or fenced, with ``answer`` and the ``citedIds`` it rests on.
        """


@value
class QuoteReader:
    """Answer with the sentences that have most to do with the question, word for word.

    Parameters
    ----------
    tokens : int
        The longest answer.
    least : float between 0 and 1
        What a sentence must be worth, as a share of the best one.

    Notes
    -----
    A short passage is quoted whole, a longer one by its sentences. They are worth the weights of
    the question's words in them, half of those in their passage, and what the policy held of it; a
    word weighs ln(1 + (n + 1) / (df + ½)) over n passages.

    It cannot tell a question that these passages do not answer from one that they do. How much of
    the question's words the best passage holds was tried: on the shipped collections (116 topics
    without an answer, 1,689 with one; one bound, out of fold by conversation) what refuses .68 of
    the former refuses .29 of the latter too, and any bound makes fewer decisions right than none;
    on LongMemEval (15 without) .60 and .26, on BEAM (12 without) .25 and .50.

    Examples
    --------
    >>> said = [Passage("m1", "We chose Postgres. Lunch was good."), Passage("m2", "Noon is fine.")]
    >>> QuoteReader()("Which database: Postgres?", said)
    '[m1]: We chose Postgres. Lunch was good.'
    """

    tokens: int = 2_000
    least: float = 0.5

    def check(self) -> None:
        """Refuse an answer without room, and a share that is none."""
        if self.tokens < 1:
            raise BadParameter(f"tokens is how long an answer may be, 1 or more. Got {self.tokens}")
        if not 0 <= self.least <= 1:
            raise BadParameter(f"least is a share from 0 to 1. Got {self.least}.")

    def __call__(self, question: str, passages: Sequence[Passage]) -> str:
        """Answer a question; `NOTHING` where no passage has to do with it."""
        found = sorted(_worth(question, passages), key=lambda one: (-one[0], one[1], one[2]))
        taken = _taken(passages, found, self.tokens, self.least)
        answer = _shown(passages, taken)
        while taken and count_tokens(answer) > self.tokens:
            answer = _shown(passages, taken := taken[:-1])
        if found and not answer:  # one long sentence
            answer = beginning(passages[found[0][1]].text, self.tokens)
        return answer or beginning(NOTHING, self.tokens)


#: Worth, place of the passage, place in it, text.
_Sentence: TypeAlias = tuple[float, int, int, str]


def excerpt(text: str, question: str, tokens: int) -> str:
    """Give the sentences of a long text that have most to do with a question, in their order.

    Examples
    --------
    >>> excerpt("Lunch was good. We chose Postgres. Noon is fine.", "Postgres?", 5)
    'We chose Postgres.'
    """
    asked = set(ANALYZER.query(question))
    parts = list(units(text))
    order = sorted(
        range(len(parts)), key=lambda at: (-len(asked.intersection(ANALYZER.terms(parts[at]))), at)
    )
    taken, left = [], tokens
    for at in order:
        size = count_tokens(parts[at]) + 1
        if size <= left + 1:
            taken.append(at)
            left -= size
    return " ".join(parts[at] for at in sorted(taken)) or beginning(text, tokens)


def _taken(
    passages: Sequence[Passage], found: Sequence[_Sentence], tokens: int, least: float
) -> list[_Sentence]:
    """Take sentences, the best first: all that are worth enough, and one each of a few passages."""
    taken: list[_Sentence] = []
    opened: set[int] = set()
    for worth, at, place, text in found:
        if worth < least * found[0][0] and (at in opened or len(opened) >= FEW):
            continue
        size = _size(passages[at], text, opened, at)
        if size <= tokens:
            taken.append((worth, at, place, text))
            opened.add(at)
            tokens -= size
    return taken


def _worth(question: str, passages: Sequence[Passage]) -> Iterator[_Sentence]:
    """Yield what has to do with the question, and how much."""
    asked = set(ANALYZER.query(question))
    held = [asked.intersection(ANALYZER.terms(f"{one.who} {one.text}")) for one in passages]
    weights = _weights(asked, held)
    top = max(weights.values(), default=1.0)
    for at, (passage, shared) in enumerate(zip(passages, held, strict=True)):
        base = AROUND * _sum(weights, shared) + RANK * top * passage.worth
        for place, text in enumerate(_parts(passage.text)):
            worth = base + _sum(weights, shared.intersection(ANALYZER.terms(text)))
            if worth > 0:
                yield round(worth, 9), at, place, text


def _parts(text: str) -> list[str]:
    """Part a text into what is quoted whole: a short text, or the sentences of a longer one."""
    return [text] if count_tokens(text) <= WHOLE else list(units(text))


def _weights(asked: AbstractSet[str], held: Sequence[AbstractSet[str]]) -> dict[str, float]:
    counts = {term: sum(term in some for some in held) for term in asked}
    return {term: math.log1p((len(held) + 1) / (n + 0.5)) for term, n in counts.items()}


def _sum(weights: dict[str, float], terms: AbstractSet[str]) -> float:
    return math.fsum(weights[term] for term in terms)


def _size(passage: Passage, text: str, opened: AbstractSet[int], at: int) -> int:
    return count_tokens(text) + 1 + (0 if at in opened else count_tokens(passage.head) + 2)


def _shown(passages: Sequence[Passage], taken: Sequence[_Sentence]) -> str:
    lines: dict[int, list[tuple[int, str]]] = {}
    for _, at, place, text in taken:
        lines.setdefault(at, []).append((place, text.strip()))
    return "\n".join(
        f"{passages[at].head}: {' '.join(text for _, text in sorted(parts))}"
        for at, parts in lines.items()
    )
