"""The harness on a real benchmark file, where it lies beside the checkout."""

import lcm_lab as lcm
from lcm_lab.measures import R, nDCG


def test_bm25_on_locomo_turns_is_not_a_straw_man(shared):
    bench = lcm.load(shared / "locomo" / "locomo_dev.json.xz")
    result = lcm.evaluate({"bm25": lcm.BM25() % 10}, on=bench, measures=[nDCG @ 10, R @ 10])
    summary = result.summary().set_index("measure")
    assert summary.loc["nDCG@10", "mean"] >= 0.46
    assert summary.loc["R@10", "mean"] >= 0.60
    assert summary["n"].tolist() == [997, 997]
    assert summary["undefined"].tolist() == [2, 2]
    assert (summary["low"] < summary["mean"]).all()
    assert (summary["mean"] < summary["high"]).all()
