"""Every real transcript either reads or says why not, and what it reads is what its JSON holds."""

import json
import lzma
from collections import Counter

import pytest

from lcm_lab.transcripts.load import load
from lcm_lab.transcripts.read import read

CLAUDE, PI, CODEX = "Claude Code JSONL", "pi or OpenClaw session", "Codex rollout"
HOOKS, TURN = "not a message: stop_hook_summary in system", "not a message: turn_duration in system"
SNAPSHOT, PROGRESS = "not a message: file-history-snapshot", "not a message: progress"
BOUNDARY, SUMMARY = "not a message: compact_boundary in system", "not a message: summary"
HEADER, EMPTY, REPEATED = "not a message: session", "no content", "repeated message"
SEALED = "reasoning that only its provider can read"
EVENTS = {
    "not a message: session_meta": 1,
    "not a message: turn_context": 1,
    "not a message: task_started in event_msg": 1,
    "not a message: task_complete in event_msg": 1,
    REPEATED: 2,
}

#: By how a file's name begins: its format, messages, how many of them are abandoned, and the
#: reasons of the lines that gave none.
FILES = {
    "arcreflex_basic": (PI, 4, 0, {HEADER: 1}),
    "arcreflex_branching": (PI, 6, 2, {HEADER: 1}),
    "arcreflex_with-compaction": (PI, 5, 0, {HEADER: 1, "not a message: model_change": 1}),
    "arcreflex_with-thinking": (PI, 2, 0, {HEADER: 1}),
    "arcreflex_with-tools": (PI, 4, 0, {HEADER: 1}),
    "cass_all_message_types": (CLAUDE, 5, 0, {SUMMARY: 1}),
    "cass_empty_session": ("one object with a list of messages", 0, 0, {}),
    "cass_invalid_json": (CLAUDE, 3, 0, {"not JSON": 2}),
    "cass_truncated": (CLAUDE, 2, 0, {"cut short": 1}),
    "cass_unicode_heavy": (CLAUDE, 8, 0, {SUMMARY: 1}),
    "claude-code-log_edge_cases": (
        CLAUDE,
        12,
        0,
        {
            EMPTY: 1,
            "not a message: no type": 1,
            "not a message: nothing in user": 1,
            SUMMARY: 1,
            "not an object": 3,
        },
    ),
    "dkimuson_1af7fc5e": (CLAUDE, 21, 0, {}),
    "entire_0cf3db51_00": (CLAUDE, 12, 0, {HOOKS: 2, TURN: 1, SNAPSHOT: 2, PROGRESS: 4}),
    "entire_0cf3db51_04": (CLAUDE, 95, 0, {PROGRESS: 23, BOUNDARY: 1, SNAPSHOT: 3}),
    "entire_3f": (CLAUDE, 106, 0, {HOOKS: 9, TURN: 6, SNAPSHOT: 12, BOUNDARY: 1}),
    "entire_ab": ("Gemini session", 13, 0, {}),
    "entire_ca": (CLAUDE, 45, 0, {HOOKS: 1, TURN: 1, SNAPSHOT: 3, BOUNDARY: 1}),
    "entire_d7": (CLAUDE, 69, 0, {HOOKS: 3, TURN: 3, SNAPSHOT: 6, BOUNDARY: 1}),
    "entire_e5": (CLAUDE, 65, 0, {HOOKS: 2, TURN: 2, SNAPSHOT: 3, PROGRESS: 29, BOUNDARY: 1}),
    "es6kr_session-dup-uuid": (CLAUDE, 6, 0, {SUMMARY: 1}),
    "feipi_multiline_json": (CLAUDE, 3, 0, {}),
    "feipi_rollout-2026-06-19T12-29": (
        CODEX,
        16,
        0,
        {**EVENTS, SEALED: 3, "not a message: token_count in event_msg": 5},
    ),
    "feipi_rollout-2026-06-19T12-32": (
        CODEX,
        6,
        0,
        {**EVENTS, SEALED: 1, "not a message: token_count in event_msg": 2},
    ),
    "mini_github_issue": ("mini-SWE-agent trajectory", 22, 0, {}),
    "obra_large": (CLAUDE, 350, 0, {SUMMARY: 2}),
    "obra_medium": (CLAUDE, 0, 0, {SNAPSHOT: 22, SUMMARY: 1}),
    "obra_short": (CLAUDE, 2, 0, {SUMMARY: 1}),
    "obra_tiny": (CLAUDE, 6, 0, {}),
    "openhands_basic": ("OpenHands trajectory", 4, 0, {}),
    "pi-mono_large": (
        PI,
        900,
        0,
        {
            HEADER: 1,
            EMPTY: 14,
            "not a message: model_change": 1,
            "not a message: thinking_level_change": 103,
        },
    ),
    "sweagent_katy": ("SWE-agent trajectory", 37, 0, {}),
    "whamp_branches": (PI, 4, 1, {HEADER: 1, "not a message: leaf": 1}),
    "whamp_distractors": (PI, 48, 0, {HEADER: 1}),
    "whamp_duplicate-a": (PI, 1, 0, {HEADER: 1}),
    "whamp_summaries": (PI, 4, 0, {HEADER: 1}),
}


def only(folder, start):
    (path,) = (path for path in folder.iterdir() if path.name.startswith(start))
    return path


def values(path):
    """The JSON values of a file, by a reading of its own; broken lines are passed over."""
    text, at, decoder = lzma.decompress(path.read_bytes()).decode(), 0, json.JSONDecoder()
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        try:
            value, at = decoder.raw_decode(text, at)
            yield value
        except ValueError:
            at = text.find("\n", at) + 1 or len(text)


def held_by_claude(records):
    """Turns: records with a message that holds something, those of one message id as one."""
    roles = ("user", "assistant", "system", "tool")
    turns = Counter()
    for number, record in enumerate(records):
        message = record.get("message") if isinstance(record, dict) else None
        held = isinstance(message, dict) and (message.get("content") or message.get("tool_name"))
        if held and record.get("type") in roles:
            turns[record.get("sessionId"), message.get("id") or number] += 1
    return len(turns)


def held_by_pi(records):
    said = [r["message"] for r in records if r["type"] == "message"]
    others = Counter(record["type"] for record in records)
    extra = sum(others[kind] for kind in ("custom_message", "compaction", "branch_summary"))
    return sum(bool(message["content"]) for message in said) + extra


def held_by_codex(records):
    items = [record["payload"] for record in records if record["type"] == "response_item"]
    return sum(item["type"] != "reasoning" or bool(item["summary"]) for item in items)


HELD = {CLAUDE: held_by_claude, PI: held_by_pi, CODEX: held_by_codex}


@pytest.mark.parametrize("start", FILES)
def test_a_file_gives_its_messages_and_accounts_for_every_line(shared, start):
    path = only(shared / "transcripts", start)
    kind, count, abandoned, reasons = FILES[start]
    found = read(path)
    assert list(found.files.values()) == [kind]
    assert Counter(one.reason for one in found.skipped) == reasons
    assert (len(found), sum(not m.active for m in found)) == (count, abandoned)
    assert len({message.id for message in found}) == count
    rows = found.corpus(kinds=("text", "tool_call", "tool_result", "reasoning", "summary"))
    assert len(set(rows["docno"])) == len(rows) >= count - abandoned - 1
    if kind in HELD:
        assert HELD[kind](list(values(path))) == count


def test_every_file_of_the_folder_is_in_the_table(shared):
    paths = list((shared / "transcripts").iterdir())
    matched = [[start for start in FILES if path.name.startswith(start)] for path in paths]
    assert len(paths) == len(FILES) == 35
    assert all(len(found) == 1 for found in matched)


def test_no_file_of_claude_code_holds_two_prompts_after_one_message(shared):
    """So that nothing in them is abandoned is no oversight: their forks are calls and hooks."""
    forks = 0
    for start in (start for start, row in FILES.items() if row[0] == CLAUDE and row[1]):
        records = [r for r in values(only(shared / "transcripts", start)) if isinstance(r, dict)]
        below = Counter(r["parentUuid"] for r in records if r.get("parentUuid"))
        forks += sum(count > 1 for count in below.values())
        prompts = Counter(
            record["parentUuid"]
            for record in records
            if record.get("type") == "user"
            and record.get("parentUuid")
            and "tool_result" not in str(record["message"])
        )
        assert max(prompts.values(), default=1) == 1
    assert forks >= 12


def test_the_whole_folder_reads_and_a_growing_session_is_there_once(shared):
    found = read(shared / "transcripts")
    assert len(found.files) == len(FILES)
    assert len(found) == sum(row[1] for row in FILES.values())
    assert sum(not m.active for m in found) == 3
    assert not [one for one in found.skipped if not one.line]
    session = [m for m in found if m.session.startswith("0cf3db51")]
    assert len(session) == 12 + 95
    times = [m.time for m in session]
    assert times == sorted(times)


def test_files_say_of_their_sessions_where_they_ran_and_what_wrote_them(shared):
    told = read(shared / "transcripts").sessions
    rollout = told["019ede26-ff03-7a82-bb34-cfab716a498a"]
    assert (rollout.parent, rollout.branch, rollout.agent) == (
        "019ede24-67de-7b11-b46f-7922530907a9",
        "main",
        "Codex 0.142.0-alpha.1",
    )
    assert told["eval-branches"].cwd == "/evaluation/sync"
    assert told["880d23f9-86b3-4345-af42-46381ab10e4d"].agent == "Claude Code 2.1.2"
    assert told["all-types-001"].title.startswith("Demonstrated all message types")


def test_ids_are_the_same_alone_and_together(shared):
    whole = {message.id for message in read(shared / "transcripts")}
    for start in ("obra_tiny", "es6kr", "feipi_multiline", "cass_unicode", "whamp_b", "pi-mono"):
        path = only(shared / "transcripts", start)
        assert {message.id for message in read(path)} <= whole


def calls_and_results(found):
    calls = [p.call for m in found for p in m.parts if p.kind == "tool_call"]
    results = [p.call for m in found for p in m.parts if p.kind == "tool_result"]
    return calls, results


def test_calls_and_results_pair_in_a_long_session(shared):
    found = read(shared / "transcripts" / "obra_large-conversation.jsonl.xz")
    calls, results = calls_and_results(found)
    assert len(calls) == len(set(calls)) == 152
    assert set(results) == set(calls)
    ids = {message.id for message in found}
    assert sum(message.parent not in ids for message in found) <= 5


def test_calls_and_results_pair_in_pi_and_codex(shared):
    for start, many in (("pi-mono", 373), ("feipi_rollout-2026-06-19T12-29", 5)):
        found = read(only(shared / "transcripts", start))
        calls, results = calls_and_results(found)
        assert len(results) == len(set(results)) == many
        assert set(results) <= set(calls)
        assert "tool result without its call, kept" not in found.notes


def test_transcripts_get_known_item_topics(shared):
    made = load(str(shared / "transcripts" / "obra_*.xz"))
    assert made.name == "obra_*.xz"
    topics = made.topics[made.topics["type"] == "known item"].set_index("qid")
    judged = made.qrels[made.qrels["qid"].isin(topics.index)]
    assert len(topics) >= 10
    times = made.corpus["time"].set_axis(made.corpus["docno"])
    asked = topics["asked_at"].reindex(judged["qid"])
    assert (times.reindex(judged["docno"]).to_numpy() < asked.to_numpy()).all()
    texts = made.corpus["text"].set_axis(made.corpus["docno"])
    for qid, docno in zip(judged["qid"], judged["docno"], strict=True):
        assert topics["answer"][qid] in texts[docno]
    assert not any(a in q for a, q in zip(topics["answer"], topics["query"], strict=True))
