"""The posting lists of a searcher on disk: saved once, mapped by every process that searches.

What was saved is used only where fitting anew would give the same: versions, what the analyzer
makes of some texts, and a digest of the indexed rows are compared. Rows that a corpus has after
those are analysed and added.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.lexical.folder import Arrays, read, write
from lcm_lab.ranking.lexical.postings import Postings, keys
from lcm_lab.ranking.lexical.proof import VERSIONS, content, probe
from lcm_lab.ranking.lexical.segments import extend
from lcm_lab.ranking.lexical.terms import Hashed, Listed
from lcm_lab.ranking.lexical.weighted import Lexical, Weights
from lcm_lab.ranking.searcher import Indexes, Searcher, within
from lcm_lab.text import Analysis, Tokens
from lcm_lab.values import spelled

__all__ = ["load", "read_by", "save"]

Facts = dict[str, Any]
Reads = tuple[Analysis, tuple[str, ...]]


def read_by(policy: Ranker) -> dict[Reads, list[Lexical]]:
    """Give the rankers of words in a policy by how they read texts: analyzer and fields."""
    found: dict[Reads, list[Lexical]] = {}
    for ranker in dict.fromkeys(within(policy, Lexical)):
        found.setdefault((ranker.analyzer, ranker.fields), []).append(ranker)
    return found


def save(search: Searcher, folder: Path) -> Path:
    """Write what the rankers of words of a searcher have built; see `Searcher.save`."""
    arrays, lists = Arrays(), []
    for i, (reads, rankers) in enumerate(read_by(search.policy).items()):
        made, facts = _saved(search, reads, rankers)
        arrays |= {f"{i}-{name}": array for name, array in made.items()}
        lists.append(facts)
    if not lists:
        raise BadParameter(f"{search.policy!r} has no ranker of words, so no lists to save.")
    return write(folder, {"versions": VERSIONS, "rows": len(search.corpus), "lists": lists}, arrays)


def load(policy: Ranker, corpus: Corpus, folder: Path) -> Indexes:
    """Give the indexes that a folder holds, after putting its posting lists under the corpus."""
    about, arrays = read(folder)
    if about["versions"] != VERSIONS:
        raise BadInput(
            f"The index in {folder} was saved under {_printed(about['versions'])}; this is "
            f"{_printed(VERSIONS)}, which may read texts otherwise. Fit the policy, and save it."
        )
    indexes = Indexes(corpus)
    for reads, rankers in read_by(policy).items():
        place = _place(about["lists"], reads, folder)
        facts = about["lists"][place]
        _check(facts, reads, corpus, about["rows"], folder)
        prefix = f"{place}-"
        own = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        lists = _put(own, reads, corpus)
        for ranker in rankers if lists.size == len(corpus) else []:
            _give(indexes, ranker, lists, own, facts)
    return indexes


def _saved(search: Searcher, reads: Reads, rankers: list[Lexical]) -> tuple[Arrays, Facts]:
    """Give the arrays of one way to read texts and of its rankers, and what is known of them."""
    (analyzer, fields), corpus = reads, search.corpus
    lists, tokens = map(corpus.kept, keys(analyzer, fields))
    starts, data, table = Hashed.arrays(lists.terms)
    arrays: Arrays = {"term-starts": starts, "term-data": data, "term-table": table}
    arrays |= {
        name: getattr(lists, name) for name in ("starts", "rows", "values", "lengths", "stop")
    }
    if tokens is not None:
        arrays |= {f"token-{name}": getattr(tokens, name) for name in ("ids", "offsets", "lengths")}
    ranked: list[str] = []
    for ranker in rankers:
        built = search.indexes[ranker]
        if type(built) is Weights:
            prefix = f"ranker{len(ranked)}-"
            arrays |= {prefix + name: array for name, array in _weights(built, lists).items()}
            ranked.append(spelled(ranker))
    facts = {
        "analyzer": spelled(analyzer),
        "fields": list(fields),
        "probe": probe(analyzer, corpus, fields, len(corpus)),
        "content": content(corpus, fields, len(corpus)),
        "rankers": ranked,
    }
    return arrays, facts


def _weights(built: Weights, lists: Postings) -> Arrays:
    own = built.postings
    arrays: Arrays = {"values": own.values, "highest": own.highest, "worth": built.worth}
    return arrays if own.rows is lists.rows else arrays | {"starts": own.starts, "rows": own.rows}


def _place(lists: list[Facts], reads: Reads, folder: Path) -> int:
    """Find the lists that texts are read for."""
    fields, wanted = reads[1], spelled(reads[0])
    for place, facts in enumerate(lists):
        if facts["analyzer"] == wanted and facts["fields"] == list(fields):
            return place
    there = "; ".join(f"{one['fields']} by {one['analyzer']}" for one in lists)
    raise BadParameter(
        f"The index in {folder} holds {there}. This policy reads {list(fields)} by {wanted}. "
        "Fit it without saved=, and save it in a folder of its own."
    )


def _check(facts: Facts, reads: Reads, corpus: Corpus, size: int, folder: Path) -> None:
    """Refuse a corpus that does not begin with the saved rows, and an analyzer that has changed."""
    analyzer, fields = reads
    if len(corpus) < size or content(corpus, fields, size) != facts["content"]:
        raise BadParameter(
            f"The index in {folder} is of {size:,} rows that this corpus of {len(corpus):,} does "
            "not begin with: rows can only be added at the end. Fit the policy, and save it."
        )
    if probe(analyzer, corpus, fields, size) != facts["probe"]:
        raise BadInput(
            f"{analyzer!r} no longer gives the terms it gave when the index in {folder} was saved. "
            "Fit the policy, and save it."
        )


def _put(arrays: Arrays, reads: Reads, corpus: Corpus) -> Postings:
    """Put saved lists under a corpus, with the rows that it has beyond them."""
    analyzer, fields = reads
    terms = Hashed(*(arrays[f"term-{name}"] for name in ("starts", "data", "table")))
    named = {name: arrays[name] for name in ("starts", "rows", "values", "lengths", "stop")}
    lists, tokens = Postings(analyzer, terms, whole=None, **named), None
    if "token-ids" in arrays:
        ids, offsets, lengths = (arrays[f"token-{n}"] for n in ("ids", "offsets", "lengths"))
        tokens = Tokens(ids, offsets, lengths, Listed(terms), lists.stop)
    extend(corpus, fields, lists, tokens)
    return lists


def _give(indexes: Indexes, ranker: Lexical, lists: Postings, arrays: Arrays, facts: Facts) -> None:
    """Give the indexes what a ranker made of the lists, where that was saved."""
    if spelled(ranker) not in facts["rankers"]:
        return
    own = f"ranker{facts['rankers'].index(spelled(ranker))}-"
    starts, rows = (arrays.get(own + name, getattr(lists, name)) for name in ("starts", "rows"))
    made = Postings(
        lists.analyzer, lists.terms, starts, rows, arrays[own + "values"], lists.lengths, lists.stop
    )
    vars(made)["highest"] = arrays[own + "highest"]  # cached: it would read every value
    indexes.give(ranker, Weights(made, arrays[own + "worth"]))


def _printed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items())
