"""The validation report: a synthetic collection beside its real counterparts, passed or failed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lcm_lab.reporting.document import Document, Grid, Section
from lcm_lab.reporting.rows import rows
from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.scatter import by_type, scatter
from lcm_lab.reporting.tables import NOTHING, Cell, number

if TYPE_CHECKING:
    from lcm_lab.evaluation.validating.validation import Validation

__all__ = ["validation_report"]

HOW = (
    "A gate is what was wanted before anything was compared. Intervals are of 95 %, from a "
    "bootstrap over the questions of both sides; a level's figure is the difference. A gate that "
    "fails is published as it is, and nothing is tuned until it passes by chance."
)
PANEL = "Each name with the expression that makes it."
LIMITS = (
    "Whether the level of a policy of yours carries over: an order of systems does so better than "
    "any figure. Texts made by rules favour systems that resemble the rules.",
    "Systems of other kinds. The panel is of words, characters, vectors without a model, and sums "
    "of these; a policy that reads time, speakers or neighbours is not in it.",
    "Other histories. One real set is one population, and real sets disagree among themselves as "
    "much as the figures of their own halves leave room for.",
)


def validation_report(
    found: Validation | Sequence[Validation], command: str | None = None
) -> Document:
    """Make the report of one validation, or of several of the same synthetic collection.

    Parameters
    ----------
    found : Validation, or several
        As `validate` gives them.
    command : str or None
        What makes it again; without it, the Python that does.

    Returns
    -------
    Document
        ``.save(folder)`` writes it: ``index.html`` (self-contained), ``gates.parquet``,
        ``systems.parquet``, ``types.parquet``, ``figures/*.svg``, ``manifest.json``.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.evaluation.validating.validate import validate
    >>> bench = lcm.load("synth-chat-s")
    >>> five = [lcm.BM25(b=b) % 10 for b in (0, 0.25, 0.5, 0.75, 1)]
    >>> found = validate(bench, bench, systems=five)
    >>> print(validation_report(found).headline[:40])
    synth-chat-s orders 5 systems as synth-c
    """
    import pandas as pd

    several = [found] if not isinstance(found, Sequence) else list(found)
    name = safe(several[0].synthetic.collection.name)
    parts = [part for number, one in enumerate(several, 1) for part in _parts(one, number)]
    against = {one.against: one for one in several}
    tables = {
        what: pd.concat([getattr(v, method)().assign(against=n) for n, v in against.items()])
        for what, method in {"gates": "gates", "systems": "frame", "types": "difficulty"}.items()
    }
    tables["gates"]["passed"] = tables["gates"]["passed"].astype("boolean")
    return Document(
        kind="validation",
        question=f"Does {name} rank systems as real histories do?",
        subject=name,
        lede=f"orders {len(several[0].counted)} systems {'; '.join(map(_lede, several))}.",
        sections=(
            *parts,
            Section("limits", "What it does not show", points=LIMITS),
            Section("panel", "The systems", PANEL, texts=(_expressions(several[0]),)),
        ),
        command=command or _snippet(several),
        data=tables,
        strip=_strip(several),
        facts=_facts(several),
    )


def _expressions(one: Validation) -> str:
    made = one.synthetic.systems
    wide = max(map(len, one.counted))
    return "\n".join(f"{name.ljust(wide)}  {made[name]}" for name in one.counted)


def _parts(one: Validation, number: int) -> tuple[Section, ...]:
    name, real = ("result" if number == 1 else f"against-{number}"), _real(one)
    figures = f"figures-{number}"
    charts = [scatter(one, f"scatter-{number}"), by_type(one, f"types-{number}")]
    sure, alike = one.sure_pairs
    points = [
        f"Of {sure:,} pairs of systems that differ for sure on both sides, {alike:,} differ in the "
        "same direction."
        if sure
        else "No pair of systems differs for sure on both sides.",
        *(_ceiling(row) for row in rows(one.ceilings)),
    ]
    return (
        Section(
            name,
            f"Against {real}",
            HOW if number == 1 else "",
            tables=(_gates(one),),
            notes=tuple(points),
        ),
        Section(
            figures,
            f"Systems, against {real}",
            f"Mean {one.measure} over questions. Numbers are ranks on {real}, as in the figure.",
            tables=(_systems(one), *_types(one)),
            charts=tuple(chart for chart in charts if chart is not None),
        ),
    )


def _ceiling(row: Any) -> str:
    side = "The synthetic" if row.side == "synthetic" else "The real"
    shown = f"{number(row.mean)} [{number(row.low)}, {number(row.high)}]"
    return f"{side} questions, halved at random, order the systems alike with a tau-b of {shown}."


def _gates(one: Validation) -> Grid:
    lines = [
        (
            row.gate,
            (_cell(row.figure, row.low, row.high), Cell(row.wanted), Cell(_held(row.passed))),
        )
        for row in rows(one.gates())
    ]
    return Grid(("Gate", "found", "wanted", "holds"), tuple(lines), "Gates")


def _held(passed: bool | None) -> str:
    return "not measured" if passed is None else "yes" if passed else "no"


def _systems(one: Validation) -> Grid:
    table = one.frame().sort_values("real", ascending=False, kind="stable")
    lines = [
        (
            f"{rank} {safe(row.system)}",
            (
                _cell(row.synthetic, row.synthetic_low, row.synthetic_high),
                _cell(row.real, row.real_low, row.real_high),
            ),
        )
        for rank, row in enumerate(rows(table), 1)
    ]
    return Grid(("System", _synthetic(one), _real(one)), tuple(lines), "Systems")


def _types(one: Validation) -> tuple[Grid, ...]:
    table = one.difficulty()
    lines = [
        (
            f"{safe(row.type)} / {safe(row.counterpart)}",
            (
                Cell(number(row.synthetic), n=row.n_synthetic, value=_known(row.synthetic)),
                Cell(number(row.real), n=row.n_real, value=_known(row.real)),
            ),
        )
        for row in rows(table)
    ]
    heads = ("Type / counterpart", _synthetic(one), _real(one))
    return (Grid(heads, tuple(lines), "Types, as a mean over systems"),) if lines else ()


def _cell(value: float, low: float, high: float) -> Cell:
    known = not (math.isnan(low) or math.isnan(high))
    interval = f"[{number(low)}, {number(high)}]" if known else ""
    return Cell(NOTHING if math.isnan(value) else number(value), interval, value=_known(value))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _lede(one: Validation) -> str:
    gate = rows(one.gates())[0]
    passed = [found for found in one.gates()["passed"] if found is not None]
    ceiling = one.ceilings.set_index("side")["mean"]["real"]
    return (
        f"as {_real(one)} does with a tau-b of {gate.figure:.2f} [{gate.low:.2f}, {gate.high:.2f}] "
        f"(its own halves {ceiling:.2f}), {sum(passed)} of {len(passed)} gates holding"
    )


def _strip(several: Sequence[Validation]) -> tuple[tuple[str, str], ...]:
    first = several[0]
    counts = [("systems", len(first.counted)), ("synthetic questions", len(first.measured[0]))]
    counts += [(f"questions of {_real(one)}", len(one.measured[1])) for one in several]
    return tuple((what, f"{count:,}") for what, count in counts)


def _facts(several: Sequence[Validation]) -> dict[str, Any]:
    made = {"synthetic": several[0].synthetic.collection.fingerprint}
    made |= {f"real: {_real(one)}": one.real.collection.fingerprint for one in several}
    return {**made, "systems": len(several[0].counted)}


def _synthetic(one: Validation) -> str:
    return safe(one.synthetic.collection.name)


def _real(one: Validation) -> str:
    return safe(one.against)


def _viewed(one: Validation) -> str:
    return "" if one.view == "whole" else f", view={one.view!r}"


def _snippet(several: Sequence[Validation]) -> str:
    name = several[0].synthetic.collection.name
    made = "".join(
        f"    lcm.validate(synthetic, lcm.load({one.real.collection.name!r}), unit={one.unit!r}"
        f"{_viewed(one)}),\n"
        for one in several
    )
    return (
        f"import lcm_lab as lcm\n\nsynthetic = lcm.load({name!r})\nfound = [\n{made}]\n"
        "lcm.validation_report(found).save('report')\n"
    )
