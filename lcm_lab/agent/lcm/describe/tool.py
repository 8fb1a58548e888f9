"""``lcm_describe``: all of one summary or one large file, without a worker."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import pandas as pd

from lcm_lab.agent.lcm.describe.ids import described_id
from lcm_lab.agent.lcm.describe.manifest import manifest
from lcm_lab.agent.lcm.describe.result import DescribedFile, DescribedSummary
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.scope import Scope
from lcm_lab.agent.schema import Between, tool
from lcm_lab.dag import Summary
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.redact import redact
from lcm_lab.store.excerpt import LEAST, MOST, excerpt

__all__ = ["Describe", "file_piece", "lines_asked"]

Lines = tuple[int, int | None] | None


class Describe(History):
    """The tool ``lcm_describe``."""

    @tool
    def lcm_describe(
        self,
        id: str,
        *,
        conversationId: int | str | None = None,
        allConversations: bool = False,
        tokenCap: Annotated[int, Between(1, 10_000_000)] | None = None,
        expandFile: bool = True,
        expandFileMaxBytes: Annotated[int, Between(LEAST, MOST)] | None = None,
        startLine: Annotated[int, Between(1, 1_000_000_000)] | None = None,
        endLine: Annotated[int, Between(1, 1_000_000_000)] | None = None,
    ) -> DescribedSummary | DescribedFile:
        """Look up a summary, with its place in the Dag and what reading on costs, or a file.

        Of a summary: all of its content, what it was made from, what was made from it, and the
        tokens of everything under it. Of a file: what it is about, and its content or lines of it.

        Parameters
        ----------
        id : str
            sum_xxx for a summary, file_xxx for a file, or the header of a reference to one.
        conversationId : int or str
            One conversation to look in; the current session family when left out.
        allConversations : bool
            Look in all conversations.
        tokenCap : int
            Tokens that the costs of reading on are held against.
        expandFile : bool
            Whether the content of a file is given too.
        expandFileMaxBytes : int
            Bytes of a file's content, 1,024 to 512,000.
        startLine, endLine : int
            Lines of a file, from 1; endLine is included.
        """
        name = described_id(id)
        lines = lines_asked(startLine, endLine, self.compat)
        scope = self._around(conversationId, everywhere=allConversations)
        if name.startswith("sum_"):
            return _summary(self, name, scope, tokenCap)
        limit = expandFileMaxBytes or self.expandFileMaxBytes
        return _file(self, name, scope, lines, limit if expandFile else None)

    def _around(self, conversation: float | str | None, *, everywhere: bool) -> Scope:
        """Look everywhere for tools that belong to no session: an id names one thing."""
        alone = self.conversation is None and self.grant is None
        return self.scope(conversation, everywhere=everywhere or alone)


def lines_asked(start: int | None, end: int | None, compat: str | None) -> Lines:
    """Give the range of lines that was asked for; None for the whole.

    Raises
    ------
    BadParameter
        For a range that ends before it begins.
    """
    if start is not None and end is not None and end < start:
        raise BadParameter(f"endLine must not be less than startLine. Got {start} to {end}.")
    if start is None and (end is None or compat):  # there, an end without a start counts nothing
        return None
    return start or 1, end


def file_piece(text: str, lines: Lines, limit: int, compat: Any) -> tuple[str, int, bool]:
    """Give a piece of a file, its first line, and whether it was cut; see `excerpt`."""
    return excerpt(text, lines, limit, compat)


def _absent(name: str, what: str, scope: Scope) -> NotFound:
    wider = "" if scope.conversations is None else " It may be elsewhere: pass the conversationId, "
    wider += "or allConversations=true." if wider else " Ids come from lcm_grep."
    return NotFound(f"{what} {name!r:.80} is not in this scope ({scope.said}).{wider}")


def _summary(history: History, name: str, scope: Scope, cap: int | None) -> DescribedSummary:
    corpus = history.corpus()
    (row,) = corpus.row_of([name]).tolist()
    conversation = str(corpus.column("conversation")[row].as_py()) if row >= 0 else ""
    dag = history.dag(conversation) if row >= 0 and conversation in scope else None
    node = dag.node(name) if dag is not None and name in dag else None
    if dag is None or not isinstance(node, Summary):
        raise _absent(name, "Summary", scope)
    sources = dag.sources(name)
    given, source = _cap(history, cap)
    return DescribedSummary(
        name,
        conversation,
        node,
        tuple(one.id for one in sources if isinstance(one, Summary)),
        tuple(one.id for one in dag.derived(name)),
        tuple(one.id for one in sources if not isinstance(one, Summary)),
        manifest(dag, name, upwards=history.compat is not None),
        given,
        source,
        history.zone,
    )


def _cap(history: History, asked: int | None) -> tuple[int, str]:
    """Give the budget and who says so."""
    if asked is not None:
        return asked, "request"
    if history.grant is not None:
        return history.grant.remaining, "delegated_grant_remaining"
    return history.maxExpandTokens, "config_default"


def _file(
    history: History, name: str, scope: Scope, lines: Lines, limit: int | None
) -> DescribedFile:
    files = history.files(scope)
    found = files[files["id"] == name]
    if found.empty:
        raise _absent(name, "File", scope)
    file = found.to_dict("records")[0]
    made = file.get("created")
    told = DescribedFile(
        name,
        str(file["conversation"]),
        redact(str(file["name"] or "")).text,
        str(file["mime"] or ""),
        str(file["path"] or ""),
        None if pd.isna(file["bytes"]) else int(file["bytes"]),
        None if pd.isna(file["lines"]) else int(file["lines"]),
        str(file["explored"] or ""),
        None if made is None or pd.isna(made) else int(made.value // 1_000),
        zone=history.zone,
    )
    return told if limit is None else _expanded(history, told, lines, limit)


def _expanded(history: History, told: DescribedFile, lines: Lines, limit: int) -> DescribedFile:
    """Add the content, or why there is none."""
    try:
        piece = history.store.read(told.id, None if history.compat else lines, limit)
    except (NotFound, BadInput) as error:
        return replace(told, note=f"Its content cannot be given: {error}")
    note = f"Read from where it was stored beside the copy: {piece.fault}." if piece.fault else ""
    text, first, truncated = piece.text, piece.first, piece.truncated
    if history.compat and lines is not None and not piece.fault:  # what is recovered is given whole
        text, first, short = file_piece(text, lines, limit, "reference")
        truncated = truncated or short
    elif lines is not None and not text:
        note = f"It has {piece.lines:,} lines, so none from {lines[0]:,} on. {note}".strip()
    return replace(told, content=text, first=first, truncated=truncated, note=note)
