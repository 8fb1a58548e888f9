"""Questions as people write them, group A of the bug reports: an id names the report."""

import string

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, EmptyQuery, LcmError
from tests.cases.ways import MAIN, SORTS, Asked, command

REGEX = "timeout|retry|backoff"
PHRASES = (
    *("FTS5", "LosslessClaw recency", "LosslessClaw relevance", "LosslessClaw hybrid"),
    *("SessionsSearch", *(f"lcm_grep {sort}" for sort in SORTS), "sessions_search"),
    *("lcm-lab grep", "lcm-lab sessions search"),
)


def first(found):
    return {name: ids[0] if ids else None for name, ids in found.items()}


def refused(ask):
    with pytest.raises(LcmError) as error:
        ask()
    return error.value


def test_an_identifier_leads_what_has_its_parts_apart(tmp_path):
    """QP-01."""
    asked = Asked(tmp_path, "417 lines of OPS notes", "close OPS-417 today")
    assert set(first(asked.found("OPS-417", commands=True)).values()) == {"m2"}


def test_names_and_versions_with_symbols_are_found(tmp_path):
    """QP-02: as is any printable character, on either side of a word and alone."""
    asked = Asked(tmp_path, "moved to qwen2-7b in v3.1.4, batch 64-128KB", "lunch at noon")
    ways = dict(asked.ways())
    for query in ("qwen2-7b", "v3.1.4", "64-128KB", "qwen2-7b v3.1.4"):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, "m1")
    for sign in string.punctuation + "\t\n\x0b\x0c\r":
        for name in ("BM25", "FTS5", "lcm_grep recency", "sessions_search"):
            assert ways[name](f"{sign} qwen2-7b {sign}")[0] == "m1", (name, sign)


def test_a_quote_that_is_never_closed_is_a_letter_like_others(tmp_path):
    """QP-03."""
    ways = dict(Asked(tmp_path, 'he wrote "call back" on the card', "lunch").ways())
    for query in ('wrote "call', '"call back"', '"call back" on the "card'):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, "m1")
    for ask in ways.values():
        assert "m2" not in ask('"x"y"')[:1]


@pytest.mark.parametrize("query", ["", "   ", "???"])
def test_an_empty_question_is_one_error_everywhere(tmp_path, query):
    """QP-04: never everything, never an error of the database, never a plain empty list."""
    asked = Asked(tmp_path, "alpha", "beta", "gamma")
    lcm_tools, sessions = lcm.LcmTools(asked.store), lcm.SessionTools(asked.store)
    more = [
        *(
            lambda p=policy: p.fit(asked.corpus)(query)
            for policy in (lcm.Regex(), lcm.Substring(), lcm.Phrase(), lcm.Dense(), lcm.InView())
        ),
        *(lambda m=mode: asked.episodic(query, mode=m) for mode in ("vector", "text", "both")),
        lambda: asked.episodic([query, "alpha"]),
        lambda: sessions.sessions_search(query, mode="semantic"),
        lambda: lcm_tools.lcm_expand_query(prompt=query, query="alpha", allConversations=True),
        lambda: lcm_tools.lcm_expand_query(prompt="why?", query=query, allConversations=True),
    ]
    for ask in (*(lambda a=ask: a(query) for _, ask in asked.ways()), *more):
        assert type(refused(ask)) is EmptyQuery
    if query != "???":  # which is a bad pattern, and a stretch of text like others
        assert type(refused(lambda: lcm_tools.lcm_grep(query, allConversations=True))) is EmptyQuery
        assert type(refused(lambda: sessions.sessions_search(query, mode="substring"))) is (
            EmptyQuery
        )
    for words in (["search"], ["grep", "-w"], ["grep"], ["sessions", "search"], ["expand"]):
        code, out, err = command(*words, query, "--on", asked.path)
        assert (code, out, err.count("\n")) == (2, "", 1)
    assert command("episodic", "search", query, "--on", asked.path)[0] == 2


def test_words_in_capitals_and_signs_are_no_operators(tmp_path):
    """QP-06."""
    asked = Asked(tmp_path, "to be or not to be, near the end", "lunch")
    ways = dict(asked.ways())
    for query in ("*end", "(end", "-end"):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, "m1")
    for query in ("AND", "NOT a", "foo AND", "NEAR(a b)"):
        assert all({"m1", "m2"}.issuperset(ask(query)) for ask in ways.values())
    for words in (["search"], ["grep", "--words"], ["sessions", "search"]):
        code, out, _ = command(*words, "--on", asked.path, "--", "-end")
        assert (code, "near the end" in out) == (0, True)


def test_a_question_of_stop_words_is_asked(tmp_path):
    """QP-06, its third question."""
    asked = Asked(tmp_path, "lunch", "to be or not to be, near the end")
    assert set(first(asked.found("to be or not to be")).values()) == {"m2"}


def test_a_pattern_in_full_text_is_refused_with_the_way_out(tmp_path):
    """QP-07."""
    asked = Asked(tmp_path, "lunch", "added retry with backoff")
    with pytest.raises(BadParameter, match=r"is a regular expression.*mode='regex'"):
        asked.grep(REGEX, mode="full_text", allConversations=True)
    assert [hit.id for hit in asked.grep(REGEX, mode="regex", allConversations=True).hits] == ["m2"]
    with pytest.raises(BadParameter, match="which sessions_search does not read"):
        asked.sessions(REGEX)
    with pytest.raises(BadParameter, match="is a regular expression"):
        lcm.LcmTools(asked.store).lcm_expand_query(prompt="x", query=REGEX, allConversations=True)
    code, out, err = command("grep", "--words", REGEX, "--on", asked.path)
    assert (code, out, "mode='regex'" in err) == (2, "", True)
    code, out, _ = command("grep", REGEX, "--on", asked.path)
    assert (code, "added retry with backoff" in out) == (0, True)


def test_a_phrase_in_quotes_must_stand_as_it_is(tmp_path):
    """QP-08: in whatever reads quotes; BM25 and its kin say that they do not."""
    asked = Asked(tmp_path, "handling retries after the error", "error handling for retries")
    ways = dict(asked.ways(commands=True))
    for name in PHRASES:
        assert ways[name]('"error handling" retries') == ["m2"], name
        assert set(ways[name]("error handling retries")) == {"m1", "m2"}, name
    phrase = lcm.Phrase().fit(asked.corpus)('"error handling" retries')
    assert phrase["docno"].iloc[0] == "m2"
    assert "Quotes mean nothing" in (lcm.BM25.__doc__ or "")


def test_an_index_that_is_gone_is_said_to_be(tmp_path):
    """QP-10: by each tool and command that asks it, and nothing else answers in its place."""
    asked = Asked(tmp_path, "alpha one", "beta")
    drop = "select name from sqlite_master where sql like 'create virtual table docs_%'"
    with asked.store.writing() as connection:
        for (name,) in connection.execute(drop).fetchall():
            connection.execute(f"drop table {name}")
    tools = lcm.LcmTools(asked.store, search=lcm.LosslessClaw())
    for ask in (
        lambda: tools.lcm_grep("alpha", mode="full_text", allConversations=True),
        lambda: tools.lcm_expand_query(prompt="why?", query="alpha", allConversations=True),
        lambda: asked.sessions("alpha"),
        lambda: lcm.FTS5().fit(asked.corpus)("alpha"),
    ):
        assert "index of" in str(error := refused(ask)) and "no such table" in str(error)
    for words in (["search", "--policy", "FTS5()"], ["sessions", "search"]):
        code, out, err = command(*words, "alpha", "--on", asked.path)
        assert (code, out, "no such table" in err) == (2, "", True)


def test_a_file_that_another_holds_is_said_to_be_held(tmp_path, monkeypatch):
    """QP-10, the second input; the wait is cut short here."""
    asked = Asked(tmp_path, "alpha")
    asked.store.close()
    monkeypatch.setattr("lcm_lab.store.opening.PATIENCE", 0.05)
    with lcm.Store(asked.path) as other:
        other.connection.execute("pragma locking_mode = exclusive")
        other.connection.execute("begin exclusive")
        for words in (["search"], ["grep"], ["sessions", "search"], ["episodic", "search"]):
            code, out, err = command(*words, "alpha", "--on", asked.path)
            assert (code, out, "Another process has kept" in err) == (2, "", True)


def test_apostrophes_braces_and_slashes_are_safe(tmp_path):
    """QP-11."""
    ways = dict(Asked(tmp_path, "lunch", "the baker's letter on rent").ways())
    for query in ("baker's letter?", "baker 's letter"):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, "m2")
    for ask in ways.values():
        assert ask("who's new {in} rent/")[:1] in (["m2"], [])


def test_a_hyphen_leaves_nothing_out(tmp_path):
    """QP-12."""
    asked = Asked(tmp_path, "apollo rota", "apollo-13 rota")
    assert set(first(asked.found("apollo-13 rota")).values()) == {"m2"}


def test_a_limit_out_of_range_is_refused(tmp_path):
    """QP-13; of `sessions_history` 201 is within its range."""
    asked = Asked(tmp_path, "alpha")
    history = lcm.SessionTools(asked.store).sessions_history
    for limit in (0, -1, 201, "10"):
        for ask in (
            lambda n=limit: asked.grep("alpha", limit=n),
            lambda n=limit: asked.sessions("alpha", limit=n),
            lambda n=limit: asked.episodic("alpha", limit=n),
            lambda n=limit: history(MAIN, limit=9_999 if n == 201 else n),
        ):
            error = refused(ask)
            assert type(error) is BadParameter
            assert "limit must be a whole number from 1 to" in str(error)
    for limit in (0, 201):
        for words in (["grep"], ["sessions", "search"], ["episodic", "search"]):
            assert command(*words, "alpha", "--on", asked.path, "--limit", limit)[:2] == (2, "")


def test_a_filter_that_there_is_not_is_named(tmp_path):
    """QP-13."""
    asked, wrong = Asked(tmp_path, "alpha"), {"datestart": "2026-03-10"}
    lcm_tools, sessions = lcm.LcmTools(asked.store), lcm.SessionTools(asked.store)
    for ask in (
        lambda: lcm_tools.lcm_grep("alpha", **wrong),
        lambda: lcm_tools.lcm_describe("sum_abc123def456", **wrong),
        lambda: lcm_tools.lcm_expand_query("why?", query="alpha", **wrong),
        lambda: sessions.sessions_search("alpha", **wrong),
        lambda: sessions.sessions_history(MAIN, **wrong),
        lambda: asked.episodic("alpha", **wrong),
        lambda: lcm.EpisodicTools(asked.store).read("s1", **wrong),
        lambda: asked.corpus.rows(**wrong),
        lambda: lcm.BM25().fit(asked.corpus)("alpha", **wrong),
        lambda: lcm.BM25().over(**wrong).fit(asked.corpus)("alpha"),
    ):
        assert "'datestart'" in str(error := refused(ask)) and type(error) is BadParameter
    for words in (["search"], ["grep"], ["sessions", "search"], ["episodic", "search"]):
        code, out, err = command(*words, "alpha", "--on", asked.path, "--datestart", "2026-03-10")
        assert (code, out, "--datestart" in err) == (2, "", True)


def test_symbols_that_belong_to_a_name_tell_it_apart(tmp_path):
    """QP-14."""
    asked = Asked(tmp_path, "vitamin C", "port it to C++", "edit .env and node_modules/x")
    ways = dict(asked.ways(commands=True))
    for query, wanted in (("C++", "m2"), (".env", "m3"), ("node_modules/x", "m3")):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, wanted)
    for policy in (lcm.FTS5, lcm.Analyzer):
        assert "C++" in (policy.__doc__ or "")


def test_the_id_of_a_file_may_stand_in_the_header_of_a_reference(tmp_path):
    """QP-15."""
    path = tmp_path / "memory.db"
    with lcm.Store(path, large=100) as store:
        store.append(lcm.Message("m1", "s1", "user", (lcm.Part("text", "word " * 500),)))
        described = lcm.LcmTools(store).lcm_describe
        (name,) = store.connection.execute("select id from files").fetchone()
        header = f"[LCM Tool Output: {name} | 3 KB]"
        assert described(header) == described(name)
        said = {
            given: str(refused(lambda given=given: described(given)))
            for given in (f"{name} file_ab12cd34ef56", "sum_", "", "see it", f"in {name} here")
        }
    assert len(set(said.values())) == len(said)
    for given, words in zip(said, ("several", "nothing behind", "not the id"), strict=False):
        assert words in said[given]
    plain, headed = (command("describe", one, "--on", path) for one in (name, header))
    assert plain == headed
    assert (plain[0], name in plain[1]) == (0, True)
    assert command("describe", "sum_", "--on", path)[:2] == (2, "")
