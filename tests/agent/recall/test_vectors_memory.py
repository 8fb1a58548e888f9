"""The vectors of OpenClaw's ``memory_search`` that a ranking of messages has something to stand on.

Each test has the number of its vector; `test_vectors_all.py` counts them, and says why the others
are left out.
"""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.named.openclaw import Mix, Strict, squeezed
from tests.agent.recall.held import filled, ids, said


@lcm.value
class Given(lcm.Scorer):
    """A scorer whose scores are given, one a row; 0 is no hit."""

    scores: tuple[float, ...]

    def index(self, corpus):
        return len(corpus)

    def score(self, index, queries):
        return np.tile(np.array(self.scores), (len(queries), 1))


def corpus(*texts):
    return lcm.Corpus([{"text": text} for text in texts])


def scored(policy, rows):
    """Give the score of each row of some texts that differ."""
    frame = policy.fit(corpus(*(f"text {n}" for n in range(rows))))("text")
    return dict(zip(frame["docno"], frame["score"].round(6), strict=True))


def order(policy, *texts):
    return policy.fit(corpus(*texts))("text")["docno"].tolist()


def test_92_a_rank_of_the_index_is_a_score_below_one():
    """Ranks -4.2, -2.1 and -0.5; 0, above 0 and what is no number are no hits here."""
    assert squeezed(np.array([4.2, 2.1, 0.5])).round(4).tolist() == [0.8077, 0.6774, 0.3333]


def test_93_a_hit_of_both_lists_has_both_shares():
    assert scored(Mix(0.5 * Given((0.2,)), 0.5 * Given((1.0,))), 1) == {"m1": 0.6}


def strict(vectors, words):
    both = Mix(0.7 * Given(vectors), 0.3 * Given(words))
    return both >> Strict(0.35, lcm.MMR(1), words=Given(words), vectors=Given(vectors))


def test_94_what_words_alone_found_is_kept_alone_and_behind_what_scored_enough():
    """0.3 of 1 is less than 0.35: the first row is found by words alone."""
    assert order(strict((0, 0), (1, 0)), "text one", "text two") == ["m1"]
    assert order(strict((0, 0.9), (1, 0)), "text one", "text two") == ["m2", "m1"]
    full = strict((0, 0.9), (1, 0)) % 1
    assert order(full, "text one", "text two") == ["m2"]


def test_96_each_list_has_200_candidates():
    assert repr(lcm.OpenClawMemory(compat="reference")).count("% 200") >= 2


def faded(time, days):
    """Give the score of one hit so many days after a day of March."""
    fade = lcm.Decay("exponential", "30D", floor=0, undated=1)
    clock = str(np.datetime64("2026-03-31") + np.timedelta64(days, "D"))
    topic = {"qid": ["q"], "query": ["text"], "asked_at": [clock], "before": ["2100-01-01"]}
    rows = lcm.Corpus([{"text": "text", "time": time}])
    filters = {} if time else {"before": [None]}
    found = (Given((1.0,)) >> fade).fit(rows).run(pd.DataFrame({**topic, **filters}))
    return found.scores.round(4).tolist()


@pytest.mark.parametrize(
    ("number", "days", "share"),
    [(97, 0, 1), (97, 7, 0.8507), (97, 30, 0.5), (97, 90, 0.125), (97, -5, 1)],
)
def test_a_hit_halves_every_thirty_days(number, days, share):
    assert faded("2026-03-31T00:00:00Z", days) == [share]


def test_97_is_mended_since_a_half_life_of_nothing_is_refused():
    with pytest.raises(BadParameter, match="half_life"):
        lcm.Decay("exponential", "0D")


def test_98_what_has_no_date_does_not_fade():
    assert faded(None, 90) == [1]


@pytest.mark.parametrize(
    ("number", "balance", "hits", "placed"),
    [
        (
            99,
            0.2,
            [(1, "shared semantic topic"), (0.9, "shared semantic topic"),
             (0.3, "unrelated lexical topic")],
            [1, 0.3, 0.9],
        ),
        (
            100,
            0.7,
            [(0.9, "alpha beta gamma"), (0.8, "alpha beta gamma delta"), (0.75, "whiskey tango"),
             (0.2, "alpha")],
            [0.9, 0.75, 0.8, 0.2],
        ),
        (101, 1.0, [(0.2, "a b"), (0.9, "a b c")], [0.9, 0.2]),
        (101, 0.3, [(0.5, "alone")], [0.5]),
        (101, 0.7, [(0.5, "one two"), (0.5, "one two"), (0.5, "three four")], [0.5, 0.5, 0.5]),
    ],
)  # fmt: skip
def test_what_is_like_a_better_hit_stands_further_down(number, balance, hits, placed):
    scores = tuple(score for score, _ in hits)
    policy = Given(scores) >> lcm.MMR(balance)
    found = order(policy, *(text for _, text in hits))
    assert [scores[int(name[1:]) - 1] for name in found] == placed


def test_101_hits_of_one_score_are_all_as_relevant():
    hits = Given((0.5, 0.5, 0.5)) >> lcm.MMR(0.7)
    assert order(hits, "one two", "one two", "three four") == ["m1", "m3", "m2"]


TOKYO = "\u6771\u4eac\u30bf\u30ef\u30fc"


def test_106_two_characters_of_cjk_are_found_whatever_the_index():
    """As SQLite has it: a plain LIKE over trigrams misses two characters; ours asks otherwise."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create virtual table t using fts5(x, tokenize='trigram')")
        connection.execute("insert into t values (?)", (f"at {TOKYO}",))
        plain = "select count(*) from t where x like ?"
        escaped = plain + " escape '\\'"
        assert connection.execute(escaped, (f"%{TOKYO[:2]}%",)).fetchone() == (1,)
        assert connection.execute(plain, (f"%{TOKYO[:3]}%",)).fetchone() == (1,)
    tools = SessionTools(filled(said("m1", f"at {TOKYO}")))
    for mode in ("exact", "substring"):
        assert ids(tools.sessions_search(TOKYO[:2], mode=mode)) == ["m1"]


def test_108_more_than_4096_of_the_nearest_are_given():
    @lcm.value
    class Same:
        """An encoder to which all is alike."""

        def fit(self, texts):
            return None

        def encode(self, state, texts, kind="document"):
            return np.ones((len(texts), 2))

    texts = corpus(*(f"text {n}" for n in range(5_000)))
    assert len(lcm.Dense(Same()).fit(texts).run("text", k=5_000)) == 5_000
