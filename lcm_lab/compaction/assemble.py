"""Assembly: from the frontier of a Dag to the prompt that a model is sent, under a limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.compaction.pairing import Compat, Turn, is_blank, paired, without_open_calls
from lcm_lab.compaction.prompt import Evicted, Mode, Prompt, Why
from lcm_lab.compaction.prompt_select import Item, select
from lcm_lab.compaction.prompt_size import clamp, sizes_of_turns
from lcm_lab.compaction.prompt_turns import texts_of, turns_of
from lcm_lab.compaction.reference import estimate_tokens
from lcm_lab.compaction.runs import known
from lcm_lab.compaction.tail import cuttable, tail_of
from lcm_lab.dag import Dag
from lcm_lab.dag.nodes import text_of
from lcm_lab.errors import BadParameter

__all__ = ["assemble"]

#: The longest live turn that always stays whole, in tokens.
TURN = 20_000


def assemble(
    dag: Dag,
    budget: int,
    prompt: str | None = None,
    fresh: int = 64,
    zone: str = "UTC",
    compat: Compat = None,
) -> Prompt:
    r"""Make the prompt that a model is sent: what of the frontier fits, repaired and in order.

    Parameters
    ----------
    dag : Dag
    budget : int
        The limit, in tokens of the messages as they are sent (JSON, with roles, names and ids).
    prompt : str, optional
        What will be asked. Where something must go, what has least to do with it goes, in any
        script; without it the oldest goes.
    fresh : int
        How many of the newest messages always stay, in at most half of the budget, back to the
        newest of the user. The newest one stays whatever its length.
    zone : str
        Of the times that summaries show.
    compat : {"reference"}, optional
        As lossless-claw assembles: the newest ``fresh`` nodes always stay, tokens are estimated and
        of texts alone, a prompt that is not in Latin letters is none, calls without a result go
        where they are not fresh, and no assistant has the last word where the size is cut.

    Returns
    -------
    Prompt
        Its ``evicted`` says what was left out and why, ``over`` by how much the budget is missed.

    Raises
    ------
    BadParameter
        For what is no Dag, a budget below 1, or a ``fresh`` below 0.

    Notes
    -----
    Summaries are shown as XML, escaped and marked untrusted, in the role of a user. A tool call and
    its result go together. While nothing has to go, each prompt begins with the one before it, so
    that a provider's cache holds; an eviction ends that, and so does a compaction.

    Examples
    --------
    >>> dag = Dag.of(lcm.Corpus([{"text": "We chose Postgres.", "role": "user"}, "Lunch?", "Noon"]))
    >>> assemble(dag, 1_000)
    Prompt of 3 turns, 53 of 1,000 tokens (full-fit)
    >>> short = assemble(dag, 50, prompt="which database, postgres?", fresh=1)
    >>> short.nodes
    ('m1', 'm3')
    >>> short.evicted[0].id, short.evicted[0].why
    ('m2', 'budget')
    """
    _check(dag, budget, fresh)
    dag = known(dag)
    turns = turns_of(dag, zone, compat)
    sizes = _sizes(dag, turns, compat)
    groups = _groups(turns, sizes, _protected(dag, sizes, (budget, fresh), compat))
    chosen, mode = select([group.item for group in groups], budget, prompt, compat)
    kept = [place for at in chosen for place in range(groups[at].start, groups[at].stop)]
    fixed = [group.start for group in groups if group.item.fixed]
    choice = _Choice(kept, mode, budget, min(fixed, default=len(turns)))
    repaired = _repaired(turns, choice, compat)
    size = clamp(repaired, budget, compat, open_end=compat is None)
    sent = [repaired[place] for place in size.kept]
    gone = _evicted(zip(dag.frontier, turns, sizes, strict=True), choice, (repaired, sent))
    return Prompt(tuple(sent), size.tokens, budget, mode, tuple(gone))


def _check(dag: Any, budget: Any, fresh: Any) -> None:
    if not isinstance(dag, Dag):
        raise BadParameter(f"assemble takes a Dag: Dag.of(messages). Got {dag!r:.80}.")
    for name, number, least in (("budget", budget, 1), ("fresh", fresh, 0)):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise BadParameter(f"{name} must be a whole number, {least} or more. Got {number!r}.")


@dataclass(frozen=True, slots=True)
class _Group:
    """Nodes of a frontier that go or stay together."""

    start: int
    stop: int
    item: Item


@dataclass(frozen=True, slots=True)
class _Protected:
    """What of a frontier always stays, and where it may be parted.

    ``start`` is where the tail begins, ``user`` a place before it; a group may end at ``ends``.
    """

    start: int
    user: int | None
    ends: list[int]


def _protected(
    dag: Dag, sizes: Sequence[int], limits: tuple[int, int], compat: Compat
) -> _Protected:
    budget, fresh = limits
    ends = list(range(1, len(sizes) + 1))
    if compat is not None:
        return _Protected(max(0, len(sizes) - fresh), None, ends)
    # The tail is found in tokens of texts, of which a prompt that is sent has fewer.
    tail = tail_of(dag, fresh, max(1, budget * dag.tokens // max(1, sum(sizes))), TURN)
    free = cuttable(dag)
    # The last place is no place to cut while a call waits for its result, but all ends there.
    parted = [place for place in ends if free[place] or place == len(sizes)]
    return _Protected(tail.start, tail.user, parted)


def _groups(
    turns: Sequence[Sequence[Turn]], sizes: Sequence[int], protected: _Protected
) -> list[_Group]:
    """Part a frontier into what goes or stays together: a call with its result."""
    found, at = [], 0
    for end in protected.ends:
        text = "\n".join(map(texts_of, turns[at:end]))
        alone = protected.user is not None and at <= protected.user < end
        item = Item(sum(sizes[at:end]), text, alone or at >= protected.start)
        found.append(_Group(at, end, item))
        at = end
    return found


def _sizes(dag: Dag, turns: Sequence[Sequence[Turn]], compat: Compat) -> list[int]:
    """Count the tokens of each node: of its turns as they are sent; to the reference, of text."""
    if compat is not None:
        return [estimate_tokens(text_of(dag.node(name))) for name in dag.frontier]
    flat = iter(sizes_of_turns([turn for several in turns for turn in several]))
    return [sum(next(flat) for _ in several) for several in turns]


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen of a frontier: the places that stay, how, and where the tail begins."""

    kept: list[int]
    mode: Mode
    budget: int
    tail: int


def _repaired(turns: Sequence[Sequence[Turn]], choice: _Choice, compat: Compat) -> list[Turn]:
    """Give the turns of what stays, none blank and every call answered."""
    flat = [turn for place in choice.kept for turn in turns[place]]
    if compat is not None:
        before = sum(len(turns[place]) for place in choice.kept if place < choice.tail)
        flat = without_open_calls(flat, before)
    return paired([turn for turn in flat if not is_blank(turn, compat)], compat)


def _evicted(
    nodes: Iterable[tuple[str, Sequence[Turn], int]],
    choice: _Choice,
    made: tuple[Iterable[Turn], Iterable[Turn]],
) -> Iterable[Evicted]:
    """Say of each node that has turns, and none of them in the prompt, why."""
    repaired, sent = ({turn.node for turn in some} for some in made)
    kept = set(choice.kept)
    for place, (name, turns, size) in enumerate(nodes):
        if name in sent or not turns:
            continue
        blank = all(is_blank(turn) for turn in turns)
        why: Why = "blank" if blank else "size" if name in repaired else "repair"
        yield Evicted(name, why if place in kept else "budget", size)
