from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support import wire_bytes
from tests.support.tapes import buffer, file_size_limit, fill
from tickertape.decode.frames import LinkCounters
from tickertape.errors import (
    NotATape,
    TapeDamaged,
    TapeEmpty,
    TapeError,
    TapeMissing,
    TapeVersion,
    TapeWriteFailed,
)
from tickertape.protocol.wire import ByteOrder, ChunkType
from tickertape.tape import TapeReader, TapeWriter
from tickertape.tape.format import RingKey, build_chunk_header
from tickertape.tape.writer import CHUNK_RECORDS

if TYPE_CHECKING:
    from pathlib import Path


def times(reader: TapeReader, ring: RingKey) -> list[int]:
    return [int(time) for chunk in reader.records_chunks(ring) for time in chunk.records["time"]]


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    with TapeWriter(tmp_path / "t.tape", meta={"link": "memory"}) as writer:
        fill(writer)
    return tmp_path / "t.tape"


def test_everything_comes_back(tape: Path) -> None:
    with TapeReader(tape) as reader:
        assert reader.closed
        assert reader.issues == []
        assert reader.meta == {"link": "memory", "board": "native"}
        assert reader.rings == [RingKey(0, 0, 0), RingKey(0, 0, 1), RingKey(1, 0, 0)]
        assert reader.epochs == [0, 1]
        assert reader.record_count == 9
        assert times(reader, RingKey(0, 0, 0)) == [0, 1, 2, 3, 4, 5]
        assert times(reader, RingKey(0, 0, 1)) == [0, 1]
        assert times(reader, RingKey(1, 0, 0)) == [0]
        assert sum(len(chunk.records) for chunk in reader.records_chunks()) == 9
        assert [name.text for name in reader.names().values()] == ["idle"]
        assert reader.names(1) == {}
        assert reader.texts == ["hello"]
        assert reader.notes == ["a remark"]
        (anchor,) = reader.anchors
        assert (anchor.epoch, anchor.target_ticks, anchor.host_ns, anchor.uncertainty_ns) == (
            0,
            1,
            2,
            3,
        )
        assert reader.link_counters == LinkCounters(5, 4, 3, 2, 1)
        assert [hello.boot_id for hello in reader.hellos.values()] == [0, 9]
        assert reader.hello == reader.hellos[0]
        assert len(list(reader.statuses(RingKey(0, 0, 1)))) == 1
        assert reader.unknown_chunks == 0


def test_the_walk_finds_what_the_index_says(tape: Path, tmp_path: Path) -> None:
    data = tape.read_bytes()
    (tmp_path / "cut.tape").write_bytes(data[:-32])
    with TapeReader(tape) as whole, TapeReader(tmp_path / "cut.tape") as cut:
        assert whole.chunks[-1]["type"] == ChunkType.END
        assert (whole.chunks[:-1] == cut.chunks).all()
        assert not cut.closed
        assert "not closed" in cut.issues[0].what


def test_a_damaged_index_is_rebuilt(tape: Path) -> None:
    data = bytearray(tape.read_bytes())
    data[-60] ^= 1
    tape.write_bytes(data)
    with TapeReader(tape) as reader:
        assert reader.closed
        assert reader.record_count == 9


def test_a_tape_cut_anywhere_opens(tape: Path) -> None:
    data = tape.read_bytes()
    with TapeReader(tape) as reader:
        chunks = [
            (int(chunk["offset"]) + 32 + int(chunk["body_bytes"]), int(chunk["record_count"]))
            for chunk in reader.chunks
        ]
    for size in range(64, len(data)):
        tape.write_bytes(data[:size])
        with TapeReader(tape) as reader:
            assert reader.record_count == sum(count for end, count in chunks if end <= size)
            assert sum(len(chunk.records) for chunk in reader.records_chunks()) == (
                reader.record_count
            )
            assert reader.closed == (size >= chunks[-1][0])
            assert reader.closed or reader.issues


@pytest.mark.parametrize("size", [0, 1, 7, 8, 40, 63])
def test_a_tape_cut_in_its_header_is_said_to_be(tape: Path, size: int) -> None:
    tape.write_bytes(tape.read_bytes()[:size])
    with pytest.raises(TapeDamaged) as caught:
        TapeReader(tape)
    assert isinstance(caught.value, TapeEmpty) == (size == 0)


def test_every_flipped_byte_costs_at_most_one_chunk(tape: Path) -> None:
    data = tape.read_bytes()
    for place in range(64, len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0xFF
        tape.write_bytes(damaged)
        with TapeReader(tape) as reader:
            found = sum(len(chunk.records) for chunk in reader.records_chunks())
            read_everything(reader)
            assert found >= 9 - 6
            assert found == 9 or reader.issues


def read_everything(reader: TapeReader) -> None:
    reader.names()
    _ = reader.hellos, reader.meta, reader.anchors, reader.link_counters, reader.texts
    _ = reader.notes
    for ring in reader.rings:
        list(reader.statuses(ring))


def test_unknown_chunks_are_skipped_and_counted(tape: Path) -> None:
    data = bytearray(tape.read_bytes())
    with TapeReader(tape) as reader:
        place = int(next(one for one in reader.chunks if one["type"] == ChunkType.NOTE)["offset"])
    body = bytes(data[place + 32 : place + 32 + 8])
    fields = {"stream": 0, "cpu": 0, "epoch": 0, "buffer_count": 0, "record_count": 0}
    data[place : place + 32] = build_chunk_header([body], type=777, **fields)
    tape.write_bytes(data[:-32])
    with TapeReader(tape) as reader:
        assert reader.unknown_chunks == 1
        assert any("unknown type 777" in issue.what for issue in reader.issues)
        assert reader.record_count == 9


def test_another_major_version_is_refused(tape: Path) -> None:
    data = bytearray(tape.read_bytes())
    data[8] = 2
    tape.write_bytes(data)
    with pytest.raises(TapeVersion, match="version 2"):
        TapeReader(tape)


def test_a_damaged_header_is_refused(tape: Path) -> None:
    data = bytearray(tape.read_bytes())
    data[30] ^= 1
    tape.write_bytes(data)
    with pytest.raises(TapeDamaged):
        TapeReader(tape)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("this is not a tape, though it is long enough " * 3)
    with pytest.raises(NotATape):
        TapeReader(tmp_path / "text")
    with pytest.raises(NotATape):
        TapeReader(tmp_path)
    with pytest.raises(TapeMissing):
        TapeReader(tmp_path / "nowhere")


def test_big_endian_records(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(wire_bytes.hello_body(byte_order=">"))
        writer.buffer(0, 0, buffer(0, 3, ">"))
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.header.byte_order is ByteOrder.BIG
        assert times(reader, RingKey(0, 0, 0)) == [0, 1, 2]


def test_big_endian_records_that_came_before_the_first_hello(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.buffer(0, 0, buffer(0, 3, ">"))
        writer.flush()
        writer.hello(wire_bytes.hello_body(byte_order=">"))
    with TapeReader(tmp_path / "t.tape") as reader:
        assert times(reader, RingKey(0, 0, 0)) == [0, 1, 2]


def test_one_tape_holds_one_byte_order(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(wire_bytes.hello_body())
        writer.buffer(0, 0, buffer(0, 3))
        with pytest.raises(TapeError, match="byte order"):
            writer.hello(wire_bytes.hello_body(byte_order=">"))


def test_buffers_are_gathered_into_chunks(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        for first in range(0, 2 * CHUNK_RECORDS, 1024):
            writer.buffer(0, 0, buffer(first, 1024))
        writer.buffer(0, 0, buffer(2 * CHUNK_RECORDS, 5))
    with TapeReader(tmp_path / "t.tape") as reader:
        sizes = [len(chunk.records) for chunk in reader.records_chunks()]
        assert sizes == [CHUNK_RECORDS, CHUNK_RECORDS, 5]
        assert [len(chunk.buffers) for chunk in reader.records_chunks()] == [64, 64, 1]


def test_what_repeats_is_written_once(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        for ticks in range(3):
            writer.hello(wire_bytes.hello_body(ticks=ticks))
            writer.name(wire_bytes.name_body(1, 5, "idle"))
        writer.name(wire_bytes.name_body(1, 5, "renamed"))
    with TapeReader(tmp_path / "t.tape") as reader:
        kinds = reader.chunks["type"].tolist()
        assert kinds.count(ChunkType.HELLO) == 1
        assert kinds.count(ChunkType.NAME) == 2
        assert reader.names()[1, 5].text == "renamed"


def test_a_tape_replaces_an_older_one_whole(tape: Path) -> None:
    with TapeReader(tape) as old:
        writer = TapeWriter(tape)
        with TapeReader(tape) as new:
            assert new.record_count == 0
        assert old.record_count == 9
        assert times(old, RingKey(0, 0, 0)) == [0, 1, 2, 3, 4, 5]
        writer.close()
    assert sorted(path.name for path in tape.parent.iterdir()) == ["t.tape", "t.tape.old"]


def test_boots_are_counted_in_sixteen_bits(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.epoch = 0xFFFE
        writer.new_epoch()
        with pytest.raises(TapeError, match="65536 boots"):
            writer.new_epoch()
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.epochs == [0xFFFF]


def test_closing_twice_is_allowed(tmp_path: Path) -> None:
    writer = TapeWriter(tmp_path / "t.tape")
    writer.close()
    size = writer.written_bytes
    writer.close()
    assert (tmp_path / "t.tape").stat().st_size == size
    with pytest.raises(TapeWriteFailed):
        writer.note("too late")


@pytest.mark.parametrize(
    ("name", "advice"), [("missing/t.tape", "folder"), (".", "name of a file")]
)
def test_what_cannot_be_created_is_said(tmp_path: Path, name: str, advice: str) -> None:
    with pytest.raises(TapeWriteFailed, match=advice):
        TapeWriter(tmp_path / name)


def test_a_full_disk_is_said_at_once() -> None:
    with pytest.raises(TapeWriteFailed, match=r"No space left on device.*free some space"):
        TapeWriter("/dev/full")


@pytest.mark.parametrize("limit", [200, 1000, 5000, 33_000, 60_001])
def test_what_fitted_on_a_full_disk_is_kept(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "t.tape"
    writer = TapeWriter(path)
    writer.hello(wire_bytes.hello_body())
    written: list[int] = []

    def write_until_full() -> None:
        while True:
            writer.buffer(0, 0, buffer(50 * len(written), 50))
            writer.flush()
            written.append(50)

    with file_size_limit(limit):
        with pytest.raises(TapeWriteFailed, match="are kept"):
            write_until_full()
        writer.close()
    assert path.stat().st_size <= limit
    with TapeReader(path) as reader:
        assert reader.record_count == sum(written)
        assert times(reader, RingKey(0, 0, 0)) == list(range(sum(written)))
        assert [issue.what for issue in reader.issues] in ([], ["the tape was not closed properly"])


def test_nonsense_in_meta_and_names_is_noted(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(wire_bytes.hello_body())
        writer._append(ChunkType.META, [b"{"])
        writer._append(ChunkType.META, [json.dumps([1]).encode()])
        writer._append(ChunkType.NAME, [b"x"])
        writer._append(ChunkType.ANCHOR, [b"x"])
        writer._append(ChunkType.RECEIPT, [b"x"])
        writer._append(ChunkType.RECORDS, [b"x"], record_count=1)
        header_only = wire_bytes.buffer_body((0, 0, 0), 0, 0, b"") + bytes(8)
        writer._append(ChunkType.RECORDS, [header_only, bytes(16)], buffer_count=1, record_count=1)
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.meta == {}
        assert reader.names() == {}
        assert reader.anchors == []
        assert reader.link_counters is None
        assert list(reader.records_chunks()) == []
        assert len(reader.issues) == 7


def test_without_a_hello_the_reader_says_what_it_guesses(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.buffer(0, 0, buffer(0, 3))
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.hello is None
        assert ["no HELLO" in issue.what for issue in reader.issues] == [True]


def test_views_outlive_the_reader(tape: Path) -> None:
    with TapeReader(tape) as reader:
        chunk = next(reader.records_chunks())
    assert chunk.records["time"].tolist() == [0, 1, 2, 3, 4, 5]
