"""Security, group L of the bug reports: what a filter can be. An id names the report."""

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, LcmError
from lcm_lab.messages import Message, Part, Session

START = 1_767_225_600_000_000


def said(name, text, session="1", at=0, role="user"):
    return Message(name, session, role, (Part("text", text),), START + at * 60_000_000)


FILTERS = ["x' OR '1'='1", "%", "_", "pro%", "pr_ject", "*", "'; drop table messages; --", "a\0b"]


@pytest.fixture
def branches(tmp_path):
    """Two sessions of projects and branches whose names hold wildcards, or nearly do."""
    names = {"1": ("/w/pr_ject", "feat_100%"), "2": ("/w/project", "featx100y")}
    with lcm.Store(tmp_path / "memory.db") as store:
        for session, (cwd, branch) in names.items():
            told = Session(session, cwd=cwd, branch=branch, key=f"agent:main:{session}")
            store.append(said(f"u{session}", "which port?", session), told)
            store.append(said(f"a{session}", "port 5433", session, 1, "assistant"), told)
    return tmp_path / "memory.db"


def exchanges(found):
    return sorted(hit.found.exchange.session for hit in found.hits)


def test_a_filter_is_a_name_and_no_query(branches):
    """SE-13: projects and branches are compared as they stand."""
    with lcm.Store(branches) as store:
        tools = lcm.EpisodicTools(store)
        assert exchanges(tools.search("port", "text")) == ["1", "2"]
        for mode in ("text", "vector", "both"):
            assert exchanges(tools.search("port", mode, git_branch="feat_100%")) == ["1"]
            assert exchanges(tools.search("port", mode, project="pr_ject")) == ["1"]
            for value in (*FILTERS, "feat_%", "feat_100_"):
                for name in ("project", "session_id", "git_branch"):
                    if (name, value) == ("project", "pr_ject"):
                        continue
                    try:
                        found = exchanges(tools.search("port", mode, **{name: value}))
                    except LcmError:
                        continue
                    assert found == [], (mode, name, value)


def test_a_time_is_a_time_and_no_query(branches):
    """SE-13."""
    evil = "2026-01-01'; --"
    with lcm.Store(branches) as store:
        episodic, tools = lcm.EpisodicTools(store), lcm.LcmTools(store)
        for name in ("after", "before"):
            with pytest.raises(BadParameter, match="2026-01-01'; --"):
                episodic.search("port", "text", **{name: evil})
        for name in ("since", "before"):
            with pytest.raises(BadParameter, match="2026-01-01'; --"):
                tools.lcm_grep("port", allConversations=True, **{name: evil})
            with pytest.raises(BadParameter, match="2026-01-01'; --"):
                lcm.FTS5().fit(store.corpus())("port", **{name: evil})


@pytest.mark.parametrize("value", FILTERS)
def test_no_filter_of_a_ranker_or_a_tool_is_read_as_a_query(branches, value):
    """SE-13."""
    with lcm.Store(branches) as store:
        corpus = store.corpus()
        for policy in (lcm.BM25(), lcm.FTS5(), lcm.Substring(), lcm.Regex(), lcm.TfIdf()):
            search = policy.fit(corpus)
            for name in ("conversation", "session", "role", "kind"):
                assert search("port", **{name: value}).empty
        with pytest.raises(LcmError):
            lcm.LcmTools(store).lcm_grep("port", conversationId=value)
        with pytest.raises(LcmError):
            lcm.SessionTools(store).sessions_history(value)
        with pytest.raises(LcmError):
            store.delete(value)
        assert len(store.corpus()) == 4
