"""The contract of a compaction strategy, and what a sound Dag is."""

from __future__ import annotations

from collections.abc import Sequence

from lcm_lab.compaction.base import Compactor, compact
from lcm_lab.dag import Dag, Outcome
from lcm_lab.messages import Message, Part
from lcm_lab.testing.expect import check_value, expect

__all__ = ["check_compactor", "check_dag", "small_dag"]


def small_dag() -> Dag:
    """Give a conversation of 40 messages: talk, tool calls with results, one giant, one in flight.

    Examples
    --------
    >>> len(small_dag().messages)
    40
    """

    def said(at: int, role: str, *parts: Part) -> Message:
        return Message(f"m{at}", "s1", role, parts, at * 60_000_000)

    messages: list[Message] = []
    for at in range(0, 40, 4):
        call = f"t{at}"
        long = "line of output. " * (400 if at == 12 else 20)
        answer = Part("text", f"Step {at} is done: config.{at} is set to {at}. On to the next one.")
        messages += [
            said(at, "user", Part("text", f"Please do step {at} of the migration, with care.")),
            said(at + 1, "assistant", Part("tool_call", f"Bash\ncommand: step {at}", "Bash", call)),
            said(at + 2, "tool", Part("tool_result", long, call=call)),
            said(at + 3, "assistant", answer),
        ]
    waiting = Part("tool_call", "Bash\ncommand: verify", "Bash", "t40")
    return Dag.of([*messages[:-1], said(39, "assistant", waiting)], "small")


def check_compactor(strategy: Compactor, dag: Dag | None = None) -> None:
    """Check that a strategy keeps its contract; a broken one raises, saying which clause and where.

    Parameters
    ----------
    strategy : Compactor
    dag : Dag, optional
        What to try it on; `small_dag` when not given.

    Raises
    ------
    AssertionError
        When equality, hash or print do not follow the fields; when a result is longer than what it
        was made from, differs the second time, loses a message, parts a tool call from its result,
        or misstates by how much a budget was missed; when a summariser that fails leaves a trace.

    Examples
    --------
    >>> from lcm_lab.compaction.strategies import Window
    >>> check_compactor(Window(500))
    """
    check_value(strategy)
    dag = small_dag() if dag is None else dag
    for some in (dag, Dag.of(dag.messages[:1]), Dag.of(dag.messages[1:4]), Dag.of([])):
        for budget in (None, max(1, some.tokens), max(1, some.tokens // 3), 20, 1):
            _check_compacted(some, strategy, budget)
        for summarise in FAILING:
            after = compact(some, strategy, summarise, max(1, some.tokens // 3))
            failed = after.outcome is not None and after.outcome.failed
            expect(not failed or after == some, "a failure leaves no trace", strategy)
            expect(after.tokens <= some.tokens, "it is never longer", strategy)
            check_dag(after)


def check_dag(dag: Dag) -> None:
    """Check that a Dag is sound and loses nothing; another raises, with what `Dag.check` found.

    Raises
    ------
    AssertionError

    Examples
    --------
    >>> check_dag(small_dag())
    """
    found = dag.check()
    broken = found[found["violations"] > 0]
    expect(broken.empty, "a Dag is sound", *broken.itertuples(index=False, name=None))
    same = dag.expand(dag.frontier).messages == dag.messages
    expect(same, "full expansion gives every message, once, in order", dag)


def _raises(texts: Sequence[str], tokens: int) -> str:
    raise ValueError(f"no summary of {len(texts)} texts in {tokens} tokens")


def _blank(texts: Sequence[str], tokens: int) -> str:
    return " " * (tokens > len(texts))


def _longer(texts: Sequence[str], tokens: int) -> str:
    return f"{' '.join(texts)} in {tokens}"


FAILING = (_raises, _blank, _longer)


def _check_compacted(dag: Dag, strategy: Compactor, budget: int | None) -> None:
    after = compact(dag, strategy, budget=budget)
    where = (strategy, budget, str(after.outcome))
    check_dag(after)
    expect(after.messages == dag.messages, "messages stay", *where)
    expect(after.tokens <= dag.tokens, "it is never longer", *where)
    expect(compact(dag, strategy, budget=budget) == after, "it is deterministic", *where)
    expect(compact(after, strategy, budget=budget) == after, "done twice is done once", *where)
    over = 0 if budget is None else max(0, after.tokens - budget)
    stated = after.outcome or Outcome(0, 0)
    expect(stated.over == over, "what is missed is stated", *where)
    expect(not over or stated.reason, "why it is missed is stated", *where)
    for made in after.summaries[len(dag.summaries) :]:
        source = sum(map(after.size, made.sources))
        expect(made.tokens < source, "a summary is shorter than its source", made.id, *where)
