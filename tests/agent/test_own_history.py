"""``--on`` for one's own history: transcripts, a store, an lcm.db; what is asked of it."""

import json

import pytest

from lcm_lab.collection.paths import called
from lcm_lab.ranking.lexical.words import TfIdf
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from tests.transcripts.histories import history

TOLD = "I wrote parseRetryAfter() just now, for the uploads that hit the limit."
ASK = "Remember that the retry limit of uploads lives somewhere in parseRetryAfter today."
SAID = [
    *(TOLD, "Did anybody reserve the meeting room for Thursday's planning round?"),
    "Nobody has so far, calendars are full until evening.",
    *("We should print the new price list.", ASK),
]
FAST = ("--policy", "BM25() % 10", "--measure", "nDCG@10")


@pytest.fixture
def store(tmp_path):
    """A store, of the same messages as `transcript`."""
    with Store(tmp_path / "memory.db") as made:
        made.add(Transcripts(history(*SAID, start=29_000_000)))
    return tmp_path / "memory.db"


@pytest.fixture
def transcript(tmp_path):
    """A transcript of five messages."""
    lines = [
        {"role": "user", "content": text, "timestamp": f"2025-02-0{day}T10:00:00Z"}
        for day, text in enumerate(SAID, 1)
    ]
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_a_store_is_evaluated_as_its_transcripts_are(lcm_lab, store, transcript):
    for source in (store, transcript):
        done = lcm_lab("evaluate", "--on", source, *FAST, "--topics", "known-item")
        assert (done.code, "1 topic" in done.out) == (0, True), done


def test_the_notes_tell_both_scores(lcm_lab, store):
    done = lcm_lab("evaluate", "--on", store, *FAST, "--topics", "known-item", "--json")
    notes = " ".join(done.json["notes"])
    assert "nDCG@10 as of the moment of each question, and with nothing hidden" in notes
    assert "BM25() % 10 1.000 and " in notes


def test_a_report_on_a_store_says_what_was_mined_and_how_to_make_it_again(lcm_lab, store):
    done = lcm_lab("report", "--on", store, *FAST, "--out", "page")
    assert done.code == 0, done.err
    assert "lcm-lab: known item: n = 1; of a question's words hold gold " in done.err
    page = (store.parent / "page" / "index.html").read_text()
    assert "lcm-lab report --on memory.db" in page
    assert "known item" in page


def test_topics_are_chosen_by_kind_and_a_misspelt_one_is_refused(lcm_lab, store):
    done = lcm_lab("evaluate", "--on", store, *FAST, "--topics", "adjacency", "--json")
    assert {row["type"] for row in done.json.get("topics", [])} <= {"adjacency"}
    wrong = lcm_lab("evaluate", "--on", store, *FAST, "--topics", "ajacency")
    assert wrong.code == 2
    assert "Got 'ajacency'. Did you mean 'adjacency'?" in wrong.err


def test_a_table_of_questions_is_asked_of_a_store(lcm_lab, store):
    (store.parent / "q.csv").write_text("question,quote\nwho handles retries?,I wrote parseRetry\n")
    done = lcm_lab("evaluate", "--on", store, *FAST, "--questions", "q.csv")
    assert done.code == 2
    assert "row 2: no message holds 'I wrote parseRetry'" in done.err
    (store.parent / "q.csv").write_text(
        'question,quote\nwho handles retries of uploads?,"I wrote parseRetryAfter() just now"\n'
    )
    done = lcm_lab("evaluate", "--on", store, *FAST, "--questions", "q.csv")
    assert done.code == 0, done.err
    assert "1 topic" in done.out


def test_an_empty_store_and_an_empty_transcript_are_one_line(lcm_lab, tmp_path):
    Store(tmp_path / "empty.db").close()
    (tmp_path / "empty.jsonl").write_text("")
    for source in ("empty.db", "empty.jsonl"):
        done = lcm_lab("evaluate", "--on", source, *FAST)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_options_of_ranking_are_refused_for_a_compaction_report(lcm_lab):
    done = lcm_lab("report", "--kind", "compaction", "--topics", "reuse")
    assert done.code == 2
    assert "--topics are of a ranking report" in done.err


def test_a_system_that_failed_as_a_whole_ends_with_one_after_the_rest_is_told(
    lcm_lab, store, monkeypatch
):
    def broken(self, corpus):
        raise MemoryError("no room")

    monkeypatch.setattr(TfIdf, "index", broken)
    weak = ("--policy", "ours=TfIdf() % 10")
    done = lcm_lab("evaluate", "--on", store, *FAST, *weak, "--topics", "known-item", "--json")
    assert done.code == 1
    assert "lcm-lab: failed as a whole: ours" in done.err
    (failure,) = [one for one in done.json["failures"] if not one["qid"]]
    assert failure["system"] == "ours"
    done = lcm_lab("report", "--on", store, *FAST, *weak, "--topics", "known-item", "--out", "p")
    assert done.code == 1
    assert (store.parent / "p" / "index.html").is_file()


def test_what_failed_nowhere_ends_with_nothing(lcm_lab, store):
    done = lcm_lab("evaluate", "--on", store, *FAST, "--topics", "known-item", "--json")
    assert (done.code, done.json["failures"]) == (0, [])


def test_the_folder_one_stands_in_has_a_name(lcm_lab, transcript, monkeypatch):
    done = lcm_lab("evaluate", "--on", ".", *FAST, "--topics", "known-item", "--json")
    assert done.json["collection"] == transcript.parent.name
    assert called("..") == transcript.parent.parent.name
    monkeypatch.setenv("HOME", str(transcript.parent))
    assert called("~") == called(".") == "home"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("-Users-alice-order-api", "order-api"),
        ("C--Users-alice-order-api", "order-api"),
        ("-home-alice", "home"),
        ("-srv-jean-luc-app", "app"),  # the home of who runs this
        ("-srv-jean-luc", "home"),
        ("-var-www-shop", "-var-www-shop"),
        ("Users-guide", "Users-guide"),
    ],
)
def test_the_folder_of_a_project_is_called_as_the_project(folder, name, monkeypatch):
    monkeypatch.setenv("HOME", "/srv/jean-luc")
    assert called(f"~/.claude/projects/{folder}") == name


def test_the_command_that_makes_a_report_again_names_nobody(lcm_lab, transcript):
    folder = transcript.parent / "-home-alice-shop"
    folder.mkdir()
    transcript.rename(folder / transcript.name)
    where = ["--topics", "known-item", "--out", "page"]
    assert lcm_lab("report", "--on", str(folder), *FAST, *where).code == 0
    made = json.loads((transcript.parent / "page" / "manifest.json").read_text())
    assert "alice" not in str(made)
    assert made["collection"]["name"] == "shop"
    assert "-home-*-shop" in made["command"]
