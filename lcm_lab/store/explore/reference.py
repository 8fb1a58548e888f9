"""Exploration summaries as the reference writes them, gaps included (spec/lcm.md 7.3).

White space, word characters and lengths are those of its language: text counts in UTF-16 units.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from lcm_lab.store.explore.json import shape
from lcm_lab.text import clean

__all__ = ["CODE", "reference"]

SPACES = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SPACE = re.compile(f"[{SPACES}]+")
STRIPPED = re.compile(f"^[{SPACES}]+|[{SPACES}]+$")
BREAK = re.compile(r"\r?\n")

DATA = ("csv", "json", "tsv", "xml", "yaml", "yml")
CODE = (
    *("c", "cc", "cpp", "cs", "go", "h", "hpp", "java", "js", "jsx", "kt", "m", "php", "py"),
    *("rb", "rs", "scala", "sh", "sql", "swift", "ts", "tsx"),
)
DATA_TYPES = (
    *("application/json", "application/xml", "application/yaml", "application/x-yaml"),
    *("application/x-ndjson", "text/csv", "text/tab-separated-values", "text/xml"),
)
CODE_TYPES = (
    *("application/javascript", "application/typescript", "application/x-python-code"),
    *("application/x-rust", "text/javascript", "text/x-c", "text/x-go", "text/x-java"),
    *("text/x-python", "text/x-rust", "text/x-script.python", "text/x-shellscript"),
    "text/x-typescript",
)
#: What a media type is called where a file has no ending; the rest are no structured data.
ENDINGS = {
    "application/json": "json",
    "application/x-ndjson": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "application/csv": "csv",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
}
SHELL = {"application/x-sh": "sh"}

YAML_KEY = re.compile(r"([A-Za-z0-9_.-]+):[" + SPACES + r"]*(?:#.*)?")
XML_TAG = re.compile(f"<([A-Za-z0-9_:-]+)[{SPACES}>]")
IMPORT = re.compile(
    rf"[{SPACES}]*(?:import[{SPACES}]+|from[{SPACES}]+[^{SPACES}]+[{SPACES}]+import[{SPACES}]+"
    rf"|const[{SPACES}]+\w+[{SPACES}]*=[{SPACES}]*require\()",
    re.ASCII,
)
DEFINITION = re.compile(
    rf"(?:export[{SPACES}]+)?(?:async[{SPACES}]+)?(?:function|class|interface|type"
    rf"|const[{SPACES}]+\w+[{SPACES}]*=[{SPACES}]*\(|def[{SPACES}]+\w+\(|struct[{SPACES}]+\w+)",
    re.ASCII,
)
HEADING = re.compile(rf"#{{1,6}}[{SPACES}]+|[A-Z0-9][A-Z0-9{SPACES}:_-]{{6,}}$")


def reference(content: str, name: str = "", mime: str = "") -> str:
    """Describe a content as the reference does.

    Examples
    --------
    >>> print(reference("<r><a/><b>x</b></r>", "x.xml"))
    Structured summary (XML):
    Root element: r.
    Child elements seen: b.
    """
    mime = _stripped(mime).lower()
    ending = _ending(name)
    named = ending or ENDINGS.get(mime, "") or SHELL.get(mime, "")
    if mime.startswith(DATA_TYPES) or named in DATA:
        return clean(_structured(content, named, mime))
    if mime.startswith(CODE_TYPES) or named in CODE:
        return clean(_code(content, name))
    return clean(_text(content, name))


def _structured(content: str, ending: str, mime: str) -> str:
    if ending == "json" or mime.startswith("application/json"):
        return _json(content)
    if ending == "csv" or mime.startswith("text/csv"):
        return _delimited(content, ",", "CSV")
    if ending == "tsv" or mime.startswith("text/tab-separated-values"):
        return _delimited(content, "\t", "TSV")
    if ending == "xml" or mime.startswith(("text/xml", "application/xml")):
        return _xml(content)
    if ending in ("yaml", "yml") or "yaml" in mime:
        return _yaml(content)
    size, lines = _units(content), len(BREAK.split(content))
    return f"Structured summary:\nCharacters: {size:,}.\nLines: {lines:,}."


def _json(content: str) -> str:
    try:
        shown = _shape(json.loads(content, parse_int=float, parse_constant=_refused))
    except RecursionError:
        shown = shape(content) or "..."
    except ValueError:
        return "Structured summary (JSON): failed to parse as valid JSON."
    kind = shown.partition("(")[0]
    return f"Structured summary (JSON):\nTop-level type: {kind}.\nShape: {shown}."


def _shape(value: Any, depth: int = 0) -> str:
    if depth >= 2:
        return "..."
    if isinstance(value, list):
        shown = ", ".join(_shape(item, depth + 1) for item in value[:3])
        return f"array(len={len(value)}{f', sample=[{shown}]' if shown else ''})"
    if isinstance(value, dict):
        shown = ", ".join(_keys(value)[:10])
        return f"object(keys={len(value)}{f': {shown}' if shown else ''})"
    if value is None:
        return "object"
    kinds: dict[type, str] = {str: "string", bool: "boolean"}
    return kinds.get(type(value), "number")


def _keys(value: dict[str, Any]) -> list[str]:
    """Give names in the order of its language: those that are small whole numbers come first."""
    small = [
        key for key in value if re.fullmatch(r"0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1
    ]
    return sorted(small, key=int) + [key for key in value if key not in set(small)]


def _refused(name: str) -> float:
    raise ValueError(name)


def _delimited(content: str, delimiter: str, kind: str) -> str:
    lines = [line for line in map(_stripped, BREAK.split(content)) if line]
    if not lines:
        return f"Structured summary ({kind}): no rows found."
    names = [name for name in map(_stripped, lines[0].split(delimiter)) if name]
    first = _one_line(lines[1], 180) if len(lines) > 1 else "(no data rows)"
    return "\n".join(
        [
            f"Structured summary ({kind}):",
            f"Rows: {len(lines) - 1:,}.",
            f"Columns ({len(names)}): {', '.join(names) or '(none detected)'}.",
            f"First row sample: {first}.",
        ]
    )


def _yaml(content: str) -> str:
    found = (YAML_KEY.fullmatch(line) for line in BREAK.split(content))
    keys = _once(match[1] for match in found if match)
    listed = ", ".join(keys[:30]) or "(none detected)"
    return f"Structured summary (YAML):\nTop-level keys ({len(keys)}): {listed}."


def _xml(content: str) -> str:
    tags = XML_TAG.findall(content)
    root = tags[0] if tags else "unknown"
    seen = _once([tag for tag in tags if tag != root][:30])
    listed = ", ".join(seen) or "(none detected)"
    return f"Structured summary (XML):\nRoot element: {root}.\nChild elements seen: {listed}."


def _code(content: str, name: str) -> str:
    lines = BREAK.split(content)
    imports = _once([_one_line(line, 180) for line in lines if IMPORT.match(line)][:12])
    stripped = [line for line in map(_stripped, lines) if DEFINITION.match(line)]
    defined = _once([_one_line(line, 200) for line in stripped][:24])
    return "\n".join(
        [
            f"Code exploration summary{f' ({name})' if name else ''}:",
            f"Lines: {len(lines):,}.",
            f"Imports/dependencies ({len(imports)}): {' | '.join(imports) or 'none detected'}.",
            f"Top-level definitions ({len(defined)}): {' | '.join(defined) or 'none detected'}.",
        ]
    )


def _text(content: str, name: str) -> str:
    lines = BREAK.split(content)
    headed = [line for line in map(_stripped, lines) if len(line) > 1 and HEADING.match(line)]
    headings = _once([_one_line(line, 160) for line in headed][:18])
    words = _stripped(SPACE.sub(" ", content))
    return "\n".join(
        [
            f"Text exploration summary{f' ({name})' if name else ''}:",
            f"Characters: {_units(content):,}.",
            f"Words: {len(words.split(' ')) if words else 0:,}.",
            f"Lines: {len(lines):,}.",
            f"Detected section headers: {' | '.join(headings) or 'none detected'}.",
            f"Opening excerpt: {_one_line(_cut(content, 0, 500), 500) or '(empty)'}.",
            f"Closing excerpt: {_one_line(_cut(content, -500, None), 500) or '(empty)'}.",
        ]
    )


def _ending(name: str) -> str:
    base = re.split(r"[\\/]", _stripped(name))[-1]
    at = base.rfind(".")
    ending = base[at + 1 :].lower() if at > 0 else ""
    return ending if re.fullmatch("[a-z0-9]{1,10}", ending) else ""


def _stripped(text: str) -> str:
    return STRIPPED.sub("", text)


def _once(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, start: int, stop: int | None) -> str:
    if text.isascii():
        return text[start:stop]
    units = text.encode("utf-16-le", "surrogatepass")
    kept = units[2 * start : None if stop is None else 2 * stop]
    return kept.decode("utf-16-le", "surrogatepass")


def _one_line(text: str, limit: int) -> str:
    plain = _stripped(SPACE.sub(" ", text))
    return plain if _units(plain) <= limit else f"{_cut(plain, 0, limit)}..."
