"""``lcm_grep``: find messages, summaries, and places in large files, by words or by a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from lcm_lab.agent.lcm.grep.compat import pattern_lists, word_lists
from lcm_lab.agent.lcm.grep.filed import in_files
from lcm_lab.agent.lcm.grep.fold import folded
from lcm_lab.agent.lcm.grep.hits import hit_of, holding
from lcm_lab.agent.lcm.grep.pattern import Places
from lcm_lab.agent.lcm.grep.reference import time_bound
from lcm_lab.agent.lcm.grep.result import Found, Hit
from lcm_lab.agent.lcm.grep.rows import Listed, Sort, by_pattern, by_words
from lcm_lab.agent.lcm.grep.snippet import of_pattern, of_words
from lcm_lab.agent.lcm.grep.words import Asked
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.scope import Scope
from lcm_lab.agent.lcm.text import iso
from lcm_lab.agent.schema import Between, tool
from lcm_lab.errors import BadParameter, EmptyQuery
from lcm_lab.rows import Rows
from lcm_lab.times import bound

__all__ = ["Grep"]

Mode = Literal["regex", "full_text"]
Where = Literal["messages", "summaries", "both", "files"]

TABLES = {"messages": ("messages",), "summaries": ("summaries",), "both": ("messages", "summaries")}


@dataclass(frozen=True)
class _Request:
    """What was asked for, checked."""

    pattern: str
    mode: Mode
    where: Where
    scope: Scope
    span: tuple[int | None, int | None]
    limit: int
    sort: Sort


class Grep(History):
    """The tool ``lcm_grep``."""

    @tool
    def lcm_grep(
        self,
        pattern: str,
        *,
        mode: Mode = "regex",
        scope: Where = "both",
        fileIds: list[str] | None = None,
        conversationId: int | str | None = None,
        allConversations: bool = False,
        since: str | None = None,
        before: str | None = None,
        limit: Annotated[int, Between(1, 200)] = 50,
        sort: Sort = "recency",
    ) -> Found:
        """Search messages, summaries, or the beginning of large files, by words or by a pattern.

        Use mode "full_text" for words and topics: put exact phrases in quotes; nothing else has a
        meaning of its own, and a word that nothing has is named and passed over. Use mode "regex"
        for alternation, wildcards, classes and anchors; it minds case, (?i) at its start does not.

        Parameters
        ----------
        pattern : str
            Search pattern: words and "quoted phrases" in full_text, a regular expression in regex.
        mode : str
            "regex" or "full_text".
        scope : str
            "messages", "summaries", "both", or "files".
        fileIds : list of str
            file_xxx IDs to restrict scope "files" to.
        conversationId : int or str
            One conversation; the current session family when left out.
        allConversations : bool
            Search all conversations.
        since, before : str
            ISO date or timestamp; since is inclusive, before is not.
        limit : int
            Max results, 1 to 200.
        sort : str
            "recency", "relevance" or "hybrid" (relevance, fading with age down to a half), for full
            text; a pattern lists the newest first.
        """
        places = self.scope(conversationId, everywhere=allConversations)
        if fileIds is not None and scope != "files":
            raise BadParameter(
                f"fileIds narrow scope='files' alone. Got scope={scope!r}: write scope='files', or "
                "leave fileIds out."
            )
        asked = _Request(
            _pattern(pattern, mode, self.compat),
            mode,
            scope,
            places,
            _span(since, before, self.compat),
            limit,
            sort if mode == "full_text" and scope != "files" else "recency",
        )
        now = self.standing()
        if scope == "files":
            return _files(now, asked, fileIds)
        return (_reference if self.compat else _merged)(now, asked)


def _pattern(given: str, mode: Mode, compat: str | None) -> str:
    if given.strip() or compat:
        return given.strip() if compat or mode == "full_text" else given
    raise EmptyQuery(
        f"pattern {given!r:.80} is empty. Write what to look for: pattern='retry backoff', "
        "mode='full_text'."
    )


def _span(since: str | None, before: str | None, compat: str | None) -> tuple[Any, Any]:
    """Read the bounds in time; since must be the earlier."""
    made: list[int | None] = []
    for name, given in (("since", since), ("before", before)):
        try:
            made.append(time_bound(name, given) if compat else bound(given))
        except BadParameter as error:
            raise BadParameter(f"{name}: {error}") from None
    first, last = made
    if first is not None and last is not None and first >= last:
        raise BadParameter(
            f"since must be earlier than before. Got since={since!r:.40}, before={before!r:.40}."
        )
    return first, last


def _tables(history: History, asked: _Request) -> list[Rows]:
    """Give the rows of each table that may be found."""
    corpus = history.corpus()
    filters: dict[str, Any] = dict(zip(("since", "before"), asked.span, strict=True))
    filters["conversation"] = asked.scope.conversations
    tables = TABLES[asked.where]
    given = [tables] if not history.compat else [(one,) for one in tables]
    every = len(given) == 1 and asked.where == "both"
    return [corpus.rows(**filters, scope=None if every else one) for one in given]


def _merged(history: History, asked: _Request) -> Found:
    """List messages and summaries in one order, what says the same once."""
    corpus, (allowed,) = history.corpus(), _tables(history, asked)
    if asked.mode == "regex":
        places = Places(asked.pattern)
        rows = by_pattern(history, asked.pattern, allowed)
        listed = Listed(rows, {}, 0, False)
        entries, more = folded(history, rows, lambda some: dict.fromkeys(some, ()), asked.limit)
        hits = [hit_of(corpus, one, lambda text: of_pattern(text, places), None) for one in entries]
        return _found(history, asked, hits, listed, (len(hits) + more, not more))
    words = Asked.of(asked.pattern)
    listed = by_words(history, words, allowed, asked.sort, asked.limit)
    entries, more = folded(
        history, listed.rows, lambda some: holding(corpus, words, some), asked.limit
    )
    hits = [
        hit_of(
            corpus,
            one,
            lambda text: (of_words(text, words.pieces), ""),
            listed.scores.get(one.row),
        )
        for one in entries
    ]
    total = listed.total if more else len(hits)
    return _found(history, asked, hits, listed, (total, listed.exact or not more))


def _reference(history: History, asked: _Request) -> Found:
    tables = _tables(history, asked)
    if asked.mode == "regex":
        hits = pattern_lists(history, asked.pattern, tables, asked.limit)
    else:
        hits = word_lists(history, asked.pattern, tables, asked.sort, asked.limit)
    return _found(history, asked, hits, Listed(iter(()), {}, 0, True), (len(hits), True))


def _files(history: History, asked: _Request, only: Sequence[str] | None) -> Found:
    filed = in_files(
        history, asked.scope, asked.pattern, mode=asked.mode, only=only, span=asked.span
    )
    listed = Listed(iter(()), {}, 0, True, filed.unmatched, filed.notes)
    return _found(history, asked, filed.hits[: asked.limit], listed, (len(filed.hits), True))


def _found(
    history: History, asked: _Request, hits: list[Hit], listed: Listed, total: tuple[int, bool]
) -> Found:
    told = {
        "pattern": asked.pattern,
        "mode": asked.mode,
        "scope": asked.where,
        "sort": asked.sort,
        "conversationScope": asked.scope.said,
        "since": iso(asked.span[0]),
        "before": iso(asked.span[1]),
    }
    notes = tuple(filter(None, (*listed.notes, history.behind(asked.scope))))
    return Found(tuple(hits), told, *total, listed.unmatched, notes, history.zone)
