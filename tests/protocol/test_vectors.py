"""The golden vectors, decoded with the libraries of the host: construct, numpy, cobs and zlib."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cobs import cobs

from tests.support import unpack_reference
from tickertape.decode.packed import UnpackedBuffer, unpack
from tickertape.protocol import wire

FOLDER = Path(__file__).parents[2] / "protocol/vectors"
RECORDS: list[dict[str, Any]] = json.loads((FOLDER / "records.json").read_text())["events"]
FRAMES: dict[str, Any] = json.loads((FOLDER / "frames.json").read_text())
PACKED: list[dict[str, Any]] = json.loads((FOLDER / "packed.json").read_text())["bodies"]
PACKED_FIELDS = ("first_ordinal", "dropped", "sent", "ticks", "sequence", "ring_number")
STRUCTS = {
    "HELLO": wire.HELLO,
    "BUFFER": wire.BUFFER_HEADER,
    "STATUS": wire.STATUS,
    "NAME": wire.NAME,
}


def by_name(entries: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(entry, id=entry["name"]) for entry in entries]


def records_of(vector: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.void]]:
    order = wire.ByteOrder[vector["byte_order"].upper()]
    return np.frombuffer(bytes.fromhex("".join(vector["records"])), wire.record_dtype(order))


@pytest.mark.parametrize("vector", by_name(RECORDS))
def test_header_holds_what_was_recorded(vector: dict[str, Any]) -> None:
    records = records_of(vector)
    for name in ("cpu", "domain", "truncated", "host", "class", "event"):
        shift = getattr(wire, f"{name.upper()}_SHIFT")
        mask = getattr(wire, f"{name.upper()}_MASK")
        assert set(records["header"] >> shift & mask) == {int(vector[name])}
    assert set(records["header"] >> wire.KEYED_SHIFT & 1) == {"key" in vector}
    assert records["time"][0] == vector["time"]
    assert set(records["time"][1:]) <= {vector.get("key", vector["time"])}


@pytest.mark.parametrize("vector", by_name(RECORDS))
def test_records_are_marked_in_order(vector: dict[str, Any]) -> None:
    marks = [int(header) >> wire.STRUCT_SHIFT for header in records_of(vector)["header"]]
    if "data" in vector:
        assert marks == [wire.RecordStruct.SIMPLE]
        return
    words = -(-len(bytes.fromhex(vector["payload"])) // 4)
    assert len(marks) == max(2, -(-(words + 1) // 2)) + ("key" in vector)
    middle = [wire.RecordStruct.CONTINUE] * (len(marks) - 2)
    assert marks == [wire.RecordStruct.BEGIN, *middle, wire.RecordStruct.END]


@pytest.mark.parametrize("vector", by_name(RECORDS))
def test_words_and_payload_come_back(vector: dict[str, Any]) -> None:
    records = records_of(vector)
    if "data" in vector:
        assert [records["data0"][0], records["data1"][0]] == vector["data"]
        return
    count = int(records["data1"][-1])
    if "key" in vector:
        assert [records["data0"][0], records["data1"][0]] == [vector["key"], 0]
    rest = vector["records"]["key" in vector :]
    data = b"".join(bytes.fromhex(record)[8:] for record in rest)
    assert data[:count].hex() == vector["payload"]
    assert not any(data[count:-4])
    if "text" in vector:
        assert data[8:count].decode() == vector["text"]
        assert [records["data0"][0], records["data1"][0]] == vector["fields"]


@pytest.mark.parametrize("vector", by_name(FRAMES["frames"]))
def test_frame_opens_with_other_peoples_code(vector: dict[str, Any]) -> None:
    wire_bytes = bytes.fromhex(vector["wire"])
    assert wire_bytes[-1] == 0
    assert 0 not in wire_bytes[:-1]
    plain = cobs.decode(wire_bytes[:-1])
    assert zlib.crc32(plain[:-4]) == int.from_bytes(plain[-4:], "little")
    header = wire.FRAME_HEADER.parse(plain)
    assert wire.FrameType(header.type).name == vector["type"]
    keys = ("stream", "cpu", "boot_tag", "sequence")
    assert {key: header[key] for key in keys} == {key: vector[key] for key in keys}
    assert plain[wire.FRAME_HEADER_BYTES : -4].hex() == vector["body"]


@pytest.mark.parametrize("vector", by_name(FRAMES["frames"]))
def test_frame_is_what_other_peoples_code_makes(vector: dict[str, Any]) -> None:
    kind = wire.FrameType[vector["type"]]
    keys = ("stream", "cpu", "boot_tag", "sequence")
    fields = {"type": kind, **{key: vector[key] for key in keys}}
    content = wire.FRAME_HEADER.build(fields) + bytes.fromhex(vector["body"])
    crc = zlib.crc32(content).to_bytes(4, "little")
    assert (cobs.encode(content + crc) + b"\0").hex() == vector["wire"]


@pytest.mark.parametrize(
    "vector", by_name([frame for frame in FRAMES["frames"] if frame["body_fields"]])
)
def test_body_has_the_fields_of_its_struct(vector: dict[str, Any]) -> None:
    body = bytes.fromhex(vector["body"])
    parsed = STRUCTS[vector["type"]].parse(body)
    shown = {key: parsed[key] for key in vector["body_fields"]}
    shown |= {key: value.hex() for key, value in shown.items() if isinstance(value, bytes)}
    assert shown == vector["body_fields"]
    assert set(parsed) - {"_io"} == set(shown)


@pytest.mark.parametrize("vector", FRAMES["cobs"], ids=lambda vector: vector["plain"][:20])
def test_cobs_agrees_with_another_implementation(vector: dict[str, str]) -> None:
    plain, encoded = bytes.fromhex(vector["plain"]), bytes.fromhex(vector["encoded"])
    assert cobs.encode(plain) == encoded
    assert cobs.decode(encoded) == plain


@pytest.mark.parametrize("vector", FRAMES["crc"], ids=lambda vector: vector["bytes"][:20])
def test_crc_is_that_of_zlib(vector: dict[str, Any]) -> None:
    assert zlib.crc32(bytes.fromhex(vector["bytes"])) == vector["crc"]


@pytest.mark.parametrize("vector", FRAMES["bad_frames"], ids=lambda vector: vector["why"])
def test_bad_frame_opens_nowhere(vector: dict[str, str]) -> None:
    wire_bytes = bytes.fromhex(vector["wire"])
    assert wire_bytes.count(0) == 1
    assert wire_bytes.endswith(b"\0")
    try:
        plain = cobs.decode(wire_bytes[:-1])
    except cobs.DecodeError:
        return
    whole = len(plain) >= wire.FRAME_HEADER_BYTES + 4
    assert not whole or zlib.crc32(plain[:-4]) != int.from_bytes(plain[-4:], "little")


@pytest.mark.parametrize("vector", by_name(PACKED))
def test_packed_body_opens_with_a_plain_reader(vector: dict[str, Any]) -> None:
    opened = unpack_reference.unpack(bytes.fromhex(vector["body"]))
    assert [getattr(opened, field) for field in PACKED_FIELDS] == [
        vector[field] for field in PACKED_FIELDS
    ]
    assert [list(record) for record in opened.records] == vector["records"]


def test_packed_bodies_open_with_the_host() -> None:
    opened = unpack([bytes.fromhex(vector["body"]) for vector in PACKED])
    for one, vector in zip(opened, PACKED, strict=True):
        assert isinstance(one, UnpackedBuffer)
        assert {field: getattr(one.header, field) for field in PACKED_FIELDS} == {
            field: vector[field] for field in PACKED_FIELDS
        }
        assert [list(record) for record in one.records.tolist()] == vector["records"]
