"""The layout of BEIR: ``corpus.jsonl``, ``queries.jsonl`` and a table of judgements a split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from lcm_lab import utf8
from lcm_lab.collection import Collection, read_qrels
from lcm_lab.collection.files import parse_lines
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, NotFound

__all__ = ["collection", "is_beir"]

#: Of several splits the first there is.
SPLITS = ("test", "dev", "train")


def is_beir(folder: Path) -> bool:
    """Tell whether a folder has queries and judgements where BEIR puts them."""
    return (folder / "queries.jsonl").is_file() and (folder / "qrels").is_dir()


def collection(folder: Path) -> Collection:
    """Read a folder in the BEIR layout; topics are the queries that its split judges.

    Raises
    ------
    NotFound
        No corpus, or no judgements.
    BadInput
        A line that is not of the form; names it.
    """
    stored = next((file for file in sorted(folder.glob("corpus.jsonl*")) if file.is_file()), None)
    files = {file.stem: file for file in sorted((folder / "qrels").glob("*.tsv"))}
    split = next((name for name in (*SPLITS, *files) if name in files), None)
    if stored is None or split is None:
        lacks = "corpus.jsonl" if stored is None else "qrels/test.tsv"
        raise NotFound(f"{str(folder)!r} is no whole BEIR folder: it lacks {lacks}.")
    corpus = Corpus([_document(row, stored) for row in parse_lines(stored)])
    qrels = _qrels(files[split])
    queries = folder / "queries.jsonl"
    asked = [(_id(row, queries), _text(row, queries)) for row in parse_lines(queries)]
    topics = pd.DataFrame(asked, columns=["qid", "query"])
    topics = topics[topics["qid"].isin(set(qrels["qid"]))]
    card = {"source": "BEIR layout", "split": split, "unit": "document"}
    return Collection(folder.name, corpus, topics, qrels, card=card)


def _document(row: dict[str, Any], path: Path) -> dict[str, Any]:
    title = row.get("title") or ""
    return {"docno": _id(row, path), "text": f"{title} {_text(row, path)}".strip()}


def _id(row: dict[str, Any], path: Path) -> str:
    if "_id" not in row:
        raise BadInput(f"{path.name} has a row without _id. It has {', '.join(row)}.")
    return str(row["_id"])


def _text(row: dict[str, Any], path: Path) -> str:
    if not isinstance(row.get("text"), str):
        raise BadInput(f"{path.name} has no text for {_id(row, path)!r}.")
    return str(row["text"])


def _qrels(path: Path) -> pd.DataFrame:
    """Read judgements: three columns under a heading, or as TREC has them."""
    lines = utf8.read(path).splitlines()
    if lines and len(lines[0].split()) == 4:
        return read_qrels(path)
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            rows.append(_judgement(line, f"{path.name}:{number}"))
    return pd.DataFrame(rows, columns=["qid", "docno", "relevance"])


def _judgement(line: str, where: str) -> tuple[str, str, int]:
    try:
        qid, docno, grade = line.rstrip("\r").split("\t")
        return qid, docno, max(0, int(grade))
    except ValueError:
        message = f"{where} is not 'query-id, corpus-id, score' with tabs. Got {line!r:.80}."
        raise BadInput(message) from None
