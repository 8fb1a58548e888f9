"""A page from its template: escaped, self-contained, and allowed to run its own script alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any

__all__ = ["rendered"]

#: Templates that others use, the style and the script that every page has.
SHARED = ("base.html", "macros.html")
STYLE, SCRIPT = ("page.css",), ("page.js",)


def rendered(
    name: str,
    context: dict[str, Any],
    style: Sequence[str] = STYLE,
    script: Sequence[str] = SCRIPT,
) -> str:
    """Fill a template of this folder, such as "page.html", with what it shows by name.

    Parameters
    ----------
    name : str
    context : dict
    style, script : sequence of str
        Files of this folder, in order; joined into the page's one style and its one script.
    """
    import jinja2
    from markupsafe import Markup

    templates = {each: _template(each) for each in (*SHARED, name)}
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # Our own drawings, style, data and script are markup; everything else on the page is escaped.
    environment.filters["drawing"] = Markup
    code = "".join(map(_template, script))
    return environment.get_template(name).render(
        css=Markup("".join(map(_template, style))),
        script=Markup(code),
        script_hash=_hash(code),
        **context,
    )


def _template(name: str) -> str:
    folder = resources.files("lcm_lab.reporting").joinpath("templates")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Give the digest by which the page's policy allows this script, and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
