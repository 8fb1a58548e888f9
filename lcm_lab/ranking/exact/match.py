"""Questions as FTS5 is asked them: what falls into parts, and how the parts are joined.

Inside double quotes FTS5 has no operators, so a quoted question is never a syntax error. Systems
differ in how a question falls into parts; each way is a function here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from types import MappingProxyType

from lcm_lab.text import clean
from lcm_lab.words import UNSPACED

__all__ = ["MATCHES", "READERS", "has_cjk", "like_terms", "matching", "prepared"]

#: How parts are joined, and what becomes of a part without a token: "all" passes over it.
MATCHES = ("all", "any", "phrase")

_QUOTED = re.compile(r"\"([^\"]*)\"")
_QUOTED_EITHER = re.compile(r"[\"\u201c\u201d]([^\"\u201c\u201d]*)[\"\u201c\u201d]")

#: Languages whose names end in signs. FTS5 drops signs, so these stand as words beside the letter:
#: private characters, which it takes for letters.
_SIGNED = re.compile(r"(?<=[CFGcfg])(?<![\w+#][CFGcfg])(?:\+\+|#)(?![\w+#])")
_SIGNS = {"++": " \ue02b ", "#": " \ue023 "}

#: What lossless-claw strips from the ends of a term.
_EDGE = " \t\r\n\"'`()[]{}<>.,:;!?*_+=|\\/-"

#: What lossless-claw takes for CJK: no supplementary planes, no full-width forms.
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af]")


def matching(query: str, match: str, compat: str | None, *, spread: bool = True) -> str:
    """Give the expression that FTS5 is asked; empty where the query asks for nothing.

    Examples
    --------
    >>> matching('find "database migration" NOT a.b', "all", None)
    '"find" "database migration" "NOT" "a.b"'
    >>> matching("ops-417 today", "any", None)
    '"ops-417" OR "today"'
    """
    query = clean(query)
    if compat == "lossless-claw" and has_cjk(query):
        return ""  # that system never asks its index for CJK
    if match == "phrase":
        parts: Iterable[str] = [query.replace('"', " ")]
    else:
        parts = READERS[compat](query)
    if compat is None:
        parts = dict.fromkeys(prepared(part, spread=spread) for part in parts if _has_word(part))
    joint = " OR " if match == "any" else " AND " if compat in _STRICT else " "
    return joint.join('"' + part.replace("\0", " ").replace('"', '""') + '"' for part in parts)


def prepared(text: str, *, spread: bool = True) -> str:
    """Fold compatibility forms and, to ``spread``, make words of what FTS5 knows none in.

    Characters of unspaced scripts stand apart, and the signs of C++, C#, F# and g++ from a letter.

    Examples
    --------
    >>> prepared("ＡＰＩ 上线")
    'API  上 线 '
    """
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    if not spread:
        return plain
    if "++" in plain or "#" in plain:
        plain = _SIGNED.sub(lambda found: _SIGNS[found[0]], plain)
    return plain if plain.isascii() else UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", plain)


def has_cjk(text: str) -> bool:
    """Tell whether lossless-claw takes a question for CJK."""
    return _CJK.search(text) is not None


def like_terms(query: str) -> list[str]:
    """Give the terms that lossless-claw looks for where it does not ask its index.

    Examples
    --------
    >>> like_terms('"foo bar", baz!')
    ['foo bar', 'baz']
    """
    parts = re.findall(r'"([^"]+)"|(\S+)', query)
    terms = [(quoted or bare).strip(_EDGE).lower() for quoted, bare in parts]
    found = list(dict.fromkeys(term for term in terms if term))
    return found or [term for term in [query.strip(_EDGE).lower()] if term]


def _plain(query: str) -> list[str]:
    """Give quoted phrases, straight or curly, and the stretches between white space."""
    return _parts(_QUOTED_EITHER.split(query))


def _lossless_claw(query: str) -> list[str]:
    """Give quoted phrases, and stretches without their quotes."""
    return _parts(_QUOTED.split(query)) or [""]


def _openclaw(query: str) -> list[str]:
    """Give stretches between white space, quotes and all."""
    return query.split()


def _openclaw_memory(query: str) -> list[str]:
    """Give runs of letters, digits and underscores."""
    return re.findall(r"\w+", query)


def _parts(stretches: list[str]) -> list[str]:
    """Give the words outside quotes, and whole what stands inside, at odd places."""
    parts: list[str] = []
    for place, stretch in enumerate(stretches):
        bare = [stretch.strip()] if place % 2 else stretch.replace('"', "").split()
        parts += [part for part in bare if part]
    return parts


def _has_word(part: str) -> bool:
    return any(letter.isalnum() for letter in part)


READERS: MappingProxyType[str | None, Callable[[str], list[str]]] = MappingProxyType(
    {
        None: _plain,
        "lossless-claw": _lossless_claw,
        "openclaw": _openclaw,
        "openclaw-memory": _openclaw_memory,
    }
)

#: These join with AND, where a part without a token makes the whole match nothing.
_STRICT = ("openclaw", "openclaw-memory")
