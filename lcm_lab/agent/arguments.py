"""Arguments of a tool: what its schema allows, and a sentence on what it does not."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from lcm_lab.errors import BadParameter, nearest
from lcm_lab.text import clean

__all__ = ["checked", "named"]

#: What a JSON type is called in a sentence.
CALLED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list of texts",
}


#: No number of a host is larger: its whole numbers are exact up to there.
LARGEST = 1 << 53


def named(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Give the arguments by name; what a host sends as null counts as not given."""
    names = list(signature.parameters)[1:]
    if len(args) > len(names):
        raise BadParameter(f"{name} takes {len(names)} parameters. Got {len(args)}.")
    given = dict(zip(names, args, strict=False))
    twice = next((one for one in kwargs if one in given), None)
    if twice is not None:
        raise BadParameter(f"{name}: {twice} is given twice.")
    return {one: got for one, got in {**given, **kwargs}.items() if got is not None}


def checked(name: str, schema: Mapping[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Give the arguments if they are what the schema says; else say what it allows."""
    properties = schema["properties"]
    for one, got in given.items():
        if one not in properties:
            there = ", ".join(properties)
            raise BadParameter(
                f"{name} has no parameter {one!r:.40}. It takes {there}.{nearest(one, properties)}"
            )
        if not _fits(properties[one], got):
            raise BadParameter(
                f"{name}: {one} must be {_allowed(properties[one])}. Got {_shown(got)}."
            )
    for one in schema["required"]:
        if one not in given and "default" not in properties[one]:
            about = properties[one].get("description", "").split(". ")[0].rstrip(".")
            raise BadParameter(f"{name} needs {one}: {about or _allowed(properties[one])}.")
    return {one: _settled(properties[one], got) for one, got in given.items()}


def _shown(got: Any) -> str:
    """Write what was given; of a whole number that is beyond bounds only how long it is."""
    if isinstance(got, int) and abs(got) > LARGEST:
        return f"a whole number of {got.bit_length():,} bits"
    return f"{got!r:.80}"


def _fits(allowed: Mapping[str, Any], got: Any) -> bool:
    if "anyOf" in allowed:
        return any(_fits(one, got) for one in allowed["anyOf"])
    kind = allowed["type"]
    if kind == "array":
        fits = isinstance(got, list | tuple) and all(_fits(allowed["items"], one) for one in got)
        return fits and allowed.get("minItems", 0) <= len(got) <= allowed.get("maxItems", len(got))
    if kind in ("integer", "number"):
        real = isinstance(got, int | float) and not isinstance(got, bool)
        whole = real and (kind == "number" or isinstance(got, int) or got.is_integer())
        low, high = allowed.get("minimum", -LARGEST), allowed.get("maximum", LARGEST)
        return whole and low <= got <= high
    right = isinstance(got, bool if kind == "boolean" else str)
    return right and got in allowed.get("enum", [got])


def _settled(allowed: Mapping[str, Any], got: Any) -> Any:
    """Give an allowed value as Python has it: 5.0 is how some hosts write 5; text can be stored."""
    if allowed.get("type") == "integer":
        return int(got)
    if isinstance(got, list | tuple):
        return [clean(one) if isinstance(one, str) else one for one in got]
    return clean(got) if isinstance(got, str) else got


def _allowed(allowed: Mapping[str, Any]) -> str:
    if "anyOf" in allowed:
        return ", or ".join(map(_allowed, allowed["anyOf"]))
    if "enum" in allowed:
        return "one of " + ", ".join(map(repr, allowed["enum"]))
    called = CALLED[allowed["type"]]
    for low, high in (("minimum", "maximum"), ("minItems", "maxItems")):
        if low in allowed:
            items = ", with " if low == "minItems" else " "
            called += f"{items}from {allowed[low]:,} to {allowed[high]:,}".replace(
                "with from", "with"
            )
    return called
