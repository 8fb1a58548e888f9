"""The file of a labelling: a table like any that `HandMade` reads, to which answers are added."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from lcm_lab.errors import BadInput
from lcm_lab.transcripts.probes.handmade import layout

__all__ = ["Answer", "columns", "with_answers"]

HEAD = ("question", "message", "relevance")

#: A question, a docno, and 1 where it answers the question, else 0.
Answer = tuple[str, str, int]


def columns(path: str, table: bytes) -> tuple[str, list[str]]:
    """Give what parts the columns of a table, and their names; those of a new one if it is empty.

    Raises
    ------
    BadInput
        For a table that has no place for answers.
    """
    sign, names = layout(path, table.decode("utf-8-sig"))
    lost = [name for name in HEAD if names and name not in names]
    if lost:
        raise BadInput(
            f"{path!r} has no column {lost[0]!r} to write answers to. Its first line has "
            f"{', '.join(names)}. Add it there, or give another file."
        )
    return sign, names or list(HEAD)


def with_answers(path: str, table: bytes, answers: Iterable[Answer]) -> bytes:
    """Give a table with answers at its end, each under the names of its first line."""
    sign, names = columns(path, table)
    added = io.StringIO(newline="")
    writer = csv.DictWriter(added, names, delimiter=sign, lineterminator="\n")
    if not table:
        writer.writeheader()
    writer.writerows(dict(zip(HEAD, answer, strict=True)) for answer in answers)
    end = b"\n" if table and not table.endswith(b"\n") else b""
    return table + end + added.getvalue().encode()
