"""What summarisers and readers are told, by how deep the summary lies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lcm_lab.compaction.footer import FOOTER
from lcm_lab.compaction.source import SPAN

__all__ = ["ANSWERING", "NOTHING", "SUMMARISING", "depth_of", "request"]

#: What is answered where nothing that was read has to do with the question; `QuoteReader` says so.
NOTHING = "Nothing that was read answers this."

SUMMARISING = (
    "You keep the memory of an AI agent. Stretches of its conversation leave its sight, and what "
    "you write stands in their place: the agent goes on from your words alone, and can have the "
    "original back where it knows what to ask for. Write what is true of the material, and nothing "
    "that is not in it. Copy names, paths, commands, numbers, versions, ids and error messages "
    "letter by letter. Write in the language of the material, without a greeting, a heading or a "
    "word about yourself."
)

ANSWERING = (
    "You answer questions about an earlier conversation from passages of it, for an AI agent that "
    "cannot see them. Say only what the passages say. Where they disagree, the later one holds, "
    "and you say that it changed. Answer with one JSON object and nothing else: "
    '{"answer": "...", "citedIds": ["..."]}, where citedIds are the ids of the passages that the '
    f'answer rests on. Where no passage answers the question, the answer is "{NOTHING}" and '
    "citedIds is empty."
)

#: What to write, by depth: over messages, over leaves, over what lies above them, and beyond.
TASKS = (
    """\
Summarise this stretch of the conversation. In this order, leaving out what there is none of:
- what was wanted, by whom, and what was done about it, with the outcome;
- what was decided, and for which reason; what was rejected;
- errors and what solved them; results and figures that something may rest on;
- what was promised, is still open, or waits for somebody.
Then a line "Files:" with each file that was read, made, changed or removed, and which of these; \
"Files: none" where there was none.""",
    """\
These are summaries of successive stretches of one conversation, oldest first. Make one account of \
them, in the order of time. Begin each step with its time, to the hour or the half-hour, as the \
brackets say it. Where something was changed or taken back later, keep only what holds at the end, \
and say that it replaced something. Say a thing once.""",
    """\
These are accounts of successive periods of one conversation, oldest first. Tell the course of the \
work: what it was for, the points at which it turned and why, with their dates, and where it \
stands at the end. Leave out single steps, and whatever was finished and nothing rests on.""",
    """\
These are histories of long periods of one conversation, oldest first. Keep only what lasts: \
decisions and rules in force, requirements, preferences of people, facts about systems and places, \
what was learnt from failures, and what is still open. No chronicle: state each as a fact, with a \
date only where its age matters.""",
)
STRICT = (
    "\nRoom is short: keep only what the agent would go wrong without. Decisions, facts, names and "
    "open ends before reasons; reasons before events."
)
LAST = (
    f'\nEnd with one line that begins "{FOOTER}" and names what you left out, by the words that a '
    "search would find it with."
)

HEAD = re.compile(rf"\[{SPAN}\]\n")


def depth_of(texts: Sequence[str]) -> int:
    r"""Tell how deep the summary of some texts will lie: 0 over messages.

    A text is a summary where its bracket holds a span of time, or ``summary``; it is as deep as
    that says, ``| depth 2``, and a leaf where it says nothing.

    Examples
    --------
    >>> depth_of(["[2026-05-01 10:00 UTC | user]\nUse WAL."])
    0
    >>> depth_of(["[summary]\nWAL.", "[summary | depth 1]\nWAL, and why."])
    2
    """
    return 1 + max(map(_depth, texts), default=-1)


def _depth(text: str) -> int:
    found = HEAD.match(text)
    return -1 if found is None else int(found["depth"] or 0)


def request(depth: int, tokens: int, *, strict: bool, footer: bool, instructions: str = "") -> str:
    """Say what a summary of some depth should hold, and how long it may be.

    Parameters
    ----------
    depth : int
        0 over messages; 3 and deeper are one.
    tokens : int
        At most.
    strict : bool
        Whether only the most needed is kept.
    footer : bool
        Whether the last line names what was left out.
    instructions : str
        The user's own, put last.
    """
    task = TASKS[min(depth, len(TASKS) - 1)] + (STRICT if strict else "")
    room = f"\nAt most {tokens} tokens, which is about {max(1, 3 * tokens // 4)} words."
    own = f"\n{instructions.strip()}" if instructions.strip() else ""
    return task + room + (LAST if footer else "") + own
