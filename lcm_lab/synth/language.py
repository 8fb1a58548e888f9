"""Sentences: where they are written (TOML, two disjoint template sets), and how one is made."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, cast

from lcm_lab.errors import BadParameter
from lcm_lab.synth.draw import Draw

__all__ = ["Language", "expand", "language", "sentence", "table"]

CHOICE = re.compile(r"\[([^\[\]]*)\]")
FIELD = re.compile(r"\{(\w+)(!?)\}")
START = re.compile(r"[.!?…] [a-z]")


@dataclass(frozen=True)
class Language:
    """One template set of a profile: sentences about facts, and the talk around them."""

    facts: Mapping[str, Any]
    talk: Mapping[str, Any]

    def of(self, family: str, name: str) -> Mapping[str, Any]:
        """Give the sentences about one attribute; a family without attributes has one entry."""
        found: Mapping[str, Any] = self.facts[family]
        return cast(Mapping[str, Any], found.get(name, found))


@cache
def table(profile: str, name: str) -> Mapping[str, Any]:
    """Read one TOML table of a profile."""
    text = files("lcm_lab.synth").joinpath(profile, f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def language(profile: str, templates: str) -> Language:
    """Give a template set, "A" (development) or "B" (test).

    Raises
    ------
    BadParameter
        For another set.
    """
    if templates not in ("A", "B"):
        raise BadParameter(f"templates must be 'A' (development) or 'B' (test). Got {templates!r}.")
    name = templates.lower()
    return Language(table(profile, name), table(profile, f"{name}_talk"))


def expand(template: str, draw: Draw) -> str:
    """Choose one of each ``[x|y]``, innermost first."""
    while found := CHOICE.search(template):
        chosen = draw.pick(found.group(1).split("|"))
        template = template[: found.start()] + chosen + template[found.end() :]
    return template


def sentence(template: str, fields: Mapping[str, str], draw: Draw) -> str:
    """Choose, fill the ``{fields}`` (``{v!}`` with a capital), begin sentences with capitals."""
    pieces = list(_pieces(expand(template, draw)))
    for at in range(1, len(pieces), 3):
        text = fields[pieces[at]]
        pieces[at] = text[:1].upper() + text[1:] if pieces[at + 1] else text
        pieces[at + 1] = ""
    text = "".join(pieces)
    if "a" <= text[:1] <= "z":
        text = text[0].upper() + text[1:]
    return START.sub(lambda found: found.group().upper(), text)


@lru_cache(maxsize=20_000)
def _pieces(text: str) -> list[str]:
    """Split at the fields: text, a field's name, its mark or nothing, text, and so on."""
    return FIELD.split(text)
