"""What ``lcm-lab sessions`` prints: the answers of the tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lcm_lab.agent import show
from lcm_lab.agent.checking import database
from lcm_lab.agent.schema import Answer
from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.agent.sessions.visibility import Mode
from lcm_lab.ranking.base import Ranker

__all__ = ["Opened", "read", "searched"]


@dataclass(frozen=True)
class Opened:
    """Whose session tools, over which store; opened to read."""

    path: str
    caller: str
    visibility: Mode
    zone: str
    reference: bool

    @contextmanager
    def tools(self, policy: Ranker | None = None) -> Iterator[SessionTools]:
        """Give the tools, a policy ranking both what is exact and what is semantic."""
        with database(self.path) as held:
            yield SessionTools(
                held,
                self.caller,
                self.visibility,
                search=policy,
                semantic=policy,
                zone=self.zone,
                compat="reference" if self.reference else None,
            )


def searched(opened: Opened, asked: Mapping[str, Any], policy: str | None, *, json: bool) -> str:
    """Search past sessions, and write the hits."""
    from lcm_lab.ranking import parse

    with opened.tools(None if policy is None else parse.policy(policy)) as tools:
        return _written(tools.sessions_search(**asked), json=json)


def read(opened: Opened, asked: Mapping[str, Any], *, json: bool) -> str:
    """Read a session, and write its messages."""
    with opened.tools() as tools:
        return _written(tools.sessions_history(**asked), json=json)


def _written(found: Answer, *, json: bool) -> str:
    return show.as_json(found.to_dict()) if json else found.to_text()
