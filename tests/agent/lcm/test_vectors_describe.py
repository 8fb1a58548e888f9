"""The vectors of lossless-claw that are about descriptions, walks, grants and routing.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import sqlite3
from contextlib import closing

import pytest

from lcm_lab.agent.lcm.describe.ids import described_id
from lcm_lab.agent.lcm.describe.manifest import fits, manifest
from lcm_lab.agent.lcm.describe.tool import file_piece, lines_asked
from lcm_lab.agent.lcm.expansion.grants import CAP, DEPTH, Grant
from lcm_lab.agent.lcm.expansion.routing import broad_time_range, route, token_risk
from lcm_lab.agent.lcm.expansion.walked import walk
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.errors import BadParameter, NotFound, OverBudget
from lcm_lab.store.lcm.database import open_lcm
from tests.agent.lcm.held import BOTH, REFERENCE, dag_of, database, tools

HEADER = "[LCM Tool Output: file_a1 | tool=x | 9 bytes]"


@pytest.mark.parametrize(
    ("number", "given", "read"),
    [
        (74, " sum_ab12 ", "sum_ab12"),
        (75, HEADER, "file_a1"),
        (75, f"{HEADER}\nsee also sum_b2", "file_a1"),
    ],
)
def test_ids_that_are_read(number, given, read):
    assert described_id(given) == read


@pytest.mark.parametrize(
    ("number", "given", "said"),
    [
        *[(74, given, "malformed") for given in ("SUM_AB12", "file_A1")],
        *[(74, given, "nothing behind its prefix") for given in ("sum_", "file_0000")],
        *[(74, given, "is not the id") for given in ("hello", "")],
        *[
            (76, given, "inside other text. Write the bare id")
            for given in ("see file_a1 please", '"file_a1"', "[file_a1]", "`file_a1`")
        ],
        (76, "sum_a1 sum_b2", "names several: sum_a1, sum_b2"),
        (76, "sum_a1 sum_a1", "names several: sum_a1, sum_a1"),
    ],
)
def test_ids_that_are_refused(number, given, said):
    with pytest.raises(BadParameter, match=said):
        described_id(given)


@pytest.mark.parametrize(
    ("number", "cap", "alone", "whole"),
    [(77, 170, True, False), (77, 169, False, False), (77, 1070, True, True)],
)
def test_costs_are_held_against_a_cap(number, cap, alone, whole):
    found = fits(50, 120, 900, cap)
    assert found["costs"] == {"summariesOnly": 170, "withMessages": 1070}
    assert found["fit"] == {"summariesOnly": alone, "withMessages": whole}


TREE = dag_of(
    (10, 20, 30),
    (1, ["m0"]),
    (2, ["m1"]),
    (3, ["m2"]),
    (4, ["L0", "L1", "L2"]),
    (5, ["L3"]),
)


@pytest.mark.parametrize(
    ("number", "name", "upwards", "rows"),
    [
        (78, "L3", False, [("L3", 0), ("L0", 1), ("L1", 1), ("L2", 1)]),
        (78, "L3", True, [("L3", 0), ("L4", 1)]),
        (78, "L0", True, [("L0", 0), ("L3", 1), ("L4", 2)]),
    ],
)
def test_a_manifest_walks_to_the_sources_here_and_away_from_them_there(number, name, upwards, rows):
    """A `[GAP]` mended."""
    assert [(row.summary.id, row.distance) for row in manifest(TREE, name, upwards=upwards)] == rows


SIX = "l1\nl2\nl3\nl4\nl5\nl6"


@pytest.mark.parametrize(
    ("number", "start", "end", "text", "cut"),
    [
        (79, 2, 4, "l2\nl3\nl4", False),
        (79, 2, 99, "l2\nl3\nl4\nl5\nl6", True),
        (79, 99, None, "", False),
        (79, None, 3, SIX, False),
    ],
)
def test_lines_of_a_file_there(number, start, end, text, cut):
    piece = file_piece(SIX, lines_asked(start, end, REFERENCE), 32_768, REFERENCE)
    assert (piece[0], piece[2]) == (text, cut)


def test_79_a_range_that_ends_before_it_begins_is_an_error_before_any_read():
    with pytest.raises(BadParameter, match="endLine must not be less"):
        lines_asked(4, 2, None)


def test_79_a_final_line_break_is_one_more_line_there_and_none_here():
    lines = lines_asked(7, 7, None)
    assert file_piece(SIX + "\n", lines, 32_768, REFERENCE) == ("", 7, False)
    assert file_piece(SIX + "\n", (7, 8), 32_768, REFERENCE)[2]
    assert file_piece(SIX, lines_asked(None, 3, None), 32_768, None)[0] == "l1\nl2\nl3\n"


def test_80_a_cut_parts_no_character_and_bounds_are_kept():
    text = "x" * 1023 + "π" * 400_000
    assert file_piece(text, None, 10, REFERENCE)[0] == "x" * 1023
    assert len(file_piece(text, None, 10**9, REFERENCE)[0].encode()) == 511_999
    for compat in BOTH:  # here a schema stands before the tool, so that nothing is set right unsaid
        for given in (10, 10**9):
            with pytest.raises(BadParameter, match="from 1,024 to 512,000"):
                tools("a", compat=compat).lcm_describe("file_a1", expandFileMaxBytes=given)


@pytest.mark.parametrize(("compat", "text"), [(None, "l2\n"), (REFERENCE, SIX)])
def test_81_a_file_that_is_gone_is_read_from_its_message(tmp_path, compat, text):
    """There the whole of it, whatever lines were asked for; a `[GAP]` mended."""
    path = database(tmp_path / "lcm.db", [SIX])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update messages set large_content = 'file_00000000000000a1'")
        connection.execute(
            "insert into large_files (file_id, conversation_id, storage_uri, created_at) "
            "values ('file_00000000000000a1', 1, '/gone/file.txt', '2026-01-01')"
        )
        connection.commit()
    with open_lcm(path) as held:
        told = LcmTools(held, compat=compat).lcm_describe(
            "file_00000000000000a1", startLine=2, endLine=2
        )
    assert told.content == text
    assert told.note.startswith("Read from where it was stored beside the copy")


# What lies under a summary


def walked(dag, name, depth, cap=None, *, messages=False, compat=REFERENCE):
    below = walk(dag, [name], depth, cap, messages=messages, compat=compat).below
    return [node.id for node in below.nodes], below.tokens, below.truncated


HUNDREDS = dag_of((1, 1, 1), (100, ["m0"]), (100, ["m1"]), (100, ["m2"]), (9, ["L0", "L1", "L2"]))
UNEVEN = dag_of((1, 1), (200, ["m0"]), (50, ["m1"]), (9, ["L0", "L1"]))
PAIR = dag_of((10, 20), (5, ["m0", "m1"]))
DEEP = dag_of((30,), (50, ["m0"]), (50, []), (9, ["L0", "L1"]))
SHARED = dag_of((1,), (7, ["m0"]), (8, ["L0"]), (9, ["L0"]), (10, ["L1", "L2"]))


@pytest.mark.parametrize(
    ("number", "dag", "how", "found"),
    [
        (82, HUNDREDS, ("L3", 1, 150), (["L0"], 100, True)),
        (82, HUNDREDS, ("L3", 1, 299), (["L0", "L1"], 200, True)),
        (82, HUNDREDS, ("L3", 1, 300), (["L0", "L1", "L2"], 300, False)),
        (83, UNEVEN, ("L2", 1, 100), ([], 0, True)),
        (84, HUNDREDS, ("L3", 0), ([], 0, False)),
        (84, HUNDREDS, ("L0", 1), ([], 0, False)),
        (87, SHARED, ("L3", 3), (["L1", "L0", "L2", "L0"], 7 + 8 + 9 + 7, False)),
        (87, SHARED, ("L3", 1), (["L1", "L2"], 17, False)),
    ],
)
def test_the_walk_there(number, dag, how, found):
    assert walked(dag, *how) == found


def test_83_what_does_not_fit_is_passed_over_here():
    """A `[GAP]` mended: a smaller source behind a large one is read."""
    assert walked(UNEVEN, "L2", 1, 100, compat=None) == (["L1"], 50, True)


def test_84_an_id_that_there_is_not_is_nothing_there_and_an_error_here():
    assert walked(HUNDREDS, "L9", 3) == ([], 0, False)
    with pytest.raises(NotFound, match="L9"):
        walked(HUNDREDS, "L9", 3, compat=None)


def test_85_messages_are_read_until_one_does_not_fit():
    assert walked(PAIR, "L0", 1, 25, messages=True) == (["m0"], 10, True)


@pytest.mark.parametrize("count", [0, -3, "'many'"])
def test_85_a_count_that_says_nothing_is_made_anew(tmp_path, count):
    path = database(
        tmp_path / "lcm.db", ["word " * 8], f"update messages set token_count = {count}"
    )
    with open_lcm(path) as held:
        assert LcmTools(held, compat=REFERENCE).dag("1").size("m1") == 8


def test_86_the_walk_goes_down_before_it_goes_on():
    assert walked(DEEP, "L2", 2, 100, messages=True) == (["L0", "m0"], 80, True)


def test_87_what_two_summaries_share_is_read_once_here():
    """A `[GAP]` mended."""
    nodes, tokens, _ = walked(SHARED, "L3", 3, compat=None)
    assert (sorted(nodes), tokens) == (["L0", "L1", "L2"], 7 + 8 + 9)


# Routing


@pytest.mark.parametrize(
    ("number", "asked", "wanted"),
    [
        (88, ("x", 0, 4000), {"action": "answer_directly", "tokens": 0}),
        (88, ("x", 0, 1, 3, "explicit_expand"), {"action": "answer_directly", "tokens": 0}),
        (88, ("timeline root cause", 0, 1, 9), {"action": "answer_directly", "tokens": 0}),
        (89, ("x", 1, 4000, 2), {"tokens": 363, "action": "answer_directly", "risk": "low"}),
        (89, ("x", 1, 4000, 3), {"tokens": 633, "hops": True, "action": "expand_shallow"}),
        (90, ("x", 4, 4000), {"tokens": 2530, "risk": "moderate", "action": "expand_shallow"}),
        (90, ("x", 5, 4000), {"tokens": 3163, "risk": "high", "action": "delegate_traversal"}),
        (91, ("timeline of the root cause", 1, 1e9, 1), {"tokens": 372}),
        (91, ("timeline of the root cause", 1, 1e9, 1), {"action": "delegate_traversal"}),
        (91, ("the timeline", 1, 1e9, 1), {"action": "expand_shallow", "broad": True}),
        (92, ("x", 1, 1, float("nan")), {"depth": 3}),
        (92, ("x", 1, 1, 0), {"depth": 1}),
        (92, ("x", 1, 1, 99), {"depth": 10}),
        (92, ("x", 1, 1, 2.9), {"depth": 2}),
    ],
)
def test_how_a_question_is_gone_about(number, asked, wanted):
    found = route(*asked)
    assert {name: getattr(found, name) for name in wanted} == wanted


def test_89_the_risk_of_a_probe_is_its_share_of_the_cap():
    assert round(route("x", 1, 4000, 2).ratio, 2) == 0.09


def test_92_a_bound_belongs_to_the_higher_risk():
    assert [token_risk(tokens, 100)[1] for tokens in (34, 35, 69, 70)] == [
        *("low", "moderate"),
        *("moderate", "high"),
    ]


@pytest.mark.parametrize(
    ("number", "question", "broad"),
    [
        *[(93, q, False) for q in ("2020 vs 2021", "last week", "past 3 months", "prehistory")],
        *[(93, q, True) for q in ("2020 vs 2022", "past quarter", "history")],
    ],
)
def test_which_questions_are_about_a_long_time(number, question, broad):
    assert broad_time_range(question) == broad


# Grants


def test_94_a_grant_is_cut_down_to_and_used_up():
    grant = Grant(["1"], tokens=1000)
    assert grant.allowed(1500, 9) == (1000, 3)
    grant.spend(1000)
    with pytest.raises(OverBudget, match="spent"):
        grant.allowed(1)


def test_94_it_is_revoked_before_it_has_expired_before_it_is_elsewhere_before_it_is_for_others():
    grant = Grant(["1"], summaries=["sum_a"], expires=5, timer=lambda: now)
    now, said = 9, ("revoked", "expired", "Conversation '2' is not in", "not for sum_b")
    grant.revoke()
    for at, words in enumerate(said):
        with pytest.raises(BadParameter, match=words):
            grant.check("2" if at < 3 else "1", ["sum_b"])
        grant.revoked, now = False, 9 if at < 1 else 0
    grant.check("1", ["sum_a"])


def test_95_what_is_handed_on_is_what_is_left_and_a_level_less():
    grant = Grant(["1", "2"], tokens=2000, summaries=["sum_a"])
    grant.spend(500)
    child = grant.child("1", 4000)
    assert (child.remaining, child.depth) == (1500, DEPTH - 1)
    assert (child.conversations, child.summaries) == (("1",), frozenset({"sum_a"}))
    first = Grant(["1"])
    assert (first.tokens, first.depth) == (CAP, DEPTH) == (4000, 3)
