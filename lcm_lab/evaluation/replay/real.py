"""Ways to fill the room of a real summary, side by side: what each keeps of what was used again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.compaction.anchors import Anchors, index_of
from lcm_lab.compaction.extracts import Coverage
from lcm_lab.compaction.summarise import Lead
from lcm_lab.compaction.work import Summariser
from lcm_lab.errors import BadInput
from lcm_lab.evaluation.replay.later import Recorded, recorded
from lcm_lab.evaluation.reuse import kept
from lcm_lab.text import count_tokens

__all__ = ["WAYS", "at_boundaries"]

REAL = "real summary"


def at_boundaries(source: Any, ways: Mapping[str, Summariser] | None = None) -> pd.DataFrame:
    """Compare what summaries of one size keep, where real ones replaced the context of a session.

    Parameters
    ----------
    source : Transcripts
    ways : dict of name to summariser, optional
        By default random lines, the tail, an index of identifiers, and summaries with a quarter of
        their room for an index.

    Returns
    -------
    DataFrame
        boundary, way, limit (tokens of the real summary), tokens, kept, n (identifiers of before
        that the agent used again), share. A row "real summary" comes first.

    Raises
    ------
    BadInput
        When no real compaction is in it after which an identifier was used again.

    Notes
    -----
    What a session used later was shaped by the summary that it had, which flatters that summary.
    Names are looked for as written, a name within a longer one too.
    """
    found = recorded(source.messages)
    if not found:
        raise BadInput("No real compaction is in these transcripts after which work went on.")
    rows = [row for name, one in found.items() for row in _rows(name, one, ways or WAYS)]
    return pd.DataFrame(rows, columns=["boundary", "way", "limit", "tokens", "kept", "n", "share"])


def _rows(name: str, one: Recorded, ways: Mapping[str, Summariser]) -> list[tuple[Any, ...]]:
    limit, names = count_tokens(one.summary), [fact.value for fact in one.facts]
    texts = one.boundary.texts
    written = {REAL: one.summary} | {way: make(texts, limit) for way, make in ways.items()}
    if ways is WAYS:
        index = index_of(texts, limit // 4)
        written["real summary + index of a quarter more"] = f"{one.summary}\n{index}"
    counts = {way: len(kept(text, names)) for way, text in written.items()}
    return [
        (name, way, limit, count_tokens(text), counts[way], len(names), counts[way] / len(names))
        for way, text in written.items()
    ]


def _random(texts: Sequence[str], tokens: int) -> str:
    """Draw whole lines at random until they fill the room."""
    lines = [line for text in texts for line in text.splitlines()[1:] if line.strip()]
    return _filled(lines, np.random.default_rng(0).permutation(len(lines)).tolist(), tokens)


def _tail(texts: Sequence[str], tokens: int) -> str:
    """Take the last lines."""
    lines = [line for text in texts for line in text.splitlines()[1:] if line.strip()]
    return _filled(lines, range(len(lines) - 1, -1, -1), tokens, stop=True)


def _filled(lines: list[str], order: Any, tokens: int, *, stop: bool = False) -> str:
    taken, left = list[int](), tokens
    for at in order:
        size = count_tokens(lines[at]) + 1
        if size <= left:
            taken.append(at)
            left -= size
        elif stop or left < 2:
            break
    return "\n".join(lines[at] for at in sorted(taken))


def _index(share: float) -> Callable[[Sequence[str], int], str]:
    return lambda texts, tokens: index_of(texts, int(share * tokens))


WAYS: Mapping[str, Summariser] = {
    "random lines": _random,
    "tail": _tail,
    "index alone, a tenth of the room": _index(0.1),
    "index alone, a quarter": _index(0.25),
    "index alone, all": _index(1),
    "Lead()": Lead(),
    **{repr(Anchors(one, share=0.25)): Anchors(one, share=0.25) for one in (Lead(), Coverage())},
}
