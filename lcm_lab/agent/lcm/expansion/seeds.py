"""Under which summaries a question may be answered: those named, or those that a query finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lcm_lab.agent.lcm.expansion.buckets import Candidate
from lcm_lab.agent.lcm.grep.compat import word_lists
from lcm_lab.agent.lcm.grep.fold import message_of
from lcm_lab.agent.lcm.grep.rows import by_words, time_of
from lcm_lab.agent.lcm.grep.words import Asked
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.scope import Scope
from lcm_lab.errors import NotFound

__all__ = ["found", "named"]

#: Rows that a query may find.
MOST = 50


def named(history: History, scope: Scope, ids: Sequence[str]) -> list[Candidate]:
    """Give the summaries of these ids, in their order.

    Raises
    ------
    NotFound
        For one that is not in scope, wherever else it may be.
    """
    corpus = history.corpus()
    names = list(dict.fromkeys(one.strip() for one in ids))
    given = []
    for name, row in zip(names, corpus.row_of(names).tolist(), strict=True):
        conversation = str(corpus.column("conversation")[row].as_py()) if row >= 0 else ""
        dag = history.summaries(conversation) if conversation and conversation in scope else None
        if dag is None or name not in dag:
            raise NotFound(
                f"Summary {name!r:.80} is not in this scope ({scope.said}). Ids come from "
                "lcm_grep; name its conversationId, or ask with query."
            )
        given.append(Candidate(conversation, name, explicit=True, time=time_of(corpus, row)))
    return given


def found(history: History, scope: Scope, query: str) -> tuple[list[Candidate], tuple[str, ...]]:
    """Find the summaries that a query leads to, best first, and the words that nothing has.

    Summaries that hold it, and those over messages that do, at any depth; a message that no summary
    was made of stands for itself. Under ``compat="reference"`` messages are looked at only where no
    summary has every word and no conversation in scope is deeper than one, and what was not
    summarised yet is left out.
    """
    if history.compat:
        return _as_reference(history, scope, query), ()
    rows = history.corpus().rows(conversation=scope.conversations)
    listed = by_words(history, Asked.of(query), rows, "relevance", MOST)
    return list(_under(history, listed.rows)), listed.unmatched


def _under(history: History, rows: Iterable[int]) -> Iterator[Candidate]:
    corpus = history.corpus()
    for row in rows:
        name, kind = message_of(corpus, row)
        conversation = str(corpus.column("conversation")[row].as_py())
        time = time_of(corpus, row)
        if kind == "node":
            yield Candidate(conversation, name, time=time)
        else:
            leaf = history.leaf_over(conversation, name)
            yield Candidate(conversation, leaf, message=name, time=time)


def _as_reference(history: History, scope: Scope, query: str) -> list[Candidate]:
    corpus = history.corpus()
    where = scope.conversations
    tables = [corpus.rows(conversation=where, scope="summaries")]
    hits = word_lists(history, query, tables, "recency", MOST)
    if hits:
        return [Candidate(hit.conversation, hit.id, time=hit.time) for hit in hits]
    if any(_depth(history, name) > 1 for name in where or history.names()):
        return []
    tables = [corpus.rows(conversation=where, scope="messages")]
    made = [
        Candidate(
            hit.conversation,
            history.leaf_over(hit.conversation, hit.id),
            message=hit.id,
            time=hit.time,
        )
        for hit in word_lists(history, query, tables, "recency", MOST)
    ]
    return [one for one in made if one.summary]


def _depth(history: History, conversation: str) -> int:
    depths = [one.depth for one in history.summaries(conversation).summaries]
    return max(depths, default=0)
