"""Laws of questions: whatever is asked, of whichever ranker, under whatever filter."""

import datetime
import re
import warnings

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from pandas.api.types import is_float_dtype

import lcm_lab as lcm
from lcm_lab.errors import EmptyQuery, LcmError
from lcm_lab.measures import parse as measure
from lcm_lab.query import looks_like_regex, parse
from lcm_lab.ranking.parse import policy
from lcm_lab.redact import redact
from lcm_lab.testing import small_corpus
from lcm_lab.text import Analyzer, clean, count_tokens
from lcm_lab.times import bound, instant
from tests.harden.fuzzing import law, tried
from tests.harden.given import PIECES, json_values, long_texts, scalars, texts, values

RANKERS = (
    *(lcm.BM25(), lcm.BM25(fields=("text",), analyzer=lcm.Split()), lcm.TfIdf(), lcm.CharGrams()),
    *(lcm.QueryLikelihood(), lcm.BestPassage(lcm.BM25(), 5), lcm.Dense(lcm.LSA(3)), lcm.FTS5()),
    *(lcm.FTS5(match="any"), lcm.Regex(), lcm.Substring(), lcm.Phrase(), lcm.Newest(lcm.FTS5())),
    *(lcm.Fallback(lcm.FTS5(), lcm.BM25()), lcm.Append(lcm.FTS5() % 2, lcm.BM25())),
    *(lcm.Saturated(lcm.FTS5()), lcm.LosslessClaw("hybrid"), lcm.SessionsSearch()),
    *(lcm.NaiveBM25(), lcm.RRF(lcm.BM25(), lcm.TfIdf()), lcm.Feedback(lcm.BM25())),
    *(lcm.Neighbours(lcm.BM25(), 0.3), lcm.SessionPrior(lcm.BM25(), 0.4), lcm.ByRole(lcm.BM25())),
    *(lcm.BySpeaker(lcm.BM25()), lcm.FirstPerson(lcm.BM25()), lcm.Questions(lcm.BM25())),
    *(lcm.AboveMean(lcm.BM25()), lcm.Proximity(lcm.BM25()), lcm.Recommended()),
    *(lcm.OpenClawMemory(), lcm.EpisodicMemory(), lcm.FTS5(compat="lossless-claw")),
    *(lcm.FTS5(compat="openclaw"), lcm.FTS5(compat="openclaw-memory")),
    *(lcm.BM25() >> lcm.MMR(0.7), lcm.BM25() >> lcm.Dedupe("session"), lcm.Regex() + lcm.BM25()),
    *(lcm.BM25() % 5 + 0.3 * lcm.TfIdf() >> lcm.Recency("7D") % 3, lcm.BM25() >> lcm.AtLeast(0.1)),
)
ASKED = lcm.Corpus(
    [
        *small_corpus()
        .frame()[["text", "conversation", "session", "role", "time"]]
        .to_dict("records"),
        *({"text": one * 3, "conversation": "odd", "speaker": one} for one in PIECES),
    ]
)
SEARCHES = {}


def searches():
    """Fit every ranker, once a process."""
    if not SEARCHES:
        SEARCHES.update((one, one.fit(ASKED)) for one in RANKERS)
    return SEARCHES


def sound(hits):
    """Hold a table of hits to what every table of hits promises."""
    scores = hits["score"].to_numpy(float)
    assert np.isfinite(scores).all()
    assert (np.diff(scores) <= 0).all()
    assert not hits["docno"].duplicated().any()
    assert hits["rank"].tolist() == list(range(1, len(hits) + 1))


@law(texts, 4_000)
def text_is_read_by_every_reader(text):
    kept = clean(text)
    kept.encode()
    query = tried(parse, text)
    tried(looks_like_regex, text)
    terms = tried(Analyzer().query, text)
    tried(Analyzer(language=None, stop=None, identifiers=False).terms, text)
    tokens = tried(count_tokens, text)
    hidden = tried(redact, text).text
    assert tried(redact, hidden).text == hidden
    assert tokens <= max(len(kept.encode()), tried(count_tokens, kept))
    assert query is not None or not terms, "what holds a word can be asked"


@law(texts, 300)
def every_ranker_answers_every_question(text):
    try:
        parse(text)
    except EmptyQuery:
        empty = True
    else:
        empty = False
    for ranker, search in searches().items():
        hits = tried(search, text)
        if hits is not None:
            sound(hits)
        assert not empty or hits is None, f"{ranker} answers a question without a word"


@law(long_texts, 6)
def every_ranker_answers_a_long_question(text):
    """A tenth of a megabyte: some 45 rankers read it, each in time linear in it."""
    for search in searches().values():
        hits = tried(search, text[:100_000])
        if hits is not None:
            sound(hits)


@law(st.lists(texts, max_size=5), 200)
def a_batch_gives_what_a_loop_gives(asked):
    good = [text for text in asked if tried(parse, text) is not None]
    for ranker in (lcm.BM25(), lcm.FTS5(), lcm.CharGrams(), lcm.Substring(), lcm.Phrase()):
        run = tried(searches()[ranker].run, good) if good else ()
        for (_, rows, scores), text in zip(run, good, strict=True):
            alone = next(iter(searches()[ranker].run(text)))
            assert rows.tolist() == alone[1].tolist()
            np.testing.assert_allclose(scores, alone[2], rtol=1e-6)


FILTERS = ("conversation", "session", "since", "before", "role", "scope", "kind", "speaker", "seq")
filters = st.dictionaries(
    st.sampled_from(FILTERS * 3 + ("tenant", "text", "docno", "query")),
    st.sampled_from(["c0", "odd", "user", "2026-01-05", ("c0", "c1"), "text"]) | values,
    max_size=3,
)


@law(filters, 3_000)
def every_filter_is_kept_or_refused(narrowed):
    hits = tried(lambda: searches()[lcm.BM25()]("retry", **narrowed))
    if hits is None:
        return
    sound(hits)
    rows = ASKED.row_of(hits["docno"].tolist())
    for name in ("conversation", "session", "role", "speaker"):
        wanted = narrowed.get(name)
        if isinstance(wanted, str):
            assert set(ASKED[name].to_numpy()[rows]) <= {wanted, clean(wanted)}


NAMES = (
    *("BM25", "TfIdf", "Recency", "MMR", "RRF", "Fuse", "Dense", "Prior", "FTS5", "Regex", "LSA"),
    *(
        "Neighbours",
        "Learned",
        "Memory",
        "Window",
        "vary",
        "Named",
        "eval",
        "__import__",
        "AtLeast",
    ),
    *("over", "k1", "b", "fields", "half_life", "floor", "scope", "None", "True", "lambda", "for"),
    *("+", "*", "%", ">>", "|", "-", "/", "**", "(", ")", ",", "=", "[", "]", ".", ":", "0", "-1"),
    *(
        "0.3",
        "1e999",
        "1e-320",
        "10**9",
        "1000000",
        "'7D'",
        "'-7D'",
        "''",
        "'\\ud800'",
        "b'x'",
        "1j",
    ),
)
NUMBERS = (
    "0",
    "0.0",
    "1",
    "2",
    "0.3",
    "0.999",
    "1e-320",
    "1e308",
    "1e999",
    "1000",
    "1000000",
    "-1",
)
QUOTED = (
    "'7D'",
    "'1us'",
    "'99999999D'",
    "'text'",
    "'date'",
    "'speaker'",
    "'any'",
    "''",
    "'zscore'",
)
TOKEN = re.compile(r"\w[\w.]*|'[^']*'|>>|\S|\s+")
EXPRESSIONS = [repr(one) for one in RANKERS]


@st.composite
def expressions(draw):
    """Give a policy as it is written, with some of its tokens put in another's place."""
    tokens = TOKEN.findall(draw(st.sampled_from(EXPRESSIONS)))
    others = st.sampled_from(NAMES) | st.sampled_from(EXPRESSIONS) | scalars.map(written)
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        at = draw(st.integers(0, len(tokens) - 1))
        if draw(st.booleans()):
            likes = [one for one in NAMES if one[0].isdigit() == tokens[at][0].isdigit()]
            tokens[at] = draw(st.sampled_from(likes))
        else:
            tokens[at : at + draw(st.integers(0, 2))] = [draw(others)]
    return "".join(tokens)


def written(one):
    """Give a value as it is written, if it is short."""
    text = repr(one)
    return text if len(text) < 200 else "..."


@law(expressions() | texts, 8_000)
def an_expression_is_a_policy_or_refused(text):
    made = tried(policy, text)
    if made is not None:
        assert policy(repr(made)) == made


@st.composite
def sized(draw):
    """Give a policy as it is written, with other numbers and texts in it."""
    tokens = TOKEN.findall(draw(st.sampled_from(EXPRESSIONS)))
    places = [at for at, token in enumerate(tokens) if token[0] in "'0123456789"]
    for at in places:
        if draw(st.booleans()):
            tokens[at] = draw(st.sampled_from(NUMBERS if tokens[at][0] != "'" else QUOTED))
    return "".join(tokens)


@law(sized() | expressions(), 1_500)
def a_policy_that_can_be_made_can_be_asked(text):
    made = tried(policy, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numbers that overflow are told of
        search = None if made is None else tried(made.fit, ASKED)
        hits = None if search is None else tried(search, "retry backoff")
    if hits is not None:
        sound(hits)


TIMES = st.sampled_from(
    [
        *("2026-03-01", "2026-03-01T10:00:00Z", "2026-03-01 10:00:00.123456+05:30", "0001-01-01"),
        *(
            "9999-12-31T23:59:59.999999Z",
            1_767_225_600_000_000,
            1e9,
            1e300,
            -1,
            0,
            2**62,
            2**63 - 1,
        ),
        *(
            "1767225600",
            "1767225600000",
            "2026-W09-1",
            "2026-060",
            "10:00",
            "2026-02-29",
            "20260301",
        ),
        *(
            "2026-03-01T24:00:00Z",
            "2016-12-31T23:59:60Z",
            "2026-03-01T10:00:00+99:99",
            " 2026-03-01 ",
        ),
        *(
            datetime.date.max,
            datetime.datetime.max.replace(tzinfo=datetime.UTC),
            np.datetime64("NaT"),
            pd.Timestamp.max,
            pd.NaT,
        ),
    ]
)
MEASURES = (
    "nDCG@10",
    "nDCG(gain='exponential')@10",
    "R@5",
    "AllR@5",
    "Latency@95",
    "Success@1",
    "RR",
)
WRITTEN = st.sampled_from(
    [*MEASURES, "@", "(", ")", "0", "-1", "1e9", "10", "rel=2", "AP", "Evidence@2000"]
)


@law(st.sampled_from(MEASURES) | st.lists(WRITTEN | texts, max_size=4).map("".join), 6_000)
def a_measure_is_read_or_refused(text):
    made = tried(measure, text)
    assert made is None or measure(str(made)) == made


@law(TIMES | st.datetimes(timezones=st.none() | st.timezones()) | values, 6_000)
def a_time_is_read_or_refused(given):
    for read in (instant, bound):
        made = tried(read, given)
        assert made is None or (isinstance(made, int) and abs(made) < 2**63)


rows = st.lists(
    st.dictionaries(
        st.sampled_from(
            [
                "docno",
                "text",
                "conversation",
                "session",
                "seq",
                "role",
                "time",
                "tokens",
                "extra",
                "kind",
            ]
        )
        | texts,
        values,
        max_size=5,
    ),
    max_size=5,
)


@law(rows | json_values, 3_000)
def rows_are_a_corpus_or_refused(given):
    corpus = tried(lcm.Corpus, given)
    if corpus is None:
        return
    assert corpus["docno"].is_unique
    frame = corpus.frame()
    if not any(is_float_dtype(frame[name]) for name in frame):  # pandas has no missing integers
        assert lcm.Corpus(frame).fingerprint == corpus.fingerprint
    with warnings.catch_warnings():
        try:
            lcm.BM25().fit(corpus)("retry")
        except LcmError as error:
            raise AssertionError(f"a corpus that was taken cannot be searched: {error}") from error
