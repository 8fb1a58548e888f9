"""What a worker does in one conversation: read, have a reader answer, and check what it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lcm_lab.agent.lcm.expansion.buckets import Bucket
from lcm_lab.agent.lcm.expansion.budget import Deadline
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.expansion.reading import Reading, read_under
from lcm_lab.agent.lcm.expansion.reply import Reply, parse_reply, read_reply
from lcm_lab.agent.lcm.expansion.result import Expanded
from lcm_lab.agent.lcm.expansion.support import resting, supports
from lcm_lab.agent.lcm.expansion.together import Unread
from lcm_lab.agent.lcm.history import History
from lcm_lab.agent.lcm.reader import NOTHING, Passage, QuoteReader, Reader
from lcm_lab.compaction.summarise import beginning
from lcm_lab.errors import BadInput
from lcm_lab.redact import redact
from lcm_lab.text import count_tokens

__all__ = ["Task", "answered"]


@dataclass(frozen=True)
class Task:
    """What a worker is asked.

    Attributes
    ----------
    prompt : str
        The question that is answered.
    query : str
        What it was found by; "" where summaries were named.
    tokens : int
        The longest answer.
    reader : Reader or None
        None for `QuoteReader`.
    """

    prompt: str
    query: str
    tokens: int
    reader: Reader | None = None

    @property
    def question(self) -> str:
        """What is looked for: the question, and what else it was found by."""
        return self.prompt if self.query in ("", self.prompt) else f"{self.prompt} {self.query}"


def answered(
    history: History, bucket: Bucket, task: Task, grant: Grant, deadline: Deadline
) -> Expanded:
    """Read under the summaries of one conversation, and answer from what was read.

    Raises
    ------
    Unread
        Where the reader says nothing, or something that is no answer.
    """
    reading = read_under(history, bucket, task.question, grant, deadline)
    deadline.check()
    reader = QuoteReader(task.tokens) if task.reader is None else task.reader
    reply = _reply(reader, task, reading.passages, len(bucket.summaries), history.compat)
    deadline.check()
    grant.check(bucket.conversation)
    answer = _bounded(redact(reply.answer).text, task.tokens)
    found = Expanded(
        answer,
        unsound=tuple(f"{name} ({why})" for name, why in reading.unsound.items()),
        summaries=len(reading.summaries),
        tokens=reading.tokens,
        truncated=reading.truncated or reply.truncated,
    )
    if history.compat and reply.cited is not None:  # as reported
        return replace(found, cited=reply.cited)
    return _checked(history, bucket, found, reply.cited, reading)


def _reply(
    reader: Reader, task: Task, passages: Sequence[Passage], seeds: int, compat: str | None
) -> Reply:
    said = reader(task.prompt, tuple(passages))
    if not isinstance(said, str):
        raise Unread("parse_reply", f"The reader gave no text but {type(said).__name__}.")
    if not said.strip():
        raise Unread("read_reply", "The reader gave an empty answer.")
    strict = compat is not None and task.reader is not None
    try:
        return parse_reply(said, seeds) if strict else read_reply(said, seeds)
    except BadInput as error:
        raise Unread("parse_reply", str(error)) from error


def _bounded(answer: str, tokens: int) -> str:
    return answer if count_tokens(answer) <= tokens else beginning(answer, tokens)


def _checked(
    history: History,
    bucket: Bucket,
    found: Expanded,
    claimed: tuple[str, ...] | None,
    reading: Reading,
) -> Expanded:
    """Keep of what is cited what exists, lies in this conversation, and holds what is said.

    Where a reader does not say what it rests on, that is found out.
    """
    if found.answer == NOTHING:
        return found
    passages = reading.passages
    if claimed is None:
        rest = [passages[at] for at in resting(found.answer, [str(one) for one in passages])]
        return _citing(found, rest)
    texts = _texts(history, bucket.conversation, claimed, passages)
    held = [name for name in claimed if any(supports(one, found.answer) for one in texts[name])]
    rest = [one for one in passages if one.id in held and supports(str(one), found.answer)]
    refused = tuple(name for name in claimed if name not in held)
    kept = _citing(replace(found, refused=refused), rest)
    direct = [name for name in held if name in history.summaries(bucket.conversation)]
    return replace(kept, cited=tuple(dict.fromkeys((*direct, *kept.cited))))


def _citing(found: Expanded, rest: Sequence[Passage]) -> Expanded:
    return replace(
        found,
        cited=tuple(dict.fromkeys(one.under for one in rest if one.under)),
        messages=tuple(dict.fromkeys(one.id for one in rest if one.id != one.under)),
    )


def _texts(
    history: History, conversation: str, names: Sequence[str], passages: Sequence[Passage]
) -> dict[str, list[str]]:
    """Give what stands under each id that is cited: what was read there, and a summary's own."""
    dag = history.summaries(conversation)
    own = {one.id: one.text for one in dag.summaries}
    return {
        name: [str(one) for one in passages if name in (one.id, one.under)]
        + ([own[name]] if name in own else [])
        for name in names
    }
