"""How much a small file may claim to be."""

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lcm_lab.collection import unpack
from lcm_lab.errors import BadInput
from lcm_lab.times import instant
from lcm_lab.transcripts import tables
from lcm_lab.transcripts.read import read

LINE = b'{"role": "user", "content": "hello"}\n'


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: data], ids=["packed", "plain"])
def test_a_file_that_is_too_large_is_refused_before_it_fills_memory(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(unpack, "LARGEST", 1 << 21)
    path = tmp_path / "a.jsonl"
    path.write_bytes(pack(LINE * 60_000))
    with pytest.raises(BadInput, match="holds more than 2,097,152 bytes, packed or not"):
        read(path)
    path.write_bytes(pack(LINE))
    (tmp_path / "b.jsonl").write_bytes(pack(LINE * 60_000))
    both = read(tmp_path)
    assert (len(both.messages), [one.source for one in both.skipped]) == (1, ["b.jsonl"])


def test_a_file_of_many_small_streams_takes_linear_time(tmp_path):
    # To copy what is left after each would take minutes.
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(LINE) + gzip.compress(b"") * 30_000)
    assert unpack.unpack(path) == (LINE, True)


def test_a_cut_stream_is_read_up_to_the_cut(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    lines = b"".join(b'{"role": "user", "content": "%d"}\n' % n for n in range(90_000))
    path.write_bytes(gzip.compress(lines)[:-200])
    found, whole = unpack.unpack(path)
    assert not whole and lines.startswith(found) and len(found) > len(lines) - 20_000


def test_parquet_that_says_one_long_text_a_million_times_is_refused(monkeypatch):
    monkeypatch.setattr(tables, "LARGEST", 1 << 24)
    times = pa.array([0] * 1_000_000, pa.int32())
    columns = {
        name: pa.DictionaryArray.from_arrays(times, [text])
        for name, text in {"role": "user", "content": "y" * 10_000}.items()
    }
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    assert len(out.getvalue()) < 20_000
    with pytest.raises(BadInput, match="more than 16,777,216 bytes when it is unpacked"):
        tables.parquet(out.getvalue())


@pytest.mark.parametrize("digits", ["1" * 5_000, "-" + "9" * 5_000, "1." + "1" * 5_000, "9" * 400])
def test_a_time_of_thousands_of_digits_costs_itself_alone(tmp_path, digits):
    with pytest.raises(BadInput):
        instant(digits)
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"role": "user", "content": "a", "timestamp": "{digits}"}}\n{LINE.decode()}')
    assert [one.time for one in read(path).messages] == [None, None]
