"""Summaries that are not sound, group G of the bug reports: an id names the report."""

import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.errors import NotFound
from tests.cases.dags import FAMILY, broken, tower
from tests.cases.ways import command
from tests.store.conftest import add_chain, add_summary

A, B, C = (f"sum_{letter * 16}" for letter in "abc")


def worker(database, **bounds):
    return lcm.LcmTools(database, grant=Grant(["2"], **bounds))


def parted(text):
    """Tell whether some of the family stands without the rest."""
    return any(one in text.replace(FAMILY, "") for one in FAMILY)


def left_out(walked):
    return {one["id"]: one["why"] for one in walked.to_dict()["leftOut"]}


@pytest.mark.parametrize(
    ("edge", "members"),
    [
        pytest.param((A, C, 0), {A, C}, id="DG-01"),
        pytest.param((C, C, 2), {C}, id="DG-02"),
    ],
)
def test_a_cycle_ends_every_walk_and_its_members_are_named(lcm_db, owner, edge, members):
    """DG-01 and DG-02: by expansion, by the answer, and once by the audit."""
    owner("insert into summary_parents values ('{}', '{}', {})".format(*edge))
    with lcm.open_lcm(lcm_db) as db:
        for name in members:
            found = worker(db).lcm_expand(summaryIds=[name], includeMessages=True, maxDepth=10)
            assert left_out(found) == dict.fromkeys(members, "cycle")
            assert found.to_dict()["truncated"]
            assert {one["messageId"] for one in found.to_dict()["messages"]} >= {"m1", "m2"}
            assert "in a cycle" in found.to_text()
            told = lcm.LcmTools(db).lcm_expand_query("which database?", summaryIds=[name])
            assert all(f"{one} (under itself)" in told.notes[0] for one in members)
            assert lcm.LcmTools(db).lcm_describe(name).to_text().count("\n") < 20
        (cycle,) = broken(db)["no node lies under itself"]
        assert set(cycle.split(" > ")) == members
    code, out, _ = command("check", lcm_db)
    assert (code, cycle in out) == (1, True)


def test_a_chain_of_five_thousand_summaries_is_walked(lcm_db, owner):
    """DG-04: to its end, or to a depth that is then said."""
    owner(lambda run: add_chain(run, 5_000))
    with lcm.open_lcm(lcm_db) as db:
        dag = db.dag("2")
        whole = dag.expand("sum_4999")
        assert (len(whole.nodes), whole.truncated) == (5_000, False)
        assert whole.messages[0].id == "m5"
        found = worker(db).lcm_expand(summaryIds=["sum_4999"], maxDepth=10)
        assert found.to_dict()["truncated"]
        assert set(left_out(found).values()) == {"depth"}
        assert "every summary is under the frontier" in broken(db)


def test_what_is_gone_is_named_and_the_rest_is_given(lcm_db, owner):
    """DG-05: and the audit deletes nothing."""

    def change(run):
        for table in ("messages", "message_parts"):
            run(f"delete from {table} where message_id in (1, 3)")
        run("delete from messages_fts where rowid in (1, 3)")
        add_summary(run, "sum_stray", "leaf", 0, "Stray.", [5])

    owner(change)
    before = lcm_db.read_bytes()
    with lcm.open_lcm(lcm_db) as db:
        found = broken(db)
        assert found["what a summary was made from is there"] == ("m1", "m3")
        assert found["every summary is under the frontier"] == ("sum_stray",)
        walked = worker(db).lcm_expand(summaryIds=[C], includeMessages=True)
        assert left_out(walked) == {"m1": "missing", "m3": "missing"}
        assert [one["messageId"] for one in walked.to_dict()["messages"]] == ["m2", "m4"]
        told = lcm.LcmTools(db).lcm_expand_query("which database?", summaryIds=[C])
        assert "m1 (missing), m3 (missing)" in told.notes[0]
    assert command("check", lcm_db)[0] == 1
    assert lcm_db.read_bytes() == before


def test_limits_hold_in_sum_and_what_they_keep_out_is_said():
    """DG-06: depth, tokens, and a walk within the budget of another; no character is parted."""
    dag, store = tower(), lcm.Store(":memory:")
    store.add(lcm.Transcripts(dag.messages))
    store.put(dag)
    (top,) = dag.frontier
    first = worker(store).lcm_expand(summaryIds=[top], maxDepth=1).to_dict()
    assert len(first["children"]) == 2 and first["truncated"]
    for budget in (1, 30, 50, 100):
        tools = worker(store, tokens=budget)
        spent = 0
        for name in (top, dag.summaries[0].id, dag.summaries[1].id):
            if spent < budget:
                found = tools.lcm_expand(summaryIds=[name], includeMessages=True, maxDepth=10)
                assert found.to_dict()["truncated"]
                spent += found.to_dict()["estimatedTokens"]
                assert not parted(found.to_text())
        assert spent <= budget
        assert dag.expand(top, tokens=budget).tokens <= budget
        asked = lcm.LcmTools(store, maxExpandTokens=budget)
        told = asked.lcm_expand_query("word 3?", summaryIds=[top], allConversations=True)
        assert told.to_dict()["totalSourceTokens"] <= budget
        assert not parted(told.answer)


def test_an_id_given_twice_is_read_and_counted_once(lcm_db):
    """DG-08: the counters are of what was read."""
    with lcm.open_lcm(lcm_db) as db:
        tools = lcm.LcmTools(db)
        once, twice = (
            tools.lcm_expand_query("which database?", summaryIds=[A] * times).to_dict()
            for times in (1, 2)
        )
        assert once == twice
        assert once["expandedSummaryCount"] == 1
        read = sum(lcm.Corpus([one.text for one in db.dag("2").sources(A)])["tokens"])
        assert read <= once["totalSourceTokens"] <= read + 20  # its own text is read too
        walked = [worker(db).lcm_expand(summaryIds=[A] * times).to_dict() for times in (1, 2)]
        assert walked[0]["estimatedTokens"] == walked[1]["estimatedTokens"]


def test_a_source_in_another_conversation_is_reported_and_not_read(lcm_db, owner):
    """DG-09, its first part."""
    owner("update messages set conversation_id = 3 where message_id = 1")
    with lcm.open_lcm(lcm_db) as db:
        walked = worker(db).lcm_expand(summaryIds=[A], includeMessages=True, conversationId=2)
        assert left_out(walked) == {"m1": "missing"}
        assert [one["messageId"] for one in walked.to_dict()["messages"]] == ["m2"]
        found = broken(db)
        assert found["a summary and its sources are of one conversation"] == (A,)
        assert found["what a summary was made from is there"] == ("m1",)


def test_the_family_of_a_session_is_its_default_scope(lcm_db, owner):
    """DG-09, its second part: conversations 1 and 2 are segments of one session, 3 is not."""

    def change(run):
        for number, conversation in ((71, 1), (73, 3)):
            row = (number, conversation, "Postgres was named there before.", "2026-04-02 22:39:00")
            run("insert into messages values (?, ?, 0, 'user', ?, 9, null, null, ?, null)", row)
            run("insert into messages_fts (rowid, content) values (?, ?)", (number, row[2]))
            run(
                "insert into context_items values (?, 0, 'message', ?, null, '')",
                (conversation, number),
            )

    owner(change)
    with lcm.open_lcm(lcm_db) as db:
        for mode in ("regex", "full_text"):
            for name in ("1", "2"):
                found = lcm.LcmTools(db, conversation=name).lcm_grep("Postgres", mode=mode)
                here = {one for hit in found.hits for one in (hit.id, *hit.also)}
                assert {"m71", "m2"} <= here and "m73" not in here
            alone = lcm.LcmTools(db, conversation="2").lcm_grep(
                "Postgres", mode=mode, conversationId="1"
            )
            assert [hit.id for hit in alone.hits] == ["m71"]
        assert lcm.LcmTools(db, conversation="1").lcm_describe(C).id == C
        with pytest.raises(NotFound, match="not in this scope"):
            lcm.LcmTools(db, conversation="3").lcm_describe(C)
