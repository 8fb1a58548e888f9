"""replay: compact a conversation while it grows, and measure what is still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.compaction.base import Compactor, compact
from lcm_lab.compaction.summarise import Lead
from lcm_lab.compaction.work import Summariser
from lcm_lab.dag import Dag
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.evaluation.progress import progress
from lcm_lab.evaluation.replay.arms import ARMS, Arm
from lcm_lab.evaluation.replay.facts import Facts
from lcm_lab.evaluation.replay.points import CHANGES, FACTS, POINTS, Point
from lcm_lab.evaluation.replay.real import at_boundaries
from lcm_lab.evaluation.replay.result import Replay
from lcm_lab.evaluation.replay.source import found_in
from lcm_lab.evaluation.replay.talk import Talk
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.transcripts.base import Transcripts

__all__ = ["replay"]


#: Shares of what was said that a frontier may have, unless it is told.
SHARES = (0.02, 0.05, 0.1)
NOTHING = (
    "There is nothing to lose here: no topic with an answer that stands in a message, and no real "
    "compaction after which an identifier was used again. Give facts=."
)


def replay(  # noqa: PLR0913  # a row of choices, all named
    source: Collection | Dag | Transcripts,
    strategy: Compactor,
    summarise: Summariser | None = None,
    *,
    budgets: Sequence[float | int | None] | None = None,
    cycles: int = 1,
    arms: Sequence[Arm] = ARMS,
    search: Ranker | None = None,
    facts: Facts | None = None,
) -> Replay:
    """Compact conversations while they grow, and measure what of their facts is still there.

    Parameters
    ----------
    source : Collection, Dag or Transcripts
        A collection's facts are what its topics ask for. Of transcripts, what stood before each
        real compaction is compacted; the facts are the identifiers that the agent used again. A Dag
        needs ``facts``.
    strategy : Compactor
    summarise : callable ``(texts, tokens) -> str``, default `Lead`
    budgets : sequence, default (0.02, 0.05, 0.1)
        Limits of the frontier: a share of the conversation's tokens, a number of tokens, or None,
        by which the strategy goes by its own parameters. Of transcripts, the size of each real
        summary unless given.
    cycles : int
        In how many parts of equal tokens a conversation comes; it is compacted after each. What is
        in view is measured after every cycle, what can be recovered after the last.
    arms : sequence of Arm
        What may be spent to recover a fact that is not in view.
    search : Ranker, default `BM25`
        Over messages and summaries, as ``dag.corpus()`` gives them, long texts in passages of 80
        words; of a text that is found the lines that the question is about are shown.
    facts : Facts, optional
        `facts_of` finds those of a collection; of one that ships, with its state log.

    Returns
    -------
    Replay

    Raises
    ------
    BadParameter
        For budgets, cycles or arms that are none.
    BadInput
        Where there is nothing to lose: no facts.

    Examples
    --------
    >>> import pandas as pd
    >>> import lcm_lab as lcm
    >>> from lcm_lab.compaction.strategies import Window
    >>> corpus = lcm.Corpus([f"Service {n} listens on port {5000 + n}." for n in range(20)])
    >>> asked = pd.DataFrame({"qid": ["q1"], "query": ["port of service 3?"], "answer": ["5003"]})
    >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m4"], "relevance": [1]})
    >>> bench = lcm.Collection("ports", corpus, asked, qrels)
    >>> found = replay(bench, Window(), budgets=[0.5], arms=[Arm(), Arm(1)])
    >>> found.summary()[["arm", "mean"]].values.tolist()
    [['closed book', 0.0], ['1 search', 1.0]]
    """
    _check(strategy, cycles, arms)
    policy, writer = search or BM25(), summarise or Lead()
    found = found_in(source, facts)
    talks = {name: talk for name, talk in found.talks.items() if talk.facts}
    if not talks:
        raise BadInput(NOTHING)
    chosen = _budgets(SHARES if budgets is None else budgets)
    run = _Run(strategy, writer, policy, tuple(arms), cycles)
    for name, talk in progress(talks.items(), "replaying", len(talks)):
        real = budgets is None and name in found.sizes
        for label, limit in [("as recorded", found.sizes[name])] if real else chosen:
            run.one(name, talk, label, limit)
    return Replay(
        source=getattr(source, "name", "") or getattr(source, "conversation", ""),
        strategy=strategy,
        summariser=writer,
        search=policy,
        arms=run.arms,
        cycles=cycles,
        points=pd.DataFrame(run.points, columns=[*POINTS]),
        facts=pd.DataFrame(run.facts, columns=[*FACTS]),
        changes=pd.DataFrame(run.changes, columns=[*CHANGES]),
        known={fact.id: fact for talk in talks.values() for fact in talk.facts},
        dags=run.dags,
        recorded=at_boundaries(source) if found.sizes else pd.DataFrame(),
        notes=[*found.notes, *run.notes()],
    )


@dataclass
class _Run:
    """Replays conversations one by one, and gathers rows."""

    strategy: Compactor
    summariser: Summariser
    policy: Ranker
    arms: tuple[Arm, ...]
    cycles: int
    points: list[Any] = field(default_factory=list)
    facts: list[Any] = field(default_factory=list)
    changes: list[Any] = field(default_factory=list)
    dags: dict[tuple[str, str], Dag] = field(default_factory=dict)

    def one(self, name: str, talk: Talk, label: str, limit: float | None) -> None:
        """Replay one conversation under one budget."""
        held = int(talk.starts[-1])
        budget = None if limit is None else _tokens(limit, held)
        share = float("nan") if budget is None else budget / held
        dag, told = Dag(talk.dag.conversation), 0
        for cycle in range(1, self.cycles + 1):
            upto = talk.until(cycle / self.cycles) if cycle < self.cycles else len(talk.place)
            before = dag.append(talk.dag.messages[told:upto])
            dag, told = compact(before, self.strategy, self.summariser, budget), upto
            point = Point(talk, before, dag, (name, label, share, cycle))
            arms = [one for one in self.arms if cycle == self.cycles or not one.searches]
            facts, changes = point.rows(arms, self.policy)
            self.points.append(point.row())
            self.facts += facts
            self.changes += changes
        self.dags[name, label] = dag

    def notes(self) -> Iterator[str]:
        """Say which points are no measurement."""
        frame = pd.DataFrame(self.points, columns=[*POINTS])
        lost = frame[frame["failed"]]
        if len(lost):
            first = lost["reason"].iloc[0].removeprefix("cancelled, ")
            yield f"{len(lost)} of {counted(len(frame), 'compaction')} cancelled: {first}."
        last = frame[frame["cycle"] == self.cycles]
        if not last["valid"].all():
            yield (
                f"{(~last['valid']).sum()} of {len(last)} points are invalid, and in no mean: the "
                "view is as long as the conversation."
            )
        limit = last["limit"].astype(float)  # a budget of its own has none
        missed = last["over"] > 0.02 * limit.fillna(0)
        if missed.any():
            yield f"{missed.sum()} of {len(last)} points miss their budget by more than 2 %."
        under = (last["tokens"] < 0.98 * limit) & (last["before"] > limit)
        if under.any():
            yield f"{under.sum()} of {len(last)} points leave more than 2 % of their budget unused."


def _check(strategy: object, cycles: object, arms: Sequence[object]) -> None:
    if not isinstance(strategy, Compactor):
        raise BadParameter(f"replay takes a strategy such as Lossless(). Got {strategy!r:.80}.")
    if isinstance(cycles, bool) or not isinstance(cycles, int) or cycles < 1:
        raise BadParameter(f"cycles is a whole number, 1 or more. Got {cycles!r}.")
    wrong = next((one for one in arms if not isinstance(one, Arm)), None)
    if wrong is not None or not arms:
        got = "none" if wrong is None else repr(wrong)
        raise BadParameter(f"arms are allowances such as Arm(3, 3). Got {got:.80}.")


def _budgets(given: Iterable[object]) -> list[tuple[str, float | None]]:
    """Give each budget its label."""
    found: list[tuple[str, float | None]] = []
    for one in given:
        if one is None:
            found.append(("own", None))
        elif isinstance(one, bool) or not isinstance(one, int | float) or not one > 0:
            raise BadParameter(
                "A budget is a share such as 0.05, a number of tokens such as 2000, or None. "
                f"Got {one!r}."
            )
        elif one < 1:
            found.append((f"{100 * one:g} %", float(one)))
        else:
            found.append((f"{_tokens(one, 0):,}", one))
    if not found:
        raise BadParameter("There are no budgets. Write budgets=(0.02, 0.05, 0.1).")
    return list(dict.fromkeys(found))


def _tokens(limit: float, held: int) -> int:
    return max(1, int(limit * held) if limit < 1 else int(limit))
