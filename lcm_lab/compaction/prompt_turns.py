"""The nodes of a frontier as turns: messages as they came, summaries as untrusted XML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lcm_lab.compaction.pairing import Compat, Turn
from lcm_lab.dag import Dag, Node, Summary
from lcm_lab.dag.totals import Totals, totals
from lcm_lab.messages import Message, Part
from lcm_lab.times import show

__all__ = ["escaped", "quoted", "summary_xml", "texts_of", "turns_of"]

#: Roles as providers know them; what is unknown is shown as a user's.
ROLES = {"assistant": "assistant", "system": "system"}


def summary_xml(
    summary: Summary, descendants: int = 0, zone: str = "UTC", compat: Compat = None
) -> str:
    r"""Write a summary as an XML element that says what it is, and that it is not to be trusted.

    Its text and ids are escaped, so that no text can end the element. A condensed one names its
    sources as ``parents``, the reference's word.

    Parameters
    ----------
    descendants : int
        How many summaries lie under it.
    zone : str
        Of the times. They carry their offset; with ``compat="reference"`` they do not.

    Examples
    --------
    >>> print(summary_xml(Summary("sum_1", "Ports < 1024 & root", ("m1",), 0, 5)))
    <summary id="sum_1" kind="leaf" depth="0" descendant_count="0" trust="untrusted">
      <content>
    Ports &lt; 1024 &amp; root
      </content>
    </summary>
    """
    named = {
        "id": quoted(summary.id),
        "kind": "condensed" if summary.depth else "leaf",
        "depth": str(summary.depth),
        "descendant_count": str(descendants),
        "trust": "untrusted",
    }
    for name, time in (("earliest_at", summary.first), ("latest_at", summary.last)):
        if time is not None:
            stamp = show(time, zone)
            named[name] = stamp[:19] if compat is not None else stamp
    head = " ".join(f'{name}="{text}"' for name, text in named.items())
    lines = [f"<summary {head}>"]
    if summary.depth:
        refs = (f'    <summary_ref id="{quoted(name)}" />' for name in summary.sources)
        lines += ["  <parents>", *refs, "  </parents>"]
    lines += ["  <content>", escaped(summary.text), "  </content>", "</summary>"]
    return "\n".join(lines)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoted(text: str) -> str:
    """Escape what stands between the quotes of an attribute, so that it cannot end there."""
    return escaped(text).replace('"', "&quot;")


def turns_of(dag: Dag, zone: str = "UTC", compat: Compat = None) -> list[list[Turn]]:
    """Give the turns of each node of a frontier, in order; a node without text gives none.

    Of a message that holds results of tools each is a turn of its own. Reasoning is left out. A
    stub is shown as the result that it stands for, with its id, which leads there. Calls without an
    id get one, and so do the results that answer them: the oldest open call since the user last
    spoke.
    """
    writer = _Writer(dag, totals(dag), zone, compat)
    return [[*writer.turns(dag.node(name))] if name in dag else [] for name in dag.frontier]


@dataclass
class _Writer:
    """Writes turns, in order, and remembers which calls without ids are still open."""

    dag: Dag
    totals: dict[str, Totals]
    zone: str
    compat: Compat
    open: list[str] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)

    def turns(self, node: Node) -> Iterator[Turn]:
        """Give the turns of a node."""
        if isinstance(node, Message):
            yield from self._said(node, node.id)
        elif node.level == "stub" and isinstance(source := self._source(node), Message):
            yield from self._said(source, node.id, f"{node.text} ({node.id})")
        elif node.text:
            under = self.totals.get(node.id, Totals()).summaries
            text = summary_xml(node, under, self.zone, self.compat)
            yield Turn({"role": "user", "content": text}, node.id)

    def _source(self, stub: Summary) -> Node | None:
        return next(iter(self.dag.sources(stub.id)), None)

    def _said(self, message: Message, name: str, instead: str | None = None) -> Iterator[Turn]:
        """Give the results in a message, then the rest of it; ``instead`` is a text for all."""
        results = [part for part in message.parts if part.kind == "tool_result"]
        rest = [part for part in message.parts if part.kind not in ("tool_result", "reasoning")]
        if rest and message.role == "user":
            self.open.clear()
        for part in results:
            text = part.text if instead is None else instead
            yield Turn(self._result(part, text), name)
        if rest or not results:
            role = ROLES.get(message.role, "user")
            called = any(part.kind == "tool_call" for part in rest)
            role = "assistant" if called else role
            blocks = [self._block(part, f"{message.id}#{at}") for at, part in enumerate(rest)]
            yield Turn({"role": role, "content": blocks}, name)

    def _result(self, part: Part, text: str) -> dict[str, Any]:
        call = part.call or (self.open.pop(0) if self.open else "")
        wire: dict[str, Any] = {
            "role": "toolResult",
            "toolCallId": call,
            "toolName": self.tools.get(call, ""),
            "content": [{"type": "text", "text": text}],
        }
        return {**wire, "isError": True} if part.error else wire

    def _block(self, part: Part, name: str) -> dict[str, Any]:
        if part.kind != "tool_call":
            return {"type": "text", "text": part.text}
        call = part.call or name
        if not part.call:
            self.open.append(call)
        self.tools[call] = part.name
        given = part.text.removeprefix(part.name).lstrip("\n")
        return {"type": "toolCall", "id": call, "name": part.name, "arguments": {"input": given}}


def texts_of(turns: Sequence[Turn]) -> str:
    """Give all texts of some turns, one after the other."""
    return "\n".join(text for turn in turns for text in _texts(turn.wire["content"]))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content:
        yield block["text"] if block["type"] == "text" else block["arguments"]["input"]
