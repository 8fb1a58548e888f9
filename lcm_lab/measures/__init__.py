"""Measures: values such as ``nDCG@10`` that give one number a topic, and print as they are written.

Notable: a topic with nothing to find is *undefined* (NaN) rather than 0, and is counted, never
averaged; a topic with no hits is 0; an unjudged hit is not relevant. ``nDCG`` takes every grade
above 0 as gain; the other measures count a document from the grade ``relevant_from`` on. Nothing is
ever called plain "recall": `AnyR` is any-hit, `R` the share, `AllR` all-hit. Ties are not settled
here: a run is in its one order, score then corpus row, before it is judged.
"""

from lcm_lab.measures.base import Measure
from lcm_lab.measures.cost import IndexTime, Latency, Tokens
from lcm_lab.measures.finding import AP, RR, AllR, AnyR, Evidence, R, Stale, nDCG
from lcm_lab.measures.judged import Judged
from lcm_lab.measures.written import parse

__all__ = [
    "AP",
    "RR",
    "AllR",
    "AnyR",
    "Evidence",
    "IndexTime",
    "Judged",
    "Latency",
    "Measure",
    "R",
    "Stale",
    "Tokens",
    "nDCG",
    "parse",
]
