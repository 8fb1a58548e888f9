"""What a profile is: a module that makes conversations, and the setting that it makes them in.

A profile is a module (``lcm_lab.synth.chat``) with these names, found by `lcm_lab.synth.generate`:

``ABOUT``
    One paragraph for the card: what kind of history it is.
``LIKE``
    dict of texts with the figures of its real counterpart for the card: ``shape`` (a sentence on
    lengths), ``overlap``, ``beaten``; ``repeated`` where that is known.
``NOTES``
    Texts for the card: the known weaknesses, one each.
``BANDS``
    The overlap bands by type, as `lcm_lab.synth.ask.BANDS` has them.
``LANGS``
    The values of ``lang`` that it can do, the usual first; ``("en",)`` for most.
``NOISE``
    The usual noise in thousandths (``setting.noise``); 0 where it is left out.
``conversations(setting) -> list of (name, plan)``
    What the collection of a size is made of; ``plan`` is whatever `part` needs (a cast, ...).
``part(name, plan, setting) -> Part``
    One conversation. It may not depend on the others, so that size L is written one by one.

All randomness comes from ``setting.draw(name, "facts")`` and the like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from lcm_lab.synth.ask import Bands
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.part import Part

__all__ = ["Profile", "Setting"]


@dataclass(frozen=True)
class Setting:
    """The parameters that a collection is made with.

    Examples
    --------
    >>> setting = Setting("chat", seed=3)
    >>> setting.draw("c01", "facts").below(100) == setting.draw("c01", "facts").below(100)
    True
    """

    profile: str
    size: str = "S"
    seed: int = 0
    tier: int = 6
    templates: str = "A"
    lang: str = "en"
    noise: int = 0

    def draw(self, *labels: object) -> Draw:
        """Give a stream of draws of its own; it does not depend on the size."""
        return Draw(self.profile, self.seed, self.tier, self.templates, *labels)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as `lcm_lab.generate` takes them."""
        return {**asdict(self), "noise": self.noise / 1000}

    @property
    def name(self) -> str:
        """The name of the collection."""
        return f"synth-{self.profile}-{self.size.lower()}"


class Profile(Protocol):
    """What `lcm_lab.synth.generate` expects of a profile's module."""

    ABOUT: str
    LIKE: Mapping[str, str]
    NOTES: Sequence[str]
    BANDS: Bands
    LANGS: tuple[str, ...]

    def conversations(self, setting: Setting) -> Sequence[tuple[str, Any]]:
        """Give a name and a plan for each conversation."""

    def part(self, name: str, plan: Any, setting: Setting) -> Part:
        """Make one conversation."""
