"""Trajectories of SWE-agent (``.traj``) and mini-SWE-agent (``.traj.json``).

SWE-agent: ``history`` is what the model read and wrote; where it is missing, the steps of
``trajectory`` are. A thought is text, the action is a call, and what the environment answered is
its result, whatever role it came in. Demonstrations, which are of another task, have the role
system. mini-SWE-agent: messages as chat APIs have them, its command in a fenced block of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from lcm_lab.messages import Session
from lcm_lab.transcripts import plain
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.blocks import shown
from lcm_lab.transcripts.draft import Draft, Format, text_of

__all__ = ["FORMAT", "MINI", "is_mini", "is_swe"]

AGENT, MINI_AGENT = "SWE-agent", "mini-SWE-agent"
#: What an action is given to, where the file does not say.
SHELL = "bash"
#: The one command that mini-SWE-agent runs in a step.
COMMAND = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n?```", re.DOTALL)
#: How mini-SWE-agent marks a command, and how it begins what the command gave.
MARKS = ("```mswea_bash_command", "<returncode>")


def is_swe(item: Any) -> bool:
    """Tell whether a value is a trajectory of SWE-agent."""
    if not isinstance(item, dict):
        return False
    steps, history = item.get("trajectory"), item.get("history")
    return _all_have(steps, "action", "observation") or (
        isinstance(steps, list) and _all_have(history, "role")
    )


def is_mini(item: Any) -> bool:
    """Tell whether a value is one of mini-SWE-agent: its own mark, or its commands in messages."""
    if isinstance(item, dict):
        return str(item.get("trajectory_format", "")).startswith("mini-swe-agent") or (
            isinstance(item.get("info"), dict) and is_mini(item.get("messages"))
        )
    found = item[:8] if isinstance(item, list) else []
    texts = [one.get("content") for one in found if isinstance(one, dict) and "role" in one]
    return any(isinstance(text, str) and any(m in text for m in MARKS) for text in texts)


def _parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for line, item in found:
        if not is_swe(item):
            out.skipped.append(Skipped(source, line, "not a trajectory"))
            continue
        out.sessions[session] = Session(
            session, title=text_of(item, "instance_id"), agent=AGENT, source=source
        )
        history = item.get("history")
        told = isinstance(history, list) and history
        records = _told(history) if told else _stepped(item["trajectory"])
        for record in records:
            plain.add(out, record, line, session)
    return out


def _told(history: list[Any]) -> Iterator[dict[str, Any]]:
    """Give the records of a history; an answer goes to the call before it."""
    waiting: list[str] = []
    for number, record in enumerate(one for one in history if isinstance(one, dict)):
        role = record.get("role")
        if record.get("is_demo") or record.get("message_type") == "demonstration":
            yield {**record, "role": "system", "tool_calls": None}
        elif role == "assistant":
            spoken = _acted(record, f"step {number}")
            waiting = _asked(spoken)
            yield spoken
        elif waiting and role in ("user", "tool"):
            call = _answers(record) or waiting[0]
            yield _answer(_words(record.get("content")), call, record)
            waiting = [one for one in waiting if one != call]
        else:
            yield record


def _acted(record: dict[str, Any], call: str) -> dict[str, Any]:
    """Give what the agent said and did: its calls where the file has them, else its action."""
    thought, action = record.get("thought"), record.get("action")
    said = thought if isinstance(thought, str) else record.get("content")
    blocks = [] if _blank(said) else [{"type": "text", "text": _words(said)}]
    rest = {name: item for name, item in record.items() if name not in ("thought", "action")}
    if not record.get("tool_calls") and not _blank(action):
        blocks.append(_command(str(action), call))
    return {**rest, "role": "assistant", "content": blocks}


def _asked(spoken: dict[str, Any]) -> list[str]:
    """Give the ids of the calls that a record makes."""
    calls = spoken.get("tool_calls")
    made = [one for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
    blocks = [one for one in spoken["content"] if one["type"] == "tool_use"]
    return [str(one.get("id")) for one in (*made, *blocks)]


def _answers(record: dict[str, Any]) -> str:
    """Give the id of the call that a record answers, where it names one."""
    ids = record.get("tool_call_ids")
    first = ids[0] if isinstance(ids, list) and ids else record.get("tool_call_id")
    return first if isinstance(first, str) else ""


def _stepped(steps: list[Any]) -> Iterator[dict[str, Any]]:
    for number, step in enumerate(one for one in steps if isinstance(one, dict)):
        yield _acted({**step, "content": step.get("response")}, f"step {number}")
        if not _blank(step.get("observation")):
            yield _answer(_words(step.get("observation")), f"step {number}", {})


def _mini(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    for line, item in found:
        messages = item.get("messages") if isinstance(item, dict) else item
        out.sessions[session] = Session(session, agent=MINI_AGENT, source=source)
        for record in _commanded(messages if isinstance(messages, list) else []):
            plain.add(out, record, line, session)
    return out


def _commanded(messages: list[Any]) -> Iterator[dict[str, Any]]:
    """Give messages with the command of each as a call, and what follows it as its result."""
    waiting = ""
    for number, record in enumerate(one for one in messages if isinstance(one, dict)):
        content, role = record.get("content"), record.get("role")
        if role == "assistant" and isinstance(content, str) and not record.get("tool_calls"):
            found = COMMAND.findall(content)
            waiting = f"step {number}" if found else ""
            said = [{"type": "text", "text": COMMAND.sub("", content).strip()}]
            calls = [_command(found[0], waiting)] if found else []
            yield {**record, "content": said + calls}
        elif role == "user" and waiting and isinstance(content, str):
            yield _answer(content, waiting, record)
            waiting = ""
        else:
            yield {**record, "role": "system"} if role == "exit" else record


def _command(action: str, call: str) -> dict[str, Any]:
    return {"type": "tool_use", "name": SHELL, "input": {"command": action.strip()}, "id": call}


def _answer(text: str, call: str, record: dict[str, Any]) -> dict[str, Any]:
    failed = re.match(r"<returncode>(?!0<)", text) is not None
    block = {"type": "tool_result", "content": text, "tool_use_id": call, "is_error": failed}
    kept = {name: record[name] for name in (*plain.NAMES["time"], "id") if name in record}
    return {**kept, "role": "tool", "content": [block]}


def _words(content: Any) -> str:
    """Give the text of content that may be blocks."""
    if not isinstance(content, list):
        return shown(content)
    texts = [one.get("text") for one in content if isinstance(one, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _blank(item: Any) -> bool:
    return item is None or (isinstance(item, str) and not item.strip())


def _all_have(items: Any, *names: str) -> bool:
    """Tell whether items are a list of objects with these fields, by the first of them."""
    return (
        isinstance(items, list)
        and bool(items)
        and all(isinstance(one, dict) and all(name in one for name in names) for one in items[:3])
    )


FORMAT = Format("SWE-agent trajectory", is_swe, _parse)
MINI = Format("mini-SWE-agent trajectory", is_mini, _mini)
