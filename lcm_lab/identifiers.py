"""What names one thing and no other: paths, hashes, tickets, flags, settings, names in code.

`anchors` finds what a later message may repeat of an earlier one, `identifiers` what a summary must
keep so that the work can go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["KINDS", "NAMED", "anchors", "identifiers", "mentions"]

#: The likelier to point at one place first.
KINDS = ("error", "path", "identifier")

#: From the word that says what went wrong to the end of its line.
ERROR = re.compile(
    r"(?:\b\w*(?:Error|Exception)\b|\b(?:error|fatal|panic|failed|denied)\b)[^\n]{0,10}: ?[^\n]+"
)
#: Code that handles errors ends like this; an error that occurred does not.
CODE_END = ("{", ";", ",", "(", "}", ")", "*/", "?")
FRAME = " \t>|`*-•'\"."

PATH = re.compile(r"(?<![\w/.~@:+-])(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)+")
FILE = re.compile(r"(?<![\w/.@-])[\w-]{3,}(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}(?![\w/(])")
NAME = re.compile(r"(?<![\w/.@-])[A-Za-z_]\w*(?:[.:#-]+\w+)*(?![\w/])")
QUOTED = re.compile(r"`([\w./:@#<>\[\]()-]{4,60})`")
CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
MIXED = re.compile(r"[A-Za-z]+-?[0-9]{2,}|[0-9][A-Za-z]+[0-9]")
WORD = re.compile(r"\w{3,}")


#: The kinds that `identifiers` tells apart, in the order in which a text is looked through: what is
#: one kind is not looked at as another.
NAMED: dict[str, re.Pattern[str]] = {
    "ticket": re.compile(
        r"(?<![\w-])[A-Z][A-Z0-9]{1,9}-[0-9]{1,7}(?![\w-])|(?<![\w&#])#[0-9]{1,7}\b"
    ),
    "setting": re.compile(r"(?<![\w$.-])[A-Za-z_][\w.-]{2,40}=[\w./:@%+-]{1,60}(?<![.:])"),
    "path": PATH,
    "file": FILE,
    "hash": re.compile(r"(?<![\w/.-])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40}(?![\w/-])"),
    "flag": re.compile(r"(?<![\w/.-])--[A-Za-z][\w-]+"),
    "version": re.compile(r"(?<![\w./-])v?[0-9]+\.[0-9]+\.[0-9]+(?:[.-][\w.]+)?(?<![.-])"),
    "error": re.compile(
        r"(?<![\w-])(?:[A-Z][A-Za-z]*(?:Error|Exception)|E[A-Z]{4,}|[A-Z]{1,4}[0-9]{3,5})(?!\w)"
    ),
    "amount": re.compile(
        r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?: ?(?:ms|MB|GB|KB|MiB|GiB|KiB|%)|(?:s|m|h|k|x|px))(?!\w)"
    ),
    "name": NAME,
}


def identifiers(text: str) -> Iterator[tuple[str, str]]:
    """Find what names one thing in a text, as (kind, identifier), in order, repeats included.

    Kinds are those of `NAMED`; a file is a name without its folder.

    Examples
    --------
    >>> list(identifiers("OPS-417: set retry_limit=5 in src/app/main.py, see --dry-run"))[:2]
    [('ticket', 'OPS-417'), ('setting', 'retry_limit=5')]
    """
    found: list[tuple[int, str, str]] = []
    for kind, pattern in NAMED.items():
        rest = []
        for match in pattern.finditer(text):
            name = match[0].rstrip(".-")
            if _counts(kind, name):
                found.append((match.start(), kind, name))
                rest.append(match.span())
        text = _without(text, rest)
    yield from ((kind, name) for _, kind, name in sorted(found))


def _counts(kind: str, name: str) -> bool:
    if kind == "path":
        return _specific(name)
    return _named(name) if kind == "name" else True


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Blank out what was found, the rest staying where it is."""
    if not spans:
        return text
    parts, at = [], 0
    for start, stop in spans:
        parts += [text[at:start], " " * (stop - start)]
        at = stop
    return "".join([*parts, text[at:]])


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
