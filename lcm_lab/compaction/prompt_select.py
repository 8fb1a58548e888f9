"""What stays in a prompt when not all fits: by what will be asked, or by age."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lcm_lab.compaction.pairing import Compat
from lcm_lab.compaction.prompt import Mode
from lcm_lab.corpus import Corpus
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.text import Analyzer, clean

__all__ = ["Item", "select"]

LATIN = re.compile(r"[a-z0-9]{2,}")


@dataclass(frozen=True, slots=True)
class Item:
    """Something that goes into a prompt, or does not.

    Attributes
    ----------
    size : int
        In tokens.
    text : str
        What it says, to be held against what will be asked.
    fixed : bool
        Whether it always stays.
    """

    size: int
    text: str = ""
    fixed: bool = False


def select(
    items: Sequence[Item], budget: int, prompt: str | None = None, compat: Compat = None
) -> tuple[list[int], Mode]:
    """Choose what stays under a limit; what is fixed stays over it too.

    Where a prompt has words to look for, what answers it best is taken first, by BM25, and of
    equals the newest; what does not fit is passed over. Otherwise the newest are taken, up to the
    first that does not fit.

    Parameters
    ----------
    items : sequence of Item, the oldest first
    compat : {"reference"}, optional
        Score by the share of an item's Latin words that the prompt has.

    Returns
    -------
    (list of int, str)
        The places of what stays, rising, and how they were chosen.

    Examples
    --------
    >>> said = [Item(30, "the cache is redis"), Item(30, "lunch?"), Item(5, "noon", fixed=True)]
    >>> select(said, 40), select(said, 40, "which cache?")
    (([1, 2], 'chronological'), ([0, 2], 'prompt-aware'))
    """
    fixed = [place for place, item in enumerate(items) if item.fixed]
    free = [place for place, item in enumerate(items) if not item.fixed]
    left = max(0, budget - sum(items[place].size for place in fixed))
    if sum(items[place].size for place in free) <= left:
        return list(range(len(items))), "full-fit"
    scores = _scores([items[place].text for place in free], prompt or "", compat)
    aware = scores is not None
    order = sorted(zip(scores or [0.0] * len(free), free, strict=True), reverse=True)
    kept = list(fixed)
    for _, place in order:
        if items[place].size <= left:
            kept.append(place)
            left -= items[place].size
        elif not aware:
            break
    return sorted(kept), "prompt-aware" if aware else "chronological"


def _scores(texts: Sequence[str], prompt: str, compat: Compat) -> list[float] | None:
    """Score texts by what will be asked; None where that has nothing to look for."""
    if compat is not None:
        wanted = set(LATIN.findall(prompt.lower()))
        return [_share(LATIN.findall(text.lower()), wanted) for text in texts] if wanted else None
    if not Analyzer().query(prompt):
        return None
    ranker = BM25(fields=("text",))
    scores = ranker.score(ranker.index(Corpus(map(clean, texts))), [prompt])[0]
    return [float(score) for score in scores]


def _share(words: Sequence[str], wanted: set[str]) -> float:
    return sum(word in wanted for word in words) / len(words) if words else 0.0
