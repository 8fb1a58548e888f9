"""What a notebook is shown as HTML: readable in light and dark, all text escaped, no secrets.

Colours are those of the page around it (JupyterLab's, GitHub's), dimmed or washed by grey, so that
they hold on any ground. Without the style sheet, which some viewers drop, what is left still reads
in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from lcm_lab.redact import redact
from lcm_lab.shown import cut, one_line

__all__ = ["line", "notes", "page", "rows", "text"]

#: The second and third are for MathJax: a dollar in a message is a dollar, and no formula.
CLASSES = "lcm mathjax_ignore tex2jax_ignore"
STYLE = """
.lcm.lcm{font-size:.95em;line-height:1.45;max-width:72em}
.lcm.lcm table{border-collapse:collapse;margin:.4em 0;font-size:inherit;color:inherit}
.lcm.lcm th,.lcm.lcm td{text-align:left;vertical-align:top;padding:.25em .7em}
.lcm.lcm .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.lcm.lcm tbody tr{border-top:1px solid rgba(128,128,128,.35);background:none}
.lcm.lcm td:first-child{white-space:nowrap}
.lcm.lcm caption{text-align:left;padding:.2em 0}
.lcm.lcm code,.lcm.lcm pre{font-size:.95em;background:none;color:inherit;
padding:0;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere}
.lcm.lcm .dim{opacity:.75;font-size:.9em}
.lcm.lcm mark{background:#ffe28a;color:#1b1b1b;padding:0 .1em;border-radius:2px}
.lcm.lcm details,.lcm.lcm .in{margin-left:1em}
.lcm.lcm summary{cursor:pointer}
.lcm.lcm .row{display:flex;flex-wrap:wrap;align-items:center;gap:.4em;margin:.25em 0}
.lcm.lcm .col{display:flex;flex-direction:column;gap:.1em}
.lcm.lcm .box{border:1px solid rgba(128,128,128,.6);border-radius:6px;padding:.15em .6em;
background:rgba(128,128,128,.1)}
.lcm.lcm .tag{border-radius:1em;padding:0 .6em;background:rgba(128,128,128,.25);font-size:.9em}
"""


def page(*parts: str) -> str:
    """Put pieces of HTML together, with what they look like.

    Examples
    --------
    >>> page("<p>one</p>").endswith("<p>one</p></div>")
    True
    """
    return f'<div class="{CLASSES}"><style>{STYLE}</style>{"".join(parts)}</div>'


def text(given: object, limit: int | None = None) -> str:
    """Give a text as HTML: without secrets, cut after that, escaped.

    Parameters
    ----------
    given : object
        Printed with `str`.
    limit : int, optional
        Characters at most.

    Examples
    --------
    >>> text("<b> & password=hunter2-FAKE", 20)
    '&lt;b&gt; &amp; password=[reda…'
    """
    shown = redact(str(given)).text
    if limit is not None and len(shown) > limit:
        shown = cut(shown, limit).rstrip() + "…"
    return escape(_visible(shown))


def line(given: object, limit: int | None = None) -> str:
    r"""Give a text as HTML on one line, otherwise as `text` does.

    Examples
    --------
    >>> line("a\n<b>")
    'a &lt;b&gt;'
    """
    shown = one_line(redact(str(given)).text)
    if limit is not None and len(shown) > limit:
        shown = cut(shown, limit).rstrip() + "…"
    return escape(shown)


def notes(told: Iterable[str]) -> str:
    """Lay out sentences as a list; nothing for none.

    Examples
    --------
    >>> notes(["n < 20"]), notes([])
    ('<ul><li>n &lt; 20</li></ul>', '')
    """
    items = "".join(f"<li>{line(one)}</li>" for one in told)
    return f"<ul>{items}</ul>" if items else ""


def rows(
    head: Sequence[str], body: Iterable[Sequence[str]], *, caption: str = "", numbers: str = ""
) -> str:
    """Lay out cells of HTML as a table.

    Parameters
    ----------
    head : sequence of str
        Plain; escaped here.
    body : iterable of sequence of str
        HTML that is escaped already.
    caption : str
        HTML above the table.
    numbers : str
        Which columns hold numbers, by ``#``; others by a blank: ``"# #"``.

    Examples
    --------
    >>> rows(["a", "b"], [("1", "x")], numbers="#")[:55]
    '<table><thead><tr><th class="n">a</th><th>b</th></tr></'
    """
    kinds = [' class="n"' if mark == "#" else "" for mark in numbers.ljust(len(head))]
    top = "".join(f"<th{kind}>{escape(one)}</th>" for kind, one in zip(kinds, head, strict=True))
    lines = "".join(
        f"<tr>{''.join(f'<td{k}>{one}</td>' for k, one in zip(kinds, cells, strict=True))}</tr>"
        for cells in body
    )
    said = f"<caption>{caption}</caption>" if caption else ""
    return f"<table>{said}<thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def _visible(shown: str) -> str:
    """Take out what turns the direction of reading or acts on a page, and keep lines."""
    return "".join(c for c in shown if c.isprintable() or c in "\n\t\u200c\u200d")
