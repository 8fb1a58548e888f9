"""The views of an evaluation that say why: bounds, ties, losses, misses, abstention."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.measured import Measured
from lcm_lab.evaluation.views import abstention as abstaining
from lcm_lab.evaluation.views import bounds, losses, tables, ties
from lcm_lab.measures import Measure, R
from lcm_lab.ranking import checks

__all__ = ["Diagnosed"]


class Diagnosed(Measured):
    """What an evaluation says of its own numbers; `Evaluation` is one."""

    def bounds(self) -> pd.DataFrame:
        """Give the range that each measure can move in, whatever is ranked.

        Returns
        -------
        DataFrame
            measure; random, the expected mean of a random order of all that a topic may see;
            ceiling, the mean of the best order; n, the topics they are over; no_gold, the topics
            with nothing to find; hidden, those of which something relevant lies outside the rows
            that they may see; beyond, those that have no more rows (or tokens) to rank than the
            cutoff, so that everything relevant is found whatever the order; draws, the random
            orders of each topic behind ``random``, 0 where it is exact. NaN where rows are too many
            to draw. Measures of cost have no bounds.
        """
        return self._bounds.copy()

    @cached_property
    def _bounds(self) -> pd.DataFrame:
        return bounds.bounds(self.bench, self.measures, self.seed)

    def ties(self) -> pd.DataFrame:
        """Give the worst and the best mean that another order of documents scored alike would give.

        Every system is ranked again without its last cut, since a tie at the cut is with what was
        cut off.

        Returns
        -------
        DataFrame
            system, measure, n, tied (topics whose hit at the cut scores as the next one does;
            without a cut, topics with any tie), mean, worst, best, and whole: whether what lies
            below the list is known. It is not for finished runs, for systems that are no policies,
            and for a `Memory`; their ``worst`` and ``best`` are of the hits that they listed.
        """
        self._require_scores()
        deep = ties.deeper(self.runs, self.policies, self.bench.topics)
        lost = {name: self.failed(name) for name in self.systems}
        return ties.ties(self.bench, self.measures, deep, lost)

    def abstention(self, measure: Measure = R @ 10) -> pd.DataFrame:
        """Tell whether the top score of a system says that there is nothing to find.

        Parameters
        ----------
        measure : Measure
            What the hits of a topic are worth, from 0 to 1, higher is better; 0 with nothing to
            find. It need not be one that was evaluated.

        Returns
        -------
        DataFrame
            A row a system. auroc, with a 95 % interval over conversations (low, high): the chance
            that a topic with something to find has a higher top score than one without, .5 where
            the score tells nothing. answerable, unanswerable: topics with and without; units.
            surfaced: the share of unanswerable ones that hits are given for, silent: the share of
            answerable ones that none are given for. recall: the mean of ``measure`` over answerable
            topics; recall_90 over those of them that are answered when the surest 90 % of all
            topics are, and refused_90 the share of unanswerable ones turned away by that. aurc:
            the mean risk over all coverages. why: why there is none of these, if there is none.

            A topic without a hit is the least sure. A system that lists hits for every topic and
            scores them by rank (`RRF`, `MMR`) has no abstention, rather than one of 0 or .5.

        Raises
        ------
        BadParameter
            For a measure of cost, or one of which less is better.
        """
        return abstaining.abstention(self._answers(measure))

    def risk_coverage(self, measure: Measure = R @ 10) -> pd.DataFrame:
        """Trace what a threshold on the top score costs and saves.

        Returns
        -------
        DataFrame
            A row a system and threshold, falling: system, threshold, coverage (share of topics
            answered, their top score at or above it), risk (1 less the mean of ``measure`` over
            these, 0 for one with nothing to find), recall (its mean over the answerable of them),
            refused (share of unanswerable topics turned away), n (topics answered). Systems
            without abstention have no rows.

        Raises
        ------
        BadParameter
            For a measure of cost, or one of which less is better.
        """
        return abstaining.risk_coverage(self._answers(measure))

    def _answers(self, measure: Measure) -> dict[str, abstaining.Answers]:
        self._require_scores()
        found = measure.needs == "qrels" and measure.per == "topic"
        if not found or not measure.higher_is_better:
            raise BadParameter(
                f"Abstention needs a measure of what is found, such as R @ 10. Got {measure!r}."
            )
        return {name: abstaining.answers(self, name, measure) for name in self.systems}

    def _require_scores(self) -> None:
        if self.ranks_only:
            raise BadParameter(
                "This evaluation was loaded, and scores are not saved: only ranks are known. "
                "Evaluate again."
            )

    def worst(self, system: str, measure: Measure, n: int = 20) -> pd.DataFrame:
        """List the topics on which a system does worst, ties in the order of the topics.

        Returns
        -------
        DataFrame
            qid, query, type, value, gold (docnos of the relevant documents), top (docnos of the
            first ten hits).

        Raises
        ------
        NotFound
            For a system or a measure that was not evaluated.
        """
        self._require(system, measure)
        return tables.worst(self, system, measure, n)

    def losses(
        self, system: str, against: str, measure: Measure | None = None, n: int | None = 20
    ) -> pd.DataFrame:
        """List the topics on which a system does worse than another, largest difference first.

        Parameters
        ----------
        system, against : str
        measure : Measure, optional
            The first that was evaluated, where not given.
        n : int or None
            So many topics; None is all.

        Returns
        -------
        DataFrame
            qid, query, type, value (of ``system``), against (of the other), difference, rank and
            rank_against (of the first relevant hit, missing where there is none), gold (docnos of
            the relevant documents), failed (whether ``system`` raised, which counts as the worst).

        Raises
        ------
        NotFound
            For a system or a measure that was not evaluated.
        BadParameter
            For a measure that is not of topics, or an n below 1.
        """
        chosen = self.measures[0] if measure is None else measure
        for name in (system, against):
            self._require(name, chosen)
        if chosen.per != "topic":
            raise BadParameter(f"{chosen} is one number a system; losses are of topics.")
        if n is not None:
            checks.whole("n", n)
        return losses.losses(self, system, against, chosen, n)

    def miss(self, system: str, qid: str, docno: str | None = None) -> pd.DataFrame:
        """Say why what is relevant to a topic is not in a system's list, or where it stands.

        Parameters
        ----------
        system, qid : str
        docno : str, optional
            One message, relevant or not; every relevant one, where not given.

        Returns
        -------
        DataFrame
            docno, relevance, rank, reason, step, and why, a sentence. Reasons are those of
            `Searcher.miss` (found, hidden, no match, outscored, cut, dropped), or "failed" where
            the system raised, or "not listed" of a finished run and of a system that is no policy,
            whose steps are not known.

        Raises
        ------
        NotFound
            For a system, a topic or a message that there is not.
        """
        self._require(system)
        return losses.miss(self, system, qid, docno)
