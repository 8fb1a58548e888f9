"""What can go wrong, by kind; a message says what is wrong, what there is, and what to write."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "BadInput",
    "BadParameter",
    "EmptyQuery",
    "LcmError",
    "MissingExtra",
    "NotFound",
    "OverBudget",
    "nearest",
    "unknown",
]


class LcmError(Exception):
    """Anything lcm_lab refuses to do; catch this to catch them all.

    Examples
    --------
    >>> issubclass(BadParameter, LcmError)
    True
    """


class NotFound(LcmError, LookupError):
    """A name or an id that does not exist here."""


class BadParameter(LcmError, ValueError):
    """A value that a parameter cannot take."""


class EmptyQuery(BadParameter):
    """A question with nothing to look for: empty, blank, or punctuation alone."""


class BadInput(LcmError, ValueError):
    """Data that cannot be what it claims to be."""


class OverBudget(LcmError):
    """Work that would go beyond a stated limit."""


class MissingExtra(LcmError, ImportError):
    """An optional dependency that is not installed."""


def nearest(name: str, options: Iterable[str]) -> str:
    """Give `` Did you mean 'x'?`` for the option nearest to ``name``, or nothing.

    Examples
    --------
    >>> nearest("convresation", ["conversation", "role"])
    " Did you mean 'conversation'?"
    """
    close = get_close_matches(name[:200], list(options), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def unknown(kind: str, name: str, options: Iterable[str]) -> NotFound:
    """Make the error for a name that is not among ``options``.

    Examples
    --------
    >>> str(unknown("dataset", "chat", ["synth-chat-s"]))
    "No dataset 'chat'. There is synth-chat-s."
    """
    there = list(options)
    listed = f"There is {', '.join(there)}." if there else "There is none."
    return NotFound(f"No {kind} {name!r:.80}. {listed}{nearest(name, there)}")
