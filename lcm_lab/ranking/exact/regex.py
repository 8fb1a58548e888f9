r"""User patterns on a linear-time engine (RE2), read with the Unicode meaning of their classes.

RE2 knows ``\w``, ``\d``, ``\s`` and ``\b`` for ASCII alone. The classes are rewritten. A word
boundary cannot be, since RE2 does not look around; so where a text is not ASCII the boundaries of
its words are marked in a copy, a boundary becomes the mark, and everything else passes over marks.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import re2

from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.text import clean

__all__ = ["LONGEST", "MARK", "Pattern", "marked"]

#: Characters of a pattern, as in the reference.
LONGEST = 500

#: Marks a word boundary: a noncharacter, which no text holds.
MARK = "\ufdd0"

_WORD, _DIGIT, _SPACE = r"\p{L}\p{M}\p{N}_", r"\p{Nd}", r"\s\v\x{85}\p{Z}"
_CLASSES = {"w": _WORD, "d": _DIGIT, "s": _SPACE}

_TOKEN = re.compile(
    r"(?P<edge>(?:\\b)+)"
    r"|(?P<quoted>\\Q(?:[^\\]|\\(?!E))*(?:\\E)?)"
    r"|(?P<short>\\[wdsWDS])"
    r"|(?P<assert>\\[AzBC]|[\^])"
    r"|(?P<escape>\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[0-7]{1,3}|\\.)"
    r"|(?P<class>\[\^?\]?(?:\[:\^?\w+:\]|\\[pP]\{[^}]*\}|\\.|[^\]\\])*\])"
    r"|(?P<group>\(\?(?:P?<\w+>|[a-zA-Z-]*[:)])|[()|])"
    r"|(?P<times>[*+?]\??|\{\d+(?:,\d*)?\}\??)"
    r"|(?P<end>\$)|(?P<dot>\.)|(?P<one>.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Pattern:
    """A pattern that compiles, for plain text and for text whose word boundaries are marked."""

    plain: str
    over_marks: str
    edges: bool

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Read a user's pattern.

        Raises
        ------
        EmptyQuery
            For a pattern that nothing at all satisfies, so that every text would.
        BadParameter
            For a pattern that is too long, or none; says where.
        """
        if len(text) > LONGEST:
            raise BadParameter(
                f"A pattern has at most {LONGEST} characters. Got {len(text)}: {text[:40]!r}..."
            )
        text = unicodedata.normalize("NFC", clean(text))
        _compiled(text, text)
        tokens = [(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(text)]
        _check_names(text)
        every = any(re.match(r"\(\?[a-zA-Z]*s", part) for kind, part in tokens if kind == "group")
        made = cls(
            "".join(_plain(kind, part) for kind, part in tokens),
            "".join(_over_marks(kind, part, every=every) for kind, part in tokens),
            any(kind == "edge" for kind, _ in tokens),
        )
        if _compiled(made.plain, text).search("") is not None:
            raise EmptyQuery(
                f"The pattern {text!r:.80} is satisfied by nothing at all, so every message would "
                "match. Ask for at least one character: x+ in the place of x*."
            )
        _compiled(made.over_marks, text)
        return made


def _check_names(text: str) -> None:
    """Refuse a group name that stands twice, which RE2 would let pass."""
    seen: set[str] = set()
    for match in re.finditer(r"(?<!\\)\(\?P?<(\w+)>", text):
        if match[1] in seen:
            raise BadParameter(
                f"{text!r:.80} is no pattern: group name {match[1]!r} again at character "
                f"{match.start()}."
            )
        seen.add(match[1])


def marked(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Mark both ends of every word."""
    return pc.replace_substring_regex(texts, f"([{_WORD}]+)", f"{MARK}\\1{MARK}")


def _plain(kind: str, part: str) -> str:
    """Rewrite a piece of a pattern for plain text."""
    if kind == "edge":
        return r"\b"
    if kind == "short":
        return f"[{'^' * part[1].isupper()}{_CLASSES[part[1].lower()]}]"
    return _class(part, "") if kind == "class" else part


def _over_marks(kind: str, part: str, *, every: bool) -> str:
    """Rewrite a piece of a pattern for marked text; ``every`` lets the dot match a new line."""
    if kind in ("group", "times"):
        return part
    if kind == "edge":
        return MARK
    if kind == "quoted":
        bare = part[2:].removesuffix(r"\E")
        return "".join(f"(?:{MARK}?{re2.escape(letter)})" for letter in bare)
    if kind in ("end", "assert"):
        return f"{MARK}?{part}" if part in ("$", r"\z") else part
    return f"(?:{MARK}?{_one(kind, part, every)})"


def _one(kind: str, part: str, every: bool) -> str:
    """Rewrite what takes one character so that it does not take a mark."""
    if kind == "dot":
        return f"[^{MARK}]" if every else f"[^\n{MARK}]"
    if kind == "short":
        return f"[{f'^{MARK}' * part[1].isupper()}{_CLASSES[part[1].lower()]}]"
    if kind == "class":
        return _class(part, MARK)
    return f"[^\\p{part[2:]}{MARK}]" if part.startswith(r"\P") else part


def _class(part: str, mark: str) -> str:
    """Rewrite a class in brackets; what its negated shorthands stand for becomes a class beside."""
    if part == r"[^\W_]":
        return r"[\p{L}\p{M}\p{N}]"
    if part.startswith("[^"):
        return f"[^{mark}{_widened(part[2:])}"
    beside = [
        f"[^{mark}{_CLASSES[c.lower()]}]" for _, c in re.findall(r"(\\)(.)", part) if c in "WDS"
    ]
    if not beside:
        return _widened(part)
    rest = re.sub(r"\\(.)", lambda pair: "" if pair[1] in "WDS" else pair[0], part)
    return f"(?:{'|'.join(beside + [_widened(rest)] * (rest != '[]'))})"


def _widened(part: str) -> str:
    return re.sub(r"\\(.)", lambda pair: _CLASSES.get(pair[1], pair[0]), part)


def _compiled(pattern: str, text: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0]
        raise _refusal(text, said.decode() if isinstance(said, bytes) else str(said)) from None


def _refusal(text: str, said: str) -> BadParameter:
    what, _, piece = said.partition(": ")
    around = what in ("invalid perl operator", "invalid escape sequence")
    way = "Look-around and back references are not to be had: every pattern takes linear time."
    return BadParameter(
        f"{text!r:.80} is no pattern: {what} at character {_position(text, piece)}."
        f"{' ' + way if around else ''}"
    )


def _position(text: str, piece: str) -> int:
    """Find where a pattern is wrong; Python's own compiler says it exactly where it agrees."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        return error.pos or 0
    except (OverflowError, RecursionError):
        return 0
    return max(text.find(piece), 0)
