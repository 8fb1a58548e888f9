"""An evaluation opened again, over the collection that it was made on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from lcm_lab import whole
from lcm_lab.collection import Collection
from lcm_lab.collection.paths import expanded
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.evaluation.failures import COLUMNS
from lcm_lab.evaluation.files import folder as saved
from lcm_lab.run import Run
from lcm_lab.topics import Topics

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["load"]


def load(made: type[Evaluation], folder: str | Path, on: Collection) -> Evaluation:
    """Read what `saving.save` wrote."""
    home = expanded(folder)
    return whole.read(home, "manifest.json", lambda: _read(made, home, on))


def _read(made: type[Evaluation], home: Path, on: Collection) -> Evaluation:
    facts, frame = saved.manifest(home), saved.table(home)
    head = saved.head(str(home), facts)
    try:
        paths = {str(one["name"]): home / str(one["run"]) for one in facts["systems"]}
        seed, notes = int(facts["bootstrap"]["seed"]), list(facts["notes"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{str(home)!r} holds no evaluation: its manifest lacks {error}.") from error
    if head.fingerprint != on.fingerprint:
        raise BadInput(
            f"{str(home)!r} was made on {head.collection!r} as it was then, not on {on.name!r} as "
            "it is now: their fingerprints differ. Give that collection, or compare with diff()."
        )
    topics = Topics.of(on.topics, on.corpus)
    return made(
        frame=frame,
        systems=head.systems,
        collection=on,
        runs={system: _run(path, topics) for system, path in paths.items()},
        measures=head.measures,
        latency=_latency(frame),
        notes=notes,
        seed=seed,
        failures=pd.DataFrame(facts.get("failures", []), columns=COLUMNS, dtype=object),
        ranks_only=True,
    )


def _run(path: Path, topics: Topics) -> Run:
    if not path.is_file():
        raise NotFound(f"{str(path)!r} is not there, though the manifest names it.")
    return Run.from_trec(path, topics)


def _latency(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the times again: whatever percentiles were asked for, they are of the same searches."""
    timed = frame[frame["measure"].str.startswith("Latency")]
    first = timed[timed["measure"] == timed["measure"].iloc[0]] if len(timed) else timed
    found = first[["system", "qid", "value"]].rename(columns={"value": "ms"})
    return found.reset_index(drop=True)
