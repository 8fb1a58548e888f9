"""What an agent's tools print: the project's state, and the plain ways of looking at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lcm_lab.synth.coding.repo import Change, File, Repo
from lcm_lab.synth.coding.values import hexes, number
from lcm_lab.synth.coding.world import Project
from lcm_lab.synth.draw import Draw

__all__ = ["BASH_LIMIT", "Shell", "Use", "bash", "cut", "numbered"]

#: Characters that the Bash tool prints; what is more is cut, with a marker.
BASH_LIMIT = 30_000


@dataclass(frozen=True)
class Use:
    """A tool call and its result, as a corpus has their texts."""

    call: str
    result: str


@dataclass
class Shell:
    """A project as its tools see it.

    Attributes
    ----------
    world, repo : Project, Repo
    lexicon : mapping
    draw : Draw
    held : frozenset of str
        Values of facts, which nothing prints by chance.
    commits : list of (hash, subject)
        Oldest first.
    now : datetime
        The time of the entry that is being made (naive UTC).
    """

    world: Project
    repo: Repo
    lexicon: Mapping[str, Any]
    draw: Draw
    held: frozenset[str]
    commits: list[tuple[str, str]]
    now: datetime

    @property
    def root(self) -> str:
        """The folder of the project."""
        return f"/srv/{self.world.code}"

    def num(self, low: int, high: int) -> str:
        """Give a number that is the value of no fact."""
        return number(self.draw, low, high, self.held)

    def hexes(self, size: int) -> str:
        """Give hexadecimal digits."""
        return hexes(self.draw, size)

    def noun(self) -> str:
        """Give something that the project is about."""
        return self.draw.pick(self.world.nouns)

    def ago(self, most: int) -> str:
        """Give a moment up to ``most`` minutes ago as a log writes it."""
        then = self.now - timedelta(minutes=self.draw.below(most), seconds=self.draw.below(60))
        return then.strftime("%Y-%m-%d %H:%M:%S")


def bash(command: str, what: str, result: str) -> Use:
    """Give a call of Bash and what it printed, cut where that is too long."""
    return Use(f"Bash\ncommand: {command}\ndescription: {what}", cut(result))


def cut(text: str, limit: int = BASH_LIMIT) -> str:
    """Cut the middle out of an output that is longer than the tool prints, and say so."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit // 2], text[-limit // 2 :]
    left = text.count("\n") - head.count("\n") - tail.count("\n")
    return f"{head}\n\n... [{left} lines truncated] ...\n\n{tail}"


def numbered(lines: Sequence[str], first: int) -> str:
    """Give lines as `cat -n` has them; ``first`` is the number of the first."""
    return "\n".join(f"{n:6d}→{line}" for n, line in enumerate(lines, first))


def filled_up(line: Callable[[], str], size: int, most: int = 1500) -> list[str]:
    """Make lines until they have about ``size`` characters."""
    out: list[str] = []
    have = 0
    while have < size and len(out) < most:
        out.append(line())
        have += len(out[-1]) + 1
    return out


def read(shell: Shell, file: File, size: int) -> Use:
    """Read a file, or the part of it that has about ``size`` characters."""
    total = sum(len(line) + 8 for line in file.lines)
    call = f"Read\nfile_path: {shell.root}/{file.path}"
    if total <= size * 3 // 2 or len(file.lines) < 12:
        return Use(call, numbered(file.lines, 1))
    wanted = max(5, len(file.lines) * size // max(total, 1))
    start = shell.draw.below(max(1, len(file.lines) - wanted))
    call += f"\noffset: {start + 1}\nlimit: {wanted}"
    return Use(call, numbered(file.lines[start : start + wanted], start + 1))


def grep(shell: Shell, pattern: str, size: int) -> Use:
    """Search the project for a word."""
    found: list[str] = []
    have = 0
    for file in shell.repo.files:
        for n, line in enumerate(file.lines, 1):
            if pattern in line:
                found.append(f"{file.path}:{n}:{line}")
                have += len(found[-1]) + 1
        if have > size * 2:
            break
    mode = "output_mode: content\n-n: true" if size > 250 else "output_mode: files_with_matches"
    call = f"Grep\npattern: {pattern}\npath: {shell.root}\n{mode}"
    if not found:
        return Use(call, "No matches found")
    if size > 250:
        return Use(call, "\n".join(found))
    paths = list(dict.fromkeys(one.split(":")[0] for one in found))
    listed = "\n".join(f"{shell.root}/{path}" for path in paths)
    return Use(call, f"Found {len(paths)} file{'s' * (len(paths) != 1)}\n{listed}")


def glob(shell: Shell, noun: str) -> Use:
    """List the files about a noun."""
    end = shell.repo.stack["ext"]
    found = [f"{shell.root}/{f.path}" for f in shell.repo.files if noun in f.path]
    return Use(f"Glob\npattern: **/*{noun}*.{end}", "\n".join(found) or "No files found")


def listing(shell: Shell, size: int) -> Use:
    """List a folder with sizes."""
    folder = shell.draw.pick(shell.repo.files).path.rsplit("/", 1)[0]
    inside = [f for f in shell.repo.files if f.path.rsplit("/", 1)[0] == folder]
    rows = []
    for file in inside[: max(3, size // 60)]:
        day = shell.ago(60 * 24 * 40)[5:16]
        rows.append(
            f"-rw-r--r-- 1 dev dev {sum(map(len, file.lines)):6d} {day} {file.path.split('/')[-1]}"
        )
    total = f"total {4 * len(rows)}"
    head = f"drwxr-xr-x 2 dev dev   4096 {shell.ago(900)[5:16]} ."
    return bash(f"ls -la {folder}", f"List {folder}", "\n".join([total, head, *rows]))


def edit(shell: Shell, change: Change) -> Use:
    """Give the edit that a change was, and the snippet that the tool prints."""
    path = f"{shell.root}/{change.file.path}"
    before = change.file.lines[max(0, change.at - 1) : change.at]
    after = change.file.lines[change.at + len(change.new) : change.at + len(change.new) + 1]
    old = "\n".join([*before, *change.old, *after])
    new = "\n".join([*before, *change.new, *after])
    call = f"Edit\nfile_path: {path}\nold_string: {old}\nnew_string: {new}"
    if shell.draw.chance(8):
        return Use(call, f"The file {path} has been updated successfully.")
    around = shell.draw.between(1, 4)
    first = max(0, change.at - around)
    shown = numbered(change.file.lines[first : change.at + len(change.new) + around], first + 1)
    said = "Here's the result of running `cat -n` on a snippet of the edited file:"
    return Use(call, f"The file {path} has been updated. {said}\n{shown}")


def write(shell: Shell, path: str, lines: Sequence[str]) -> Use:
    """Write a new file."""
    full = f"{shell.root}/{path}"
    text = "\n".join(lines)
    return Use(
        f"Write\nfile_path: {full}\ncontent: {text}", f"File created successfully at: {full}"
    )
