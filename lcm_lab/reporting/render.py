"""A page from its template: escaped, self-contained, and allowed to run its own script alone."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Any

__all__ = ["rendered"]


def rendered(name: str, context: dict[str, Any]) -> str:
    """Fill a template of this folder, such as "page.html", with what it shows by name."""
    import jinja2
    from markupsafe import Markup

    templates = {each: _template(each) for each in ("base.html", "macros.html", name)}
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    # Our own drawings, style and script are markup; everything else on the page is escaped.
    environment.filters["drawing"] = Markup
    script = _template("page.js")
    return environment.get_template(name).render(
        css=Markup(_template("page.css")),
        script=Markup(script),
        script_hash=_hash(script),
        **context,
    )


def _template(name: str) -> str:
    folder = resources.files("lcm_lab.reporting").joinpath("templates")
    return folder.joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Give the digest by which the page's policy allows this script, and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
