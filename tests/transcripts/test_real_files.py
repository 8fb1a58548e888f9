"""Every real transcript either reads or says why not."""

import pytest

from lcm_lab.errors import BadInput
from lcm_lab.transcripts.load import load
from lcm_lab.transcripts.read import read

#: messages, sessions, reasons of skipped lines (counted)
READABLE = {
    "cass_all_message_types": (5, {"not a message: summary": 1}),
    "cass_invalid_json": (3, {"not JSON": 2}),
    "cass_truncated": (2, {"cut short": 1}),
    "cass_unicode_heavy": (8, {"not a message: summary": 1}),
    "claude-code-log_edge_cases": (
        12,
        {
            "no content": 1,
            "not a message: no type": 1,
            "not a message: nothing in user": 1,
            "not a message: summary": 1,
            "not an object": 3,
        },
    ),
    "dkimuson_1af7fc5e": (21, {}),
    "entire_0cf3db51_00": (12, None),
    "entire_0cf3db51_04": (95, None),
    "entire_3f": (106, None),
    "entire_ca": (45, None),
    "entire_d7": (69, None),
    "entire_e5": (65, None),
    "es6kr_session-dup-uuid": (6, {"not a message: summary": 1}),
    "feipi_multiline_json": (3, {}),
    "mini_github_issue": (22, {}),
    "obra_large": (350, {"not a message: summary": 2}),
    "obra_medium": (0, {"not a message: file-history-snapshot": 22, "not a message: summary": 1}),
    "obra_short": (2, {"not a message: summary": 1}),
    "obra_tiny": (6, {}),
}
UNREAD = {
    "arcreflex_": "pi or OpenClaw session, not read yet",
    "cass_empty_session": "one object with a list of messages, not read yet",
    "entire_ab": "Gemini session, not read yet",
    "feipi_rollout": "Codex rollout, not read yet",
    "openhands_": "OpenHands trajectory, not read yet",
    "pi-mono_": "pi or OpenClaw session, not read yet",
    "sweagent_": "SWE-agent trajectory, not read yet",
    "whamp_": "pi or OpenClaw session, not read yet",
}


def only(folder, start):
    return sorted(path for path in folder.iterdir() if path.name.startswith(start))


@pytest.mark.parametrize("start", READABLE)
def test_a_readable_file_gives_its_messages_and_accounts_for_every_line(shared, start):
    (path,) = only(shared / "transcripts", start)
    count, skipped = READABLE[start]
    found = read(path)
    reasons = [one.reason for one in found.skipped]
    assert len(found) == count
    if skipped is None:
        assert all(reason.startswith("not a message: ") for reason in reasons)
    else:
        assert {reason: reasons.count(reason) for reason in reasons} == skipped
    assert len({message.id for message in found}) == count
    rows = found.corpus(kinds=("text", "tool_call", "tool_result", "reasoning", "summary"))
    assert len(set(rows["docno"])) == len(rows) >= count - 1


@pytest.mark.parametrize("start", UNREAD)
def test_an_unread_file_says_what_it_is(shared, start):
    for path in only(shared / "transcripts", start):
        with pytest.raises(BadInput) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path.name}: {UNREAD[start]}. read knows ")


def test_every_file_of_the_folder_is_in_one_list_or_the_other(shared):
    paths = list((shared / "transcripts").iterdir())
    matched = [[s for s in (*READABLE, *UNREAD) if path.name.startswith(s)] for path in paths]
    assert len(paths) == 35
    assert all(len(found) == 1 for found in matched)


def test_the_whole_folder_reads_and_a_growing_session_is_there_once(shared):
    found = read(shared / "transcripts")
    assert len(found) == 832
    assert len(found.files) == len(READABLE)
    assert sum(not one.line for one in found.skipped) == 35 - len(READABLE)
    session = [m for m in found if m.session.startswith("0cf3db51")]
    assert len(session) == 12 + 95
    times = [m.time for m in session]
    assert times == sorted(times)


def test_ids_are_the_same_alone_and_together(shared):
    whole = {message.id for message in read(shared / "transcripts")}
    for start in ("obra_tiny", "es6kr", "feipi_multiline", "cass_unicode"):
        (path,) = only(shared / "transcripts", start)
        assert {message.id for message in read(path)} <= whole


def test_calls_and_results_pair_in_a_long_session(shared):
    found = read(shared / "transcripts" / "obra_large-conversation.jsonl.xz")
    calls = [p.call for m in found for p in m.parts if p.kind == "tool_call"]
    results = [p.call for m in found for p in m.parts if p.kind == "tool_result"]
    assert len(calls) == len(set(calls)) == 152
    assert set(results) == set(calls)
    ids = {message.id for message in found}
    assert sum(message.parent not in ids for message in found) <= 5


def test_transcripts_get_known_item_topics(shared):
    made = load(str(shared / "transcripts" / "obra_*.xz"))
    assert made.name == "obra_*.xz"
    assert len(made.topics) >= 15
    assert len(made.judged().topics) == len(made.topics)
    times = made.corpus["time"].set_axis(made.corpus["docno"])
    asked = made.topics.set_index("qid")["asked_at"].reindex(made.qrels["qid"])
    assert (times.reindex(made.qrels["docno"]).to_numpy() < asked.to_numpy()).all()
    texts = made.corpus["text"].set_axis(made.corpus["docno"])
    answers = made.topics.set_index("qid")["answer"]
    for qid, docno in zip(made.qrels["qid"], made.qrels["docno"], strict=True):
        assert answers[qid] in texts[docno]
    assert not any(a in q for a, q in zip(made.topics["answer"], made.topics["query"], strict=True))
    assert len(load(shared / "transcripts").topics) >= 35
