"""A large content as a value: what it is called, where its copy lies, what is told of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from lcm_lab.ids import digest
from lcm_lab.shown import cut, one_line
from lcm_lab.store.explore.base import explore, extension
from lcm_lab.text import clean

__all__ = ["NAME", "File"]

#: Characters of a name.
NAME = 120


@dataclass(frozen=True)
class File:
    """A content that was put aside.

    Attributes
    ----------
    id : str
        ``file_`` and 16 hexadecimal characters, of the conversation and the content.
    conversation : str
    name, mime : str
        As it was called; "" where unknown.
    text : str
    """

    id: str
    conversation: str
    name: str
    mime: str
    text: str

    @classmethod
    def of(cls, text: str, conversation: str, name: str = "", mime: str = "") -> File:
        """Make the file of a content; its id follows from that and the conversation.

        Examples
        --------
        >>> File.of("a,b", "c1").id == File.of("a,b", "c1", "x.csv").id != File.of("a,b", "c2").id
        True
        """
        text = clean(text)
        named = cut(one_line(clean(name)), NAME)
        return cls(file_id(text, conversation), conversation, named, one_line(mime), text)

    @cached_property
    def bytes(self) -> int:
        """How long it is in UTF-8."""
        return len(self.text.encode())

    @property
    def lines(self) -> int:
        """How many lines it has; a last one without a line break counts."""
        return self.text.count("\n") + (not self.text.endswith("\n") and self.text != "")

    @cached_property
    def explored(self) -> str:
        """What a reader is told of it."""
        return explore(self.text, self.name, self.mime)

    @property
    def path(self) -> str:
        """Where its copy lies, under the folder of files of a store."""
        plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", self.conversation)
        folder = self.conversation if plain else digest("folder", self.conversation, size=8)
        return f"{folder}/{self.id}.{extension(self.name, self.mime) or 'txt'}"


def file_id(text: str, conversation: str) -> str:
    """Give the id of a content in a conversation."""
    return f"file_{digest('file', conversation, text, size=8)}"
