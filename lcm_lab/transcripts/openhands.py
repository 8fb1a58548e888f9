"""OpenHands: streams of events, each an action or an observation that names its cause.

Read are the list that a session exports, the ``history`` of an evaluation, and events a line. An
action that a model called as a tool is a call, and the observation that it causes is its result,
paired by the id of the call, else by the cause. Changes of state and the like are skipped, counted
by what they are. The events of the newer SDK (``kind``: MessageEvent, ActionEvent, ...) are read
too; there the condenser's summary is a part of kind summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lcm_lab.messages import Session
from lcm_lab.transcripts import plain
from lcm_lab.transcripts.base import Skipped
from lcm_lab.transcripts.draft import Draft, Format, text_of

__all__ = ["FORMAT", "is_openhands"]

AGENT = "OpenHands"
#: Actions and observations that say nothing: the state of the program.
SILENT = ("change_agent_state", "agent_state_changed", "null", "recall", "", "pause", "resume")
#: Arguments of an action that are not what it was asked to do.
ASIDE = ("thought", "impl_source", "translated_ipython_code", "confirmation_state", "hidden")
ROLES = {"user": "user", "agent": "assistant", "environment": "system"}
SPOKEN = ("message", "system", "finish", "think", "reject")
#: The newer SDK: what a record is, and which of its fields says it.
KINDS = {
    "SystemPromptEvent": ("system", "system_prompt"),
    "MessageEvent": ("", "llm_message"),
    "ActionEvent": ("assistant", "thought"),
    "ObservationEvent": ("tool", "observation"),
    "AgentErrorEvent": ("tool", "error"),
    "UserRejectObservation": ("tool", "rejection_reason"),
    "Condensation": ("assistant", "summary"),
}


def is_openhands(item: Any) -> bool:
    """Tell whether a value is an event, a list of events, or an object with its history."""
    if isinstance(item, dict) and isinstance(item.get("history"), list):
        return is_openhands(item["history"])
    if isinstance(item, list):
        first = next(_events(item), None)
        return isinstance(first, dict) and "history" not in first and is_openhands(first)
    if not isinstance(item, dict) or "source" not in item:
        return False
    old = isinstance(item.get("action"), str) or isinstance(item.get("observation"), str)
    return (old and ("args" in item or "content" in item)) or text_of(item, "kind") in KINDS


def _parse(found: Iterable[tuple[int, Any]], source: str, session: str) -> Draft:
    out = Draft(source)
    calls: dict[str, str] = {}
    for line, item in found:
        for event in _events(item):
            if not isinstance(event, dict):
                out.skipped.append(Skipped(source, line, "not an object"))
                continue
            record = _new(event) if text_of(event, "kind") in KINDS else _old(event, calls)
            if record is None:
                out.skipped.append(Skipped(source, line, f"not a message: {_kind(event)}"))
            else:
                plain.add(out, _within(session, record), line, session)
    out.sessions[session] = Session(session, agent=AGENT, source=source)
    return out


def _events(item: Any) -> Iterator[Any]:
    """Go through events, also where an action and its observation are a pair."""
    listed = item.get("history", [item]) if isinstance(item, dict) else item
    for one in listed if isinstance(listed, list) else [listed]:
        yield from one if isinstance(one, list) else [one]


def _within(session: str, record: dict[str, Any]) -> dict[str, Any]:
    """Give a record's numbers its session, since every stream of events counts its own from 0."""
    numbered = {
        name: f"{session}/{record[name]}"
        for name in ("id", "parent")
        if isinstance(record.get(name), int)
    }
    return {**record, **numbered}


def _kind(event: dict[str, Any]) -> str:
    names = ("action", "observation", "kind")
    return next((found for name in names if (found := text_of(event, name))), "no kind")


def _old(event: dict[str, Any], calls: dict[str, str]) -> dict[str, Any] | None:
    """Give an action or an observation as a record; None for what says nothing."""
    kind = _kind(event)
    if kind in SILENT:
        return None
    stamped = {"time": event.get("timestamp"), "id": event.get("id"), "parent": event.get("cause")}
    if "observation" in event:
        cause = str(event.get("cause"))
        call = _call_id(event) or calls.get(cause) or f"event {cause}"
        failed = kind == "error" or _exit(event) not in (0, None, -1)
        return {**stamped, **_returned(event.get("content"), call, failed=failed)}
    call = _call_id(event) or f"event {event.get('id')}"
    calls[str(event.get("id"))] = call
    role = "system" if kind == "system" else ROLES.get(text_of(event, "source"), "assistant")
    return {**stamped, "role": role, **_acted(event, kind, call)}


def _acted(event: dict[str, Any], kind: str, call: str) -> dict[str, Any]:
    """Give what an action says, and its call; as the model wrote it where its answer was kept."""
    args = _dict(event, "args")
    thought = args.get("thought")
    if kind in SPOKEN:
        texts = (args.get(name) for name in ("content", "final_thought", "thought"))
        said = next((text for text in texts if isinstance(text, str) and text.strip()), None)
        return {"content": said or event.get("message")}
    written = _written(event, call)
    if written:
        return {"content": thought, "tool_calls": [written]}
    given = {name: item for name, item in args.items() if name not in ASIDE and item is not None}
    return {"content": thought, "tool_calls": [_call(kind, given, call)]}


def _written(event: dict[str, Any], call: str) -> dict[str, Any] | None:
    """Find a call in the answer of the model that made it."""
    choices = _dict(_dict(event, "tool_call_metadata"), "model_response").get("choices")
    messages = [_dict(one, "message") for one in _dicts(choices)]
    made = [one for message in messages for one in _dicts(message.get("tool_calls"))]
    return next((one for one in made if one.get("id") == call), None)


def _call_id(event: dict[str, Any]) -> str:
    return text_of(_dict(event, "tool_call_metadata"), "tool_call_id")


def _exit(event: dict[str, Any]) -> Any:
    extras = _dict(event, "extras")
    return (_dict(extras, "metadata") or extras).get("exit_code")


def _new(event: dict[str, Any]) -> dict[str, Any]:
    """Give an event of the SDK as a record."""
    role, name = KINDS[event["kind"]]
    stamped = {"time": event.get("timestamp"), "id": event.get("id")}
    content, call = event.get(name), text_of(event, "tool_call_id")
    if role == "tool":
        inner = _dict(event, name)
        said = next((inner[one] for one in ("content", "output") if inner.get(one)), content)
        failed = event["kind"] != "ObservationEvent" or inner.get("is_error") is True
        return {**stamped, "parent": event.get("action_id"), **_returned(said, call, failed=failed)}
    if event["kind"] == "ActionEvent":
        return {**stamped, "role": role, **_done(event, call)}
    if event["kind"] == "Condensation":
        return {**stamped, "role": role, "content": content, "summary": True}
    inner = _dict(event, name)
    said = inner.get("content", inner.get("text", content))
    return {**stamped, "role": role or inner.get("role"), "content": said}


def _done(event: dict[str, Any], call: str) -> dict[str, Any]:
    """Give the thought and the call of an action of the SDK."""
    thoughts = event.get("thought")
    blocks = thoughts if isinstance(thoughts, list) else [thoughts]
    reasoning = {"type": "thinking", "thinking": event.get("reasoning_content")}
    action = {name: item for name, item in _dict(event, "action").items() if name != "kind"}
    made = _dict(event, "tool_call")
    made = _dict(made, "function") or made
    name = event.get("tool_name") or made.get("name")
    written = _call(name, made.get("arguments", action), call)
    return {"content": [reasoning, *blocks], "tool_calls": [written]}


def _call(name: Any, given: Any, call: str) -> dict[str, Any]:
    return {"id": call, "function": {"name": name, "arguments": given}}


def _returned(text: Any, call: str, *, failed: bool) -> dict[str, Any]:
    block = {"type": "tool_result", "content": text, "tool_use_id": call, "is_error": failed}
    return {"role": "tool", "content": [block]}


def _dict(record: dict[str, Any], name: str) -> dict[str, Any]:
    """Give a field that is an object, or an empty one."""
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def _dicts(items: Any) -> list[dict[str, Any]]:
    return [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []


FORMAT = Format("OpenHands trajectory", is_openhands, _parse)
