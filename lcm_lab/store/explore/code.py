"""What code holds: how long it is, what it imports and what it defines, by line."""

from __future__ import annotations

import re

from lcm_lab.shown import cut, one_line

__all__ = ["code"]

#: How many lines are shown, and how many characters of each.
IMPORTS, IMPORT, DEFINITIONS, DEFINITION = 12, 180, 24, 200

IMPORTED = re.compile(
    r"^[ \t]*(?=(?:import\b|from[ \t]+\S+[ \t]+import\b|use[ \t]+[\w:]+|using[ \t]+[\w.]+"
    r"|require(?:_once|_relative)?\b|include\b|package[ \t]+\w|\#[ \t]*include\b"
    r"|(?:const|let|var)[ \t]+[^=\n]{1,200}=[ \t]*require\())",
    re.MULTILINE,
)
MODIFIERS = (
    "export|default|public|private|protected|internal|static|abstract|final|sealed|async|pub"
    "|unsafe|override|virtual|partial|data|open|inline|const"
)
DEFINED = re.compile(
    rf"^[ \t]*(?=(?:(?:{MODIFIERS})(?:\([^)\n]{{0,40}}\))?[ \t]+){{0,5}}"
    r"(?:(?:function\*?|class|interface|type|struct|enum|trait|impl|module|mod|namespace|object"
    r"|record|protocol|def|fn|fun|func)[ \t]+[\w(<$]|(?:const|let|var)[ \t]+[\w$]+[ \t]*=[ \t]*"
    r"(?:async[ \t]*)?(?:\(|function\b|[\w$]+[ \t]*=>)"
    r"|CREATE[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?(?:TABLE|VIEW|INDEX|FUNCTION|TRIGGER)\b"
    r"|[\w-]+[ \t]*\(\)[ \t]*\{))",
    re.MULTILINE,
)


def code(content: str, name: str = "") -> str:
    r"""Describe code by its imports and definitions, each written once.

    Examples
    --------
    >>> print(code("import os\n\nasync def main():\n    pass\n", "app.py"))
    Code exploration summary (app.py):
    Lines: 5.
    Imports/dependencies (1): import os.
    Definitions (1): async def main():.
    """
    called = f" ({cut(one_line(name), IMPORT)})" if name.strip() else ""
    imports = _lines(content, IMPORTED, IMPORTS, IMPORT)
    definitions = _lines(content, DEFINED, DEFINITIONS, DEFINITION)
    return "\n".join(
        [
            f"Code exploration summary{called}:",
            f"Lines: {content.count(chr(10)) + 1:,}.",
            f"Imports/dependencies ({len(imports)}): {' | '.join(imports) or 'none detected'}.",
            f"Definitions ({len(definitions)}): {' | '.join(definitions) or 'none detected'}.",
        ]
    )


def _lines(content: str, pattern: re.Pattern[str], many: int, long: int) -> list[str]:
    """Give the first different lines that a pattern finds, each cut."""
    found: dict[str, None] = {}
    for start in pattern.finditer(content):
        line = content[start.end() : start.end() + 2 * long].partition("\n")[0]
        found.setdefault(cut(one_line(line), long))
        if len(found) == many:
            break
    return list(found)
