"""Large files: what is too long to stand in a conversation, put aside and told of in its place.

`externalise` is a function of a message alone, so the same message gives the same files and the
same text, however often it comes in. Files are addressed by content within their conversation. The
row holds the content too: the copy on disk is for people and their tools, and may be lost.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lcm_lab.ids import digest
from lcm_lab.messages import Message, Part
from lcm_lab.shown import cut, one_line
from lcm_lab.store.confined import inside, put
from lcm_lab.store.large import NAME, File
from lcm_lab.text import count_tokens

__all__ = ["REFERENCE", "THRESHOLD", "File", "externalise", "folder_of", "keep", "remove"]

#: Tokens of a block from which on it is put aside, as the reference does.
THRESHOLD = 25_000
#: How the text begins that stands in the place of a file.
REFERENCE = re.compile(r"\[LCM (?:Tool Output|File|Raw Payload): (file_[0-9a-f]{16}) \|")

OPENING = re.compile(r"<file\b([^>]{0,2000})>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
CLOSING = re.compile("</file>", re.IGNORECASE)
CALL = 'Call lcm_describe(id="{id}", expandFile=true) to read the whole of it.'


def externalise(
    message: Message, conversation: str, threshold: int = THRESHOLD
) -> tuple[Message, tuple[File, ...]]:
    r"""Put the long blocks of a message aside.

    Parameters
    ----------
    message : Message
    conversation : str
        Its name, which the ids of its files depend on.
    threshold : int
        Tokens from which on a block is long.

    Returns
    -------
    Message
        In the place of each long block the header of a reference and an exploration summary; the
        message itself where none is long, or where the reference would be no shorter.
    tuple of File

    Examples
    --------
    >>> from lcm_lab.messages import Message, Part
    >>> log = "\n".join(f"step {n} ok" for n in range(400))
    >>> said = Message("m1", "s1", "tool", (Part("tool_result", log, name="bash"),))
    >>> short, (kept,) = externalise(said, "s1", threshold=1_000)
    >>> short.parts[0].text.splitlines()[0].replace(kept.id, "file_...")
    '[LCM Tool Output: file_... | tool=bash | 4,689 bytes]'
    >>> kept.text == log
    True
    """
    if all(len(part.text) < threshold for part in message.parts):
        return message, ()
    aside = _Aside(message, conversation, threshold)
    parts = tuple(aside.shortened(part) for part in message.parts)
    files = tuple(aside.files.values())
    return (replace(message, parts=parts), files) if files else (message, ())


class _Aside:
    """What is put aside of one message."""

    def __init__(self, message: Message, conversation: str, threshold: int) -> None:
        self.role, self.conversation, self.threshold = message.role, conversation, threshold
        self.tools = {part.call: part.name for part in message.parts if part.kind == "tool_call"}
        self.files: dict[str, File] = {}

    def shortened(self, part: Part) -> Part:
        """Give a part without what is long in it: files that it encloses, then all of it."""
        text = part.text
        if part.kind == "summary" or not self._is_long(text) or REFERENCE.match(text):
            return part
        if part.kind == "text":
            text = "".join(self._enclosed(text))
        if self._is_long(text):
            text = self._aside(File.of(text, self.conversation), self._headed(part), text)
        return replace(part, text=text)

    def _is_long(self, text: str) -> bool:
        # No token is shorter than a character.
        return len(text) >= self.threshold and count_tokens(text) >= self.threshold

    def _enclosed(self, text: str) -> Iterator[str]:
        """Yield a text in pieces, in which enclosed files that are long are references."""
        at = 0
        while (opening := OPENING.search(text, at)) is not None:
            closing = CLOSING.search(text, opening.end())
            if closing is None:
                break
            yield text[at : opening.start()]
            at = closing.end()
            content = text[opening.end() : closing.start()]
            yield self._file(content, opening[1], text[opening.start() : at])
        yield text[at:]

    def _file(self, content: str, attributes: str, whole: str) -> str:
        if not self._is_long(content):
            return whole
        given = {
            name.lower(): double or single or bare
            for name, double, single, bare in ATTRIBUTE.findall(attributes)
        }
        name, mime = given.get("name", "").strip(), given.get("mime", "").strip()
        file = File.of(content, self.conversation, name, mime)
        return self._aside(file, f"File: {{}} | {_told(file.name)} | {_told(file.mime)}", whole)

    def _headed(self, part: Part) -> str:
        if part.kind == "tool_result":
            name = part.name or self.tools.get(part.call, "")
            return f"Tool Output: {{}} | tool={_told(name)}"
        return f"Raw Payload: {{}} | role={_told(self.role)} | reason=large_raw_message"

    def _aside(self, file: File, header: str, whole: str) -> str:
        """Put a file aside and give the reference to it; the text stays if that is no longer."""
        head = f"[LCM {header.replace('{}', file.id)} | {file.bytes:,} bytes]"
        told = f"{head}\n\nExploration Summary:\n{file.explored}\n\n{CALL.format(id=file.id)}"
        if len(told) >= len(whole):
            return whole
        self.files[file.id] = file
        return told


def _told(name: str) -> str:
    """Give a name as it stands in a header, which ends at a bracket and is parted by bars."""
    return " ".join(re.sub(r"[\[\]|]", " ", cut(one_line(name), NAME)).split()) or "unknown"


def folder_of(store: str | Path) -> Path | None:
    """Give the folder that the files of a store are copied to; None for one in memory.

    Examples
    --------
    >>> folder_of("memory.db").name, folder_of(":memory:")
    ('memory.db.files', None)
    """
    return None if str(store) == ":memory:" else Path(f"{store}.files")


def keep(
    connection: sqlite3.Connection, number: int, files: Iterable[File], folder: Path | None
) -> None:
    """Write files of a conversation down, and copies of them into the folder.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a store, in a transaction.
    number : int
        Of the conversation.
    files : iterable of File
    folder : Path, optional
        As `folder_of` gives it.
    """
    for file in files:
        content = file.text.encode()
        told = (file.name, file.mime, len(content), file.lines, file.path, digest(content))
        connection.execute(
            "insert into files values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
            (file.id, number, *told, file.explored, zlib.compress(content, 6)),
        )
        if folder is not None:
            put(folder, file.path, content)


def remove(folder: Path | None, paths: Iterable[str]) -> None:
    """Remove copies from the folder, after the rows of their files are gone.

    Parameters
    ----------
    folder : Path, optional
    paths : iterable of str
        As the rows had them.
    """
    for path in paths if folder is not None else ():
        place = inside(folder, path)  # type: ignore[arg-type]
        place.unlink(missing_ok=True)
        with suppress(OSError):  # other files lie in it
            place.parent.rmdir()
