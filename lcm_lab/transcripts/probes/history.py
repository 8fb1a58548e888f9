"""What miners read: the rows of a history as plain lists, whatever it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.columns import NO_TIME
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.messages import Message
from lcm_lab.redact import redact
from lcm_lab.synth.overlap import Overlap
from lcm_lab.transcripts.base import Transcripts

__all__ = ["Held", "History"]

#: How a text begins that a program put in a user's mouth: a command's record, a reminder, a resume.
WRITTEN_FOR = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<system-reminder>",
    "<task-notification>",
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "Caveat: The messages below",
    "[Request interrupted",
    "This session is being continued from a previous conversation",
)


@runtime_checkable
class Held(Protocol):
    """A database of conversations: a store, or that of lossless-claw."""

    def corpus(self, *, scope: Sequence[str]) -> Corpus:
        """Make a corpus of some scopes."""
        ...

    def conversations(self) -> pd.DataFrame:
        """List the conversations."""
        ...


@dataclass(frozen=True, eq=False)
class History:
    """A history as miners read it: a corpus, and the messages it was made of where they are known.

    Attributes
    ----------
    corpus : Corpus
    messages : tuple of Message
        Empty where only rows are known.
    facts : dict
        What its card says of where it came from.
    """

    corpus: Corpus
    messages: tuple[Message, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Any) -> History:
        """Read transcripts, a collection, a corpus, a store or the database of lossless-claw.

        Raises
        ------
        BadInput
            Nothing was said in it.
        BadParameter
            Something else.
        """
        if isinstance(source, Transcripts):
            made = _of_transcripts(source)
        elif isinstance(source, Collection):
            made = cls(source.corpus, facts={"source": f"the corpus of {source.name!r}"})
        elif isinstance(source, Corpus):
            made = cls(source, facts={"source": "a corpus"})
        elif isinstance(source, Held):
            made = _of_database(source)
        else:
            raise BadParameter(
                "Topics are mined from Transcripts (lcm.read), a Collection, a Corpus, a Store or "
                f"an LcmDatabase. Got {type(source).__name__}."
            )
        if not len(made.corpus):
            raise BadInput(f"No messages in {made.facts['source']}, so there is nothing to ask.")
        return made

    @cached_property
    def texts(self) -> list[str]:
        """The text of each row without its secrets, which a question would no longer show whole."""
        return [redact(text).text for text in self.corpus["text"].tolist()]

    @cached_property
    def docnos(self) -> list[str]:
        """The docno of each row."""
        return self.corpus["docno"].tolist()

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each row."""
        return self.corpus["kind"].tolist()

    @cached_property
    def roles(self) -> list[str]:
        """The role of each row."""
        return self.corpus["role"].tolist()

    @property
    def times(self) -> npt.NDArray[np.int64]:
        """The time of each row in microseconds, `NO_TIME` where unknown; shape (n,)."""
        return self.corpus.numpy("time")

    @cached_property
    def talks(self) -> npt.NDArray[np.int32]:
        """The number of each row's conversation; shape (n,)."""
        return self.corpus.codes("conversation")[0]

    @cached_property
    def starts(self) -> dict[int, int]:
        """When each conversation began: its earliest known time."""
        known = self.times != NO_TIME
        first: dict[int, int] = {}
        for talk, time in zip(self.talks[known].tolist(), self.times[known].tolist(), strict=True):
            first[talk] = min(time, first.get(talk, time))
        return first

    @cached_property
    def said(self) -> list[int]:
        """The rows that a person or the agent said to the other: no tools, no subagents."""
        return np.flatnonzero(self.spoken).tolist()

    @cached_property
    def spoken(self) -> npt.NDArray[np.bool_]:
        """Which rows those are; shape (n_rows,)."""
        frame = pd.DataFrame({n: self.corpus[n] for n in ("role", "kind", "scope", "text")})
        said = frame["role"].isin(["user", "assistant"]) & (frame["kind"] == "text")
        said &= (frame["scope"] == "messages") & ~frame["text"].str.startswith(WRITTEN_FOR)
        if "sidechain" in self.corpus.columns:
            said &= (self.corpus["sidechain"] != "yes").to_numpy()
        return said.to_numpy(bool)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each docno."""
        return {docno: row for row, docno in enumerate(self.docnos)}

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The rows by time, those without one last: what a topic may see is then a beginning."""
        late = np.where(self.times == NO_TIME, np.iinfo(np.int64).max, self.times)
        return np.argsort(late, kind="stable").astype(np.int64)

    @cached_property
    def place(self) -> npt.NDArray[np.int64]:
        """Where each row stands in `order`; shape (n,)."""
        made = np.empty(len(self.order), np.int64)
        made[self.order] = np.arange(len(self.order))
        return made

    @cached_property
    def overlap(self) -> Overlap:
        """The stems of speaker and text of every row, in `order`."""
        texts = self.corpus.view(("speaker", "text")).to_pylist()
        return Overlap(texts[row] for row in self.order.tolist())

    def seen(self, before: int | None) -> int:
        """Count the rows that were there before an instant; all for None."""
        if before is None:
            return len(self.corpus)
        times = self.times[self.order]
        known = int((self.times != NO_TIME).sum())
        return int(np.searchsorted(times[:known], before))


def _of_transcripts(source: Transcripts) -> History:
    if not source.messages:
        counts = Counter(one.reason for one in source.skipped).most_common(3)
        why = "; ".join(f"{count} x {reason}" for reason, count in counts) or "nothing was there"
        raise BadInput(f"No messages in {', '.join(source.files) or 'these files'} ({why}).")
    facts = {
        "source": "agent transcripts",
        "files": dict(sorted(Counter(source.files.values()).items())),
        "skipped": dict(sorted(Counter(one.reason for one in source.skipped).items())),
        "read": dict(sorted(source.notes.items())),
    }
    return History(source.corpus(), tuple(one for one in source.messages if one.active), facts)


def _of_database(source: Held) -> History:
    corpus = source.corpus(scope=("messages",))
    ask = getattr(source, "messages", None)
    names = source.conversations()["name"].tolist() if callable(ask) else []
    messages = tuple(one for name in names for one in ask(name) if one.active) if ask else ()
    facts: dict[str, Any] = {"source": f"a {type(source).__name__}"}
    behind = list(getattr(source, "indexing", ()))
    if behind:
        facts["indexing"] = behind
    return History(corpus, messages, facts)
