"""One list out of rows: what says the same stands once, with where else it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lcm_lab.agent.lcm.history import History
from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag, Summary

__all__ = ["Entry", "folded", "message_of"]

#: Ids that are named of places where the same stands.
NAMED = 20

Words = Callable[[list[int]], dict[int, tuple[str, ...]]]


@dataclass
class Entry:
    """A row that stands in the list, and what was folded into it.

    Attributes
    ----------
    row : int
    id, conversation, kind : str
        ``id`` is that of the message or the summary.
    words : tuple of str
        What of the question it holds.
    also : list of str
    covered : str
        The leaf over a message.
    """

    row: int
    id: str
    conversation: str
    kind: str
    words: tuple[str, ...] = ()
    also: list[str] = field(default_factory=list)
    covered: str = ""

    @property
    def is_summary(self) -> bool:
        """Whether it is a node of the Dag, and no message that an agent wrote as a summary."""
        return self.kind == "node"


def folded(
    history: History, rows: Iterator[int], words: Words, limit: int
) -> tuple[list[Entry], bool]:
    """Take rows, best first, until so many entries stand.

    The rows of a message are one entry, and so are messages of one text. A summary is left out
    where messages and summaries under it that are shown hold all that it was found by.

    Returns
    -------
    list of Entry
    bool
        Whether there are more rows.
    """
    entries: list[Entry] = []
    seen: dict[object, Entry] = {}
    while len(entries) < limit:
        new = list(_fresh(history.corpus(), rows, seen, limit - len(entries)))
        if not new:
            return entries, False
        held = words([entry.row for entry in new])
        for entry in new:
            entry.words = held[entry.row]
        entries = _without_repeats(history, [*entries, *new])
    return entries, next(_fresh(history.corpus(), rows, seen, 1), None) is not None


def message_of(corpus: Corpus, row: int) -> tuple[str, str]:
    """Give the id of the message or summary that a row is of, and its kind there."""
    docno, kind = (str(corpus.column(name)[row].as_py()) for name in ("docno", "kind"))
    in_dag = kind == "summary" and not docno.endswith("#summary")  # an agent may write them itself
    if in_dag and corpus.column("scope")[row].as_py() == "summaries":
        return docno, "node"
    return (docno.removesuffix(f"#{kind}") if kind != "text" else docno), kind


def _fresh(
    corpus: Corpus, rows: Iterator[int], seen: dict[object, Entry], most: int
) -> Iterator[Entry]:
    """Yield entries of rows that say something new; note the others where they belong."""
    for row in rows:
        name, kind = message_of(corpus, row)
        text = str(corpus.column("text")[row].as_py())
        there = seen.get(name) or seen.get((kind, text))
        if there is not None:
            if name != there.id and name not in there.also and len(there.also) < NAMED:
                there.also.append(name)
            continue
        entry = Entry(row, name, str(corpus.column("conversation")[row].as_py()), kind)
        seen[name] = seen[(kind, text)] = entry
        yield entry
        most -= 1
        if not most:
            return


def _without_repeats(history: History, entries: Sequence[Entry]) -> list[Entry]:
    """Leave out summaries that add nothing to what is shown from under them."""
    kept = []
    deepest = {e.id: e for e in entries}
    for entry in entries:
        below = [deepest[one] for one in _under(history, entry) if one in deepest]
        held = {word for one in below for word in one.words}
        if entry.is_summary and below and held.issuperset(entry.words):
            for one in below:
                one.also += [entry.id] if entry.id not in one.also else []
        else:
            kept.append(entry)
    for entry in kept:
        if not entry.is_summary:
            entry.covered = history.leaf_over(entry.conversation, entry.id)
    return kept


def _under(history: History, entry: Entry) -> Iterator[str]:
    """Yield the ids of what lies under a summary."""
    if entry.is_summary:
        dag = history.summaries(entry.conversation)
        seen, waiting = {entry.id}, [entry.id]
        while waiting:
            for name in _sources(dag, waiting.pop()):
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
                    yield name


def _sources(dag: Dag, name: str) -> tuple[str, ...]:
    node = dag.node(name) if name in dag else None
    return node.sources if isinstance(node, Summary) else ()
