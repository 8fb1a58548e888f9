"""``lcm-lab sessions``: what the tools answer, printed."""

import json

import pytest

from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.store.store import Store

HEAD = {"type": "session", "version": 3, "id": "s1", "cwd": "/w"}


@pytest.fixture
def stored(lcm_lab, tmp_path):
    lines = [HEAD]
    for i in range(6):
        text = [{"type": "text", "text": f"beacon {i}"}]
        said = {"role": ("user", "assistant")[i % 2], "content": text}
        above = f"m{i - 1}" if i else None
        at = f"2026-03-01T10:0{i}:00Z"
        lines.append({"type": "message", "id": f"m{i}", "parentId": above, "timestamp": at})
        lines[-1]["message"] = said
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "s1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "sessions.json").write_text(json.dumps({"agent:main:main": {"sessionId": "s1"}}))
    assert lcm_lab("import", folder, "--into", "memory.db").code == 0
    return tmp_path / "memory.db"


def test_search_prints_what_the_tool_answers(lcm_lab, stored):
    with Store(stored, readonly=True) as store:
        found = SessionTools(store).sessions_search("beacon 3", limit=2)
    done = lcm_lab("sessions", "search", "beacon 3", "--on", stored, "--limit", 2)
    assert (done.code, done.err, done.out.rstrip("\n")) == (0, "", found.to_text())
    done = lcm_lab("sessions", "search", "beacon 3", "--on", stored, "--limit", 2, "--json")
    assert done.json == found.to_dict()


def test_a_hit_is_read_on(lcm_lab, stored):
    found = lcm_lab(
        "sessions", "search", "eacon 3", "--mode", "substring", "--on", stored, "--json"
    )
    (hit,) = found.json["results"]
    words = ["--message", hit["messageId"], "--session", hit["sessionId"], "--limit", 3, "--json"]
    done = lcm_lab("sessions", "history", hit["sessionKey"], "--on", stored, *words)
    assert [message["id"] for message in done.json["messages"]] == ["m2", "m3", "m4"]


def test_a_policy_and_the_reference_may_stand_behind_search(lcm_lab, stored):
    for words in (["--policy", "Newest(BM25())"], ["--reference"]):
        done = lcm_lab("sessions", "search", "beacon", "--on", stored, "--json", *words)
        assert done.json["results"][0]["messageId"] == "m5"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["search", "  "], "query is blank"),
        (["search", "beacon", "--limit", "26"], "from 1 to 25"),
        (["search", "beacon", "--key", "nope"], "No session 'nope'"),
        (["search", "beacon", "--policy", "BM26()"], "BM26"),
        (["search", "beacon", "--mode", "fuzzy"], "fuzzy"),
        (["history", "agent:main:main", "--session", "s1"], "sessionId goes with messageId"),
        (["history", "agent:work:x", "--visibility", "agent"], "need visibility 'all'"),
        (["history", "agent:main:main", "--offset", "2", "--message", "m1"], "Leave offset out"),
        (["history", "agent:main:main", "--zone", "Mars/Base"], "Mars/Base"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_2(lcm_lab, stored, words, says):
    done = lcm_lab("sessions", *words, "--on", stored)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert len(done.err.splitlines()) == 1


def test_a_store_that_is_not_there_is_not_made(lcm_lab, tmp_path):
    done = lcm_lab("sessions", "search", "beacon", "--on", "nowhere.db")
    assert done.code == 2
    assert not (tmp_path / "nowhere.db").exists()


def test_every_option_of_the_subcommands_has_help():
    import typer

    from lcm_lab.agent.cli import app

    group = typer.main.get_command(app).commands["sessions"]
    silent = [
        f"{name} {param.name}"
        for name, command in group.commands.items()
        for param in command.params
        if not param.help and param.name != "help"
    ]
    assert (sorted(group.commands), silent) == (["history", "search"], [])
