"""What the vectors of session search and episodic recall are asked of."""

import json
import re

import numpy as np

import lcm_lab as lcm
from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store.store import Store

MAIN = "agent:main:main"
NOW = "2026-11-30T12:00:00.000Z"
START, MINUTE = 1_772_355_600_000_000, 60_000_000


@lcm.value
class Pointing:
    """An encoder for which a text says where it points: ``<0.9 0.5>``, what is left being the rest.

    A question points along one axis: ``<1 0>`` or ``<0 1>``.
    """

    def fit(self, texts):
        return None

    def encode(self, state, texts, kind="document"):
        found = [re.search(r"<(-?[\d.]+) (-?[\d.]+)>", text) for text in texts]
        pairs = [(float(one[1]), float(one[2])) if one else (0.0, 0.0) for one in found]
        return np.array([[a, b, max(0.0, 1 - a * a - b * b) ** 0.5] for a, b in pairs])


def record(role, content, at="2025-10-01T00:00:00.000Z", **more):
    """Give a record of Claude Code."""
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {"type": role, "timestamp": at, "sessionId": "s", "message": message, **more}


def talk(user, assistant="fine", at="2025-10-01T00:00:00.000Z", **more):
    """Give a question and its answer."""
    return [record("user", user, at, **more), record("assistant", assistant, at, **more)]


def lines(*records):
    """Write records as lines; what is a text stands as it is."""
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records) + "\n"


def original(folder, files, encoder=None):
    """Give episodic-memory's tools over files: path under the root, and records."""
    for path, records in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(lines(*records), encoding="utf-8")
    store = Store(":memory:")
    return EpisodicTools(store, encoder, [folder], clock=NOW, compat="reference")


def said(name, text, at=0, session="s1", role="user", **more):
    """Give a message; ``text`` may be parts."""
    parts = text if isinstance(text, tuple) else (Part("text", text),)
    return Message(name, session, role, parts, START + at * MINUTE, **more)


def filled(*messages, keys=(("s1", MAIN),), parents=()):
    """Give a store of messages; keys and parents by session."""
    store, told, above = Store(":memory:", large=10**9), dict(keys), dict(parents)
    for message in messages:
        name = message.session
        about = Session(name, key=told.get(name, ""), parent=above.get(name, ""))
        store.append(message, about)
    return store


def asked(*messages, compat="reference", **more):
    """Give the session tools over messages, as the original has them unless told otherwise."""
    made = {name: more.pop(name) for name in ("keys", "parents") if name in more}
    return SessionTools(filled(*messages, **made), compat=compat, **more)


def entry(name, parent, text, role="user", **more):
    """Give an entry of a pi or OpenClaw transcript."""
    message = {"role": role, "content": text}
    made = {"type": "message", "id": name, "parentId": parent, "message": message}
    return {**made, "timestamp": "2026-03-01T10:00:00.000Z", **more}


def tree(folder, *entries):
    """Read a transcript of entries."""
    head = {"type": "session", "version": 3, "id": "s1", "cwd": "/w"}
    (folder / "s1.jsonl").write_text(lines(head, *entries), encoding="utf-8")
    return lcm.read(folder)


def stands(folder, *entries):
    """Name the messages that stand on the active branch of a transcript."""
    return [one.id for one in tree(folder, *entries).messages if one.active]


def ids(found):
    """Name the messages of hits, or of a page."""
    if hasattr(found, "hits"):
        return [hit.message for hit in found.hits]
    return [message.id for message in found.messages]
