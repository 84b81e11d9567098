from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.support import wire_bytes
from tickertape.decode import bodies
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import ByteOrder

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "protocol/vectors/frames.json").read_text(encoding="utf-8")
)["frames"]
TYPES = {
    "HELLO": bodies.Hello,
    "BUFFER": bodies.BufferHeader,
    "STATUS": bodies.Status,
    "NAME": bodies.Name,
    "TEXT": bodies.Text,
}


def parse(kind: int, body: bytes, *, stream: int = 0, cpu: int = 0) -> bodies.Body | None:
    decoder = FrameDecoder()
    decoder.receive(wire_bytes.frame(kind, stream, cpu, 0, body))
    (frame,) = decoder.frames()
    return bodies.parse_body(frame)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_golden_bodies(vector: dict[str, Any]) -> None:
    decoder = FrameDecoder()
    decoder.receive(bytes.fromhex(vector["wire"]))
    (frame,) = decoder.frames()
    body = bodies.parse_body(frame)
    if vector["type"] not in TYPES:
        assert body is None
        return
    assert isinstance(body, TYPES[vector["type"]])
    for name, value in (vector.get("body_fields") or {}).items():
        if hasattr(body, name) and name not in {"byte_order", "build_id"}:
            assert getattr(body, name) == value


def test_hello() -> None:
    body = wire_bytes.hello_body(
        boot_id=7, dictionary=9, ticks=11, cpus=2, streams=3, build_id=bytes(range(20))
    )
    hello = parse(wire_bytes.HELLO, body)
    assert isinstance(hello, bodies.Hello)
    assert (hello.boot_id, hello.dictionary, hello.ticks) == (7, 9, 11)
    assert (hello.cpu_count, hello.stream_count, hello.tick_hz) == (2, 3, 25_000_000)
    assert hello.byte_order is ByteOrder.LITTLE
    assert hello.build_id == bytes(range(20)).hex()
    assert hello.target == "simulated"


def test_a_build_id_of_zeros_is_none() -> None:
    hello = parse(wire_bytes.HELLO, wire_bytes.hello_body())
    assert isinstance(hello, bodies.Hello)
    assert not hello.build_id


def test_bad_utf8_is_shown_replaced() -> None:
    name = parse(wire_bytes.NAME, wire_bytes.name_body(1, 2, "") + b"a\xffb")
    assert isinstance(name, bodies.Name)
    assert name.text == "a\ufffdb"
    text = parse(wire_bytes.TEXT, b"\xfe")
    assert text == bodies.Text("\ufffd")


@pytest.mark.parametrize("class_count", [0, 1, 7, 32])
def test_a_status_may_leave_out_the_counters_of_classes(class_count: int) -> None:
    head = struct.pack("<7Q4BI", 9, 1, 8, 12, 1, 0, 77, 2, 1, class_count, 0, 3)
    counters = b"".join(struct.pack("<III", number, 0, 1) for number in range(class_count))
    status = parse(wire_bytes.STATUS, head + counters)
    assert isinstance(status, bodies.Status)
    assert (status.offered, status.high_water_buffers) == (12, 3)
    said = [bodies.ClassCounters(number, 0, 1) for number in range(class_count)]
    zeros = [bodies.ClassCounters(0, 0, 0)] * (32 - class_count)
    assert list(status.classes) == (said + zeros if class_count else [])


def test_receipts_of_a_buffer() -> None:
    body = wire_bytes.buffer_body((100, 10, 20), 5, 3, bytes(32))
    header = parse(wire_bytes.BUFFER, body)
    assert isinstance(header, bodies.BufferHeader)
    assert header.begin == bodies.Receipt(100, 10, 20)
    assert header.end == bodies.Receipt(102, 10, 22)


def test_an_unknown_type_has_no_body() -> None:
    assert parse(99, b"whatever") is None


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (wire_bytes.HELLO, b"short"),
        (wire_bytes.HELLO, b"\x01\x01\x09" + bytes(53)),
        (wire_bytes.BUFFER, b"short"),
        (wire_bytes.BUFFER, wire_bytes.buffer_body((0, 0, 0), 0, 0, bytes(32))[:-1]),
        (wire_bytes.BUFFER, wire_bytes.buffer_body((0, 0, 0), 0, 0, bytes(32)) + b"x"),
        (wire_bytes.STATUS, b"short"),
        (wire_bytes.STATUS, bytes(58) + b"\x20" + bytes(5)),
        (wire_bytes.NAME, b"short"),
    ],
)
def test_nonsense_is_refused(kind: int, body: bytes) -> None:
    with pytest.raises(bodies.BadBodyError):
        parse(kind, body)


@pytest.mark.parametrize(("stream", "cpu"), [(8, 0), (0, 64)])
def test_rings_that_cannot_be_are_refused(stream: int, cpu: int) -> None:
    with pytest.raises(bodies.BadBodyError):
        parse(wire_bytes.TEXT, b"", stream=stream, cpu=cpu)
