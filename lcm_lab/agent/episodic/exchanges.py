"""Exchanges: what a user said, with what the assistant answered until the user spoke again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lcm_lab.corpus import Corpus
from lcm_lab.ids import digest
from lcm_lab.messages import Message

__all__ = ["Exchange", "corpus_of", "exchanges"]

#: What is said; the rest of a message is what tools did.
SAID = ("text", "image", "file")
TOOLS = ("tool_call", "tool_result")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message of a user, and what answers it.

    Attributes
    ----------
    id : str
        Does not change while the transcript grows.
    conversation, session, project, branch : str
    user, assistant : str
        What either said; the assistant's messages with a blank line between.
    tools : tuple of str
        Tools that were called, in order.
    work : str
        What was given to tools and what they gave back.
    path, start, end : str, int, int
        The transcript, and the lines from 1 that hold it.
    time, stamp : int or None, str
        Of the last message in it: microseconds since 1970, UTC; as written.
    told : tuple of (str, str)
        What else a transcript says of it, by the reference's names.
    sidechain : bool
        Whether a subagent was spoken to.
    last : bool
        Whether no message follows in its transcript; its last one may go on past ``end``.
    """

    id: str
    conversation: str
    user: str
    assistant: str
    tools: tuple[str, ...] = ()
    work: str = ""
    session: str = ""
    project: str = ""
    branch: str = ""
    path: str = ""
    start: int = 0
    end: int = 0
    time: int | None = None
    stamp: str = ""
    told: tuple[tuple[str, str], ...] = ()
    sidechain: bool = False
    last: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Give the fields that the tool's documentation names; what is unknown is left out."""
        made = {
            "id": self.id,
            "project": self.project,
            "timestamp": self.stamp,
            "userMessage": self.user,
            "assistantMessage": self.assistant,
            "archivePath": self.path,
            "lineStart": self.start,
            "lineEnd": self.end,
            "isSidechain": self.sidechain,
            "sessionId": self.session,
            "gitBranch": self.branch,
            **dict(self.told),
        }
        return {name: held for name, held in made.items() if held != ""}


def exchanges(
    messages: Sequence[Message], conversation: str, project: str = "", branch: str = ""
) -> Iterator[Exchange]:
    """Cut one conversation into exchanges.

    Messages that a rewind left behind are no part of one, nor are those of a subagent unless there
    are no others. What stands before the first message of a user is an exchange without one; a
    question that nobody answered is an exchange too.

    Parameters
    ----------
    messages : sequence of Message
        In order.
    conversation, project, branch : str
        Written beside each exchange.

    Examples
    --------
    >>> from lcm_lab.messages import Part
    >>> said = [("m1", "user", "Which port?"), ("m2", "assistant", "5432."), ("m3", "user", "Thx")]
    >>> made = [Message(name, "s1", role, (Part("text", text),)) for name, role, text in said]
    >>> [(one.user, one.assistant) for one in exchanges(made, "s1")]
    [('Which port?', '5432.'), ('Thx', '')]
    """
    live = [one for one in messages if one.active]
    own = [one for one in live if not one.sidechain] or live
    following = _following(messages)
    for group in _groups(own):
        made = _exchange(group, following, (conversation, project, branch))
        if made.user or made.assistant or made.tools:
            yield made


def corpus_of(found: Iterable[Exchange]) -> Corpus:
    """Make a corpus of exchanges, to be ranked by any policy.

    ``text`` is what was said, ``work`` what tools were given and gave back. An exchange can be
    filtered on by project, branch, session, conversation, time, and its own id (``exchange``).
    """
    return Corpus(
        {
            "docno": one.id,
            "exchange": one.id,
            "text": f"{one.user}\n\n{one.assistant}".strip(),
            "work": one.work,
            "conversation": one.conversation,
            "session": one.session,
            "project": one.project,
            "branch": one.branch,
            "time": one.time,
        }
        for one in found
    )


def _groups(messages: Sequence[Message]) -> Iterator[list[Message]]:
    group: list[Message] = []
    for one in messages:
        if group and one.role == "user" and _said(one).strip():
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _exchange(
    group: Sequence[Message], following: dict[tuple[str, int], int], of: tuple[str, str, str]
) -> Exchange:
    conversation, project, branch = of
    opener = group[0]
    here = [one for one in group if one.source == opener.source] or [opener]
    last = max(one.line for one in here)
    parts = [part for one in group for part in one.parts]
    times = [one for one in group if one.time is not None]
    newest = times[-1] if times else opener
    answers = (_said(one) for one in group if one.role == "assistant")
    return Exchange(
        id=digest("exchange", conversation, opener.id)[:32],
        conversation=conversation,
        user="\n".join(_said(one) for one in group if one.role == "user"),
        assistant="\n\n".join(filter(str.strip, answers)),
        tools=tuple(part.name for part in parts if part.kind == "tool_call" and part.name),
        work="\n".join(part.text for part in parts if part.kind in TOOLS and part.text),
        session=opener.session,
        project=project,
        branch=branch,
        path=opener.source,
        start=opener.line,
        end=max(following.get((opener.source, last), last + 1) - 1, last),
        time=newest.time,
        stamp=newest.stamp,
        sidechain=opener.sidechain,
        last=(opener.source, last) not in following,
    )


def _following(messages: Sequence[Message]) -> dict[tuple[str, int], int]:
    """Give the line of the message after each: a message may stand on several lines."""
    lines: dict[str, list[int]] = {}
    for one in messages:
        lines.setdefault(one.source, []).append(one.line)
    return {
        (source, line): after
        for source, found in lines.items()
        for line, after in zip(sorted(set(found)), sorted(set(found))[1:], strict=False)
    }


def _said(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.kind in SAID and part.text)
