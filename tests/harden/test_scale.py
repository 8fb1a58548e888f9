"""Five million short messages on one machine, within 8 GiB."""

import pytest

from lcm_lab.evaluation.bench.large import bench_large

pytestmark = pytest.mark.harden


def test_five_million_short_messages_are_indexed_and_searched_within_8_gib(record_property):
    frame = bench_large(5_000_000, questions=200).set_index("work")
    asked = frame.loc["short messages: natural question"]
    record_property("messages", 5_000_000)
    built = frame.loc["short messages: index from a mapped file"]
    record_property("build_s", round(built["median"] / 1e3))
    record_property("p50_ms", round(asked["median"], 2))
    record_property("p95_ms", round(asked["p95"], 2))
    record_property("peak_mb", round(asked["memory"]))
    assert asked["memory"] * 1e6 < 8 * 2**30
