"""A synthetic collection as a folder, written conversation by conversation in bounded memory.

Everything is written beside the target and takes its place once it is whole: what is interrupted,
however rudely, leaves nothing under the final name, or what stood there before.
"""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from lcm_lab import whole
from lcm_lab.collection.files import is_collection
from lcm_lab.errors import BadInput
from lcm_lab.synth.card import About, Tally
from lcm_lab.synth.card_text import card_text
from lcm_lab.synth.part import Part

__all__ = ["Progress", "read_world", "save"]

#: Called with how many conversations are written.
Progress = Callable[[int], None]
CORPUS, TOPICS, QRELS = "corpus.jsonl.xz", "topics.jsonl", "qrels.tsv"
WORLD, CARD, TEXT = "world.json.xz", "card.json", "card.md"
#: How hard liblzma tries, by size: at M and L the rest is quicker than it.
PRESET = {"S": 6, "M": 1, "L": 1}


def save(
    folder: Path,
    parts: Iterable[Part],
    about: About,
    made: dict[str, Any],
    progress: Progress | None = None,
) -> Path:
    """Write the collection that the conversations make, and give the folder.

    Equal conversations give equal bytes (packed files: under the same liblzma).

    Raises
    ------
    BadInput
        When the folder is there and holds something other than a collection.
    """
    folder = folder.absolute()
    if folder.exists() and not (folder.is_dir() and (_empty(folder) or is_collection(folder))):
        raise BadInput(f"{str(folder)!r} is there and is no collection. Give another folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    work = folder.parent / f".{folder.name}.{os.getpid()}.part"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        _write(work, parts, about, made, progress)
        _swap(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def read_world(folder: Path) -> dict[str, Any]:
    """Read the state log of a collection's folder."""
    with lzma.open(folder / WORLD, "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _write(
    work: Path,
    parts: Iterable[Part],
    about: About,
    made: dict[str, Any],
    progress: Progress | None,
) -> None:
    tally, asked = Tally(), {}
    with ExitStack() as stack:
        corpus, world = (
            stack.enter_context(_packed(work / name, PRESET[made["size"]]))
            for name in (CORPUS, WORLD)
        )
        topics, qrels = (
            stack.enter_context((work / name).open("w", encoding="utf-8", newline="\n"))
            for name in (TOPICS, QRELS)
        )
        qrels.write("qid\tdocno\trelevance\tstale\n")
        world.write('{"conversations": {')
        for number, part in enumerate(parts, 1):
            corpus.writelines(_line(row) for row in part.rows())
            topics.writelines(_line(topic) for topic in part.topics())
            qrels.writelines(
                f"{line['qid']}\t{line['docno']}\t{line['relevance']}\t{int(line['stale'])}\n"
                for line in part.qrels()
            )
            world.write(f"{',' * (number > 1)}\n{_json(part.world.name)}: {_json(part.state())}")
            asked.update(part.asked())
            tally.add(part)
            if progress:
                progress(number)
        world.write(f'\n}},\n"topics": {_json(asked)}}}\n')
    card = tally.card(about, made)
    facts = {**card, "name": f"synth-{made['profile']}-{made['size'].lower()}", "relevant_from": 2}
    _text(work / CARD, json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    _text(work / TEXT, card_text(card))


def _packed(path: Path, preset: int) -> IO[str]:
    return lzma.open(path, "wt", preset=preset, encoding="utf-8", newline="\n")


def _line(row: dict[str, Any]) -> str:
    return _json({name: value for name, value in row.items() if value not in ("", None)}) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _swap(work: Path, folder: Path) -> None:
    """Put what was written in place; of an older collection nothing is lost until all is there."""
    if not folder.exists() or _empty(folder):
        work.replace(folder)
        return
    names = {one.name for one in work.iterdir()}
    with whole.folder(folder) as place:
        for name in names:
            (work / name).replace(place / name)
    for left in folder.iterdir():  # a file of the older one would be read beside the new ones
        if left.is_file() and left.name not in names:
            left.unlink()


def _sweep(folder: Path) -> None:
    """Remove what runs that were killed left behind; those that still run keep theirs."""
    for left in folder.parent.glob(f".{folder.name}.*.part"):
        found = re.fullmatch(rf"\.{re.escape(folder.name)}\.(\d+)\.part", left.name)
        if found and not whole.runs(int(found.group(1))):
            shutil.rmtree(left, ignore_errors=True)


def _empty(folder: Path) -> bool:
    return not any(folder.iterdir())
