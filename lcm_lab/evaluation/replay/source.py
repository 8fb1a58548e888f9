"""Where the conversations of a replay, and the facts in them, come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lcm_lab.collection import Collection
from lcm_lab.dag import Dag
from lcm_lab.errors import BadParameter
from lcm_lab.evaluation.replay.facts import Facts, facts_of
from lcm_lab.evaluation.replay.later import recorded
from lcm_lab.evaluation.replay.talk import Talk
from lcm_lab.synth.folder import read_world
from lcm_lab.text import count_tokens
from lcm_lab.transcripts.load import shipped

__all__ = ["Found", "found_in"]


@dataclass(frozen=True, eq=False)
class Found:
    """Conversations with their facts, and the sizes of real summaries by conversation."""

    talks: Mapping[str, Talk]
    notes: Sequence[str] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


def found_in(source: Any, facts: Facts | None) -> Found:
    """Give every conversation with its facts, and the sizes of real summaries."""
    if isinstance(source, Collection):
        if facts is not None:
            return _of_collection(source, facts)
        key = ("replay", source.fingerprint)
        found: Found = source.corpus.memo(
            key, lambda: _of_collection(source, facts_of(source, _world(source)))
        )
        return found
    if isinstance(source, Dag):
        given = facts or Facts()
        talk = Talk(source, given.facts, given.changes)
        return Found({source.conversation: talk}, given.notes)
    if not hasattr(source, "messages"):
        raise BadParameter(
            f"replay takes a Collection, a Dag or Transcripts: lcm.load(name). Got {source!r:.80}."
        )
    real = recorded(source.messages)
    return Found(
        {name: Talk(one.dag, one.facts) for name, one in real.items()},
        ("Facts are identifiers that the agent used again after a real compaction.",),
        {name: count_tokens(one.summary) for name, one in real.items()},
    )


def _of_collection(source: Collection, facts: Facts) -> Found:
    names = dict.fromkeys(one.conversation for one in facts.facts)
    talks = {
        name: Talk(
            source.conversation(name),
            [one for one in facts.facts if one.conversation == name],
            [one for one in facts.changes if one.conversation == name],
        )
        for name in names
    }
    return Found(talks, facts.notes)


def _world(source: Collection) -> Mapping[str, Any] | None:
    """Give the state log of a collection that ships; None where it is not of these topics."""
    folder = shipped().get(source.name)
    if folder is None or not (folder / "world.json.xz").is_file():
        return None
    world = read_world(folder)
    asked = set(source.topics["qid"]) <= world["topics"].keys()
    told = source.corpus.conversations.keys() <= world["conversations"].keys()
    return world if asked and told else None
