"""Recall: what was said of a name that a prompt uses and nothing in view mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lcm_lab.compaction.pairing import Turn
from lcm_lab.compaction.prompt import Prompt
from lcm_lab.compaction.prompt_size import sizes_of_turns
from lcm_lab.compaction.prompt_turns import escaped, quoted, texts_of
from lcm_lab.compaction.summarise import units
from lcm_lab.dag import Dag
from lcm_lab.messages import Message
from lcm_lab.redact import redact

__all__ = ["recall", "recall_ids"]

#: Names, messages, messages looked at for a name, and characters of each that are shown at most.
NAMES, MESSAGES, LOOKED_AT, SHOWN = 4, 4, 32, 1_200
#: How much of a snippet that is cut stands before the name.
BEFORE = 0.75
NAME = re.compile(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![A-Za-z0-9_])")
SECRET = re.compile(
    r"(?:^|_)(?:(?:API)?KEYS?|TOKENS?|SECRETS?|PASS(?:WORD|WD|PHRASE|CODE)?S?|AUTH|CREDENTIALS?|"
    r"CREDS?|PRIVATE|COOKIES?|BEARER|SIGNATURE)(?:_|$)"
)


def recall_ids(prompt: str) -> list[str]:
    """Find names in upper case, joined by underscores, of which none sounds like a secret.

    Examples
    --------
    >>> recall_ids("set CRITICAL_MARKER then CRITICAL_MARKER again, not API_KEY")
    ['CRITICAL_MARKER']
    """
    found = dict.fromkeys(NAME.findall(prompt))
    return [name for name in found if not SECRET.search(name)][:NAMES]


def recall(prompt: Prompt, dag: Dag, asked: str) -> Prompt:
    """Add what users and assistants last said of names that are asked about and stand nowhere.

    Parameters
    ----------
    prompt : Prompt
        As `assemble` made it.
    dag : Dag
        Of all messages, in view or not.
    asked : str
        What the user asks.

    Returns
    -------
    Prompt
        With a turn before the newest of the user: at most four lines or sentences of 1,200
        characters, as untrusted XML. The same one where nothing is asked about by name, nothing is
        found, or it does not fit: it is the first to go.

    Notes
    -----
    Names are `recall_ids`; lines in which the redaction finds a secret are left out.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> from lcm_lab.compaction.assemble import assemble
    >>> rows = [{"text": "RETRY_LIMIT is 7.", "role": "user"}, {"text": "Fine.", "role": "user"}]
    >>> dag = lcm.compact(lcm.Dag.of(lcm.Corpus(rows)), lcm.Window(2))
    >>> found = recall(assemble(dag, 500), dag, "what was RETRY_LIMIT?")
    >>> "RETRY_LIMIT is 7." in found.turns[0].wire["content"]
    True
    """
    text = texts_of(prompt.turns)
    names = [name for name in recall_ids(asked) if name not in text]
    lines = [line for line, _ in zip(_said(dag, names), range(MESSAGES), strict=False)]
    if not lines:
        return prompt
    turn = Turn({"role": "user", "content": _element(lines)})
    tokens = prompt.tokens + sizes_of_turns([turn])[0]
    if tokens > prompt.budget:
        return prompt
    users = [at for at, one in enumerate(prompt.turns) if one.role == "user"]
    at = users[-1] if users else len(prompt.turns)
    turns = (*prompt.turns[:at], turn, *prompt.turns[at:])
    return replace(prompt, turns=turns, tokens=tokens)


def _said(dag: Dag, names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (id, line) of messages that hold a name, the newest first, each message once."""
    taken = set[str]()
    for name in names:
        holding = re.compile(rf"(?<![A-Za-z0-9_]){name}(?![A-Za-z0-9_])")
        looked = 0
        for message in reversed(dag.messages):
            text = _text(message)
            if name not in text or not holding.search(text) or looked == LOOKED_AT:
                continue
            looked += 1
            line = _snippet(text, holding)
            if message.id not in taken and line in redact(text).text:
                taken.add(message.id)
                yield message.id, line


def _text(message: Message) -> str:
    if message.role not in ("user", "assistant"):
        return ""
    return "\n".join(part.text for part in message.parts if part.kind == "text")


def _snippet(text: str, holding: re.Pattern[str]) -> str:
    """Give the sentence or line that holds a name; of a long one, most of it from before."""
    unit = next(one for one in units(text) if holding.search(one)).strip()
    found = holding.search(unit)
    start = max(0, found.start() - int(BEFORE * SHOWN)) if found else 0
    return unit[start : start + SHOWN]


def _element(lines: list[tuple[str, str]]) -> str:
    rows = "\n".join(
        f'  <message id="{quoted(name)}">{escaped(line)}</message>' for name, line in lines
    )
    return (
        f'<lossless_claw_prompt_recall trust="untrusted">\n{rows}\n</lossless_claw_prompt_recall>'
    )
