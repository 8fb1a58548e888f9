"""The command line in the hands of somebody who means it ill, or is new here."""

import json
import os
import subprocess
import sys

import pytest


def fails(done):
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("lcm-lab: ")
    assert done.err.count("\n") == 1
    return done.err


@pytest.fixture(params=[True, False], ids=["at once", "held back"], autouse=True)
def unbuffered(request, monkeypatch):
    """Python may write at once or hold back; what fails then fails at another moment."""
    if request.param:
        monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    else:
        monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)


def command(*words, **how):
    return subprocess.run(
        [sys.executable, "-m", "lcm_lab", *map(str, words)], stderr=subprocess.PIPE, **how
    )


@pytest.mark.parametrize("path", ["", "  "])
def test_a_blank_path_is_not_the_folder_one_stands_in(lcm_lab, chat, path):
    for words in (
        ("read", path),
        ("search", "retry", "--on", path),
        ("report", "--on", path),
        ("report", "--out", path),
        ("generate", "chat", "--out", path),
    ):
        assert "The path is blank" in fails(lcm_lab(*words))


def test_the_home_of_nobody_is_one_line(lcm_lab):
    for words in (("read", "~no-such-user/x"), ("report", "--on", "~no-such-user/x")):
        assert "No home folder '~no-such-user'" in fails(lcm_lab(*words))


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device here")  # noqa: PTH110
def test_a_device_that_never_ends_is_not_read(lcm_lab):
    assert "is a device" in fails(lcm_lab("read", "/dev/zero"))
    assert "is a device" in fails(lcm_lab("report", "--on", "/dev/zero"))


def test_a_folder_of_other_files_says_so(lcm_lab, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("hello")
    assert "No transcripts there; 1 there of other kinds" in fails(lcm_lab("read", "notes"))


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(lcm_lab, saved, tmp_path):
    (tmp_path / "file").write_text("")
    for out in ("file", "file/below"):
        assert "is a file" in fails(lcm_lab("report", "--on", saved, "--out", out))
        assert "is a file" in fails(lcm_lab("generate", "chat", "--out", out))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("serach", "x"), "No such command 'serach'. Did you mean 'search'? See lcm-lab --help."),
        (("report", "--unit", "word"), "'word' is not one of 'turn', 'exchange', 'session'."),
        (("search",), "Missing argument 'question'. See lcm-lab search --help."),
        (("search", "-postgres"), "See lcm-lab search --help."),
    ],
)
def test_a_command_line_that_cannot_be_read_is_one_line(lcm_lab, words, message):
    assert message in fails(lcm_lab(*words))


def test_no_command_at_all_shows_the_help(lcm_lab):
    done = lcm_lab()
    assert (done.code, done.out) == (2, "")
    assert "Commands:" in done.err


def test_the_version_is_printed(lcm_lab):
    assert lcm_lab("--version").out.startswith("lcm-lab 0.")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")  # noqa: PTH110
def test_output_that_does_not_arrive_is_one_line_and_exit_2():
    for words in (("datasets",), ("--help",)):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = command(*words, stdout=full, check=False)
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
        assert b"Cannot write the result" in done.stderr


def test_a_reader_that_has_enough_is_no_error_to_speak_of(tmp_path):
    lines = (json.dumps({"role": "user", "content": f"retry {'x' * 90} {i}"}) for i in range(3000))
    (tmp_path / "chat.jsonl").write_text("\n".join(lines))
    words = ("search", "retry", "--policy", "BM25()", "--k", "1000", "--json", "--on")
    words += (tmp_path / "chat.jsonl",)
    process = subprocess.Popen(
        [sys.executable, "-m", "lcm_lab", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.read(10)
    process.stdout.close()
    with process.stderr as told:
        assert told.read() == b""
    assert process.wait() == 1


def test_json_says_the_same_whatever_the_terminal_can_show(tmp_path):
    file = tmp_path / "forêt.jsonl"
    said = "缓存方案 \U0001f6b2 שלום"
    file.write_text(json.dumps({"role": "user", "content": said}))
    for encoding in ("ascii", "utf-8"):
        done = command(
            *("search", "缓存", "--json", "--on", file),
            env={**os.environ, "PYTHONIOENCODING": encoding},
            stdout=subprocess.PIPE,
            check=True,
        )
        hit = json.loads(done.stdout.decode(encoding))["hits"][0]
        assert (hit["text"], hit["conversation"]) == (said, "forêt")


def test_names_from_a_file_do_not_act_on_a_terminal(lcm_lab, tmp_path):
    record = {
        "role": "user",
        "content": "\x1b[31mdeploy\x1b[0m now",
        "session": "a\x1b[2J\u202eb",
        "speaker": "eve\x07",
    }
    (tmp_path / "chat.jsonl").write_text(json.dumps(record))
    for words in (("search", "deploy", "--on", "chat.jsonl"), ("read", "chat.jsonl")):
        out = lcm_lab(*words).out
        assert not {"\x1b", "\x07", "\u202e"}.intersection(out)
        assert "a b" in out


def test_an_error_shows_no_secret_and_acts_on_no_terminal(lcm_lab, saved):
    secret = "password=hunter2-FAKE\x1b[2J\u202e"
    for words in (
        ("search", "x", "--on", secret),
        ("search", "x", "--on", saved, "--policy", f"BM25('{secret}')"),
        ("evaluate", "--on", saved, "--measure", secret),
    ):
        told = fails(lcm_lab(*words))
        assert "[redacted:password]" in told
        assert not {"hunter2", "\x1b", "\u202e"}.intersection([told, *told])
    done = lcm_lab("search", "Redis", "--on", saved, "--conversation", secret, "--json")
    assert "hunter2" not in done.out


def test_why_nothing_passes_the_filters_is_said(lcm_lab, saved):
    def told(*words):
        return lcm_lab("search", "Redis", "--on", saved, *words).out

    times = "Times run from 2026-03-02 00:00 to 2026-03-07 00:00, UTC."
    assert times in told("--since", "2027-01-01")
    assert "conversation is never 'c9'." in told("--conversation", "c9", "--role", "user")


def test_filters_that_pass_only_alone_are_named(lcm_lab, tmp_path):
    said = [("a", "user", "deploy"), ("b", "assistant", "done")]
    records = [{"session": s, "role": r, "content": c} for s, r, c in said]
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, records)))
    done = lcm_lab(
        *("search", "deploy", "--on", "chat.jsonl", "--session", "a", "--role", "assistant")
    )
    assert done.out == (
        "No hits: no message passes the filters. Each of session, role passes some alone.\n"
    )


def test_the_questions_of_the_help_find_something(lcm_lab):
    help_text = lcm_lab("search", "--help").out
    assert "summer holiday" in help_text
    assert not lcm_lab("search", "summer holiday").out.startswith("No hits")
