"""What can go wrong, by kind; a message says what is wrong, what there is, and what to write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
    "needing",
    "unknown",
]

#: Characters of an error, about.
LONGEST = 2_000
#: Names that an error lists; of more, it says how many there are.
MOST = 40


class LcmError(Exception):
    """Anything lcm_lab refuses to do; catch this to catch them all.

    What it says is bounded, whatever it quotes: of a longer text both ends are there.

    Examples
    --------
    >>> issubclass(BadParameter, LcmError)
    True
    """

    def __init__(self, message: str = "") -> None:
        half, is_long = LONGEST // 2, len(message) > LONGEST
        super().__init__(f"{message[:half]} … {message[-half:]}" if is_long else message)


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


@contextmanager
def needing(package: str, who: str) -> Iterator[None]:
    """Say what needs a package, where an import inside finds it missing.

    Examples
    --------
    >>> with needing("no-such", "Dense()"):
    ...     import no_such
    Traceback (most recent call last):
    lcm_lab.errors.MissingExtra: Dense() needs no-such: pip install no-such.
    """
    try:
        yield
    except ImportError:
        raise MissingExtra(f"{who} needs {package}: pip install {package}.") from None


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
    more = [f"and {len(there) - MOST:,} others"] if len(there) > MOST else []
    listed = f"There is {', '.join([*there[:MOST], *more])}." if there else "There is none."
    return NotFound(f"No {kind} {name!r:.80}. {listed}{nearest(name, there)}")
