"""A question to an endpoint: as often as it may be asked, at a cost that was agreed to before."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from lcm_lab.llm.account import Account, Charge, Usage, ledger
from lcm_lab.llm.endpoint import Endpoint
from lcm_lab.llm.failures import NoReply, Trouble
from lcm_lab.llm.wire import Wire

__all__ = ["Question", "ask", "usage_of", "waits"]

T = TypeVar("T")

#: Seconds between two tries, at most, where the endpoint does not ask for more.
LONGEST = 8.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is sent, and what it may cost.

    Attributes
    ----------
    route : str
        Such as ``chat/completions``.
    body : dict
        As JSON; its ``model`` is who is asked.
    kind : str
        What the ledger calls it.
    size : int
        Bytes that a model reads.
    most : int
        Tokens that it may write.
    """

    route: str
    body: dict[str, Any]
    kind: str
    size: int
    most: int = 0

    @property
    def model(self) -> str:
        """Who is asked."""
        return str(self.body["model"])

    @property
    def bytes(self) -> bytes:
        """What is sent."""
        return json.dumps(self.body, ensure_ascii=True).encode("ascii")


def ask(wire: Wire, question: Question, read: Callable[[Any], T]) -> T:
    """Ask until there is an answer, or no try is left.

    Parameters
    ----------
    wire : Wire
    question : Question
    read : callable
        Reads the JSON of an answer; raises `Trouble` for one that cannot be used.

    Raises
    ------
    NoReply
        When no try gave an answer; says why the last one did not.
    OverBudget
        When a try could go beyond a bound; it is not made.
    """
    endpoint, account = wire.endpoint, ledger.account(wire.endpoint)
    place = 0
    while True:
        place += 1
        found = _try(wire, account, question, read)
        if not isinstance(found, Trouble):
            return found
        pause = waits(endpoint, place, found)
        if pause is None:
            account.count(question.model, question.kind, "failed")
            raise NoReply(_told(endpoint, question, place, found))
        account.count(question.model, question.kind, "again")
        time.sleep(pause)


def waits(endpoint: Endpoint, place: int, trouble: Trouble) -> float | None:
    """Give how long to wait after a try, counted from 1; None where there is no further one.

    Examples
    --------
    >>> endpoint = Endpoint("http://127.0.0.1:8080/v1", tries=9)
    >>> [waits(endpoint, place, Trouble("")) for place in (1, 2, 8, 9)]
    [0.5, 1.0, 8.0, None]
    >>> waits(endpoint, 1, Trouble("", wait=20.0)), waits(endpoint, 1, Trouble("", wait=900.0))
    (20.0, None)
    """
    if place >= endpoint.tries or not trouble.again:
        return None
    own = min(max(LONGEST, endpoint.pause), endpoint.pause * 2.0 ** (place - 1))
    if trouble.wait is None:
        return own
    return max(own, trouble.wait) if trouble.wait <= endpoint.patience else None


def usage_of(answer: dict[str, Any]) -> Usage | None:
    """Read what an answer says that it took; None where it does not say, or cannot be so.

    Examples
    --------
    >>> usage_of({"usage": {"prompt_tokens": 12, "completion_tokens": 3}})
    Usage(read=12, written=3, guessed=False)
    >>> usage_of({"usage": {"prompt_tokens": -1}}), usage_of({})
    (None, None)
    """
    told = answer.get("usage")
    if not isinstance(told, dict):
        return None
    read: Any = told.get("prompt_tokens", told.get("total_tokens", 0))
    found = Usage(read, told.get("completion_tokens", 0))
    return found if found.credible and found.read + found.written else None


def _try(wire: Wire, account: Account, question: Question, read: Callable[[Any], T]) -> T | Trouble:
    """Try once: give the answer, or what was wrong."""
    charge = Charge(question.model, question.kind, question.size, question.most)
    with account.charged(wire.endpoint, charge):
        try:
            with _lanes(wire.endpoint.base_url, wire.endpoint.key, wire.endpoint.at_once):
                answer = wire.post(question.route, question.bytes)
            if not isinstance(answer, dict):
                return Trouble("an answer that is no JSON object")
            charge.usage = usage_of(answer)
            return read(answer)
        except Trouble as trouble:
            charge.free = not trouble.billed
            return trouble


@lru_cache(maxsize=64)
def _lanes(base_url: str, key: str | None, at_once: int) -> threading.Semaphore:
    """Give what lets so many requests to one address through at a time."""
    del base_url, key
    return threading.Semaphore(at_once)


def _told(endpoint: Endpoint, question: Question, tries: int, trouble: Trouble) -> str:
    often = f"{tries} tries" if tries > 1 else "one try"
    told = (
        f"{endpoint.base_url} gave {question.model!r} no usable answer in {often}: {trouble.why}."
    )
    if trouble.wait is not None and trouble.wait > endpoint.patience:
        told += f" It asks to wait {trouble.wait:g} s; patience={endpoint.patience:g} is less."
    return told
