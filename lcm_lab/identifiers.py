"""What a later message may repeat of an earlier one: error lines, paths, identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["KINDS", "anchors", "mentions"]

#: The likelier to point at one place first.
KINDS = ("error", "path", "identifier")

#: From the word that says what went wrong to the end of its line.
ERROR = re.compile(
    r"(?:\b\w*(?:Error|Exception)\b|\b(?:error|fatal|panic|failed|denied)\b)[^\n]{0,10}: ?[^\n]+"
)
#: Code that handles errors ends like this; an error that occurred does not.
CODE_END = ("{", ";", ",", "(", "}", ")", "*/", "?")
FRAME = " \t>|`*-•'\"."

PATH = re.compile(r"(?<![\w/.~@:-])(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)+")
FILE = re.compile(r"(?<![\w/.@-])[\w-]{3,}(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}(?![\w/(])")
NAME = re.compile(r"(?<![\w/.@-])[A-Za-z_]\w*(?:[.:#-]+\w+)*(?![\w/])")
QUOTED = re.compile(r"`([\w./:@#<>\[\]()-]{4,60})`")
CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
MIXED = re.compile(r"[A-Za-z]+-?[0-9]{2,}|[0-9][A-Za-z]+[0-9]")
WORD = re.compile(r"\w{3,}")


def anchors(text: str) -> Iterator[tuple[str, str]]:
    """Find the error lines, paths and identifiers of a text, each once, as (kind, anchor).

    Examples
    --------
    >>> sorted(anchors("see src/app/main.py and parseLine()"))
    [('identifier', 'parseLine'), ('path', 'src/app/main.py')]
    """
    seen: set[str] = set()
    for kind, found in _all(text):
        if found not in seen:
            seen.add(found)
            yield kind, found


def mentions(text: str) -> set[str]:
    """Give the words of a text, case kept: what holds an anchor holds the longest of its words."""
    return set(WORD.findall(text))


def _all(text: str) -> Iterator[tuple[str, str]]:
    yield from (("error", line) for line in _errors(text))
    paths = (match[0].rstrip(".-") for match in PATH.finditer(text))
    yield from (("path", path) for path in paths if _specific(path))
    yield from (("path", match[0]) for match in FILE.finditer(text))
    names = (match[0] for match in NAME.finditer(text))
    yield from (("identifier", name) for name in names if _named(name))
    quoted = (match[1] for match in QUOTED.finditer(text))
    yield from (("identifier", name) for name in quoted if not name.isalpha())


def _errors(text: str) -> Iterator[str]:
    for match in ERROR.finditer(text):
        line = match[0].strip(FRAME)
        if 20 <= len(line) <= 160 and len(line.split()) >= 3 and not line.endswith(CODE_END):
            yield line


def _specific(path: str) -> bool:
    """Tell whether a path names a file, or a place at some depth; "and/or" does neither."""
    steps = path.strip("/~.").split("/")
    return len(path) >= 6 and ("." in steps[-1].lstrip(".") or len(steps) >= 3)


def _named(word: str) -> bool:
    if not 5 <= len(word) <= 60:
        return False
    return "_" in word.strip("_") or bool(CAMEL.search(word)) or bool(MIXED.fullmatch(word))
