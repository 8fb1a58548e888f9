"""Strategies: frozen values that turn a Dag into one with a shorter frontier; ``>>`` joins them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

from lcm_lab.compaction.runs import known
from lcm_lab.compaction.summarise import Lead
from lcm_lab.compaction.work import Failed, Summariser, Work
from lcm_lab.dag import Dag, Outcome, Summary
from lcm_lab.errors import BadParameter
from lcm_lab.shown import counted
from lcm_lab.values import THEN, bracket, value, variants, varies

__all__ = ["Chain", "Compactor", "compact"]


class Compactor(ABC):
    """A compaction strategy: a frozen value that turns a Dag into one with a shorter frontier.

    Join strategies with ``>>``: the second works on what the first left.

    To write one, make it a `value` and give it `compact`; `check_compactor` holds it to the
    contract. It must be deterministic, do nothing to a Dag that needs nothing, leave the live turn
    alone, and keep every tool call on the side of its result.

    Examples
    --------
    >>> from lcm_lab.compaction.levels import Condense, Leaves
    >>> Leaves(20_000) >> Condense(fanout=4)
    Leaves() >> Condense()
    """

    @abstractmethod
    def compact(self, dag: Dag, work: Work) -> Dag:
        """Shorten the frontier: at most ``work.budget`` tokens, where that can be.

        ``work.summary(nodes, tokens)`` makes a summary, ``dag.replace`` or ``dag.settled`` puts it
        in its place, ``work.reason`` takes why no more could be done.
        """

    def prepare(self, dag: Dag, work: Work) -> Dag:
        """Do the same where other steps follow, which may shorten the frontier further."""
        return self.compact(dag, work)

    def grid(self) -> list[Compactor]:
        """List the plain strategies that one with `vary` in it stands for."""
        return list(dict.fromkeys(variants(self)))

    def __rshift__(self, other: Any) -> Compactor:
        return chain(self, _strategy(other))

    def _refuse(self, other: Any = None) -> Compactor:
        raise BadParameter(
            f"Between {self!r:.40} and {other!r:.40} stands an operator that is none of ours: "
            "strategies are joined with >> alone."
        )

    __or__ = __and__ = __xor__ = __add__ = __sub__ = __mul__ = __rmul__ = __mod__ = _refuse
    __pow__ = __truediv__ = __matmul__ = __floordiv__ = __lshift__ = __neg__ = _refuse


@value
class Chain(Compactor):
    """``a >> b``: b works on what a left.

    Once is enough where no step makes what an earlier one takes up: ``Leaves() >> Condense()`` does
    nothing to what it left. ``Condense() >> Leaves()`` makes leaves behind the step that condenses
    them, so that each further call condenses those of the call before, until none are left.
    """

    steps: tuple[Compactor, ...]

    def compact(self, dag: Dag, work: Work) -> Dag:
        """Let each step work in turn; the last one has the budget to meet."""
        for step in self.steps[:-1]:
            dag = step.prepare(dag, work)
        return self.steps[-1].compact(dag, work)

    def prepare(self, dag: Dag, work: Work) -> Dag:
        """Let each step work in turn, none of them the last."""
        for step in self.steps:
            dag = step.prepare(dag, work)
        return dag

    def _remake(self, fields: dict[str, Any]) -> Compactor:
        return chain(*fields["steps"])

    def _expression(self) -> tuple[str, int]:
        return " >> ".join(bracket(step, THEN, strictly=True) for step in self.steps), THEN


def chain(*steps: Compactor) -> Compactor:
    """Make ``a >> b >> c``, flattened, so that brackets make no difference."""
    flat: list[Compactor] = []
    for step in steps:
        flat += step.steps if isinstance(step, Chain) else (step,)
    return Chain(tuple(flat)) if len(flat) > 1 else flat[0]


def compact(
    dag: Dag,
    strategy: Compactor,
    summarise: Summariser | None = None,
    budget: int | None = None,
) -> Dag:
    r"""Shorten what the model sees of a conversation; nothing is lost from the Dag.

    Parameters
    ----------
    dag : Dag
        `Collection.conversation` gives one, and `Dag.of` makes one of messages.
    strategy : Compactor
    summarise : callable ``(texts, tokens) -> str``, default `Lead`
    budget : int, optional
        The limit of the frontier in tokens, 1 or more. Without one a strategy goes by its own
        parameters.

    Returns
    -------
    Dag
        Its ``outcome`` says what was done, what it cost, whether the budget was met, by how much it
        was missed and why. A summariser that fails cancels everything: then it is the Dag as it
        was, and the outcome says why. It is never longer than it was. What the frontier of a
        damaged Dag names and the Dag does not hold is passed over.

    Raises
    ------
    BadParameter
        For what is no strategy, no summariser or no budget.

    Examples
    --------
    >>> from lcm_lab.compaction.strategies import Window
    >>> from lcm_lab.dag import Dag
    >>> dag = Dag.of(lcm.Corpus(["We chose Postgres.", "Lunch at noon?", "Noon is fine."]))
    >>> short = compact(dag, Window(8))
    >>> short.view().text, short.outcome.over
    ('Lunch at noon?\n\nNoon is fine.', 0)
    """
    _check(dag, strategy, summarise, budget)
    work = Work(Lead() if summarise is None else summarise, budget)
    there = known(dag)
    try:
        after = strategy.compact(there, work)
    except Failed as failure:
        return _stated(dag, dag, work, failed=f"cancelled, {failure}")
    if after is there:
        return _stated(dag, dag, work)
    if after.tokens > dag.tokens:
        return _stated(dag, dag, work, failed=f"cancelled, {strategy!r} made it longer")
    return _stated(dag, after, work)


def _check(dag: Any, strategy: Any, summarise: Any, budget: Any) -> None:
    if not isinstance(dag, Dag):
        raise BadParameter(f"compact takes a Dag: Dag.of(messages). Got {dag!r:.80}.")
    if varies(_strategy(strategy)):
        raise BadParameter(f"{strategy!r} stands for several strategies. List them with .grid().")
    if summarise is not None and (isinstance(summarise, type) or not callable(summarise)):
        raise BadParameter(
            "A summariser is a callable (texts, tokens) -> str, such as Lead(). "
            f"Got {summarise!r:.80}."
        )
    if budget is not None and (
        isinstance(budget, bool) or not isinstance(budget, int) or budget < 1
    ):
        raise BadParameter(f"budget is a number of tokens, 1 or more, or None. Got {budget!r}.")


def _strategy(other: Any) -> Compactor:
    if isinstance(other, Compactor):
        return other
    if isinstance(other, type) and issubclass(other, Compactor):
        raise BadParameter(f"{other.__name__} is a class. Write {other.__name__}(...).")
    raise BadParameter(
        f"A compaction strategy is wanted, such as Leaves() >> Condense(). Got {other!r:.80}. To "
        "rank after compaction write Memory(strategy, rank=policy)."
    )


def _stated(before: Dag, after: Dag, work: Work, failed: str = "") -> Dag:
    """Say on the Dag what was done to it."""
    there = {one.id for one in before.summaries}
    outcome = Outcome(
        before.tokens,
        after.tokens,
        work.budget,
        made=sum(one.id not in there for one in after.summaries),
        calls=work.calls,
        read=work.read,
        written=work.written,
        failed=bool(failed),
    )
    unmet = outcome.over > 0 or after is before or after == before
    stopped = work.reason if work.budget is None else ""
    why = failed or (_why(before, after, work) if unmet else stopped)
    return after.altered(outcome=replace(outcome, reason=why))


def _why(before: Dag, after: Dag, work: Work) -> str:
    """Say why nothing was done, or not enough."""
    if work.budget is not None and before.tokens <= work.budget:
        return "it was within the budget"
    if work.reason:
        return work.reason
    if work.no_gain:
        counts = f"{work.no_gain} of {counted(work.calls, 'call')}"
        return f"no gain: {counts} gave a summary no shorter than its source"
    raw = [name for name in known(after).frontier if not isinstance(after.node(name), Summary)]
    tokens, stay = counted(sum(map(after.size, raw)), "token"), "stays" if len(raw) == 1 else "stay"
    return f"nothing is left to compact: {counted(len(raw), 'message')} of {tokens} {stay} raw"
