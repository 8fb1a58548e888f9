"""From a project's facts to the entries of its sessions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from lcm_lab.synth.coding.git import message
from lcm_lab.synth.coding.lengths import ENTRIES
from lcm_lab.synth.coding.log import Log
from lcm_lab.synth.coding.phrases import Phrases
from lcm_lab.synth.coding.repo import Repo
from lcm_lab.synth.coding.shell import Shell
from lcm_lab.synth.coding.threads import RIDERS, Threads
from lcm_lab.synth.coding.work import Work
from lcm_lab.synth.coding.world import Project
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import Language
from lcm_lab.synth.message import Message
from lcm_lab.synth.world import Fact, Plant

__all__ = ["Rendered", "render"]

TOKEN = re.compile(r"\w+")
#: Entries that a step of work has in the mean, and that a thread has beside its steps.
A_STEP, A_THREAD = 3.4, 4
#: Tasks that state nothing, a session; entries from which on a session is compacted.
TASKS, FULL = 4, 420


@dataclass(frozen=True)
class Rendered:
    """Entries with the facts that they state, and what is asked for beside facts.

    ``turns`` are what was finished with the user's next text; ``talks`` the docno of the talk
    before each decision.
    """

    messages: list[Message]
    turns: list[tuple[str, Message]]
    talks: dict[str, str]


def render(
    world: Project, repo: Repo, lexicon: Mapping[str, Any], words: Language, draw: Draw
) -> Rendered:
    """Give the entries of all sessions, in order."""
    held = frozenset(world.values())
    shell = Shell(world, repo, lexicon, draw, held, [], world.starts[0])
    log, phrases = Log(shell), Phrases(world, repo, lexicon, words, draw)
    for _ in range(6):  # what was there before the first session
        shell.commits.append((shell.hexes(7), message(shell, words.facts["commit"]["subject"])))
    threads = Threads(log, phrases, Work(log, phrases))
    for session in range(len(world.starts)):
        _session(session, world, threads)
    return Rendered(_stating(log.entries, world.facts), log.turns, log.talks)


def _session(session: int, world: Project, threads: Threads) -> None:
    """Write one session: its threads in random order, with about the drawn number of entries."""
    log, draw = threads.log, threads.draw
    log.open(session)
    plants = draw.shuffle([one for one in world.plants if one.session == session])
    riders, main = _riders(plants, threads)
    jobs: list[Plant | None] = [*main, *([None] * TASKS)]
    jobs = [None, *draw.shuffle(jobs)]
    entries = draw.pick(ENTRIES)
    steps = max(len(jobs), (entries * 10 - A_THREAD * 10 * len(jobs)) // int(A_STEP * 10))
    ends = list(accumulate(draw.between(1, 8) for _ in jobs))
    compact = draw.between(len(jobs) // 2, len(jobs) - 1) if entries > FULL else -1
    done = 0
    for number, (job, end) in enumerate(zip(jobs, ends, strict=True)):
        while len(riders) >= len(jobs) - number or (riders and draw.chance(55)):
            threads.riders.append(riders.pop())
        _thread(job, steps * end // ends[-1] - done, threads)
        done = steps * end // ends[-1]
        if number == compact:
            log.summary(_summary(threads))
    for text, about in [*threads.riders, *riders]:
        log.user(text, about)
        log.say(threads.phrases.sentence(threads.words["decide"]["noted"], {}))
    threads.riders.clear()


def _riders(
    plants: Sequence[Plant], threads: Threads
) -> tuple[list[tuple[str, Fact | None]], list[Plant]]:
    """Take what is told in passing out of a session's plants."""
    riders: list[tuple[str, Fact | None]] = []
    main = []
    for plant in plants:
        if plant.manner == "decoy":
            riders.append((threads.decoy(plant.fact), None))
        elif plant.manner == "states" and plant.fact.kind in RIDERS:
            riders.append((threads.aside(plant.fact, threads.phrases.scene()), None))
        elif plant.manner == "returns" and plant.fact.kind != "slot":
            threads.again(plant.fact, 0)
        else:
            main.append(plant)
    riders += threads.riders
    threads.riders.clear()
    return riders, main


def _thread(job: Plant | None, steps: int, threads: Threads) -> None:
    if job is None:
        threads.task(steps)
    elif job.manner == "returns":
        threads.again(job.fact, steps)
    elif job.manner == "echoes":
        threads.echo(job.fact)
    else:
        threads.tell[job.fact.kind](job.fact, steps)
    if threads.draw.chance(30):
        threads.looks()


def _summary(threads: Threads) -> str:
    """Give the text that stands for what was compacted: what was done, without values."""
    words, phrases, draw = threads.words["compact"], threads.phrases, threads.draw
    parts = [words["head"]]
    for title in words["parts"]:
        some = []
        for _ in range(draw.between(2, 6)):
            scene = phrases.scene()
            gist = phrases.sentence([draw.pick(threads.words["task"])["gist"]], scene)
            some.append(f"- {phrases.sentence(words['line'], scene | {'gist': gist})}")
        parts.append("\n".join([f"{title}:", *some]))
    return "\n\n".join([*parts, words["tail"]])


def _stating(entries: Sequence[Message], facts: Sequence[Fact]) -> list[Message]:
    """Give the entries with the facts whose value each holds, found by looking, not by intent."""
    first: dict[str, list[tuple[Fact, re.Pattern[str]]]] = defaultdict(list)
    for fact in facts:
        held = re.compile(rf"(?<!\w){re.escape(fact.value)}(?!\w)")
        first[max(TOKEN.findall(fact.value), key=len)].append((fact, held))
    out = []
    for entry in entries:
        words = set(TOKEN.findall(entry.text)) & first.keys()
        found = tuple(
            fact
            for word in sorted(words)
            for fact, held in first[word]
            if fact.value in entry.text and held.search(entry.text)
        )
        out.append(replace(entry, states=found) if found else entry)
    return out
