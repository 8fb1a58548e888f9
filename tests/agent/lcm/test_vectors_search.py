"""The vectors of lossless-claw that are about order, scope, output and files.

Each test has the number of its vector; `test_vectors_all.py` counts them.
"""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.expansion.grants import Grant
from lcm_lab.agent.lcm.grep.files import SCANNED, is_searchable, reference_places
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.dag import Summary
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.ranking.named.reference import LosslessClaw
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.store import Store
from tests.agent.lcm.held import BOTH, database, found, leaf, tools

HOUR = pd.Timedelta(hours=1)
NOW = pd.Timestamp("2026-06-01", tz="UTC")


@lcm.value
class Told(lcm.Scorer):
    """Gives each text the score that it says."""

    def index(self, corpus):
        return np.array([float(text) for text in corpus["text"]])

    def score(self, index, queries):
        return np.tile(index, (len(queries), 1))


@pytest.mark.parametrize(
    ("number", "rank", "hours", "score"),
    [
        (55, -2, 1000, -1.0),
        (55, -1.2, 0, -1.2),
        (56, -3, 1000, -1.5),
        (56, -1.2, 24, -1.171875),
        (56, -1, 2400, -0.2941),
    ],
)
def test_hybrid_divides_a_rank_by_its_age(number, rank, hours, score):
    assert ranks({"text": str(-rank), "time": NOW - hours * HOUR}) == {
        "m1": pytest.approx(score, abs=5e-5)
    }


def ranks(*rows):
    """Ranks by hybrid, best first: what LosslessClaw does to the scores of its index."""
    faded = Told() >> LosslessClaw("hybrid", "reference").ranker.steps[1]
    hits = (
        faded.fit(lcm.Corpus(rows))
        .run(pd.DataFrame({"query": ["any"], "asked_at": [NOW], "before": [NOW + HOUR]}))
        .frame()
    )
    return dict(zip(hits["docno"], -hits["score"], strict=True))


def test_55_and_56_an_old_match_loses_to_a_new_one_until_it_is_good_enough():
    old, new = NOW - 1000 * HOUR, NOW
    for strong, ids in (("2", ["m2", "m1"]), ("3", ["m1", "m2"])):
        rows = {"text": strong, "time": old}, {"text": "1.2", "time": new}
        assert list(ranks(*rows)) == ids
    # A `[GAP]` mended: what is old is found however old it is; it counts half as much at the least.
    rows = {"text": "3", "time": NOW - 10**5 * HOUR}, {"text": "1.2", "time": new}
    assert list(ranks(*rows)) == ["m2", "m1"]
    held = tools(*rows, compat=None, search=Told(), clock=str(NOW))
    assert found(held, "3 1.2", sort="hybrid") == ["m1", "m2"]


@pytest.mark.parametrize("compat", BOTH)
def test_57_the_limit_comes_after_the_sort(compat):
    held = tools("needle needle", "needle and a lot of hay", "hay", compat=compat)
    assert found(held, "needle") == ["m2", "m1"]
    assert found(held, "needle", limit=1) == ["m2"]
    assert found(held, "needle", sort="relevance", limit=1) == ["m1"]


@pytest.mark.parametrize("compat", BOTH)
def test_58_a_summary_is_as_old_as_what_it_is_about(tmp_path, compat):
    path = database(tmp_path / "lcm.db", ["lunch"])
    old = leaf(
        path, 1, "needle", latest="'2026-01-01T00:00:00.000Z'", created="2026-06-01 00:00:00"
    )
    new = leaf(path, 2, "needle too", created="2026-05-01 00:00:00")
    with open_lcm(path) as held:
        asked = LcmTools(held, compat=compat)
        assert found(asked, "needle") == [new, old]
        assert found(asked, "needle", before="2026-02-01") == [old]
        assert found(asked, "needle", since="2026-05-01", before="2026-05-02") == [new]


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize("mode", ["regex", "full_text"])
def test_59_since_is_inclusive_and_before_is_not(compat, mode):
    held = tools("needle", compat=compat)
    assert found(held, "needle", mode, since="2026-01-01T00:00:00Z") == ["m1"]
    assert found(held, "needle", mode, before="2026-01-01T00:00:00Z") == []


@pytest.fixture
def family(tmp_path):
    """Two segments of a session, one of them archived, and another conversation."""
    rows = [
        {"text": f"needle {name} {at}", "conversation": name, "time": f"2026-01-0{at}"}
        for name in ("old", "new", "else")
        for at in range(1, 7)
    ]
    path = database(
        tmp_path / "lcm.db",
        rows,
        "update conversations set session_key = 'agent:main' where session_id <> 'else'",
        "update conversations set active = 0, archived_at = '2026-01-09' where session_id = 'old'",
    )
    for at in range(1, 7):
        leaf(path, at, f"needle summary {at}", conversation=2)
    with open_lcm(path) as held:
        yield held


def places(answer):
    return {hit.conversation for hit in answer.hits}


@pytest.mark.parametrize("compat", BOTH)
def test_60_segments_of_one_session_are_searched_together(family, compat):
    answer = LcmTools(family, conversation=2, compat=compat).lcm_grep("needle")
    assert places(answer) == {"1", "2"}
    assert "2 segments" in answer.to_text().splitlines()[0]


@pytest.mark.parametrize("compat", BOTH)
def test_61_a_conversation_that_is_named_is_the_only_one(family, compat):
    asked = LcmTools(family, conversation=2, compat=compat)
    assert places(asked.lcm_grep("needle", conversationId=3, allConversations=True)) == {"3"}


@pytest.mark.parametrize("compat", BOTH)
def test_62_a_worker_stays_in_its_grant(family, compat):
    worker = LcmTools(family, grant=Grant(["1"]), compat=compat)
    assert places(worker.lcm_grep("needle", allConversations=True)) == {"1"}
    with pytest.raises(BadParameter, match="not in this grant"):
        worker.lcm_grep("needle", conversationId=2)
    without = LcmTools(family, grant=Grant([]), compat=compat)
    assert without.lcm_grep("needle", allConversations=True).hits == ()
    with pytest.raises(BadParameter, match="for workers that hold a grant"):
        LcmTools(family, conversation=2, compat=compat).lcm_expand(summaryIds=["sum_1"])


@pytest.mark.parametrize(("compat", "rows"), [(None, 5), ("reference", 10)])
def test_63_the_limit_is_of_each_table_there_and_of_the_list_here(family, compat, rows):
    """A `[GAP]` mended."""
    asked = LcmTools(family, conversation=2, compat=compat)
    assert len(asked.lcm_grep("needle", limit=5).hits) == rows


@pytest.mark.parametrize("compat", BOTH)
def test_64_what_a_leaf_repeats_stands_twice_there_and_once_here(compat):
    """A `[GAP]` mended: the message says where else it stands."""
    held = tools("a needle", "hay", compat=compat)
    dag = held.store.dag("c1")
    over = Summary.of("a needle in hay", dag.messages)
    held.store.put(dag.replace("m1", "m2", over))
    answer = held.lcm_grep("needle", mode="full_text")
    first = answer.hits[0]
    if compat:
        assert [hit.id for hit in answer.hits] == ["m1", over.id]
    else:
        assert (first.id, first.covered, first.also) == ("m1", over.id, (over.id,))
        assert over.id not in [hit.id for hit in answer.hits[1:]]


@pytest.mark.parametrize("compat", BOTH)
def test_65_an_answer_is_cut_at_40_000_characters_and_says_so(compat):
    """The count runs on over sections: after a cut there is no row, of either kind."""
    rows = [{"text": f"needle {at} " + "x" * 600, "time": "2026-01-01"} for at in range(220)]
    held = tools(*rows, compat=None)
    dag = held.store.dag("c1")
    for at, one in enumerate(dag.messages):
        dag = dag.replace(one.id, one.id, Summary.of(f"needle, of {at} " + "y" * 600, [one]))
    held.store.put(dag)
    answer = LcmTools(held.store, compat=compat).lcm_grep("needle", mode="full_text", limit=200)
    text = answer.to_text()
    assert 39_000 < len(text) <= 40_000
    shown = sum(line.startswith("  | ") for line in text.splitlines())
    assert f"{len(answer.hits) - shown} hits left out here" in text
    if compat:
        assert answer.count("message") == answer.count("summary") == 200
        assert " depth 0" not in text


def test_66_and_68_a_place_has_a_line_and_bytes_before_it():
    for text, query, line, offset in (
        ("alpha\nbeta\ngamma", "gamma", 3, 11),
        ("π\nneedle", "needle", 2, 3),
    ):
        (place,) = reference_places(text, query, "regex")
        assert (place.line, place.offset, place.found) == (line, offset, query)


@pytest.mark.parametrize("mode", ["regex", "full_text"])
def test_67_ten_places_of_a_file_are_given(mode):
    assert [one.line for one in reference_places("x\n-\nx\n-\nx", "x", mode)] == [1, 3, 5]
    assert len(reference_places("x\n" * 11, "x", mode)) == 10


def test_69_in_files_every_word_must_occur_there_and_the_first_is_shown():
    assert reference_places("alpha and beta", "alpha omega", "full_text") == []
    held = reference_places("Alpha omega\nALPHA", "alpha omega", "full_text")
    assert [(one.line, one.found) for one in held] == [(1, "Alpha"), (2, "ALPHA")]


def with_file(text, **how):
    store = Store(":memory:", large=100)
    store.add(lcm.Corpus([{"docno": "m1", "text": text}, {"docno": "m2", "text": "short"}]))
    return LcmTools(store, **how)


def test_70_what_lies_behind_the_scan_is_not_found_and_here_that_is_said():
    """A `[GAP]` mended."""
    for compat in BOTH:
        held = with_file("x" * SCANNED + "\nneedle\n", compat=compat)
        answer = held.lcm_grep("needle", scope="files")
        assert answer.hits == ()
        assert any("not looked at to the end" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("number", "mime", "read"),
    [
        *[(71, mime, False) for mime in ("image/png", "application/octet-stream")],
        *[(71, mime, False) for mime in ("application/pdf", "application/zip", "")],
        *[(71, mime, True) for mime in (None, "image/svg+xml", "text/plain")],
    ],
)
def test_files_that_are_text_are_read(number, mime, read):
    assert is_searchable(mime, unknown=False) == read


@pytest.fixture
def filed(tmp_path):
    """A database with a large file in each of two conversations, and one outside of the folder."""
    rows = [{"text": name, "conversation": name} for name in ("a", "b")]
    folder = tmp_path / "lcm-files"
    (tmp_path / "aside.txt").write_text("needle aside")
    path = database(tmp_path / "lcm.db", rows)
    with closing(sqlite3.connect(path)) as connection:
        for at in (1, 2):
            inside = folder / str(at) / f"file_{at:016x}.txt"
            inside.parent.mkdir(parents=True)
            inside.write_text(f"hay\nneedle {at}\n")
            row = (f"file_{at:016x}", at, inside.as_uri())
            connection.execute(
                "insert into large_files (file_id, conversation_id, storage_uri, created_at) "
                "values (?, ?, ?, '2026-01-01')",
                row,
            )
        link = folder / "1" / "link.txt"
        link.symlink_to(tmp_path / "aside.txt")
        for at, out in ((3, tmp_path / "aside.txt"), (4, link)):
            connection.execute(
                "insert into large_files (file_id, conversation_id, storage_uri, created_at) "
                "values (?, 1, ?, '2026-01-01')",
                (f"file_{at:016x}", out.as_uri()),
            )
        connection.commit()
    with open_lcm(path, files=folder) as held:
        yield held


@pytest.mark.parametrize("compat", BOTH)
def test_72_ids_of_files_never_widen_the_scope(filed, compat):
    asked = LcmTools(filed, conversation=1, compat=compat)
    (one, two) = (f"file_{at:016x}" for at in (1, 2))
    assert found(asked, "needle", "regex", scope="files", allConversations=False) == [one]
    assert found(asked, "needle", "regex", scope="files", fileIds=[two]) == [two]
    with pytest.raises(NotFound, match="not in this scope"):  # there, none
        asked.lcm_grep("needle", scope="files", fileIds=[two])


@pytest.mark.parametrize("compat", BOTH)
def test_73_what_lies_outside_of_the_folder_is_not_read(filed, compat):
    answer = LcmTools(filed, conversation=1, compat=compat).lcm_grep("needle", scope="files")
    assert [hit.id for hit in answer.hits] == ["file_0000000000000001"]
    assert any("not to be read" in note for note in answer.notes)
    assert "aside" not in answer.to_text()
