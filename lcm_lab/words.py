"""What words a stretch of text without white space holds: identifiers, clitics, unspaced scripts.

One definition for documents and questions. `pieces` is called once per distinct stretch of a
column, so it may take microseconds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal, NamedTuple

__all__ = [
    "FRAMING",
    "NEGATIONS",
    "STOPS",
    "UNSPACED",
    "Piece",
    "fold",
    "pieces",
    "simple",
    "stemmable",
]

#: "part" takes a position. "over" lies over parts, or within one (`src/app.py`, the `get` of
#: `getUser`), and takes none. "single" is one character of a longer run in a script without spaces:
#: it takes a position, and questions do not ask for it.
Kind = Literal["part", "over", "single"]


class Piece(NamedTuple):
    """A folded word, not yet stemmed, and how it counts."""

    word: str
    kind: Kind


_NEGATIONS = """
ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't
needn't shan't shouldn't wasn't weren't won't wouldn't"""
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there
these they this to was will with"""
_ASKING = """
what when where who whom which why how did do does done has have had were been being i you he she
we his her its our your my me him them us from about so can could would should"""

_FRAMING = """
across advice after ago all also among amount any anything aspects before between both bring
brought certain chat chats combined confirm conversation conversations count couple current
currently day days describe described different discuss discussed discussing dozen during
earlier earliest eight ever explain few five four get give go got happen happened happening help
here idea ideas item items just kind last lately latest like list many mention mentioned message
messages month months more most much name nine now number one ones only order out over overall
particular passed past please previous previously provide really recall recent recently
recommend recommendation recommendations recommended recommending regarding remember remind
request requests said say session sessions seven several since six some someone something sort
specific suggest suggested suggestion suggestions take taken talk talked talking tell ten than
thing things three throughout time times tip tips today told too took total two type types up
various very walk week weeks well while whose within year years"""

NEGATIONS = frozenset(_NEGATIONS.split())

#: "english" are Lucene's 33; "question" adds what questions are phrased with.
STOPS: dict[str, frozenset[str]] = {
    "english": frozenset(_ENGLISH.split()),
    "question": frozenset(f"{_ENGLISH} {_ASKING}".split()) | NEGATIONS,
}

#: How questions frame what they ask for: who is to do what with the record, how many, since when.
#: Texts say these words too, mostly about something else. Chosen by reading development questions.
FRAMING = frozenset(_FRAMING.split())

#: Longer words and compounds are blobs: a word is known by its beginning, a compound by its parts.
LONGEST = 128

#: Scripts written without spaces, letters and marks only. Hangul is here for its endings.
_SCRIPTS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0ece\u0ed0-\u0edf\u1000-\u1049\u1050-\u109f"
    "\u1100-\u11ff\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9\u3005-\u3007\u3021-\u3029"
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\ua9e0-\ua9fe\uaa60-\uaa7f\uac00-\ud7a3"
    "\ud7b0-\ud7fb\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"([{_SCRIPTS}]+)")

#: Apostrophes and hyphens as word processors write them become plain; what is invisible goes.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc\u00b4\u2032", "'"),
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
    }
    | dict.fromkeys("\u00ad\u200d\u2060\ufeff", None)
)
_CLITIC = re.compile(r"(?:(?<=\w)|^)'(?:s|re|ve|ll|d|m)(?![\w'])", re.IGNORECASE)

#: One word in brackets, quotes and stops, as most stretches are: nothing in it joins or splits.
_SIMPLE = re.compile(
    r"[(\"\[*`{<]*([A-Z]?[a-z]+|[A-Z]+|[0-9]+)(?:'(?:s|re|ve|ll|d|m))?[)\"\]*`}>'.,;:!?]*"
)
_CASED = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_TURN = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
_VERSION = re.compile(r"[vV]([0-9]+(?:\.[0-9]+)+)")

#: From the loosest joint to the tightest: `a/b`, `a.b`, `a-b`, `1.2`; every level's parts count.
_LEVELS = tuple(
    map(
        re.compile,
        (
            r"[/\\@#]+|:(?![0-9])|(?<![0-9]):",
            r"(?<![0-9])\.|\.(?![0-9])",
            r"[-_+']+",
            r"[.:,]",
        ),
    )
)


def fold(text: str) -> str:
    """Fold compatibility forms and case, by NFKC and full case folding.

    Examples
    --------
    >>> fold("STRASSE") == fold("straße"), fold("İzmir")
    (True, 'izmir')
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.replace("i\u0307", "i")


def pieces(chunk: str, identifiers: bool = True) -> list[Piece]:
    """Give the words of a stretch of text, in order, an identifier before its parts.

    Parameters
    ----------
    chunk : str
        Any text; white space within it separates.
    identifiers : bool
        Whether `src/app.py` is also a word of its own, and `getUserName` also three.

    Examples
    --------
    >>> [piece.word for piece in pieces("src/getUser.py,")]
    ['src/getuser.py', 'src', 'getuser.py', 'getuser', 'get', 'user', 'py']
    """
    word = simple(chunk)
    if word is not None:
        return [Piece(word, "part")]
    if chunk.isascii():
        return _spaced(chunk, identifiers)
    plain = unicodedata.normalize("NFKC", chunk.translate(_PLAIN)).translate(_PLAIN)
    found: list[Piece] = []
    for stretch in plain.split():
        for i, part in enumerate(UNSPACED.split(stretch)):
            found += _unspaced(part) if i % 2 else _spaced(part, identifiers)
    return found


def simple(chunk: str) -> str | None:
    """Give the folded word of a stretch that is one plain ASCII word and punctuation, else None."""
    match = _SIMPLE.fullmatch(chunk)
    return None if match is None else match[1].lower()[:LONGEST]


def stemmable(word: str) -> bool:
    """Tell whether a folded word is letters alone, so that a stemmer may touch it."""
    if word.isascii():
        return word.isalpha()
    return all(unicodedata.category(mark)[0] in "LM" for mark in word)


@cache
def _marks() -> str:
    """List the combining marks, which belong to words and which regex word classes leave out."""
    planes = (*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0))
    return "".join(c for c in map(chr, planes) if unicodedata.category(c)[0] == "M")


@cache
def _unit() -> re.Pattern[str]:
    return re.compile(f".[{_marks()}]*", re.DOTALL)


@cache
def _compound(plain: bool) -> re.Pattern[str]:
    letter = "[A-Za-z0-9]" if plain else rf"(?:[^\W_]|[{_marks()}])"
    joint = r"(?:(?:://|::|/\.?|\\{1,2}|\+{1,2}|[-.:@#']|(?<=[0-9]),(?=[0-9]))_*|_+)"
    start, end = r"(?:(?<![\w.])\.)?(?:(?<!_)_+)?", r"(?:_+|\+\+|#(?!\w))?"
    return re.compile(f"{start}{letter}+(?:{joint}{letter}+)*{end}")


def _spaced(text: str, identifiers: bool) -> list[Piece]:
    found: list[Piece] = []
    for match in _compound(text.isascii()).finditer(_CLITIC.sub("", text)):
        if fold(match[0]) in NEGATIONS:
            found.append(Piece(fold(match[0]), "part"))
        else:
            _split(match[0], 0, identifiers, found)
    return found


def _split(text: str, level: int, identifiers: bool, found: list[Piece]) -> None:
    """Add a compound and, joint by joint, its parts."""
    for deeper in range(len(_LEVELS) if text.isalnum() else level, len(_LEVELS)):
        parts = [part for part in _LEVELS[deeper].split(text) if part]
        if parts != [text]:
            if identifiers:
                _whole(text, found)
            for part in parts:
                _split(part, deeper + 1, identifiers, found)
            return
    found.append(Piece(fold(text)[:LONGEST], "part"))
    words = _cased(text) if identifiers else []
    if len(words) > 1:
        found += [Piece(fold(word), "over") for word in words]


def _whole(text: str, found: list[Piece]) -> None:
    if len(text) <= LONGEST:
        found.append(Piece(fold(text), "over"))
    version = _VERSION.fullmatch(text)
    if version is not None:
        found.append(Piece(version[1], "over"))


def _cased(word: str) -> list[str]:
    """Split `getUserName` and `qwen2`, but not `a3f9c2`, which is no word followed by a number."""
    if not word.isascii() or len(word) > LONGEST or len(_TURN.findall(word)) > 1:
        return []
    return _CASED.findall(word)


def _unspaced(run: str) -> list[Piece]:
    """Give pairs of neighbours and, for questions of one character, singles."""
    units = _unit().findall(fold(run))
    if len(units) == 1:
        return [Piece(units[0], "part")]
    found: list[Piece] = []
    for i, unit in enumerate(units):
        if i + 1 < len(units):
            found.append(Piece(unit + units[i + 1], "over"))
        found.append(Piece(unit, "single"))
    return found
