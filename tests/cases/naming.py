"""Which reports there are, and which tests name them: in a docstring, an id or a comment."""

import ast
import re

ID = re.compile(r"\b[A-Z]{2}-\d{2}\b")
HEADING = re.compile(r"^#### ([A-Z]{2}-\d{2}) ", re.MULTILINE)


def reports(shared):
    """List the ids of the public bug reports, in their order."""
    text = (shared.parent / "cases" / "bug_cases.md").read_text(encoding="utf-8")
    return HEADING.findall(text)


def named(root):
    """Give the ids that each test function names, by the node id that pytest has for it."""
    found = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if not ID.search(source):
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                ids = set(ID.findall("\n".join(_lines(node, source.splitlines()))))
                if ids:
                    found[f"{path.relative_to(root).as_posix()}::{node.name}"] = ids
    return found


def _lines(node, lines):
    """Give the lines of a function, its decorators and the comments that stand on them."""
    start = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
    while start and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return lines[start : node.end_lineno]
