"""Known items: a later message repeats an error line, a path, a name or a quotation of an earlier.

The question is the sentence around the repeat, with the item left blank; right are the earlier
messages that hold it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from tqdm.std import tqdm

from lcm_lab.columns import NO_TIME
from lcm_lab.identifiers import KINDS, anchors, mentions
from lcm_lab.synth.overlap import stems
from lcm_lab.transcripts.probes.base import Draft, Dropped, Kind
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.language import LEAST, asked, content, echoes
from lcm_lab.values import value

__all__ = ["ECHO", "FEW_WORDS", "GAP", "MOST_GOLD", "UNTIMED", "KnownItem"]

#: At most so many earlier messages hold the item; more, and it is no longer one place.
MOST_GOLD = 8
#: So many rows of the same session lie between the newest of them and the question.
GAP = 3
#: An item is asked for so often at most, from different sentences.
TIMES = 2
#: From different sentences of it.
PER_MESSAGE = 3
#: An item all of whose words are in more rows than this is not looked up.
MOST_WORDS = 200
#: So many characters on both sides of an item are near it.
NEAR = 300
#: Stems of the question that a message of another session must hold: its name may be chance.
SHARED = 3

#: What is called the same in many projects, and points at none.
GENERIC = re.compile(
    r"(?:readme|claude|agents|changelog|license|todo|memory|skill)\.md|package(?:-lock)?\.json|"
    r"tsconfig\.json|__\w+__(?:\.py)?|(?:index|main|app|utils|types|config|test|setup)\.\w{1,4}|"
    r"pyproject\.toml|cargo\.toml|go\.mod|makefile|dockerfile|"
    r"(?:type|java)script|github|gitlab|node(?:\.?js)?|macos|ios|postgresql|openai|chatgpt|"
    r"\w*(?:Error|Exception)|\.?[a-z]+\(\)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“]([^\"“”\n]{25,300})[\"”]|^> ?([^\n]{25,300})$", re.MULTILINE)
#: So many words make a quotation, not a term in quotes.
QUOTE_WORDS = 5
ORDER = {kind: at for at, kind in enumerate(("quote", *KINDS))}

FEW_WORDS = f"question with fewer than {LEAST} words of content, or no sentence"
ECHO = "question that stands word for word in what it looks for"
APART = "item in a message that speaks of something else"
UNTIMED = "message without a time, so that nothing could be hidden from it"


@value
class KnownItem(Kind):
    """Mine what a later message repeats of an earlier one: error, path, identifier or quotation.

    Examples
    --------
    >>> KnownItem()
    KnownItem()
    """

    name: ClassVar[str] = "known item"
    short: ClassVar[str] = "known"
    means: ClassVar[str] = (
        "a sentence of a message with an item left blank that earlier messages hold; right are "
        "those messages"
    )

    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Go through the messages that repeat a rare item of earlier ones, an item once."""
        del rng
        holders = _holders(history.texts)
        used: Counter[str] = Counter()
        for row in history.said:
            if history.times[row] == NO_TIME:
                dropped[UNTIMED] += 1
                continue
            made: set[str] = set()
            for kind, anchor in _items(history.texts[row]):
                if used[anchor] == TIMES or len(made) == PER_MESSAGE:
                    continue
                held = min((holders[word] for word in mentions(anchor)), key=len, default=[])
                at, earlier = _earlier(history, row, anchor, held)
                if not earlier:
                    continue
                made_of, draft = _draft(history, (row, at), (kind, anchor), earlier, dropped)
                if draft is not None and made.isdisjoint(made_of):
                    used[anchor] += 1
                    made.update(made_of)
                    yield draft


def _items(text: str) -> list[tuple[str, str]]:
    found = [
        (kind, one) for kind, one in anchors(text) if not GENERIC.fullmatch(one) and one[0] != "<"
    ]
    quotes = (one or other for one, other in QUOTED.findall(text))
    found += [("quote", one.strip()) for one in quotes if len(one.split()) >= QUOTE_WORDS]
    return sorted(found, key=lambda item: ORDER[item[0]])


def _holders(texts: list[str]) -> dict[str, list[int]]:
    """Give the rows that hold each word; past `MOST_WORDS` of them none: it tells nothing."""
    holders: dict[str, list[int]] = {}
    bar = tqdm(texts, desc="mining", unit="row", delay=1, disable=None, leave=False)
    for row, text in enumerate(bar):
        for word in mentions(text):
            rows = holders.setdefault(word, [])
            if len(rows) <= MOST_WORDS:
                rows.append(row)
    return {word: [] if len(rows) > MOST_WORDS else rows for word, rows in holders.items()}


def _earlier(history: History, row: int, anchor: str, held: list[int]) -> tuple[int, list[int]]:
    """Give the moment to ask, and the rows before it that hold an item; none where they are many.

    What is said again at once needs no memory: then the moment is that of the first of the rows
    just before that hold it, which are hidden with it.
    """
    times, talks, whole = history.times, history.talks, _whole(anchor)
    found = [
        one
        for one in held
        if NO_TIME < times[one] < times[row]
        and anchor in history.texts[one]
        and whole.search(history.texts[one])
    ]
    near = [one for one in found if talks[one] == talks[row] and row - one < GAP]
    at = int(times[[row, *near]].min())
    earlier = [one for one in found if times[one] < at]
    return at, earlier if len(earlier) <= MOST_GOLD else []


def _whole(anchor: str) -> re.Pattern[str]:
    """Find an item as such, no part of a longer name."""
    return re.compile(rf"(?<![\w-]){re.escape(anchor)}(?![\w-])")


def _draft(
    history: History,
    asking: tuple[int, int],
    item: tuple[str, str],
    earlier: list[int],
    dropped: Dropped,
) -> tuple[list[str], Draft | None]:
    """Give the sentences that are asked with, and the topic; None where it would be no good one."""
    (row, at), (kind, anchor) = asking, item
    made_of, query = asked(history.texts[row], anchor)
    if not query:
        dropped[FEW_WORDS] += 1
        return made_of, None
    if any(echoes(made_of, anchor, query, history.texts[one]) for one in earlier):
        dropped[ECHO] += 1
        return made_of, None
    gold = _speaking_of(history, row, (kind, anchor, query), earlier)
    if not gold:
        dropped[APART] += 1
        return made_of, None
    return made_of, Draft(query, gold, int(history.talks[row]), at, anchor, kind, row)


def _speaking_of(
    history: History, row: int, item: tuple[str, str, str], earlier: list[int]
) -> tuple[int, ...]:
    """Keep the messages that speak of what is asked; none where not one of them does.

    The same name in another session may be chance, so that more must be shared there. An error line
    or a quotation is none.
    """
    kind, anchor, query = item
    if kind in ("error", "quote"):
        return tuple(earlier)
    wanted = content(query)
    shared = {one: len(wanted & stems(_around(history.texts[one], anchor))) for one in earlier}
    if max(shared.values()) < 2:
        return ()
    own, least = history.talks[row], {True: 1, False: SHARED}
    return tuple(one for one in earlier if shared[one] >= least[bool(history.talks[one] == own)])


def _around(text: str, anchor: str) -> str:
    """Give what stands near an item in a text; a long output holds any word somewhere."""
    if len(text) <= 2 * NEAR:
        return text
    places = (found.start() for found in re.finditer(re.escape(anchor), text))
    return " ".join(text[max(at - NEAR, 0) : at + len(anchor) + NEAR] for at in places)
