"""What Claude Code's records say of the session they stand in."""

from __future__ import annotations

from typing import Any

from lcm_lab.transcripts.draft import Draft, text_of

__all__ = ["Tellings"]

#: Records that name a title, and where; a title that the user gave counts before one made.
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


class Tellings:
    """Gathers folder, branch, version and title of the sessions of one file.

    Parameters
    ----------
    out : Draft
    session : str
        The session of records that name none.
    """

    def __init__(self, out: Draft, session: str) -> None:
        self.out = out
        self.session = session
        self.of_record: dict[str, str] = {}
        self.titles: list[tuple[str, str, str, str]] = []

    def hear(self, record: Any) -> None:
        """Take in a record."""
        if not isinstance(record, dict):
            return
        kind, named = text_of(record, "type"), text_of(record, "sessionId")
        if kind in TITLES:
            title = text_of(record, TITLES[kind])
            self.titles.append((kind, title, named, text_of(record, "leafUuid")))
        elif named or "uuid" in record:
            self.of_record[text_of(record, "uuid")] = named or self.session
            self._tell(record, named or self.session)

    def _tell(self, record: dict[str, Any], session: str) -> None:
        version, came = text_of(record, "version"), record.get("forkedFrom")
        self.out.tell(
            session,
            cwd=text_of(record, "cwd"),
            branch=text_of(record, "gitBranch"),
            agent=f"Claude Code {version}" if version else "",
            parent=text_of(came, "sessionId") if isinstance(came, dict) else "",
        )

    def close(self) -> None:
        """Give the sessions their titles: the last of the kind that counts most.

        A summary names the record it sums up to; one of a record elsewhere is of another session.
        """
        rank = list(TITLES)[::-1]
        for _, title, named, leaf in sorted(self.titles, key=lambda one: rank.index(one[0])):
            if leaf:
                named = self.of_record.get(leaf, "")
            elif not named and len(self.out.sessions) == 1:
                (named,) = self.out.sessions
            if named in self.out.sessions:
                self.out.tell(named, title=title)
