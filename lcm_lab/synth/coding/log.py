"""The entries of a project's sessions: kinds, times, parents, and who follows whom."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from lcm_lab.synth.coding.shell import Shell, Use
from lcm_lab.synth.message import Message
from lcm_lab.synth.world import Fact

__all__ = ["Log"]

INTERRUPTED = "[Request interrupted by user]"


class Log:
    """Writes entries, one after the other.

    Attributes
    ----------
    entries : list of Message
    turns : list of (what was just finished, the docno of the user's next text)
    talks : dict of a fact's reference to the docno of the talk before it was decided
    """

    def __init__(self, shell: Shell) -> None:
        self.shell, self.draw = shell, shell.draw
        self.entries: list[Message] = []
        self.turns: list[tuple[str, Message]] = []
        self.talks: dict[str, str] = {}
        self.finished = ""
        self._session, self._number, self._parent, self._side = 0, 0, "", False

    def open(self, session: int) -> None:
        """Begin a session."""
        self.shell.now = self.shell.world.starts[session]
        self._session, self._number, self._parent, self.finished = session, 0, "", ""

    @property
    def size(self) -> int:
        """Entries of this session."""
        return self._number

    def user(self, text: str, about: Fact | None = None) -> Message:
        """Write what the user says."""
        self._wait(20, 420)
        made = self._add("text", "user", text, about)
        if self.finished:
            self.turns.append((self.finished, made))
            self.finished = ""
        return made

    def say(self, text: str, about: Fact | None = None) -> Message:
        """Write what the assistant says."""
        return self._add("text", "assistant", text, about)

    def think(self, text: str) -> Message:
        """Write what the assistant thinks."""
        return self._add("reasoning", "assistant", text)

    def use(self, *uses: Use) -> None:
        """Write tool calls, one, or several at once, and then the result of each."""
        calls = [self._add("tool_call", "assistant", use.call) for use in uses]
        for call, use in zip(calls, uses, strict=True):
            self._wait(1, 20)
            made = self._add("tool_result", "tool", use.result or "(no output)")
            self.entries[-1] = replace(made, parent=call.docno)

    def rewind(self, text: str, again: str) -> None:
        """Let the user stop the assistant and say it again: two entries with one parent."""
        parent = self._parent
        self.user(text)
        self._add("text", "user", INTERRUPTED)
        self._wait(10, 90)
        self._parent = parent
        self.user(again)

    def aside(self, prompt: str) -> str:
        """Begin a subagent's own chain with its prompt; give where the main chain goes on."""
        back, self._parent, self._side = self._parent, "", True
        self._add("text", "user", prompt)
        return back

    def back(self, parent: str) -> None:
        """Go on with the main chain."""
        self._parent, self._side = parent, False

    def summary(self, text: str) -> None:
        """Write what stands for the context that was compacted."""
        self._parent = ""
        made = self._add("summary", "user", text)
        self.entries[-1] = replace(made, extra=(("sidechain", "no"), ("scope", "summaries")))

    def _wait(self, low: int, high: int) -> None:
        self.shell.now += timedelta(seconds=self.draw.between(low, high))

    def _add(self, kind: str, role: str, text: str, about: Fact | None = None) -> Message:
        self._number += 1
        self._wait(1, 7)
        docno = f"{self.shell.world.name}/s{self._session + 1:02d}/{self._number:04d}"
        made = Message(
            docno,
            self._session,
            "",
            self.shell.now,
            text,
            mentions=(about,) if about else (),
            role=role,
            kind=kind,
            parent=self._parent,
            extra=(("sidechain", "yes" if self._side else "no"), ("scope", "messages")),
        )
        self.entries.append(made)
        self._parent = docno
        return made
