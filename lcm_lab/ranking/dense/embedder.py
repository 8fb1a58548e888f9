"""What an encoder is, and how its vectors are made, checked and kept."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.dense.embeddings import Shelf
from lcm_lab.ranking.dense.vectors import unit
from lcm_lab.values import Named, spelled

__all__ = ["Embedder", "Encoder", "Kind", "check_encoder"]

Vectors = npt.NDArray[np.float32]

#: What a text is to an encoder that treats questions apart.
Kind: TypeAlias = Literal["document", "query"]

#: Texts that an encoder is given, and a file of embeddings written to, at once.
BATCH = 512


@runtime_checkable
class Encoder(Protocol):
    """A value that turns texts into vectors whose angles say how near the texts are in meaning.

    Any function from a list of texts to their vectors is one too, once it has a name:
    ``Named("my-encoder-v2", f)``. Vectors need not have length 1. A third method,
    ``version(state) -> str``, says what else than its fields decides a text's vector; where there
    is one, and for named functions, embeddings are kept on disk if ``LCM_LAB_CACHE`` says where.

    Examples
    --------
    >>> import numpy as np
    >>> import lcm_lab as lcm
    >>> @lcm.value
    ... class Vowels:
    ...     def fit(self, texts):
    ...         return "aeiou"
    ...
    ...     def encode(self, vowels, texts, kind="document"):
    ...         return np.array([[text.count(v) for v in vowels] for text in texts])
    >>> search = (lcm.Dense(Vowels(), fields=("text",)) % 1).fit(lcm.Corpus(["a banana", "sushi"]))
    >>> search("uncut fruit")["docno"].tolist()
    ['m2']
    """

    def fit(self, texts: Sequence[str]) -> Any:
        """Learn what there is to learn from the texts of a corpus, or load a model."""

    def encode(self, state: Any, texts: Sequence[str], kind: Kind = "document") -> Any:
        """Give the vectors of texts.

        Returns
        -------
        array_like of shape (n_texts, n_dimensions)
            Finite numbers. A text's vector must not depend on the texts beside it.
        """


def check_encoder(encoder: Any) -> None:
    """Refuse what is no encoder, and what has no identity."""
    if isinstance(encoder, type):
        raise BadParameter(f"{encoder.__name__} is a class. Write {encoder.__name__}().")
    if not isinstance(encoder, Named | Encoder):
        way = ' Give a function a name: Named("my-encoder", f).' if callable(encoder) else ""
        raise BadParameter(f"encoder must be an encoder, such as LSA(). Got {encoder!r:.80}.{way}")
    try:
        hash(encoder)
    except TypeError:
        raise BadParameter(f"{encoder!r:.80} has no hash. Make its class a value.") from None


class Embedder:
    """An encoder at work on one corpus: learns, encodes, checks, and keeps what it made.

    Parameters
    ----------
    encoder : Encoder or Named
    texts : sequence of str
        What it learns from.
    """

    def __init__(self, encoder: Encoder | Named, texts: Sequence[str]) -> None:
        self.encoder = encoder
        self.state = None if isinstance(encoder, Named) else encoder.fit(texts)
        self.width: int | None = None
        self._identity = _identity(encoder, self.state)
        self._shelf = None if self._identity is None else Shelf.given(self._identity)

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Give the unit vectors of texts, each distinct one encoded once; zeros for blank ones.

        Returns
        -------
        ndarray of shape (n_texts, n_dimensions), float32
        """
        places: dict[str, int] = {}
        where = np.array([places.setdefault(text, len(places)) for text in texts], np.int64)
        once = list(places)
        said = [i for i, text in enumerate(once) if text.strip()]
        whole = np.zeros((len(once), self.width or 1), np.float32)
        for start in range(0, len(said), BATCH):
            some = said[start : start + BATCH]
            vectors = self._kept([once[i] for i in some])
            if start == 0:
                whole = np.zeros((len(once), vectors.shape[1]), np.float32)
            whole[some] = vectors
        self._report(whole, said)
        return whole if len(once) == len(texts) else whole[where]

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Give the unit vectors of questions.

        A function with a name gets them one by one: whether a vector depends on the texts beside it
        is not known, and a batch must give what single questions give.

        Returns
        -------
        ndarray of shape (n_texts, n_dimensions), float32
        """
        if not texts:
            return np.zeros((0, self.width or 1), np.float32)
        if isinstance(self.encoder, Named):
            return np.concatenate([self._encoded([text], "query") for text in texts])
        return self._encoded(list(texts), "query")

    def _kept(self, texts: list[str]) -> Vectors:
        """Take vectors from the shelf, and encode and shelve those that are not there."""
        if self._shelf is None:
            return self._encoded(texts, "document")
        kept = self._shelf.get(texts)
        for vector in kept:
            if self.width is None and vector is not None:
                self.width = len(vector)
        missing = [i for i, v in enumerate(kept) if v is None or len(v) != self.width]
        if missing:
            lacking = [texts[i] for i in missing]
            made = self._encoded(lacking, "document")
            self._shelf.put(lacking, made)
            for i, vector in zip(missing, made, strict=True):
                kept[i] = vector
        return np.array(kept, np.float32)

    def _encoded(self, texts: list[str], kind: Kind) -> Vectors:
        encoder = self.encoder
        try:
            if isinstance(encoder, Named):
                got = encoder(texts)
            else:
                got = encoder.encode(self.state, texts, kind)
        except Exception as error:
            error.add_note(f"{encoder!r} failed on {len(texts):,} texts.")
            raise
        vectors = unit(got, encoder, len(texts), self.width)
        self.width = vectors.shape[1]
        return vectors

    def _report(self, vectors: Vectors, said: list[int]) -> None:
        """Say how many texts can never be found, unless the corpus decides what is known."""
        zeros = len(said) - int(vectors[said].any(axis=1).sum()) if self._identity else 0
        if zeros:
            warnings.warn(
                f"{self.encoder!r} gave vectors of zeros for {zeros:,} of {len(said):,} texts that "
                "are not blank; they are never found.",
                RuntimeWarning,
                stacklevel=2,
            )


def _identity(encoder: Encoder | Named, state: Any) -> str | None:
    """Write down everything that decides a text's vector, None for what the corpus decides."""
    if isinstance(encoder, Named):
        return f"Named {encoder.name!r}"
    version = getattr(encoder, "version", None)
    if version is None:
        return None
    kind: type = type(encoder)
    names = [field.name for field in dataclasses.fields(kind)] if is_dataclass(kind) else []
    given = {name: getattr(encoder, name) for name in names}
    # What a field's own parts say, without those that are no part of its identity.
    given |= {name: spelled(part) for name, part in given.items() if is_dataclass(part)}
    return f"{kind.__module__}.{kind.__qualname__} {given!r} {version(state)}"
