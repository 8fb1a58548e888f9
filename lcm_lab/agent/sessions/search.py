"""``sessions_search``: find what was said in past sessions, and where to read on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Literal

from lcm_lab.agent.lcm.grep.rows import ranked
from lcm_lab.agent.lcm.grep.words import Asked, Piece
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.schema import Between, tool
from lcm_lab.agent.sessions.base import Base
from lcm_lab.agent.sessions.hit import Looked, hits_of, in_order, literally
from lcm_lab.agent.sessions.listed import Listed, Sessions
from lcm_lab.agent.sessions.reference import Agents
from lcm_lab.agent.sessions.result import MOST, FoundSessions, SessionHit, fitting, size_of
from lcm_lab.agent.sessions.seen import seen_of
from lcm_lab.errors import BadParameter, EmptyQuery, NotFound
from lcm_lab.query import looks_like_regex
from lcm_lab.ranking.base import LIMIT
from lcm_lab.shown import counted
from lcm_lab.text import clean

__all__ = ["Search"]

Mode = Literal["exact", "substring", "semantic"]

#: Characters of a question.
LONGEST = 4_096
#: What is searched: what users and assistants said; transcripts without roles are taken as that.
SAID: dict[str, Any] = {"scope": "messages", "kind": "text", "role": ("user", "assistant", "")}


@dataclass(frozen=True)
class _Where:
    """Where is looked: rows, conversations, in words, and the keys that are not indexed yet."""

    history: History
    sessions: Sessions
    names: tuple[str, ...]
    said: str
    late: tuple[str, ...] = ()


class Search(Base):
    """The tool ``sessions_search``."""

    @tool
    def sessions_search(
        self,
        query: str,
        *,
        sessionKey: str | None = None,
        limit: Annotated[int, Between(1, 25)] = 10,
        mode: Mode = "exact",
    ) -> FoundSessions:
        """Search what users and assistants said in past sessions.

        Each hit has a sessionKey, sessionId and messageId; pass the three to sessions_history to
        read what stands around it. Tool output and reasoning are not searched.

        Parameters
        ----------
        query : str
            Words, or "phrases in quotes", that a message holds; at most 4,096 characters.
        sessionKey : str
            One session alone; every session that may be seen when left out.
        limit : int
            Hits, 1 to 25.
        mode : str
            "exact" for words as they stand, "substring" for any stretch of characters, "semantic"
            for what means the same.
        """
        asked = _question(query)
        if self.compat and mode != "exact":
            raise BadParameter(f"compat='reference' knows mode='exact' alone. Got {mode!r}.")
        behind = self.late()
        where = self._where(sessionKey, behind)
        notes: tuple[str, ...] = ()
        if self.compat:
            hits = self._agents(where.sessions).hits(asked, where.sessions, where.names)
        else:
            hits, notes = self._found(asked, mode, where, limit + 1)
        kept = hits[: fitting((size_of(hit.to_dict()) for hit in hits[:limit]), MOST)]
        more = len(kept) < len(hits)
        return FoundSessions(
            tuple(kept), asked, mode, where.said, where.late, more, notes, self.zone
        )

    def _where(self, key: str | None, behind: frozenset[str]) -> _Where:
        """Decide where to look, before anything is found or counted.

        Reading the rows lets a store find out what stands of conversations that went back. The
        original does so after it has answered, so it counts those that were behind before.
        """
        standing = self.history.standing()
        corpus = standing.corpus()
        late = behind if self.compat else self.late()
        # Rows are read anew after every change of the store, and so are the sessions.
        sessions: Sessions = corpus.memo(("sessions", self.visible), self.sessions)
        every = [name for one in sessions.seen() for name in one.names]
        history = standing if self.compat else seen_of(standing, every)
        if key:
            seen = self._one(sessions, key)
            said = f"session {seen[0].key}" if seen else f"session {key}"
        else:
            seen = sessions.seen()
            said = f"{counted(len(seen), 'session')}: {self.visible.said}"
        names = tuple(name for one in seen for name in one.names)
        not_yet = dict.fromkeys(sessions.key_of(name) for name in names if name in late)
        kept = tuple(name for name in names if name not in late)
        return _Where(history, sessions, kept, said, tuple(not_yet))

    def _one(self, sessions: Sessions, key: str) -> list[Listed]:
        try:
            return [sessions.named(key, current=bool(self.compat))]
        except NotFound:
            if self.compat and ":" in key:
                return []  # the original finds nothing under a key that there is not
            raise

    def _agents(self, sessions: Sessions) -> Agents:
        def made() -> Agents:
            names = (name for one in sessions.by_key.values() for name in one.names)
            return Agents.of(sessions, ((n, said) for n in names for said in self.messages(n)))

        # Kept by the rows that it is made of, which are others after the store has changed.
        agents: Agents = self.history.corpus().memo(("agents", self.visible.agent), made)
        return agents

    def _found(
        self, query: str, mode: Mode, where: _Where, k: int
    ) -> tuple[list[SessionHit], tuple[str, ...]]:
        corpus = where.history.corpus()
        allowed = corpus.rows(conversation=list(where.names), **SAID)
        pieces = _pieces(query, mode)
        if not any(piece.terms for piece in pieces):
            rows, scores = literally(corpus, pieces, allowed)
        else:
            policy = self.semantic if mode == "semantic" else self.history.search
            if mode == "exact":  # what stands in quotes and is anywhere is in every hit
                allowed = Asked(query, pieces).required(corpus, allowed)
            rows, scores = ranked(where.history, policy, query, allowed, LIMIT)
        pairs = in_order(corpus, where.sessions, rows, scores)
        looked = Looked(pieces, mode != "semantic")
        hits = list(islice(hits_of(corpus, where.sessions, pairs, looked), k))
        notes: tuple[str, ...] = ()
        if mode == "exact" and hits and max(len(hit.matched) for hit in hits) < len(pieces):
            notes = ("No message has all of it: these come nearest.",)
        elif not hits:
            notes = (_why_none(mode),)
        return hits, notes


def _question(query: str) -> str:
    asked = clean(query).strip()
    if not asked:
        raise EmptyQuery("query is blank. Write what to look for: query='retry backoff'.")
    if len(asked) > LONGEST:
        raise BadParameter(
            f"query has at most {LONGEST:,} characters. Got {len(asked):,}; ask for the words that "
            "matter."
        )
    return asked


def _pieces(query: str, mode: Mode) -> tuple[Piece, ...]:
    """Give what a hit may hold: phrases, words and emoji, or the whole as it stands."""
    if mode == "substring":
        return (Piece(clean(query), ()),)
    if looks_like_regex(query):
        raise BadParameter(
            f"{query!r:.80} is a regular expression, which sessions_search does not read. Ask for "
            "the words themselves, or for the text as it stands with mode='substring'."
        )
    try:
        return Asked.of(query).pieces
    except EmptyQuery as error:
        raise EmptyQuery(f"{error} mode='substring' looks for symbols as they stand.") from None


def _why_none(mode: Mode) -> str:
    other = {
        "exact": "mode='substring' looks for parts of words, mode='semantic' for other words",
        "substring": "mode='exact' looks for the words apart",
        "semantic": "mode='exact' looks for the words themselves",
    }
    return f"Nothing found in what may be seen. {other[mode]}."
