"""Codes and readings: strings of a shape, and their neighbours at one or two characters."""

from __future__ import annotations

from lcm_lab.synth.draw import Draw

__all__ = ["code", "near", "reading"]

#: What stands for what in a shape; letters that look like digits are left out.
KINDS = {"@": "ABCDEFGHJKLMNPQRTUVWXYZ", "#": "0123456789"}


def code(shape: str, draw: Draw) -> str:
    """Give a code: ``@`` of the shape a letter, ``#`` a digit, all else as it stands."""
    return "".join(draw.pick(KINDS[c]) if c in KINDS else c for c in shape)


def near(found: str, shape: str, draw: Draw) -> str:
    """Give a code one or two characters away."""
    out = list(found)
    places = [i for i, c in enumerate(shape) if c in KINDS]
    for i in draw.sample(places, draw.between(1, 2)):
        out[i] = draw.pick([c for c in KINDS[shape[i]] if c != out[i]])
    return "".join(out)


def reading(pattern: str, draw: Draw) -> str:
    """Give a measured value of a pattern."""
    fields = {
        "min": str(draw.between(18, 79)), "sec": f"{draw.below(60):02d}",
        "one": str(draw.between(4, 9)), "dec": str(draw.below(10)),
    }  # fmt: skip
    return pattern.format(**fields)
