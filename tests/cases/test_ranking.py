"""Edges of ranking, group D of the bug reports, its second half: an id names the report."""

import pickle

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.times import instant
from tests.cases.ways import POLICIES, Asked, command

TODAY = instant("2026-03-01")
OLD = TODAY - 242 * 86_400_000_000
#: Originals whose decay has no floor: that is what they are, and their factor is shown.
WITHOUT_FLOOR = ("LosslessClaw hybrid", "OpenClawMemory")


def encoder(rows, name="table"):
    return lcm.Named(name, lambda texts: [rows[text] for text in texts])


@pytest.fixture(scope="module")
def faded(tmp_path_factory):
    """An exact match of 242 days ago, and ten of today that hold all of its words far apart."""
    weak = "redis among {} was in the pool of words before it was exhausted"
    many = [weak.format(" ".join(f"w{i}{j}" for j in range(30))) for i in range(10)]
    rows = [{"text": "redis pool exhausted", "time": OLD}]
    rows += [{"text": text, "time": TODAY + i} for i, text in enumerate(many)]
    return Asked(tmp_path_factory.mktemp("faded"), *rows)


def test_an_exact_old_match_is_not_buried_by_weak_new_ones(faded):
    """RK-13: recency is a bounded share, and only `recency` itself goes by time alone."""
    for name, ask in faded.ways():
        buried = "recency" in name or name in WITHOUT_FLOOR
        assert buried or "m1" in ask("redis pool exhausted")[:8], name


@lcm.value
class Fifth(lcm.Scorer):
    """Gives the first document 1 and each other a fifth of it."""

    def index(self, corpus):
        return np.where(np.arange(len(corpus)), 0.2, 1.0)

    def score(self, index, queries):
        return np.tile(index, (len(queries), 1))


def test_what_fades_keeps_half_of_its_score_and_shows_how_much(faded):
    """RK-13: by default, whatever the shape and however short the half-life."""
    shapes = [lcm.Decay(shape, "30D") for shape in ("exponential", "hyperbolic", "linear")]
    for step in (lcm.Recency("30D"), lcm.Recency("1D"), *shapes):
        shown = (Fifth() >> step % 8).fit(faded.corpus).explain("redis pool exhausted")
        assert shown["docno"].iloc[0] == "m1"
        assert shown[repr(step)].between(0.5, 1).all()
        made = shown["Fifth()"] * shown[repr(step)]
        assert made.tolist() == pytest.approx(shown["score"].tolist())


def test_an_original_that_buries_it_shows_by_which_factor(faded):
    """RK-13, for what measures the systems as they are."""
    for name in WITHOUT_FLOOR:
        shown = POLICIES[name].fit(faded.corpus).explain("redis pool exhausted")
        (decay,) = [column for column in shown if column.startswith("Decay(")]
        assert shown.set_index("docno").loc["m1", decay] < 0.2


@pytest.mark.parametrize("half_life", [0, -1, float("nan"), "30", "0D", "-7D", "nanD", None])
def test_a_half_life_that_is_none_is_refused(half_life):
    """RK-15: 0 too; what should not fade is written without the step."""
    said = "half_life must be a positive duration such as '7D' or '12h'"
    for make in (
        lcm.Recency,
        lambda given: lcm.Decay("exponential", given),
        lambda given: lcm.Decay("hyperbolic", given),
        lambda given: lcm.Decay("linear", given),
    ):
        with pytest.raises(BadParameter, match=said):
            make(half_life)
    code, out, err = command("search", "x", "--policy", f"BM25() >> Recency({half_life!r})")
    assert (code, out) == (2, "")
    assert said in err or half_life != half_life


def test_a_policy_that_was_stored_ranks_as_before():
    """RK-16: for the policy alone; `test_postings.py` has it for an index, in another process."""
    spanish = lcm.BM25(analyzer=lcm.Analyzer(language="spanish", stop=("el", "la")))
    corpus = lcm.Corpus(["el perro corre", "la gata duerme", "corriendo por la calle"])
    again = pickle.loads(pickle.dumps(spanish))
    assert again == spanish == eval(repr(spanish), {"BM25": lcm.BM25, "Analyzer": lcm.Analyzer})
    before, after = (policy.fit(corpus)("corriendo") for policy in (spanish, again))
    pd.testing.assert_frame_equal(before, after)
    assert before["docno"].tolist() == ["m1", "m3"]


def test_a_short_text_that_says_it_beats_a_long_one_that_mentions_it(tmp_path):
    """RK-17: the words stand together in the long one too, and it comes first in the history."""
    filler = " ".join(f"word{i}" for i in range(397))
    asked = Asked(
        tmp_path,
        {"text": f"{filler} redis pool exhausted", "time": OLD},
        {"text": "redis pool exhausted, raised the max", "time": TODAY},
    )
    for name, ask in asked.ways():
        assert ask("redis pool exhausted")[0] == "m2", name
    rows = [{"text": f"part {i} of it", "session": "long"} for i in range(400)]
    for at, word in ((3, "redis"), (150, "pool"), (390, "exhausted")):
        rows[at]["text"] = f"{word} {rows[at]['text']}"
    rows.append({"text": "redis pool exhausted, raised the max", "session": "short"})
    corpus = lcm.Corpus(rows)
    topics = pd.DataFrame({"qid": ["q"], "query": ["redis pool exhausted"]})
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["m401"], "relevance": [1]})
    sessions = lcm.Collection("s", corpus, topics, qrels).units("session")
    for policy in (lcm.BM25(), lcm.TfIdf(), lcm.QueryLikelihood(), lcm.FTS5()):
        best = policy.fit(sessions.corpus)("redis pool exhausted")["docno"].iloc[0]
        assert (
            "redis pool exhausted, raised"
            in sessions.corpus.frame().set_index("docno")["text"][best]
        )


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: np.array(rows, np.float64),
        lambda rows: np.asfortranarray(np.array(rows, np.float32)),
        lambda rows: np.array(rows, np.float64).T.copy().T,
        lambda rows: rows,
    ],
    ids=["float64", "columns first", "transposed", "nested lists"],
)
def test_vectors_come_in_any_layout(make):
    """RK-18."""
    rows = {"a": [1, 0, 0, 0], "b": [1, 1, 0, 0], "c": [0, 0, 1, 0]}
    given = lcm.Named("layout", lambda texts: make([rows[text] for text in texts]))
    hits = lcm.Dense(given, fields=("text",)).fit(lcm.Corpus(list(rows)))("a")
    assert hits["docno"].tolist() == ["m1", "m2"]
    assert hits["score"].tolist() == pytest.approx([1, 0.5**0.5])


def test_a_vector_of_another_width_is_refused_with_both():
    """RK-18: and one text may be given a bare vector."""
    bare = lcm.Named("bare", lambda texts: np.array([3.0, 4.0, 0.0, 0.0]))
    hits = lcm.Dense(bare, fields=("text",)).fit(lcm.Corpus(["a"]))("b")
    assert hits["score"].tolist() == pytest.approx([1])
    narrow = encoder({"a": [1, 0, 0, 0], "asked": [1, 0, 0]})
    search = lcm.Dense(narrow, fields=("text",)).fit(lcm.Corpus(["a"]))
    with pytest.raises(BadInput, match="3 dimensions where others have 4"):
        search("asked")


def test_a_cosine_is_at_most_one_and_nothing_is_near_the_zero_vector():
    """RK-19."""
    rng = np.random.default_rng(1)
    line = rng.normal(size=300).astype(np.float32)
    rows = {"same": line, "long": line * 20, "zero": 0 * line, "asked": line}
    with pytest.warns(RuntimeWarning, match="zeros for 1 of 3 texts"):
        search = lcm.Dense(encoder(rows), fields=("text",)).fit(
            lcm.Corpus(["same", "long", "zero"])
        )
    hits = search("asked")
    assert hits["docno"].tolist() == ["m1", "m2"]
    assert (hits["score"] <= 1).all()
    assert hits["score"].tolist() == pytest.approx([1, 1])
    against = {**rows, "asked": -line}
    with pytest.warns(RuntimeWarning):
        other = lcm.Dense(encoder(against), fields=("text",)).fit(lcm.Corpus(["same", "zero"]))
    assert other("asked").empty


def test_each_score_belongs_to_its_document():
    """RK-20: each found document, scored alone, has the score that it was listed with."""
    corpus = lcm.Corpus(["cache miss", "cache cache hit", "lunch"])
    scorers = (lcm.BM25(), lcm.TfIdf(), lcm.QueryLikelihood(), lcm.FTS5(match="any"), lcm.Dense())
    for scorer in (*scorers, lcm.CharGrams(), lcm.BestPassage(lcm.BM25(), 20)):
        whole = scorer.score(scorer.index(corpus), ["cache hit"])[0]
        hits = (scorer % 2).fit(corpus)("cache hit")
        assert hits["docno"].iloc[0] == "m2"
        rows = [int(name[1:]) - 1 for name in hits["docno"]]
        assert hits["score"].tolist() == pytest.approx(whole[rows].tolist())
        assert whole[rows].tolist() == sorted(whole.tolist(), reverse=True)[: len(rows)]
