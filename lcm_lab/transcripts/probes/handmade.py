"""Hand-made topics: a table of questions and of what answers them, in CSV or TSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lcm_lab.collection.paths import expanded
from lcm_lab.errors import BadInput, BadParameter, EmptyQuery, LcmError, NotFound, nearest
from lcm_lab.query import require_words
from lcm_lab.redact import redact
from lcm_lab.shown import counted
from lcm_lab.synth.overlap import plain
from lcm_lab.times import instant
from lcm_lab.transcripts.probes.base import Draft, Dropped, Kind
from lcm_lab.transcripts.probes.history import History
from lcm_lab.values import value

__all__ = ["COLUMNS", "HandMade", "Line", "layout", "read_table"]

#: Of these a table has question, and message or quote; the others may be there.
COLUMNS = ("question", "message", "session", "quote", "relevance", "answer", "asked_at")
#: How many rows that are wrong are told of.
TOLD = 8
#: A quotation in more messages than this points at none.
PLACES = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table, with its number in the file."""

    number: int
    question: str
    message: str = ""
    session: str = ""
    quote: str = ""
    relevance: str = ""
    answer: str = ""
    asked_at: str = ""


@value
class HandMade(Kind):
    """Take topics from a table: a row a question and a message that answers it.

    Parameters
    ----------
    path : str
        CSV, or TSV by its ending or its first line. Columns: ``question``, and ``message`` (an id)
        or ``quote`` (words of the message, with ``session`` where they stand in several); also
        ``relevance`` (0: looked at and not right), ``answer``, ``asked_at``. Rows of one question
        are one topic; one whose rows are all 0 has nothing to find.

    Raises
    ------
    NotFound
        No such file.
    BadInput
        Rows that are wrong, each with its number, what is wrong and what to write.

    Examples
    --------
    >>> HandMade("questions.csv")
    HandMade('questions.csv')
    """

    path: str
    name: ClassVar[str] = "hand-made"
    short: ClassVar[str] = "hand"
    means: ClassVar[str] = (
        "a question that a person wrote, and the messages that they say answer it"
    )
    answered: ClassVar[bool] = False

    def check(self) -> None:
        """Refuse what is no path."""
        path: Any = self.path
        if not isinstance(path, str) or not path.strip():
            raise BadParameter(f"HandMade takes the path of a CSV or TSV. Got {self.path!r}.")

    def drafts(
        self, history: History, dropped: Dropped, rng: np.random.Generator
    ) -> Iterator[Draft]:
        """Look up what every row points at; all rows that are wrong are told at once."""
        del dropped, rng
        wrong: list[str] = []
        topics: dict[str, list[tuple[Line, int]]] = {}
        for line in read_table(self.path):
            try:
                row = _row(history, line)
                topics.setdefault(require_words(line.question), []).append((line, row))
                _asked(line)
            except LcmError as error:
                wrong.append(f"row {line.number}: {error}")
        if wrong:
            more = f" And {len(wrong) - TOLD:,} more." if len(wrong) > TOLD else ""
            raise BadInput(
                f"{counted(len(wrong), 'row')} of {self.path!r} cannot be used. "
                f"{' '.join(wrong[:TOLD])}{more}"
            )
        yield from (_draft(history, query, lines) for query, lines in topics.items())


def read_table(path: str) -> list[Line]:
    """Read the rows of a table of questions, blank ones left out.

    Raises
    ------
    NotFound
        No such file.
    BadInput
        Not UTF-8, or without the columns that are needed.
    """
    place = expanded(path)
    try:
        text = Path(place).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound(
            f"No table {path!r}. Write one: question,message on its first line."
        ) from None
    except (UnicodeDecodeError, OSError) as error:
        raise BadInput(f"{path!r} cannot be read as text in UTF-8 ({error}).") from None
    sign, names = layout(path, text)
    _require_columns(path, names)
    reader = csv.DictReader(io.StringIO(text, newline=""), names, delimiter=sign)
    next(reader)
    try:
        return [line for row in reader if (line := _line(row, reader.line_num)) is not None]
    except csv.Error as error:
        raise BadInput(f"{path!r}, row {reader.line_num}: {error}.") from None


def layout(path: str, text: str) -> tuple[str, list[str]]:
    """Give what parts the columns of a table, and what its first line calls them; none if empty.

    Raises
    ------
    BadInput
        For a first line that is none of a table.
    """
    head = text.split("\n", 1)[0]
    tabs = path.endswith((".tsv", ".tab")) or ("\t" in head and "," not in head)
    sign = "\t" if tabs else ","
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=sign), [])
    except csv.Error as error:
        raise BadInput(f"{path!r}, row 1: {error}.") from None
    return sign, [name.strip().lower() for name in names]


def _require_columns(path: str, names: list[str]) -> None:
    there = ", ".join(names) or "nothing"
    if "question" not in names:
        close = next((nearest(name, ["question"]) for name in names), "")
        raise BadInput(f"{path!r} needs a column 'question'. Its first line has {there}.{close}")
    if "message" not in names and "quote" not in names:
        raise BadInput(
            f"{path!r} needs a column 'message' (an id) or 'quote' (words of the message). "
            f"Its first line has {there}."
        )


def _line(row: dict[str | None, object], number: int) -> Line | None:
    given = {name: str(item or "").strip() for name, item in row.items() if name in COLUMNS}
    return Line(number, **given) if any(given.values()) else None


def _row(history: History, line: Line) -> int:
    """Give the row that a line points at."""
    if not line.question:
        raise EmptyQuery("no question. Write one, or leave the whole row out.")
    if line.relevance not in ("", "0", "1"):
        raise BadInput(f"relevance is 1 or 0 (or blank, which is 1). Got {line.relevance!r}.")
    if line.message:
        return _of_message(history, line.message)
    if not line.quote:
        raise BadInput("neither a message id nor a quote. Write one of them.")
    return _of_quote(history, line)


def _of_message(history: History, name: str) -> int:
    found = history.row_of.get(name)
    if found is None:
        parts = [f"{name}#{kind}" for kind in ("tool_result", "tool_call", "reasoning")]
        found = next((history.row_of[one] for one in parts if one in history.row_of), None)
    if found is None:
        there = f" among {len(history.docnos):,}.{nearest(name, history.docnos)}"
        raise NotFound(f"no message {name!r}{there}")
    return found


def _of_quote(history: History, line: Line) -> int:
    words = plain(redact(line.quote).text)
    if not words:
        raise BadInput(f"the quote {line.quote!r} has no word.")
    rows = range(len(history.texts))
    if line.session:
        names = set(history.corpus["session"]) | set(history.corpus["conversation"])
        if line.session not in names:
            raise NotFound(f"no session {line.session!r}.{nearest(line.session, sorted(names))}")
        sessions, talks = (
            history.corpus["session"].tolist(),
            history.corpus["conversation"].tolist(),
        )
        rows_of = [row for row in rows if line.session in (sessions[row], talks[row])]
    else:
        rows_of = list(rows)
    held = history.order[history.overlap.holding(line.quote)].tolist()
    found = sorted(row for row in set(rows_of) & set(held) if words in plain(history.texts[row]))
    if not found:
        raise NotFound(f"no message holds {line.quote!r}. Copy a few words as they stand.")
    if len(found) > PLACES:
        some = ", ".join(history.docnos[row] for row in found[:3])
        raise BadInput(
            f"{len(found)} messages hold {line.quote!r} ({some}). Quote more, name the session, or "
            "give the message id."
        )
    return found[0]


def _asked(line: Line) -> int | None:
    return instant(line.asked_at) if line.asked_at else None


def _draft(history: History, query: str, lines: list[tuple[Line, int]]) -> Draft:
    gold = tuple(sorted({row for line, row in lines if line.relevance != "0"}))
    answer = next((line.answer for line, _ in lines if line.answer), "")
    asked = next((_asked(line) for line, _ in lines if line.asked_at), None)
    talk = int(history.talks[gold[0]]) if gold else -1
    return Draft(query, gold, talk, asked, answer)
