"""ChatSummariser: summaries written by a model behind an endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from lcm_lab.compaction.fallback import capped
from lcm_lab.compaction.footer import with_footer
from lcm_lab.compaction.source import sequence_or_refused
from lcm_lab.compaction.work import Accepted
from lcm_lab.errors import BadParameter
from lcm_lab.llm.chat import Chat
from lcm_lab.llm.frame import framed
from lcm_lab.llm.prompts import SUMMARISING, depth_of, request
from lcm_lab.text import count_tokens
from lcm_lab.values import value

__all__ = ["ChatSummariser"]

#: A summary of more than so many times what was asked for is cut; strategies cut at three.
OVERAGE = 4


@value
class ChatSummariser(Chat):
    """Let a model write summaries, told by their depth what to keep.

    Over messages it is asked what was done and decided and which files were touched; over leaves
    for one account with times; above these for the course of the work; deeper for what lasts. The
    text is framed as data that gives no orders, and its secrets are left out of what is sent.

    Parameters
    ----------
    model, endpoint, temperature, seed, headroom, limit, options
        Whom it asks and how, as in `Chat`.
    instructions : str
        Your own words, put last in what the model is asked.
    strict : bool
        Ask for what is most needed alone: for the second of `Escalating`.
    footer : bool
        Whether a summary ends with a line that names what it leaves out. It is asked for, and made
        from the source where the model wrote none.

    See Also
    --------
    Escalating : gives a shorter summary, or a cut, where a model does not.

    Examples
    --------
    >>> from lcm_lab.llm import ChatSummariser, Endpoint
    >>> local = Endpoint("http://127.0.0.1:11434/v1", folder=".answers")
    >>> writer = ChatSummariser("qwen3:8b", local)
    >>> writer
    ChatSummariser('qwen3:8b', Endpoint('http://127.0.0.1:11434/v1', folder='.answers'))
    >>> writer([" "], 100)
    ''

    ``lcm.compact(dag, Lossless(), summarise=writer)`` then asks it, and
    ``lcm.replay(bench, Lossless(), writer)`` measures what it keeps.
    """

    instructions: str = ""
    strict: bool = False
    footer: bool = True

    def check(self) -> None:
        """Refuse what is no model, no parameter and no instruction."""
        super().check()
        instructions: object = self.instructions
        if not isinstance(instructions, str):
            raise BadParameter(f"instructions must be text. Got {instructions!r:.80}.")
        for name in ("strict", "footer"):
            if not isinstance(getattr(self, name), bool):
                raise BadParameter(
                    f"{name} must be True or False. Got {getattr(self, name)!r:.80}."
                )

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give a summary of about ``tokens`` tokens; "" where there is nothing to summarise.

        Raises
        ------
        NoReply
            Where no answer can be used, after every try.
        OverBudget
            Where the call could go beyond a bound of the endpoint; it is not made.
        """
        found = self.accepted(texts, tokens)
        return found.text if found else ""

    def accepted(self, texts: Sequence[str], tokens: int) -> Accepted | None:
        """Give the summary with its level: normal, aggressive (strict), or capped."""
        sequence_or_refused(texts)
        said = [text for text in texts if text.strip()]
        if not said:
            return None
        tokens = max(1, tokens)
        frame, depth = framed(said), depth_of(said)
        asked = request(
            depth,
            tokens,
            strict=self.strict,
            footer=self.footer,
            instructions=self.instructions,
        )
        done = self.complete(
            f"{SUMMARISING}\n\n{frame.warning}", f"{asked}\n\n{frame.text}", tokens, "summary"
        )
        text, level = done.text, "aggressive" if self.strict else "normal"
        if count_tokens(text) > OVERAGE * tokens:
            text, level = capped(text, OVERAGE * tokens), "capped"
        elif self.footer:
            text = with_footer(text, said, tokens)
        return Accepted(text, level, count_tokens(text))
