"""Conversations to compact."""

import pytest

from lcm_lab.dag import Dag
from lcm_lab.messages import Message, Part


@pytest.fixture(scope="session")
def talk():
    """A Dag of a conversation: ``talk("uata", words=30)``, a letter a message of so many tokens.

    u is the user, a the assistant, c a call by the assistant, t its result.
    """
    roles = {"u": "user", "a": "assistant", "c": "assistant", "t": "tool"}

    def part(letter, at, calls, words):
        text = f"fact{at} {'word ' * (words - 4)}ends."
        if letter == "c":
            calls.append(f"t{at}")
            return Part("tool_call", f"Bash\ncommand: run {at}", "Bash", calls[-1])
        if letter == "t":
            return Part("tool_result", text, call=calls.pop(0) if calls else "lost")
        return Part("text", text)

    def make(letters, words=30):
        calls = []
        sizes = [words] * len(letters) if isinstance(words, int) else words
        return Dag.of(
            [
                Message(
                    f"m{at}",
                    "s1",
                    roles[letter],
                    (part(letter, at, calls, sizes[at]),),
                    1_767_225_600_000_000 + at * 60_000_000,
                )
                for at, letter in enumerate(letters)
            ],
            "c1",
        )

    return make
