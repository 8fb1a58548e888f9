"""Measure: the value that a measure is, and the contract its author fulfils."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from lcm_lab.errors import BadParameter, unknown
from lcm_lab.measures.judged import Bools, Floats, Ints, Judged, ranks

__all__ = ["Measure"]

#: By kind of cutoff: what it must be, an example, and the test.
_CUTOFFS: dict[str, tuple[str, int, Callable[[float], bool]]] = {
    "hits": ("a whole number of hits from 1 up", 10, lambda at: at >= 1 and at % 1 == 0),
    "tokens": ("a whole number of tokens from 1 up", 2000, lambda at: at >= 1 and at % 1 == 0),
    "percentile": ("a percentile between 0 and 100", 95, lambda at: 0 < at < 100),
}


@dataclass(frozen=True, repr=False)
class Measure(ABC):
    """What is measured: a value that prints as it is written and parses back.

    ``measure @ k`` sets the cutoff and ``measure(gain="linear")`` another parameter; both give a
    copy. Without a cutoff the whole list counts. An author writes ``name`` and ``per_topic``.

    Examples
    --------
    >>> from lcm_lab.measures import R, nDCG
    >>> nDCG @ 10, nDCG(gain="linear") @ 10, R
    (nDCG@10, nDCG(gain='linear')@10, R)
    """

    at: float | None = None

    name: ClassVar[str]
    meaning: ClassVar[str]
    cutoff: ClassVar[Literal["hits", "tokens", "percentile", "none"]] = "hits"
    unit: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    per: ClassVar[Literal["topic", "system"]] = "topic"
    needs: ClassVar[Literal["qrels", "stale", "timing", "hits"]] = "qrels"

    def __post_init__(self) -> None:
        """Check the cutoff."""
        if self.at is None:
            return
        if self.cutoff == "none":
            raise BadParameter(f"{self.name} takes no cutoff. Got {self.at!r}. Write {self.name}.")
        wants, example, fits = _CUTOFFS[self.cutoff]
        given: object = self.at
        number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
        if not number or not fits(float(self.at)):
            raise BadParameter(
                f"{self.name}@ needs {wants}, as in {self.name}@{example}. Got {self.at!r}."
            )
        plain = float(self.at)
        object.__setattr__(self, "at", int(plain) if plain.is_integer() else plain)

    def __matmul__(self, at: float) -> Self:
        """Give the same measure with a cutoff."""
        return replace(self, at=at)

    def __call__(self, **parameters: Any) -> Self:
        """Give the same measure with other parameters."""
        names = [field.name for field in fields(self)]
        for name in parameters:
            if name not in names:
                raise unknown(f"parameter of {self.name}", name, names)
        return replace(self, **parameters)

    def __repr__(self) -> str:
        set_ = [(f.name, getattr(self, f.name)) for f in fields(self) if f.name != "at"]
        shown = ", ".join(
            f"{name}={now!r}" for name, now in set_ if now != getattr(type(self), name)
        )
        return self.name + (f"({shown})" if shown else "") + (f"@{self.at}" if self.at else "")

    @abstractmethod
    def per_topic(self, judged: Judged) -> Floats:
        """Measure every topic; NaN where the measure is undefined; shape (n_topics,)."""

    def average(self, values: Floats) -> float:
        """Average over the topics where the measure is defined; NaN where there are none."""
        defined = values[~np.isnan(values)]
        return float(defined.mean()) if len(defined) else float("nan")

    def ceiling(self, judged: Judged) -> Floats:
        """Give the best value of each topic that any order of the judged documents reaches."""
        return self.per_topic(judged.ideal())

    def within(self, offsets: Ints) -> Bools:
        """Tell which entries of the lists lie within the cutoff; bool, one an entry."""
        return ranks(offsets) <= (self.at or np.inf)
