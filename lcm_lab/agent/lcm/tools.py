"""`LcmTools`: the tools by which an agent finds, reads and recalls what was said."""

from __future__ import annotations

from lcm_lab.agent.lcm.describe.tool import Describe
from lcm_lab.agent.lcm.expansion.query import ExpandQuery
from lcm_lab.agent.lcm.grep.tool import Grep

__all__ = ["LcmTools"]


class LcmTools(ExpandQuery, Describe, Grep):
    """Tools over a history, with the names and parameters of LCM's, and any policy behind them.

    Parameters
    ----------
    store : Store or LcmDatabase
    search : Ranker, optional
        What ranks full text; `Recommended` when not given. It is indexed at the first question, and
        again after the store has changed; ``LosslessClaw()`` asks the index of the store itself.
    summarise, answer : optional
        What shortens, and what answers from passages.
    clock : str, int or callable, optional
        The instant that age is counted from, or what tells it, in microseconds since 1970; the
        newest message that may be seen when not given.
    zone : str
        In which times are written for an agent to read; fields have UTC.
    conversation : str or int, optional
        The current conversation: without other word the tools look at it and at its family.
    grant : Granted, optional
        What a worker may look at; it leaves this by no parameter.
    expandFileMaxBytes : int
        Of a file, unless asked otherwise.
    maxExpandTokens : int
        The budget that summaries are held against, unless asked otherwise, and the most that
        ``lcm_expand_query`` reads.
    delegationTimeoutMs : int
        Milliseconds that the workers of ``lcm_expand_query`` may take together.
    timer : callable
        The clock of that, in seconds; it only rises.
    compat : "reference", optional
        Answer as lossless-claw does, faults included, so that the difference can be measured: every
        word must occur, messages and summaries stand in lists of their own with a limit each and
        repeats in both, tool text is not searched, a pattern that is refused finds nothing, and the
        manifest of a summary leads to what was made from it.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.agent.lcm.tools import LcmTools
    >>> from lcm_lab.store.store import Store
    >>> store = Store(":memory:")
    >>> store.add(lcm.Corpus(["Which database?", "Postgres, for its transactions.", "Lunch?"]))
    Added 3 messages, 1 new conversation
    >>> found = LcmTools(store).lcm_grep("postgres kafka", mode="full_text")
    >>> [hit.id for hit in found.hits], found.unmatched
    (['m2'], ('kafka',))
    """
