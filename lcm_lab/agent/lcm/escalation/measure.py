"""Escalation measured: at which step an agent sees the evidence, and what that costs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab.agent.lcm.escalation.steps import STEPS, Question, asked
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.collection import Collection
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.evaluation.statistics.significance import bootstrap, interval
from lcm_lab.shown import counted

if TYPE_CHECKING:
    from lcm_lab.reporting.svg import Chart

__all__ = ["Escalation", "escalation"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Escalation:
    """What `escalation` found: a row for each question and step.

    Attributes
    ----------
    collection : str
    table : DataFrame
        qid, conversation, type, step, evidence, tokens, read, ms, error: see `frame`.
    seed : int
        Of the bootstrap.
    """

    collection: str
    table: pd.DataFrame
    seed: int = 0

    def __repr__(self) -> str:
        n = self.table["qid"].nunique()
        head = f"Escalation over {counted(n, 'topic')} of {self.collection!r}"
        return f"{head}\n\n{self.summary().round(3).to_string(index=False)}"

    def _repr_html_(self) -> str:
        return str(self.summary().round(3).to_html(index=False))

    def frame(self) -> pd.DataFrame:
        """Give a row for each question and step.

        Returns
        -------
        DataFrame
            qid, conversation, type, step (grep, describe, expand_query), ``evidence`` (the share of
            the relevant messages that this step shows, whatever came before), ``tokens`` (what the
            agent is given to read), ``read`` (what workers read for it), ms, error, and ``first``:
            whether this is the first step that shows any.
        """
        seen = self._any.cumsum(axis=1)
        first = self._any & (seen == 1)
        return self.table.assign(first=first.ravel())

    def summary(self) -> pd.DataFrame:
        """Sum up the steps, in their order.

        Returns
        -------
        DataFrame
            step; ``alone``, the share of questions of which it shows some evidence; ``first``, of
            which it is the first to; ``reached``, of which it or a step before it does, with the
            95 % interval ``low`` to ``high`` (bootstrap over conversations, or over questions where
            there is one conversation); ``tokens`` and ``read``, means of the step; ``spent``, the
            mean of all that was read by an agent that stops as soon as evidence is shown; ``ms``,
            the median of the step; n, questions; units, conversations that were drawn from.
        """
        seen = np.maximum.accumulate(self._any, axis=1)
        before = np.hstack([np.zeros((len(seen), 1), bool), seen[:, :-1]])
        units = self._units
        drawn = bootstrap(seen.astype(np.float64), units, seed=self.seed)
        count = int(units.max()) + 1
        low, high = interval(drawn, [count] * len(STEPS))
        tokens, read, ms = (self._column(name) for name in ("tokens", "read", "ms"))
        spent = np.where(before, 0, tokens).cumsum(axis=1).mean(axis=0)
        return pd.DataFrame(
            {
                "step": STEPS,
                "alone": self._any.mean(axis=0),
                "first": (seen & ~before).mean(axis=0),
                "reached": seen.mean(axis=0),
                "low": np.clip(low, 0, 1),
                "high": np.clip(high, 0, 1),
                "tokens": tokens.mean(axis=0),
                "read": read.mean(axis=0),
                "spent": spent,
                "ms": np.median(ms, axis=0),
                "n": len(seen),
                "units": count,
            }
        )

    @property
    def figure(self) -> Chart:
        """The steps as bars: what each one reaches, and what had to be read until then."""
        from lcm_lab.agent.lcm.escalation.figure import steps

        return steps(self.summary(), self.collection)

    @cached_property
    def _any(self) -> npt.NDArray[np.bool_]:
        """Whether each step shows any evidence; shape (n_topics, n_steps)."""
        return np.asarray(self._column("evidence") > 0)

    @cached_property
    def _units(self) -> npt.NDArray[np.int64]:
        names = self.table["conversation"].to_numpy()[:: len(STEPS)]
        codes, there = pd.factorize(names)
        return np.arange(len(codes)) if len(there) < 2 else codes.astype(np.int64)

    def _column(self, name: str) -> Floats:
        return self.table[name].to_numpy(np.float64).reshape(-1, len(STEPS))


def escalation(tools: LcmTools, on: Collection, *, seed: int = 0) -> Escalation:
    """Ask every question as an agent would: grep, then describe, then expand_query.

    Every step is asked of every question, so that each is also measured alone.

    Parameters
    ----------
    tools : LcmTools
        Over a store that holds the collection: ``store.add(collection.corpus)``, and what a
        compaction made of it: ``store.put(lcm.compact(store.dag(name), strategy))``.
    on : Collection
        Its judged topics are asked, each in its conversation; a topic without one in all of them.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Escalation
        ``frame()``, ``summary()``, ``figure``.

    Raises
    ------
    BadParameter
        For what are no LcmTools or no collection, or a store that does not hold it.
    BadInput
        For a collection without a judged topic.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.agent.lcm.escalation.measure import escalation
    >>> from lcm_lab.agent.lcm.tools import LcmTools
    >>> from lcm_lab.store.store import Store
    >>> corpus = lcm.Corpus(["Which database?", "Postgres, for its transactions.", "Lunch?"])
    >>> topics = pd.DataFrame({"qid": ["q1"], "query": ["why Postgres?"]})
    >>> qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m2"], "relevance": [1]})
    >>> bench, store = lcm.Collection("tiny", corpus, topics, qrels), Store(":memory:")
    >>> store.add(corpus)
    Added 3 messages, 1 new conversation
    >>> found = escalation(LcmTools(store), on=bench)
    >>> found.summary()[["step", "alone", "first"]].values.tolist()
    [['grep', 1.0, 1.0], ['describe', 0.0, 0.0], ['expand_query', 1.0, 0.0]]
    """
    if not isinstance(tools, LcmTools):
        raise BadParameter(f"escalation takes LcmTools. Got {type(tools).__name__}.")
    if not isinstance(on, Collection):
        raise BadParameter(f"on takes a Collection, such as load gives. Got {type(on).__name__}.")
    missing = sorted(set(on.corpus.conversations).difference(tools.names()))
    if missing:
        raise BadParameter(
            f"The store does not hold {counted(len(missing), 'conversation')} of {on.name!r}, such "
            f"as {missing[0]!r}. Add them: store.add(collection.corpus)."
        )
    rows = [
        {**topic, **asdict(shown)}
        for topic, question in _questions(on)
        for shown in asked(tools, question)
    ]
    if not rows:
        raise BadInput(f"{on.name!r} has no judged topic, so no evidence that could be shown.")
    return Escalation(on.name, pd.DataFrame(rows), seed)


def _questions(on: Collection) -> Iterator[tuple[dict[str, Any], Question]]:
    """Yield the topics that have evidence."""
    good = on.qrels[on.qrels["relevance"] >= on.relevant_from]
    texts = on.corpus.column("text").to_pylist()
    rows = pd.Series(on.corpus.row_of(good["docno"]), index=good["qid"].to_numpy())
    evidence = rows.groupby(level=0).agg(list).to_dict()
    for topic in on.topics.to_dict("records"):
        held = evidence.get(topic["qid"])
        if not held:
            continue
        where = topic.get("conversation")
        name = where if isinstance(where, str) else ""
        since, before = _instant(topic.get("since")), _instant(topic.get("before"))
        before = before or _instant(topic.get("asked_at"))
        told = {"qid": topic["qid"], "conversation": name, "type": topic.get("type", "")}
        shown = tuple(str(texts[row]) for row in held)
        yield told, Question(str(topic["query"]), shown, name, since, before)


def _instant(given: Any) -> str | None:
    if given is None or pd.isna(given):
        return None
    return str(given.isoformat()) if hasattr(given, "isoformat") else str(given)
