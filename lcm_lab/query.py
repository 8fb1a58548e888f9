"""What a question asks, read once for every ranker and tool: phrases in quotes, and words.

There are no operators: AND, NOT, NEAR, ``-`` and ``*`` are words and symbols like any other, so any
printable text is a safe query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.text import clean
from lcm_lab.words import pieces

__all__ = ["Query", "looks_like_regex", "parse", "require_words"]

_PHRASE = re.compile(r"\"([^\"]*)\"|\u201c([^\u201c\u201d]*)\u201d")

#: What nobody writes but in a regular expression. `C++`, `*.py`, `C:\dir` and `[OPS-417]` pass.
_REGEX = re.compile(
    r"(?<=[\w)\]])\|(?=[\w(\[\\^])"  # timeout|retry
    r"|\\[bBdDwWsS](?![A-Za-z])|\\[.()\[\]{}|?*+^$]"  # \d+ \.
    r"|(?<=[\w)\]])\.[*+]|\.[*+]\??(?=[\w(\[])"  # retry.*backoff
    r"|\[\^?(?:a-z|A-Z|0-9)[^\[\]\s]{0,40}\]|\[[^\[\]\s]{2,40}\][+*{]"  # [a-z0-9]
    r"|\(\?[:=!<imsxP]"  # (?:a) (?i)
    r"|^\^(?=\w)"
    r"|(?<=[\w)\]])\{[0-9]+(?:,[0-9]*)?\}"  # x{2,}
)


@dataclass(frozen=True)
class Query:
    """A question as it was read.

    Attributes
    ----------
    text : str
        The whole question, storable; quotes are no words, so rankers may take it as it is.
    phrases : tuple of str
        What stood in quotes and holds a word, in order.
    rest : str
        What stood outside, an unbalanced quote included.
    """

    text: str
    phrases: tuple[str, ...]
    rest: str


def parse(text: str) -> Query:
    """Read a question.

    Parameters
    ----------
    text : str
        A pair of quotes, straight or curly, makes a phrase; a quote without its pair is literal.

    Raises
    ------
    EmptyQuery
        When no word is asked for: "", blanks, "???".

    Examples
    --------
    >>> parse('"error handling" AND retries')
    Query(text='"error handling" AND retries', phrases=('error handling',), rest='AND retries')
    """
    text = require_words(text)
    quoted = [match[1] or match[2] or "" for match in _PHRASE.finditer(text)]
    phrases = tuple(phrase.strip() for phrase in quoted if _has_word(phrase))
    return Query(text, phrases, " ".join(_PHRASE.sub(" ", text).split()))


def require_words(text: Any) -> str:
    """Give a question back, storable, if it holds a word; every ranker and tool calls this first.

    Raises
    ------
    EmptyQuery
        When it holds none.
    BadParameter
        When it is no text.

    Examples
    --------
    >>> require_words("C++?")
    'C++?'
    """
    if not isinstance(text, str):
        raise BadParameter(f"A query is text. Got {text!r:.80} ({type(text).__name__}).")
    storable = clean(text)
    if not _has_word(storable):
        raise EmptyQuery(
            f"The query {text!r:.80} holds no word. Write what to look for: 'retry backoff'."
        )
    return storable


def looks_like_regex(text: str) -> bool:
    """Tell whether a question is plainly a regular expression; what stands in quotes is not.

    Examples
    --------
    >>> looks_like_regex("timeout|retry|backoff"), looks_like_regex("C++ or src/*.py?")
    (True, False)
    """
    return _REGEX.search(_PHRASE.sub(" ", text).strip()) is not None


def _has_word(text: str) -> bool:
    return any(pieces(chunk) for chunk in text.split())
