"""Tools: a method whose signature and docstring are its JSON schema, and which checks what it gets.

One definition serves Python, the command line and MCP. Nothing is coerced: "5" is no number, and
the text '["a"]' is no list.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from lcm_lab.agent.arguments import checked, named
from lcm_lab.errors import LcmError
from lcm_lab.redact import redact

__all__ = ["ASKED", "Answer", "Between", "Tool", "tool", "tools_of"]

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")

PARAMETERS = re.compile(r"^Parameters\n-+\n(.*?)(?:\n\n?\S+\n-{3,}|\Z)", re.DOTALL | re.MULTILINE)
NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True)
class Between:
    """The least and the most that a number may be, or that a list may hold."""

    low: float
    high: float


#: A parameter that the JSON schema asks for although Python has a default: hosts read it there.
ASKED: Literal["asked"] = "asked"


class Answer(Protocol):
    """What a tool gives."""

    def to_text(self) -> str:
        """Give it for an agent to read: bounded, with what was left out."""

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON, with the fields that the tool's documentation names."""


@dataclass(frozen=True)
class Tool:
    """A tool as others see it.

    Attributes
    ----------
    name, description : str
        Of the method, and the part of its docstring that stands before the parameters.
    schema : dict
        JSON Schema of its parameters; nothing else is allowed.
    call : callable
        The bound method; it checks what it gets.
    """

    name: str
    description: str
    schema: dict[str, Any]
    call: Callable[..., Answer]


def tool(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Make a method a tool, which refuses arguments that its schema does not allow.

    Annotate parameters with types of JSON, `Literal`, ``| None``, and `Between`; describe each in
    the docstring.

    Examples
    --------
    >>> from typing import Annotated
    >>> class Tools:
    ...     @tool
    ...     def find(self, words: str, limit: Annotated[int, Between(1, 50)] = 10) -> str:
    ...         '''Find words.
    ...
    ...         Parameters
    ...         ----------
    ...         words : str
    ...             What to look for.
    ...         limit : int
    ...             Hits, at most.
    ...         '''
    ...         return f"{limit} x {words}"
    >>> Tools().find("WAL", limit=3)
    '3 x WAL'
    >>> Tools().find("WAL", limit=51)
    Traceback (most recent call last):
    lcm_lab.errors.BadParameter: find: limit must be a whole number from 1 to 50. Got 51.
    >>> tools_of(Tools())[0].schema["properties"]["limit"]
    {'type': 'integer', 'minimum': 1, 'maximum': 50, 'default': 10, 'description': 'Hits, at most.'}
    """
    schema = functools.cache(lambda: _schema(method))
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = named(method.__name__, signature, args, kwargs)
            return method(self, **checked(method.__name__, schema(), given))  # type: ignore[call-arg]
        except LcmError as error:
            error.args = (redact(str(error)).text,)  # it may quote what is stored
            raise

    call.schema = schema  # type: ignore[attr-defined]
    return call


def tools_of(family: object) -> list[Tool]:
    """List the tools that an object has, in the order in which its class defines them."""
    found = []
    for kind in reversed(type(family).__mro__):
        for name, method in vars(kind).items():
            schema = getattr(method, "schema", None)
            if schema is not None:
                about = (inspect.getdoc(method) or "").split("\nParameters\n---")[0].strip()
                found.append(Tool(name, about, schema(), getattr(family, name)))
    return list({one.name: one for one in found}.values())


def _schema(method: Callable[..., Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(method, include_extras=True)
    told = _described(inspect.getdoc(method) or "")
    properties, required = {}, []
    for name, parameter in list(inspect.signature(method).parameters.items())[1:]:
        made = _type(hints[name])
        has_default = parameter.default is not inspect.Parameter.empty
        if not has_default or ASKED in getattr(hints[name], "__metadata__", ()):
            required.append(name)
        if has_default and parameter.default is not None:
            made["default"] = parameter.default
        properties[name] = made | ({"description": told[name]} if name in told else {})
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _type(hint: Any) -> dict[str, Any]:
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        made = _type(hint.__origin__)
        for bounds in (one for one in hint.__metadata__ if isinstance(one, Between)):
            names = ("minItems", "maxItems") if _listed(made) else ("minimum", "maximum")
            target = next((o for o in made.get("anyOf", []) if o["type"] == "array"), made)
            target |= dict(zip(names, (bounds.low, bounds.high), strict=True))
        return made
    if origin in (typing.Union, types.UnionType):
        some = [_type(one) for one in typing.get_args(hint) if one is not type(None)]
        return some[0] if len(some) == 1 else {"anyOf": some}
    if origin is Literal:
        return {"type": "string", "enum": list(typing.get_args(hint))}
    if origin is list:
        return {"type": "array", "items": _type(typing.get_args(hint)[0])}
    return {"type": NAMES[hint]}


def _listed(made: Mapping[str, Any]) -> bool:
    return made.get("type") == "array" or any(
        one["type"] == "array" for one in made.get("anyOf", [])
    )


def _described(doc: str) -> dict[str, str]:
    """Take what a docstring says of each parameter, on one line."""
    found = re.search(
        r"^Parameters\n-+\n(.*?)(?:\n\n?\S+\n-{3,}|\Z)", doc, re.DOTALL | re.MULTILINE
    )
    told: dict[str, list[str]] = {}
    names: list[str] = []
    for line in (found[1] if found else "").splitlines():
        if line and not line[0].isspace():
            names = [name.strip() for name in line.partition(":")[0].split(",")]
        elif line.strip():
            for name in names:
                told.setdefault(name, []).append(line.strip())
    return {name: " ".join(lines) for name, lines in told.items()}
