"""Sizes and types of the structs of links and tapes."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from construct import ConstError
from hypothesis import assume, given
from hypothesis import strategies as st

from tickertape.protocol import wire
from tickertape.protocol.layout import Layout

MAGICS = {
    "TAPE_HEADER": wire.TAPE_HEADER_MAGIC,
    "CHUNK_HEADER": wire.CHUNK_HEADER_MAGIC.to_bytes(4, "little"),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("FRAME_HEADER", 8),
        ("HELLO", 56),
        ("BUFFER_HEADER", 40),
        ("STATUS", 64),
        ("CLASS_COUNTERS", 12),
        ("NAME", 12),
        ("MEMORY_LINK", 40),
        ("MEMORY_FRAME", 4),
        ("TAPE_HEADER", 64),
        ("CHUNK_HEADER", 32),
        ("ANCHOR", 24),
        ("RECEIPT", 40),
    ],
)
def test_struct_has_its_size(name: str, size: int) -> None:
    assert getattr(wire, name).sizeof() == getattr(wire, f"{name}_BYTES") == size


@pytest.mark.parametrize("name", ["BUFFER_HEADER", "CLASS_COUNTERS"])
def test_numpy_type_lies_as_the_struct(name: str) -> None:
    dtype: np.dtype[np.void] = getattr(wire, f"{name}_DTYPE")
    data = bytes(range(dtype.itemsize))
    parsed = getattr(wire, name).parse(data)
    row = np.frombuffer(data, dtype)[0]
    assert dtype.names is not None
    assert {key: int(row[key]) for key in dtype.names} == {key: parsed[key] for key in dtype.names}


@pytest.mark.parametrize("name", [name for name in dir(wire) if hasattr(wire, f"{name}_BYTES")])
@given(data=st.binary(min_size=64, max_size=64))
def test_layout_reads_and_writes_what_construct_does(name: str, data: bytes) -> None:
    reference = getattr(wire, name)
    layout = Layout(reference)
    magic = MAGICS.get(name, b"")
    data = magic + data[len(magic) :]
    row, expected = layout.parse(data), reference.parse(data)
    assert row._asdict() == {field: expected[field] for field in layout.names}
    assert layout.build(row._asdict()) == reference.build(expected)
    free = {key: row._asdict()[key] for key in layout.names if key not in layout.fixed}
    assert layout.build(free) == reference.build(free)


@pytest.mark.parametrize("name", MAGICS)
@given(data=st.binary(min_size=64, max_size=64))
def test_another_magic_is_refused(name: str, data: bytes) -> None:
    assume(not data.startswith(MAGICS[name]))
    with pytest.raises(ConstError):
        getattr(wire, name).parse(data)


def test_layout_refuses_what_construct_refuses() -> None:
    layout = Layout(wire.ANCHOR)
    with pytest.raises(struct.error):
        layout.parse(bytes(wire.ANCHOR_BYTES - 1))
    with pytest.raises(KeyError, match="host_ns"):
        layout.build({"target_ticks": 0})
    with pytest.raises(struct.error):
        layout.build({"target_ticks": 1 << 64, "host_ns": 0, "uncertainty_ns": 0})


def test_record_type_follows_the_byte_order() -> None:
    data = bytes(range(16))
    little = np.frombuffer(data, wire.record_dtype(wire.ByteOrder.LITTLE))[0]
    big = np.frombuffer(data, wire.record_dtype(2))[0]
    assert (little["header"], big["header"]) == (0x03020100, 0x00010203)
    assert (little["data1"], big["data1"]) == (0x0F0E0D0C, 0x0C0D0E0F)


def test_unknown_byte_order_is_refused() -> None:
    with pytest.raises(ValueError, match="3"):
        wire.record_dtype(3)


def test_fields_with_a_fixed_value_are_filled_in() -> None:
    chunk = dict.fromkeys((field.name for field in wire.CHUNK_HEADER.subcons), 0)
    del chunk["magic"], chunk["flags"]
    assert wire.CHUNK_HEADER.build(chunk)[:4] == b"TTCK"
    assert wire.TAPE_HEADER_MAGIC == b"\x89TAPE\r\n\x1a"


def test_header_fields_fill_the_word() -> None:
    names = ("STRUCT", "CPU", "TRUNCATED", "HOST", "DOMAIN", "KEYED", "CLASS", "EVENT")
    fields = [getattr(wire, f"{name}_BITS") for name in names]
    assert sum(fields) == 0xFFFFFFFF
    for name in names:
        bits, shift = getattr(wire, f"{name}_BITS"), getattr(wire, f"{name}_SHIFT")
        assert bits >> shift == getattr(wire, f"{name}_MASK")
