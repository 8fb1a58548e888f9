import pandas as pd
import pytest

from lcm_lab import BM25, Corpus, Recency
from lcm_lab.topics import Topics


def factors(policy, times, asked_at=None):
    corpus = Corpus([{"text": "use WAL", "time": time} for time in times])
    frame = pd.DataFrame({"query": ["wal"], "before": ["2999-01-01"], "asked_at": [asked_at]})
    frame = frame.drop(columns=[] if asked_at else ["asked_at", "before"])
    topics = Topics.of(frame, corpus)
    run = BM25().fit(corpus).run(topics)
    found = dict(zip(run.rows.tolist(), policy.factor(topics, run).tolist(), strict=True))
    return [found[row] for row in sorted(found)]


def test_the_factor_halves_towards_its_floor_with_every_half_life():
    times = ["2026-01-01", "2026-01-31", "2026-03-02"]
    assert factors(Recency("30D", floor=0), times) == pytest.approx([0.25, 0.5, 1.0])
    assert factors(Recency("30D"), times) == pytest.approx([0.625, 0.75, 1.0])


def test_age_counts_from_the_moment_the_topic_is_asked():
    given = factors(Recency("1D", floor=0), ["2026-01-01"], asked_at="2026-01-03")
    assert given == pytest.approx([0.25])


def test_what_lies_in_the_future_of_the_topic_has_age_zero():
    assert factors(Recency("1D", floor=0), ["2026-02-01"], asked_at="2026-01-01") == [1.0]


def test_a_message_without_a_time_gets_the_floor():
    assert factors(Recency("1D", floor=0.3), [None, "2026-02-01"]) == pytest.approx([0.3, 1.0])


def test_half_lives_are_durations_in_any_unit():
    times = ["2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z"]
    assert factors(Recency("12h", floor=0), times) == pytest.approx([0.5, 1.0])


def test_the_factor_applied_is_shown_for_every_hit():
    rows = [{"text": "use WAL", "time": time} for time in ("2026-01-01", "2026-01-31")]
    shown = (BM25() >> Recency("30D")).fit(Corpus(rows)).explain("wal")
    assert shown["Recency('30D')"].tolist() == pytest.approx([1.0, 0.75])
    recombined = shown["BM25()"] * shown["Recency('30D')"]
    assert recombined.tolist() == pytest.approx(shown["score"].tolist())
