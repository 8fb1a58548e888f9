"""Matplotlib drawings as SVG text: the same bytes each time, and a form in a page's colours."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["INK", "LINES", "MUTED", "ROLES", "SERIES", "Chart", "drawn", "styled"]

#: Colours that stand for a role. In a page they become its custom properties, so that light and
#: dark are one drawing; in a file they are themselves.
INK, MUTED, LINES = "#1b1f23", "#59636e", "#dde1e6"
ROLES = {INK: "var(--ink)", MUTED: "var(--muted)", LINES: "var(--line)"}
#: Okabe and Ito's palette, which colour-blind readers tell apart; its yellow is too pale for lines.
SERIES = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", INK)

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text: searchable, and in the font of the page
    "text.parse_math": False,  # a dollar in a name is a dollar
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": LINES,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
    "grid.color": LINES,
    "grid.linewidth": 0.7,
    "xtick.color": LINES,
    "ytick.color": LINES,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
}


@dataclass(frozen=True)
class Chart:
    """A figure of a report: its SVG, and in words what it shows."""

    name: str
    title: str
    caption: str
    alt: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    @property
    def inline(self) -> str:
        """The drawing for a page: no size, no prologue, ids of its own, the page's colours."""
        text = self.svg[self.svg.index("<svg") :]
        text = re.sub(r' (?:width|height)="[\d.]+pt"', "", text, count=2)
        text = re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
        text = re.sub(r'\bid="', f'id="{self.name}-', text)
        text = re.sub(r'href="#', f'href="#{self.name}-', text)
        text = re.sub(r"url\(#", f"url(#{self.name}-", text)
        text = re.sub(r"(font: [\d.]+px) [^;\"]*", r"\1 var(--sans)", text)
        for colour, role in ROLES.items():
            text = text.replace(colour, role)
        return text.replace("<svg ", '<svg role="presentation" focusable="false" ', 1)


@contextmanager
def styled(name: str) -> Iterator[None]:
    """Draw in the style of the reports; ``name`` salts the ids, which would be random without."""
    import matplotlib as mpl

    settings: Any = {**STYLE, "svg.hashsalt": name}
    with mpl.rc_context(settings):
        yield


def drawn(figure: Drawing) -> str:
    """Give a drawing as SVG text without date, creator or trailing blanks; call under `styled`."""
    out = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(out, format="svg", metadata=nothing, transparent=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
