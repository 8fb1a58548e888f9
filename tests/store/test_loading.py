"""`load` of what lies in a database: mined as transcripts are, and nothing is written to it."""

import hashlib
import sqlite3
from dataclasses import replace

import pytest

from lcm_lab.errors import BadInput, LcmError, NotFound
from lcm_lab.store.loading import load
from lcm_lab.store.store import Store
from lcm_lab.transcripts.base import Transcripts
from lcm_lab.transcripts.probes.adjacent import Adjacency
from lcm_lab.transcripts.probes.known import KnownItem
from lcm_lab.transcripts.probes.mine import mine
from lcm_lab.transcripts.probes.reused import Reuse
from lcm_lab.transcripts.read import read
from tests.transcripts.histories import history, talk

CODE = "\n".join(f"def handler_{n}(request): return {n} * request.size" for n in range(9))
READ = ("Read", {"file_path": "/srv/app/handlers.py"})
SAID = Transcripts(
    talk(
        ("user", "The upload handlers are slow, why is that so?"),
        ("text+call", "Reading the upload handlers.", *READ),
        ("result", CODE),
        ("assistant", "They multiply sizes, see handlers.py for the slow loop of uploads."),
        ("user", "Now to something else: the colour of the logo."),
        ("assistant", "It is blue."),
        ("text+call", "Now compare how every upload handler multiplies sizes.", *READ),
        ("result", CODE),
        ("user", "Is the slow loop of all uploads still there in handlers.py after the change?"),
    )
)
KINDS = (KnownItem(), Reuse(), Adjacency())


@pytest.fixture
def path(tmp_path):
    """A store of one session."""
    with Store(tmp_path / "memory.db") as store:
        store.add(SAID)
    return tmp_path / "memory.db"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_store_gives_the_topics_of_the_transcripts_it_was_filled_with(path):
    with Store(path, readonly=True) as store:
        made = mine(store, KINDS)
    want = mine(SAID, KINDS)
    assert made.topics["query"].tolist() == want.topics["query"].tolist()
    assert made.topics["type"].tolist() == want.topics["type"].tolist()
    assert set(want.topics["type"]) >= {"known item", "reuse"}
    assert made.card["source"] == "a Store"


def test_loading_a_store_writes_nothing(path):
    before = digest(path)
    made = load(path)
    assert made.name == "memory.db"
    assert (made.topics["type"] == "no answer").sum() > 0
    assert digest(path) == before
    wal = path.with_name("memory.db-wal")
    assert not wal.exists() or not wal.stat().st_size


def test_a_store_that_somebody_writes_to_is_read_all_the_same(path):
    with Store(path) as writer, writer.writing():
        assert len(load(path).corpus) == len(SAID.corpus())


def test_an_empty_store_has_nothing_to_ask(tmp_path):
    Store(tmp_path / "empty.db").close()
    with pytest.raises(BadInput, match="No messages in a Store, so there is nothing to ask"):
        load(tmp_path / "empty.db")


def test_a_database_of_another_program_and_a_damaged_one_are_refused(tmp_path, path):
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("create table t (x)")
    other.close()
    with pytest.raises(BadInput):
        load(tmp_path / "other.db")
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 8192)
    with pytest.raises(LcmError):
        load(path)
    with pytest.raises(NotFound, match="No collection or path"):
        load(str(tmp_path / "gone.db"))


def test_a_store_still_to_be_sorted_says_so_on_the_card(path):
    with Store(path) as store:
        message = history("A branch that goes back.", session="s1", start=50)[0]
        store.append(replace(message, id="s1-x", parent="s1-2"))
        behind = store.indexing
        made = mine(store, KINDS)
    assert made.card.get("indexing", []) == behind


def test_the_database_of_lossless_claw_is_mined_without_its_summaries(shared):
    path = shared.parent / "conformance" / "lcm_reference.db"
    if not path.is_file():
        pytest.skip("no ../shared/conformance beside this checkout: its database is not tested")
    before = digest(path)
    made = load(path)
    assert set(made.corpus["scope"]) == {"messages"}
    assert made.card["source"] == "a LcmDatabase"
    assert "adjacency" in made.card["types"]
    assert digest(path) == before


def test_a_store_of_real_transcripts_gives_nearly_their_topics(shared, tmp_path):
    said = read(shared / "transcripts" / "obra_large-conversation.jsonl.xz")
    with Store(tmp_path / "memory.db") as store:
        store.add(said)
        made = mine(store, KINDS)
    want = mine(said, KINDS)
    assert set(made.topics["query"]) == set(want.topics["query"])
