"""Secrets that are known by the name they are given: ``password``, ``apiKey``, ``token``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lcm_lab.redact.span import MARK, Span

__all__ = ["assigned"]

_SURE = (
    r"passwords?|passwd|passphrase|pwd|(?:api|secret|access|private|account)[-_ ]?key"
    r"|(?:client|app|shared)[-_]?secret|(?:access|auth|refresh|session|api|bot)[-_]?token"
)
#: A quoted value ends at a quote escaped as its first one is: JSON may stand within JSON. A bare
#: one stands on the line of its name, and none of it is taken where it is called or indexed.
_VALUE = (
    r"\s*(?P<depth>\\*)\"(?P<double>(?:(?!(?<!\\)(?P=depth)\")[^\n]){1,500})(?:(?P=depth)\")?"
    r"|\s*\\*'(?P<single>[^'\n]{1,500}+)(?:\\*'|(?=[^'\n]))"
    r"|[^\S\r\n]*(?P<bare>[^\s\"'`,;&<>(){}|\\\[\]]{3,500}+)(?![(\[])"
)
#: So much of a value is judged, and this is what goes on of a longer one.
_LONG, _REST = 500, re.compile(r"[^\s\"'`,;&<>(){}|\\\[\]]*+")
_NAMES = "pass pwd key token secret credential"
_ASSIGNED = re.compile(
    rf"(?i)(?P<name>(?P<sure>{_SURE})|token|secret|credentials?)\\*[\"']?\]?"
    rf"(?P<sign>[^\S\r\n]*(?::=|=>|={{1,3}}|:)|(?<=--password)(?=\s)|(?<=--token)(?=\s))(?:{_VALUE})"
)

#: Characters that are looked back at for where a line began.
LINE = 500

_OWN = r"(?:api|secret|access|private|auth|csrf|jwt|app|client)"
#: What stands for a secret and is none: `$NAME`, `<name>`, `{name}`, stars, `your_key_here`.
_PLACEHOLDER = re.compile(
    r"\$\{?\w+\}?|<[^>]*>|\{[^}]*\}|%\w+%|[*x.#]+|[\w-]*(?:\.{3,}|\u2026)|(?i:redacted)|..?"
    r"|(?i:(?:[\w-]+[-_])?your[-_ ][\w -]+)"
)
#: The name of a key itself, as documentation writes it in the key's place.
_ITSELF = re.compile(
    rf"(?i)(?:(?:my|the|some|an?|insert|enter)[-_ ]?)?(?:{_OWN}[-_ ]?)+(?:key|token|secret)"
    r"(?:[-_ ]?here)?"
)
_CODE = re.compile(
    r"(?:app|args|cfg|conf|config|ctx|data|env|opts|options|os|params|process|props|req|request|secrets"
    r"|self|settings|state|this|user)\.[\w.]+|[A-Za-z_]+(?:\.[A-Za-z_]+)+|[A-Za-z]+_[A-Za-z_]*"
)
_STRONG = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])\S{8,}")
#: What follows the colon behind "password" in code and in speech, and is none.
_WORDS = re.compile(
    r"(?i)any|attr|attribute|auto|blank|boolean|bytes|changed|char|column|correct|disabled"
    r"|empty|enabled|encrypted|expired|failed|false|field|forgotten|function|hash|hashed"
    r"|hidden|ignored|incorrect|input|invalid|missing|never|nil|none|null|number|object"
    r"|off|okay|optional|params|pass|passwd|password|passwords|plain|plaintext|prompt"
    r"|props|protected|pwd|redacted|required|reset|return|rotated|schema|secret|self|set"
    r"|state|str|string|text|true|undefined|unchanged|unknown|unset|updated|valid|value"
    r"|varchar|void|wrong"
)
_ENDS = re.compile(r"[ \t]*(?:$|[;\r\n]|\\[rn]|\\*\")")


def assigned(text: str) -> Iterator[Span]:
    """Find what is assigned to a name that says it is a secret."""
    lower = text.lower()
    if not any(word in lower for word in _NAMES.split()):
        return
    at = 0
    while (match := _ASSIGNED.search(text, at)) is not None:
        held = str(match.lastgroup if match.lastgroup in ("double", "single") else "bare")
        # In what is no secret there may be another name.
        at = match.end("sign")
        if _is_secret(match, held):
            start, end = match.span(held)
            if end - start == _LONG:
                end = _REST.match(text, end).end()  # type: ignore[union-attr]  # may be nothing
            at = max(match.end(), end)
            kind = "password" if match["name"].lower().startswith("pass") else "secret"
            yield Span(start, end, kind)


def _is_secret(match: re.Match[str], held: str) -> bool:
    value = match[held]
    if not value.strip() or MARK in value or _PLACEHOLDER.fullmatch(value):
        return False
    if _is_name(match, value) or (held == "double" and _is_behind(match)):
        return False
    if match["sure"] is None:
        return bool(_STRONG.fullmatch(value))
    if not match["sure"].lower().startswith("p") and _ITSELF.fullmatch(value):
        return False
    return held != "bare" or _is_bare_secret(match, value)


def _is_name(match: re.Match[str], value: str) -> bool:
    """Tell whether a value is its own name, as in ``password=password``, or the working folder."""
    named = value.lower() == match["name"].lower()
    return named or (match["name"].lower() == "pwd" and value[0] in "/~")


def _is_behind(match: re.Match[str]) -> bool:
    """Tell whether the quote ends a text, as in ``input("Password: ")``, and begins no value."""
    text, at = match.string, match.start("double")
    if text[at] not in " \t),;]}+%":
        return False
    start = text.rfind("\n", max(0, at - LINE), at) + 1
    if not start and at > LINE:
        return False
    return text.count('"', start, at - len(match["depth"]) - 1) % 2 == 1


def _is_bare_secret(match: re.Match[str], value: str) -> bool:
    if _CODE.fullmatch(value) or value.lower() in ("none", "null", "true", "false"):
        return False
    glued = match["sign"] == "=" and match.end("sign") == match.start("bare")
    return not value.isalpha() or glued or _is_told(match, value)


def _is_told(match: re.Match[str], word: str) -> bool:
    """Tell whether ``password: tiny`` gives a password: a plain word, and nothing behind it."""
    return (
        match["sign"].strip() == ":"
        and match["sure"].lower().startswith("p")
        and word[1:].islower()
        and not _WORDS.fullmatch(word)
        and _ENDS.match(match.string, match.end()) is not None
    )
