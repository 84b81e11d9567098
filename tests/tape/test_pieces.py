"""Damage of a tape stays small: RECORDS chunks are written in pieces that are readable alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rings import plain_events
from tests.support.tapes import compare
from tests.support.wire_bytes import hello_body
from tickertape._native.engine import engine, using
from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ring import RingDecoder
from tickertape.edit.repair import repair
from tickertape.protocol.wire import (
    BUFFER_HEADER_DTYPE,
    CHUNK_HEADER_BYTES,
    BufferFlag,
    ByteOrder,
    ChunkType,
    record_dtype,
)
from tickertape.tape import TapeReader, TapeWriter, iter_events
from tickertape.tape.format import records_start
from tickertape.tape.pieces import PIECE_BYTES, pieces_of

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.records import Structured

_SECTOR_BYTES = 4096
_WORST_BYTES = 64 << 10
_RECORDS = 20_000
_FULL_BUFFER = 65_535


def buffer_body(first: int, count: int, order: str = "<", step: int = 7) -> bytes:
    """Return the body of a BUFFER frame with simple records, one every `step` ticks."""
    header = np.zeros(1, BUFFER_HEADER_DTYPE)
    header["first_ordinal"] = header["sent"] = first
    header["count"], header["ticks"], header["sequence"] = count, first * step, 3
    records = np.zeros(count, record_dtype(ByteOrder.LITTLE if order == "<" else ByteOrder.BIG))
    records["header"] = 6 << 10 | 5
    records["time"] = (np.arange(first, first + count) * step) & 0xFFFF_FFFF
    records["data0"] = np.arange(first, first + count)
    return header.tobytes() + records.tobytes()


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "t.tape"
    with TapeWriter(path) as writer:
        writer.hello(hello_body())
        for first in range(0, _RECORDS, 500):
            writer.buffer(0, 0, buffer_body(first, 500))
    return path


def event_count(path: Path) -> int:
    with TapeReader(path) as reader:
        return sum(map(len, iter_events(reader)))


def test_every_records_chunk_is_small(tape: Path) -> None:
    with TapeReader(tape) as reader:
        sizes = reader.chunks["body_bytes"][reader.chunks["type"] == ChunkType.RECORDS]
        assert sizes.max() <= PIECE_BYTES
        assert len(sizes) > _RECORDS * 16 // PIECE_BYTES
    compare(tape)
    assert event_count(tape) == _RECORDS


def test_a_wrong_bit_costs_one_piece(tape: Path) -> None:
    good = tape.read_bytes()
    rng = random.Random(5)
    for _ in range(60):
        data = bytearray(good)
        data[rng.randrange(64, len(data))] ^= 1 << rng.randrange(8)
        tape.write_bytes(data)
        assert event_count(tape) >= _RECORDS - PIECE_BYTES // 16


@pytest.mark.parametrize("closed", [True, False])
def test_a_bad_sector_costs_64_kib(tape: Path, *, closed: bool) -> None:
    good = tape.read_bytes()
    for sector in range(_SECTOR_BYTES, len(good) - _SECTOR_BYTES, 3 * _SECTOR_BYTES):
        data = bytearray(good if closed else good[:-_SECTOR_BYTES])
        data[sector : sector + _SECTOR_BYTES] = bytes(_SECTOR_BYTES)
        tape.write_bytes(data)
        short = 0 if closed else PIECE_BYTES
        assert event_count(tape) >= _RECORDS - (_WORST_BYTES + short) // 16
    compare(tape, damaged=True)


def test_a_truncated_tape_lacks_its_last_piece(tape: Path) -> None:
    good = tape.read_bytes()
    for size in range(1000, len(good), 9973):
        tape.write_bytes(good[:size])
        assert event_count(tape) >= (size - 1000 - PIECE_BYTES) // 17


def test_repair_divides_the_chunks_of_an_older_tape(tmp_path: Path) -> None:
    old = tmp_path / "old.tape"
    with pytest.MonkeyPatch.context() as patch, TapeWriter(old) as writer:
        patch.setattr(
            "tickertape.tape.chunk_file.pieces_of", lambda body, *counts: [(body, *counts[:2])]
        )
        writer.hello(hello_body())
        for first in range(0, _RECORDS, 500):
            writer.buffer(0, 0, buffer_body(first, 500))
        writer.flush()
    with TapeReader(old) as reader:
        assert reader.chunks["body_bytes"].max() > 5 * PIECE_BYTES
        before = plain_events(list(iter_events(reader)))
    repair(old, tmp_path / "new.tape")
    with TapeReader(tmp_path / "new.tape") as reader:
        assert reader.chunks["body_bytes"].max() <= PIECE_BYTES
        assert plain_events(list(iter_events(reader))) == before
        assert balance_of(reader).total.delivered == _RECORDS


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_long_buffer_is_divided(tmp_path: Path, order: str) -> None:
    path = tmp_path / "long.tape"
    step = 1 << 20  # the clock wraps several times
    with TapeWriter(path) as writer:
        writer.hello(hello_body(byte_order=order))
        writer.buffer(0, 0, buffer_body(0, _FULL_BUFFER, order, step))
        writer.buffer(0, 0, buffer_body(_FULL_BUFFER, 10, order, step))
    with TapeReader(path) as reader:
        assert reader.chunks["body_bytes"].max() <= PIECE_BYTES
        found = np.concatenate([part.time for part in iter_events(reader)])
        assert balance_of(reader).rings[0].contradictions == ()
    assert np.array_equal(found, np.arange(_FULL_BUFFER + 10, dtype=np.uint64) * step)
    compare(path)


def decoded(buffers: Structured, records: Structured) -> list[object]:
    decoder = RingDecoder((0, 0), byte_order=ByteOrder.LITTLE, counters=DecodeCounters())
    return list(plain_events([decoder.feed(buffers, records), decoder.finish()]))


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=6), st.integers(0, 2**32))
def test_pieces_contain_the_same_events(counts: list[int], seed: int) -> None:
    """Combine events, wraps of the clock and marks of losses do not depend on the division."""
    total = sum(counts)
    rng = np.random.default_rng(seed)
    buffers = np.zeros(len(counts), BUFFER_HEADER_DTYPE)
    buffers["count"] = counts
    buffers["first_ordinal"] = buffers["sent"] = np.cumsum([0, *counts[:-1]])
    buffers["flags"] = rng.choice([0, 0, BufferFlag.LOSS_BEFORE], len(counts))
    steps = rng.choice(np.array([0, 1, 1000, 2**31], np.uint64), total)
    time = np.cumsum(steps) + np.uint64(2**33)
    records = np.zeros(total, record_dtype(ByteOrder.LITTLE))
    records["header"] = rng.choice([0, 0, 0, 1, 2, 3], total) << 30 | 6 << 10 | 5
    records["time"] = (time & np.uint64(0xFFFF_FFFF)).astype(np.uint32)
    firsts = np.cumsum(counts) - counts
    # Anchors of the time of the first SIMPLE or BEGIN record.
    for number, (first, count) in enumerate(zip(firsts.tolist(), counts, strict=True)):
        starts = np.flatnonzero(records["header"][first : first + count] < 2 << 30)
        buffers["ticks"][number] = time[first + starts[0]] if len(starts) else 2**33
    headers = buffers.tobytes()
    body = [headers, bytes(records_start(len(counts)) - len(headers)), records.tobytes()]
    pieces = list(pieces_of(body, len(counts), total, ByteOrder.LITTLE))
    bodies = [b"".join(piece.body) for piece in pieces]
    assert all(len(one) <= PIECE_BYTES for one in bodies)
    assert [piece.record_count for piece in pieces if not piece.buffer_count] == []
    parts = [
        np.frombuffer(one, BUFFER_HEADER_DTYPE, piece.buffer_count)
        for one, piece in zip(bodies, pieces, strict=True)
    ]
    rest = [one[records_start(len(part)) :] for one, part in zip(bodies, parts, strict=True)]
    assert b"".join(rest) == records.tobytes()
    assert decoded(np.concatenate(parts), records) == decoded(buffers, records)


def test_both_engines_find_the_same_damage(tape: Path) -> None:
    data = bytearray(tape.read_bytes())
    with TapeReader(tape) as reader:
        rows = reader.record_rows(reader.rings[0])
        offsets = reader.chunks["offset"][rows].tolist()
    data[offsets[1] + CHUNK_HEADER_BYTES + 5] ^= 4
    data[offsets[4] + CHUNK_HEADER_BYTES + 5000] ^= 4
    tape.write_bytes(data)
    found = []
    for chosen in (engine(), None):
        with using(chosen), TapeReader(tape) as reader:
            events = plain_events(list(iter_events(reader)))
            found.append((events, [(issue.offset, issue.what) for issue in reader.issues]))
    assert found[0] == found[1]
    assert [offset for offset, _ in found[0][1]] == [offsets[1], offsets[4]]
