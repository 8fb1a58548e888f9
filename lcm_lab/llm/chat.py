"""Chat: what a model is told and asked, and what it answers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from lcm_lab.compaction.work import without_thought
from lcm_lab.errors import BadParameter
from lcm_lab.llm.account import ledger
from lcm_lab.llm.ask import Question, ask
from lcm_lab.llm.endpoint import Endpoint
from lcm_lab.llm.failures import NoReply, Trouble
from lcm_lab.llm.kept import Kept
from lcm_lab.llm.wire import Wire
from lcm_lab.redact import redact
from lcm_lab.shown import cut, one_line
from lcm_lab.values import value

__all__ = ["Chat", "Completion"]

ROUTE = "chat/completions"
#: What options cannot say, since it is said elsewhere.
TAKEN = ("model", "messages", "temperature", "seed", "stream", "n")
LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered.

    Attributes
    ----------
    text : str
        Without what it thought before.
    finish : str
        Why it ended: stop, or length where it was cut.
    """

    text: str
    finish: str = "stop"


@value
class Chat:
    """A model behind an endpoint, and how it is asked; see `ChatSummariser` and `ChatReader`.

    Parameters
    ----------
    model : str
        As the endpoint calls it.
    endpoint : Endpoint
    temperature : float or None
        0 for the answer that it holds most likely; None leaves it to the endpoint, as some models
        ask for.
    seed : int, optional
        Sent where given.
    headroom : int
        Tokens it may write beyond those of an answer, for what it thinks before.
    limit : {"max_tokens", "max_completion_tokens"}
        What the limit of tokens is called; newer models of OpenAI want the second.
    options : tuple of (name, value)
        Further parameters: ``(("reasoning_effort", "low"),)``.
    """

    model: str
    endpoint: Endpoint
    temperature: float | None = 0.0
    seed: int | None = None
    headroom: int = 2_048
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    options: tuple[tuple[str, Any], ...] = ()

    def check(self) -> None:
        """Refuse what is no model, no endpoint and no parameter."""
        _check(self)

    def complete(self, system: str, user: str, tokens: int, kind: str) -> Completion:
        """Ask, or give what was answered before.

        An answer that ends at its limit is asked for once more, with twice as much room.

        Parameters
        ----------
        system, user : str
            What it is told, and asked.
        tokens : int
            Of an answer.
        kind : str
            What the ledger calls it.

        Raises
        ------
        NoReply, OverBudget
        """
        first = self._question(system, user, tokens + self.headroom, kind)
        endpoint = self.endpoint
        kept = endpoint.folder and Kept(endpoint.folder, endpoint.base_url, ROUTE, first.body)
        found = kept.get() if kept else None
        if found is not None:
            ledger.account(endpoint).count(self.model, kind, "kept")
            return Completion(**found)
        with Wire(endpoint) as wire:
            done = ask(wire, first, _completion)
            if done.finish == "length":
                wider = self._question(system, user, 2 * first.most, kind)
                done = ask(wire, wider, _completion)
        if done.finish == "length":
            raise NoReply(
                f"{self.model!r} was cut off after {2 * first.most:,} tokens. Ask for less, or "
                f"give it more room than headroom={self.headroom}."
            )
        if kept:
            kept.put(asdict(done))
        return done

    def _question(self, system: str, user: str, most: int, kind: str) -> Question:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user},
            ],
            self.limit: most,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.seed is not None:
            body["seed"] = self.seed
        body |= dict(self.options)
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in (system, user))
        return Question(ROUTE, body, kind, size, most)


def _completion(answer: dict[str, Any]) -> Completion:
    """Read an answer.

    Raises
    ------
    Trouble
        For one without a text.
    """
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise Trouble(
            f"an answer without a message: {_shown(answer)}", billed="error" not in answer
        )
    finish = "length" if first.get("finish_reason") == "length" else "stop"
    refusal = message.get("refusal")
    if refusal or first.get("finish_reason") == "content_filter":
        raise Trouble(f"the model refused: {_shown(refusal or 'content filter')}", again=False)
    text = without_thought(_content(message.get("content")))
    if not text and finish != "length":
        raise Trouble("an empty answer")
    return Completion(text, finish)


def _content(given: Any) -> str:
    """Give the text of a message, which may come in parts."""
    if isinstance(given, list):
        texts = (part.get("text") for part in given if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return given if isinstance(given, str) else ""


def _shown(given: object) -> str:
    text = given if isinstance(given, str) else json.dumps(given)
    return cut(one_line(redact(text).text), 200)


def _check(chat: Any) -> None:
    who = type(chat).__name__
    if not isinstance(chat.model, str) or not chat.model.strip():
        raise BadParameter(f"{who}: model is what the endpoint calls it. Got {chat.model!r:.80}.")
    if not isinstance(chat.endpoint, Endpoint):
        raise BadParameter(
            f"{who}: endpoint says where the model answers: Endpoint('http://127.0.0.1:11434/v1'). "
            f"Got a {type(chat.endpoint).__name__}."
        )
    if chat.limit not in LIMITS:
        raise BadParameter(f"{who}: limit is one of {', '.join(LIMITS)}. Got {chat.limit!r:.80}.")
    _check_numbers(chat, who)
    _check_options(chat.options, who)


def _check_numbers(chat: Any, who: str) -> None:
    warm, seed, room = chat.temperature, chat.seed, chat.headroom
    real = isinstance(warm, int | float) and not isinstance(warm, bool) and 0 <= warm <= 2
    if warm is not None and not real:
        raise BadParameter(
            f"{who}: temperature is a number from 0 to 2, or None. Got {warm!r:.80}."
        )
    if seed is not None and type(seed) is not int:
        raise BadParameter(f"{who}: seed is a whole number, or None. Got {seed!r:.80}.")
    if type(room) is not int or not 0 <= room <= 10**6:
        raise BadParameter(f"{who}: headroom is a number of tokens, 0 or more. Got {room!r:.80}.")


def _check_options(options: Any, who: str) -> None:
    try:
        named = dict(options)
        written = json.dumps(named, allow_nan=False)
        if redact(written).text != written:
            raise BadParameter(f"{who}: options hold a secret. Endpoint(key=) names where one is.")
        wrong = next((name for name in named if not isinstance(name, str)), None)
    except BadParameter:
        raise
    except (TypeError, ValueError):
        named, wrong = {}, options
    if wrong is not None:
        raise BadParameter(
            f"{who}: options are names and values that JSON can say: "
            f"options=(('reasoning_effort', 'low'),). Got {options!r:.80}."
        )
    taken = [name for name in named if name in (*TAKEN, *LIMITS)]
    if taken:
        raise BadParameter(f"{who}: options cannot set {taken[0]!r}, which is said elsewhere.")
