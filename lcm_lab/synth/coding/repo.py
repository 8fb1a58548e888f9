"""The files of a project: code that is written, read, searched and changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lcm_lab.synth.draw import Draw
from lcm_lab.synth.language import expand

__all__ = ["Change", "File", "Repo"]

MARK = re.compile(r"@([nNmMaAfFvVkETDU])")
ARTICLE = re.compile(r"\ba (?=[aeio])")
NEEDS = re.compile(r"\b(self|this|s|w|ctx|timeout|timeoutMs|signal|rows|limit)\b[.)\],: ]")
NUMBERS = ("2", "3", "4", "5", "8", "10", "12", "16", "20", "25", "32", "50", "64", "100")
#: Lines of a file: most are short, some very long.
FUNCTIONS = (3, 3, 4, 4, 5, 6, 6, 7, 8, 9, 10, 12, 14, 16, 20, 26, 34, 50, 80, 140)


@dataclass
class File:
    """A file with its lines, the noun that it is about, another that it uses, its functions."""

    path: str
    noun: str
    other: str
    lines: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """An edit: the old and the new lines of a file, at a line counted from 0."""

    file: File
    at: int
    old: tuple[str, ...]
    new: tuple[str, ...]


class Repo:
    """The code of a project in one language.

    Parameters
    ----------
    code, nouns : str, list of str
        The package's name, and what its files are about.
    stack : mapping
        The language's table.
    lexicon, docs : mapping, list of str
        Verbs and attributes; what a docstring may say.
    draw : Draw
    """

    def __init__(
        self,
        names: tuple[str, Sequence[str]],
        stack: Mapping[str, Any],
        lexicon: Mapping[str, Any],
        docs: Sequence[str],
        draw: Draw,
    ) -> None:
        self.code, self.nouns = names
        self.stack, self.lexicon, self.docs, self.draw = stack, lexicon, docs, draw
        self.files: list[File] = []
        self.touched: dict[str, Change] = {}
        for noun in self.nouns:
            for folder in draw.sample(stack["dirs"], draw.between(2, 3)):
                path = f"{folder}/{noun}.{stack['ext']}".replace("$s", self.code)
                self.files.append(self._file(path, noun))
            self.files.append(self._tests(noun))

    def pick(self) -> File:
        """Give some file with code."""
        found = self.draw.pick(self.files)
        return found if found.functions else self.pick()

    def change(self, file: File) -> Change:
        """Replace, add or drop a few lines of a file."""
        places = [i for i, line in enumerate(file.lines) if line.startswith((" ", "\t"))]
        at = self.draw.pick(places)
        indent = re.match(r"\s*", file.lines[at])
        marks = self._marks(file)
        size = min(self.draw.between(0, 6), len(file.lines) - at)
        new = [
            f"{indent.group() if indent else ''}{line}" if line else ""
            for _ in range(self.draw.pick((1, 1, 2, 2, 3, 5, 8)))
            for line in self._fill(self.draw.pick(self.stack["body"]), marks).split("\n")
        ]
        made = Change(file, at, tuple(file.lines[at : at + size]), tuple(new))
        file.lines[at : at + size] = new
        self.touched[file.path] = made
        return made

    def test_case(self, file: File) -> list[str]:
        """Give a new test for a file."""
        return self._fill(self.draw.pick(self.stack["unit"]), self._marks(file)).split("\n")

    def _file(self, path: str, noun: str) -> File:
        file = File(path, noun, self.draw.pick([n for n in self.nouns if n != noun]))
        marks = self._marks(file)
        heads = [one for one in self.stack["head"][1:] if self.draw.chance(60)]
        heads = heads[:0] if path.endswith(".go") else heads
        parts = [self._fill(one, marks) for one in (self.stack["head"][0], *heads)]
        parts += [self._fill(one, marks) for one in self.draw.sample(self.stack["globals"], 3)]
        if path.endswith(".go"):
            parts.insert(0, f"package {path.split('/')[-2]}\n")
        file.lines = [line for part in parts for line in part.split("\n")]
        for _ in range(self.draw.pick(FUNCTIONS)):
            file.lines += ["", "", *self._function(file)]
        return file

    def _tests(self, noun: str) -> File:
        path = self.stack["tests"].replace("$n", noun)
        file = File(path, noun, self.draw.pick([n for n in self.nouns if n != noun]))
        code = next(one for one in self.files if one.noun == noun)
        for _ in range(self.draw.between(4, 14)):
            one = File(path, noun, file.other, [], code.functions)
            file.lines += [*self.test_case(one), ""]
        return file

    def _function(self, file: File) -> list[str]:
        marks = self._marks(file)
        name = self._name(marks)
        opening = self.draw.pick(self.stack["open"])
        mine = marks | {"f": name, "F": name[:1].upper() + name[1:]}
        free = set(NEEDS.findall(opening))
        body = [one for one in self.stack["body"] if set(NEEDS.findall(one)) <= free]
        lines: list[str] = []
        for one in self.draw.sample(body, self.draw.between(2, 9)):
            lines += self._fill(one, marks).split("\n")
        lines += [self._fill(self.draw.pick(self.stack["close"]), marks)]
        file.functions.append(name)
        return self._closed(self._fill(opening, mine), self._documented(lines, marks), marks)

    def _documented(self, lines: list[str], marks: Mapping[str, str]) -> list[str]:
        if self.stack["ext"] == "py" and self.draw.chance(60):
            return [self._fill(self.stack["doc"], marks), *lines]
        return lines

    def _closed(self, opening: str, lines: list[str], marks: Mapping[str, str]) -> list[str]:
        indent = {"py": "    ", "ts": "  ", "go": "\t"}[self.stack["ext"]]
        body = [f"{indent}{line}" if line else "" for line in lines]
        if self.stack["ext"] == "py":
            return [opening, *body]
        doc = [self._fill(self.stack["doc"], marks)] if self.draw.chance(50) else []
        return [*doc, opening, *body, "};" if opening.startswith("export const") else "}"]

    def _name(self, marks: Mapping[str, str]) -> str:
        tail = self.draw.pick(("", "", marks["m"], marks["a"], "all", "by_" + marks["m"]))
        return self._cased([marks["v"], marks["n"], *filter(None, tail.split("_"))])

    def _cased(self, words: Sequence[str]) -> str:
        if self.stack["ext"] == "py":
            return "_".join(words)
        return words[0] + "".join(word.capitalize() for word in words[1:])

    def _marks(self, file: File) -> dict[str, str]:
        attribute = self.draw.pick(self.lexicon["attributes"])
        verb = self.draw.pick(self.lexicon["verbs"])
        found = self.draw.pick(file.functions or [self._cased([verb, file.noun])])
        marks = {"n": file.noun, "m": file.other, "a": attribute, "v": verb, "f": found}
        marks |= {key.upper(): value[:1].upper() + value[1:] for key, value in marks.items()}
        doc = expand(self.draw.pick(self.docs), self.draw)
        doc = doc.replace("{n}", file.noun).replace("{m}", file.other)
        doc = doc.replace("{a}", attribute).replace("{verb}", verb)
        marks["D"] = ARTICLE.sub("an ", doc[:1].upper() + doc[1:])
        marks["U"] = attribute.upper()
        marks["E"] = self.draw.pick(self.stack["errors"])
        marks["T"] = MARK.sub(
            lambda one: marks.get(one.group(1), ""), self.draw.pick(self.stack["types"])
        )
        return marks

    def _fill(self, template: str, marks: Mapping[str, str]) -> str:
        def one(found: re.Match[str]) -> str:
            key = found.group(1)
            return self.draw.pick(NUMBERS) if key == "k" else marks[key]

        return MARK.sub(one, template.replace("$s", self.code).replace("$n", marks["n"]))
