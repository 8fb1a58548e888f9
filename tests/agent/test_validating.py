"""``lcm-lab validate``: the gates on stdout, the page on stderr, a report in a folder."""

import json

import pytest

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


@pytest.mark.slow
def test_transcripts_are_a_real_side_by_what_was_said_next(lcm_lab, tmp_path):
    said = (
        "Deploys wait for review before noon.",
        "Nobody touched the ledger since winter.",
        "Grafana shows a steady climb of queue latency.",
        "Let us drop the old exporter.",
    )
    lines = [
        {
            "type": "user",
            "sessionId": "s",
            "uuid": f"u{n}",
            "parentUuid": f"u{n - 1}" if n else None,
            "timestamp": f"2026-01-01T10:0{n}:00Z",
            "message": {"role": "user", "content": text},
        }
        for n, text in enumerate(said)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    around = [policy.replace("BM25()", "Neighbours(BM25())") for policy in POLICIES]
    options = [word for policy in around for word in ("--policy", policy)]
    done = lcm_lab("validate", "synth-agent-s", "--against", "s.jsonl", *options)
    assert done.code == 0, done.err
    assert "BM25 around AnyR@5" in done.out
