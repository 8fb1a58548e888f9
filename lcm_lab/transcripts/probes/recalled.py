"""The recall log: queries that an agent really sent to a search over its memory.

They are in its transcripts, as tool calls. What the search showed is told by quotation; right is
what the agent then used: it opened the message, or wrote a name that it had from there and from
nowhere else. Of other queries nobody knows what was right; they are counted, not asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from lcm_lab.columns import NO_TIME
from lcm_lab.errors import EmptyQuery
from lcm_lab.identifiers import identifiers
from lcm_lab.query import looks_like_regex, require_words
from lcm_lab.synth.overlap import plain
from lcm_lab.transcripts.probes.base import Draft, Dropped, Kind
from lcm_lab.transcripts.probes.history import History
from lcm_lab.transcripts.probes.known import UNTIMED
from lcm_lab.transcripts.probes.lookups import COMMANDS, SHELLS, SIGNS, Call, argument, calls
from lcm_lab.values import value

__all__ = ["RecallLog", "asks_memory", "sent"]

#: Tools that search what was said, under whatever server's name they are called.
TOOLS = re.compile(
    r"(?:^|[._/]|__)(?:lcm_grep|lcm_expand_query|sessions_search|memory_search|session_search|"
    r"search_(?:memory|memories|sessions|conversations|history|transcripts)|memory_recall|"
    r"conversation_search|recent_chats|recall)$|"
    r"(?:memory|episodic|recall|history|conversation)[\w-]*(?:__|[./])search$|^search$",
    re.IGNORECASE,
)
#: Where agents keep their transcripts; a search through these is one over memory too.
KEPT_IN = re.compile(
    r"\.claude/projects|\.codex/sessions|\.openclaw/|\.pi/agent/sessions|\.gemini/"
)
GREPS = re.compile(r"\b(?:grep|rg|ag|jq)\b")
QUERIES = ("query", "queries", "pattern", "q", "text", "question", "prompt")
#: A quotation is known by so many words in a row, and is at least so long.
RUN, QUOTED = 8, 5
#: So many rows hold a quotation at most.
PLACES = 5
#: So many rows after a search its use is looked for, unless the user speaks before.
AFTER = 40
#: A shorter name is written by chance.
NAME = 5

UNJUDGED = "query of the recall log of which nobody knows what was right"
WORDLESS = "query of the recall log without a word"


@value
class RecallLog(Kind):
    """Mine the queries that an agent sent to ``lcm_grep``, ``memory_search`` and their like.

    Examples
    --------
    >>> RecallLog().name
    'recall log'
    """

    name: ClassVar[str] = "recall log"
    short: ClassVar[str] = "recall"
    means: ClassVar[str] = (
        "a query that the agent sent to a search over its memory; right is what that search showed "
        "and the agent then opened or took a name from"
    )

    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Go through the searches over memory."""
        del rng
        for call in (one for one in calls(history) if asks_memory(one)):
            query = sent(call)
            if not query:
                dropped[WORDLESS] += 1
            elif history.times[call.row] == NO_TIME:
                dropped[UNTIMED] += 1
            elif gold := _used(history, call, query):
                talk, at = int(history.talks[call.row]), int(history.times[call.row])
                item = call.name.rsplit("__", 1)[-1].lower()
                yield Draft(query, gold, talk, at, item=item, row=call.row)
            else:
                dropped[UNJUDGED] += 1


def asks_memory(call: Call) -> bool:
    """Tell whether a call searches what was said before."""
    if call.name.lower() in SHELLS:
        command = argument(call.given, COMMANDS)
        return bool(KEPT_IN.search(command) and GREPS.search(command))
    return bool(TOOLS.search(call.name)) and bool(argument(call.given, QUERIES))


def sent(call: Call) -> str:
    """Give the words that a search was asked with; those of a pattern without its signs.

    Examples
    --------
    >>> sent(Call(0, "lcm_grep", "pattern: retry.*backoff"))
    'retry backoff'
    """
    if call.name.lower() in SHELLS:
        found = re.findall(r"\"([^\"]+)\"|'([^']+)'", argument(call.given, COMMANDS))
        query = next((one or other for one, other in found), "")
    else:
        query = argument(call.given, QUERIES)
    if query.startswith("["):
        query = _listed(query)
    if looks_like_regex(query) or call.name.lower() in SHELLS:
        query = " ".join(SIGNS.sub(" ", query).split())
    try:
        return require_words(query)
    except EmptyQuery:
        return ""


def _listed(query: str) -> str:
    try:
        return " ".join(one for one in json.loads(query) if isinstance(one, str))
    except ValueError:
        return query


def _used(history: History, call: Call, query: str) -> tuple[int, ...]:
    """Give the rows that a search showed and the agent used, in row order."""
    shown = _shown(history, call)
    if not shown:
        return ()
    wrote = _written_after(history, call)
    known = _known_before(history, call, query)
    return tuple(
        row
        for row in shown
        if _opened(history, row, shown, wrote)
        or any(name in text for name in _names(history.texts[row]) - known for text in wrote)
    )


def _shown(history: History, call: Call) -> list[int]:
    """Give the earlier rows that a result quotes, where it is clear which."""
    found: set[int] = set()
    for piece in re.split(r"\n|\.\.\.|…", call.output):
        for words in _runs(plain(piece).split()):
            held = history.order[history.overlap.holding(words)].tolist()
            rows = [row for row in held if _before(history, row, call)]
            rows = [row for row in rows if words in plain(history.texts[row])]
            if len(rows) <= PLACES:
                found.update(rows)
    return sorted(found)


def _runs(words: list[str]) -> Iterator[str]:
    """Give runs of words by which a quotation is known, whatever stands before and behind it."""
    for first in range(0, max(len(words) - RUN, 0) + 1, RUN // 2):
        some = words[first : first + RUN]
        if len(some) >= QUOTED:
            yield " ".join(some)


def _before(history: History, row: int, call: Call) -> bool:
    return bool(NO_TIME < history.times[row] < history.times[call.row])


def _written_after(history: History, call: Call) -> list[str]:
    """Give what the agent wrote and called after a search, until its user spoke again."""
    said, texts = set(history.said), []
    first = max(call.result, call.row) + 1
    for row in range(first, min(first + AFTER, len(history.texts))):
        if history.talks[row] != history.talks[call.row]:
            break
        if row in said and history.roles[row] == "user":
            break
        if history.roles[row] == "assistant":
            texts.append(history.texts[row])
    return texts


def _known_before(history: History, call: Call, query: str) -> set[str]:
    """Give the names that were in the conversation, or in the query, before the search."""
    start = history.corpus.conversations[history.corpus["conversation"].iloc[call.row]].start
    told = [*history.texts[start : call.row], query, call.given]
    return {name for text in told for name in _names(text)}


def _names(text: str) -> set[str]:
    return {name for _, name in identifiers(text) if len(name) >= NAME}


def _opened(history: History, row: int, shown: list[int], wrote: list[str]) -> bool:
    """Tell whether the agent then named a message, or its session if shown no other of it."""
    names = [history.docnos[row].split("#")[0]]
    alone = sum(1 for one in shown if history.talks[one] == history.talks[row]) == 1
    if alone:
        names.append(history.corpus["session"].iloc[row])
    marks = [re.compile(rf"(?<![\w-]){re.escape(one)}(?![\w-])") for one in names if len(one) > 1]
    return any(mark.search(text) for mark in marks for text in wrote)
