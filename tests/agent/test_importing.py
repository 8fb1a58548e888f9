"""``lcm-lab import``: into a store, and again."""

import json


def test_import_says_what_was_new_and_then_that_nothing_has_changed(lcm_lab, tmp_path):
    records = [{"role": "user", "content": f"message {i}"} for i in range(3)]
    (tmp_path / "talk.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    done = lcm_lab("import", "talk.jsonl", "--into", "memory.db")
    assert (done.code, done.err) == (0, "")
    assert "new messages           3" in done.out
    assert "Store('memory.db') of 3 messages in 1 conversation" in done.out
    again = lcm_lab("import", "talk.jsonl", "--into", "memory.db", "--json").json
    assert (again["new"], again["unchanged"], again["files"]) == (0, 1, {})


def test_import_refuses_what_is_not_there_and_what_is_no_store(lcm_lab, tmp_path):
    (tmp_path / "notes.txt").write_text("# notes\n" * 99)
    missing = lcm_lab("import", "none.jsonl", "--into", "memory.db")
    assert missing.code == 2
    assert "No file or folder 'none.jsonl'" in missing.err
    (tmp_path / "talk.jsonl").write_text('{"role": "user", "content": "x"}\n')
    wrong = lcm_lab("import", "talk.jsonl", "--into", "notes.txt")
    assert wrong.code == 2
    assert "'notes.txt' is no store" in wrong.err


def test_a_store_is_timed(lcm_lab):
    done = lcm_lab("bench", "store", "--size", "300", "--questions", "5", "--json")
    rows = {row["what"]: row for row in done.json}
    assert rows["import"]["n"] == 300
    assert rows["append, p95"]["unit"] == "ms"
    assert all(row["value"] > 0 for row in rows.values())
