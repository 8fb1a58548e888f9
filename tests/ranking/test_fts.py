"""SQLite's full-text search as a scorer: what questions mean, how filters act, what is missing."""

import pickle
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, EmptyQuery, MissingExtra
from lcm_lab.ranking.exact.fts import FTS5
from lcm_lab.ranking.exact.match import has_cjk, like_terms, matching
from lcm_lab.ranking.exact.table import refusal
from lcm_lab.testing import check_ranker, small_corpus

VARIANTS = [
    FTS5(),
    FTS5(match="any"),
    FTS5(match="phrase"),
    FTS5("trigram"),
    FTS5("unicode61 remove_diacritics 2", fields=("date", "text")),
    FTS5(match="any", apart="role"),
    FTS5(compat="lossless-claw"),
    FTS5(compat="openclaw", match="any"),
    FTS5(compat="openclaw-memory"),
]


def found(said, query, policy=None):
    return set((policy or FTS5()).fit(lcm.Corpus(said))(query)["docno"])


@pytest.mark.parametrize("ranker", VARIANTS, ids=repr)
def test_every_variant_keeps_the_contract(ranker):
    check_ranker(ranker)


def test_scores_are_sqlites_bm25_turned_over():  # RK-11
    said = ["use WAL", "WAL WAL WAL", "lunch at noon", "rain"]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("create virtual table t using fts5(text, tokenize='porter unicode61')")
        database.executemany("insert into t(rowid, text) values (?, ?)", list(enumerate(said)))
        raw = dict(database.execute("select rowid, bm25(t) from t where t match 'wal'"))
    assert set(raw) == {0, 1}
    assert all(rank < 0 for rank in raw.values())
    hits = FTS5().fit(lcm.Corpus(said))("WAL")
    assert hits["docno"].tolist() == ["m2", "m1"]
    assert hits["score"].tolist() == [-raw[1], -raw[0]]


def test_an_identifier_is_the_phrase_of_its_parts():  # QP-01, QP-12
    said = ["close OPS-417 today", "417 lines of OPS notes", "apollo-13 rota", "apollo rota"]
    assert found(said, "OPS-417") == {"m1"}
    assert found(said, "apollo-13 rota") == {"m3"}


@pytest.mark.parametrize("query", ["qwen2-7b", "v3.1.4", "64-128KB", "qwen2-7b v3.1.4"])
def test_symbols_in_a_query_are_safe(query):  # QP-02
    assert found(["moved to qwen2-7b in v3.1.4, batch 64-128KB"], query) == {"m1"}


def test_quotes_make_phrases_and_an_unbalanced_one_is_literal():  # QP-03, QP-08
    said = ['he wrote "call back" on the card', "call me back"]
    assert found(said, 'wrote "call') == {"m1"}
    assert found(said, '"call back"') == {"m1"}
    assert found(said, "\u201ccall back\u201d") == {"m1"}
    assert found(said, "call back") == {"m1", "m2"}
    assert found(["x y", "x"], '"x"y"') == {"m1"}
    handling = ["error handling for retries", "handling retries after the error"]
    assert found(handling, '"error handling" retries') == {"m1"}
    assert found(handling, "error handling retries") == {"m1", "m2"}


@pytest.mark.parametrize("query", ["", "   ", "???"])
def test_a_query_without_a_word_is_refused(query):  # QP-04
    with pytest.raises(EmptyQuery):
        FTS5().fit(lcm.Corpus(["a", "b", "c"]))(query)


@pytest.mark.parametrize("query", ["AND", "NOT a", "foo AND", "NEAR(a b)", "*end", "(end", "-end"])
def test_there_are_no_operators(query):  # QP-06
    said = ["to be or not to be, near the end"]
    assert found(said, query) <= {"m1"}
    assert found(said, "to be or not to be") == {"m1"}
    assert found(said, "-end") == {"m1"}


def test_apostrophes_braces_and_slashes_are_safe():  # QP-11, QP-14
    said = ["the baker's letter on rent", "edit .env and node_modules/x", "port it to C++"]
    assert found(said, "baker's letter?") == {"m1"}
    assert found(said, "baker 's letter") == {"m1"}
    assert found(said, "who's new {in} rent/", FTS5(match="any")) == {"m1"}
    assert found(said, ".env") == {"m2"}
    assert found(said, "node_modules/x") == {"m2"}
    assert found(said, "C++") == {"m3"}


def test_stretches_without_a_word_are_passed_over():
    said = ["alpha beta", "gamma"]
    assert found(said, "alpha *** \U0001f389") == {"m1"}
    assert found(said, "alpha ***", FTS5(compat="openclaw")) == set()
    assert found(said, "... beta", FTS5(compat="lossless-claw")) == {"m1"}


def test_any_stretch_of_a_script_without_spaces_is_found():  # CU-01, CU-03
    said = ["今天上午讨论了缓存方案和上线时间", "已更新nginx配置", "存缓"]
    assert [found(said, q) for q in ("缓存", "缓存方案", "上线")] == [{"m1"}] * 3
    assert [found(said, q) for q in ("nginx", "配置", "nginx 配置", "nginx配置")] == [{"m2"}] * 4
    assert found(said, "缓存", FTS5(compat="openclaw")) == set()


def test_composed_decomposed_and_wide_forms_are_equal():  # CU-05, CU-06
    said = ["fore\u0302t parser", "for\u00eat parser", "ＡＰＩ４２ is down", "ﬁle lost"]
    assert found(said, "for\u00eat") == found(said, "fore\u0302t") == {"m1", "m2"}
    assert found(said, "API42") == {"m3"}
    assert found(said, "file") == {"m4"}
    hangul = ["\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"]
    assert found(hangul, hangul[0]) == found(hangul, hangul[1]) == {"m1", "m2"}


def test_match_says_how_much_of_a_question_must_be_there():
    said = ["retry with backoff", "backoff, then retry", "retry"]
    assert found(said, "retry backoff", FTS5()) == {"m1", "m2"}
    assert found(said, "backoff then", FTS5(match="phrase")) == {"m2"}
    assert found(said, "retry backoff jitter", FTS5()) == set()
    assert found(said, "retry backoff jitter", FTS5(match="any")) == {"m1", "m2", "m3"}


def test_filters_act_before_the_cut():  # TZ-04
    rows = [{"text": "retry retry retry", "time": f"2025-01-{1 + i % 28:02d}"} for i in range(100)]
    rows.append({"text": "and then a retry of something else", "time": "2026-02-01"})
    hits = (FTS5() % 5).fit(lcm.Corpus(rows))("retry", since="2026-01-01")
    assert hits["docno"].tolist() == ["m101"]


def test_groups_kept_apart_have_statistics_of_their_own():
    rows = [{"text": "use wal", "scope": "messages"}, {"text": "lunch", "scope": "messages"}]
    rows += [
        {"text": "use wal", "scope": "summaries"},
        *[{"text": "tea", "scope": "summaries"}] * 9,
    ]
    corpus = lcm.Corpus(rows)
    apart = FTS5(apart="scope").fit(corpus)("wal").set_index("docno")["score"]
    alone = FTS5().fit(lcm.Corpus(rows[:2]))("wal")["score"].tolist()
    assert [apart["m1"]] == alone
    assert apart["m3"] > apart["m1"]
    together = FTS5().fit(corpus)("wal")["score"].tolist()
    assert together[0] == together[1]


def test_a_question_of_thousands_of_words_is_answered():
    said = ["word4999 here", "nothing"]
    query = " ".join(f"word{i}" for i in range(5000))
    assert found(said, query, FTS5(match="any")) == {"m1"}


def test_threads_share_an_index_and_processes_get_a_copy():
    corpus, scorer = small_corpus(), FTS5(match="any")
    index = scorer.index(corpus)
    queries = ["retry", "which database", "WAL retry"] * 20
    alone = scorer.score(index, queries)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda query: scorer.score(index, [query])[0], queries))
    assert np.array_equal(np.array(parts), alone)
    copied = pickle.loads(pickle.dumps(index))
    assert np.array_equal(scorer.score(copied, queries), alone)


@given(st.text(st.characters(), min_size=1, max_size=40))
def test_no_text_is_a_syntax_error(text):
    corpus = small_corpus()
    for compat in (None, "lossless-claw", "openclaw", "openclaw-memory"):
        for match in ("all", "any", "phrase"):
            scorer = FTS5(match=match, compat=compat)
            scores = scorer.score(scorer.index(corpus), [text])
            assert (scores >= 0).all()


def test_half_a_character_is_no_tokenizer():
    with pytest.raises(BadParameter, match="tokenize must be a tokenizer of FTS5"):
        FTS5("\ud800")


def test_tokenizers_that_sqlite_does_not_know_are_refused_when_the_value_is_made():
    for tokenize in ("nonesuch", "unicode61 nooption 3", "x'); drop table y; --"):
        with pytest.raises(BadParameter, match="tokenize must be a tokenizer of SQLite"):
            FTS5(tokenize)
    with pytest.raises(BadParameter, match=r"compat must be one of .* Did you mean 'openclaw'"):
        FTS5(compat="openclw")
    with pytest.raises(BadParameter, match="match must be one of 'all', 'any', 'phrase'"):
        FTS5(match="most")


def test_a_missing_piece_of_sqlite_is_named_with_the_way_out():  # IN-03, IN-04
    with closing(sqlite3.connect(":memory:")) as database:
        with pytest.raises(sqlite3.OperationalError) as absent:
            database.execute("create virtual table t using fts9(text)")
        with pytest.raises(sqlite3.OperationalError) as unknown:
            database.execute("create virtual table t using fts5(text, tokenize='trigraph')")
    assert isinstance(refusal(absent.value, "unicode61"), MissingExtra)
    assert "BM25() finds words without SQLite" in str(refusal(absent.value, "unicode61"))
    assert isinstance(refusal(unknown.value, "trigraph"), BadParameter)
    without = sqlite3.OperationalError(str(unknown.value).replace("trigraph", "trigram"))
    assert isinstance(refusal(without, "trigram"), MissingExtra)
    assert "has no trigram tokenizer. Write FTS5()" in str(refusal(without, "trigram"))


def test_questions_are_written_as_fts5_wants_them():
    assert matching("find a b", "all", None) == '"find" "a" "b"'
    assert matching("a a b", "any", None) == '"a" OR "b"'
    assert matching('say "hi"', "all", "openclaw") == '"say" AND """hi"""'
    assert matching("foo_bar-baz", "all", "openclaw-memory") == '"foo_bar" AND "baz"'
    assert matching("缓存", "all", "lossless-claw") == ""
    assert has_cjk("mixed数据base")
    assert not has_cjk("ｆｕｌｌ")
    assert like_terms('"foo bar", baz!') == ["foo bar", "baz"]
    assert like_terms("...") == []
