"""Policies read from text."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.parse import LONGEST, policy
from lcm_lab.ranking.surface import surface

analyzers = st.builds(
    lcm.Analyzer,
    language=st.sampled_from(["english", "german", None]),
    stop=st.sampled_from(["question", None]),
    identifiers=st.booleans(),
)
leaves = st.one_of(
    st.builds(lcm.BM25, k1=st.sampled_from([0, 0.9, 1.2]), b=st.sampled_from([0.0, 0.75, 1])),
    st.builds(lcm.TfIdf, sublinear=st.booleans()),
    st.builds(
        lcm.BM25, fields=st.sampled_from([("text",), ("speaker", "text")]), analyzer=analyzers
    ),
)
modifiers = st.builds(
    lcm.Recency, st.sampled_from(["12h", "7D"]), floor=st.sampled_from([0.0, 0.5])
)
weights = st.sampled_from([0, 0.3, 2, 1e-07])
cuts = st.sampled_from([1, 10, 100, lcm.vary(5, 10)])


def grown(parts):
    return st.one_of(
        st.builds(lambda a, b: a + b, parts, st.one_of(parts, modifiers)),
        st.builds(lambda a, b: a >> b, parts, st.one_of(parts, modifiers)),
        st.builds(lambda w, a: w * a, weights, parts),
        st.builds(lambda a, k: a % k, parts, cuts),
        st.builds(lambda a, r: a.over(role=r, scope=("messages", 'it\'s "x"')), parts, st.text()),
    )


sums = st.recursive(leaves, grown, max_leaves=5)
policies = st.one_of(
    sums,
    st.builds(lambda a, b: a + lcm.vary(0.1, 1) * b, sums, leaves),
    st.builds(lambda a, b: lcm.Neighbours(a, 0.3) + lcm.ByRole(b), leaves, leaves),
    st.builds(lambda a, b, k: lcm.RRF(a, b, k=k, weights=(3, 1)) % 10, leaves, leaves, cuts),
)


@given(policies)
def test_what_a_policy_prints_reads_back_as_an_equal_policy(made):
    assert policy(repr(made)) == made
    assert repr(policy(repr(made))) == repr(made)


def test_the_example_of_the_design_reads_as_python_reads_it():
    text = "BM25(k1=0.9) % 100 + 0.3 * TfIdf() >> Recency('30D') % 10"
    made = lcm.BM25(k1=0.9) % 100 + 0.3 * lcm.TfIdf() >> lcm.Recency("30D") % 10
    assert policy(text) == made


def test_a_family_spans_its_grid():
    family = policy("BM25(k1=vary(0.9, 1.2)) % vary(5, 10)")
    assert len(family.grid()) == 4


def test_several_lines_are_one_expression():
    assert policy("\n BM25()\n   >> Recency('7D')\n   % 10\n") == policy("BM25()>>Recency('7D')%10")


REFUSED = {
    "": "The policy is empty.",
    "  \n ": "The policy is empty.",
    "5": "'5' is not a policy.",
    "Analyzer()": "'Analyzer()' is not a policy.",
    "BM25": "column 1: BM25 needs brackets. Write BM25().",
    "BM25() + TfIdf": "column 10: TfIdf needs brackets.",
    "BM52() % 3": "column 1: no 'BM52'. There is ",
    "BM25() + TfIdff()": "column 10: no 'TfIdff'.",
    "BM25(k3=2)": "column 1: BM25: got an unexpected keyword argument 'k3'. It has k1, b,",
    "BM25() % 10 % 'x'": "column 1: A cut keeps a whole number of hits",
    "BM25() % 0": "column 1: A cut keeps a whole number of hits",
    "TfIdf() + BM25(k1=-3)": "column 11: ",
    "BM25() >> Recency('-7D')": "column 11: half_life must be a positive duration",
    "BM25() | TfIdf()": "column 1: | is not a ranking operator. To fuse by rank write RRF(a, b)",
    "BM25() - 1": "column 1: - is not a ranking operator.",
    "BM25() + 3": "column 1: + joins two policies.",
    "0.3 * 2": "column 1: '0.3 * 2' has no policy in it.",
    "'x' * 1000000000": "column 1: ",
    "BM25() % ": "Cannot read the policy 'BM25() %': invalid syntax (column",
    "BM25(": "Cannot read the policy 'BM25('",
    "-BM25()": "column 1: '-BM25()': a sign goes before a number only.",
    "BM25().fit(3)": "column 1: 'BM25().fit' cannot be called in a policy.",
    "BM25().over()": "column 1: over() narrows to nothing.",
    "BM25(**{'k1': 1})": "column 8: ** cannot stand in a policy.",
    "BM25(*[1])": "column 6: '*[1]' cannot stand in a policy.",
    "BM25(k1=b'1')": "column 9: b'1' is neither a number",
    "BM25(k1=1j)": "column 9: 1j is neither a number",
    "Recency('7D') if 1 else 2": "cannot stand in a policy.",
    "[x for x in y]": "cannot stand in a policy.",
    "(lambda: 1)()": "cannot be called in a policy.",
    "f'{1}'": "cannot stand in a policy.",
    "__import__('os').system('ls')": "cannot be called in a policy.",
    "open('x')": "column 1: no 'open'.",
    "BM25.__class__": "cannot stand in a policy.",
    "BM25().__init__()": "cannot be called in a policy.",
    "(a := BM25())": "cannot stand in a policy.",
    "BM25()[0]": "cannot stand in a policy.",
    "Named('f', len)": "column 1: no 'Named'.",
    "\0BM25()": "Cannot read the policy",
    "\ud800": "Cannot read the policy",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_says_where_and_what_to_write(text):
    with pytest.raises(BadParameter) as refused:
        policy(text)
    assert REFUSED[text] in str(refused.value)


def test_the_nearest_name_is_suggested():
    with pytest.raises(BadParameter, match="Did you mean 'Recency'"):
        policy("BM25() >> Recencey('7D')")
    with pytest.raises(BadParameter, match="Did you mean 'analyzer'"):
        policy("BM25(analyser=Analyzer())")


def test_columns_count_characters_not_bytes():
    with pytest.raises(BadParameter, match="column 28: no 'nope'"):
        policy("BM25().over(role='größe',k=nope)")


@pytest.mark.parametrize(
    "text",
    [
        "-" * 3000 + "1",
        "(" * 500 + "BM25()" + ")" * 500,
        "+".join(["BM25()"] * 400),
        "a." * 2000 + "a",
    ],
)
def test_what_is_nested_without_end_is_refused(text):
    with pytest.raises(BadParameter):
        policy(text)


def test_what_is_longer_than_any_policy_is_refused():
    with pytest.raises(BadParameter, match="Keep it under"):
        policy("BM25() + " * LONGEST + "BM25()")


@given(st.text(alphabet="BM25TfIdf()[]{}%+*>.,='\"0 9lambdx:\\\n\t_é") | st.text())
@example("BM25(k1='\\d')")
def test_any_text_is_a_policy_or_a_typed_error(text):
    with contextlib.suppress(BadParameter):
        assert isinstance(policy(text), Ranker)


def test_every_public_policy_can_be_written_and_nothing_else():
    bases = {"Ranker", "Scorer", "Contextual", "Modifier", "Reranker"}
    public = {name: getattr(lcm, name) for name in lcm.__all__}
    rankers = {
        n for n, made in public.items() if isinstance(made, type) and issubclass(made, Ranker)
    }
    assert rankers - bases <= set(surface())
    assert {"Analyzer", "vary"} <= set(surface()) <= set(public)
    assert not set(surface()) & (bases | {"Named", "Corpus", "load", "read", "value", "evaluate"})


def test_a_memory_with_its_strategy_is_read_as_it_prints():
    made = lcm.Memory(
        lcm.Leaves(1_500) >> lcm.Condense(2), lcm.BM25() % 10, summarise=lcm.Anchors(lcm.LexRank())
    )
    assert policy(repr(made)) == made
    for unsafe in ("Cached(Lead(), 'x')", "Store('x')", "compact", "open_lcm('x')"):
        with pytest.raises(BadParameter):
            policy(f"Memory(Window(), BM25(), summarise={unsafe})")
