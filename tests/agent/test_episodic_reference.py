"""What episodic-memory 1.4.0 was recorded to answer, against ``compat="reference"``."""

import hashlib
import json
import lzma
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.agent.episodic.asked import asked
from lcm_lab.agent.episodic.exchanges import Exchange
from lcm_lab.agent.episodic.parse import parsed
from lcm_lab.agent.episodic.recorded import RecordedAnswer
from lcm_lab.agent.episodic.reference import Archive, Reached
from lcm_lab.agent.episodic.tools import EpisodicTools
from lcm_lab.errors import BadInput, BadParameter, LcmError, NotFound
from lcm_lab.store.store import Store

NOW = "2026-11-30T12:00:00.000Z"
CLAUDE = ("cass", "claude-code-log", "dkimuson", "entire", "es6kr", "made", "obra")
NOTHING = dict.fromkeys(("after", "before", "project", "session_id", "git_branch"))
#: Calls on which we differ, and why: what a host sends as null counts as not given.
NULLS = [{"query": "ab", "mode": None}, {"query": "ab", "limit": None}]


@lcm.value
class Bins:
    """The fake embedding of the recording: counts of tokens in 384 bins."""

    def fit(self, texts):
        return None

    def encode(self, state, texts, kind="document"):
        bins = np.zeros((len(texts), 384))
        for row, text in zip(bins, texts, strict=True):
            for token in re.findall("[A-Za-z0-9_]+", text) or [None]:
                row[zlib.crc32(token.lower().encode()) % 384 if token else 0] += 1
        return bins


@pytest.fixture(scope="module")
def recorded(shared):
    folder = shared.parent / "conformance" / "episodic"
    if not folder.is_dir():
        pytest.skip("no ../shared/conformance/episodic: the recorded outputs are not compared")
    return folder


def loaded(folder, name):
    return json.loads(lzma.decompress((folder / f"{name}.json.xz").read_bytes()))


@pytest.fixture(scope="module")
def archive(shared, recorded, tmp_path_factory):
    """The folder that the program was run over: every transcript in the folder of its project."""
    root = tmp_path_factory.mktemp("archive")
    texts = {
        path.name[:-3]: lzma.decompress(path.read_bytes())
        for path in (shared / "transcripts").glob("*.jsonl.xz")
    }
    texts |= {path.name: path.read_bytes() for path in recorded.glob("made_*.jsonl")}
    for name, content in texts.items():
        folder = root / name.split("_")[0]
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return root


@pytest.fixture(scope="module")
def indexed(archive, tmp_path_factory):
    """The folder without what was not searched."""
    root = tmp_path_factory.mktemp("indexed")
    for project in CLAUDE:
        (root / project).mkdir()
        for path in (archive / project).iterdir():
            if path.name != "made_readable.jsonl":
                (root / project / path.name).write_bytes(path.read_bytes())
    return root


@pytest.fixture(scope="module")
def tools(indexed):
    """Tools over the folder as it was when recorded, the current one: paths are relative."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(indexed)
        store = Store(":memory:")
        yield EpisodicTools(store, Bins(), ["."], clock=NOW, compat="reference")


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def told(one):
    facts = one.to_dict()
    names = ("project", "parentUuid", "sessionId", "cwd", "gitBranch", "model", "claudeVersion")
    return {
        "id": one.id,
        "lines": (one.start, one.end),
        "time": one.stamp,
        "side": one.sidechain,
        "user": sha(one.user),
        "assistant": sha(one.assistant),
        "tools": list(one.tools),
    } | {name: facts.get(name) for name in names}


def wanted(one):
    names = ("project", "parentUuid", "sessionId", "cwd", "gitBranch", "model", "claudeVersion")
    return {
        "id": one["id"],
        "lines": (one["lineStart"], one["lineEnd"]),
        "time": one["timestamp"],
        "side": bool(one["isSidechain"]),
        "user": one["user"]["sha256"],
        "assistant": one["assistant"]["sha256"],
        "tools": [call["name"] for call in one["toolCalls"]],
    } | {name: one.get(name) or None for name in names}


def test_exchanges_are_those_that_the_program_cut(recorded, archive):
    found = loaded(recorded, "exchanges")
    assert sum(map(len, found.values())) == 74
    for name, exchanges in found.items():
        project = name.split("_")[0]
        text = (archive / project / name).read_text(encoding="utf-8")
        ours = [told(one) for one in parsed(text, f"{project}/{name}", project, NOW)]
        assert ours == [wanted(one) for one in exchanges], name


def test_pages_are_those_that_the_program_wrote(recorded, archive):
    tools = EpisodicTools(Store(":memory:"), roots=[archive], compat="reference")
    written = faults = 0
    for call in loaded(recorded, "read"):
        args = {n: held for n, held in call["args"].items() if held is not None}
        if call["file"] is None or call["args"] != args:
            continue  # null counts as not given; see test_a_null_counts_as_not_given
        path = f"{call['file'].split('_')[0]}/{call['file']}" if call["file"] else ""
        if "out" in call:
            assert tools.read(path, **args).to_text() == call["out"], call["file"]
            written += 1
            continue
        kinds = {"malformed line": BadInput, "no such file": NotFound, "argument": BadParameter}
        with pytest.raises(kinds[call["error"]]):
            tools.read(path, **args)
        faults += 1
    assert (written, faults) == (144, 22)


def ours(answer):
    if answer.asked.several:  # any exchange that ties on the first concept may stand for its own
        return [(one.similarity, one.exchange.path) for one in answer.found]
    timed = answer.asked.mode == "text"
    return [
        (one.exchange.stamp if timed else one.similarity, one.exchange.id) for one in answer.found
    ]


def theirs(call):
    if not isinstance(call["args"]["query"], str):
        return [(one["averageSimilarity"], one["archive"]) for one in call["results"]]
    timed = call["args"].get("mode") == "text"
    return [(one["timestamp" if timed else "similarity"], one["id"]) for one in call["results"]]


def near(a, b):
    return a == b if isinstance(a, str) else abs(a - b) <= 1e-5


def same(found, expected):
    """Tell whether hits agree, equal scores and times in any order."""
    at = 0
    while at < len(expected):
        stop = at
        while stop < len(expected) and near(expected[stop][0], expected[at][0]):
            stop += 1
        pairs = (found[at:stop], expected[at:stop])
        if {n for _, n in pairs[0]} != {n for _, n in pairs[1]}:
            return False
        if not all(near(score, expected[at][0]) for score, _ in pairs[0]):
            return False
        at = stop
    return True


def test_searches_without_a_tie_at_the_cut_give_the_recorded_hits(recorded, tools):
    calls = [c for c in loaded(recorded, "search")["searches"] if not c["tie_at_cut"]]
    differ = []
    for call in calls:
        found, expected = ours(tools.search(**call["args"])), theirs(call)
        agree = len(found) == len(expected) and same(found, expected)
        differ += [] if agree else [call["args"]]
    assert len(calls) == 75
    assert differ == []


def test_searches_with_a_tie_at_the_cut_agree_above_the_tie(recorded, tools):
    calls = [c for c in loaded(recorded, "search")["searches"] if c["tie_at_cut"]]
    single = [c for c in calls if isinstance(c["args"]["query"], str)]
    assert (len(calls), len(single)) == (19, 12)
    for call in single:
        found, expected = ours(tools.search(**call["args"])), theirs(call)
        vectors = [s for s, _ in expected if s is not None and s < 1]
        least = min(vectors, default=0)
        above = [hit for hit in expected if hit[0] > least + 1e-5 and hit[0] < 1]
        assert same(found[: len(above)], above), call["args"]
        assert {n for s, n in found if s == 1} <= {n for _, n in expected}


def test_searches_for_several_concepts_agree_but_for_what_ties_at_nothing(recorded, tools):
    """Of each concept the nearest are cut within the many exchanges that have none of its words.

    So conversations that hold every concept are the same, in the same order, and what is said of
    each conversation that both name; which of the others fill up an answer is chance there.
    """
    calls = [c for c in loaded(recorded, "search")["searches"] if c["tie_at_cut"]]
    several = [c for c in calls if not isinstance(c["args"]["query"], str)]
    held = both = 0
    for call in several:
        found = tools.search(**call["args"])
        mine = {one.exchange.path: one.concepts for one in found.found}
        its = {one["archive"]: one["conceptSimilarities"] for one in call["results"]}
        firm = [
            [one for one, each in zip(hits, told.values(), strict=True) if min(each) > 1e-5]
            for hits, told in ((ours(found), mine), (theirs(call), its))
        ]
        assert same(*firm), call["args"]
        assert len(firm[0]) == len(firm[1]) >= 1, call["args"]
        held += len(firm[0])
        for path in mine.keys() & its.keys():
            assert mine[path] == pytest.approx(its[path], abs=1e-5), (call["args"], path)
            both += 1
    assert (len(several), held, both) == (7, 15, 34)


def test_markdown_is_that_of_the_program(recorded, tools):
    found = loaded(recorded, "search")["markdown"]
    assert len(found) == 7
    for call in found:
        assert tools.search(**call["args"]).to_text() == call["markdown"], call["args"]


def test_what_is_refused_is_what_the_program_refuses(recorded, tools):
    calls = loaded(recorded, "search")["validation"]
    differ = []
    for call in calls:
        try:
            tools.search(**call["args"])
            refused = ""
        except LcmError as error:
            refused = str(error)
        if bool(refused) != call["error"]:
            differ.append(call["args"])
        elif refused:
            assert any(name in refused for name in call["parameters"]), call["args"]
    assert len(calls) == 42
    assert differ == NULLS


@lcm.value
class Pointing:
    """An encoder for which a text names its own direction, in degrees: ``@30``."""

    def fit(self, texts):
        return None

    def encode(self, state, texts, kind="document"):
        angles = np.deg2rad([float(re.search(r"@(-?[0-9.]+)", text)[1]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def placed(*rows):
    """Exchanges in a row: path, direction in degrees, and what else is said of them."""
    made = [
        Exchange(f"e{at}", path, f"@{angle}", "a", path=path, stamp=f"2025-01-{at + 1:02}", **more)
        for at, (path, angle, more) in enumerate(rows)
    ]
    return Archive(made, Pointing())


def reached(found):
    return [one.exchange.id for one in found]


@pytest.mark.parametrize(
    ("angle", "similarity"), [(0, 1), (28.9550, 0.875), (60, 0.5), (90, 0), (180, -1)]
)
def test_similarity_is_one_less_half_the_squared_distance(angle, similarity):
    (one,) = placed(("c", angle, {})).find("@0", "vector", 5, {})
    assert one.similarity == pytest.approx(similarity, abs=1e-5)


def test_both_puts_unseen_text_hits_behind_at_similarity_one():
    archive = placed(("c", 0, {}), ("c", 5, {}), ("c", 170, {}))
    archive.said[2] = archive.said[2].replace("@170", "@0")
    found = archive.find("@0", "both", 2, {})
    assert reached(found) == ["e0", "e1", "e2"]
    assert found[2].similarity == 1


def test_filters_after_the_cut_leave_fewer_than_there_are():
    rows = [("c", angle, {"project": "other"}) for angle in range(6)]
    archive = placed(*rows, ("c", 90, {"project": "wanted"}))
    assert archive.find("@0", "vector", 2, {"project": "wanted"}) == []
    dated = placed(*rows, ("c", 90, {}))
    assert dated.find("@0", "vector", 6, {"after": "2025-01-07"}) == []


def test_days_are_compared_as_texts_so_that_before_leaves_its_day_out():
    archive = placed(("c", 0, {}))
    archive.exchanges[0] = replace(archive.exchanges[0], stamp="2025-10-01T01:00:00+09:00")
    assert reached(archive.find("@0", "text", 5, {"after": "2025-10-01"})) == ["e0"]
    assert archive.find("@0", "text", 5, {"before": "2025-10-01"}) == []


@pytest.mark.parametrize("mode", ["vector", "text", "both"])
def test_what_was_said_to_a_subagent_is_never_found(mode):
    assert placed(("c", 0, {"sidechain": True})).find("@0", mode, 5, {}) == []


def test_every_concept_must_be_among_the_nearest_and_the_first_ones_best_is_shown():
    archive = placed(("c1", 10, {}), ("c1", 20, {}), ("c2", 15, {}), ("c3", 80, {}), ("c1", 95, {}))
    (one,) = archive.find_all(["@0", "@90"], 1, {})
    assert (one.exchange.path, one.exchange.id) == ("c1", "e0")
    assert one.concepts == pytest.approx((np.cos(np.deg2rad(10)), np.cos(np.deg2rad(5))))
    assert one.similarity == pytest.approx(np.mean(one.concepts))


@pytest.mark.parametrize(
    ("user", "snippet"),
    [("x" * 250, "x" * 200 + "..."), ("x" * 200, "x" * 200), (" a\n\n  b", "a b")],
)
def test_a_snippet_is_the_head_of_what_the_user_said(user, snippet):
    found = Reached(Exchange("e", "c", user, "the match is here"))
    answer = RecordedAnswer((found,), asked("ab", "text", 1, "json", NOTHING, reference=True), None)
    assert answer.to_dict()["results"][0]["snippet"] == snippet


def test_a_null_counts_as_not_given(tools):
    assert tools.search("zyxmarker", mode=None, limit=None).asked.mode == "both"
    with pytest.raises(BadParameter, match="needs query"):
        tools.search(None)


def test_the_id_of_a_grown_exchange_changes_there_and_not_here():
    lines = [
        {"type": "user", "message": {"role": "user", "content": "q"}, "uuid": "u"},
        {"type": "assistant", "message": {"role": "assistant", "content": "a"}, "uuid": "v"},
        {"type": "assistant", "message": {"role": "assistant", "content": "b"}, "uuid": "w"},
    ]
    texts = ["\n\n" + "\n".join(map(json.dumps, lines[:n])) for n in (2, 3)]
    before, after = ([one.id for one in parsed(text, "g", "p")] for text in texts)
    assert before == ["32d86406cc3c2637c4f863c52f4a4d5c"]
    assert after == ["798d5b9cb59005ec17010b261d18310b"]
