"""What ``validate`` does: compare a synthetic collection with real ones, print, write a report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from lcm_lab.agent import show
from lcm_lab.agent.group import say
from lcm_lab.agent.ladder import systems
from lcm_lab.agent.source import again, portable, writable

if TYPE_CHECKING:
    from lcm_lab.evaluation.validating.validate import View
    from lcm_lab.evaluation.validating.validation import Validation

__all__ = ["HOME", "validated"]

#: Where a report goes unless it is told.
HOME = "reports/validation"
Unit = Literal["turn", "exchange", "session"]


def validated(
    synthetic: str,
    against: Sequence[str],
    policies: Sequence[str],
    unit: Unit | None,
    out: str | None,
    *,
    view: View,
    json: bool,
) -> str:
    """Compare with each real set in turn, write one report, and give the gates."""
    from lcm_lab.evaluation.validating.validate import validate
    from lcm_lab.reporting.validation_report import validation_report
    from lcm_lab.transcripts.load import load

    folder = writable(out or HOME)
    chosen = systems(policies) if policies else None
    made = load(synthetic)
    found = [validate(made, load(one), systems=chosen, unit=unit, view=view) for one in against]
    options = [("--against", portable(one)) for one in against]
    options += [("--policy", one) for one in policies]
    options += [("--unit", unit)] if unit else []
    options += [("--view", view)] if view != "whole" else []
    options += [("--out", portable(out))] if out else []
    command = again(f"validate {shlex.quote(portable(synthetic))}", options)
    say(str(validation_report(found, command).save(folder)))
    if json:
        return show.as_json([one.facts() for one in found])
    return "\n\n".join(map(_told, found))


def _told(one: Validation) -> str:
    lines = [
        [
            gate["gate"],
            _figure(gate["figure"]),
            f"[{_figure(gate['low'])}, {_figure(gate['high'])}]" if gate["low"] is not None else "",
            gate["wanted"],
            {True: "yes", False: "NO", None: "not measured"}[gate["passed"]],
        ]
        for gate in one.facts()["gates"]
    ]
    return f"{one!r}\n\n{show.grid(lines, ['gate', 'found', '95 %', 'wanted', 'holds'])}"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
