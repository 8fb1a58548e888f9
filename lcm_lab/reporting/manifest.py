"""What made a report: the evaluation's own manifest, the kind of machine, and the command."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcm_lab.evaluation.result import Evaluation

__all__ = ["machine", "manifest", "snippet"]


def machine() -> str:
    """Give the kind of machine, for times: system, processor family, number of processors."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"


def snippet(evaluation: Evaluation) -> str:
    """Give the Python that makes an evaluation and its report again."""
    systems = "".join(f"    {name!r}: {made},\n" for name, made in evaluation.systems.items())
    measures = ", ".join(map(str, evaluation.measures))
    return (
        "import lcm_lab as lcm\nfrom lcm_lab import *\nfrom lcm_lab.measures import *\n\n"
        f"collection = lcm.load({evaluation.collection.name!r})\n"
        f"systems = {{\n{systems}}}\n"
        f"result = lcm.evaluate(systems, on=collection, measures=[{measures}])\n"
        "lcm.ranking_report(result).save('report')\n"
    )


def manifest(evaluation: Evaluation, command: str, figures: Sequence[Mapping[str, str]]) -> str:
    """Give ``manifest.json``: how to make the report again; the machine where time was taken.

    ``figures`` says of each in words what it shows.
    """
    facts: dict[str, Any] = {"report": "ranking", "command": command, **evaluation.manifest()}
    facts["figures"] = list(figures)
    if len(evaluation.latency):
        facts["machine"] = machine()
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"
