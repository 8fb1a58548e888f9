"""The command line: results on stdout, all else on stderr, one line and exit 2 on bad input."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lcm_lab.agent import find
from lcm_lab.agent.ladder import MEASURES, ladder, systems
from lcm_lab.agent.measured import folders
from lcm_lab.agent.source import portable, slug
from lcm_lab.errors import BadParameter
from lcm_lab.measures import parse

KEY = "AKIA" + "QYLPMN5HHHFPZAM2"


def fails(done):
    """What a command said when it refused: one line, exit 2, nothing on stdout, no traceback."""
    lines = done.err.strip().splitlines()
    assert (done.code, done.out) == (2, "")
    assert len(lines) == 1
    assert lines[0].startswith("lcm-lab: ")
    return lines[0]


def test_help_loads_none_of_the_heavy_libraries():
    code = (
        "import sys; sys.argv = ['lcm-lab', '--help']\n"
        "from lcm_lab.agent.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'pandas', 'numpy', 'pyarrow', 'sklearn', 'matplotlib', 'scipy', 'jinja2'}\n"
        "sys.exit(str(sorted(heavy & set(sys.modules))) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Start with:  lcm-lab report" in done.stdout


def test_search_finds_and_shows_the_passage(lcm_lab, saved):
    done = lcm_lab("search", "which database for the orders?", "--on", saved, "--k", "1")
    assert done.code == 0
    assert "m1" in done.out
    assert "Which database shall we take for the orders?" in done.out


def test_search_json_is_all_that_stdout_holds(lcm_lab, saved):
    """IN-05."""
    done = lcm_lab("search", "Redis", "--on", saved, "--json")
    assert [hit["docno"] for hit in done.json["hits"]] == ["m5", "m6"]
    assert set(done.json["hits"][0]) == {
        *("docno", "rank", "score", "text", "time"),
        *("conversation", "session", "role", "speaker", "kind"),
    }
    assert done.json["hits"][0]["time"] == "2026-03-06T00:00:00+00:00"


def test_search_filters_before_the_cut(lcm_lab, saved):
    words = ("search", "Redis orders Postgres", "--on", saved, "--json", "--k", "1")
    only = {"--role": "assistant", "--conversation": "c2", "--before": "2026-03-07"}
    for option, value, first in zip(only, only.values(), ("m6", "m5", "m2"), strict=True):
        found = lcm_lab(*words, option, value).json["hits"]
        assert len(found) == 1
        assert found[0]["docno"] in (first, "m6", "m5", "m2")
    all_three = [part for pair in only.items() for part in pair]
    none = lcm_lab(*words, *all_three).json
    assert (none["hits"], none["note"][:8]) == ([], "No hits:")
    assert lcm_lab(*words, "--where", "kind=text", "--since", "2026-03-06").json["hits"][0][
        "docno"
    ] in ("m5", "m6")


def test_search_explains_every_step(lcm_lab, saved):
    policy = "BM25() + 0.3 * TfIdf() >> Recency('30D') % 10"
    done = lcm_lab("search", "Redis", "--on", saved, "--policy", policy, "--explain")
    for step in ("BM25()", "0.3 * TfIdf()", "Recency('30D')"):
        assert any(line.endswith(f"  {step}") for line in done.out.splitlines()), step


def test_search_says_why_nothing_was_found(lcm_lab, saved):
    done = lcm_lab("search", "zymurgy", "--on", saved)
    assert done.out == (
        "No hits: BM25() % 10 finds nothing in the 6 messages searched. "
        "Ask in words that they may hold.\n"
    )
    lost = lcm_lab("search", "Redis", "--on", saved, "--role", "assistent")
    assert "role is never 'assistent'. Did you mean 'assistant'?" in lost.out


def test_search_reads_transcripts_as_they_are(lcm_lab, chat):
    done = lcm_lab("search", "retry backoff", "--on", chat, "--json", "--k", "1")
    assert done.json["hits"][0]["text"] == "And the retry backoff?"


def test_secrets_are_not_printed(lcm_lab, tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({"role": "user", "content": f"deploy with {KEY} today"}) + "\n")
    for words in ((), ("--json",)):
        done = lcm_lab("search", "deploy today", "--on", file, *words)
        assert "deploy with" in done.out
        assert KEY not in done.out


def test_a_terminal_never_acts_on_stored_text(lcm_lab, tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "deploy \x1b[2J\x07 now"}) + "\n")
    assert "\x1b" not in lcm_lab("search", "deploy", "--on", file).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("search", ""), ""),
        (("search", "   "), ""),
        (("search", "???"), ""),
        (("search", "x", "--on", "nowhere.jsonl"), "No collection or path 'nowhere.jsonl'"),
        (("search", "x", "--policy", "BM52()"), "Did you mean 'BM25'?"),
        (("search", "x", "--policy", "Recency('7D')"), "Put a retriever before it"),
        (("search", "x", "--where", "tenant=3"), "Cannot filter on 'tenant'"),
        (("search", "x", "--where", "tenant"), "--where is COLUMN=VALUE"),
        (("search", "x", "--since", "2026-02-30"), "2026-02-30"),
        (("search", "x", "--since", "2026-13-01"), "2026-13-01"),
        (("search", "x", "--before", "yesterday"), "yesterday"),
        (("search", "x", "--since", ""), ""),
        (("search", "x", "--since", "2026-03-02", "--before", "2026-03-01"), "since"),
        (("search", "x", "--k", "0"), "--k is how many hits to show, 1 or more. Got 0."),
        (("read", "nowhere"), "nowhere"),
        (("evaluate", "--measure", "nDGC@10"), "Did you mean 'nDCG'?"),
        (("evaluate", "--measure", "R@0"), "R@"),
        (("evaluate", "--policy", "a=BM25()", "--policy", "a=TfIdf()"), "Two systems are called"),
        (("evaluate", "--policy", "BM25() | TfIdf()"), "is not a ranking operator"),
        (("report", "--on", "nowhere"), "No collection or path 'nowhere'"),
    ],
)
def test_bad_input_ends_with_one_line_and_exit_2(lcm_lab, saved, words, message):
    """QP-04, QP-13, TZ-07."""
    on = () if "--on" in words or words[0] == "read" else ("--on", saved)
    assert message in fails(lcm_lab(*words, *on))


@pytest.mark.parametrize("content", ["", "\n\n", "not json\n", '{"a": 1}\n', "\x00\x01\x02"])
def test_a_file_without_messages_is_one_line_and_exit_2(lcm_lab, tmp_path, content):
    file = tmp_path / "bad.jsonl"
    file.write_text(content)
    for verb in (("read", file), ("search", "x", "--on", file), ("report", "--on", file)):
        fails(lcm_lab(*verb))


def test_a_wrong_command_or_option_is_exit_2(lcm_lab):
    assert lcm_lab("serach", "x").code == 2
    assert lcm_lab("report", "--nope").code == 2
    assert lcm_lab("report", "--unit", "word").code == 2


def test_an_unwritable_folder_is_one_line(lcm_lab, saved, tmp_path):
    (tmp_path / "file").write_text("")
    words = ("report", "--on", saved, "--policy", "BM25() % 5", "--measure", "R@3")
    done = lcm_lab(*words, "--out", tmp_path / "file")
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith("lcm-lab: ")


def test_a_terminal_without_a_character_is_no_reason_to_stop(saved):
    words = ["search", "Redis", "--on", str(saved), "--where", "kind=täxt"]
    done = subprocess.run(
        [sys.executable, "-m", "lcm_lab", *words],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"kind is never 't?xt'" in done.stdout


def test_an_interrupt_is_exit_130(lcm_lab, saved, monkeypatch):
    def interrupted(*_args, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr(find, "answered", interrupted)
    done = lcm_lab("search", "x", "--on", saved)
    assert (done.code, done.out, done.err) == (130, "", "lcm-lab: stopped\n")


def test_evaluate_prints_systems_by_measures(lcm_lab, saved):
    words = ("evaluate", "--on", saved, "--policy", "ours=BM25() % 5", "--policy", "TfIdf() % 5")
    done = lcm_lab(*words, "--measure", "nDCG@3", "--measure", "R@3")
    lines = done.out.splitlines()
    assert lines[0].startswith("Collection 'orders': 6 rows")
    assert lines[2].split() == ["system", "nDCG@3", "R@3"]
    assert lines[3].split()[0] == "ours"
    assert lines[4].startswith("TfIdf() % 5")
    assert lines[5].split() == ["n", "=", "2", "n", "=", "2"]


def test_evaluate_json_has_systems_and_intervals(lcm_lab, saved):
    done = lcm_lab(
        "evaluate", "--on", saved, "--policy", "BM25() % 5", "--measure", "R@3", "--json"
    )
    assert done.json["systems"] == {"BM25() % 5": "BM25() % 5"}
    assert done.json["summary"][0]["measure"] == "R@3"
    assert done.json["summary"][0]["mean"] == 1.0


def test_report_writes_the_folder_and_prints_its_page(lcm_lab, saved, tmp_path):
    words = ("report", "--on", "orders", "--policy", "BM25() % 5", "--measure", "R@3")
    done = lcm_lab(*words, "--out", "out")
    assert (done.code, done.out) == (0, "out/index.html\n")
    made = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert made["command"] == (
        "lcm-lab report --on orders --policy 'BM25() % 5' --measure R@3 --out out"
    )


def test_report_on_several_sources_writes_a_folder_each(lcm_lab, saved, tmp_path):
    (tmp_path / "again").symlink_to(saved)
    words = ("report", "--on", saved, "--policy", "BM25() % 5", "--measure", "R@3", "--out", "o")
    done = lcm_lab(*words, "--on", tmp_path / "again")
    assert done.code == 0
    assert len(set(done.out.split())) == 2


def test_the_command_of_a_report_names_no_machine(lcm_lab, saved, tmp_path):
    """NB-08."""
    words = ("report", "--on", saved, "--policy", "BM25() % 5", "--measure", "R@3")
    lcm_lab(*words, "--out", tmp_path / "out")
    for name in ("manifest.json", "index.html"):
        assert str(tmp_path) not in (tmp_path / "out" / name).read_text()


def test_read_counts_messages_and_names_broken_lines(lcm_lab, chat):
    done = lcm_lab("read", chat)
    assert "6 messages in 1 session" in done.out
    assert "chat.jsonl:4" in done.out
    assert [one["line"] for one in lcm_lab("read", chat, "--json").json["skipped"]] == [4]


def test_read_says_what_a_collection_holds(lcm_lab, saved):
    done = lcm_lab("read", saved)
    assert done.out.startswith("Collection 'orders': 6 rows")
    assert lcm_lab("read", saved, "--json").json["types"] == {"fact": 1, "state": 1}


def test_the_default_systems_and_measures_are_what_they_print():
    assert "Recommended" in ladder() and len(ladder()) == 14
    assert systems([]) == ladder()
    assert [str(parse(name)) for name in MEASURES] == list(MEASURES)


def test_an_equals_sign_inside_brackets_names_nothing():
    assert list(systems(["BM25(k1=0.9) % 10"])) == ["BM25(k1=0.9) % 10"]
    assert list(systems(["ours = BM25(k1=0.9) % 10"])) == ["ours"]
    with pytest.raises(BadParameter, match="The policy is empty"):
        systems(["ours="])


def test_paths_are_written_without_the_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert portable(str(tmp_path / "a" / "b.jsonl")) == "a/b.jsonl"
    assert portable("../shared/x") == "../shared/x"
    assert portable("/srv/other/x.jsonl") == "<path>/x.jsonl"
    assert portable("~/chats") == "~/chats"


@pytest.mark.parametrize("name", ["", "..", "../..", "a/b", "-x", "\x00", "con*?"])
def test_a_slug_is_a_plain_folder_name(name):
    """SE-01."""
    made = slug(name)
    assert made
    assert not set(made) & set("/\\\0*?")
    assert made[0] not in ".-"


def test_where_reports_go(tmp_path):
    def chosen(*given, out=None):
        return [folder.as_posix() for folder in folders(given, out)]

    assert chosen("synth-chat-s") == ["reports/ranking"]
    assert chosen("x/locomo.json") == ["reports/ranking-locomo.json"]
    assert chosen("x/a", "y/a", "a", out=Path("o")) == ["o/a", "o/a-2", "o/a-3"]
    assert chosen("x/a", out=Path("o")) == ["o"]
