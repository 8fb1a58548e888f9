"""An evaluation as its folder keeps it: what setting it against another needs, no collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lcm_lab import whole
from lcm_lab.collection.paths import expanded
from lcm_lab.errors import BadInput
from lcm_lab.evaluation.comparing.paired import comparable
from lcm_lab.evaluation.files import folder as saved
from lcm_lab.measures import Measure

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["Saved", "kept"]

Floats = npt.NDArray[np.float64]

KEYS = ["system", "qid", "measure"]


@dataclass(frozen=True, eq=False)
class Saved:
    """What a comparison needs of an evaluation.

    Attributes
    ----------
    name : str
        The folder, or the collection of an evaluation that is at hand.
    collection, fingerprint : str
    systems : dict of name to expression
    measures : tuple of Measure
        Those that can be compared topic by topic; the first is the primary one.
    values : Series of float by (system, measure, qid)
    units : dict of qid to conversation
        Of the topics whose conversation is known.
    """

    name: str
    collection: str
    fingerprint: str
    systems: dict[str, str]
    measures: tuple[Measure, ...]
    values: pd.Series[float]
    units: dict[str, str]

    @property
    def qids(self) -> list[str]:
        """The topics, in the order they were measured in."""
        return list(dict.fromkeys(self.values.index.get_level_values("qid")))

    def column(self, system: str, measure: Measure, qids: list[str]) -> Floats:
        """Give the values of these topics, NaN where there is none; shape (n_qids,)."""
        keys = pd.MultiIndex.from_product([[system], [str(measure)], qids])
        return np.asarray(self.values.reindex(keys), np.float64)


def kept(given: str | Path | Evaluation) -> Saved:
    """Give what a comparison needs of an evaluation or of the folder it was saved in.

    Raises
    ------
    NotFound
        For a folder without an evaluation.
    BadInput
        For files that are none of an evaluation, or that contradict each other.
    """
    if isinstance(given, str | Path):
        path = expanded(given)
        facts, table = whole.read(
            path, "manifest.json", lambda: (saved.manifest(path), saved.table(path))
        )
        return _saved(str(path), facts, table, _conversations(facts))
    units = dict(zip(given.bench.topics.qids, map(str, given.conversation), strict=True))
    return _saved(given.collection.name, given.manifest(), given.frame, units)


def _conversations(facts: Mapping[str, Any]) -> dict[str, str]:
    told = facts.get("conversations")
    return {str(qid): str(name) for qid, name in told.items()} if isinstance(told, Mapping) else {}


def _saved(
    name: str, facts: Mapping[str, Any], frame: pd.DataFrame, units: dict[str, str]
) -> Saved:
    head = saved.head(name, facts)
    try:
        values = frame.set_index(KEYS)["value"].astype(float)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name!r} has values that are no numbers: {error}.") from error
    if values.index.has_duplicates:
        twice = values.index[values.index.duplicated()][0]
        raise BadInput(f"{name!r} has two values of {dict(zip(KEYS, twice, strict=True))}.")
    chosen = tuple(filter(comparable, head.measures))
    wanted = values.swaplevel("qid", "measure")
    asked = wanted[wanted.index.get_level_values("measure").isin(list(map(str, chosen)))]
    about = head.collection, head.fingerprint, head.systems
    return Saved(name, *about, chosen, asked, units)
