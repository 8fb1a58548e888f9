"""Judgements in the form of TREC: ``qid 0 docno relevance``, one a line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from lcm_lab import utf8, whole
from lcm_lab.errors import BadInput, NotFound

__all__ = ["read_qrels", "write_qrels"]


def read_qrels(path: str | Path) -> pd.DataFrame:
    """Read TREC judgements.

    Parameters
    ----------
    path : str or Path
        A text file of lines ``qid 0 docno relevance``; blank lines are passed over.

    Returns
    -------
    DataFrame
        qid, docno, relevance, in the order of the file. Negative grades, which TREC uses for
        "not relevant, and junk", become 0.

    Raises
    ------
    NotFound
        No such file.
    BadInput
        A line that is not of that form; names it.
    """
    path = Path(path)
    if not path.is_file():
        raise NotFound(f"No file {str(path)!r} to read qrels from.")
    rows = []
    for number, line in enumerate(utf8.read(path).splitlines(), 1):
        if line.strip():
            rows.append(_judgement(line, f"{path.name}:{number}"))
    return pd.DataFrame(rows, columns=["qid", "docno", "relevance"])


def _judgement(line: str, where: str) -> tuple[str, str, int]:
    parts = line.split()
    try:
        qid, _, docno, grade = parts
        return qid, docno, max(0, int(grade))
    except ValueError:
        raise BadInput(
            f"{where} is not 'qid 0 docno relevance'. Got {line.strip()!r:.80}."
        ) from None


def write_qrels(qrels: pd.DataFrame, path: str | Path) -> Path:
    """Write judgements as TREC does, and give the path.

    Raises
    ------
    BadInput
        An id with a blank in it, which the form cannot hold.
    """
    lines = []
    for qid, docno, grade in zip(qrels["qid"], qrels["docno"], qrels["relevance"], strict=True):
        for name in (qid, docno):
            if not name or len(name.split()) != 1:
                raise BadInput(
                    f"TREC qrels cannot hold the id {name!r}: it is empty or has blanks."
                )
        lines.append(f"{qid} 0 {docno} {grade}\n")
    path = Path(path)
    with whole.file(path) as part:
        part.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path
