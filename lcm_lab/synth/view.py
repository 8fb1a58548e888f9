"""A synthetic collection and its state log side by side, as the checks look at them."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lcm_lab.collection import Collection

__all__ = ["View", "gold_rows"]


@dataclass(frozen=True)
class View:
    """A collection with its state log, as the checks look at it."""

    collection: Collection
    world: Mapping[str, Any]

    @cached_property
    def texts(self) -> dict[str, str]:
        corpus = self.collection.corpus
        return dict(zip(corpus["docno"], corpus["text"], strict=True))

    @cached_property
    def topics(self) -> dict[str, dict[Any, Any]]:
        rows = self.collection.topics.to_dict("records")
        return {str(row["qid"]): row for row in rows}

    @cached_property
    def gold(self) -> dict[str, list[str]]:
        docnos = self.collection.corpus["docno"]
        return {
            qid: [str(docnos.iloc[row]) for row in rows]
            for qid, rows in gold_rows(self.collection).items()
        }

    @cached_property
    def facts(self) -> dict[str, Mapping[str, Any]]:
        talks = self.world["conversations"].values()
        return {fact["id"]: fact for talk in talks for fact in talk["facts"]}

    @cached_property
    def spoken(self) -> dict[str, dict[str, str]]:
        """The texts of each conversation, composed and in lower case, by docno."""
        corpus = self.collection.corpus
        out: dict[str, dict[str, str]] = defaultdict(dict)
        for docno, name in zip(corpus["docno"], corpus["conversation"], strict=True):
            out[name][docno] = unicodedata.normalize("NFC", self.texts[docno]).lower()
        return out


def gold_rows(collection: Collection) -> dict[str, list[int]]:
    """Give the rows of each topic's relevant documents; topics without any are left out."""
    relevant = collection.qrels[collection.qrels["relevance"] >= collection.relevant_from]
    rows = collection.corpus.row_of(relevant["docno"].tolist())
    out: dict[str, list[int]] = defaultdict(list)
    for qid, row in zip(relevant["qid"], rows, strict=True):
        out[str(qid)].append(int(row))
    return out
