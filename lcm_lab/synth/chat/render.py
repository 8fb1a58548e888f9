"""From a world to the messages of a chat: threads of a few turns, filled up to drawn lengths.

A fact is asked for and answered, or told of one's own accord; the talk around it is on the same
theme and names the same people, so that the turn with the most words of a question is often not the
one with the answer. No other sentence may hold the value of a fact, but for a friend's echo.

Small talk comes in pairs, a sentence and what answers it: who takes the turn begins with the answer
to the last sentence of the turn before, and a fact is asked about before the talk moves on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from lcm_lab.synth.chat.foreign import TALK, Second
from lcm_lab.synth.chat.friends import Friends
from lcm_lab.synth.chat.threads import Line, Threads
from lcm_lab.synth.chat.voices import small_talk
from lcm_lab.synth.draw import CHAT_WORDS, Draw
from lcm_lab.synth.language import Language, table
from lcm_lab.synth.message import Message
from lcm_lab.synth.speech import Speech
from lcm_lab.synth.world import Fact

__all__ = ["render"]

#: Messages a session: the spread of the counterpart, LoCoMo (13 to 43, quartiles 17, 20 and 23).
SESSION = (13, 15, 16, 17, 18, 18, 19, 20, 20, 21, 22, 22, 23, 25, 28, 33)
#: In LoCoMo a turn with evidence has 36 words in the mean, all turns 26: here it gets the longest
#: of three draws, and the others do without the longest eighth.
USUAL = len(CHAT_WORDS) * 7 // 8


def render(
    world: Friends, words: Language, other: Second | None, draw: Draw, tier: int
) -> list[Message]:
    """Give the messages of a conversation, in order; a higher tier answers in fewer words."""
    return _Chat(world, words, other, draw, tier).messages()


class _Chat:
    def __init__(
        self, world: Friends, words: Language, other: Second | None, draw: Draw, tier: int
    ) -> None:
        self.world, self.words, self.other, self.draw = world, words, other, draw
        self.lexicon = table("chat", "lexicon")
        self.speech = Speech(world.values(), draw)
        self.threads = Threads(world, words, self.speech, tier, self._talk)
        self._foreign = [draw.below(len(world.starts)) for _ in range(TALK if other else 0)]
        #: Who said something last that wants an answer, and that answer.
        self._open: tuple[str, str] | None = None

    def _talk(self, speaker: str) -> dict[str, str]:
        return small_talk(self.world, speaker, self.lexicon, self.draw)

    def messages(self) -> list[Message]:
        out: list[Message] = []
        for session, start in enumerate(self.world.starts):
            time, self._open = start, None
            for number, line in enumerate(self._session(session), 1):
                docno = f"{self.world.name}/s{session + 1:02d}/{number:02d}"
                out.append(
                    Message(
                        docno, session, line.speaker, time, self._full(line), line.states,
                        line.mentions, lang=line.lang,
                    )
                )  # fmt: skip
                time += timedelta(seconds=self.draw.between(15, 140))
        return out

    def _session(self, session: int) -> list[Line]:
        first, second = self.draw.shuffle([one.name for one in self.world.speakers])
        threads = [self._thread(f) for f in self.world.facts if f.session == session]
        threads += [self.threads.plant(p) for p in self.world.plants if p.session == session]
        if self.other:
            times = self._foreign.count(session)
            threads += [self.threads.foreign_chatter(self.other) for _ in range(times)]
        size = self.draw.pick(SESSION)
        while sum(map(len, threads)) + 4 < size:
            threads.append(self.threads.chatter())
        opening = [self._free(first, "hello"), self._free(second, "hello_back")]
        closing = [self._free(second, "bye"), self._free(first, "bye_back")]
        closing = closing[: self.draw.between(0, 2)]
        return opening + self._joined(self.draw.shuffle(threads)) + closing

    def _thread(self, fact: Fact) -> list[Line]:
        if fact.kind == "foreign" and self.other:
            return self.threads.foreign(self.other, fact)
        return self.threads.of(fact)

    def _joined(self, threads: Sequence[list[Line]]) -> list[Line]:
        """Put threads one after the other; between two turns of one speaker the other may react."""
        out: list[Line] = []
        for thread in threads:
            first = thread[0]
            if out and out[-1].speaker == first.speaker and self.draw.chance(45):
                out.append(self._answer(self.world.other(first.speaker).name, out[-1]))
            if out and first.core and first.lang == "en" and self.draw.chance(35):
                link = self.speech.sentence(self.words.talk["link"], dict)
                first = replace(first, core=f"{link} {first.core}")
            out += [first, *thread[1:]]
        return out

    def _answer(self, speaker: str, last: Line) -> Line:
        domain = last.domain or self.draw.pick(sorted(self.words.talk["pool"]))
        return Line(speaker, domain, answers=True)

    def _free(self, speaker: str, pool: str) -> Line:
        core = self.speech.clean(self.words.talk[pool], lambda: self._talk(speaker))
        domain = self.draw.pick(sorted(self.words.talk["pool"]))
        return Line(speaker, domain, core, filler="greet" if "hello" in pool else "")

    def _full(self, line: Line) -> str:
        """Answer what was said, and add sentences until the turn has about its drawn length."""
        wanted = self.draw.pick(CHAT_WORDS[:USUAL])
        if line.states:
            wanted = max(self.draw.pick(CHAT_WORDS) for _ in range(3))
        answer = self._answered(line)
        core = [line.core] if line.core else []
        parts = core + answer if line.filler == "greet" else answer + core
        if line.filler == "lead":
            parts = answer
            wanted -= len(line.core.split())
        self._open = None
        while line.filler and (not parts or _words(parts) + 5 < wanted):
            parts.append(self._told(line))
            if parts[-1].endswith("?"):
                break
        if line.filler == "lead":
            self._open, parts = None, parts + core
        return " ".join(parts or core)

    def _answered(self, line: Line) -> list[str]:
        """Give the answer to what the other said last, where there is one to give."""
        fits = self._open is not None and self._open[0] != line.speaker and line.lang == "en"
        known = [self._open[1]] if self._open and fits else []
        if not line.answers:
            return known if self.draw.chance(60) else []
        opener = self.speech.clean(self.words.talk["react"], lambda: self._talk(line.speaker))
        if not known:
            pool = self.words.talk["pool"][line.domain]["react"]
            known = [self.speech.clean(pool, lambda: self._talk(line.speaker))]
        return [opener, *known] if self.draw.chance(40) else known

    def _told(self, line: Line) -> str:
        """Give a sentence on the theme, or a question, and keep what answers it."""
        templates = self.words.talk["pool"][line.domain]["tell"]
        if line.core and self.draw.chance(8):
            templates = self.words.talk["wonder"]
        said, answer = self.speech.pair(templates, lambda: self._talk(line.speaker))
        self._open = line.speaker, answer
        return said


def _words(parts: Sequence[str]) -> int:
    return sum(len(part.split()) for part in parts)
