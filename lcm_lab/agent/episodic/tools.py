"""`EpisodicTools`: the tools by which an agent recalls what was said in earlier sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from lcm_lab.agent.episodic.asked import Asked, Mode, Written, asked
from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.agent.episodic.files import NOTHING, Facts, Roots
from lcm_lab.agent.episodic.memory import Memory
from lcm_lab.agent.episodic.page import Page
from lcm_lab.agent.episodic.parse import parsed
from lcm_lab.agent.episodic.reading import read_page
from lcm_lab.agent.episodic.recorded import RecordedAnswer, RecordedPage
from lcm_lab.agent.episodic.reference import Archive
from lcm_lab.agent.episodic.render import rendered
from lcm_lab.agent.episodic.result import Answer, hit_of
from lcm_lab.agent.episodic.search import DEFAULT, Recaller
from lcm_lab.agent.lcm.text import still_indexing
from lcm_lab.agent.schema import Between, tool
from lcm_lab.collection.unpack import unpack
from lcm_lab.compaction.summarise import Lead
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.dense.embedder import check_encoder
from lcm_lab.store.lcm.database import LcmDatabase
from lcm_lab.store.store import Store
from lcm_lab.times import instant, show
from lcm_lab.transcripts.lines import decode

__all__ = ["EpisodicTools"]


class EpisodicTools:
    """Tools with the names and parameters of episodic-memory's, over a store.

    Parameters
    ----------
    store : Store or LcmDatabase
    encoder : Encoder or Named, optional
        What makes vectors; ``LSA(64)``, which needs no model, when not given.
    roots : sequence of str or Path
        Folders of transcripts that `read` may open. What lies elsewhere is read from the store, as
        far as the store has it, and else not at all.
    search : Ranker, optional
        What ranks mode "both"; words, and a little of vectors and exact matches when not given.
    summarise : callable, (texts, tokens) -> str
        What says what a conversation is about.
    floor : float
        The least cosine of what counts as near, for vectors and for several concepts.
    clock : str or int, optional
        The instant that the reference writes beside what has no time.
    compat : "reference", optional
        Search and read as episodic-memory 1.4.0 does, faults included, over the transcripts under
        ``roots``: a project is the folder that a transcript lies in.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.agent.episodic.tools import EpisodicTools
    >>> from lcm_lab.store.store import Store
    >>> store = Store(":memory:")
    >>> said = [("user", "Which database?"), ("assistant", "Postgres."), ("user", "Lunch?")]
    >>> store.add(lcm.Corpus([{"role": role, "text": text} for role, text in said]))
    Added 3 messages, 1 new conversation
    >>> found = EpisodicTools(store).search("postgres", mode="text")
    >>> [hit.found.exchange.user for hit in found.hits]
    ['Which database?']
    """

    def __init__(
        self,
        store: Store | LcmDatabase,
        encoder: Any = None,
        roots: Sequence[str | Path] = (),
        *,
        search: Ranker | None = None,
        summarise: Callable[..., str] | None = None,
        floor: float = 0.25,
        clock: str | int | None = None,
        compat: Literal["reference"] | None = None,
    ) -> None:
        _check(store, encoder, search, floor, compat)
        self.store, self.compat = store, compat
        self.encoder = DEFAULT if encoder is None else encoder
        self.roots = Roots([roots] if isinstance(roots, str | Path) else roots)
        self.memory = Memory(store, Lead() if summarise is None else summarise)
        self.recaller = Recaller(self.memory, encoder, search, floor)
        self.now = "" if clock is None else _stamp(clock)
        self._turn = threading.RLock()

    @tool
    def search(
        self,
        query: Annotated[str | list[str], Between(2, 5)],
        mode: Mode = "both",
        *,
        limit: Annotated[int, Between(1, 50)] = 10,
        after: str | None = None,
        before: str | None = None,
        project: str | None = None,
        session_id: str | None = None,
        git_branch: str | None = None,
        response_format: Written = "markdown",
    ) -> Answer | RecordedAnswer:
        """Search earlier conversations by meaning, by exact text, or by both.

        Gives exchanges (what a user said, with what was answered) with project, date, a summary of
        their conversation, how near they are, and path and lines, which `read` takes. Ask before
        deciding anew what may have been decided, found out or tried before.

        Parameters
        ----------
        query : str or list of str
            What to look for, at least 2 characters. 2 to 5 concepts in a list: conversations that
            hold all of them.
        mode : str
            vector: near in meaning. text: holds the query as it stands, whatever its case, newest
            first. both: words, meaning and exact text together. Ignored for several concepts, which
            are compared by vectors.
        limit : int
            Hits, at most.
        after : str
            Only from this UTC day on, YYYY-MM-DD.
        before : str
            Only before this UTC day, YYYY-MM-DD; the day itself is left out.
        project : str
            Only this project, by its exact name.
        session_id : str
            Only this session.
        git_branch : str
            Only sessions on this branch.
        response_format : str
            markdown, or json for programs.
        """
        days = {"after": after, "before": before}
        names = {"project": project, "session_id": session_id, "git_branch": git_branch}
        reference = self.compat is not None
        question = asked(
            query, mode, limit, response_format, {**days, **names}, reference=reference
        )
        if reference:
            return self._recorded(question)
        with self.memory.steady():
            return self._recalled(question)

    @tool
    def read(
        self,
        path: str,
        startLine: Annotated[int, Between(1, 2**53)] | None = None,
        endLine: Annotated[int, Between(1, 2**53)] | None = None,
    ) -> Page | RecordedPage:
        """Read an earlier conversation, or lines of it, as markdown.

        Shows roles, what was said, tool use and results, each with its line. Conversations can be
        long: read the lines that search gave first, and more around them if needed.

        Parameters
        ----------
        path : str
            The transcript, as search names it.
        startLine : int
            The first line to show, from 1.
        endLine : int
            The last line to show.
        """
        if not path.strip():
            raise BadParameter("path is empty. search names paths that can be read.")
        if self.compat is None:
            with self.memory.steady():
                return read_page(self.memory, self.roots, path, (startLine, endLine))
        place = self.roots.place(path)
        if place is None:
            raise NotFound(f"No transcript {path!r:.200} under the roots.")
        return RecordedPage(rendered(decode(unpack(place)[0]), startLine, endLine))

    def _recalled(self, question: Asked) -> Answer:
        hits = []
        found = self.recaller.find(question)
        self.roots.refresh(self.memory.state)
        for one in found:
            exchange, facts = self.placed(one.exchange)
            about = self.memory.summary(exchange.conversation)
            shown = replace(one, exchange=exchange)
            hits.append(hit_of(shown, question.concepts, about, facts))
        late = still_indexing(self.memory.late())
        return Answer(tuple(hits), question, len(self.memory.exchanges()), late)

    def placed(self, one: Exchange) -> tuple[Exchange, Facts]:
        """Give an exchange with the path of its file, where that is known, and all of its lines."""
        place = self.roots.locate(one.path)
        if place is None:
            return one, NOTHING
        facts = self.roots.facts(place)
        end = max(facts.lines, one.end) if one.last else one.end
        return replace(one, path=str(place), end=end), facts

    def _recorded(self, question: Asked) -> RecordedAnswer:
        with self._turn:
            archive = self._archive
        if question.several:
            found = archive.find_all(question.concepts, question.limit, question.told)
        else:
            found = archive.find(question.concepts[0], question.mode, question.limit, question.told)
        return RecordedAnswer(tuple(found), question, self._facts)

    def _facts(self, path: str) -> Facts:
        place = self.roots.place(path)
        return NOTHING if place is None else self.roots.facts(place)

    @cached_property
    def _archive(self) -> Archive:
        """Cut the transcripts under the roots into exchanges, as they lie there now."""
        found: list[Exchange] = []
        for _, path in self.roots.files():
            text = decode(unpack(path)[0])
            found += parsed(text, path.as_posix(), path.parent.name, self.now)
        return Archive(found, self.encoder)


def _check(store: Any, encoder: Any, search: Any, floor: Any, compat: Any) -> None:
    if not isinstance(store, Store | LcmDatabase):
        raise BadParameter(
            "The tools stand on a Store or on what open_lcm gives. Got "
            f"{type(store).__name__}: make one with Store(path)."
        )
    if encoder is not None:
        check_encoder(encoder)
    if search is not None and not isinstance(search, Ranker):
        raise BadParameter(f"search is a policy, such as BM25(). Got {search!r:.80}.")
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise BadParameter(f"floor is a cosine from 0 to 1. Got {floor!r:.80}.")
    if compat not in (None, "reference"):
        raise BadParameter(f"compat must be None or 'reference'. Got {compat!r:.80}.")


def _stamp(clock: str | int) -> str:
    """Write an instant to the millisecond, as the reference does."""
    moment = instant(clock) or 0
    return f"{show(moment // 1_000_000 * 1_000_000)[:19]}.{moment // 1000 % 1000:03}Z"
