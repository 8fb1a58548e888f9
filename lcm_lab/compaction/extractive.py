"""What extractive summarisers share: units of text, what they are worth, and which are taken."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from lcm_lab.compaction.source import sequence_or_refused, speaker_of
from lcm_lab.compaction.summarise import beginning, units
from lcm_lab.dag.nodes import token_counts
from lcm_lab.text import Analyzer, clean, count_tokens

__all__ = ["Extractive", "Units"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ANALYZER = Analyzer()

#: How many units are compared with those taken at a time, so that memory stays within bounds.
BLOCK = 256
CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Units:
    """The units of some texts: what stays whole.

    Attributes
    ----------
    texts : tuple of str
        The units, in the order of the texts.
    of : int64 array of shape (n_units,)
        Which text each one is of, rising.
    speakers : tuple of str
        Who speaks in each text, "" where nobody does.
    """

    texts: tuple[str, ...]
    of: Ints
    speakers: tuple[str, ...]

    @classmethod
    def read(cls, texts: Sequence[str]) -> Units:
        """Part texts, as `told` gives them, into units; one said before counts once."""
        sequence_or_refused(texts)
        said = [speaker_of(text) for text in texts]
        found: dict[str, int] = {}
        for at, (_, text) in enumerate(said):
            for unit in units(text):
                found.setdefault(clean(unit), at)
        return cls(
            tuple(found), np.fromiter(found.values(), np.int64), tuple(who for who, _ in said)
        )

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def sizes(self) -> Ints:
        """Tokens that each unit costs, with what parts it from the one before; shape (n_units,)."""
        counted = count_tokens(pa.array(self.texts, pa.large_string()))
        return np.asarray(counted, np.int64) + 1

    @cached_property
    def openings(self) -> Ints:
        """Tokens that the first unit of each text costs besides; shape (n_texts,)."""
        return np.array([count_tokens(f"{who}: ") if who else 0 for who in self.speakers])

    @cached_property
    def slack(self) -> float:
        """By how much units cost less together: what parts two of them is often no token."""
        said = int(self.sizes.sum() + self.openings[np.unique(self.of)].sum())
        return max(1.0, said / max(1, token_counts([self.shown(range(len(self)))])[0]))

    @cached_property
    def counts(self) -> sparse.csr_array:
        """How often each unit holds each term, stop words left out; shape (n_units, n_terms)."""
        tokens = ANALYZER.analyze(pa.array(self.texts, pa.large_string()))
        ones = np.ones(len(tokens.ids))
        shape = (len(self), max(len(tokens.vocabulary), 1))
        table = sparse.csr_array((ones, tokens.ids, tokens.offsets), shape=shape)
        table.sum_duplicates()
        return table[:, np.flatnonzero(~tokens.stop)] if len(tokens.vocabulary) else table

    @cached_property
    def weights(self) -> sparse.csr_array:
        """Unit rows of tf-idf, (1 + ln tf)(1 + ln(n / df)); shape (n_units, n_terms)."""
        table = self.counts.copy()
        df = np.bincount(table.indices, minlength=table.shape[1])
        idf = 1 + np.log(len(self) / np.maximum(df, 1))
        table.data = (1 + np.log(table.data)) * idf[table.indices]
        norms = np.sqrt(table.power(2).sum(axis=1))
        return sparse.csr_array(sparse.diags_array(1 / np.where(norms > 0, norms, 1)) @ table)

    def shown(self, taken: Sequence[int]) -> str:
        """Write some units in their order, a line a text, with who speaks."""
        lines: dict[int, list[str]] = {}
        for at in sorted(taken):
            lines.setdefault(int(self.of[at]), []).append(self.texts[at])
        return "\n".join(
            f"{self.speakers[at]}: {' '.join(found)}" if self.speakers[at] else " ".join(found)
            for at, found in lines.items()
        )


class Extractive:
    """A summariser that takes whole units of the source: extend `order`, or `choose`.

    A unit is a sentence, a line or a code block. What is taken stands in the order of the source;
    where no unit fits, the beginning of the first one is given, cut at a word.
    """

    #: Two units are as good as the same from this cosine on.
    alike: ClassVar[float] = 0.75

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give at most ``tokens`` tokens (by `count_tokens`) of whole units.

        Parameters
        ----------
        texts : sequence of str
        tokens : int
            At least 1.

        Returns
        -------
        str
            "" when no text holds a word.
        """
        found = Units.read(texts)
        taken = self.choose(found, int(tokens * found.slack)) if len(found) else []
        text = found.shown(taken)
        while taken and count_tokens(text) > tokens:
            taken.pop()
            text = found.shown(taken)
        return text or beginning("\n".join(speaker_of(one)[1] for one in texts), tokens)

    def choose(self, found: Units, tokens: int) -> list[int]:
        """Choose units within a limit, the best first: in order of worth, nothing twice."""
        return fill(found, self.order(found), tokens, self.alike)

    @abstractmethod
    def order(self, found: Units) -> Ints:
        """Give the units from the best to the least; shape (n,), n at most n_units."""


def fill(found: Units, order: Ints, tokens: int, alike: float) -> list[int]:
    """Take units in an order until the limit, passing over what is much like one taken."""
    taken: list[int] = []
    opened: set[int] = set()
    left, least = tokens, int(found.sizes.min())
    while len(order) and left >= least:
        order = order[found.sizes[order] <= left + 1]
        block, order = order[:BLOCK], order[BLOCK:]
        near = _Near(found, block, taken, alike)
        for place, at in enumerate(block.tolist()):
            text = int(found.of[at])
            size = int(found.sizes[at]) + (0 if text in opened else int(found.openings[text]))
            if left < least or size > left + 1 or near.repeats(place):
                continue
            near.take(place)
            taken.append(at)
            opened.add(text)
            left -= size
    return taken


class _Near:
    """Which units of a block are much like one that is taken; a product a block, not one a unit."""

    def __init__(self, found: Units, block: Ints, taken: list[int], alike: float) -> None:
        # Sums of floats differ in their last bits by the order in which they are made.
        least, weights = alike - CLOSE, found.weights[block]
        like = sparse.csr_array(weights @ found.weights[taken].T)
        rows = np.repeat(np.arange(len(block)), np.diff(like.indptr))
        self._passed = np.bincount(rows[like.data >= least], minlength=len(block)) > 0
        self._alike = (weights @ weights.T).toarray() >= least

    def repeats(self, place: int) -> bool:
        """Tell whether a unit of the block is much like one that is taken."""
        return bool(self._passed[place])

    def take(self, place: int) -> None:
        """Take a unit of the block."""
        self._passed |= self._alike[place]
