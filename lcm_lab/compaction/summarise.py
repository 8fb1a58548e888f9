"""Lead: the first sentences of everything, the summariser that needs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lcm_lab.compaction.source import sequence_or_refused, speaker_of
from lcm_lab.dag.nodes import token_counts
from lcm_lab.shown import cut
from lcm_lab.text import count_tokens
from lcm_lab.values import value

__all__ = ["Lead", "beginning", "units"]

#: Where a sentence ends: after its mark and what closes it, before a space; in scripts without
#: spaces right after the mark.
END = re.compile(r"(?<=[.!?…])[\"')\]»”]*\s+|(?<=[。！？])[」』）]*")
FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)[^\n]*$", re.DOTALL | re.MULTILINE)


@value
class Lead:
    r"""Summarise by first sentences: of every text its first, then of every text its second.

    Sentences and code blocks stay whole, and in the order of the texts. Where not even the first
    sentence of every text fits, texts at even distances are taken. A sentence that is alone longer
    than the limit is cut. Nothing is written that was not in a text, but for who speaks.

    Examples
    --------
    >>> Lead()(["Use WAL. It is faster.", "Agreed. I will change it."], 8)
    'Use WAL.\nAgreed.'
    """

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give at most ``tokens`` tokens (by `count_tokens`) of whole sentences.

        Parameters
        ----------
        texts : sequence of str
        tokens : int
            At least 1.

        Returns
        -------
        str
            "" when no text holds a word.
        """
        sequence_or_refused(texts)
        said = [speaker_of(text) for text in texts]
        lines = [[*units(text)] for _, text in said]
        opening = [1 + count_tokens(f"{who}: ") if who else 1 for who, _ in said]
        speakers = [who for who, _ in said]
        counts = _counts(lines)
        found = _shown(speakers, lines, _taken(counts, opening, tokens))
        spare = tokens - token_counts([found])[0]
        if found and spare:
            # Line breaks were counted one by one, and those behind a full stop cost nothing.
            more = _shown(speakers, lines, _taken(counts, opening, tokens + spare))
            found = more if token_counts([more])[0] <= tokens else found
        return found or beginning("\n".join(text for _, text in said), tokens)


def units(text: str) -> Iterator[str]:
    r"""Part a text into what stays whole: code blocks, and the sentences of each line.

    Examples
    --------
    >>> list(units("Use WAL. It is faster.\nOK?"))
    ['Use WAL.', 'It is faster.', 'OK?']
    """
    at = 0
    for block in FENCE.finditer(text):
        yield from _sentences(text[at : block.start()])
        yield f"\n{block[0]}\n"
        at = block.end()
    yield from _sentences(text[at:])


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        start = 0
        for end in END.finditer(line):
            if line[start : end.end()].strip():
                yield line[start : end.end()].strip()
                start = end.end()
        if line[start:].strip():
            yield line[start:].strip()


def _shown(speakers: Sequence[str], lines: list[list[str]], taken: list[int]) -> str:
    """Write the first units of each text, a line a text."""
    return "\n".join(
        f"{who}: {' '.join(part[:n])}" if who else " ".join(part[:n])
        for who, part, n in zip(speakers, lines, taken, strict=True)
        if n
    )


def _counts(lines: list[list[str]]) -> list[list[int]]:
    """Count the tokens of every unit, all at once."""
    sizes = iter(token_counts([unit for part in lines for unit in part]))
    return [[next(sizes) for _ in part] for part in lines]


def _taken(counts: list[list[int]], opening: list[int], tokens: int) -> list[int]:
    """Choose how many units of each text are taken, a round at a time."""
    taken, left = [0] * len(counts), tokens
    going = [at for at, part in enumerate(counts) if part]
    while going and left > 0:
        sizes = {at: counts[at][taken[at]] + (0 if taken[at] else opening[at]) for at in going}
        further = []
        for at in _spread(going, sum(sizes.values()), left):
            if sizes[at] <= left:
                left -= sizes[at]
                taken[at] += 1
                further += [at] if taken[at] < len(counts[at]) else []
        going = sorted(further)
    return taken


def _spread(going: list[int], size: int, left: int) -> list[int]:
    """Order the texts of a round: all of them, or first those at even distances that will fit."""
    step = min(len(going), max(1, -(-size // left)))
    return [at for start in range(step) for at in going[start::step]]


def beginning(text: str, tokens: int) -> str:
    """Give as much of a text as fits into so many tokens, to the end of a word where there is one.

    Examples
    --------
    >>> beginning("We chose Postgres, after all.", 3)
    'We chose Postgres'
    """
    text = text.strip()
    low, high = 0, min(len(text), 20 * tokens)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count_tokens(text[:middle]) <= tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    part = cut(text, low)
    inside = part[-1:].isalnum() and text[len(part) : len(part) + 1].isalnum()
    if inside and " " in part:
        part = part.rsplit(maxsplit=1)[0]
    return part.strip()
