"""Exploration summaries: what a large file is, in a few lines and without a model.

A summary has the lines that the reference's have (spec/lcm.md 7.3), with its gaps mended: quoted
fields, keys with a value on their line, repeated elements. ``compat="reference"`` leaves them open.
Time grows with the content, memory does not beyond a copy of it, and no entity is ever expanded.
"""

from __future__ import annotations

import re
from typing import Literal

from lcm_lab.errors import BadParameter
from lcm_lab.store.explore.code import code
from lcm_lab.store.explore.delimited import delimited
from lcm_lab.store.explore.json import json_data
from lcm_lab.store.explore.reference import CODE, reference
from lcm_lab.store.explore.text import binary, is_binary, text
from lcm_lab.store.explore.tree import xml, yaml

__all__ = ["LIMIT", "Compat", "Format", "explore", "extension", "recognised"]

Compat = Literal["reference"] | None
Format = Literal["json", "csv", "tsv", "xml", "yaml", "code", "text", "binary"]

#: Characters of a summary, at most.
LIMIT = 8_000

DATA: dict[str, Format] = {
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "csv": "csv",
    "tsv": "tsv",
    "xml": "xml",
    "yaml": "yaml",
    "yml": "yaml",
}
#: What a file of this type would be called.
ENDINGS = {
    "application/json": "json",
    "application/xml": "xml",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "application/x-ndjson": "json",
    "application/csv": "csv",
    "application/javascript": "js",
    "application/typescript": "ts",
    "application/x-python-code": "py",
    "application/x-rust": "rs",
    "application/x-sh": "sh",
    "text/csv": "csv",
    "text/javascript": "js",
    "text/markdown": "md",
    "text/plain": "txt",
    "text/tab-separated-values": "tsv",
    "text/x-c": "c",
    "text/x-c++": "cpp",
    "text/x-go": "go",
    "text/x-java": "java",
    "text/x-python": "py",
    "text/x-rust": "rs",
    "text/x-script.python": "py",
    "text/x-shellscript": "sh",
    "text/x-typescript": "ts",
    "text/xml": "xml",
}
ENDING = re.compile(r"[^/\\]\.([A-Za-z0-9]{1,10})\s*$")


def explore(content: str, name: str = "", mime: str = "", *, compat: Compat = None) -> str:
    r"""Say what a content is and what is in it, in at most `LIMIT` characters.

    Parameters
    ----------
    content : str
        Any text, of any size; data that is none is named as such.
    name, mime : str
        What it was called, and its media type; "" where unknown. Then what it looks like decides.
    compat : "reference", optional
        Write what the reference would, faults included.

    Raises
    ------
    BadParameter
        For another ``compat``.

    Examples
    --------
    >>> print(explore('id,"name, title"\n1,"Ada, Countess"\n', "people.csv"))
    Structured summary (CSV):
    Rows: 1.
    Columns (2): id, "name, title".
    First row sample: 1,"Ada, Countess".
    """
    if compat == "reference":
        return reference(content, name, mime)
    if compat is not None:
        raise BadParameter(f"compat is None or 'reference'. Got {compat!r}.")
    plain = content.removeprefix("\ufeff")
    made = _explored(plain, name, recognised(plain, name, mime))
    return made if len(made) <= LIMIT else made[: LIMIT - 3] + "..."


def recognised(content: str, name: str = "", mime: str = "") -> Format:
    """Tell the format of a content: by its name, its media type, or else by what it looks like.

    Data comes before code, and the name before the media type.

    Examples
    --------
    >>> recognised("", "a.yml"), recognised("", "", "text/x-python"), recognised(' {"a": 1}')
    ('yaml', 'code', 'json')
    """
    if is_binary(content):
        return "binary"
    endings = (extension(name), extension("", mime))
    data = next((DATA[ending] for ending in endings if ending in DATA), None)
    if data is not None:
        return data
    if any(ending in CODE for ending in endings):
        return "code"
    return _looks(content) if set(endings) <= {"", "txt"} else "text"


def extension(name: str, mime: str = "") -> str:
    """Give the ending that a file has, or that its media type would give it; "" where unknown.

    Examples
    --------
    >>> extension("src/app.PY"), extension("", "application/json"), extension(".profile")
    ('py', 'json', '')
    """
    ending = ENDING.search(name)
    if ending:
        return ending[1].lower()
    return ENDINGS.get(mime.split(";")[0].strip().lower(), "")


def _looks(content: str) -> Format:
    start = content[:2_000].lstrip()
    if start.startswith(("{", "[")) and re.match(
        r"[{\[]\s*(?:[\"{\[\]}\d-]|true|false|null)", start
    ):
        return "json"
    return "xml" if start.startswith("<?xml") else "text"


def _explored(content: str, name: str, kind: Format) -> str:
    if kind == "json":
        found = json_data(content)
        # What does not parse is still text, often a log that begins with a bracket.
        return found if ":\n" in found else f"{found}\n{text(content, name)}"
    if kind in ("csv", "tsv"):
        return delimited(content, "," if kind == "csv" else "\t", kind.upper())
    if kind in ("xml", "yaml"):
        return xml(content) if kind == "xml" else yaml(content)
    if kind == "code":
        return code(content, name)
    return binary(content, name) if kind == "binary" else text(content, name)
