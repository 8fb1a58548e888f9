"""Reads a policy from text, as a command line or a file has it, without ever evaluating code.

The text is walked as a syntax tree: names of the public ranking surface, constants, tuples, calls,
the four operators and ``.over(...)``. Everything else is refused at its place, by column.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any

from lcm_lab.errors import BadParameter, LcmError, nearest
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.surface import surface
from lcm_lab.values import Vary

__all__ = ["policy"]

METHODS = ("over",)
OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.RShift: lambda a, b: a >> b,
    ast.Add: lambda a, b: a + b,
    ast.Mult: lambda a, b: a * b,
    ast.Mod: lambda a, b: a % b,
}
SIGNS: Mapping[type[ast.operator], str] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
    ast.Pow: "**",
    ast.Sub: "-",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.LShift: "<<",
    ast.MatMult: "@",
}
#: Far beyond any policy a person writes, and short of what could exhaust the reader's stack.
LONGEST, DEEPEST = 10_000, 100


def policy(text: str) -> Ranker:
    """Read a policy from the expression that makes it.

    Parameters
    ----------
    text : str
        For example ``"BM25(k1=0.9) % 100 + 0.3 * TfIdf() >> Recency('30D') % 10"``. What `repr`
        prints for a policy reads back as an equal one.

    Returns
    -------
    Ranker

    Raises
    ------
    BadParameter
        When the text is no policy; the message names the column (from 1), what there is, and the
        nearest name. Parameters are checked as when the policy is written in Python.

    Examples
    --------
    >>> policy("BM25(k1=0.9) % 100 >> Recency('7D')")
    BM25(k1=0.9) % 100 >> Recency('7D')
    """
    reader = _Reader(text)
    made = reader.read(reader.tree())
    if isinstance(made, Ranker):
        return made
    raise BadParameter(f"{text.strip()!r} is not a policy. Write for example BM25() % 10.")


class _Reader:
    def __init__(self, text: str) -> None:
        # A shell may hand over several lines; outside brackets Python would stop at the first.
        self.text = " ".join(text.splitlines()).strip()
        self.depth = 0

    def tree(self) -> ast.expr:
        if not self.text:
            raise BadParameter("The policy is empty. Write for example BM25() % 10.")
        if len(self.text) > LONGEST:
            raise BadParameter(
                f"The policy has {len(self.text):,} characters. Keep it under {LONGEST:,}."
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text, mode="eval").body
        except SyntaxError as error:
            column = error.offset or len(self.text) + 1
            raise self._unreadable(f"{error.msg} (column {column})") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise self._unreadable(str(error) or type(error).__name__) from None

    def _unreadable(self, why: str) -> BadParameter:
        return BadParameter(
            f"Cannot read the policy {_short(self.text)!r}: {why}. "
            "Write for example BM25() % 100 >> Recency('30D') % 10."
        )

    def refuse(self, node: ast.AST, message: str) -> BadParameter:
        start = getattr(node, "col_offset", 0)
        before = self.text.encode("utf-8", "surrogatepass")[:start]
        column = len(before.decode("utf-8", "surrogatepass")) + 1
        return BadParameter(f"Policy, column {column}: {message}")

    def written(self, node: ast.AST) -> str:
        """Give a part as it was written; without walking it, since it may be deep."""
        return _short(ast.get_source_segment(self.text, node) or "")

    def read(self, node: ast.AST) -> Any:
        read = READERS.get(type(node))
        if read is None:
            what = self.written(node)
            raise self.refuse(node, f"{what!r} cannot stand in a policy. {_there_is()}")
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refuse(node, f"this is nested more than {DEEPEST} deep.")
        made = read(self, node)
        self.depth -= 1
        return made

    def constant(self, node: ast.Constant) -> Any:
        if node.value is None or isinstance(node.value, bool | int | float | str):
            return node.value
        what = self.written(node)
        raise self.refuse(node, f"{what} is neither a number, a text, True, False nor None.")

    def sequence(self, node: ast.Tuple | ast.List) -> tuple[Any, ...]:
        return tuple(self.read(item) for item in node.elts)

    def signed(self, node: ast.UnaryOp) -> Any:
        number = self.read(node.operand)
        if isinstance(node.op, ast.USub | ast.UAdd) and type(number) in (int, float):
            return -number if isinstance(node.op, ast.USub) else number
        raise self.refuse(node, f"{self.written(node)!r}: a sign goes before a number only.")

    def name(self, node: ast.Name) -> Any:
        if node.id in surface():
            raise self.refuse(node, f"{node.id} needs brackets. Write {node.id}().")
        raise self.refuse(node, f"no {node.id!r}. {_there_is(node.id)}")

    def operation(self, node: ast.BinOp) -> Any:
        left, right = self.read(node.left), self.read(node.right)
        apply = OPERATORS.get(type(node.op))
        if apply is None:
            raise self.refuse(node, _no_operator(SIGNS.get(type(node.op), "that")))
        if not _composes(left) and not _composes(right):
            what = self.written(node)
            raise self.refuse(node, f"{what!r} has no policy in it. Write the result instead.")
        return self.make(node, lambda: apply(left, right))

    def call(self, node: ast.Call) -> Any:
        function = self.function(node.func)
        positional = [self.read(item) for item in node.args]
        named = {self.keyword(item): self.read(item.value) for item in node.keywords}
        self.fits(node, function, positional, named)
        return self.make(node, lambda: function(*positional, **named))

    def keyword(self, item: ast.keyword) -> str:
        if item.arg is None:
            raise self.refuse(item.value, "** cannot stand in a policy. Write the parameters out.")
        return item.arg

    def function(self, node: ast.expr) -> Callable[..., Any]:
        if isinstance(node, ast.Name):
            if node.id not in surface():
                raise self.refuse(node, f"no {node.id!r}. {_there_is(node.id)}")
            found: Callable[..., Any] = surface()[node.id]
            return found
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            owner = self.read(node.value)
            if isinstance(owner, Ranker):
                bound: Callable[..., Any] = getattr(owner, node.attr)
                return bound
        what = self.written(node)
        raise self.refuse(node, f"{what!r} cannot be called in a policy. {_there_is()}")

    def fits(
        self, node: ast.Call, function: Any, positional: list[Any], named: dict[str, Any]
    ) -> None:
        signature = inspect.signature(function)
        try:
            signature.bind(*positional, **named)
        except TypeError as error:
            known = list(signature.parameters)
            wrong = next((key for key in named if key not in known), "")
            there = f"It has {', '.join(known)}." if known else "It takes no parameters."
            what = self.written(node.func)
            raise self.refuse(node, f"{what}: {error}. {there}{nearest(wrong, known)}") from None

    def make(self, node: ast.expr, build: Callable[[], Any]) -> Any:
        try:
            return build()
        except (LcmError, TypeError) as error:
            raise self.refuse(node, str(error)) from None


def _there_is(name: str = "") -> str:
    known = sorted(surface())
    return f"There is {', '.join(known)}.{nearest(name, known)}"


def _no_operator(sign: str) -> str:
    return (
        f"{sign} is not a ranking operator. To fuse by rank write RRF(a, b); to fuse by score "
        "write a + b; to re-score what a found write a >> b; to keep the best ten write a % 10."
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


READERS: Mapping[type[ast.AST], Callable[[_Reader, Any], Any]] = {
    ast.Constant: _Reader.constant,
    ast.Tuple: _Reader.sequence,
    ast.List: _Reader.sequence,
    ast.UnaryOp: _Reader.signed,
    ast.Name: _Reader.name,
    ast.BinOp: _Reader.operation,
    ast.Call: _Reader.call,
}


def _composes(part: Any) -> bool:
    """Tell whether operators are for a part: policies, and the strategies within a `Memory`."""
    return is_dataclass(part) and not isinstance(part, Vary)
