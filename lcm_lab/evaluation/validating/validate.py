"""validate: whether a synthetic collection ranks systems as its real counterpart does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from lcm_lab.collection import Collection
from lcm_lab.collection.units import Unit
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter, nearest
from lcm_lab.evaluation.harness import evaluate
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.evaluation.systems import named
from lcm_lab.evaluation.validating.adjacency import AROUND, adjacent, around, unlabelled
from lcm_lab.evaluation.validating.gates import BM, LEVELS, TF, bar
from lcm_lab.evaluation.validating.panel import panel
from lcm_lab.evaluation.validating.validation import Validation
from lcm_lab.measures import nDCG
from lcm_lab.ranking.base import Ranker

__all__ = ["View", "validate"]

#: What of the synthetic history is searched: all of it, the messages that answer something, or
#: these of all users together, each by itself.
View = Literal["whole", "evidence", "pool"]

#: Types of questions with those of real sets that ask the same kind of thing.
COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "single": ("single-hop", "single-session-user", "information_extraction"),
    "assistant-said": ("single-session-assistant",),
    "multi-session": ("multi-hop", "multi-session", "multi_session_reasoning"),
    "temporal": ("temporal", "temporal-reasoning", "temporal_reasoning"),
    "update": ("knowledge-update", "knowledge_update"),
    "contradiction": ("contradiction_resolution",),
    "preference": ("open-domain", "single-session-preference", "preference_following"),
    "ordering": ("event_ordering",),
    "adjacency": ("adjacency",),
}
#: Questions of real sets that any of a dozen messages answers in part.
LEFT_OUT = ("summarization",)
#: What orders the systems.
MEASURE = nDCG @ 10
#: Fewer systems than this have no order to speak of.
FEWEST = 5


def validate(  # noqa: PLR0913  # a row of choices, all named
    synthetic: Collection,
    real: Collection,
    *,
    systems: Any = None,
    unit: Unit | None = None,
    view: View = "whole",
    types: Mapping[str, str | Sequence[str]] | None = None,
    least: float | None = None,
) -> Validation:
    """Rank with the same systems on both, and say how far the two agree.

    Parameters
    ----------
    synthetic, real : Collection
        Where the questions of the real side were mined, since nobody labelled it, both are asked
        what was said right after a message (`lcm_lab.Adjacency`).
    systems : dict of name to policy, or list, optional
        At least five. By default the panel: 22 lexical systems, vectors and fusions; for mined
        questions those of them that can look around, doing so, as no word of these leads there.
    unit : {"turn", "exchange", "session"}, optional
        What both are cut into; unset, sessions where the real rows are sessions, else turns. For a
        pool the rows as they are.
    view : {"whole", "evidence", "pool"}
        What of the synthetic history is searched. "evidence" keeps the messages that answer some
        question, each user's apart. "pool" asks only what the real set asks too, keeps the messages
        that answer it, and searches those of all users together: LongMemEval's pool is the
        answering turns of all its histories, as good as one a row, so neither whole sessions nor
        one user's are like it.
    types : dict of str to str or several, optional
        Types of the synthetic questions, and those of the real ones that they stand for. Unset,
        those of LoCoMo, LongMemEval and BEAM are known.
    least : float, optional
        The tau-b that is wanted. Unset, the one set for this kind of real set: .70 for turns of
        LoCoMo and messages of BEAM, .60 for sessions of LoCoMo and for others, .55 for LongMemEval,
        whose own halves agree no better than .74.

    Returns
    -------
    Validation
        ``gates()`` has what was wanted and whether it holds, ``frame()`` the systems on both sides.

    Raises
    ------
    BadParameter
        Fewer than five systems, a view that there is not, or a type that the questions do not
        have.
    BadInput
        A collection without a question that has something to find, or a system that failed.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> bench = lcm.load("synth-chat-s")
    >>> five = [lcm.BM25(b=b) % 10 for b in (0, 0.25, 0.5, 0.75, 1)]
    >>> found = validate(bench, bench, systems=five)
    >>> found.gates().set_index("gate").loc["tau-b", "figure"]
    np.float64(1.0)
    """
    mined = unlabelled(real)
    if mined:
        synthetic, real = adjacent(synthetic), adjacent(real)
    chosen = named((around() if mined else panel()) if systems is None else systems)
    if len(chosen) < FEWEST:
        raise BadParameter(
            f"An order of {len(chosen)} systems says nothing; give at least {FEWEST}, better 15."
        )
    cut = unit or ("turn" if view == "pool" else _unit(real))
    shared = None if view != "pool" else _types(synthetic, real, types)
    seen = _seen(_answerable(synthetic, shared), view)
    left, right = seen.units(cut), _answerable(real).units(cut)
    matched = _types(left, right, types)
    measures = [MEASURE, *LEVELS]
    anchors = AROUND if mined else (BM, TF)
    ranked = {**chosen, **_anchors(chosen, anchors)}
    wanted = bar(str(real.card.get("source", "")), cut)
    return Validation(
        _sound(evaluate(ranked, left, measures)),
        _sound(evaluate(ranked, right, measures)),
        measure=MEASURE,
        counted=tuple(chosen),
        types=matched,
        bar=wanted if least is None else replace(wanted, tau=least),
        unit=cut,
        view=view,
        anchors=anchors,
    )


def _seen(synthetic: Collection, view: View) -> Collection:
    """Give what is searched of a synthetic history."""
    if view not in get_args(View):
        there = ", ".join(map(repr, get_args(View)))
        hint = nearest(str(view), get_args(View))
        raise BadParameter(f"view must be one of {there}. Got {view!r}.{hint}")
    if view == "whole":
        return synthetic
    judged = synthetic.qrels
    gold = set(judged.loc[judged["relevance"] >= synthetic.relevant_from, "docno"])
    frame = synthetic.corpus.frame()
    kept = frame[frame["docno"].isin(gold)].reset_index(drop=True)
    if kept.empty:
        raise BadInput(f"No message of {synthetic.name!r} answers anything, so nothing is left.")
    topics = synthetic.topics
    if view == "pool":
        topics = topics.drop(columns="conversation", errors="ignore")
    judged = judged[judged["docno"].isin(gold)]
    return replace(synthetic, corpus=Corpus(kept), topics=topics, qrels=judged)


def _sound(result: Evaluation) -> Evaluation:
    """Refuse an order of systems of which one is not known on some question."""
    lost = list(dict.fromkeys(result.failures["system"]))
    if lost:
        first = result.failures.iloc[0]
        raise BadInput(
            f"{lost[0]!r} failed on {result.collection.name!r} ({first['kind']}: "
            f"{first['message']}), and an order needs every value. Leave it out."
        )
    return result


def _anchors(chosen: Mapping[str, Any], anchors: Sequence[Ranker]) -> dict[str, Any]:
    """Give what level and sign are read from, unless it is among the systems."""
    there = [repr(system) for system in chosen.values()]
    return {f"{one} (level)": one for one in anchors if repr(one) not in there}


def _unit(real: Collection) -> Unit:
    return "session" if str(real.card.get("unit", "")).startswith("session") else "turn"


def _answerable(collection: Collection, kinds: Iterable[str] | None = None) -> Collection:
    """Leave out questions with no answer to speak of, and where kinds are given all others."""
    topics = collection.topics[~collection.topics["type"].isin(LEFT_OUT)]
    if kinds is not None:
        topics = topics[topics["type"].isin(list(kinds))]
    qrels = collection.qrels[collection.qrels["qid"].isin(topics["qid"])]
    return replace(collection, topics=topics, qrels=qrels)


def _types(
    left: Collection, right: Collection, given: Mapping[str, str | Sequence[str]] | None
) -> dict[str, tuple[str, ...]]:
    """Give the types of the left that have a counterpart on the right, with it."""
    here, there = (set(one.judged().topics["type"]) for one in (left, right))
    if given is None:
        pairs = {kind: COUNTERPARTS.get(kind, ()) for kind in sorted(here)}
        shared = {kind: tuple(n for n in kinds if n in there) for kind, kinds in pairs.items()}
        return {kind: kinds for kind, kinds in shared.items() if kinds}
    listed = {kind: (n,) if isinstance(n, str) else tuple(n) for kind, n in given.items()}
    for kinds, known in ((listed, here), ((one for n in listed.values() for one in n), there)):
        wrong = next((kind for kind in kinds if kind not in known), None)
        if wrong is not None:
            listed_types = ", ".join(sorted(known))
            raise BadParameter(f"No question of type {wrong!r}. There are {listed_types}.")
    return listed
