"""SWE-agent and mini-SWE-agent: thoughts, actions as calls, observations as their results."""

import json
import lzma
from collections import Counter

from lcm_lab.transcripts.read import read


def kinds(found):
    return Counter((m.role, p.kind) for m in found for p in m.parts)


def paired(found):
    """Calls with the text of the result that names them, in order."""
    calls = [p for m in found for p in m.parts if p.kind == "tool_call"]
    results = {p.call: p.text for m in found for p in m.parts if p.kind == "tool_result"}
    return [(call.name, call.text, results.get(call.call)) for call in calls]


def written(path, value):
    path.write_text(json.dumps(value))
    return read(path)


def test_a_real_trajectory_has_every_thought_action_and_observation_of_its_history(shared):
    path = shared / "transcripts" / "sweagent_katy.traj.xz"
    raw = json.loads(lzma.decompress(path.read_bytes()))
    found = read(path)
    assert found.files == {path.name: "SWE-agent trajectory"}
    assert len(found) == len(raw["history"]) == 37
    acted = [one for one in raw["history"] if one["role"] == "assistant"]
    answered = [one["content"] for one in raw["history"][2:] if one["role"] == "user"]
    assert kinds(found) == {
        ("system", "text"): 1,
        ("user", "text"): 1,
        ("assistant", "text"): sum(bool(one["thought"].strip()) for one in acted),
        ("assistant", "tool_call"): len(acted),
        ("tool", "tool_result"): len(answered),
    }
    pairs = paired(found)
    assert [text for _, text, _ in pairs] == [
        f"bash\ncommand: {one['action'].strip()}" for one in acted
    ]
    assert [result for *_, result in pairs] == [*answered, None]


def test_a_real_mini_trajectory_pairs_each_command_with_what_it_gave(shared):
    path = shared / "transcripts" / "mini_github_issue.traj.json.xz"
    raw = json.loads(lzma.decompress(path.read_bytes()))
    found = read(path)
    assert found.files == {path.name: "mini-SWE-agent trajectory"}
    assert len(found) == len(raw) == 22
    commands = sum(one["content"].count("```mswea_bash_command") for one in raw[2::2])
    assert len(paired(found)) == commands == 10
    assert [result for *_, result in paired(found)] == [one["content"] for one in raw[3::2]]
    failed = [p.text for m in found for p in m.parts if p.error]
    assert failed == [one["content"] for one in raw if "<returncode>1<" in one["content"]]
    assert not any("mswea" in m.text for m in found.messages[2:])


def test_steps_are_read_where_there_is_no_history(tmp_path):
    step = {
        "action": "ls\n",
        "observation": "a.py",
        "thought": "Look.",
        "response": "Look.\n```ls```",
    }
    found = written(tmp_path / "a.traj", {"trajectory": [step, {**step, "observation": ""}]})
    assert [(m.role, [p.text for p in m.parts]) for m in found] == [
        ("assistant", ["Look.", "bash\ncommand: ls"]),
        ("tool", ["a.py"]),
        ("assistant", ["Look.", "bash\ncommand: ls"]),
    ]


def test_calls_of_the_newer_form_keep_their_ids_and_demonstrations_are_not_the_users(tmp_path):
    call = {"id": "c1", "function": {"name": "open", "arguments": '{"path": "a.py"}'}}
    history = [
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": "Another task, solved.", "is_demo": True},
        {"role": "user", "content": [{"type": "text", "text": "Fix it."}]},
        {
            "role": "assistant",
            "content": "x",
            "thought": "Open it.",
            "action": "open",
            "tool_calls": [call],
        },
        {"role": "tool", "content": "line 1", "tool_call_ids": ["c1"]},
    ]
    found = written(tmp_path / "a.traj", {"trajectory": [], "history": history})
    assert [m.role for m in found] == ["system", "system", "user", "assistant", "tool"]
    assert paired(found) == [("open", "open\npath: a.py", "line 1")]


def test_mini_in_an_object_and_with_tool_calls_is_read(tmp_path):
    call = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    messages = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "<returncode>0</returncode>"},
        {"role": "exit", "content": "Submitted."},
    ]
    value = {"trajectory_format": "mini-swe-agent-1.1", "info": {}, "messages": messages}
    found = written(tmp_path / "a.traj.json", value)
    assert set(found.files.values()) == {"mini-SWE-agent trajectory"}
    assert [m.role for m in found] == ["user", "assistant", "tool", "system"]
    assert paired(found) == [("bash", "bash\ncommand: ls", "<returncode>0</returncode>")]
