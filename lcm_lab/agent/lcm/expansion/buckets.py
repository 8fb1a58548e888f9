"""Where a question may be answered: summaries by conversation, the most promising ones first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Bucket", "Candidate", "bucketed"]

#: Conversations that are expanded at a time.
MOST = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A summary under which an answer may lie.

    Attributes
    ----------
    conversation : str
    summary : str
        Its id; "" for a message that no summary was made of.
    explicit : bool
        Whether it was named, not found.
    message : str
        The message that it was found by; "" where it was found itself.
    time : int or None
        Of what was found, in microseconds since 1970.
    """

    conversation: str
    summary: str
    explicit: bool = False
    message: str = ""
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Bucket:
    """A conversation with its candidates.

    Attributes
    ----------
    conversation : str
    candidates : tuple of Candidate
        In the order in which they were found.
    """

    conversation: str
    candidates: tuple[Candidate, ...]

    @property
    def summaries(self) -> tuple[str, ...]:
        """The ids of the summaries, each once."""
        return tuple(dict.fromkeys(one.summary for one in self.candidates if one.summary))

    @property
    def raw(self) -> tuple[str, ...]:
        """The messages that no summary was made of, each once."""
        return tuple(dict.fromkeys(one.message for one in self.candidates if not one.summary))

    @property
    def explicit(self) -> bool:
        """Whether summaries of it were named."""
        return any(one.explicit for one in self.candidates)

    @property
    def messages(self) -> bool:
        """Whether it takes messages to answer: something was found by one."""
        return any(one.message for one in self.candidates)


def bucketed(candidates: Iterable[Candidate]) -> list[Bucket]:
    """Group candidates by conversation, the most promising first.

    By how many were named, how many there are, the newest, how many were found by a message, and
    the number or the name of the conversation.

    Examples
    --------
    >>> found = [Candidate("1", "sum_a"), Candidate("1", "sum_b"), Candidate("2", "sum_c", True)]
    >>> [bucket.conversation for bucket in bucketed(found)]
    ['2', '1']
    """
    groups: dict[str, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(one.conversation, []).append(one)
    return sorted((Bucket(name, tuple(some)) for name, some in groups.items()), key=_order)


def _order(bucket: Bucket) -> tuple[int, int, int, int, tuple[bool, int, str]]:
    some, name = bucket.candidates, bucket.conversation
    number = int(name) if name.isdecimal() else 0
    newest = max((one.time for one in some if one.time is not None), default=-(1 << 63))
    return (
        -sum(one.explicit for one in some),
        -len({one.summary or one.message for one in some}),
        -newest,
        -sum(bool(one.message) for one in some),
        (not name.isdecimal(), number, name),
    )
