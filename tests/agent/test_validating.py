"""``lcm-lab validate``: the gates on stdout, the page on stderr, a report in a folder."""

import json

POLICIES = (
    "BM25() % 10",
    "TfIdf() % 10",
    "BM25(k1=0) % 10",
    "CharGrams() % 10",
    "worse=BM25() % 1",
)
FIVE = [word for policy in POLICIES for word in ("--policy", policy)]


def test_gates_are_printed_and_the_report_names_the_command(lcm_lab, saved, tmp_path):
    done = lcm_lab("validate", saved, "--against", saved, *FIVE, "--out", "out")
    assert done.code == 0, done.err
    assert "gates hold" in done.out.splitlines()[0]
    assert "lower end of tau-b" in done.out
    assert done.err.strip().endswith("out/index.html")
    made = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert made["command"].startswith("lcm-lab validate orders --against orders --policy 'BM25()")


def test_the_evidence_view_is_told_in_the_name_and_in_the_command(lcm_lab, saved, tmp_path):
    done = lcm_lab("validate", saved, "--against", saved, *FIVE, "--view", "evidence", "--json")
    assert done.code == 0, done.err
    assert [one["view"] for one in done.json] == ["evidence"]
    made = json.loads((tmp_path / "reports/validation/manifest.json").read_text("utf-8"))
    assert made["command"].endswith("--view evidence")


def test_json_has_a_part_for_each_real_set(lcm_lab, saved):
    done = lcm_lab("validate", saved, "--against", saved, "--against", saved, *FIVE, "--json")
    assert [one["against"] for one in done.json] == ["orders", "orders"]
    assert len(done.json[0]["gates"]) == 6


def test_too_few_systems_and_no_counterpart_are_refused_in_a_line(lcm_lab, saved):
    few = lcm_lab("validate", saved, "--against", saved, "--policy", "BM25()")
    assert (few.code, few.out) == (2, "")
    assert "give at least 5" in few.err
    none = lcm_lab("validate", saved)
    assert none.code == 2
    assert "--against" in none.err
