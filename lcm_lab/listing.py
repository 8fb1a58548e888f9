"""How a run prints: its topics with their best hits, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from lcm_lab.markup import line, page, rows
from lcm_lab.shown import counted, one_line

__all__ = ["Listed"]

#: Topics that are listed, and hits of each.
TOPICS, HITS = 10, 3


class Listed:
    """A run, as people read it."""

    def __str__(self) -> str:
        run: Any = self
        lines = [
            f"{one_line(qid)}  {counted(hits, 'hit')}  {best}".rstrip()
            for qid, _, hits, best in _topics(run)
        ]
        more = len(run.topics) - len(lines)
        rest = [f"... and {counted(more, 'more topic')}"] if more else []
        return "\n".join([repr(run), *lines, *rest])

    def _repr_html_(self) -> str:
        run: Any = self
        body = [
            (line(qid, 60), line(asked, 200), f"{hits:,}", line(best))
            for qid, asked, hits, best in _topics(run)
        ]
        more = len(run.topics) - len(body)
        rest = f"<p class='dim'>and {counted(more, 'more topic')}</p>" if more else ""
        head = ["topic", "question", "hits", "the best of them"]
        return page(rows(head, body, caption=line(repr(run)), numbers="  #"), rest)


def _topics(run: Any) -> Iterator[tuple[str, str, int, str]]:
    """Yield topic, question, number of hits, and the best of them."""
    docnos = run.corpus["docno"].to_numpy()
    for (qid, found, scores), asked in islice(zip(run, run.topics.queries, strict=True), TOPICS):
        best = zip(docnos[found[:HITS]], scores[:HITS], strict=True)
        said = ", ".join(f"{one_line(str(docno))} {score:.3f}" for docno, score in best)
        yield qid, asked, len(found), said
