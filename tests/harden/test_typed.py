"""What a person types finds its message by ``lcm_grep``, and by the reference's hardly ever."""

import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.tools import LcmTools
from lcm_lab.store.store import Store

pytestmark = pytest.mark.harden


def test_questions_as_people_type_them_are_answered(shared, record_property):
    bench = lcm.load(shared / "locomo" / "locomo_dev.json.xz")
    store = Store(":memory:")
    store.add(bench.corpus)
    judged = bench.qrels[bench.qrels["relevance"] >= bench.relevant_from]
    gold = judged.groupby("qid")["docno"].apply(set).to_dict()
    topics = bench.topics[bench.topics["qid"].isin(gold)].to_dict("records")
    shares = {}
    for name, tools in {
        "default": LcmTools(store),
        "BM25()": LcmTools(store, search=lcm.BM25()),
        "reference": LcmTools(store, compat="reference"),
    }.items():
        for sort in ("recency", "relevance"):
            answered = 0
            for topic in topics:
                hits = tools.lcm_grep(
                    topic["query"],
                    mode="full_text",
                    sort=sort,
                    limit=10,
                    conversationId=topic["conversation"],
                ).hits
                answered += any(gold[topic["qid"]] & {hit.id, *hit.also} for hit in hits)
            shares[name, sort] = answered / len(topics)
    record_property("questions", len(topics))
    record_property("AnyR@10", {" ".join(key): round(share, 3) for key, share in shares.items()})
    assert shares["reference", "relevance"] < 0.01
    assert min(shares["BM25()", "recency"], shares["BM25()", "relevance"]) > 0.70
    assert min(shares["default", "recency"], shares["default", "relevance"]) > 0.85
