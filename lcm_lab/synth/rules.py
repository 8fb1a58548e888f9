"""How a profile asks: what of, how much each question shares with its answer, how hard it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lcm_lab.synth.cases import Cases

__all__ = ["BANDS", "BEATEN", "Bands", "Rules"]

Bands = Mapping[str, tuple[int, int, int, int]]

#: By type, in thousandths: the band for the mean overlap with the gold as real sets have it and the
#: widest that a single question may have. For abstention it is the overlap with the best message.
BANDS: Bands = {
    "single": (450, 700, 150, 1000),
    "multi-session": (400, 600, 150, 800),
    "temporal": (400, 650, 150, 900),
    "update": (600, 750, 250, 1000),
    "contradiction": (700, 850, 400, 1000),
    "preference": (150, 350, 0, 500),
    "abstention": (400, 750, 300, 1000),
    "identifier": (300, 900, 150, 1000),
    "paraphrase": (0, 150, 0, 150),
    "near-duplicate": (700, 900, 500, 1000),
    "rationale": (300, 500, 150, 750),
    "quote": (800, 1000, 600, 1000),
    "cross-lingual": (200, 700, 0, 1000),
    "ordering": (100, 300, 0, 400),
    "adjacency": (0, 200, 0, 250),
}
#: By tier: how many messages shall tie or beat the gold; the median is the tier.
BEATEN: Mapping[int, tuple[int, ...]] = {
    1: (0, 0, 0, 0, 1, 1, 2, 3, 5, 9),
    6: (0, 1, 3, 4, 6, 6, 9, 14, 22, 40),
    23: (3, 7, 12, 17, 22, 24, 32, 45, 60, 90),
}


@dataclass(frozen=True)
class Rules:
    """How a profile asks: makers by type with how many of each, bands by type, tiers."""

    cases: Cases
    bands: Bands
    beaten: Mapping[int, tuple[int, ...]] = field(default_factory=lambda: BEATEN)
