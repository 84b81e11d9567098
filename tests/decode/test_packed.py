"""The unpacker, compared with a simple one written from the specification alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import unpack_reference
from tests.support.packing import PackedFields, Row, packed_body, varint
from tickertape.decode.bodies import BadBodyError, parse_buffer_header
from tickertape.decode.packed import UnpackedBuffer, unpack
from tickertape.protocol.wire import ByteOrder, record_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

WORD = 1 << 32


def random_rows(rng: random.Random, most: int = 60) -> tuple[int, list[Row]]:
    """Return ticks and random records: times mostly in order, words mostly repeated."""
    headers = [rng.randrange(WORD) for _ in range(rng.choice([1, 3, 4, 19, 20, 21, 60]))]
    words = [rng.randrange(WORD) for _ in range(4)] + [0, 1, 2, 17, 255]
    ticks = rng.choice([0, rng.randrange(1 << 64)])
    now = ticks
    rows: list[Row] = []
    for _ in range(rng.randrange(most)):
        now += rng.choice([0, rng.randrange(30), rng.randrange(1 << 20), rng.randrange(WORD)])
        rows.append((rng.choice(headers), now % WORD, rng.choice(words), rng.choice(words)))
    return ticks, rows


def random_body(rng: random.Random, most: int = 60) -> tuple[PackedFields, list[Row], bytes]:
    ticks, rows = random_rows(rng, most)
    ordinal, dropped, sent = (rng.randrange(1 << rng.choice([7, 8, 32, 64])) for _ in range(3))
    fields = PackedFields(ordinal, dropped, sent, ticks, rng.randrange(WORD), rng.randrange(256))
    return fields, rows, packed_body(fields, rows, rng)


def assert_same(found: UnpackedBuffer | BadBodyError, body: bytes) -> None:
    """Check that both unpackers give the same result for a body."""
    try:
        expected = unpack_reference.unpack(body)
    except ValueError:
        assert isinstance(found, BadBodyError)
        return
    assert isinstance(found, UnpackedBuffer)
    header = found.header
    assert header.first_ordinal == expected.first_ordinal
    assert header.dropped == expected.dropped
    assert header.sent == expected.sent
    assert header.ticks == expected.ticks
    assert header.sequence == expected.sequence
    assert header.count == expected.count
    assert header.ring_number == expected.ring_number
    assert found.records.tolist() == expected.records


@given(st.integers(0, 2**40))
def test_any_bodies_come_back(seed: int) -> None:
    rng = random.Random(seed)
    made = [random_body(rng) for _ in range(rng.randrange(6))]
    found = unpack([body for _, _, body in made])
    for one, (fields, rows, body) in zip(found, made, strict=True):
        assert isinstance(one, UnpackedBuffer)
        assert one.records.tolist() == rows
        assert one.header.ticks == fields.ticks
        assert_same(one, body)


def broken(body: bytes, rng: random.Random) -> bytes:
    """Return a damaged body; on a link, the CRC would detect the damage."""
    at = rng.randrange(len(body))
    accident = rng.randrange(6)
    if accident == 0:
        return body[:at]
    if accident == 1:
        return body[:at] + body[at + 1 :]
    if accident == 2:
        return body + bytes([rng.choice([0, 1, 255])])
    if accident == 3:
        return rng.randbytes(rng.randrange(100))
    changed = bytearray(body)
    for _ in range(accident - 3):
        changed[rng.randrange(min(len(body), 40))] ^= 1 << rng.randrange(8)
    return bytes(changed)


@given(st.integers(0, 2**40))
def test_what_makes_no_sense_is_refused_and_nothing_else(seed: int) -> None:
    """Bad bodies among good ones give no records and do not affect the good ones."""
    rng = random.Random(seed)
    bodies = [random_body(rng, 20)[2] for _ in range(rng.randrange(1, 6))]
    bodies = [broken(body, rng) if rng.random() < 0.6 else body for body in bodies]
    for found, body in zip(unpack(bodies), bodies, strict=True):
        assert_same(found, body)


def front(count: int, *, usual: int = 4, kinds: Sequence[bytes] = (b"\0\1",)) -> bytes:
    return bytes(5) + varint(count) + bytes([0, usual, len(kinds)]) + b"".join(kinds)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "missing"),
        (bytes(8), "missing"),
        (b"\x80" * 40, "missing"),
        (b"\x80" * 9 + b"\2" + bytes(12), "not a number"),
        (b"\x80\0" + bytes(12), "not a number"),
        (bytes(4) + varint(WORD) + b"\0\0\1\0", "too large"),
        (front(4093) + bytes(4093), "more records"),
        (front(1, usual=0) + b"\0", "length of a time"),
        (front(1, usual=8) + b"\0", "length of a time"),
        (front(0, kinds=[b"\x03\1"]), "table"),
        (front(0, kinds=[b"\x30\1"]), "table"),
        (front(0, kinds=[b"\x80\1"]) + b"\0", "table"),
        (front(0, kinds=[b"\0" + varint(WORD)]), "table"),
        (front(0, kinds=[b"\0\1"])[:-1], "table"),
        (front(2) + b"\0", "control"),
        (front(1) + b"\1", "no kind"),
        (front(1) + b"\3", "escapes"),
        (front(1, kinds=[b"\0\1"] * 4) + b"\3\1", "no kind"),
        (front(1, kinds=[b"\0\1"] * 4) + b"\3\x10", "padding"),
        (front(1) + b"\x10", "fill"),
        (front(1) + b"\x10\x11", "padding"),
        (front(1) + b"\x10\x01\0", "fill"),
        (front(0) + b"\0", "fill"),
    ],
)
def test_says_what_is_wrong(body: bytes, why: str) -> None:
    (found,) = unpack([body])
    assert isinstance(found, BadBodyError)
    assert why in str(found)
    assert_same(found, body)


def test_as_many_records_as_a_buffer_can_have() -> None:
    (found,) = unpack([front(4092) + bytes(4092)])
    assert isinstance(found, UnpackedBuffer)
    assert found.records["header"].tolist() == [1] * 4092


def test_more_bytes_than_one_batch_takes() -> None:
    rng = random.Random(1)
    bodies = [random_body(rng, 400)[2] for _ in range(300)]
    bodies[100] = b"\0"
    found = unpack(bodies)
    assert [i for i, one in enumerate(found) if isinstance(one, BadBodyError)] == [100]
    for one, body in list(zip(found, bodies, strict=True))[::30]:
        assert_same(one, body)


def test_nothing_to_unpack() -> None:
    assert unpack([]) == []


@pytest.mark.parametrize("byte_order", list(ByteOrder))
def test_gives_the_body_of_a_buffer(byte_order: ByteOrder) -> None:
    _, rows, body = random_body(random.Random(2))
    (found,) = unpack([body])
    assert isinstance(found, UnpackedBuffer)
    raw = found.body(byte_order)
    assert parse_buffer_header(raw) == found.header
    assert np.frombuffer(raw, record_dtype(byte_order), offset=40).tolist() == rows
