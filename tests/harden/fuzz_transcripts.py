"""Laws of transcripts: whatever stands in a file, what can be read is, and the rest is told of."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import tempfile
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path

import pandas as pd
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.messages import Message, Part
from lcm_lab.store.store import Store
from lcm_lab.times import instant
from lcm_lab.transcripts.lines import Bad, decode, records
from tests.harden.fuzzing import ROOT, done, law, tried
from tests.harden.given import damaged, deep, json_values, texts

SHARED = ROOT.parent / "shared" / "data" / "transcripts"
#: Of each format some lines, for where there is no folder of real ones.
AT = "2026-03-01T10:00:0{}Z"
ASKED, SAID = "Which database?", {"type": "text", "text": "Postgres."}
CALL = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a.py"}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "x = 1"}
SHELL = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}
MADE = {
    "claude": [
        {"type": "user", "uuid": "a", "sessionId": "s", "timestamp": AT.format(0), "cwd": "/srv",
         "message": {"role": "user", "content": ASKED}},
        {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s",
         "message": {"id": "m", "role": "assistant", "content": [SAID, CALL]}},
        {"type": "user", "uuid": "c", "parentUuid": "b", "sessionId": "s",
         "message": {"role": "user", "content": [RESULT]}},
    ],
    "codex": [
        {"timestamp": AT.format(0), "type": "session_meta", "payload": {"id": "s", "cwd": "/srv"}},
        {"timestamp": AT.format(1), "type": "response_item", "payload": {"type": "message",
         "role": "user", "content": [{"type": "input_text", "text": ASKED}]}},
        {"timestamp": AT.format(2), "type": "response_item", "payload": SHELL},
    ],
    "plain": [
        {"role": "user", "content": ASKED, "time": "2026-03-01", "session": "s"},
        {"role": "assistant", "content": "Postgres.", "speaker": "Ada"},
    ],
    "openclaw": [
        {"type": "session", "version": 3, "id": "s", "timestamp": AT.format(0), "cwd": "/srv"},
        {"type": "message", "id": "a", "parentId": None, "timestamp": AT.format(1),
         "message": {"role": "user", "content": [SAID]}},
    ],
}  # fmt: skip
#: The first and the last instant that can be written.
EARLIEST, LATEST = instant("0001-01-01"), instant("9999-12-31T23:59:59.999999Z")
PACK = {".xz": lzma.compress, ".gz": gzip.compress, ".bz2": bz2.compress}


@cache
def seeds():
    """Give the bytes of transcripts to damage, real ones where there are some."""
    real = sorted(SHARED.glob("*.xz")) if SHARED.is_dir() else []
    unpacked = [lzma.decompress(path.read_bytes()) for path in real]
    short = [b"\n".join(data.split(b"\n")[:24]) if b"\n{" in data else data for data in unpacked]
    made = [
        b"".join(json.dumps(line).encode() + b"\n" for line in lines) for lines in MADE.values()
    ]
    return [*made, *(data for data in short if len(data) < 60_000)]


@cache
def seed_lines():
    """Give every JSON object of the seeds, by seed."""
    found = []
    for data in seeds():
        lines = [one.value for one in records(decode(data)) if not isinstance(one, Bad)]
        found.append([line for line in lines if isinstance(line, dict) and len(str(line)) < 20_000])
    return [lines for lines in found if lines]


@cache
def folder():
    """Make a folder to write in, gone with this process's files."""
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


def read(data, name="a.jsonl"):
    """Read bytes as a file of a transcript; hold what comes of it to what is promised."""
    path = folder() / name
    path.write_bytes(data)
    found = tried(lcm.read, path)
    if found is None:
        return None
    ids = [message.id for message in found.messages]
    assert len(set(ids)) == len(ids)
    for message in found.messages:
        for text in (message.id, message.session, message.parent, message.stamp, message.speaker):
            text.encode()
        for part in message.parts:
            f"{part.text}{part.name}{part.call}{part.raw}".encode()
    lines = data.count(b"\n") + data.count(b"\r") + 2 if not name.endswith(tuple(PACK)) else 1 << 30
    assert all(0 <= one.line <= lines for one in found.skipped)
    repr(found)
    found.summary()
    return found


def kept(found):
    """Put what was read into a store; hold the store to its rules, and to what was read."""
    with Store(":memory:") as store:
        store.add(found)
        faults = list(store.faults())
        assert not faults, faults[:3]
        again = store.add(found)
        assert not again.messages, f"added again: {again}"
        texts = sorted(text for message in found for text in said(message))
        there = [m for name in store.conversations()["name"] for m in store.messages(name)]
        assert sorted(text for message in there for text in said(message)) == texts
        store.corpus()


def said(message):
    return [part.text for part in message.parts]


@law(
    st.binary(max_size=300) | st.deferred(lambda: st.sampled_from(seeds()).flatmap(damaged)), 2_500
)
def bytes_are_read_or_refused(data):
    found = read(data)
    if found is not None:
        found.corpus(("text", "tool_call", "tool_result", "reasoning", "summary"), abandoned=True)


@law(json_values | deep | st.lists(st.dictionaries(texts, json_values)), 2_500)
def json_is_read_or_refused(value):
    data = json.dumps(value).encode()
    read(data)
    read(b"[" + data + b"]\n" + data, "a.json")


def places(value, path=()):
    """List the place of everything inside a value."""
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        yield from places(item, (*path, key))


def put(value, path, change):
    """Give a value with what stands in one place changed; ``change`` gives a list, [] is gone."""
    if not path:
        return change(value)
    new = put(value[path[0]], path[1:], change)
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key != path[0]}
        return [kept | ({path[0]: new[0]} if new else {})]
    return [[*value[: path[0]], *new, *value[path[0] + 1 :]]]


@st.composite
def retyped(draw):
    """Give the lines of a transcript, with fields deleted, retyped and taken from others."""
    lines = list(draw(st.sampled_from(seed_lines())))
    start = draw(st.integers(0, max(0, len(lines) - 12)))
    lines = lines[start : start + 12]
    others = draw(st.sampled_from(seed_lines()))
    odd = (
        json_values
        | deep
        | st.sampled_from(
            [
                10**30,
                -1,
                1e308,
                "",
                "\ud800",
                [],
                {},
                [{}],
                [[]],
                "assistant",
                "user",
                "2026-03-01T10:00:00Z",
                True,
            ]
        )
    )
    changed = set()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        changed.add(at)
        line = lines[at]
        how = draw(
            st.sampled_from(["field", "field", "field", "swap", "double", "other", "parent"])
        )
        if how == "swap":
            to = draw(st.integers(0, len(lines) - 1))
            changed.add(to)
            lines[at], lines[to] = lines[to], line
        elif how == "double":
            lines[at:at] = [line]
            changed = {old + (old >= at) for old in changed} | {at}
        elif how == "other":
            lines[at] = draw(st.sampled_from(others))
        elif how == "parent" and isinstance(line, dict):
            ids = [one.get("uuid") or one.get("id") for one in lines if isinstance(one, dict)]
            lines[at] = line | {
                key: draw(st.sampled_from(ids)) for key in ("parentUuid", "parentId", "uuid")
            }
        else:
            path = draw(st.sampled_from(list(places(line))[1:] or [()]))
            new = draw(st.just([]) | odd.map(lambda one: [one]))
            lines[at] = (put(line, path, lambda _, new=new: new) or [{}])[0]
    return lines


@law(st.deferred(retyped), 1_200)
def lines_that_were_changed_are_read_or_told_of(lines):
    found = read(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    if found is not None:
        kept(found)


@st.composite
def one_damaged(draw):
    """Give the lines of a transcript, and one of them damaged."""
    lines = draw(st.sampled_from(seed_lines()))[:24]
    written = [json.dumps(line).encode() for line in lines]
    at = draw(st.integers(0, len(lines) - 1))
    broken = draw(damaged(written[at])).replace(b"\n", b" ").replace(b"\r", b" ")
    return written, at, broken


@law(st.deferred(one_damaged), 800)
def a_damaged_line_costs_itself_and_nothing_beside_it(given):
    written, at, broken = given
    whole = read(b"\n".join(written) + b"\n")
    found = read(b"\n".join([*written[:at], broken, *written[at + 1 :]]) + b"\n")
    if whole is None or found is None:
        return
    without = read(b"\n".join([*written[:at], *written[at + 1 :]]) + b"\n")
    there = Counter(text for message in found for text in said(message))
    due = Counter(text for message in without or () for text in said(message))
    lost = due - there
    assert not lost, f"line {at + 1} was damaged, and lost is {list(lost)[:2]}"


ENDS = st.sampled_from(
    [b"\n", b"\r\n", b"\r", b"\n\n", b"\n\x00\n", b" \n\t", b"\x0c\n", b"\xe2\x80\xa8\n"]
)


@law(
    st.deferred(
        lambda: st.tuples(
            st.sampled_from(seed_lines()),
            ENDS,
            st.sampled_from(
                [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\n\n", b"# x\n", b"[", b"[\n"]
            ),
            st.booleans(),
        )
    ),
    300,
)
def ends_and_marks_lose_nothing(given):
    lines, end, mark, torn = given
    written = [json.dumps(line).encode() for line in lines[:20]]
    plain = read(b"\n".join(written) + b"\n")
    other = read(mark + end.join(written) + (b'\n{"type": "us' if torn else end))
    if plain is None or mark in (b"\x00", b"\xff\xfe", b"[", b"[\n") or end in (b"\r", b"\n\x00\n"):
        return
    assert other is not None
    assert [said(message) for message in other] == [said(message) for message in plain]
    assert bool(other.skipped) >= torn


@st.composite
def packed(draw):
    """Give a transcript, how it is packed, and how much of the file there is."""
    data = draw(st.sampled_from(seeds()))
    ending = draw(st.sampled_from(sorted(PACK)))
    whole = PACK[ending](data)
    if draw(st.booleans()):
        whole += PACK[ending](data[: draw(st.integers(0, 200))])
    cut = draw(st.integers(0, len(whole)))
    return ending, whole, cut


@law(st.deferred(packed), 800)
def a_file_that_is_cut_is_never_taken_for_whole(given):
    ending, file, cut = given
    whole, part = read(file, f"a.jsonl{ending}"), read(file[:cut], f"a.jsonl{ending}")
    if whole is None or part is None:
        return
    if sum(map(len, map(said, part))) < sum(map(len, map(said, whole))):
        assert part.skipped or part.notes, (
            f"{len(part)} of {len(whole)} messages, and nothing is said"
        )


@law(
    st.deferred(
        lambda: st.tuples(
            st.sampled_from(seeds()), st.sampled_from(["tar", "tar.gz", "zip"])
        ).flatmap(lambda both: st.tuples(st.just(both[1]), damaged(archive(*both))))
    ),
    400,
)
def an_archive_is_read_or_refused(given):
    read(given[1], f"a.{given[0]}")
    read(given[1], "a.jsonl.gz")


def archive(data, kind):
    """Pack a transcript as archives do."""
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w") as held:
            held.writestr("a.jsonl", data)
    else:
        with tarfile.open(fileobj=out, mode="w:gz" if kind.endswith("gz") else "w") as held:
            about = tarfile.TarInfo("a.jsonl")
            about.size = len(data)
            held.addfile(about, io.BytesIO(data))
    return out.getvalue()


cells = texts | st.sampled_from(
    ["user", "assistant", "", '"', "2026-03-01", '"a\nb"', "1", "x" * 200]
)
headings = st.lists(
    st.sampled_from(["role", "text", "content", "time", "Session ID", "speaker"]) | texts,
    min_size=1,
    max_size=5,
)


@law(
    st.tuples(
        headings, st.lists(st.lists(cells, max_size=6), max_size=6), st.sampled_from(",\t;|")
    ),
    1_500,
)
def a_table_is_read_or_refused(given):
    heading, rows, by = given
    data = "\n".join(by.join(row) for row in (heading, *rows))
    read(data.encode("utf-8", "surrogatepass"), "a.csv")


@cache
def table():
    """Make a table of messages in parquet."""
    rows = [
        {"role": "user", "content": f"use WAL {i}", "time": i, "session": "s"} for i in range(50)
    ]
    return pd.DataFrame(rows).to_parquet()


@law(st.deferred(lambda: damaged(table())), 1_500)
def a_parquet_table_is_read_or_refused(data):
    read(data, "a.parquet")


roles = st.sampled_from(["user", "assistant", "tool", "system", ""]) | texts
kinds = ("text", "tool_call", "tool_result", "reasoning", "summary", "image", "unknown")
parts = st.builds(Part, st.sampled_from(kinds), texts, texts, texts, st.booleans(), texts)
instants = st.none() | st.integers(-(10**15), 10**16) | st.sampled_from([0, -1, EARLIEST, LATEST])
ids = st.sampled_from(["", "a", "b", "c"]) | texts
several = st.lists(parts, max_size=4).map(tuple)
messages = st.builds(Message, ids, ids, roles, several, instants, texts, ids)


@law(st.lists(messages, max_size=8), 1_500)
def messages_are_kept_or_refused(some):
    with Store(":memory:", large=200) as store:
        for message in some:
            tried(store.append, message)
        tried(store.reconcile)
        faults = list(store.faults())
        assert not faults, faults[:3]
        store.corpus()
        for name in store.conversations()["name"]:
            assert not store.dag(name).check()["violations"].any()


FIELDS = (
    "role",
    "sender",
    "content",
    "text",
    "parent",
    "mapping",
    "messages",
    "conversations",
    "history",
    "events",
)


@law(
    st.deferred(
        lambda: st.recursive(
            json_values,
            lambda inner: (
                st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
                | st.lists(inner, max_size=3)
            ),
            max_leaves=12,
        )
    ),
    2_500,
)
def what_nearly_is_an_export_is_read_or_refused(value):
    read(json.dumps(value).encode(), "a.json")


@law(st.deferred(lambda: st.sampled_from(seeds()).flatmap(damaged)), 400)
def a_collection_of_transcripts_is_mined_or_refused(data):
    path = folder() / "mined.jsonl"
    path.write_bytes(data)
    made = tried(lcm.load, path)
    if made is not None:
        repr(made)
        done["mined"] += 1
