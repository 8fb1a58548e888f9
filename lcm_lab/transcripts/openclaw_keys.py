"""``sessions.json``, in which OpenClaw keeps which session a key means now, and meant before."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Any

from lcm_lab.transcripts.draft import Draft, text_of
from lcm_lab.transcripts.lines import decode

__all__ = ["NAME", "is_index", "keyed"]

NAME = "sessions.json"


def is_index(item: Any) -> bool:
    """Tell whether a value is such an index: keys, each with the session it means."""
    return (
        isinstance(item, dict)
        and bool(item)
        and all(isinstance(one, dict) and "sessionId" in one for one in item.values())
    )


def keyed(draft: Draft, path: Path) -> None:
    """Tell a draft's sessions the keys that the index beside their file gives them."""
    index = _index(path.with_name(NAME))
    present = {message.session for message in draft.messages} | set(draft.sessions)
    for key, entry in index.items():
        earlier = entry.get("usageFamilySessionIds")
        ids = [entry.get("sessionId"), *(earlier if isinstance(earlier, list) else ())]
        for session in present & {one for one in ids if isinstance(one, str)}:
            now = session == entry.get("sessionId")
            parent = text_of(entry, "spawnedBy") or text_of(entry, "parentSessionKey")
            title = text_of(entry, "label") or text_of(entry, "displayName")
            draft.tell(session, key=key, parent=parent, title=title if now else "")
            if not now and not draft.archived:
                draft.tell(session, archived="reset")


def _index(path: Path) -> dict[str, dict[str, Any]]:
    """Read the index, if there is one; what is none gives no keys, and a link is not followed."""
    try:
        about = path.lstat()
        if not S_ISREG(about.st_mode):
            return {}
        return _held(path, about.st_mtime_ns, about.st_size)
    except (OSError, RecursionError, ValueError):
        return {}


@lru_cache(maxsize=4)
def _held(path: Path, _written: int, _size: int) -> dict[str, dict[str, Any]]:
    """Read an index once for the many sessions of its folder, and anew when it was written anew."""
    held = json.loads(decode(path.read_bytes()))
    return held if is_index(held) else {}
