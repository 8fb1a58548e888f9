"""Databases whose schema somebody else has written: what stands in it would run as it is read."""

import sqlite3
import sys
from contextlib import closing

import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput

#: Rows without end.
FOREVER = "with recursive c(x) as (values(1) union all select x + 1 from c) select x from c"
STRANGE = {
    "a view in the place of a table": (
        "alter table docs rename to docs2",
        f"create view docs as select * from docs2, ({FOREVER})",
    ),
    "a view in the place of what says which are ours": (
        "alter table meta rename to meta2",
        f"create view meta as select meta2.* from meta2, ({FOREVER})",
    ),
    "a view called as ours is": (
        "drop view docs_porter_unicode61_text",
        "create view docs_porter_unicode61_text as "
        f"select x as number, '' as text from ({FOREVER})",
    ),
    "a trigger": ("create trigger t after update on meta begin delete from messages; end",),
    "a column that is computed": (
        "alter table meta rename to meta2",
        "create table meta (name text, value any as (zeroblob(900000000)))",
    ),
    "a virtual table that is none of ours": (
        f"create view w as {FOREVER}",
        "create virtual table v using fts5(x, content='w')",
    ),
}


def changed(path, statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("pragma legacy_alter_table = on")
        for one in statements:
            base.execute(one)


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("statements", STRANGE.values(), ids=STRANGE)
def test_a_store_with_what_runs_in_its_schema_is_not_opened(tmp_path, statements, readonly):
    path = tmp_path / "memory.db"
    with lcm.Store(path) as store:
        store.add(lcm.Corpus(["We chose Postgres."]))
    changed(path, statements)
    with pytest.raises(BadInput, match="in its schema, which no store has"):
        lcm.Store(path, readonly=readonly)


def test_a_store_that_does_not_say_how_it_is_indexed_is_not_opened(tmp_path):
    path = tmp_path / "memory.db"
    lcm.Store(path).close()
    for told in ("'[1'", "'{}'", "'[1]'", "7", "null"):
        changed(path, [f"update meta set value = {told} where name = 'tokenizers'"])
        with pytest.raises(BadInput, match="does not say how its words are indexed"):
            lcm.Store(path)


@pytest.mark.parametrize(
    "instead",
    [
        f"create view messages as select m.* from m, ({FOREVER})",
        "create virtual table messages using fts5(message_id, conversation_id, seq, role, "
        "content, created_at, content='m')",
    ],
)
def test_what_is_called_like_a_table_of_lossless_claw_is_none(lcm_db, instead):
    changed(lcm_db, ["alter table messages rename to m", instead])
    with pytest.raises(BadInput, match="Missing: messages"):
        lcm.open_lcm(lcm_db)


@pytest.mark.skipif(sys.platform == "win32", reason="no modes here")
def test_a_store_and_its_files_are_their_owners_alone(tmp_path):
    path = tmp_path / "memory.db"
    with lcm.Store(path) as store:
        store.add(lcm.Corpus(["log line\n" * 40_000]))
    made = {one.relative_to(tmp_path): one.stat().st_mode & 0o77 for one in tmp_path.rglob("*")}
    assert len(made) > 2
    assert set(made.values()) == {0}
    path.chmod(0o644)
    lcm.Store(path).close()
    assert path.stat().st_mode & 0o777 == 0o644
