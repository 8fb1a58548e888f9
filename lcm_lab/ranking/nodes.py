"""The nodes that the operators build; `algebra` holds the rules by which they are built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from lcm_lab.ranking.base import LIMIT, Ranker
from lcm_lab.run import Run
from lcm_lab.values import ATOM, PLUS, THEN, TIMES, bracket, value

__all__ = ["Over", "Sum", "Then", "Top", "Weighted"]

Floats = npt.NDArray[np.float64]


@value
class Then(Ranker):
    """``a >> b``: b acts on what a found."""

    steps: tuple[Ranker, ...]

    def _remake(self, fields: dict[str, Any]) -> Ranker:
        from lcm_lab.ranking.algebra import then

        return then(*fields["steps"])

    @property
    def retrieves(self) -> bool:  # type: ignore[override]
        """Whether the first step does."""
        return self.steps[0].retrieves

    @property
    def by_depth(self) -> bool:  # type: ignore[override]
        """Whether any step is."""
        return any(step.by_depth for step in self.steps)

    def retrieve(self, search: Any, k: int) -> Run:
        """Retrieve by the first step, let the others act, keep the best k."""
        first, second = self.steps[:2]
        run = first.retrieve(search, LIMIT) if second.by_order else first.pooled(search)
        for step in self.steps[1:-1]:
            run = step.apply(search, run)
        return self.steps[-1].first(search, run, k)

    def apply(self, search: Any, run: Run) -> Run:
        """Let each step act in turn."""
        for step in self.steps:
            run = step.apply(search, run)
        return run

    def weigh(self, search: Any, run: Run, scores: Floats) -> Floats:
        """Weigh by each step in turn."""
        for step in self.steps:
            scores = step.weigh(search, run, scores)
        return scores

    def _role(self) -> str:
        return self.steps[0]._role()

    def _expression(self) -> tuple[str, int]:
        return " >> ".join(bracket(step, THEN, strictly=True) for step in self.steps), THEN


@value
class Sum(Ranker):
    """``a + b``: candidates of both, and every term scores every candidate.

    Each term is a share of its own best hit for the topic, so a score does not depend on how deep
    the lists were cut (the convex combination of Bruch, Gai and Ingber, arXiv 2210.11934).
    """

    terms: tuple[Ranker, ...]

    def _remake(self, fields: dict[str, Any]) -> Ranker:
        from lcm_lab.ranking.algebra import plus

        return plus(*fields["terms"])

    @property
    def retrieves(self) -> bool:  # type: ignore[override]
        """Whether any term does."""
        return any(term.retrieves for term in self.terms)

    def retrieve(self, search: Any, k: int) -> Run:
        """Join what the terms retrieve, complete the scores, keep the best k."""
        if not self.retrieves:
            return super().retrieve(search, k)
        return self.first(search, self._candidates(search), k)

    def pooled(self, search: Any) -> Run:
        """Join what the terms retrieve and complete the scores, in corpus order where all stay."""
        run = self._candidates(search)
        if np.diff(run.offsets).max(initial=0) > LIMIT:
            return self.first(search, run, LIMIT)
        return Run(run.topics, run.corpus, run.offsets, run.rows, self._total(search, run))

    def _candidates(self, search: Any) -> Run:
        """Give what any term brings."""
        return cast(Run, search.united([term for term in self.terms if term.retrieves]))

    def apply(self, search: Any, run: Run) -> Run:
        """Re-score what came before."""
        return run.scored(self._total(search, run))

    def first(self, search: Any, run: Run, k: int) -> Run:
        """Re-score what came before, and keep the k best; the others are not put in order."""
        return run.scored(self._total(search, run), k)

    def weigh(self, search: Any, run: Run, scores: Floats) -> Floats:
        """Add up the terms, in order."""
        del scores  # a sum starts afresh
        return self._total(search, run)

    def _total(self, search: Any, run: Run) -> Floats:
        total = np.zeros(len(run))
        for term in self.terms:
            total += search.note(term, run, term.weigh(search, run, np.ones(len(run))))
        return total

    def _role(self) -> str:
        return self.terms[0]._role()

    def _expression(self) -> tuple[str, int]:
        return " + ".join(bracket(term, PLUS, strictly=True) for term in self.terms), PLUS


class Around(Ranker):
    """What stands around one other ranker and shares its nature."""

    ranker: Ranker

    @property
    def retrieves(self) -> bool:  # type: ignore[override]
        """Whether the ranker within does."""
        return self.ranker.retrieves

    @property
    def by_depth(self) -> bool:  # type: ignore[override]
        """Whether the ranker within is."""
        return self.ranker.by_depth

    @property
    def by_order(self) -> bool:  # type: ignore[override]
        """Whether the ranker within is."""
        return self.ranker.by_order

    def _role(self) -> str:
        return self.ranker._role()


@value
class Weighted(Around):
    """``0.3 * a``: a's scores, weighed; only meaningful inside a sum."""

    weight: float
    ranker: Ranker

    def _remake(self, fields: dict[str, Any]) -> Ranker:
        from lcm_lab.ranking.algebra import times

        return times(**fields)

    def retrieve(self, search: Any, k: int) -> Run:
        """Retrieve, and weigh."""
        run = self.ranker.retrieve(search, k)
        return run.scored(self.weight * run.scores)

    def apply(self, search: Any, run: Run) -> Run:
        """Act, and weigh."""
        run = self.ranker.apply(search, run)
        return run.scored(self.weight * run.scores)

    def weigh(self, search: Any, run: Run, scores: Floats) -> Floats:
        """Weigh the term."""
        return self.weight * self.ranker.weigh(search, run, scores)

    def _expression(self) -> tuple[str, int]:
        return f"{bracket(self.weight, TIMES)} * {bracket(self.ranker, TIMES)}", TIMES


@value
class Top(Around):
    """``a % 10``: the best ten of what stands to its left."""

    ranker: Ranker
    k: int

    def _remake(self, fields: dict[str, Any]) -> Ranker:
        from lcm_lab.ranking.algebra import cut

        return cut(**fields)

    def retrieve(self, search: Any, k: int) -> Run:
        """Retrieve the fewer of k and the cut."""
        return self.ranker.retrieve(search, min(k, self.k))

    def apply(self, search: Any, run: Run) -> Run:
        """Act, and keep the best."""
        return self.ranker.first(search, run, self.k)

    def weigh(self, search: Any, run: Run, scores: Floats) -> Floats:
        """Weigh every candidate of the sum, whoever brought it."""
        return self.ranker.weigh(search, run, scores)

    def _expression(self) -> tuple[str, int]:
        return f"{bracket(self.ranker, TIMES)} % {self.k!r}", TIMES


@value
class Over(Around):
    """``a.over(role="user")``: a, seeing only the rows that pass."""

    ranker: Ranker
    filters: tuple[tuple[str, Any], ...]

    def _remake(self, fields: dict[str, Any]) -> Ranker:
        from lcm_lab.ranking.algebra import over

        return over(fields["ranker"], dict(fields["filters"]))

    def retrieve(self, search: Any, k: int) -> Run:
        """Retrieve from the rows that pass."""
        run = self.ranker.retrieve(search.narrow(self.filters), k)
        return replace(run, topics=search.topics)

    def apply(self, search: Any, run: Run) -> Run:
        """Act on the hits that pass; the others are dropped."""
        inside = search.narrow(self.filters)
        kept = replace(run.take(np.flatnonzero(inside.allows(run))), topics=inside.topics)
        return replace(self.ranker.apply(inside, kept), topics=search.topics)

    def weigh(self, search: Any, run: Run, scores: Floats) -> Floats:
        """Weigh the hits that pass; the others get 0."""
        inside = search.narrow(self.filters)
        passing = inside.allows(run)
        return np.where(passing, self.ranker.weigh(inside, run, scores), 0.0)

    def _expression(self) -> tuple[str, int]:
        shown = ", ".join(f"{name}={wanted!r}" for name, wanted in self.filters)
        return f"{bracket(self.ranker, ATOM)}.over({shown})", ATOM
