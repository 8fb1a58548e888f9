"""ApiEncoder: vectors from an embedding model behind an endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import Any

import numpy as np
import numpy.typing as npt

from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ids import digest
from lcm_lab.llm.account import ledger
from lcm_lab.llm.ask import Question, ask
from lcm_lab.llm.endpoint import Endpoint
from lcm_lab.llm.failures import Trouble
from lcm_lab.llm.wire import Wire
from lcm_lab.ranking.dense.embedder import Kind
from lcm_lab.ranking.dense.embeddings import Shelf
from lcm_lab.redact import redact
from lcm_lab.text import clean
from lcm_lab.values import value

__all__ = ["ApiEncoder"]

Vectors = npt.NDArray[np.float32]

ROUTE = "embeddings"
LARGEST = float(np.finfo(np.float32).max)


@value
class ApiEncoder:
    """Let an embedding model behind an endpoint give the vectors: ``Dense(ApiEncoder(...))``.

    Secrets are left out of what is sent. With a ``folder``, the endpoint is asked for each text
    once; the model's name is all that tells its vectors apart, so change it when the model changes.

    Parameters
    ----------
    model : str
        As the endpoint calls it.
    endpoint : Endpoint
    dimensions : int, optional
        How many are asked for, of a model that gives a choice.
    document, query : str
        What is put before a text, and before a question, where the model was trained so:
        ``document="passage: ", query="query: "``.
    batch : int
        Texts of a request, at most.

    Examples
    --------
    >>> from lcm_lab.llm import ApiEncoder, Endpoint
    >>> encoder = ApiEncoder("bge-m3", Endpoint("http://127.0.0.1:11434/v1"))
    >>> lcm.Dense(encoder, lazy=True)
    Dense(encoder=ApiEncoder('bge-m3', Endpoint('http://127.0.0.1:11434/v1')), lazy=True)
    """

    model: str
    endpoint: Endpoint
    dimensions: int | None = None
    document: str = ""
    query: str = ""
    batch: int = field(default=64, compare=False)

    def check(self) -> None:
        """Refuse what is no model, no endpoint and no number."""
        model: object = self.model
        if not isinstance(model, str) or not model.strip():
            raise BadParameter(f"model is what the endpoint calls it. Got {model!r:.80}.")
        endpoint: object = self.endpoint
        if not isinstance(endpoint, Endpoint):
            raise BadParameter(
                "endpoint says where the model answers: Endpoint('http://127.0.0.1:11434/v1'). "
                f"Got a {type(endpoint).__name__}."
            )
        for name in ("batch", "dimensions"):
            given = getattr(self, name)
            if given is not None and (type(given) is not int or not 1 <= given <= 100_000):
                raise BadParameter(f"{name} must be a whole number, 1 or more. Got {given!r:.80}.")
        for name in ("document", "query"):
            if not isinstance(getattr(self, name), str):
                raise BadParameter(f"{name} must be text. Got {getattr(self, name)!r:.80}.")

    def fit(self, texts: Sequence[str]) -> str:
        """Learn nothing: the model was trained elsewhere."""
        del texts
        return self.endpoint.base_url

    def version(self, state: str) -> str:
        """Say what else decides a vector: nothing that is known."""
        return state

    def encode(self, state: str, texts: Sequence[str], kind: Kind = "document") -> Vectors:
        """Give the vectors of texts, zeros for blank ones.

        Parameters
        ----------
        texts : sequence of str
        kind : {"document", "query"}

        Returns
        -------
        ndarray of shape (n_texts, n_dimensions), float32

        Raises
        ------
        NoReply
            Where the endpoint gives no vectors that can be used: too few, of another width, not
            finite.
        OverBudget
            Where a request could go beyond a bound of the endpoint; it is not made.
        BadInput
            Where vectors of one call differ in width.
        """
        del state
        before = self.query if kind == "query" else self.document
        said = [redact(clean(text)).text for text in texts]
        asked = list(dict.fromkeys(before + text for text in said if text.strip()))
        found = dict(zip(asked, self._vectors(asked), strict=True))
        width = self._width(found)
        blank = np.zeros(width, np.float32)
        made = [found.get(before + text, blank) for text in said]
        return np.array(made, np.float32).reshape(len(texts), width)

    def _width(self, found: dict[str, Vectors]) -> int:
        widths = sorted({len(vector) for vector in found.values()})
        if len(widths) > 1:
            raise BadInput(
                f"{self.model!r} gave vectors of {widths[0]} and of {widths[-1]} numbers."
            )
        return widths[0] if widths else self.dimensions or 1

    def _vectors(self, texts: list[str]) -> list[Vectors]:
        """Take vectors from the folder, and ask for those that are not there."""
        shelf = self._shelf()
        kept = shelf.get(texts) if shelf else [None] * len(texts)
        missing = [at for at, vector in enumerate(kept) if vector is None]
        account = ledger.account(self.endpoint)
        for _ in range(len(texts) - len(missing)):
            account.count(self.model, "vectors", "kept")
        at = 0
        for made in self._asked([texts[at] for at in missing]):
            some = missing[at : at + len(made)]
            if shelf:
                shelf.put([texts[one] for one in some], made)
            for one, vector in zip(some, made, strict=True):
                kept[one] = vector
            at += len(made)
        return [vector for vector in kept if vector is not None]

    def _asked(self, texts: list[str]) -> Iterator[Vectors]:
        """Ask for vectors, several batches at a time; yield them in order, as they come."""
        batches = [texts[at : at + self.batch] for at in range(0, len(texts), self.batch)]
        if not batches:
            return
        pool = ThreadPoolExecutor(min(self.endpoint.at_once, len(batches)))
        with Wire(self.endpoint) as wire:
            try:
                yield from pool.map(lambda some: self._batch(wire, some), batches)
            finally:  # one that fails ends those that have not begun
                pool.shutdown(cancel_futures=True)

    def _batch(self, wire: Wire, texts: list[str]) -> Vectors:
        body: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        size = sum(len(text.encode()) for text in texts)
        question = Question(ROUTE, body, "vectors", size)
        return ask(wire, question, lambda answer: _read(answer, len(texts), self.dimensions))

    def _shelf(self) -> Shelf | None:
        folder = self.endpoint.folder
        if folder is None:
            return None
        who = digest("vectors, 1", self.endpoint.base_url, self.model, self.dimensions)
        return Shelf(folder, f"ApiEncoder {who}")


def _read(answer: dict[str, Any], count: int, width: int | None) -> Vectors:
    """Read the vectors of an answer, in the order of their numbers.

    Raises
    ------
    Trouble
        For too few or too many, for widths that differ, and for what are no numbers.
    """
    data = answer.get("data")
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        raise Trouble("an answer without vectors", billed="error" not in answer)
    if sorted(_place(one, at) for at, one in enumerate(data)) != list(range(count)):
        raise Trouble(f"{len(data)} vectors for {count} texts, or numbered otherwise")
    ordered = sorted(enumerate(data), key=lambda pair: _place(pair[1], pair[0]))
    try:
        made = np.array([one["embedding"] for _, one in ordered], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError):
        made = np.empty(0)
    if made.ndim != 2 or not made.shape[1] or not (np.abs(made) <= LARGEST).all():
        raise Trouble("vectors that differ in width, or are no numbers")
    if width is not None and made.shape[1] != width:
        raise Trouble(f"vectors of {made.shape[1]} numbers, not of {width}", again=False)
    return made.astype(np.float32)


def _place(one: dict[str, Any], at: int) -> int:
    found = one.get("index", at)
    return found if type(found) is int else -1
