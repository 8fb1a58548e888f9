"""A collection as a folder: streamed, byte for byte the same, never half under its name."""

import lzma
import os
import signal
import subprocess
import sys

import pytest

from lcm_lab.collection import Collection
from lcm_lab.errors import BadInput
from lcm_lab.synth.card import About
from lcm_lab.synth.folder import read_world, save
from lcm_lab.synth.generate import size_of, stream, write

FILES = {"card.json", "card.md", "corpus.jsonl.xz", "qrels.tsv", "topics.jsonl", "world.json.xz"}


def content(path):
    """A file's bytes; unpacked, since releases of liblzma may pack them differently."""
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def test_the_shipped_collection_is_generated_byte_for_byte(folder, built, tmp_path):
    made = write(tmp_path / "again", built)
    assert {path.name for path in folder.iterdir()} == FILES
    assert {path.name for path in made.iterdir()} == FILES
    for name in sorted(FILES):
        assert content(made / name) == content(folder / name), name


def test_what_is_written_opens_as_what_was_made(shipped, world, built):
    assert shipped.fingerprint == built.collection.fingerprint
    assert shipped.card == built.collection.card
    assert world == built.world


def test_progress_is_told_conversation_by_conversation(built, tmp_path):
    seen = []
    card = built.collection.card
    told = About(card["about"], card["like"], card["notes"])
    save(tmp_path / "chat", iter(built.parts), told, card["parameters"], seen.append)
    assert seen == list(range(1, size_of("chat") + 1))


@pytest.mark.slow
def test_a_conversation_at_a_time_gives_the_bytes_of_all_at_once(folder, tmp_path):
    made = stream(tmp_path / "streamed", "chat")
    for name in sorted(FILES):
        assert content(made / name) == content(folder / name), name


def test_size_l_has_two_hundred_conversations():
    assert [size_of("chat", size=size) for size in "SML"] == [10, 20, 200]


def test_a_collection_is_replaced_and_anything_else_is_left_alone(tmp_path, few):
    target = tmp_path / "chat"
    write(target, few(1))
    (target / "card.md").write_text("old")
    (target / "corpus.jsonl").write_text("of another one")
    write(target, few(1))
    assert {path.name for path in target.iterdir()} == FILES
    assert (target / "card.md").read_text(encoding="utf-8").startswith("# synth-chat-s")
    assert [path.name for path in tmp_path.iterdir()] == ["chat"]
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    with pytest.raises(BadInput, match="is there and is no collection"):
        write(tmp_path / "thesis", few(1))
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "mine"


def test_a_run_that_fails_leaves_nothing_behind(tmp_path):
    def stop(number):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stream(tmp_path / "chat", "chat", progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_run_that_is_killed_leaves_no_collection_and_the_next_one_clears_up(tmp_path, few):
    code = (
        "import sys; from lcm_lab.synth.generate import stream; "
        "stream(sys.argv[1], 'chat', size='L', progress=lambda n: print(n, flush=True))"
    )
    target = tmp_path / "chat"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline() == "1\n"
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert not target.exists()
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    write(target, few(1))
    assert [path.name for path in tmp_path.iterdir()] == ["chat"]
    assert Collection.open(target).fingerprint == few(1).collection.fingerprint
    assert read_world(target) == few(1).world
