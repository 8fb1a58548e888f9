"""Install and import, group O: an SQLite without FTS5, or without a tokenizer of it."""

import random
import re
import sqlite3

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.exact.match import matching, prepared
from lcm_lab.ranking.exact.plain import Plain
from lcm_lab.ranking.exact.table import Table

SAID = [
    "close OPS-417 today", "417 lines of OPS notes", "moved to qwen2-7b in v3.1.4",
    "the baker's letter on rent", "今天上午讨论了缓存方案", "forêt parser retries",
    "port it to C++", "error handling for retries", "handling retries after the error",
    "caching is cached",
]  # fmt: skip
CASES = [
    "OPS-417", "qwen2-7b v3.1.4", "baker's letter?", "缓存", "foret", "C++", '"error handling"',
    "retry handling", "cache", "port 417",
]  # fmt: skip


@pytest.fixture
def without(monkeypatch):
    """A function that takes a piece out of SQLite: fts5, or a tokenizer."""

    def take(piece, message):
        class Lesser(sqlite3.Connection):
            def execute(self, sql, *given):
                if "using fts5" in sql and piece in sql:
                    raise sqlite3.OperationalError(message)
                return super().execute(sql, *given)

        plain = sqlite3.connect
        lesser = lambda *given, **how: plain(*given, **{"factory": Lesser} | how)  # noqa: E731
        monkeypatch.setattr(sqlite3, "connect", lesser)

    return take


def found(policy, corpus):
    search = policy.fit(corpus)
    return [search(query)[["docno", "score"]].round(9).to_numpy().tolist() for query in CASES]


POLICIES = [lcm.FTS5(), lcm.FTS5(match="any"), lcm.SessionsSearch(), lcm.LosslessClaw()]


def test_without_fts5_a_store_is_made_and_the_same_is_found_and_it_is_said(without):
    """IN-03: on ten small cases, by each policy that stands on FTS5, and by the tools."""
    corpus = lcm.Corpus([{"text": text, "role": "user"} for text in SAID])
    before = [found(policy, corpus) for policy in POLICIES]
    without("fts5", "no such module: fts5")
    again = lcm.Corpus([{"text": text, "role": "user"} for text in SAID])
    with pytest.warns(UserWarning, match="FTS5 needs an SQLite that was built with it"):
        assert [found(policy, again) for policy in POLICIES] == before
    with pytest.warns(UserWarning, match="The store keeps no index by"):
        store = lcm.Store(":memory:")
    assert store.add(corpus).messages == 10
    held = lcm.LcmTools(store).lcm_grep("OPS-417", mode="full_text").hits
    assert held[0].id == "m1"
    assert [one.id for one in lcm.LcmTools(store).lcm_grep("C..", mode="regex").hits] == ["m7"]
    assert len(lcm.EpisodicTools(store).search("缓存", "text").hits) == 1
    with pytest.warns(UserWarning, match="searched in Python"):
        hits = lcm.SessionTools(store).sessions_search("OPS-417").hits
    assert [hit.message for hit in hits] == ["m1"]
    store.close()


def test_without_trigrams_the_rest_of_an_index_stays_and_cjk_is_found(without):
    """IN-04."""
    without("trigram", "no such tokenizer: trigram")
    with pytest.warns(UserWarning, match="The store keeps no index by 'trigram'"):
        store = lcm.Store(":memory:", words=("porter unicode61", "trigram"))
    store.add(lcm.Corpus(SAID))
    (kept,) = store.connection.execute("select value from meta where name = 'tokenizers'")
    assert kept == ('["porter unicode61"]',)
    assert list(store.faults()) == []
    corpus = store.corpus()
    assert (lcm.FTS5() % 1).fit(corpus)("缓存")["docno"].tolist() == ["m5"]
    with pytest.warns(UserWarning, match="has no trigram tokenizer"):
        letters = lcm.FTS5("trigram").fit(corpus)
    assert letters("aker")["docno"].tolist() == ["m4"]
    with pytest.raises(BadParameter):
        lcm.FTS5("trigraph")
    store.close()


WORDS = re.split(
    " ",
    "the cache caching cached retries running ran database café OPS-417 417 C++ naïve forêt 缓存 "
    "上线 été relational conflated hopping generously x_y don't ÜBER straße İzmir ΣΊΣΥΦΟΣ σίσυφος "
    "½ ① ﬁle мир Ёлка мой Έλλη Việt ế ǖ a\u0314b e\u0301 नमस्ते 한글 😀",
)
TOKENIZERS = (
    *("porter unicode61", "unicode61", "trigram", "ascii", "porter ascii"),
    *("unicode61 remove_diacritics 0", "unicode61 remove_diacritics 2"),
)


@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_what_is_found_in_python_is_what_fts5_finds_score_for_score(tokenize):
    """IN-03."""
    rng, spread = random.Random(tokenize), "trigram" not in tokenize
    for _ in range(12):
        texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 12))) for _ in range(9)]
        rows = [(row, prepared(text, spread=spread)) for row, text in enumerate(texts)]
        table, plain = Table.build([rows], 9, tokenize), Plain([rows], 9, tokenize)
        for compat in (None, "openclaw", "lossless-claw", "openclaw-memory"):
            for match in ("all", "any", "phrase"):
                query = " ".join(rng.choices(WORDS, k=rng.randint(1, 3)))
                asked = matching(query, match, compat, spread=spread)
                theirs, ours = (one.search(asked, slice(0, 9)) for one in (table, plain))
                assert ours[0].tolist() == theirs[0].tolist(), (asked, rows)
                assert np.allclose(ours[1], theirs[1]), (asked, rows)
