"""What is searched in a replay: the parts of messages and summaries, long ones in passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from lcm_lab.corpus import Corpus
from lcm_lab.dag import Dag
from lcm_lab.evaluation.replay.walk import Hit
from lcm_lab.ranking.dense.passages import cut

__all__ = ["Pages", "near"]

#: Words of a passage: what a long text says in one place is found there, and not diluted.
WORDS = 80
#: What parts the id of a text from the number of its passage.
MARK = "\x1f"


@dataclass(frozen=True, eq=False)
class Pages:
    """Rows to search, a passage each, and the text that each one is of.

    Attributes
    ----------
    frame : DataFrame
    texts : tuple of Hit
        Messages by kinds of their parts, and summaries, as a search shows them.
    of : int64 array of shape (n_rows,)
        The text of each row.
    """

    frame: pd.DataFrame
    texts: tuple[Hit, ...]
    of: npt.NDArray[np.int64]

    @classmethod
    def read(cls, dag: Dag) -> Pages:
        """Give the rows of a Dag, in its order."""
        corpus = dag.corpus()
        frame = corpus.frame().drop(columns="tokens")
        parts = [cut(text, WORDS) for text in frame["text"]]
        counts = np.array([len(part) for part in parts], np.int64)
        of = np.repeat(np.arange(len(frame)), counts)
        numbers = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = frame.iloc[of].reset_index(drop=True)
        names = [
            f"{docno}{MARK}{n}" if n else docno
            for docno, n in zip(rows["docno"], numbers, strict=True)
        ]
        rows = rows.assign(text=[text for part in parts for text in part], docno=names)
        return cls(rows, _hits(corpus), of)

    def __add__(self, other: Pages) -> Pages:
        """Put the rows of another behind these."""
        frame = pd.concat([self.frame, other.frame], ignore_index=True)
        of = np.concatenate([self.of, other.of + len(self.texts)])
        return Pages(frame, self.texts + other.texts, of)

    def corpus(self) -> Corpus:
        """Make a corpus of the rows in this order, so that summaries do not part messages."""
        numbered = self.frame.assign(seq=range(len(self.frame)))
        return Corpus(pa.Table.from_pandas(numbered, preserve_index=False))

    def hits(self, rows: npt.NDArray[np.integer]) -> list[Hit]:
        """Give the texts of some rows, each once, in order."""
        return [self.texts[at] for at in dict.fromkeys(self.of[rows].tolist())]


def _hits(corpus: Corpus) -> tuple[Hit, ...]:
    """Give each row as a hit: a message has a row for each kind of its parts."""
    columns = (corpus.column(name).to_pylist() for name in ("docno", "kind", "text"))
    listed = [*zip(*columns, corpus.numpy("tokens").tolist(), strict=True)]
    names = [docno.removesuffix(f"#{kind}") for docno, kind, _, _ in listed]
    parts = pd.Series(names, dtype=object).value_counts().to_dict()
    return tuple(
        Hit(name, tokens, text, alone=parts[name] == 1)
        for name, (_, _, text, tokens) in zip(names, listed, strict=True)
    )


def near(hits: Sequence[Hit]) -> Mapping[str, int]:
    """Give the rank of each node among some hits."""
    found: dict[str, int] = {}
    for at, hit in enumerate(hits):
        found.setdefault(hit.node, at)
    return found
