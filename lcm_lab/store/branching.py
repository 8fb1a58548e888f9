"""Which messages stand, after a conversation was gone on with from an earlier message.

A live append names the message that it follows. Where that is not the last one, the conversation
went back: it is marked, and reconciliation finds out what was left behind, in bounded batches. What
stands is the way from the last message to the first; beside it stands all that no one took back.
Left behind is a prompt or an answer that was given where the one on the way was given, and what
follows from it. Tool calls, their results and subagents hang side by side without taking each other
back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from lcm_lab.messages import Message
from lcm_lab.store import frontier, writing
from lcm_lab.transcripts.branches import path

__all__ = ["dirty", "goes_back", "mark", "reconcile", "standing"]

#: Roles that ask or answer.
SAY = ("user", "assistant")

_PLACES = """
    select m.id, m.parent, m.role, m.sidechain, m.active, m.told,
        exists (select 1 from docs d where d.message = m.number and d.kind = 'text'),
        exists (select 1 from docs d where d.message = m.number and d.kind = 'tool_call')
    from messages m where m.conversation = ? order by m.seq
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A message in its tree.

    ``says`` tells whether it is a prompt or an answer, ``told`` whether it stood when it came in.
    """

    id: str
    parent: str
    says: bool
    sidechain: bool = False
    told: bool = True


def goes_back(connection: sqlite3.Connection, conversation: int, message: Message) -> bool:
    """Tell whether a message follows another one than the last of its conversation."""
    if not message.parent or message.sidechain or message.role == "tool":
        return False
    ask = (
        "select id from messages where conversation = ? and active and not sidechain "
        "order by seq desc limit 1"
    )
    last = connection.execute(ask, (conversation,)).fetchone()
    there = "select count(*) from messages where conversation = ? and id = ?"
    return (
        last is not None
        and last[0] != message.parent
        and bool(connection.execute(there, (conversation, message.parent)).fetchone()[0])
    )


def mark(connection: sqlite3.Connection, conversation: int) -> None:
    """Note that it is to be found out what of a conversation stands."""
    connection.execute("update conversations set dirty = 1 where number = ?", (conversation,))


def dirty(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    """List the conversations, number and name, that are marked."""
    return connection.execute("select number, name from conversations where dirty").fetchall()


def reconcile(connection: sqlite3.Connection, conversation: int, limit: int) -> int:
    """Find out what of a conversation stands, and put at most so many messages in their place.

    The mark goes when all are. Gives how many messages changed.
    """
    found = connection.execute(_PLACES, (conversation,)).fetchall()
    places = [
        Place(name, parent, role in SAY and bool(text) and not call and not side, side, told)
        for name, parent, role, side, _, told, text, call in found
    ]
    stands = zip([(row[0], bool(row[4])) for row in found], standing(places), strict=True)
    changes = [(name, now) for (name, active), now in stands if now != active]
    for active in (False, True):
        names = [name for name, stands in changes[:limit] if stands == active]
        writing.move(connection, names, active=active)
    if len(changes) <= limit:
        connection.execute("update conversations set dirty = 0 where number = ?", (conversation,))
    if changes:
        frontier.follow(connection, conversation)
    return min(len(changes), limit)


def standing(places: list[Place]) -> list[bool]:
    """Tell of each message of a conversation whether it stands; the rule is in the module's head.

    Examples
    --------
    >>> tree = [("m1", ""), ("m2", "m1"), ("m3", "m2"), ("m4", "m2")]
    >>> standing([Place(name, parent, says=True) for name, parent in tree])
    [True, True, False, True]
    """
    parents = dict(_parents(places))
    leaf = next((place.id for place in reversed(places) if not place.sidechain), "")
    way = set(path(parents, leaf))
    taken = {parents[place.id] for place in places if place.id in way and place.says}
    gone: set[str] = set()
    for place in places:
        rival = place.says and place.id not in way and parents[place.id] in taken
        left = not place.told
        if place.id not in way and (rival or left or parents[place.id] in gone):
            gone.add(place.id)
    return [place.id not in gone for place in places]


def _parents(places: list[Place]) -> Iterator[tuple[str, str]]:
    """Name what each message follows: the one it names if that came before, else the last one."""
    seen: set[str] = set()
    last = ""
    for place in places:
        yield place.id, place.parent if place.parent in seen else last
        seen.add(place.id)
        last = place.id if place.told and not place.sidechain else last
