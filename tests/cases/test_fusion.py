"""Scores scaled and fused, group E of the bug reports: an id names the report."""

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.times import instant
from tests.cases.ways import Asked, command
from tests.ranking.fixed import Fixed


def ranked(policy, n):
    hits = policy.fit(lcm.Corpus([f"row {i}" for i in range(n)]))("any")
    return dict(zip(hits["docno"], hits["score"], strict=True))


def near(words):
    """An encoder for which what has one of these words is near what has one of them."""
    return lcm.Named(
        "near", lambda texts: [[1, 0] if any(w in t for w in words) else [0, 1] for t in texts]
    )


def test_an_exact_keyword_hit_is_never_cut_by_the_weight_of_its_list():
    """SN-01: nor by a threshold that is not written, in a sum and in OpenClaw's own ranking."""
    assert ranked(0.7 * Fixed((0.0,)) + 0.3 * Fixed((1.0,)), 1) == {"m1": pytest.approx(0.3)}
    corpus = lcm.Corpus(["zeta exactly", "tea", "milk", "rain"])
    for compat in (None, "reference"):
        policy = lcm.OpenClawMemory(near(["none of them"]), compat)
        hits = policy.fit(corpus)("zeta")
        assert hits["docno"].iloc[0] == "m1"
    passing = lcm.Corpus(["zeta exactly", *["alike in meaning"] * 3])
    strict = lcm.OpenClawMemory(near(["alike", "zeta"]), "reference").fit(passing)("zeta alike")
    assert set(strict["docno"]) == {"m1", "m2", "m3", "m4"}
    with pytest.raises(BadParameter, match="would drop every hit"):
        (0.7 * lcm.Dense() + 0.2 * lcm.BM25()) >> lcm.AtLeast(0.95)


def test_a_fusion_keeps_what_only_one_list_found():
    """SN-02: and its part of the score."""
    one, two = Fixed((0.8, 0.7, 0)), Fixed((0, 0, 12.0))
    assert ranked(0.7 * one + 0.3 * two, 3) == pytest.approx({"m1": 0.7, "m2": 0.6125, "m3": 0.3})
    assert ranked(lcm.RRF(one, two), 3)["m3"] == 1 / 61
    for norm in ("minmax", "zscore", "rank"):
        assert ranked(lcm.Fuse(0.7 * one, 0.3 * two, norm=norm), 3)["m3"] == pytest.approx(0.3)
    shown = (0.7 * one + 0.3 * two).fit(lcm.Corpus(["a", "b", "c"])).explain("any")
    assert shown.set_index("docno").loc["m3", f"0.3 * {two!r}"] == pytest.approx(0.3)


@pytest.mark.parametrize("sevens", [(7, 7, 7), (7,)])
def test_equal_scores_stay_equal_and_count_as_found(sevens):
    """SN-03: scaled by rank they do not, since ranks differ."""
    n = len(sevens)
    alike = {f"m{i + 1}": 2 for i in range(n)}
    assert ranked(Fixed(sevens) + Fixed(sevens), n) == alike
    for norm in ("minmax", "zscore"):
        assert ranked(lcm.Fuse(Fixed(sevens), Fixed(sevens), norm=norm), n) == alike
    assert list(ranked(lcm.Fuse(Fixed(sevens), Fixed(sevens), norm="rank"), n)) == list(alike)


def test_weights_of_ranks_count_and_wrong_ones_are_refused():
    """SN-05."""
    lists = Fixed((2, 1, 0, 0)), Fixed((0, 0, 2, 1))
    assert list(ranked(lcm.RRF(*lists, weights=(1, 0)), 4)) == ["m1", "m2"]
    assert list(ranked(lcm.RRF(*lists, weights=(4, 1)), 4)) == ["m1", "m2", "m3", "m4"]
    assert list(ranked(lcm.RRF(*lists, weights=(1, 4)), 4)) == ["m3", "m4", "m1", "m2"]
    nan = float("nan")
    for weights in ((1,), (1, 2, 3), (-1, 1), (0, 0), (nan, 1), ("a", 1), (float("inf"), 1)):
        with pytest.raises(BadParameter, match="weights must be 2 numbers, 0 or more and not all"):
            lcm.RRF(*lists, weights=weights)
    for weight in (-1, nan, float("inf")):
        with pytest.raises(BadParameter, match="A weight is a number, 0 or more"):
            weight * lists[0]


def test_a_document_in_pieces_counts_once_in_each_list_that_is_fused():
    """SN-06: ranks close up after the pieces of a document are collapsed."""
    pieces = [{"text": f"x{i}", "session": "x"} for i in range(3)] + [{"text": "y", "session": "y"}]
    one, two = Fixed((4, 3, 2, 1)), Fixed((1, 0, 0, 2))
    each = lcm.Dedupe("session")
    fused = lcm.RRF(one >> each, two >> each).fit(lcm.Corpus(pieces))("any")
    assert dict(zip(fused["docno"], fused["score"], strict=True)) == pytest.approx(
        {"m1": 1 / 61 + 1 / 62, "m4": 1 / 62 + 1 / 61}
    )


def test_ids_given_as_numbers_and_as_text_are_the_same_document():
    """SN-07."""
    corpus = lcm.Corpus([{"docno": 12, "text": "use WAL"}, {"docno": 13, "text": "no"}])
    topics = pd.DataFrame({"qid": [7.0], "query": ["wal"]})
    qrels = pd.DataFrame({"qid": ["7"], "docno": [12.0], "relevance": [1]})
    bench = lcm.Collection("ids", corpus, topics, qrels)
    assert bench.qrels.to_numpy().tolist() == [["7", "12", 1]]
    fused = lcm.RRF(lcm.BM25(), lcm.TfIdf(), lcm.Substring()).fit(corpus)("wal")
    assert fused[["docno", "score"]].to_numpy().tolist() == [["12", pytest.approx(3 / 61)]]


def test_scores_are_cosines_and_not_one_minus_a_distance():
    """SN-09: at L2 distances of 0, 0.6, 1 and 2; what points away is no hit, and scores 0."""
    across = 1 - 0.6**2 / 2
    rows = {
        "same": [1, 0],
        "near": [across, (1 - across**2) ** 0.5],
        "far": [0.5, 0.75**0.5],
        "opposite": [-1, 0],
        "asked": [1, 0],
    }
    encoder = lcm.Named("table", lambda texts: [rows[text] for text in texts])
    hits = lcm.Dense(encoder, fields=("text",)).fit(lcm.Corpus([*rows][:4]))("asked")
    assert hits["score"].tolist() == pytest.approx([1, 0.82, 0.5])


def test_what_a_fallback_finds_is_marked_and_has_no_perfect_score(tmp_path):
    """SN-10."""
    corpus = lcm.Corpus(["alpha one", "alpha two", "beta"])
    words, any_ = lcm.FTS5(), lcm.FTS5(match="any")
    search = lcm.Fallback(words, any_).fit(corpus)
    shown = search.explain("alpha zebra")
    assert (shown["score"] < 1).all()
    assert shown[repr(words)].isna().all() and shown[repr(any_)].notna().all()
    assert repr(any_) not in search.explain("alpha").columns
    asked = Asked(tmp_path, "alpha one", "alpha two", "beta")
    assert "No message has all of it: these come nearest." in asked.sessions("alpha zebra").notes
    told = asked.grep("alpha zebra", mode="full_text", allConversations=True)
    assert told.unmatched == ("zebra",)
    assert "Nothing here has: zebra." in command("grep", "-w", "alpha zebra", "--on", asked.path)[1]


def test_a_threshold_is_held_against_the_score_that_is_shown():
    """SN-11: 0.5 at 90 days and a half-life of 30 is shown as 0.0625, and is out."""
    corpus = lcm.Corpus([{"text": "a", "time": "2026-01-01"}, {"text": "b", "time": "2026-04-01"}])
    for fade in (lcm.Recency("30D", floor=0), lcm.Decay("exponential", "30D", floor=0)):
        faded = Fixed((0.5, 0.0)) >> fade
        assert faded.fit(corpus)("any")["score"].tolist() == [0.0625]
        assert len((faded >> lcm.AtLeast(0.3)).fit(corpus)("any")) == 0
        assert (faded >> lcm.AtLeast(0.0625)).fit(corpus)("any")["docno"].tolist() == ["m1"]
        assert len((Fixed((0.5, 0.0)) >> lcm.AtLeast(0.3) >> fade).fit(corpus)("any")) == 1


def test_every_hit_shows_its_parts_and_they_make_its_score():
    """SN-12: of sums, of either fusion, and with what fades after them; ranks in lists too."""
    now = instant("2026-03-01")
    rows = [{"text": t, "time": now + i} for i, t in enumerate(("alpha one", "alpha two", "beta"))]
    corpus = lcm.Corpus(rows)
    words, meaning, fade = lcm.BM25(), 0.3 * lcm.Dense(), lcm.Recency("30D")
    for policy in (words + meaning >> fade, lcm.Fuse(words, meaning) >> fade):
        shown = policy.fit(corpus).explain("alpha one")
        lists = [name.removeprefix("rank in ") for name in shown if name.startswith("rank in ")]
        assert len(lists) == 2
        made = shown[lists].sum(axis=1) * shown[repr(fade)]
        assert made.tolist() == pytest.approx(shown["score"].tolist())
    shown = lcm.RRF(words, lcm.Dense(), weights=(2, 1)).fit(corpus).explain("alpha one")
    assert (shown["BM25()"] + shown["Dense()"]).tolist() == pytest.approx(shown["score"].tolist())
    assert shown["BM25()"].tolist() == pytest.approx((2 / (60 + shown["rank in BM25()"])).tolist())


@lcm.value
class Away(lcm.Scorer):
    """A scorer whose backend is away."""

    def index(self, corpus):
        return len(corpus)

    def score(self, index, queries):
        raise ConnectionError("backend is away")


def test_a_retriever_that_fails_is_not_the_same_as_one_that_finds_nothing(tmp_path):
    """SN-13: no answer is given in its place, by a policy, an evaluation or a tool."""
    corpus = lcm.Corpus(["text 1", "text 2"])
    topics = pd.DataFrame({"qid": ["q1"], "query": ["text 1"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": ["m1"], "relevance": [1]})
    bench = lcm.Collection("away", corpus, topics, qrels)
    asked = Asked(tmp_path, "text 1", "text 2")
    for policy in (
        lcm.BM25() + Away(),
        lcm.RRF(lcm.BM25(), Away()),
        lcm.Fallback(Away(), lcm.BM25()),
    ):
        tools = lcm.LcmTools(asked.store, search=policy)
        for ask in (
            lambda p=policy: p.fit(corpus)("text 1"),
            lambda p=policy: lcm.evaluate([p], on=bench),
            lambda t=tools: t.lcm_grep("text", mode="full_text", allConversations=True),
        ):
            with pytest.raises(ConnectionError, match="backend is away"):
                ask()
    nothing = (lcm.BM25() + lcm.Phrase()).fit(corpus)("text 1")
    assert nothing["docno"].tolist() == ["m1", "m2"]


@pytest.mark.parametrize("least", [0.3, 0.034])
def test_a_threshold_that_nothing_can_reach_is_refused_when_it_is_written(least):
    """SN-14: otherwise the answer would be empty for ever."""
    fused = lcm.RRF(lcm.BM25(), lcm.TfIdf())
    with pytest.raises(BadParameter, match=r"would drop every hit: .* scores at most 0.03279"):
        fused >> lcm.AtLeast(least)
    assert (fused >> lcm.AtLeast(0.03)).steps[-1] == lcm.AtLeast(0.03)
    policy = f"RRF(BM25(), TfIdf()) >> AtLeast({least})"
    code, out, err = command("search", "x", "--policy", policy)
    assert (code, out, "would drop every hit" in err) == (2, "", True)
