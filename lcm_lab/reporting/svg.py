"""Matplotlib drawings as SVG and PNG: the same bytes each time, and a form in a page's colours."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["INK", "LINES", "MUTED", "ROLES", "SERIES", "Chart", "Drawing", "drawn", "styled"]

#: Colours that stand for a role. In a page they become its custom properties, so that light and
#: dark are one drawing; in a file they are themselves.
INK, MUTED, LINES = "#1b1f23", "#59636e", "#dde1e6"
ROLES = {INK: "var(--ink)", MUTED: "var(--muted)", LINES: "var(--line)"}
#: Okabe and Ito's palette, which colour-blind readers tell apart; its yellow is too pale for lines.
SERIES = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", INK)

#: Dots to the inch of a picture: twice what a screen shows of it.
DPI = 160

#: How a figure looks; a figure of one's own looks so by ``plt.style.use("lcm_lab.style")``.
STYLE = Path(__file__).parent.parent / "style.mplstyle"


class Drawing(NamedTuple):
    """A figure as it is written to files; the picture is made when it is asked for."""

    svg: str
    png: Callable[[], bytes]


@dataclass(frozen=True, repr=False)
class Chart:
    """A figure of a report: its drawing, and in words what it shows."""

    name: str
    title: str
    caption: str
    alt: str
    drawing: Drawing

    @property
    def svg(self) -> str:
        """The drawing as SVG, with title and description inside for who cannot see it."""
        words = f"<title>{escape(self.title)}</title>\n<desc>{escape(self.alt)}</desc>\n"
        at = self.drawing.svg.index(">", self.drawing.svg.index("<svg")) + 2
        return self.drawing.svg[:at] + words + self.drawing.svg[at:]

    @property
    def facts(self) -> dict[str, str]:
        """What a manifest says of it."""
        return {"name": self.name, "title": self.title, "alt": self.alt}

    def save(self, folder: Path) -> None:
        """Write the drawing as ``name.svg`` and ``name.png`` into a folder that is there."""
        (folder / f"{self.name}.svg").write_text(self.svg, encoding="utf-8", newline="\n")
        (folder / f"{self.name}.png").write_bytes(self.drawing.png())

    def __repr__(self) -> str:
        return f"{self.title}. {self.alt}"

    def _repr_svg_(self) -> str:
        """Give the drawing as a notebook shows it: on white, since its ink is dark."""
        white = '<rect width="100%" height="100%" fill="white"/>'
        return self.svg.replace("</desc>\n", f"</desc>\n {white}\n", 1)

    @property
    def inline(self) -> str:
        """The drawing for a page: no size, no prologue, ids of its own, the page's colours."""
        text = self.drawing.svg[self.drawing.svg.index("<svg") :]
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

    style = mpl.rc_params_from_file(STYLE, use_default_template=False)
    # A dollar in a name is a dollar, and no formula.
    with mpl.rc_context({**style, "svg.hashsalt": name, "text.parse_math": False}):
        yield


def drawn(figure: Figure) -> Drawing:
    """Draw a figure without date, creator or trailing blanks; call under `styled`."""
    out = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(out, format="svg", metadata=nothing, transparent=True)
    svg = "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
    return Drawing(svg, partial(_picture, figure))


def _picture(figure: Figure) -> bytes:
    out = io.BytesIO()
    with styled(""):
        figure.savefig(out, format="png", dpi=DPI, facecolor="white", metadata={"Software": None})
    return out.getvalue()
