"""ChatReader: answers from passages, by a model behind an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lcm_lab.errors import BadParameter
from lcm_lab.llm.chat import Chat
from lcm_lab.llm.frame import framed
from lcm_lab.llm.prompts import ANSWERING, NOTHING
from lcm_lab.redact import redact
from lcm_lab.text import clean
from lcm_lab.values import value

__all__ = ["ChatReader"]


class _Passage(Protocol):
    """What an answer is read from: `str` of one has its id, who said it, and when."""

    @property
    def id(self) -> str: ...


@value
class ChatReader(Chat):
    """Let a model answer questions from passages, and say which ones it rests on.

    What it cites is checked by the tool that asked it. Passages are framed as data that gives no
    orders, and without secrets.

    Parameters
    ----------
    model, endpoint, temperature, seed, headroom, limit, options
        Whom it asks and how, as in `Chat`.
    tokens : int
        Of an answer, at most.
    instructions : str
        Your own words, put last in what the model is asked.

    Examples
    --------
    >>> from lcm_lab.llm import ChatReader, Endpoint
    >>> reader = ChatReader("qwen3:8b", Endpoint("http://127.0.0.1:11434/v1"))
    >>> reader("Which database?", [])
    'Nothing that was read answers this.'

    ``lcm.LcmTools(store, answer=reader)`` then asks it.
    """

    tokens: int = 2_000
    instructions: str = ""

    def check(self) -> None:
        """Refuse what is no model, no parameter and no instruction."""
        super().check()
        if type(self.tokens) is not int or self.tokens < 1:
            raise BadParameter(
                f"tokens is how long an answer may be, 1 or more. Got {self.tokens!r}."
            )
        instructions: object = self.instructions
        if not isinstance(instructions, str):
            raise BadParameter(f"instructions must be text. Got {instructions!r:.80}.")

    def __call__(self, question: str, passages: Sequence[_Passage]) -> str:
        """Answer a question from passages alone; without any, nothing is asked.

        Returns
        -------
        str
            As the model wrote it: JSON with ``answer`` and ``citedIds``, where it did as it was
            asked, else its words.

        Raises
        ------
        NoReply, OverBudget
        """
        if not passages:
            return NOTHING
        frame = framed([str(one) for one in passages], [one.id for one in passages])
        own = f"\n{self.instructions.strip()}" if self.instructions.strip() else ""
        wanted = redact(clean(question)).text
        asked = (
            f"{frame.text}\n\nThe question, which is not part of the passages:\n{wanted}\n\n"
            f"Answer in at most {self.tokens} tokens.{own}"
        )
        return self.complete(f"{ANSWERING}\n\n{frame.warning}", asked, self.tokens, "answer").text
