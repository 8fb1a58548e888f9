"""The sentence around an item, without the item: what a known-item question asks."""

from __future__ import annotations

import re
from functools import lru_cache

from lcm_lab.text import Analyzer
from lcm_lab.words import STOPS, pieces

__all__ = ["LEAST", "MOST", "echoes", "question"]

#: Words of content that a question has at least, and words of any kind that it has at most.
LEAST, MOST = 3, 40

#: Colours of a terminal, whole or without their escape character.
ESCAPE = re.compile(r"\x1b?\[[0-9;]*m")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def question(text: str, anchor: str) -> tuple[list[str], str]:
    """Make a question of the sentence of a text that holds an anchor.

    The anchor is cut, and every word that shares a term with it, so that neither the whole nor a
    part of it is asked for. Where too little is left, the sentences before and after are taken in.

    Returns
    -------
    list of str
        The sentences that it was made of, as they stand in the text.
    str
        The question, at most `MOST` words; "" where fewer than `LEAST` words of content remain.

    Examples
    --------
    >>> question("The retry limit in src/net/client.ts was set too low.", "src/net/client.ts")[1]
    'The retry limit in was set too low.'
    """
    sentences = _sentences(text, anchor)
    at = next((i for i, one in enumerate(sentences) if anchor in one), None)
    if at is None:
        return [], ""
    parts = _terms(anchor)
    for first, last in ((at, at), (at - 1, at), (at - 1, at + 1)):
        around = sentences[max(first, 0) : last + 1]
        words = _around(" ".join(around).replace(anchor, f" {MARK} "), parts)
        if _content(words) >= LEAST:
            return around, " ".join(words)
    return [], ""


def _sentences(text: str, anchor: str) -> list[str]:
    """Split into sentences, or into lines where the anchor is more than a sentence."""
    sentences = [one for one in SENTENCE.split(text) if one.strip()]
    whole = any(anchor in one for one in sentences)
    return sentences if whole else [one for one in text.split("\n") if one.strip()]


def echoes(sentences: list[str], anchor: str, query: str, gold: str) -> bool:
    """Tell whether what is asked stands word for word in what it looks for.

    A sentence that is little more than the anchor is no echo, since its repeat is the point.
    """
    more = [one.strip() for one in sentences if len(one.replace(anchor, "").split()) >= LEAST]
    asked, held = Analyzer().terms(query), Analyzer().terms(gold)
    copied = any(one in gold for one in more)
    return copied or f" {' '.join(asked)} " in f" {' '.join(held)} "


#: Stands where the anchor was; no word, so that it is never asked for.
MARK = "\x00"


def _around(text: str, parts: frozenset[str]) -> list[str]:
    """Give at most `MOST` words around the mark, less those that share a term with the anchor."""
    words = [word.strip("`*") for word in ESCAPE.sub("", text).split()]
    at = words.index(MARK) if MARK in words else 0
    first = max(0, min(at - MOST // 2, len(words) - MOST))
    kept = [word for word in words[first : first + MOST] if any(c.isalnum() for c in word)]
    return [word for word in kept if parts.isdisjoint(_terms(word))]


def _content(words: list[str]) -> int:
    """Count the different words that say something: letters, and no stop words."""
    found = {piece.word for word in words for piece in pieces(word) if piece.kind == "part"}
    return sum(1 for word in found - STOPS["question"] if not word.isdigit() and len(word) > 1)


@lru_cache(1 << 16)
def _terms(text: str) -> frozenset[str]:
    return frozenset(Analyzer().terms(text))
