"""``lcm-lab diff``: what it prints, and the exit codes that CI goes by."""

import json

import pytest


@pytest.fixture
def reports(lcm_lab):
    """Two reports on the shipped collection, the second of a worse system of the same name."""
    from lcm_lab import BM25, evaluate, load
    from lcm_lab.measures import nDCG

    bench = load("synth-chat-s")
    for name, cut in (("before", 10), ("after", 1)):
        evaluate({"ours": BM25() % cut}, on=bench, measures=[nDCG @ 10]).save(name)
    return lcm_lab


def test_a_fall_beyond_the_threshold_ends_with_one_and_is_named(reports):
    done = reports("diff", "before", "after", "--threshold", "0.01")
    assert (done.code, done.err) == (1, "")
    assert "worse" in done.out
    assert "1 system fell: ours." in done.out
    assert "ours is written otherwise: BM25() % 1, before BM25() % 10." in done.out


def test_without_a_threshold_a_diff_ends_with_nothing(reports):
    assert reports("diff", "before", "after").code == 0
    up = reports("diff", "after", "before", "--threshold", "0")
    assert (up.code, up.out.strip().splitlines()[-1]) == (0, "No system fell.")


def test_a_system_that_is_gone_ends_with_one_and_is_named(lcm_lab):
    from lcm_lab import BM25, TfIdf, evaluate, load
    from lcm_lab.measures import R, nDCG

    bench = load("synth-chat-s")
    bench = bench.only(bench.topics["qid"].head(30))
    both = {"ours": BM25() % 10, "old": TfIdf() % 10}
    evaluate(both, on=bench, measures=[nDCG @ 5, R @ 5]).save("before")
    evaluate({"ours": BM25() % 10}, on=bench, measures=[R @ 5]).save("after")
    done = lcm_lab("diff", "before", "after", "--threshold", "0.5")
    assert (done.code, done.out.splitlines()[-2:]) == (1, ["No system fell.", "Gone: old, nDCG@5."])
    assert lcm_lab("diff", "before", "after", "--json").json["gone"] == ["old", "nDCG@5"]
    assert lcm_lab("diff", "before", "after").code == 0
    more = lcm_lab("diff", "after", "before", "--threshold", "0.5")
    assert (more.code, "Gone" in more.out) == (0, False)


def test_json_is_all_that_stdout_holds(reports):
    done = reports("diff", "before", "after", "--json", "--threshold", "0.9")
    assert done.code == 0
    assert done.json["fallen"] == []
    assert done.json["changes"][0]["verdict"] == "worse"
    assert reports("diff", "before", "after", "--json").json["fallen"] is None


def test_what_cannot_be_compared_ends_with_two(reports, tmp_path):
    done = reports("diff", "before", "nowhere", "--threshold", "0")
    assert (done.code, done.out) == (2, "")
    assert "'nowhere' holds no manifest.json" in done.err
    path = tmp_path / "after" / "manifest.json"
    facts = json.loads(path.read_text())
    facts["collection"]["fingerprint"] = "0" * 16
    path.write_text(json.dumps(facts))
    assert reports("diff", "before", "after").code == 2
    assert reports("diff", "before", "after", "--across").code == 0
    assert reports("diff", "before", "after", "--threshold", "-1").code == 2
