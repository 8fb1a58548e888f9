"""Replay: facts, what is kept of them, what an allowance brings back, and the claims about it."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.compaction.anchors import Anchors
from lcm_lab.compaction.base import Compactor
from lcm_lab.compaction.levels import Condense, Leaves
from lcm_lab.compaction.lossless import Lossless
from lcm_lab.compaction.strategies import RandomLines, Rolling, Window
from lcm_lab.compaction.summarise import Lead
from lcm_lab.dag import Dag, Summary
from lcm_lab.dag.nodes import text_of
from lcm_lab.errors import BadInput, BadParameter, NotFound
from lcm_lab.evaluation.replay.arms import ARMS, Arm
from lcm_lab.evaluation.replay.claims import CLAIMS, claims
from lcm_lab.evaluation.replay.excerpt import excerpt
from lcm_lab.evaluation.replay.facts import Facts, facts_of
from lcm_lab.evaluation.replay.points import KEPT
from lcm_lab.evaluation.replay.real import at_boundaries
from lcm_lab.evaluation.replay.run import replay
from lcm_lab.evaluation.replay.talk import Talk
from lcm_lab.evaluation.replay.texts import Texts, holds, plain
from lcm_lab.evaluation.replay.walk import OPENED, TOTAL, Found, Hit, page, pieces
from lcm_lab.text import count_tokens

SERVICES = ["auth", "billing", "search", "mail", "cache", "proxy", "audit", "queue"]


def collection(talks=2, noise=12):
    """Conversations in which every service gets a port, amid talk of other things."""
    rows, topics, qrels = [], [], []
    for talk in range(talks):
        for number, service in enumerate(SERVICES):
            at = f"c{talk}-{number}"
            port = 5000 + 100 * talk + number
            rows.append(
                {"docno": at, "conversation": f"c{talk}", "role": "user",
                 "text": f"The {service} service listens on port {port} since today."}
            )  # fmt: skip
            rows += [
                {"docno": f"{at}-{n}", "conversation": f"c{talk}", "role": "assistant",
                 "text": f"Step {number}.{n} of the walk through garden {n}, nothing of note here."}
                for n in range(noise)
            ]  # fmt: skip
            qid = f"q{talk}-{number}"
            topics.append({"qid": qid, "query": f"which port has {service}?", "answer": str(port),
                           "type": "single", "conversation": f"c{talk}"})  # fmt: skip
            qrels.append({"qid": qid, "docno": at, "relevance": 1})
    return lcm.Collection("ports", lcm.Corpus(rows), pd.DataFrame(topics), pd.DataFrame(qrels))


@pytest.fixture(scope="module")
def bench():
    return collection()


@pytest.fixture(scope="module")
def windowed(bench):
    return replay(bench, Window(), budgets=[0.1, 0.5])


# Values in texts


def test_a_value_is_held_as_a_whole_word_only():
    assert holds(plain("Port=3952."), "3952")
    assert not holds(plain("port 13952, 39521"), "3952")
    assert holds(plain("ポートは3952番です"), "3952")
    assert not holds(plain("anything"), "")


def test_a_value_is_held_across_case_line_breaks_and_folders():
    assert holds(plain("Spell  the\nNAMES out"), plain("spell the names out"))
    assert holds(plain("Named (path): src/{a.py, b.py}"), plain("src/b.py"))


@given(st.dictionaries(st.text("ab"), st.text("ab1 .", max_size=12)), st.text("ab1", min_size=1))
def test_texts_find_what_looking_into_each_one_finds(texts, value):
    wanted = tuple(name for name, text in texts.items() if holds(plain(text), plain(value)))
    assert Texts(texts).holding(value) == wanted


# Facts


def test_a_fact_is_a_value_in_its_message_and_a_question_without_it(bench):
    found = facts_of(bench).facts
    assert len(found) == 16
    assert (found[3].value, found[3].sources, found[3].kind) == ("5003", ("c0-3",), "single")
    assert not any(holds(plain(fact.query), plain(fact.value)) for fact in found)


def test_questions_that_tell_their_answer_or_have_none_are_left_out_and_counted(bench):
    topics = bench.topics.copy()
    topics.loc[0, "query"] = "is it 5000 that auth has?"
    topics.loc[1, "answer"] = "nowhere to be found"
    found = facts_of(lcm.Collection("x", bench.corpus, topics, bench.qrels))
    assert len(found.facts) == 14
    assert "2 questions are left out" in found.notes[0]


def test_a_state_log_gives_kinds_and_what_was_superseded(bench):
    entry = {"kind": "slot", "entity": "auth", "attribute": "port", "sort": "config value"}
    first = {**entry, "value": "5000", "sources": ["c0-0"], "valid_from": "2025-01-01T00:00:00Z"}
    later = {**entry, "value": "5001", "sources": ["c0-1"], "valid_from": "2025-01-02T00:00:00Z"}
    log = [{**first, "valid_to": later["valid_from"]}, {**later, "valid_to": None}]
    found = facts_of(bench, {"conversations": {"c0": {"facts": log}}, "topics": {}})
    assert found.facts[0].kind == "config value"
    assert found.facts[0].until is not None and found.facts[1].until is None
    (change,) = found.changes
    assert (change.old, change.new, change.query) == (("5000",), "5001", "which port has billing?")


def test_a_value_that_several_ask_for_is_one_fact_by_the_narrowest_question(bench):
    wide = {"qid": "all", "query": "which ports are there?", "type": "many", "conversation": "c0"}
    topics = pd.concat([pd.DataFrame([wide]), bench.topics])
    rels = pd.DataFrame({"qid": "all", "docno": ["c0-0", "c0-1"], "relevance": 1})
    spans = {"all": {"spans": {"c0-0": "5000", "c0-1": "5001"}}}
    both = lcm.Collection("x", bench.corpus, topics, pd.concat([bench.qrels, rels]))
    found = facts_of(both, {"conversations": {}, "topics": spans}).facts
    assert len(found) == 16
    assert {fact.type for fact in found} == {"single"}


# Arms


def test_arms_are_values_that_say_what_they_allow():
    assert [arm.name for arm in ARMS] == [
        "closed book", "1 search", "1 + 1", "3 + 3", "3 + 3 by summaries",
    ]  # fmt: skip
    assert eval(repr(ARMS[-1])) == ARMS[-1]
    assert Arm(1).within(Arm(3, 3)) and Arm(1, 1).within(Arm(3, 3))
    assert not Arm(2).within(Arm(3, 3)) and not Arm(1).within(ARMS[-1])


@pytest.mark.parametrize("wrong", [(-1, 0), (0, 1), (1, 0, "messages"), (True, 0)])
def test_an_arm_that_is_none_is_refused(wrong):
    with pytest.raises(BadParameter):
        Arm(*wrong)


@given(
    sizes=st.lists(st.integers(1, 3000), max_size=40),
    searches=st.integers(1, 5),
    expansions=st.integers(0, 5),
)
def test_no_allowance_gives_more_tokens_than_it_may(sizes, searches, expansions):
    dag = Dag.of(lcm.Corpus([f"m{n} " + "word " * (size - 1) for n, size in enumerate(sizes)]))
    hits = [Hit(one.id, dag.size(one.id), "") for one in dag.messages]
    place = {one.id: at for at, one in enumerate(dag.messages)}
    shown = [*pieces(dag, place, Found(hits), Arm(searches, expansions))]
    cost = {hit.node: hit.cost for hit in hits}
    found = sum(cost[one.node] for one in shown if one.how == "search")
    opened = sum(dag.size(one.node) for one in shown if one.how == "expand" and one.whole)
    assert found <= min(TOTAL, sum(map(page, range(searches))))
    assert opened <= expansions * OPENED and found + opened <= TOTAL


def test_an_allowance_begins_with_what_a_lesser_one_shows():
    dag = Dag.of(lcm.Corpus([f"word {n} " * 60 for n in range(60)]))
    hits = [Hit(one.id, dag.size(one.id), one.text) for one in dag.messages]
    place = {one.id: at for at, one in enumerate(dag.messages)}
    few, more = ([*pieces(dag, place, Found(hits), arm)] for arm in (Arm(1, 1), Arm(3, 3)))
    assert more[: len(few)] == few and len(more) > len(few)


def walked(texts, roles="", users=(), arm=ARMS[3], near=None, over=()):
    """What is shown of messages that are found in their order; ``over`` lie under a summary."""
    roles = roles or "a" * len(texts)
    names = {"u": "user", "a": "assistant"}
    rows = [{"text": one, "role": names[role]} for one, role in zip(texts, roles, strict=True)]
    dag = Dag.of(lcm.Corpus(rows))
    hits = [Hit(one.id, dag.size(one.id), text_of(one)) for one in dag.messages]
    place = {one.id: at for at, one in enumerate(dag.messages)}
    listed = hits
    if over:
        leaf = Summary.of("What was said.", [dag.messages[at] for at in over])
        dag = dag.replace(leaf.sources[0], leaf.sources[-1], leaf)
        listed = [Hit(leaf.id, leaf.tokens, leaf.text)]
    found = Found(listed, [hits[at] for at in users], near or {})
    return [*pieces(dag, place, found, arm)]


def test_nothing_is_shown_twice_by_searches():
    shown = [one.node for one in walked(["word " * 90] * 60, arm=Arm(3)) if one.how == "search"]
    assert len(shown) == len(set(shown)) > 40


def test_the_second_search_asks_among_what_the_user_said():
    texts = ["word " * 90] * 60
    second = walked(texts, users=[50, 55], arm=Arm(2))[-2:]
    assert [one.node for one in second] == ["m51", "m56"]
    nothing = walked(texts, arm=Arm(2))
    assert nothing[-1].node == f"m{len(nothing)}"  # then it turns the page


def test_what_lies_under_a_summary_is_opened_nearest_first():
    texts = ["word " * 90] * 40
    shown = walked(texts, arm=Arm(1, 1), over=range(40), near={"m31": 0, "m17": 1})
    opened = [one.node for one in shown if one.how == "expand" and one.whole]
    assert opened[:3] == ["m31", "m17", "m1"] and len(opened) == 11


def test_a_long_text_is_searched_by_its_passages_and_shown_once():
    texts = ["filler " * 400 + "the port is 3952", "port", "word " * 9]
    dag = Dag.of(lcm.Corpus(texts))
    searcher, pages = Talk(dag, []).searcher(lcm.BM25(), dag)
    assert len(pages.of) > 5 and len(searcher.corpus) == len(pages.of)
    run = searcher.run("filler port", k=100)
    found = pages.hits(next(iter(run))[1])
    assert sorted(one.node for one in found) == ["m1", "m2"]
    assert max(found, key=lambda one: one.tokens).text == texts[0]


def test_an_excerpt_shows_rare_words_before_frequent_ones_and_marks_what_it_leaves_out():
    rows = [f"pod-{n} runs the image" for n in range(200)]
    rows[0], rows[150] = "NAME STATE", "mailer-1d7c runs the image"
    shown = excerpt("\n".join(rows), "name of the mailer image?", 100).splitlines()
    assert shown[0] == "NAME STATE" and "mailer-1d7c runs the image" in shown and "..." in shown


@given(
    lines=st.lists(st.text(alphabet="ab. \u4e00\U0001f600x-", max_size=60), max_size=30),
    tokens=st.integers(1, 60),
)
def test_an_excerpt_is_never_longer_than_its_limit(lines, tokens):
    assert count_tokens(excerpt("\n".join(lines), "a b x", tokens)) <= tokens


def test_an_excerpt_shows_the_lines_that_the_question_is_about():
    text = "\n".join([*(f"line {n} of a log" for n in range(500)), "port 3952 is open", "end"])
    shown = excerpt(text, "which port is open?", 30)
    assert "3952" in shown and count_tokens(shown) <= 30
    assert excerpt("", "port?", 30) == ""
    assert count_tokens(excerpt("a " * 5000, "port?", 30)) <= 30


# Replay


def test_what_a_window_drops_is_lost_in_view_and_found_by_a_search(windowed):
    means = windowed.summary().set_index(["budget", "arm"])["mean"]
    assert means["10 %", "closed book"] == 0
    assert 0 < means["50 %", "closed book"] < 1
    assert means["10 %", "1 search"] == means["10 %", "3 + 3"] == 1
    assert means["10 %", "3 + 3 by summaries"] == 0  # its summary has no text to find


def test_budgets_are_met_and_the_point_says_what_it_cost(bench):
    found = replay(bench, Rolling(), budgets=[300, 0.2, 0.02])
    points = found.points
    assert found.budgets == ["2 %", "300", "20 %"]
    assert (points["over"] == (points["tokens"] - points["limit"]).clip(0)).all()
    assert (points["over"] > 0).any()
    assert any("miss their budget" in note for note in found.notes)
    assert (points["freed"] == points["before"] - points["tokens"]).all()
    assert (points["calls"] >= 1).all() and (points["read"] > points["written"]).all()
    assert (points["prefix"] + points["rewritten"] == points["tokens"]).all()


@pytest.mark.parametrize("strategy", [Rolling(fresh=8), RandomLines(fresh=8), Lossless(fresh=8)])
def test_what_extracts_invents_nothing_and_never_loses_to_less(bench, strategy):
    found = replay(bench, strategy, budgets=[0.05, 0.2, 0.5], cycles=3)
    assert (found.points["invented"] == 0).all()
    facts = found.final
    assert (facts["kept"] == facts["how"].isin(KEPT)).all()
    wide = facts.set_index(["budget", "fact", "arm"])["kept"].astype(bool).unstack()  # noqa: PD010
    assert (wide["closed book"] <= wide["1 search"]).all()
    assert (wide["1 + 1"] <= wide["3 + 3"]).all()


def test_what_is_made_up_is_counted(bench):
    def lie(texts, tokens):
        return "See src/made/up/file_1234.py for more."

    found = replay(bench, Rolling(fresh=4), lcm.Named("lie", lie), budgets=[0.5])
    assert (found.points["invented"] == 1).all()


def test_a_point_as_long_as_its_input_is_invalid_and_in_no_mean(bench):
    found = replay(bench, Window(), budgets=[10**6])
    assert not found.points["valid"].any() and found.summary().empty
    assert "2 of 2 points are invalid" in found.notes[-1]


def test_facts_count_from_the_cycle_in_which_they_are_told(bench):
    found = replay(bench, Rolling(), budgets=[0.2], cycles=4, arms=[Arm()])
    told = found.facts.groupby("cycle")["fact"].nunique()
    assert told.is_monotonic_increasing and told.iloc[0] < told.iloc[-1] == 16
    assert found.facts["age"].between(0, 1).all()
    assert found.by("cycle", arm="closed book")["cycle"].tolist() == [1, 2, 3, 4]


def test_recovery_is_measured_after_the_last_cycle(bench):
    facts = replay(bench, Rolling(), budgets=[0.2], cycles=3, arms=[Arm(), Arm(1)]).facts
    assert set(facts.loc[facts["arm"] == "1 search", "cycle"]) == {3}


def test_the_same_replay_gives_the_same_rows(bench):
    one, two = (replay(collection(), Lossless(fresh=8), budgets=[0.2]) for _ in range(2))
    pd.testing.assert_frame_equal(one.facts, two.facts)
    pd.testing.assert_frame_equal(one.points, two.points)


def test_a_summary_over_the_message_is_a_lead_and_its_budget_can_end():
    said = [f"Note {n}: {'filler words about garden paths ' * 60}" for n in range(40)]
    said[20] = f"The port of mail is 5003. {'filler words about garden paths ' * 60}"
    topics = pd.DataFrame({"qid": ["q"], "query": ["gist of notes"], "answer": ["5003"]})
    qrels = pd.DataFrame({"qid": ["q"], "docno": ["m21"], "relevance": [1]})
    bench = lcm.Collection("x", lcm.Corpus(said), topics, qrels)

    def gist(texts, tokens):
        return "The gist of many notes."

    arms = [Arm(1, scope="summaries"), Arm(1, 1, scope="summaries")]
    found = replay(bench, Rolling(fresh=2), lcm.Named("gist", gist), budgets=[0.5], arms=arms)
    assert found.facts["how"].tolist() == ["expand budget ended"] * 2


def test_the_state_of_an_updated_slot_is_told(bench):
    entry = {"kind": "slot", "entity": "auth", "attribute": "port", "repeats": []}
    log = [
        {**entry, "value": "5000", "sources": ["c0-0"], "valid_from": "2025-01-01T00:00:00Z"},
        {**entry, "value": "5007", "sources": ["c0-7"], "valid_from": "2025-01-02T00:00:00Z"},
    ]
    facts = facts_of(bench, {"conversations": {"c0": {"facts": log}}, "topics": {}})
    found = replay(bench, Window(), budgets=[0.2], facts=facts, arms=[Arm(), Arm(1)])
    states = found.staleness().set_index("arm")["state"].to_dict()
    assert states == {"closed book": "only new", "1 search": "both"}


def test_the_area_lies_between_the_ends_of_the_frontier(windowed):
    area = windowed.area().set_index("arm")
    ends = windowed.summary().query("arm == 'closed book'")["mean"]
    assert area.loc["closed book", "mean"] == pytest.approx(ends.mean())
    assert area.loc["closed book", ["first", "last"]].tolist() == pytest.approx(
        [0.1, 0.5], abs=0.01
    )


def test_fates_add_up_to_all_facts(windowed):
    shares = windowed.split().groupby(["budget", "arm"])["share"].sum()
    assert shares.tolist() == pytest.approx([1.0] * len(shares))


def test_lost_facts_are_listed_with_where_they_went(windowed):
    lost = windowed.losses("closed book", "10 %", 5)
    assert len(lost) == 5 and set(lost["how"]) == {"not summarised"}
    assert set(lost["value"]) <= {fact.value for fact in windowed.known.values()}
    assert windowed.losses("3 + 3", "10 %").empty


def test_one_conversation_has_no_interval():
    summary = replay(collection(1), Window(), budgets=[0.1]).summary()
    assert summary["low"].isna().all() and (summary["units"] == 1).all()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"budgets": []}, "no budgets"),
        ({"budgets": [0]}, "budget is a share"),
        ({"budgets": ["5%"]}, "budget is a share"),
        ({"cycles": 0}, "cycles"),
        ({"arms": []}, "arms"),
        ({"arms": ["3 + 3"]}, "arms"),
    ],
)
def test_what_is_no_parameter_is_refused(bench, given, match):
    with pytest.raises(BadParameter, match=match):
        replay(bench, Window(), **given)


def test_what_cannot_be_replayed_is_refused(bench, windowed):
    with pytest.raises(BadParameter, match="strategy"):
        replay(bench, "Window()")
    with pytest.raises(BadParameter, match="Collection"):
        replay("synth-agent-s", Window())
    with pytest.raises(BadInput, match="nothing to lose"):
        replay(bench.conversation("c0"), Window())
    with pytest.raises(NotFound, match="column"):
        windowed.by("colour")


def test_a_conversation_alone_is_replayed_with_facts_of_its_own(bench):
    facts = Facts(tuple(f for f in facts_of(bench).facts if f.conversation == "c1"))
    found = replay(bench.conversation("c1"), Window(), budgets=[0.5], facts=facts)
    assert found.facts["fact"].nunique() == 8


def test_a_searcher_over_grown_messages_and_summaries_finds_what_a_fresh_one_does(bench):
    talk = Talk(bench.conversation("c0"), [])
    leaf = Summary.of("Ports of auth and billing.", talk.dag.messages[:20])
    dag = talk.dag.replace(talk.dag.messages[0].id, talk.dag.messages[19].id, leaf)
    talk.searcher(lcm.BM25(), Dag("c0", dag.messages[:30]))
    grown, _ = talk.searcher(lcm.BM25(), dag)
    fresh = lcm.BM25().fit(grown.corpus)
    query = "port of billing"
    pd.testing.assert_frame_equal(grown(query), fresh(query))
    assert set(grown.corpus["docno"]) == set(dag.corpus()["docno"])


# Claims


@pytest.fixture(scope="module")
def several(bench):
    given = {"budgets": [0.05, 0.1], "cycles": 3}
    leaves = Leaves(100, fresh=4, target=30)
    own = {"budgets": [None], "cycles": 5, "arms": [Arm()]}
    return {
        "random": replay(bench, RandomLines(fresh=4), **given),
        "rolling": replay(bench, Rolling(fresh=4), **given),
        "rolling + index": replay(bench, Rolling(fresh=4), Anchors(), **given),
        "lossless": replay(bench, Lossless(fresh=4, chunk=200), **given),
        "leaves": replay(bench, leaves, **own),
        "condensed": replay(bench, leaves >> Condense(2), **own),
    }


def test_every_claim_has_an_outcome(several):
    found = claims(several)
    assert list(dict.fromkeys(found["claim"])) == list(CLAIMS)
    assert set(found["outcome"]) <= {"holds", "fails", "undecided", "no interval", "not measured"}
    first = found[found["claim"] == "H1"].iloc[0]
    assert first["compared"] == "lossless, 3 + 3 - rolling" and first["outcome"] == "holds"
    assert (found["low"].fillna(0) <= found["high"].fillna(0)).all()


def test_a_claim_without_what_it_compares_is_not_measured(windowed):
    found = claims({"window": windowed})
    assert found["outcome"].tolist() == ["not measured"] * 5


# Real data


@pytest.fixture(scope="module")
def sessions(shared):
    folder = shared / "transcripts"
    names = ("entire_3f*", "entire_d7*", "entire_e5*")
    return lcm.read([path for name in names for path in sorted(folder.glob(name))])


def test_real_summaries_keep_less_of_what_was_used_again_than_others_of_their_size(sessions):
    """n = 3 boundaries: no interval, and what was used again was shaped by the real summary."""
    found = at_boundaries(sessions)
    wide = found.pivot_table(index="way", columns="boundary", values="share")
    assert sorted(found.groupby("boundary")["n"].first()) == [14, 21, 38]
    assert sorted(wide.loc["real summary"]) == pytest.approx([3 / 14, 13 / 38, 8 / 21])
    assert wide.loc[repr(Anchors(Lead()))].min() >= 0.75
    assert (found["tokens"] <= found["limit"])[~found["way"].str.startswith("real")].all()


def test_replay_of_real_sessions_asks_without_the_name_and_prints_the_table(sessions):
    found = replay(sessions, Rolling(fresh=0), Anchors())
    assert found.budgets == ["as recorded"] and len(found.facts) == 73 * len(ARMS)
    assert not any(fact.value in fact.query for fact in found.known.values())
    closed = found.by("conversation", arm="closed book")
    assert closed["mean"].min() >= 0.75
    assert "real summary" in repr(found) and "too few" in repr(found)
    assert (found.points["invented"] == 0).all()


def test_strategies_are_values_that_a_replay_keeps(windowed):
    assert isinstance(windowed.strategy, Compactor)
    assert windowed.manifest()["strategy"] == "Window()"
    assert windowed.manifest()["summariser"] == "Lead()"
