"""A collection as a folder of plain files: the same content gives the same bytes."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab import utf8, whole
from lcm_lab.collection.unpack import unpack
from lcm_lab.columns import SCHEMA
from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, NotFound
from lcm_lab.text import count_tokens

__all__ = ["is_collection", "load", "parse_lines", "qrels_bytes", "save", "topics_bytes"]

CORPUS = ("corpus.jsonl.xz", "corpus.jsonl.gz", "corpus.jsonl")
TOPICS, QRELS, CARD = "topics.jsonl", "qrels.tsv", "card.json"


def save(
    folder: Path, corpus: Corpus, topics: pd.DataFrame, qrels: pd.DataFrame, card: dict[str, Any]
) -> Path:
    """Write the four files, all or none; another corpus, packed otherwise, is removed."""
    with whole.folder(folder) as work:
        (work / CORPUS[0]).write_bytes(lzma.compress(corpus_bytes(corpus), preset=6))
        (work / TOPICS).write_bytes(topics_bytes(topics))
        (work / QRELS).write_bytes(qrels_bytes(qrels))
        (work / CARD).write_bytes(_card_bytes(card))
    for other in CORPUS[1:]:
        (folder / other).unlink(missing_ok=True)
    return folder


def is_collection(folder: Path) -> bool:
    """Tell whether a folder looks like one that `save` wrote, whole or not."""
    places = (folder, folder / whole.READY)
    named = {name for name in (TOPICS, *CORPUS) for one in places if (one / name).is_file()}
    return TOPICS in named and len(named) > 1


def load(folder: Path) -> tuple[Corpus, pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Read the four files.

    Raises
    ------
    NotFound
        A missing folder or file.
    BadInput
        A file that is not what it should be; names it and the line.
    """
    if not folder.is_dir():
        raise NotFound(f"No folder {str(folder)!r} to open a collection from.")
    return whole.read(folder, CARD, lambda: _load(folder))


def _load(folder: Path) -> tuple[Corpus, pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    corpus_file = next((folder / name for name in CORPUS if (folder / name).is_file()), None)
    missing = [name for name in (TOPICS, QRELS, CARD) if not (folder / name).is_file()]
    if corpus_file is None or missing:
        lost = ", ".join([*([CORPUS[0]] if corpus_file is None else []), *missing])
        raise NotFound(f"{str(folder)!r} is no whole collection: it lacks {lost}. Save it again.")
    corpus = Corpus(list(parse_lines(corpus_file)))
    topics = pd.DataFrame(list(parse_lines(folder / TOPICS)), dtype=object)
    if topics.empty:
        topics = pd.DataFrame(columns=["qid", "query"], dtype=object)
    return corpus, topics, _read_qrels(folder / QRELS), _read_card(folder / CARD)


def parse_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of one JSON object a line, compressed or not.

    Raises
    ------
    BadInput
        A line that is no JSON object, or a file that is cut short.
    """
    data, whole = unpack(path)
    if not whole:
        raise BadInput(f"{path.name} is cut short: its compressed stream does not end.")
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield _object(line, f"{path.name}:{number}")


def _object(text: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where} is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise BadInput(f"{where} is not a JSON object. Got {found!r:.60}.")
    return found


def corpus_bytes(corpus: Corpus) -> bytes:
    """Give the corpus as JSON lines; defaults, and what follows from the text, are left out."""
    frame = corpus.frame()
    frame["time"] = _stamps(frame["time"])
    if (frame["seq"] == np.arange(len(frame))).all():
        frame = frame.drop(columns="seq")
    counted = np.asarray(count_tokens(corpus.column("text")))
    tokens: pd.Series = frame["tokens"].astype(object)
    frame["tokens"] = tokens.mask(frame["tokens"].to_numpy() == counted, None)
    defaults = {name: default for name, (_, default) in SCHEMA.items()}
    return _lines(frame, {**defaults, "docno": None, "text": None, "conversation": None})


def topics_bytes(topics: pd.DataFrame) -> bytes:
    """Give the topics as JSON lines; what is missing is left out."""
    frame = topics.copy()
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.DatetimeTZDtype):
            frame[name] = _stamps(frame[name])
    return _lines(frame, {})


def qrels_bytes(qrels: pd.DataFrame) -> bytes:
    """Give the judgements as tab-separated text with a heading.

    Raises
    ------
    BadInput
        An id with a tab or a line break in it.
    """
    frame = qrels.copy()
    if "stale" in frame:
        frame["stale"] = frame["stale"].astype("int64")
    rows = ["\t".join(map(str, row)) for row in frame.itertuples(index=False)]
    for row in rows:
        if row.count("\t") != len(frame.columns) - 1 or len(row.splitlines()) != 1:
            raise BadInput(f"An id holds a tab or a line break: {row!r}. Rename it before saving.")
    return "".join(f"{row}\n" for row in ["\t".join(map(str, frame.columns)), *rows]).encode()


def _read_qrels(path: Path) -> pd.DataFrame:
    lines = utf8.read(path).split("\n")
    heading = lines[0].rstrip("\r").split("\t")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        parts = line.rstrip("\r").split("\t")
        if line.strip() and len(parts) != len(heading):
            wanted = f"{len(heading)}, as its heading has"
            raise BadInput(f"{path.name}:{number} has {len(parts)} columns, not {wanted}.")
        if line.strip():
            rows.append(parts)
    frame = pd.DataFrame(rows, columns=heading, dtype=object)
    return frame.assign(stale=frame["stale"] == "1") if "stale" in frame else frame


def _read_card(path: Path) -> dict[str, Any]:
    return _object(path.read_bytes(), path.name)


def _card_bytes(card: dict[str, Any]) -> bytes:
    return (json.dumps(card, ensure_ascii=False, indent=2, default=_plain) + "\n").encode()


def _lines(frame: pd.DataFrame, defaults: dict[str, Any]) -> bytes:
    """Give rows as JSON lines, without what is missing or at its default ("" if not named)."""
    out = []
    for row in frame.to_dict("records"):
        kept = {k: v for k, v in row.items() if not _missing(v) and v != defaults.get(str(k), "")}
        out.append(json.dumps(kept, ensure_ascii=False, default=_plain) + "\n")
    return "".join(out).encode()


def _plain(item: Any) -> Any:
    """Give what JSON can hold for numpy scalars and timestamps."""
    return item.item() if isinstance(item, np.generic) else str(item)


def _stamps(times: pd.Series) -> pd.Series:
    naive = times.dt.tz_convert("UTC").dt.tz_localize(None)
    text = pd.Series(np.datetime_as_string(naive.to_numpy("datetime64[us]")), index=times.index)
    short = text.str.removesuffix(".000000") + "Z"
    return short.astype(object).where(times.notna(), None)


def _missing(item: object) -> bool:
    return (
        item is None
        or item is pd.NA
        or item is pd.NaT
        or (isinstance(item, float) and np.isnan(item))
    )
