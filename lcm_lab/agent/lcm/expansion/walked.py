"""What ``lcm_expand`` gives a worker: what lies under some summaries, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent.lcm.expansion.routing import Route
from lcm_lab.agent.lcm.scope import number_or_name
from lcm_lab.agent.lcm.text import DATA, MOST, quoted
from lcm_lab.dag import Dag, Expansion, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.redact import redact
from lcm_lab.shown import counted, cut, one_line

__all__ = ["Walked", "walk"]


@dataclass(frozen=True, slots=True)
class Walked:
    """What lies under some summaries of one conversation.

    Attributes
    ----------
    dag : Dag
    summaries : tuple of str
        Where the walk began.
    below : Expansion
    left : int
        Tokens of the grant that remain.
    route : Route or None
        How the question was judged that this is for.
    """

    dag: Dag
    summaries: tuple[str, ...]
    below: Expansion
    left: int = 0
    route: Route | None = None

    @property
    def expansion(self) -> dict[str, Any]:
        """What was reached, with the names that the reference has."""
        nodes = self.below.nodes
        return {
            "children": [_summary(one) for one in nodes if isinstance(one, Summary)],
            "messages": [
                {
                    "messageId": one.id,
                    "role": one.role,
                    "content": redact(text_of(one)).text,
                    "tokenCount": self.dag.size(one.id),
                }
                for one in self.below.messages
            ],
            "estimatedTokens": self.below.tokens,
            "truncated": self.below.truncated,
        }

    def to_dict(self) -> dict[str, Any]:
        """Give what was reached, what was left out and why, and what the grant still allows."""
        reached = [one.id for one in self.below.nodes if isinstance(one, Summary)]
        return {
            "conversationId": number_or_name(self.dag.conversation),
            "summaryIds": list(self.summaries),
            **self.expansion,
            "citedIds": list(dict.fromkeys((*self.summaries, *reached))),
            "leftOut": [{"id": one.id, "why": one.why} for one in self.below.cut],
            "grantTokensRemaining": self.left,
            "policy": None if self.route is None else self.route.to_dict(),
        }

    def to_text(self) -> str:
        """Give it for a worker to read, at most 40,000 characters."""
        lines = list(self._head())
        used = sum(map(len, lines)) + len(lines)
        for at, one in enumerate(self.below.nodes):
            told = f"{_title(one)}\n{quoted(redact(text_of(one)).text)}"
            used += len(told) + 1
            if used > MOST - 200:
                room = MOST - 200 - (used - len(told) - 1)
                lines += [cut(told, room)] if room > 400 else []
                lines.append(f"[{counted(len(self.below.nodes) - at, 'node')} cut here]")
                break
            lines.append(told)
        return "\n".join(lines)

    def _head(self) -> Iterator[str]:
        yield one_line(f"lcm_expand: {', '.join(self.summaries[:20])}")
        yield f"{self.below}. {counted(self.left, 'token')} of this grant remain."
        left = [one.id for one in self.below.cut]
        if left:
            more = f" and {len(left) - 20} more" if len(left) > 20 else ""
            yield one_line(f"Left out: {', '.join(left[:20])}{more}")
        if self.below.nodes:
            yield DATA


def walk(
    dag: Dag,
    summaries: Sequence[str],
    depth: int,
    tokens: int | None,
    *,
    messages: bool,
    compat: Any = None,
) -> Walked:
    """Read what lies under some summaries; see `Dag.expand`."""
    below = dag.expand(summaries, depth, tokens, messages=messages, compat=compat)
    return Walked(dag, tuple(summaries), below)


def _summary(one: Summary) -> dict[str, Any]:
    return {
        "summaryId": one.id,
        "kind": "condensed" if one.depth else "leaf",
        "content": redact(one.text).text,
        "tokenCount": one.tokens,
    }


def _title(one: Any) -> str:
    if isinstance(one, Summary):
        return one_line(f"{one.id} · {'condensed' if one.depth else 'leaf'}, depth {one.depth}")
    return one_line(f"{one.id} · {one.speaker or one.role}")
