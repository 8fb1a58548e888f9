"""Messages of several files made into one history: no message twice, none lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lcm_lab.messages import Message
from lcm_lab.transcripts.base import REPEATED, Skipped
from lcm_lab.transcripts.ledger import Ledger

__all__ = ["merge"]


def merge(files: Iterable[list[Message]]) -> tuple[list[Message], list[Skipped]]:
    """Merge the messages of files that may be copies of each other, grown or not.

    What is the same is kept once, the longer copy of it; the same id with other content gets an id
    of its own. Which branch is the active one is told by the file that tells most of a session.

    Returns
    -------
    list of Message
        By session in order of first appearance; within a session in the order of the file, and
        where several files hold parts of one session, by time.
    list of Skipped
        The repeats.
    """
    kept: dict[str, Message] = {}
    places: dict[str, int] = {}
    repeats: list[Skipped] = []
    most: Counter[str] = Counter()
    ledger = Ledger(kept.__getitem__)
    for messages in files:
        counts = Counter(message.session for message in messages)
        ledger.begin({message.id for message in messages if message.id})
        for message in messages:
            leads = counts[message.session] >= most[message.session]
            taken = ledger.take(message, leads=leads)
            if taken.fate == "new":
                places[taken.message.id] = taken.place
            else:
                repeats.append(Skipped(message.source, message.line, REPEATED))
            if taken.fate != "repeat" or taken.moved:
                kept[taken.message.id] = taken.message
        most |= counts
    return _in_order(kept, places), repeats


def _in_order(kept: dict[str, Message], places: dict[str, int]) -> list[Message]:
    """Order by session, then by the newest time so far, which rises within one file."""
    sessions: dict[str, list[Message]] = {}
    for message in kept.values():
        sessions.setdefault(message.session, []).append(message)
    for messages in sessions.values():
        messages.sort(key=lambda message: places[message.id])
    return [message for messages in sessions.values() for message in messages]
