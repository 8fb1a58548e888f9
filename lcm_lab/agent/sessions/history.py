"""``sessions_history``: read a session, its newest messages or those around one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from lcm_lab.agent.schema import Between, tool
from lcm_lab.agent.sessions.base import Base
from lcm_lab.agent.sessions.listed import Listed
from lcm_lab.agent.sessions.omitted import gateway, lone, paging
from lcm_lab.agent.sessions.page import MOST, Page, grown, newest
from lcm_lab.agent.sessions.result import size_of
from lcm_lab.agent.sessions.shown import Showing, Shown
from lcm_lab.agent.sessions.view import around, back, current, interval, standing
from lcm_lab.errors import BadParameter
from lcm_lab.messages import Message
from lcm_lab.store.store import Store

__all__ = ["Reopen"]


@dataclass(frozen=True)
class _Asked:
    """What is asked for, checked."""

    limit: int
    offset: int | None
    anchor: str
    showing: Showing


class Reopen(Base):
    """The tool ``sessions_history``."""

    @tool
    def sessions_history(
        self,
        sessionKey: str,
        *,
        limit: Annotated[int, Between(1, 1_000)] = 200,
        offset: Annotated[int, Between(0, 1_000_000_000)] | None = None,
        messageId: str | None = None,
        sessionId: str | None = None,
        includeTools: bool = False,
    ) -> Page:
        """Read the newest messages of a session, or those around one message.

        Pass the sessionKey, messageId and sessionId of a sessions_search hit together to reopen it,
        also where the session was reset since. Without messageId, read the newest messages.

        Parameters
        ----------
        sessionKey : str
            The session: its key, "current", "main", or a session id.
        limit : int
            Messages, 1 to 1,000.
        offset : int
            How many of the newest messages to pass over; not together with messageId.
        messageId : str
            The message to read around.
        sessionId : str
            The session id that the message was found under; only with messageId.
        includeTools : bool
            Whether tool calls, tool results and reasoning are shown too.
        """
        anchor, within = messageId or "", sessionId or ""
        _together(anchor, within, offset, compat=self.compat)
        if not sessionKey:
            raise BadParameter("sessions_history needs sessionKey: keys come from sessions_search.")
        self._settle()
        one = self.sessions().named(sessionKey)
        showing = Showing(includeTools, bool(self.compat))
        asked = _Asked(limit, None if anchor else offset, anchor, showing)
        name, view = self._view(one, anchor, within)
        page = (_recorded if self.compat else _page)(asked, view)
        notes = self._notes(asked, page, name)
        return replace(page, key=one.key, session=name, notes=notes, zone=self.zone)

    def _settle(self) -> None:
        if isinstance(self.store, Store) and not self.store.readonly and self.store.indexing:
            self.store.reconcile()

    def _view(self, one: Listed, anchor: str, within: str) -> tuple[str, list[Message]]:
        """Find the session id and the messages that are read; none where the anchor is nowhere."""
        if within and within not in one.names:
            raise BadParameter(
                f"sessionId {within!r:.80} does not belong to session {one.key!r}. Pass both as a "
                "hit of sessions_search has them, or leave sessionId out."
            )
        if not anchor:
            return one.names[0], current(standing(self.messages(one.names[0])))
        names: Sequence[str] = (within,) if within else one.names[: 1 if self.compat else None]
        for name in names:
            said = standing(self.messages(name))
            if any(message.id == anchor for message in said):
                return name, interval(said, anchor)
        return names[0], []

    def _notes(self, asked: _Asked, page: Page, name: str) -> tuple[str, ...]:
        notes = []
        if asked.anchor and not page.messages:
            notes.append(
                f"No message {asked.anchor!r:.80} stands in this session. It may be another's, or "
                "one that a rewind left behind."
            )
        elif not page.messages:
            notes.append("There are no messages so far back." if page.total else "It is empty.")
        if name in self.late():
            notes.append("It is still being found out what of this session stands; ask again.")
        return tuple(notes)


def _together(anchor: str, within: str, offset: int | None, *, compat: str | None) -> None:
    """Refuse parameters that do not go together."""
    if within and not anchor:
        raise BadParameter(
            f"sessionId goes with messageId. Got sessionId={within!r:.80} alone: pass the message "
            "to read around too, or leave it out for the newest messages."
        )
    if anchor and offset is not None and not compat:
        raise BadParameter(
            f"offset={offset} does not go with messageId={anchor!r:.80}. Leave offset out to read "
            "around the message; limit says how many."
        )


def _page(asked: _Asked, view: Sequence[Message]) -> Page:
    """Cut a page out of what is shown of a view."""
    showing = asked.showing
    some = [one for one in view if showing.has(one) or one.id == asked.anchor]
    at = next((i for i, one in enumerate(some) if one.id == asked.anchor), -1)
    start, stop = _window(asked, len(some), at)
    shown = [
        showing.of(one, seq, anchor=one.id == asked.anchor)
        for seq, one in enumerate(some[start:stop], start + 1)
    ]
    kept = _fit(shown, at - start)
    offset = None if asked.anchor else asked.offset or 0
    return Page("", "", kept, len(some), offset, len(kept) < len(shown), anchor=asked.anchor)


def _recorded(asked: _Asked, view: Sequence[Message]) -> Page:
    """Cut a page as the original does: the window first, then what is not shown."""
    at = next((i for i, one in enumerate(view) if one.id == asked.anchor), -1)
    whole = replace(asked.showing, tools=True)
    start, stop = _window(asked, len(view), at)
    if at >= 0 and not whole.has(view[at]):
        stop = start
    shown = [
        gateway(one, asked.showing.of(one, seq))
        for seq, one in enumerate(view[start:stop], start + 1)
        if asked.showing.has(one)
    ]
    place = next((i for i, one in enumerate(shown) if one.id == asked.anchor), -1)
    kept = _fit(shown, place)
    alone = tuple(map(lone, kept)) if len(kept) == 1 else kept
    dropped = len(kept) < len(shown) or alone != kept
    page = Page("", "", alone, len(view), None, dropped)
    fields: dict[str, Any] = paging(page, shown, asked.offset, asked.limit)
    return replace(page, fields=fields)


def _window(asked: _Asked, total: int, at: int) -> tuple[int, int]:
    if asked.anchor:
        return around(total, at, asked.limit) if at >= 0 else (0, 0)
    return back(total, asked.offset or 0, asked.limit)


def _fit(shown: Sequence[Shown], at: int) -> tuple[Shown, ...]:
    """Keep what fits: around the anchor, else the newest."""
    if not shown:
        return ()
    sizes = [size_of(one.to_dict()) for one in shown]
    start, stop = grown(sizes, at, MOST) if at >= 0 else newest(sizes, MOST)
    return tuple(shown[start:stop])
