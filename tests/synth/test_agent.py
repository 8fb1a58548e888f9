"""The profile agent: shaped as transcripts of a coding agent, its facts true where it says so."""

import hashlib
import lzma
import os
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime

import numpy as np
import pytest

from lcm_lab import BM25, evaluate
from lcm_lab.collection import Collection
from lcm_lab.errors import BadParameter
from lcm_lab.measures import nDCG
from lcm_lab.synth import coding
from lcm_lab.synth.checks import CHECKS, random_floor
from lcm_lab.synth.coding.profile import Plan
from lcm_lab.synth.coding.shell import BASH_LIMIT, cut
from lcm_lab.synth.coding.values import near, number
from lcm_lab.synth.draw import Draw
from lcm_lab.synth.folder import read_world
from lcm_lab.synth.generate import build, write
from lcm_lab.synth.language import table
from lcm_lab.synth.profile import Setting
from lcm_lab.synth.view import View

SORTS = {
    "path", "code location", "error", "config value", "identifier", "number", "decision",
    "preference",
}  # fmt: skip
TYPES = {
    "single", "assistant-said", "multi-session", "temporal", "update", "identifier", "paraphrase",
    "near-duplicate", "tool-output", "rationale", "contradiction", "preference", "quote",
    "ordering", "adjacency", "abstention",
}  # fmt: skip


@pytest.fixture(scope="session")
def agent_folder(root):
    return root / "datasets" / "synth-agent-s"


@pytest.fixture(scope="session")
def agent(agent_folder):
    return Collection.open(agent_folder)


@pytest.fixture(scope="session")
def agent_world(agent_folder):
    return read_world(agent_folder)


@pytest.fixture(scope="session")
def frame(agent):
    found = agent.corpus.frame()
    return found.assign(size=found["text"].str.len())


@pytest.fixture(scope="session")
def project():
    """The first project of the shipped collection, made anew."""
    setting = Setting("agent")
    name, plan = coding.conversations(setting)[0]
    return coding.part(name, plan, setting)


def numbers(kind, frame):
    """The size of every entry of a kind, by quartiles and the ninetieth percentile."""
    return np.quantile(frame.loc[frame["kind"] == kind, "size"], [0.25, 0.5, 0.75, 0.9])


def content(path):
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def test_the_first_project_is_generated_as_shipped(project, frame, agent):
    shipped = frame[frame["conversation"] == "p01"]
    assert [m.docno for m in project.messages] == shipped["docno"].tolist()
    assert [m.text for m in project.messages] == shipped["text"].tolist()
    asked = agent.topics[agent.topics["conversation"] == "p01"]
    assert [t.query for t in project.exam.topics] == asked["query"].tolist()


@pytest.mark.slow
def test_the_shipped_agent_collection_is_generated_byte_for_byte(agent_folder, tmp_path):
    made = write(tmp_path / "again", build("agent", size="S", seed=0))
    names = {path.name for path in made.iterdir()}
    assert names == {path.name for path in agent_folder.iterdir()}
    for name in sorted(names):
        assert content(made / name) == content(agent_folder / name), name


@pytest.mark.slow
def test_a_project_does_not_depend_on_the_hash_seed(project):
    code = (
        "from lcm_lab.synth import coding\nfrom lcm_lab.synth.profile import Setting\n"
        "import hashlib\ns = Setting('agent')\nname, plan = coding.conversations(s)[0]\n"
        "part = coding.part(name, plan, s)\n"
        "print(hashlib.sha256(repr([m.text for m in part.messages]).encode()).hexdigest())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "4711"}
    out = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    texts = repr([m.text for m in project.messages]).encode()
    assert out.stdout.strip() == hashlib.sha256(texts).hexdigest()


def test_the_shipped_agent_files_are_small(agent_folder):
    assert sum(path.stat().st_size for path in agent_folder.iterdir()) < 4_000_000


def test_there_are_six_projects_of_four_sessions_in_three_languages(frame, agent_world):
    assert frame.groupby("conversation")["session"].nunique().tolist() == [4] * 6
    languages = [talk["language"] for talk in agent_world["conversations"].values()]
    assert Counter(languages) == {"python": 2, "typescript": 2, "go": 2}
    assert 370 <= frame.groupby("session").size().median() <= 790


def test_kinds_come_in_the_shares_of_real_transcripts(frame):
    shares = frame.groupby(["kind", "role"]).size() / len(frame)
    for kind, role, share in [
        ("tool_call", "assistant", 0.30),
        ("tool_result", "tool", 0.30),
        ("reasoning", "assistant", 0.18),
        ("text", "assistant", 0.17),
        ("text", "user", 0.04),
    ]:
        assert abs(shares[kind, role] - share) < 0.03, (kind, role)


def test_lengths_are_within_a_factor_of_two_of_real_ones(frame):
    assert frame["size"].max() <= 100_000
    _, middle, upper, top = numbers("tool_result", frame)
    for found, real in [(middle, 427), (upper, 1900), (top, 5000)]:
        assert real / 2 <= found <= real * 2
    assert 72 <= numbers("reasoning", frame)[1] <= 288
    user = frame[(frame["kind"] == "text") & (frame["role"] == "user")]
    assert 43 <= user["size"].median() <= 172
    assert 1650 <= user["size"].quantile(0.9) <= 6600


def test_every_call_has_one_result_and_names_its_tool(frame):
    kinds = dict(zip(frame["docno"], frame["kind"], strict=True))
    results = frame[frame["kind"] == "tool_result"]
    assert {kinds[parent] for parent in results["parent"]} == {"tool_call"}
    assert Counter(results["parent"]).most_common(1)[0][1] == 1
    calls = frame[frame["kind"] == "tool_call"]
    assert len(calls) == len(results)
    tools = set(calls["text"].str.split("\n").str[0])
    assert tools == {"Read", "Edit", "Write", "Bash", "Grep", "Glob", "Task", "TaskOutput"}


def test_parents_stand_before_their_children_in_the_same_session(frame):
    place = {docno: n for n, docno in enumerate(frame["docno"])}
    session = dict(zip(frame["docno"], frame["session"], strict=True))
    held = frame[frame["parent"] != ""]
    for row in held.itertuples():
        assert place[row.parent] < place[row.docno]
        assert session[row.parent] == row.session
    several = (held["parent"].value_counts() > 1).mean()
    assert 0.03 <= several <= 0.08


def test_a_session_has_one_root_but_for_subagents_and_compactions(frame):
    roots = frame[frame["parent"] == ""]
    main = roots[(roots["sidechain"] == "no") & (roots["kind"] != "summary")]
    assert main.groupby("session").size().eq(1).all()
    assert (roots["sidechain"] == "yes").any()
    assert (roots["kind"] == "summary").any()
    assert set(frame.loc[frame["kind"] == "summary", "scope"]) == {"summaries"}


def test_a_few_outputs_are_printed_again(frame):
    long = frame[(frame["kind"] == "tool_result") & (frame["size"] >= 200)]
    again = long.groupby("conversation")["text"].apply(lambda texts: texts.duplicated().mean())
    assert 0.005 <= again.mean() <= 0.05


def test_times_never_fall_within_a_project(frame):
    assert frame.groupby("conversation")["time"].apply(lambda t: t.is_monotonic_increasing).all()


def test_an_output_longer_than_the_tool_prints_is_cut_and_says_so(frame):
    long = "\n".join(f"line {n}" for n in range(9000))
    short = cut(long)
    assert len(short) < BASH_LIMIT + 100
    assert re.search(r"\[\d+ lines truncated\]", short)
    assert cut("short") == "short"
    assert frame["text"].str.contains(r"\[\d+ lines truncated\]").any()


def test_there_are_sixteen_types_and_every_project_asks_of_each(agent):
    counts = agent.topics.groupby(["type", "conversation"]).size().unstack(fill_value=0)
    assert set(counts.index) == TYPES
    assert counts.to_numpy().min() >= 1
    assert counts.to_numpy().sum() > 400


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_passes_on_the_shipped_agent_collection(name, agent, agent_world):
    assert CHECKS[name](View(agent, agent_world)) == []


def test_facts_have_all_kinds_that_compaction_counts(agent_world):
    for talk in agent_world["conversations"].values():
        assert {fact["sort"] for fact in talk["facts"]} == SORTS


def test_a_fact_stands_in_every_message_that_it_names_and_in_no_other(frame, agent_world):
    texts = frame[frame["conversation"] == "p02"].set_index("docno")["text"]
    for fact in agent_world["conversations"]["p02"]["facts"]:
        held = re.compile(rf"(?<!\w){re.escape(fact['value'])}(?!\w)")
        some = [(docno, text) for docno, text in texts.items() if fact["value"] in text]
        found = [docno for docno, text in some if held.search(text)]
        assert found == fact["sources"], fact


def test_a_setting_holds_until_it_is_changed(agent_world):
    changed = 0
    for talk in agent_world["conversations"].values():
        slots = [fact for fact in talk["facts"] if fact["kind"] == "slot"]
        for fact in slots:
            same = [f for f in slots if (f["entity"], f["attribute"]) == _slot(fact)]
            later = [f["valid_from"] for f in same if f["valid_from"] > fact["valid_from"]]
            assert fact["valid_to"] == min(later, default=None)
            changed += bool(later)
    assert changed > 20


def _slot(fact):
    return fact["entity"], fact["attribute"]


def test_tickets_have_neighbours_one_or_two_digits_away(agent_world):
    for talk in agent_world["conversations"].values():
        tickets = [fact["value"] for fact in talk["facts"] if fact["kind"] == "ticket"]
        for ticket in tickets[: len(tickets) // 2 * 2]:
            apart = [sum(a != b for a, b in zip(ticket, t, strict=True)) for t in tickets]
            assert min(n for n in apart if n) <= 2


def test_a_tool_output_states_its_value_in_one_line_of_many(agent, frame):
    texts = frame.set_index("docno")["text"]
    kinds = frame.set_index("docno")["kind"]
    asked = agent.topics[agent.topics["type"] == "tool-output"]
    judged = agent.qrels[agent.qrels["qid"].isin(asked["qid"])]
    answers = asked.set_index("qid")["answer"]
    for row in judged[judged["relevance"] == 3].itertuples():
        assert kinds[row.docno] == "tool_result"
        lines = texts[row.docno].split("\n")
        assert sum(answers[row.qid] in line for line in lines) == 1
        assert len(lines) > 10


def test_events_are_listed_in_the_order_in_which_they_happened(agent, agent_world):
    facts = {f["id"]: f for t in agent_world["conversations"].values() for f in t["facts"]}
    asked = agent.topics[agent.topics["type"] == "ordering"]
    for row in asked.itertuples():
        group = [facts[ref] for ref in agent_world["topics"][row.qid]["facts"]]
        moments = [datetime.fromisoformat(fact["valid_from"]) for fact in group]
        assert moments == sorted(moments)
        assert row.answer.split(", then ") == [fact["value"] for fact in group]
        assert 3 <= len(group) <= 5


def test_what_came_next_is_the_next_that_the_user_said(agent, frame):
    users = frame[(frame["kind"] == "text") & (frame["role"] == "user")]
    assert len(users) > 500
    asked = agent.topics[agent.topics["type"] == "adjacency"]
    judged = agent.qrels.set_index("qid").loc[asked["qid"]]
    place = {docno: n for n, docno in enumerate(frame["docno"])}
    for docno in judged["docno"]:
        before = frame.iloc[place[docno] - 1]
        assert before["session"] == frame.iloc[place[docno]]["session"]
        assert docno in set(users["docno"])


def test_a_decision_outranks_the_talk_before_it(agent):
    asked = agent.topics[agent.topics["type"] == "rationale"]["qid"]
    judged = agent.qrels[agent.qrels["qid"].isin(asked)]
    grades = judged.groupby("qid")["relevance"].apply(sorted)
    assert grades.tolist() == [[2, 3]] * len(asked)


def test_an_old_value_is_stale_and_never_gold(agent):
    asked = agent.topics[agent.topics["type"] == "update"]["qid"]
    judged = agent.qrels[agent.qrels["qid"].isin(asked)]
    assert judged[judged["stale"]].groupby("qid").size().size == len(asked)
    assert set(judged.loc[judged["stale"], "relevance"]) == {1}


def test_bm25_is_neither_saturated_nor_lost_and_chance_finds_little(agent):
    result = evaluate({"bm25": BM25() % 10}, on=agent, measures=[nDCG @ 10])
    assert 0.40 <= result.summary()["mean"].iloc[0] <= 0.80
    assert random_floor(agent) < 0.05


def strings(node, at=()):
    """Every text of a table with its place; lists of texts are one place."""
    if isinstance(node, dict):
        for key, item in node.items():
            yield from strings(item, (*at, key))
    elif isinstance(node, list) and isinstance(node[0], dict):
        for number, item in enumerate(node):
            yield from strings(item, (*at, number))
    elif isinstance(node, list):
        yield from ((at, item) for item in node)
    else:
        yield at, node


def test_the_template_sets_have_the_same_keys_and_no_common_sentence():
    first, second = (list(strings(table("coding", name))) for name in "ab")
    assert {at for at, _ in first} == {at for at, _ in second}
    assert {text for _, text in first} & {text for _, text in second} == set()


def test_no_field_of_a_template_is_left_unfilled(project):
    fields = (
        "n m a func file verb feature vendor person when v comp param why place gist count topic "
        "reject choose reason thing ticket what day"
    )
    left = re.compile("|".join(f"{{{field}}}" for field in fields.split()))
    said = [m for m in project.messages if m.kind in ("text", "reasoning", "summary")]
    assert [m.docno for m in said if left.search(m.text) or "«" in m.text] == []
    assert [t.qid for t in project.exam.topics if left.search(t.query)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("templates", "tier"), [("B", 6), ("A", 23)])
def test_checks_pass_on_other_templates_and_tiers(templates, tier):
    made = build("agent", seed=3, templates=templates, tier=tier)
    view = View(made.collection, made.world)
    failed = {name: run(view) for name, run in CHECKS.items()}
    assert {name: found for name, found in failed.items() if found} == {}


@pytest.mark.slow
def test_a_project_of_twenty_sessions_holds_all_its_facts():
    part = coding.part("p1", Plan("heron", 3, "go", 20), Setting("agent", "L", seed=1))
    assert len({message.session for message in part.messages}) == 20
    told = {fact.ref for message in part.messages for fact in message.states}
    assert {fact.ref for fact in part.world.facts} == told
    assert len(part.world.facts) > 400


def test_noise_is_refused_since_nobody_mistypes_here():
    with pytest.raises(BadParameter, match=r"The profile agent has no noise. Got 0.1; leave it"):
        build("agent", noise=0.1)


def test_numbers_never_print_the_value_of_a_fact():
    held = {str(n) for n in range(100, 200) if n % 7}
    draw = Draw(0, "numbers")
    found = {number(draw, 100, 199, held) for _ in range(300)}
    assert found == {str(n) for n in range(100, 200) if n % 7 == 0}


def test_a_near_value_differs_in_one_or_two_digits():
    draw = Draw(1, "near")
    for _ in range(200):
        found = near("KES-4127", draw)
        assert 1 <= sum(a != b for a, b in zip(found, "KES-4127", strict=True)) <= 2
        assert found.startswith("KES-4")
