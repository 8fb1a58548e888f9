"""What JSON holds, down to its second level, by one walk over its tokens.

The walk keeps two levels and the open brackets, so size costs no memory; what is small enough is
parsed as well, to tell whether it is JSON at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lcm_lab.shown import cut, one_line

__all__ = ["json_data", "shape"]

#: Characters up to which it is parsed, which takes many bytes of memory each.
PARSED = 4_000_000
#: Brackets that may be open at once; more is nothing that a parser reads.
DEEPEST = 10_000
#: Keys and items that are shown, and characters of a key.
KEYS, ITEMS, KEY = 10, 3, 80

#: A string, or one that never ends. No pattern here tries a character more than twice.
STRING = r'"(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z)'
FLAT = rf"(?:{STRING}|[^\"\[\]{{}}]++)*+"
WORD = r"[^\s\[\]{}:\",]++"
#: Every token; one a value where it holds no other brackets; and all up to such a bracket.
FINE = re.compile(rf"[\s,]*+({STRING}|[\[\]{{}}:]|{WORD})", re.DOTALL)
ITEM = re.compile(rf"[\s,]*+(?:{STRING}|\{{{FLAT}\}}|\[{FLAT}\]|{WORD})", re.DOTALL)
COARSE = re.compile(rf"[\s,]*+({STRING}|\{{{FLAT}\}}|\[{FLAT}\]|[\[\]{{}}:]|{WORD})", re.DOTALL)
DEEP = re.compile(rf"(?:{STRING}|[^\"\[\]{{}}]++|\{{{FLAT}\}}|\[{FLAT}\])*+([\[\]{{}}])", re.DOTALL)


def json_data(content: str) -> str:
    r"""Describe JSON, or JSON Lines; say where it does not parse.

    Examples
    --------
    >>> print(json_data('[{"id": 1}, null]'))
    Structured summary (JSON):
    Top-level type: array.
    Shape: array(len=2, sample=[object(keys=1: id), null]).
    >>> json_data("{bad")
    'Structured summary (JSON): failed to parse as valid JSON (line 1, column 2).'
    """
    fault = _fault(content)
    if fault is None:
        return _described(str(shape(content)), len(content))
    first = next(_split(content), "")
    if len(first) < len(content.rstrip()) and _fault(first) is None:
        return _lines(content)
    return f"Structured summary (JSON): failed to parse as valid JSON{fault}."


def shape(content: str) -> str | None:
    """Describe the outermost value and what is directly in it; None where brackets do not match.

    Examples
    --------
    >>> shape('{"a": {"b": 1}, "c": []}'), shape("[[1, 2], 3]"), shape("[1}")
    ('object(keys=2: a, c)', 'array(len=2, sample=[array(len=2, sample=[..., ...]), number])', None)
    """
    walk, at = _Walk(), 0
    while token := walk.pattern().match(content, at):
        if not walk.take(token[1]):
            return None
        at = token.end()
        if walk.only_counts():
            at = walk.count(content, at)
    ended = len(content) - at < 2 or content[at:].isspace()
    return walk.outer if ended and not walk.opened else None


@dataclass
class _Level:
    """An array or an object that is being walked."""

    opened: str
    count: int = 0
    shown: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        listed = ", ".join(self.shown)
        if self.opened == "[":
            return f"array(len={self.count}{f', sample=[{listed}]' if listed else ''})"
        return f"object(keys={self.count}{f': {listed}' if listed else ''})"


class _Walk:
    """Where a walk stands: the brackets that are open, and the two outer levels of them."""

    def __init__(self) -> None:
        self.outer: str | None = None
        self.opened = bytearray()
        self.levels: list[_Level] = []
        self.word = ""

    def pattern(self) -> re.Pattern[str]:
        """Give what the next token is to be found by: no finer than what is shown of it."""
        top = self.levels[0] if self.levels else None
        if top is None or (top.opened == "[" and len(top.shown) < ITEMS and len(self.opened) <= 2):
            return FINE
        return COARSE if len(self.opened) == 1 else DEEP

    def only_counts(self) -> bool:
        """Tell whether nothing more is shown of the array that the walk is directly in."""
        return (
            len(self.opened) == 1
            and self.levels[0].opened == "["
            and len(self.levels[0].shown) == ITEMS
        )

    def count(self, content: str, at: int) -> int:
        """Count values without brackets in them, as long as they follow each other."""
        for item in ITEM.finditer(content, at):
            if item.start() != at:
                break
            self.levels[0].count += 1
            at = item.end()
        return at

    def take(self, token: str) -> bool:
        """Go on by a token; False where it closes what is not open, or comes after the end."""
        if self.outer is not None or len(self.opened) > DEEPEST:
            return False
        if token in ("]", "}"):
            return self._close("[" if token == "]" else "{")
        if token in ("[", "{"):
            self._open(token)
        elif token == ":":
            self._key()
        else:
            self._found(_type(token))
        self.word = token
        return True

    def _open(self, token: str) -> None:
        if len(self.opened) < 2:
            self.levels.append(_Level(token))
        else:
            self._found("...")
        self.opened += token.encode()

    def _close(self, opener: str) -> bool:
        if not self.opened or self.opened[-1] != ord(opener):
            return False
        self.opened.pop()
        if len(self.opened) < 2:
            self._found(str(self.levels.pop()))
        return True

    def _found(self, what: str) -> None:
        """Note a value where it stands in an array, or as the outermost."""
        depth = len(self.opened)
        if depth == 0:
            self.outer = what
        elif depth <= 2 and self.opened[-1] == ord("["):
            level = self.levels[depth - 1]
            level.count += 1
            if len(level.shown) < ITEMS:
                level.shown.append(what if depth == 1 else "...")

    def _key(self) -> None:
        depth = len(self.opened)
        if depth in (1, 2) and self.opened[-1] == ord("{"):
            level = self.levels[depth - 1]
            level.count += 1
            if len(level.shown) < KEYS:
                level.shown.append(_name(self.word))


def _type(token: str) -> str:
    """Name the type of a value; of a bracket with what it holds, which nothing shows."""
    if token.startswith('"'):
        return "string"
    words = {"true": "boolean", "false": "boolean", "null": "null"}
    return words.get(token, "number")


def _name(word: str) -> str:
    """Give a key as it reads: a string without its quotes and escapes, of one line, cut."""
    try:
        read = str(json.loads(word, strict=False)) if len(word) < 6 * KEY else word
    except ValueError:
        read = word
    return cut(one_line(read), KEY)


def _fault(content: str) -> str | None:
    """Tell where content stops being JSON; None where it does not, or is too much to parse."""
    if len(content) > PARSED:
        return None if shape(content) else " (too large to say where)"
    try:
        # Numbers may be of any length: as floats they are never too long.
        json.loads(content, parse_int=float, parse_constant=_refused)
    except RecursionError:
        return None if shape(content) else " (nested too deeply)"
    except json.JSONDecodeError as error:
        return f" (line {error.lineno:,}, column {error.colno:,})"
    except ValueError as error:
        return f" ({error})"
    return None


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _described(found: str, size: int) -> str:
    lines = [
        "Structured summary (JSON):",
        f"Top-level type: {found.partition('(')[0]}.",
        f"Shape: {found}.",
    ]
    if size > PARSED:
        lines.append(f"Not validated beyond its brackets: {size:,} characters.")
    return "\n".join(lines)


def _lines(content: str) -> str:
    """Describe JSON Lines: how many, what the first are, and how many are none."""
    rows = broken = 0
    first: list[str] = []
    for line in _split(content):
        rows += 1
        fault = _fault(line)
        broken += fault is not None
        if len(first) < ITEMS and fault is None:
            first.append(str(shape(line)))
    return "\n".join(
        [
            "Structured summary (JSON Lines):",
            f"Rows: {rows:,}{f', of which {broken:,} do not parse' if broken else ''}.",
            f"Shape: {', '.join(first)}.",
        ]
    )


def _split(content: str) -> Iterator[str]:
    for line in re.finditer(r"[^\n]++", content):
        if not line[0].isspace():
            yield line[0]
