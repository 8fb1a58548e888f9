"""What a real agent used again after a compaction, as facts with a question each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lcm_lab.compaction.source import told
from lcm_lab.dag import Dag
from lcm_lab.dag.nodes import text_of
from lcm_lab.errors import EmptyQuery
from lcm_lab.evaluation.replay.facts import Fact
from lcm_lab.evaluation.replay.texts import Texts
from lcm_lab.evaluation.reuse import Boundary, boundaries, later_used
from lcm_lab.messages import Message
from lcm_lab.query import require_words

__all__ = ["Recorded", "recorded"]


@dataclass(frozen=True, eq=False)
class Recorded:
    """A real compaction: what stood before it, what was used again, and the summary.

    Attributes
    ----------
    dag : Dag
        Of depth zero: what stood before.
    facts : tuple of Fact
    summary : str
    boundary : Boundary
    """

    dag: Dag
    facts: tuple[Fact, ...]
    summary: str
    boundary: Boundary


def recorded(messages: Iterable[Message]) -> dict[str, Recorded]:
    """Find the real compactions after which an identifier was used again, by name.

    The question for an identifier is the line in which the agent first used it again, without it;
    where no other word stands in that line there is none, and the fact can only be kept in view.
    """
    found: dict[str, Recorded] = {}
    for boundary in boundaries(messages):
        name = f"{boundary.session}@{len(boundary.before)}"
        facts = tuple(_facts(boundary, name))
        if facts:
            dag = Dag(name).append(boundary.before)
            found[name] = Recorded(dag, facts, boundary.summary, boundary)
    return found


def _facts(boundary: Boundary, conversation: str) -> Iterable[Fact]:
    said = Texts({one.id: text_of(one) for one in boundary.before})
    mine = (told(one) for one in boundary.after if one.role == "assistant")
    lines = [line for text in mine for line in text.splitlines()[1:]]
    for number, (name, kind) in enumerate(later_used(boundary.before, boundary.after).items(), 1):
        sources = said.holding(name)
        if sources:
            asked = _without(next((line for line in lines if name in line), ""), name)
            given = (f"{conversation}-{number}", conversation, kind, "used again")
            yield Fact(*given, name, sources, asked)


def _without(line: str, name: str) -> str:
    """Take an identifier out of a line; "" where no word is left to ask with."""
    try:
        return require_words(line.replace(name, " ").strip())
    except EmptyQuery:
        return ""
