"""One question, asked step by step: grep, then describe, then expand_query; what each shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lcm_lab.agent.lcm.describe.result import DescribedSummary
from lcm_lab.agent.lcm.expansion.support import shares
from lcm_lab.agent.lcm.grep.result import Found
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.errors import LcmError
from lcm_lab.text import count_tokens

__all__ = ["STEPS", "Question", "Shown", "asked"]

STEPS = ("grep", "describe", "expand_query")
#: Hits that are asked for, and summaries that are described: the best few.
HITS, LOOKS = 10, 3
#: The share of its words from which on a message counts as shown.
ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its evidence.

    Attributes
    ----------
    query : str
    evidence : tuple of str
        The texts of the messages that answer it.
    conversation : str
        "" for all conversations.
    since, before : str or None
        ISO instants; they bound the search for hits.
    """

    query: str
    evidence: tuple[str, ...]
    conversation: str = ""
    since: str | None = None
    before: str | None = None

    @property
    def scope(self) -> dict[str, Any]:
        """Where it is asked, as the tools take it."""
        if self.conversation:
            return {"conversationId": self.conversation}
        return {"allConversations": True}


@dataclass(frozen=True, slots=True)
class Shown:
    """What a step showed.

    Attributes
    ----------
    step : str
    evidence : float
        The share of the evidence that it shows.
    tokens, read : int
        What the agent is given to read, and what workers read for it.
    ms : float
    error : str
        What the tool said in the place of an answer.
    """

    step: str
    evidence: float
    tokens: int = 0
    read: int = 0
    ms: float = 0.0
    error: str = ""


def asked(tools: LcmTools, question: Question) -> Iterator[Shown]:
    """Ask a question in three steps, whether or not the one before was enough.

    A message counts as shown where one hit, one line of a summary or one line of an answer holds at
    least half of its words, stop words left out.
    """
    watch = _Watch(tools, question)
    try:
        found = tools.lcm_grep(
            question.query,
            mode="full_text",
            sort="relevance",
            limit=HITS,
            since=question.since,
            before=question.before,
            **question.scope,
        )
    except LcmError as error:  # the question is none that full text can be asked
        yield from (Shown(step, 0.0, error=str(error)) for step in STEPS)
        return
    yield watch.shown("grep", [hit.snippet for hit in found.hits], [found.to_text()])
    watch = _Watch(tools, question)
    looks = [tools.lcm_describe(name, **question.scope) for name in _summaries(found)]
    made = [one.content for one in looks if isinstance(one, DescribedSummary)]
    lines = [line for content in made for line in content.splitlines()]
    yield watch.shown("describe", lines, [one.to_text() for one in looks])
    watch = _Watch(tools, question)
    answer = tools.lcm_expand_query(question.query, query=question.query, **question.scope)
    step = watch.shown("expand_query", answer.answer.splitlines(), [answer.to_text()])
    yield replace(step, read=answer.tokens, error=answer.error)


def _summaries(found: Found) -> list[str]:
    """Name the summaries that the best hits are, or lie under."""
    names = (hit.id if hit.type == "summary" else hit.covered for hit in found.hits)
    return list(dict.fromkeys(filter(None, names)))[:LOOKS]


class _Watch:
    """Times a step, from when it is made, and judges what it showed."""

    def __init__(self, tools: LcmTools, question: Question) -> None:
        self.timer, self.evidence = tools.timer, question.evidence
        self.begun = tools.timer()

    def shown(self, step: str, pieces: Sequence[str], texts: Sequence[str]) -> Shown:
        """Judge pieces, each as it stands; count what the agent is given."""
        ms = (self.timer() - self.begun) * 1000
        held = [share >= ENOUGH for share in shares(self.evidence, pieces)]
        return Shown(step, sum(held) / len(held), sum(map(count_tokens, texts)), ms=ms)
