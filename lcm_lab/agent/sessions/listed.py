"""The sessions of a store by their keys, and which of them a caller may look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lcm_lab.agent.sessions.visibility import Forbidden, Visibility
from lcm_lab.errors import NotFound, nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Listed", "Sessions"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A session: what stays the same while its ids change.

    Attributes
    ----------
    key : str
        Of the session; where a transcript names none, its id.
    names : tuple of str
        Its session ids, as conversations of the store are named, the current one first.
    parents : frozenset of str
        Keys and ids that they were spawned by or forked from.
    """

    key: str
    names: tuple[str, ...]
    parents: frozenset[str] = frozenset()


class Sessions:
    """The sessions there are, as one caller sees them.

    Parameters
    ----------
    conversations : DataFrame
        As a store lists them.
    visible : Visibility
    """

    def __init__(self, conversations: pd.DataFrame, visible: Visibility) -> None:
        self.visible = visible
        self.by_key = _listed(conversations)
        self._key = {name: one.key for one in self.by_key.values() for name in one.names}
        own = self.by_key.get(visible.caller)
        self._caller = {visible.caller, *(own.names if own else ())}

    def seen(self) -> list[Listed]:
        """List what the caller may look at."""
        return [one for one in self.by_key.values() if self._allows(one)]

    def key_of(self, name: str) -> str:
        """Give the key of a session id."""
        return self._key[name]

    def named(self, asked: str, *, current: bool = False) -> Listed:
        """Find a session by its key, by ``current`` or ``main``, or by one of its session ids.

        Parameters
        ----------
        asked : str
        current : bool
            Whether only the id that a key means now is known, not those that it meant before.

        Raises
        ------
        Forbidden
            For a key that the caller may not look at, whether there is such a session or not.
        NotFound
            For what names no session that the caller may look at.
        """
        key = self._alias(asked)
        scoped = key.lower().startswith("agent:")
        named = key in self.by_key or scoped or key != asked
        if not named:
            key = self._meant(asked, current=current)
        found = self.by_key.get(key)
        why = self.visible.refusal(key, owned=found is not None and self._owned(found))
        if why and named and scoped:
            raise Forbidden(
                f"No access to session {asked!r} for {self.visible.caller!r}: {why}. Leave "
                "sessionKey out to search what may be seen."
            )
        if found is None or why:
            raise self._missing(asked)
        return found

    def _alias(self, asked: str) -> str:
        """Give the key that a name of the original stands for, unless a session is called so."""
        own = self.by_key.get(asked)
        if own is not None and self._allows(own):
            return asked
        names = {"current": self.visible.caller, "main": f"agent:{self.visible.agent}:main"}
        return names.get(asked, asked)

    def _meant(self, asked: str, *, current: bool) -> str:
        """Give the key that a session id stands for, or the rest of a key of the caller's agent."""
        key = self._key.get(asked)
        if key is not None and not (current and self.by_key[key].names[0] != asked):
            return key
        return f"agent:{self.visible.agent}:{asked}"

    def _missing(self, asked: str) -> NotFound:
        seen = [one.key for one in self.seen()]
        close = nearest(asked, seen) if len(seen) <= 1_000 else ""
        return NotFound(
            f"No session {asked!r:.120} among the {len(seen):,} that {self.visible.caller} may "
            f"see.{close} Keys come from sessions_search."
        )

    def _allows(self, one: Listed) -> bool:
        return self.visible.allows(one.key, owned=self._owned(one))

    def _owned(self, one: Listed) -> bool:
        return not self._caller.isdisjoint(one.parents)


def _listed(frame: pd.DataFrame) -> dict[str, Listed]:
    """Put the conversations of one key together: active ones first, then the latest."""
    count = len(frame)
    parents = frame["parent"].tolist() if "parent" in frame else [""] * count
    # Unknown times are the least value there is.
    first = frame["first"].to_numpy("datetime64[us]").astype("int64").tolist()
    names, keys, active = (frame[name].tolist() for name in ("name", "key", "active"))
    found: dict[str, Listed] = {}
    for at in sorted(range(count), key=lambda at: (bool(active[at]), first[at], at), reverse=True):
        key = str(keys[at] or names[at])
        one = found.setdefault(key, Listed(key, ()))
        over = one.parents | ({str(parents[at])} if parents[at] else set())
        found[key] = replace(one, names=(*one.names, str(names[at])), parents=over)
    return found
