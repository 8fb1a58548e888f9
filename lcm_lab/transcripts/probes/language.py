"""Sentences of a transcript that a person could have asked with, and blanks in them."""

from __future__ import annotations

import re
from functools import lru_cache

from lcm_lab.shown import unstyled
from lcm_lab.synth.overlap import plain, stems
from lcm_lab.text import Analyzer
from lcm_lab.words import STOPS

__all__ = [
    "BLANK",
    "LEAST",
    "MARKUP",
    "MOST",
    "asked",
    "blanked",
    "content",
    "echoes",
    "prose",
    "reads",
    "sentences",
    "terms",
]

#: Stems of content that a question has at least, and words of any kind that it has at most.
LEAST, MOST = 4, 40
#: Fewer words, blanks counted, are a fragment.
SHORTEST = 6
#: Stands where words were taken out; no word, so that it is never looked for.
BLANK = "…"

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
#: What a list, a quotation or a heading begins with.
BULLET = re.compile(r"^[\s>#*+-]*(?:\d+[.)]\s+)?")
WORDLIKE = re.compile(r"^[^\W\d_]+(?:['’-][^\W\d_]+)*$")
#: What marks words up as code or as loud.
MARKUP = re.compile(r"`+|\*{2,}|(?<!\w)\*|\*(?!\w)")
AROUND = "\"'`*_()[]{}<>,.;:!?“”‘’"
#: Signs of code, which nobody asks with.
CODE = re.compile(r"[{};=|<>\\]|\w\(|\)\.|::|->|=>")
#: What agents say before they say something.
FILLER = stems(
    "let now ll okay ok need want just also perfect great good right yes actually try go going "
    "make sure think look looking see check please continue done really lets wants here"
)


def sentences(text: str) -> list[str]:
    """Split a text into sentences, without the marks that lists and quotations begin with."""
    bare = (BULLET.sub("", one).strip() for one in SENTENCE.split(unstyled(text)))
    return [one for one in bare if one]


def prose(sentence: str) -> bool:
    """Tell whether a sentence is language, no code, table or trace.

    Examples
    --------
    >>> prose("Now update the light theme to match."), prose("at main (/src/main.ts:570:2)")
    (True, False)
    """
    words = [word.strip(AROUND) for word in sentence.split()]
    if any(len(word) > 60 for word in words):
        return False
    plain = sum(1 for word in words if WORDLIKE.match(word))
    dense = sum(1 for word in words if not word.isascii() and any(c.isalnum() for c in word))
    enough = plain >= 4 or dense
    return bool(enough) and 3 * max(plain, dense) >= 2 * len(words) and not _coded(sentence)


def _coded(sentence: str) -> bool:
    """Tell whether there is more code in a sentence than a name or two in passing."""
    bare = re.sub(r"`[^`]*`", "", sentence)
    return len(CODE.findall(bare)) > 1 or sentence.count("`") % 2 == 1


def content(text: str) -> frozenset[str]:
    """Give the stems of a text that say something."""
    return frozenset(one for one in stems(text) - FILLER if len(one) > 1 and not one.isdigit())


def asked(text: str, anchor: str) -> tuple[list[str], str]:
    """Make a question of the sentence of a text that holds an anchor, which is left blank.

    Blank is also every word that shares a term with it, so that neither the whole nor a part of it
    is asked for. Where too little is left, the sentence before is taken in, then the one after.

    Returns
    -------
    list of str
        The sentences that it was made of.
    str
        The question, at most `MOST` words; "" where it is no language, or fewer than `LEAST` stems
        of content remain.

    Examples
    --------
    >>> asked("The retry limit in src/net/client.ts was set far too low.", "src/net/client.ts")[1]
    'The retry limit in … was set far too low.'
    """
    there = sentences(text)
    at = next((i for i, one in enumerate(there) if anchor in one), None)
    if at is None or _coded(there[at].replace(anchor, "")):
        return [], ""
    parts = terms(anchor)
    for first, last in ((at, at), (at - 1, at), (at - 1, at + 1)):
        around = [one for one in there[max(first, 0) : last + 1] if anchor in one or prose(one)]
        whole = " ".join(around).replace(anchor, f" {BLANK} ")
        query = _within(blanked(whole, parts))
        if len(content(query)) >= LEAST and prose(query.replace(BLANK, "")) and reads(query):
            return around, query
    return [], ""


def blanked(text: str, forbidden: frozenset[str]) -> str:
    """Leave blank every word of a text that has a forbidden term; stop words may stay.

    Examples
    --------
    >>> blanked("The retries of the client were too few.", terms("retry the client"))
    'The … of the … were too few.'
    """
    kept: list[str] = []
    for word in unstyled(text).split():
        bare = MARKUP.sub("", word).strip('"“”')
        if not any(c.isalnum() for c in bare) or _named_in(bare, forbidden):
            bare = BLANK if BLANK in bare or any(c.isalnum() for c in bare) else ""
        if bare and not (bare == BLANK and kept[-1:] == [BLANK]):
            kept.append(bare)
    return " ".join(kept)


def reads(query: str) -> bool:
    """Tell whether a question can be read: words enough, and at most one in four of them blank."""
    words = query.split()
    return len(words) >= SHORTEST and 4 * words.count(BLANK) <= len(words)


def _within(query: str) -> str:
    """Give at most `MOST` words of a question, around its first blank."""
    words = query.split()
    at = words.index(BLANK) if BLANK in words else 0
    first = max(0, min(at - MOST // 2, len(words) - MOST))
    return " ".join(words[first : first + MOST])


def echoes(made_of: list[str], anchor: str, query: str, gold: str) -> bool:
    """Tell whether what is asked stands word for word in what it looks for.

    A sentence that is little more than the anchor is no echo, since its repeat is the point.
    """
    more = [one for one in made_of if len(one.replace(anchor, "").split()) >= LEAST]
    copied = any(one in gold for one in more)
    return copied or f" {plain(query)} " in f" {plain(gold)} "


def _named_in(word: str, forbidden: frozenset[str]) -> bool:
    bare = word.strip(AROUND).lower()
    return bare not in STOPS["question"] and not forbidden.isdisjoint(terms(word))


@lru_cache(1 << 14)
def terms(text: str) -> frozenset[str]:
    """Give the terms of a text, as rankers look for them."""
    return frozenset(Analyzer().terms(text))
