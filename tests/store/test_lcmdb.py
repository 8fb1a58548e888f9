"""A lossless-claw database: opened without a trace, read whole, recognised by its columns."""

import hashlib
import json
import lzma
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.messages import Kind, Part
from lcm_lab.store.lcm import snapshot as snapshots
from lcm_lab.store.lcm.database import open_lcm
from lcm_lab.store.lcm.parts import COLUMNS, parts
from lcm_lab.store.lcm.snapshot import snapshot
from lcm_lab.store.store import Store
from lcm_lab.times import instant, show

KINDS = get_args(Kind)


def traces(folder):
    """Everything that a visitor could change: names, bytes, times of writing."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.iterdir())
    }


@pytest.fixture
def db(lcm_db):
    with open_lcm(lcm_db) as db:
        yield db


def test_conversations_are_listed_with_their_key_cause_and_span(db):
    listed = db.conversations()
    assert listed[["name", "session", "key", "active", "archived", "title"]].values.tolist() == [
        ["1", "run-1", "agent:main:main", False, "manual-reset", "before"],
        ["2", "run-2", "agent:main:main", True, "", "now"],
        ["3", "other", "", True, "", ""],
    ]
    assert listed[["messages", "tokens", "summaries"]].values.tolist() == [
        [0, 0, 0],
        [8, 160, 3],
        [0, 0, 0],
    ]
    assert str(listed["first"][1]) == "2026-04-02 22:40:01+00:00"
    assert str(listed["last"][1]) == "2026-04-02 22:40:08+00:00"


def test_a_family_shares_a_key_active_ones_first(db):
    assert db.family("1") == db.family("2") == ["2", "1"]
    assert db.family("3") == ["3"]


def test_an_unknown_conversation_is_named_with_those_that_there_are(db):
    for ask in (db.dag, db.family, lambda name: db.corpus(conversation=name)):
        with pytest.raises(NotFound, match=r"No conversation '9'. There is 1, 2, 3"):
            ask("9")


def test_the_dag_has_messages_summaries_and_what_the_model_sees(db):
    dag = db.dag("2")
    assert [one.id for one in dag.messages] == [f"m{n}" for n in range(1, 9)]
    a, b, c = (f"sum_{letter * 16}" for letter in "abc")
    assert [(one.id, one.depth, one.sources) for one in dag.summaries] == [
        (a, 0, ("m1", "m2")),
        (b, 0, ("m3", "m4")),
        (c, 1, (a, b)),
    ]
    assert dag.frontier == (c, "m5", "m6", "m7", "m8")
    assert [one.id for one in dag.leaves(c)] == ["m1", "m2", "m3", "m4"]
    assert dag.check()["violations"].sum() == 0
    assert {(one.level, one.model, one.tokens) for one in dag.summaries} == {("", "", 20)}
    assert show(dag.summaries[0].created) == "2026-04-02T22:41:00Z"


def test_tool_text_that_the_original_cannot_find_is_searchable(db):
    found = db.corpus(conversation="2").frame().set_index("docno")
    assert found.loc["m6#tool_call", "text"] == "bash\ncommand: cat workers.yaml"
    assert found.loc["m7#tool_result", "text"] == "retry: 5s\nqueue: orders"
    assert list(found["kind"]).count("summary") == 3
    assert set(found["conversation"]) == {"2"}
    assert db.corpus(("text",), scope="messages")["docno"].tolist() == [
        f"m{n}" for n in (1, 2, 3, 4, 5, 8)
    ]


def test_a_corpus_of_summaries_has_their_last_time_and_depth(db):
    found = db.corpus(scope=("summaries",)).frame()
    assert found[["depth", "scope", "kind"]].drop_duplicates().values.tolist() == [
        ["0", "summaries", "summary"],
        ["1", "summaries", "summary"],
    ]
    assert str(found["time"][2]) == "2026-04-02 22:40:04+00:00"


def test_a_corpus_of_nothing_is_empty(lcm_db, owner):
    owner("delete from messages", "delete from summaries")
    with open_lcm(lcm_db) as db:
        assert len(db.corpus()) == 0
        assert db.dag("2").messages == ()
    with pytest.raises(BadParameter, match="scope are"), open_lcm(lcm_db) as db:
        db.corpus(scope=("files",))


PARTS = [
    ("text", {"text_content": "said"}, [Part("text", "said")]),
    ("text", {"text_content": "  "}, []),
    (
        "text",
        {
            "text_content": "output",
            "metadata": '{"originalRole": "toolResult", "toolCallId": "t", "isError": true}',
        },
        [Part("tool_result", "output", call="t", error=True)],
    ),
    ("reasoning", {"text_content": "hm"}, [Part("reasoning", "hm")]),
    ("reasoning", {"metadata": '{"raw": {"thinking": "hm"}}'}, [Part("reasoning", "hm")]),
    ("reasoning", {"metadata": '{"raw": {"type": "redacted_thinking", "data": "x"}}'}, []),
    (
        "tool",
        {"tool_name": "ls", "tool_call_id": "t", "tool_input": '{"p": 1}', "tool_output": '"x.py"'},
        [
            Part("tool_call", "ls\np: 1", name="ls", call="t"),
            Part("tool_result", "x.py", name="ls", call="t"),
        ],
    ),
    (
        "tool",
        {"tool_name": "ls", "tool_status": "error", "tool_error": "denied"},
        [Part("tool_call", "ls", name="ls"), Part("tool_result", "denied", name="ls", error=True)],
    ),
    (
        "tool",
        {
            "tool_call_id": "t",
            "metadata": '{"rawType": "function_call_output"}',
            "tool_output": '{"rows":[1,2]}',
        },
        [Part("tool_result", '{"rows":[1,2]}', call="t")],
    ),
    (
        "tool",
        {
            "tool_name": "ls",
            "tool_input": '"{\\"p\\": 1}"',
            "metadata": '{"rawType": "function_call"}',
        },
        [Part("tool_call", "ls\np: 1", name="ls")],
    ),
    (
        "tool",
        {
            "metadata": '{"rawType": "tool_result", "raw": {"is_error": true, "content": "no"}}',
            "tool_call_id": "t",
        },
        [Part("tool_result", "no", call="t", error=True)],
    ),
    (
        "patch",
        {"patch_hash": "ab12", "patch_files": '["a.py", "b.py"]'},
        [Part("tool_result", "patch ab12\na.py\nb.py", name="patch")],
    ),
    (
        "file",
        {"file_name": "plan.pdf", "file_mime": "application/pdf", "file_url": "data:x;base64,AA"},
        [Part("file", "[file: plan.pdf, application/pdf]")],
    ),
    ("file", {"file_mime": "image/png"}, [Part("image", "[image: image/png]")]),
    (
        "subtask",
        {"subtask_agent": "scout", "subtask_desc": "look", "subtask_prompt": "find it"},
        [Part("tool_call", "scout\ndescription: look\nprompt: find it", name="scout")],
    ),
    ("compaction", {"text_content": "so far"}, [Part("summary", "so far")]),
    (
        "step_finish",
        {"step_reason": "stop"},
        [
            Part(
                "unknown",
                "",
                name="step_finish",
                raw='{"part_type": "step_finish", "step_reason": "stop"}',
            )
        ],
    ),
    (
        "snapshot",
        {"snapshot_hash": "ff"},
        [
            Part(
                "unknown",
                "",
                name="snapshot",
                raw='{"part_type": "snapshot", "snapshot_hash": "ff"}',
            )
        ],
    ),
    ("step_start", {}, [Part("unknown", "", name="step_start", raw='{"part_type": "step_start"}')]),
    ("retry", {}, [Part("unknown", "", name="retry", raw='{"part_type": "retry"}')]),
    ("agent", {"text_content": "plain words"}, [Part("text", "plain words")]),
    ("agent", {"metadata": '{"raw": {"type": "text", "text": "hi"}}'}, [Part("text", "hi")]),
    (
        "agent",
        {"metadata": "not json"},
        [Part("unknown", "", name="agent", raw='{"part_type": "agent", "metadata": "not json"}')],
    ),
]


@pytest.mark.parametrize(("kind", "columns", "parts"), PARTS)
def test_each_type_of_part_has_a_kind_of_ours(lcm_db, owner, kind, columns, parts):
    owner(
        "delete from message_parts where message_id = 6",
        lambda run: owner.add_part(run, 6, 0, part_type=kind, **columns),
    )
    with open_lcm(lcm_db) as db:
        assert list(db.dag("2").messages[5].parts) == parts


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["raw", "type", "rawType", "text", "content", "input", "source", "x"]),
            inner | st.sampled_from(["tool_result", "toolCall", "text", "image"]),
            max_size=4,
        )
    ),
    max_leaves=8,
)
CELL = st.none() | st.integers() | st.text(max_size=5) | JSON.map(json.dumps)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                **dict.fromkeys(COLUMNS, CELL),
                "part_type": st.sampled_from([kind for kind, _, _ in PARTS]),
            }
        ),
        max_size=3,
    ),
    st.sampled_from(["user", "tool"]),
)
def test_parts_of_any_content_are_read(rows, role):
    for part in parts(rows, role, "content"):
        assert part.kind in KINDS
        json.dumps(part.text + part.raw + part.name + part.call).encode()


def test_a_message_whose_parts_say_nothing_has_its_content(lcm_db, owner):
    owner("delete from message_parts")
    with open_lcm(lcm_db) as db:
        messages = db.dag("2").messages
    assert messages[0].parts == (Part("text", messages[0].text),)
    assert messages[5].parts == ()
    assert messages[6].parts == (Part("tool_result", "retry: 5s"),)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai"])
def test_a_time_without_a_zone_is_utc_wherever_it_is_read(lcm_db, zone, monkeypatch):
    """TZ-01."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with open_lcm(lcm_db) as db:
            first = db.dag("2").messages[0]
            within = db.corpus().rows(since="2026-04-02T22:40:01Z", before="2026-04-02T22:40:02Z")
            assert (show(first.time), first.stamp) == (
                "2026-04-02T22:40:01Z",
                "2026-04-02 22:40:01",
            )
            assert db.corpus()["docno"][within].tolist() == ["m1"]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_times_with_an_offset_are_instants_and_what_is_none_is_unknown(lcm_db, owner):
    owner(
        "update messages set created_at = '2026-04-02T22:40:00+08:00' where message_id = 1",
        "update messages set created_at = 'soon' where message_id = 2",
    )
    with open_lcm(lcm_db) as db:
        first, second = db.dag("2").messages[:2]
        assert (first.time, second.time) == (instant("2026-04-02T14:40:00Z"), None)


def test_opening_leaves_no_trace(lcm_db):
    """CL-06."""
    before = traces(lcm_db.parent)
    with open_lcm(lcm_db) as db:
        db.corpus(), db.dag("2"), db.conversations(), list(db.faults())
        assert traces(lcm_db.parent) == before
    assert traces(lcm_db.parent) == before
    assert list(before) == ["lcm.db"]


def test_what_its_owner_has_not_checkpointed_is_read_without_a_trace(lcm_db):
    """CL-06."""
    with closing(sqlite3.connect(lcm_db)) as owner:
        owner.execute("pragma wal_autocheckpoint = 0")
        owner.execute("update messages set content = 'committed' where message_id = 1")
        owner.commit()
        owner.execute("update messages set content = 'not yet' where message_id = 2")
        before = traces(lcm_db.parent)
        assert list(before) == ["lcm.db", "lcm.db-shm", "lcm.db-wal"]
        with open_lcm(lcm_db) as db:
            texts = [text for (text,) in db.connection.execute("select content from messages")]
        assert traces(lcm_db.parent) == before
        assert (texts[0], texts[1][:9]) == ("committed", "Postgres,")


def test_a_database_is_read_that_its_owner_has_locked(lcm_db):
    with closing(sqlite3.connect(lcm_db, isolation_level=None)) as owner:
        owner.execute("pragma locking_mode = exclusive")
        owner.execute("begin exclusive")
        owner.execute("delete from messages")
        with open_lcm(lcm_db) as db:
            assert len(db.dag("2").messages) == 8


WRITER = """
import sqlite3, sys
with_log, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
owner = sqlite3.connect(path, isolation_level=None)
owner.execute(f"pragma journal_mode = {with_log}")
owner.execute("pragma wal_autocheckpoint = 60")
owner.execute("pragma synchronous = off")
owner.execute("create table if not exists pairs (a integer primary key, b text)")
owner.execute("create index if not exists pairs_b on pairs (b)")
print("ready", flush=True)
for n in range(rounds):
    owner.execute("begin")
    owner.executemany("insert into pairs (b) values (?)", [(f"{n}-{k}" * 9,) for k in range(10)])
    if n % 7 == 0:
        owner.execute("delete from pairs where a in (select a from pairs limit 10)")
    owner.execute("commit")
    if sys.stdin.readline() == "":
        break
"""


@pytest.mark.parametrize("log", ["wal", "delete"])
def test_a_snapshot_is_one_committed_state_while_another_process_writes(lcm_db, log):
    """CL-06."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, log, str(lcm_db), "400"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout.readline() == "ready\n"
        seen = []
        for _ in range(12):
            writer.stdin.write("\n" * 30)
            writer.stdin.flush()
            with closing(snapshot(lcm_db)) as copy:
                assert copy.execute("pragma integrity_check").fetchall() == [("ok",)]
                (count,) = copy.execute("select count(*) from pairs").fetchone()
                seen.append(count)
        writer.stdin.close()
        writer.wait()
    assert all(count % 10 == 0 for count in seen)
    assert seen == sorted(seen)
    assert seen[-1] > 0


@pytest.mark.parametrize("size", [512, 4096, 65_536])
def test_pages_of_any_size_are_laid_over_as_sqlite_would(tmp_path, size):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute(f"pragma page_size = {size}")
        owner.execute("pragma synchronous = off")
        owner.execute("pragma journal_mode = wal")
        owner.execute("create table t (a)")
        owner.execute("pragma wal_checkpoint(truncate)")
        for start in range(0, 1_000, 200):
            owner.execute("begin")
            owner.executemany("insert into t values (?)", [(start + n,) for n in range(200)])
            owner.execute("commit")
        owner.execute("delete from t where a % 3 = 0")
        dump = list(owner.iterdump())
        with closing(snapshot(path)) as copy:
            assert list(copy.iterdump()) == dump


def test_frames_of_an_older_round_and_torn_ones_are_left_out(lcm_db):
    with closing(sqlite3.connect(lcm_db, isolation_level=None)) as owner:
        owner.execute("pragma wal_autocheckpoint = 0")
        for n in range(40):
            owner.execute("update messages set content = ?", (f"old {n} " * 50,))
        owner.execute("pragma wal_checkpoint(full)")
        owner.execute("update messages set content = 'new'")  # begins the log anew
        with closing(snapshot(lcm_db)) as copy:
            assert copy.execute("select distinct content from messages").fetchall() == [("new",)]
        log = lcm_db.with_name("lcm.db-wal")
        whole = log.read_bytes()
        torn = lcm_db.parent / "torn.db"
        torn.write_bytes(lcm_db.read_bytes())
        changed = bytearray(whole)
        changed[32 + 24 + 100] ^= 1
        torn.with_name("torn.db-wal").write_bytes(changed)
        with closing(snapshot(torn)) as copy:
            texts = copy.execute("select distinct content from messages").fetchall()
            assert texts == [("old 39 " * 50,)]


def test_a_database_left_in_the_middle_of_a_write_is_refused(lcm_db, monkeypatch):
    monkeypatch.setattr(snapshots, "TRIES", 2)
    with closing(sqlite3.connect(lcm_db, isolation_level=None)) as owner:
        owner.execute("pragma journal_mode = delete")
        owner.execute("pragma synchronous = off")  # the journal counts from its first byte
        owner.execute("begin immediate")
        owner.execute("update messages set content = 'half'")
        with pytest.raises(BadInput, match="is in the middle of a write"):
            open_lcm(lcm_db)
        owner.execute("rollback")
    with open_lcm(lcm_db) as db:
        assert len(db.dag("2").messages) == 8


def test_a_link_to_a_database_finds_the_log_beside_it(lcm_db, tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(lcm_db)
    with closing(sqlite3.connect(lcm_db)) as owner:
        owner.execute("update messages set content = 'committed'")
        owner.commit()
        with closing(snapshot(link)) as copy:
            found = copy.execute("select distinct content from messages").fetchall()
    assert found == [("committed",)]


def test_a_snapshot_leaves_nothing_in_the_temporary_folder(lcm_db, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with open_lcm(lcm_db) as db:
        assert list(folder.iterdir()) == []
        assert len(db.dag("2").messages) == 8


def test_what_is_no_such_database_is_refused_saying_what_it_is(tmp_path):
    with pytest.raises(NotFound, match="No database"):
        open_lcm(tmp_path / "none.db")
    with pytest.raises(BadInput, match="is a folder or a device"):
        open_lcm(tmp_path)
    (tmp_path / "x.jsonl").write_text("{}")
    with pytest.raises(
        BadInput, match=r"is no SQLite database. Transcripts open with lcm_lab.read"
    ):
        open_lcm(tmp_path / "x.jsonl")
    Store(tmp_path / "own.db").close()
    with pytest.raises(BadInput, match=r"is a store of lcm_lab. Open it with lcm_lab.Store"):
        open_lcm(tmp_path / "own.db")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("create table songs (title)")
        other.commit()
    with pytest.raises(BadInput, match=r"an SQLite database with songs; .* Missing: conversations"):
        open_lcm(tmp_path / "other.db")
    (tmp_path / "cut.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5_000)
    with pytest.raises(BadInput, match="no sound SQLite database"):
        open_lcm(tmp_path / "cut.db")


def test_a_damaged_database_is_refused_saying_so(lcm_db, owner):
    owner("pragma wal_checkpoint(truncate)")
    with closing(sqlite3.connect(lcm_db)) as connection:
        ask = "select rootpage from sqlite_master where name = 'messages'"
        (root,) = connection.execute(ask).fetchone()
    damaged = bytearray(lcm_db.read_bytes())
    damaged[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    lcm_db.write_bytes(damaged)
    with open_lcm(lcm_db) as db, pytest.raises(BadInput, match=r"cannot be read: .*malformed"):
        db.corpus()


def test_an_old_schema_degrades_and_says_how(lcm_db, owner):
    old = ("depth", "earliest_at", "latest_at", "descendant_count", "descendant_token_count")
    old += ("source_message_token_count", "file_ids", "model")
    owner(
        *(f"alter table summaries drop column {name}" for name in old),
        *(f"alter table conversations drop column {n}" for n in ("session_key", "active")),
        "alter table messages drop column large_content",
        "drop table large_files",
    )
    with open_lcm(lcm_db) as db:
        dag = db.dag("2")
        assert [one.depth for one in dag.summaries] == [0, 0, 1]
        assert [(show(one.first), show(one.last)) for one in dag.summaries][2] == (
            "2026-04-02T22:40:01Z",
            "2026-04-02T22:40:04Z",
        )
        assert dag.check()["violations"].sum() == 0
        assert db.family("2") == ["2"]
        assert db.conversations()["active"].all()
        assert len(db.files()) == 0
        assert list(db.faults()) == []
        assert "no summaries.depth: depth follows from what a summary was made from" in db.notes
        assert "no large_files: there are no large files" in db.notes


def test_the_newest_schema_needs_no_note(db):
    assert db.notes == ()


def put_file(lcm_db, owner, path, content="a\nb\n"):
    owner(
        "insert into large_files values ('file_0123456789abcdef', 2, 'x.txt', 'text/plain', 4, 2, "
        f"'{path}', 'told', '2026-04-02 22:40:00')"
    )
    folder = lcm_db.parent / "lcm-files" / "2"
    folder.mkdir(parents=True)
    (folder / "file_0123456789abcdef.txt").write_text(content)


@pytest.mark.parametrize("elsewhere", ["", "/elsewhere/lcm-files", "file:/else%20where/lcm-files"])
def test_a_large_file_is_read_from_the_folder_of_files(lcm_db, owner, elsewhere):
    root = elsewhere or lcm_db.parent / "lcm-files"
    put_file(lcm_db, owner, f"{root}/2/file_0123456789abcdef.txt")
    with open_lcm(lcm_db) as db:
        (row,) = db.files().to_dict("records")
        assert (row["id"], row["name"], row["bytes"]) == ("file_0123456789abcdef", "x.txt", 4)
        found = db.read("file_0123456789abcdef", (2, 2))
        assert (found.text, found.lines, found.origin, found.fault) == ("b\n", 2, "disk", "")
        assert list(db.faults()) == []


def test_a_large_file_outside_of_the_folder_is_not_read(lcm_db, owner, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    put_file(lcm_db, owner, "../../secret.txt")
    with open_lcm(lcm_db) as db:
        with pytest.raises(NotFound, match="the path leads out of the folder of files"):
            db.read("file_0123456789abcdef")
        assert list(db.faults()) == [
            ("a file lies in the folder of files", "file_0123456789abcdef")
        ]


def test_content_comes_from_the_message_when_the_copy_is_gone(lcm_db, owner):
    put_file(lcm_db, owner, "2/gone.txt")
    owner("update messages set large_content = 'file_0123456789abcdef' where message_id = 5")
    with open_lcm(lcm_db) as db:
        found = db.read("file_0123456789abcdef")
        assert found.text.startswith("Please look at the configuration")
        assert (found.origin, found.fault) == ("row", "the copy on disk is gone")
        assert list(db.faults()) == [("a file has its copy on disk", "file_0123456789abcdef")]
        with pytest.raises(NotFound, match="No file 'file_x'"):
            db.read("file_x")


def test_text_that_is_no_utf_8_is_read_with_a_replacement(lcm_db, owner):
    owner("update messages set content = cast(x'61ff62' as text) where message_id = 1")
    owner("delete from message_parts where message_id = 1")
    with open_lcm(lcm_db) as db:
        assert db.dag("2").messages[0].text == "a\ufffdb"


@pytest.fixture
def reference(shared):
    with open_lcm(shared.parent / "conformance" / "lcm_reference.db") as db:
        yield db


def test_the_reference_database_opens_whole(reference):
    dag = reference.dag("1")
    depths = [one.depth for one in dag.summaries]
    assert [depths.count(depth) for depth in (0, 1, 2)] == [11, 3, 1]
    assert len(dag.messages) == 419
    assert [one.id for one in dag.leaves(dag.frontier)] == [one.id for one in dag.messages]
    assert reference.notes == ()


def test_the_reference_expands_as_it_was_recorded(reference, shared):
    path = shared.parent / "conformance" / "lcm_reference_outputs.json.xz"
    recorded = json.loads(lzma.decompress(path.read_bytes()))
    dag = reference.dag("1")
    whole = [case for case in recorded["expand"] if not case["out"]["truncated"]]
    assert len(whole) > 20
    for case in whole:
        asked, out = case["in"], case["out"]
        found = dag.expand(
            asked["summaryId"],
            depth=asked["depth"],
            messages=asked["includeMessages"],
            compat="reference",
        )
        wanted = [one["summaryId"] for one in out["children"]]
        wanted += [f"m{one['messageId']}" for one in out["messages"]]
        assert sorted(node.id for node in found.nodes) == sorted(wanted)


def test_the_folder_of_the_reference_is_left_as_it_was(shared):
    folder = shared.parent / "conformance"
    before = sorted(folder.iterdir())
    with open_lcm(folder / "lcm_reference.db") as db:
        db.corpus()
    assert sorted(folder.iterdir()) == before
