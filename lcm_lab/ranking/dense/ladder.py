"""How vectors are searched: exactly, or by an index of FAISS that says which are worth a look.

An index only proposes; what it proposes is scored exactly. An index of eight bits is exact too: it
knows by how much it errs, and is asked for more until nothing it left out can be among the best.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import MissingExtra
from lcm_lab.rows import Rows, count

__all__ = ["SCANS", "Coarse", "Scan", "build"]

Ints = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]

Scan: TypeAlias = Literal["auto", "exact", "sq8", "ivf", "hnsw"]
SCANS = ("auto", "exact", "sq8", "ivf", "hnsw")

#: Vectors up to which "auto" scans all as they are, and up to which all in eight bits.
EXACT, EIGHT_BITS = 100_000, 1_000_000

#: Fewer vectors are scanned as they are, whatever the index: it could not be trained or gain.
FEW = 1_000

#: Lists of an inverted file that are looked into, and hits that a graph is searched for.
PROBES, BEAM = 64, 1_024

#: What single precision may add to an error.
SLACK = 1e-5


@dataclass(frozen=True, eq=False)
class Coarse:
    """An index that proposes vectors by their approximate cosine.

    Attributes
    ----------
    scan : {"sq8", "ivf", "hnsw"}
    index : faiss.Index
    error : float
        By how much an approximate cosine errs at most.
    """

    scan: Scan
    index: Any
    error: float

    def near(self, questions: Vectors, k: int, rows: Rows) -> tuple[Vectors, Ints]:
        """Give the k vectors nearest to each question among some.

        Returns
        -------
        cosines : ndarray of shape (n_questions, k), float32, falling
        vectors : ndarray of shape (n_questions, k), int64
            -1 where no more were found.
        """
        k = min(k, self.index.ntotal)
        found, where = self.index.search(questions, k, params=self._params(rows))
        return found, where

    def _params(self, rows: Rows) -> Any:
        faiss = _faiss()
        chosen = {} if count(rows) == self.index.ntotal else {"sel": _selector(faiss, rows)}
        if self.scan == "ivf":
            return faiss.SearchParametersIVF(nprobe=PROBES, **chosen)
        if self.scan == "hnsw":
            return faiss.SearchParametersHNSW(efSearch=BEAM, **chosen)
        return faiss.SearchParameters(**chosen)


def build(scan: Scan, vectors: Vectors) -> Coarse | None:
    """Build the index that a scan asks for, None where all vectors are to be read as they are.

    The same vectors give the same index: it is built by one thread.
    """
    if scan == "auto":
        size = len(vectors)
        scan = "exact" if size <= EXACT else "sq8" if size <= EIGHT_BITS else "ivf"
    if scan == "exact" or len(vectors) < FEW:
        return None
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        index, error = {"sq8": _sq8, "ivf": _ivf, "hnsw": _hnsw}[scan](_faiss(), vectors)
        index.add(vectors)
    return Coarse(scan, index, error + SLACK)


def _faiss() -> Any:
    try:
        return importlib.import_module("faiss")
    except ModuleNotFoundError:
        raise MissingExtra(
            "An index of vectors needs faiss-cpu: pip install faiss-cpu. "
            "Dense(scan='exact') needs nothing."
        ) from None


def _sq8(faiss: Any, vectors: Vectors) -> tuple[Any, float]:
    kind = faiss.ScalarQuantizer.QT_8bit
    index = faiss.IndexScalarQuantizer(vectors.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    return index, _error(index.sq, vectors)


def _ivf(faiss: Any, vectors: Vectors) -> tuple[Any, float]:
    size, kind = vectors.shape[1], faiss.ScalarQuantizer.QT_8bit
    metric, lists = faiss.METRIC_INNER_PRODUCT, int(4 * np.sqrt(len(vectors)))
    index = faiss.IndexIVFScalarQuantizer(faiss.IndexFlatIP(size), size, lists, kind, metric, False)
    index.cp.min_points_per_centroid = 1  # or it complains on stderr about small corpora
    index.train(vectors)
    return index, _error(index.sq, vectors)


def _hnsw(faiss: Any, vectors: Vectors) -> tuple[Any, float]:
    index = faiss.IndexHNSWFlat(vectors.shape[1], 16, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = 64
    return index, 0.0


def _error(quantizer: Any, vectors: Vectors) -> float:
    """Give the length of the longest difference between a vector and what is kept of it.

    No cosine with a vector of length 1 can be off by more (Cauchy and Schwarz).
    """
    longest = 0.0
    for start in range(0, len(vectors), 1 << 14):
        some = vectors[start : start + (1 << 14)]
        off = some - quantizer.decode(quantizer.compute_codes(some))
        longest = max(longest, float(np.linalg.norm(off, axis=1).max()))
    return longest


def _selector(faiss: Any, rows: Rows) -> Any:
    if isinstance(rows, slice):
        return faiss.IDSelectorRange(rows.start, rows.stop)
    bits = np.zeros(int(rows[-1]) + 1, np.uint8)
    bits[rows] = 1
    return faiss.IDSelectorBitmap(np.packbits(bits, bitorder="little"))
