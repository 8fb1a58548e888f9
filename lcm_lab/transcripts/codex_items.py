"""The items of a Codex rollout (those of OpenAI's Responses API), made into parts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from lcm_lab.messages import Part
from lcm_lab.transcripts.blocks import call_part, parsed, parts_of, result_parts, shown

__all__ = ["ITEMS", "NO_ITEMS", "OUTPUTS", "role_of", "said_in"]

#: What holds nothing that was said: bookkeeping, and contexts that only the provider can read.
NO_ITEMS = ("ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "other")

#: What the program tells the model as if the user had said it, by how it begins.
WRAPPERS = re.compile(
    r"\s*(<(environment_context|user_instructions|permissions instructions|INSTRUCTIONS|skill"
    r"|turn_aborted|subagent_notification|collaboration_mode|app-context|skills_instructions"
    r"|apps_instructions|plugins_instructions|model_switch|personality_spec|hook_prompt)\b"
    r"|# AGENTS\.md instructions\b)"
)
ROLES = {"developer": "system", "model": "assistant"}
CALLED = {
    "local_shell_call": "local_shell",
    "tool_search_call": "tool_search",
    "web_search_call": "web_search",
    "image_generation_call": "image_generation",
}


def said_in(item: dict[str, Any]) -> tuple[Part, ...]:
    """Give the parts of an item; one of a type that is not known keeps its JSON."""
    kind = item.get("type")
    read = ITEMS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        return tuple(read(item))
    return (Part("unknown", "", name=shown(kind) or "no type", raw=shown(item)),)


def role_of(item: dict[str, Any], parts: tuple[Part, ...]) -> str:
    """Say whose an item is; what is all wrapper is the system's."""
    kind = item.get("type")
    if kind in OUTPUTS:
        return "tool"
    if kind != "message":
        return "assistant"
    role = item.get("role") if isinstance(item.get("role"), str) else ""
    if role == "user" and parts and all(WRAPPERS.match(part.text) for part in parts):
        return "system"
    return ROLES.get(str(role), str(role))


def _message(item: dict[str, Any]) -> list[Part]:
    return parts_of({"content": item.get("content")})


def _reasoning(item: dict[str, Any]) -> list[Part]:
    listed = [item.get("summary"), item.get("content")]
    blocks = [one for many in listed if isinstance(many, list) for one in many]
    texts = [one.get("text") if isinstance(one, dict) else one for one in blocks]
    given = [{"type": "reasoning", "text": one} for one in texts if isinstance(one, str)]
    return parts_of({"content": given})


def _call(item: dict[str, Any]) -> list[Part]:
    """Read any call: its arguments are under one of three names, as JSON in text or as it is."""
    name = item.get("name") or CALLED.get(str(item["type"])) or item.get("namespace")
    names = ("arguments", "input", "action", "revised_prompt")
    given = next((item[key] for key in names if item.get(key) is not None), None)
    return [call_part(name, parsed(given), item.get("call_id") or item.get("id"))]


def _output(item: dict[str, Any]) -> list[Part]:
    """Read the output of a call, which may be text, blocks, or JSON that holds it and a code."""
    output = item["output"] if "output" in item else item.get("tools")
    held = parsed(output) if isinstance(output, str) and output[:10] == '{"output":' else output
    failed = False
    if isinstance(held, dict) and ("output" in held or "content" in held):
        about = held.get("metadata")
        code = about.get("exit_code") if isinstance(about, dict) else None
        failed = held.get("success") is False or code not in (None, 0)
        output = held["output"] if "output" in held else held["content"]
    if item["type"] == "tool_search_output":
        output = json.dumps(output, ensure_ascii=False)
    return list(result_parts(output, item.get("call_id") or item.get("id"), error=failed))


OUTPUTS: dict[str, Callable[[dict[str, Any]], list[Part]]] = {
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call_output": _output,
    "tool_search_output": _output,
    "mcp_tool_call_output": _output,
}
ITEMS: dict[str, Callable[[dict[str, Any]], list[Part]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _call,
    "custom_tool_call": _call,
    **dict.fromkeys(CALLED, _call),
    **OUTPUTS,
}
