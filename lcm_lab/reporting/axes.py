"""What the figures of every report share: axes, legends, labels, and how a system is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.reporting.safe import safe
from lcm_lab.reporting.svg import ROLES, SERIES
from lcm_lab.shown import one_line

__all__ = ["LABEL", "Mark", "axes", "label", "legend", "legend_rows", "listed", "log_ms", "marks"]

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)))
#: Characters of a name that a figure shows.
LABEL = 34


@dataclass(frozen=True)
class Mark:
    """How a system is drawn, everywhere the same: by colour, by marker, and by dashes.

    ``id`` names what is drawn of it in a figure, so that a page can bring it to the front.
    """

    colour: str
    marker: str
    dashes: Any
    id: str = ""

    @property
    def paint(self) -> str:
        """The colour as a page writes it, where ink is light on a dark page."""
        return ROLES.get(self.colour, self.colour)

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments of a line with this mark."""
        look = {"color": self.colour, "marker": self.marker, "linestyle": self.dashes}
        return look | {"gid": self.id}

    @property
    def dot(self) -> dict[str, Any]:
        """Keyword arguments of points with this mark."""
        look = {"color": self.colour, "marker": self.marker, "linestyle": "none"}
        return look | {"gid": self.id}


def marks(systems: Sequence[str]) -> dict[str, Mark]:
    """Give every system its mark, in order.

    Examples
    --------
    >>> marks(["bm25", "tfidf"])["tfidf"].marker
    's'
    """
    n = len(SERIES)
    return {
        name: Mark(
            SERIES[i % n], MARKERS[(i + i // n) % n], DASHES[i // n % len(DASHES)], f"of-{i}"
        )
        for i, name in enumerate(systems)
    }


def axes(size: tuple[float, float]) -> tuple[Any, Any]:
    """Give a figure of a size in inches, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def log_ms(axis: Any, low: float, high: float) -> None:
    """Ticks at 1, 2 and 5 of each decade that the points span, printed as plain numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ticks = [m * 10.0**e for e in range(-4, 7) for m in (1, 2, 5)]
    below = max((t for t in ticks if t <= low), default=low)
    above = min((t for t in ticks if t >= high), default=high)
    axis.set(xscale="log", xlim=(below * 0.9, above * 1.1))
    axis.xaxis.set_major_locator(FixedLocator([t for t in ticks if below <= t <= above]))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: f"{ms:g}"))
    axis.xaxis.set_minor_locator(NullLocator())


def legend(figure: Any, axis: Any, *, beside: bool = False) -> None:
    """Put the legend under a figure, or beside it where there are many names to read."""
    handles, labels = axis.get_legend_handles_labels()
    if beside:
        figure.legend(handles, labels, loc="outside right upper", handletextpad=0.5)
        return
    columns = _columns(labels)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handletextpad=0.5)


def legend_rows(looks: Mapping[str, Mark]) -> int:
    """Count the rows that a legend of these systems has."""
    return -(-len(looks) // _columns([label(name) for name in looks]))


def label(name: str) -> str:
    """Give a name as a figure shows it: shortened, and never left out of a legend."""
    # Matplotlib leaves names that begin with an underscore out of a legend.
    name = one_line(safe(name))
    shown = name if len(name) <= LABEL else f"{name[: LABEL - 1]}…"
    return f" {shown}" if shown.startswith("_") else shown


def listed(items: Iterable[str]) -> str:
    """Give items as a list in a sentence."""
    return ", ".join(items)


def _columns(labels: Sequence[str]) -> int:
    longest = max(map(len, labels), default=0)
    return 3 if longest <= 22 else 2 if len(labels) > 1 else 1
