"""Which format a file is in, by the records in it and never by its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any

from lcm_lab.transcripts import (
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    gemini,
    listed,
    openclaw,
    openhands,
    plain,
    swe,
    tables,
)
from lcm_lab.transcripts.draft import Format

__all__ = ["FORMATS", "READ", "UNKNOWN", "recognise"]

UNKNOWN = "unknown format"

#: Every format that is known, one a line. A value is of the first that claims it.
FORMATS = (
    claude_code.FORMAT,
    codex.FORMAT,
    tables.FORMAT,
    swe.MINI,
    plain.FORMAT,
    openclaw.FORMAT,
    openclaw.INDEX,
    openclaw.TRACE,
    gemini.FORMAT,
    gemini.CONTENTS,
    openhands.FORMAT,
    swe.FORMAT,
    chatgpt.FORMAT,
    claude_ai.FORMAT,
    listed.FORMAT,
)

#: What `read` turns into messages.
READ = tuple(one.name for one in FORMATS if one.parse and one is not openclaw.INDEX)


def recognise(values: Iterable[Any]) -> Format | None:
    """Give the format of some of a file's values; None where it is unknown.

    The format that most of the values are of; on a tie the one that is listed first.
    """
    votes: Counter[str] = Counter()
    for item in values:
        votes.update(one.name for one in islice((f for f in FORMATS if f.is_one(item)), 1))
    return max(FORMATS, key=lambda one: votes[one.name]) if votes else None
