"""Questions about messages as such: who said this, and what came right after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lcm_lab.synth.cases import Case, Judged, Source
from lcm_lab.synth.message import Message
from lcm_lab.synth.overlap import plain
from lcm_lab.synth.world import Fact

__all__ = ["adjacency", "quote", "sentences"]

CUT = re.compile(r"(?<=[.!?])\s+")
#: How many words a quotation has.
SHORT, LONG = 6, 15


def sentences(text: str) -> list[str]:
    """Cut a text into sentences."""
    return [one for line in text.splitlines() for one in CUT.split(line.strip()) if one]


def quote(source: Source) -> Iterator[Case]:
    """Ask who said a sentence that one message alone holds: grade 3, the sentence is the span.

    Templates: ``q`` of ``quote``, with the field ``quote``; the answer is the speaker.
    """
    ways = tuple(source.words.of("quote", "")["q"])
    for at, said in _unique(source.messages, source):
        message = source.messages[at]
        judged = (Judged(message.docno, 3, said),)
        yield Case(
            "quote", _about(message), (), ways, message.speaker, source.after(message.session),
            fields=(("quote", _bare(said)),), judged=judged,
        )  # fmt: skip


def adjacency(source: Source) -> Iterator[Case]:
    """Ask what the other said right after a sentence: the message that follows has grade 3.

    Templates: ``q`` of ``adjacency``, with the fields ``quote``, ``first`` and ``second`` (the two
    speakers); the answer is what the follower's message begins with.
    """
    ways = tuple(source.words.of("adjacency", "")["q"])
    texts = Counter(plain(message.text) for message in source.messages)
    for at, said in _unique(source.messages, source):
        message, *rest = source.messages[at : at + 2]
        if not rest or rest[0].session != message.session or rest[0].speaker == message.speaker:
            continue
        if texts[plain(rest[0].text)] > 1:
            continue
        answer = sentences(rest[0].text)[0]
        yield Case(
            "adjacency", _about(message), (), ways, answer, source.after(message.session),
            fields=(
                ("quote", _bare(said)), ("first", message.speaker), ("second", rest[0].speaker),
            ),
            judged=(Judged(rest[0].docno, 3, answer),),
        )  # fmt: skip


def _unique(messages: Sequence[Message], source: Source) -> Iterator[tuple[int, str]]:
    """Give sentences of a fair length that one message alone holds, with its place."""
    texts = [f" {plain(message.text)} " for message in messages]
    for at in source.draw.shuffle(range(len(messages))):
        message = messages[at]
        if message.kind != "text" or not message.speaker:
            continue
        fit = [
            one
            for one in sentences(message.text)
            if SHORT <= len(one.split()) <= LONG and one.isascii()
        ]
        said = source.draw.pick(fit) if fit else ""
        words = f" {plain(said)} "
        if said and sum(words in text for text in texts) == 1:
            yield at, said


def _about(message: Message) -> Fact:
    return Fact("", "message", "", "", message.speaker, "", message.session, "")


def _bare(said: str) -> str:
    return said.rstrip(".!?,").replace('"', "'")
