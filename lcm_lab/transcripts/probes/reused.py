"""Reuse: what the agent looked up again although an earlier output of its history held it.

Right is the earlier output, and that it is right needs no judge: it holds the lines that the agent
was given the second time. The question is what the agent, or its user, said before it looked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import ClassVar

import numpy as np

from lcm_lab.columns import NO_TIME
from lcm_lab.transcripts.probes.base import Draft, Dropped, Kind
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.known import GAP, MOST_GOLD, UNTIMED
from lcm_lab.transcripts.probes.language import LEAST, MARKUP, content, prose, sentences
from lcm_lab.transcripts.probes.lookups import Call, calls, looked_for, looks_up
from lcm_lab.values import value

__all__ = ["Reuse"]

#: What a program puts before a line: its number, or the file it is in and its number.
NUMBERED = re.compile(r"^\s*(?:[\w./@+-]+[:-])?\d+[:→\t-]+\s?")
#: A shorter line is in every file.
LONG = 12
#: An output with fewer lines of its own tells nothing.
LINES = 3
#: Lines by which earlier rows that may hold an output are found; the longest are the rarest.
SAMPLED = 6
#: So much of the lines an earlier row must hold.
HELD = 0.8
#: So far back what was said before the lookup is looked for.
BACK = 3

WORDLESS = "lookup that nothing was said about, or too little"
AGAIN = "another lookup for the same reason"
EVERYWHERE = f"lookup whose output is in more than {MOST_GOLD} earlier places"


@value
class Reuse(Kind):
    """Mine what was looked up again: a file read a second time, the same search once more.

    Examples
    --------
    >>> Reuse().name
    'reuse'
    """

    name: ClassVar[str] = "reuse"
    short: ClassVar[str] = "reuse"
    means: ClassVar[str] = (
        "what was said before something was looked up again, and what was looked up; right are the "
        f"earlier messages that hold {100 * HELD:.0f} % of the lines that came back"
    )

    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Go through the lookups whose output earlier rows hold."""
        del rng
        wanted = [(call, _lines(call.output)) for call in calls(history) if _tells(call)]
        wanted = [(call, lines) for call, lines in wanted if len(lines) >= LINES]
        holders = _holders(history, wanted)
        said, seen = set(history.said), set[int]()
        for call, lines in wanted:
            if history.times[call.row] == NO_TIME:
                dropped[UNTIMED] += 1
                continue
            asker, query = _question(history, call, said)
            gold = _earlier(history, asker if asker >= 0 else call.row, lines, holders)
            if not any(history.kinds[one] == "tool_result" for one in gold):
                continue
            if not query or asker in seen:
                dropped[WORDLESS if not query else AGAIN] += 1
            elif len(gold) > MOST_GOLD:
                dropped[EVERYWHERE] += 1
            else:
                seen.add(asker)
                talk, at = int(history.talks[asker]), int(history.times[asker])
                yield Draft(query, gold, talk, at, looked_for(call), call.name.lower(), asker)


def _tells(call: Call) -> bool:
    return call.result >= 0 and not call.error and looks_up(call)


@lru_cache(1 << 12)
def _lines(text: str) -> frozenset[str]:
    """Give the lines of an output that tell something, without what a program put before them."""
    bare = (NUMBERED.sub("", line).strip() for line in text.split("\n"))
    return frozenset(line for line in bare if len(line) >= LONG)


def _holders(
    history: History, wanted: Sequence[tuple[Call, frozenset[str]]]
) -> dict[str, list[int]]:
    """Give the rows that hold each of the lines that outputs are found by."""
    looked = {line for _, lines in wanted for line in _rarest(lines)}
    found: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(history.texts if looked else ()):
        if len(text) >= LONG * LINES:
            for line in _lines(text) & looked:
                found[line].append(row)
    return found


def _rarest(lines: frozenset[str]) -> list[str]:
    return sorted(lines, key=lambda line: (-len(line), line))[:SAMPLED]


def _earlier(
    history: History, asker: int, lines: frozenset[str], holders: dict[str, list[int]]
) -> tuple[int, ...]:
    """Give the first rows well before a question that hold most of the lines, one more than few."""
    times, talks = history.times, history.talks
    looked = _rarest(lines)
    counts = Counter(row for line in looked for row in holders.get(line, ()))
    near = (
        row
        for row, count in sorted(counts.items())
        if 2 * count >= len(looked)
        and NO_TIME < times[row] < times[asker]
        and not (talks[row] == talks[asker] and asker - row < GAP)
    )
    held = (row for row in near if len(lines & _lines(history.texts[row])) >= HELD * len(lines))
    return tuple(islice(held, MOST_GOLD + 1))


def _question(history: History, call: Call, said: set[int]) -> tuple[int, str]:
    """Give the row that says why something is looked up, and the question; (-1, "") for none."""
    first = max(call.row - BACK, 0)
    for row in range(call.row, first - 1, -1):
        if row in said and history.talks[row] == history.talks[call.row]:
            reason = _reason(history.texts[row])
            what = looked_for(call)
            if not reason or not what:
                break
            bare = MARKUP.sub("", reason).rstrip(" .:!?")
            return row, bare if what in bare else f"{bare}: {what}"
    return -1, ""


def _reason(text: str) -> str:
    """Give the last sentence of a text that says enough, which is what leads to the lookup."""
    told = [one for one in sentences(text) if prose(one) and len(content(one)) >= LEAST - 1]
    return told[-1] if told else ""
