"""What XML and YAML hold: the names of their elements and top-level keys, each once.

Neither is parsed, so entities stay what they are; the patterns pass over a content once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from lcm_lab.shown import cut, one_line

__all__ = ["xml", "yaml"]

#: Names that are shown, characters of a name, and different names that are told apart.
SHOWN, NAME, KNOWN = 30, 80, 100_000

#: A start tag, or what may hold the likeness of one; what is never closed goes on to the end.
TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    r"|<!DOCTYPE[^>\[]*+(?:\[.*?(?:\]\s*>|\Z))?"
    r"|<([^\W\d][\w:.-]*+)(?=[\s/>])",
    re.DOTALL,
)
#: A key at the margin: quoted, or plain up to a colon that ends the line or has a space after it.
KEY = re.compile(
    r"""^(?:"((?:[^"\\\n]++|\\.)*+)"|'((?:[^'\n]++|'')*+)'"""
    r"""|(?!---|\.\.\.)((?:[^\s"'#\[\]{},&*!|>%@`?-]|[?-](?=[^\s]))(?:[^\n:#]++|:(?![\s])|(?<!\s)\#)*+))"""
    r"[ \t]*:(?=[ \t\r]|$)",
    re.MULTILINE,
)
ITEM = re.compile(r"^-(?=[ \t\r]|$)", re.MULTILINE)


def xml(content: str) -> str:
    """Describe XML: its root, and each other element with how often it occurs.

    Comments, character data and document types are passed over.

    Examples
    --------
    >>> print(xml("<!-- <no/> --><list><item/><item/><note>x</note></list>"))
    Structured summary (XML):
    Root element: list.
    Child elements seen (2): item x 2, note.
    """
    tags = (found[1] for found in TAG.finditer(content) if found[1])
    root = next(tags, None)
    counts = _counted(tag for tag in tags if tag != root)
    return "\n".join(
        [
            "Structured summary (XML):",
            f"Root element: {_name(root or 'none detected')}.",
            f"Child elements seen ({len(counts):,}): {_listed(counts)}.",
        ]
    )


def yaml(content: str) -> str:
    r"""Describe YAML: its keys at the margin, whatever stands after them, or its items.

    Examples
    --------
    >>> print(yaml("name: demo\n'on': [push]\njobs:\n  build: 1\n"))
    Structured summary (YAML):
    Top-level keys (3): name, on, jobs.
    """
    counts = _counted(next(filter(None, found.groups()), "") for found in KEY.finditer(content))
    lines = ["Structured summary (YAML):"]
    items = 0 if counts else sum(1 for _ in ITEM.finditer(content))
    if items:
        lines.append(f"Top-level sequence: {items:,} items.")
    else:
        names = dict.fromkeys(counts, 1)
        lines.append(f"Top-level keys ({len(names):,}): {_listed(names)}.")
    return "\n".join(lines)


def _counted(names: Iterable[str]) -> Counter[str]:
    """Count names, up to as many different ones as are told apart."""
    counts: Counter[str] = Counter()
    for name in names:
        if len(counts) < KNOWN or name in counts:
            counts[name] += 1
    return counts


def _listed(counts: dict[str, int]) -> str:
    shown = [
        _name(name) + (f" x {times:,}" if times > 1 else "")
        for name, times in list(counts.items())[:SHOWN]
    ]
    more = f" and {len(counts) - SHOWN:,} more" if len(counts) > SHOWN else ""
    return ", ".join(shown) + more if shown else "none detected"


def _name(name: str) -> str:
    return cut(one_line(name), NAME)
