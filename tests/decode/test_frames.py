from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.wire_bytes import TEXT, frame
from tickertape.decode.frames import Frame, FrameDecoder, encode_frame
from tickertape.protocol.wire import MAX_FRAME_BYTES, FrameType

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "protocol/vectors/frames.json").read_text(encoding="utf-8")
)
BODIES = [b"", b"\0", b"hello", bytes(300), bytes(range(256)) * 2, b"\xff" * 254, b"\x01" * 1000]
STREAM = b"".join(frame(TEXT, 1, 2, number, body) for number, body in enumerate(BODIES))


def decode(*pieces: bytes) -> tuple[list[Frame], FrameDecoder]:
    decoder = FrameDecoder()
    frames: list[Frame] = []
    for piece in pieces:
        decoder.receive(piece)
        frames += decoder.frames()
    return frames, decoder


@pytest.mark.parametrize("body", BODIES, ids=len)
def test_frames_are_made_as_the_specification_says(body: bytes) -> None:
    made = encode_frame(FrameType.TEXT, 2**32 + 5, body, stream=1, cpu=2)
    assert made == frame(TEXT, 1, 2, 5, body)


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=lambda vector: str(vector["name"]))
def test_golden_frames(vector: dict[str, Any]) -> None:
    (found,), decoder = decode(bytes.fromhex(vector["wire"]))
    assert found.type == FrameType[vector["type"]]
    assert (found.stream, found.cpu) == (vector["stream"], vector["cpu"])
    assert found.sequence == vector["sequence"]
    assert found.body.hex() == vector["body"]
    assert (decoder.counters.bad_frames, decoder.counters.noise_bytes) == (0, 0)


@pytest.mark.parametrize("vector", VECTORS["bad_frames"], ids=lambda vector: str(vector["why"]))
def test_golden_bad_frames(vector: dict[str, Any]) -> None:
    wire = bytes.fromhex(vector["wire"])
    found, decoder = decode(b"\0", wire)
    assert not found
    assert decoder.counters.bad_frames == 1
    assert decoder.counters.noise_bytes == len(wire.strip(b"\0"))


def test_bodies_come_back() -> None:
    found, decoder = decode(STREAM)
    assert [one.body for one in found] == BODIES
    assert [one.sequence for one in found] == list(range(len(BODIES)))
    assert decoder.counters.frames == len(BODIES)
    assert decoder.counters.noise_bytes == 0


def test_every_cut_gives_the_same_frames() -> None:
    whole, _ = decode(STREAM)
    for cut in range(len(STREAM) + 1):
        assert decode(STREAM[:cut], STREAM[cut:])[0] == whole


def test_byte_by_byte() -> None:
    whole, _ = decode(STREAM)
    assert decode(*(STREAM[at : at + 1] for at in range(len(STREAM))))[0] == whole


@pytest.mark.parametrize("cut", range(len(frame(TEXT, 0, 0, 0, b"lost")) + 1))
def test_joining_in_the_middle_of_a_frame_is_no_fault(cut: int) -> None:
    first = frame(TEXT, 0, 0, 0, b"lost")
    found, decoder = decode(first[cut:] + frame(TEXT, 0, 0, 1, b"kept"))
    assert found[-1].body == b"kept"
    assert decoder.counters.bad_frames == 0
    if 0 < cut < len(first) - 1:
        assert decoder.counters.noise_bytes == len(first) - 1 - cut


def test_damage_costs_the_frames_that_it_touched() -> None:
    frames = [frame(TEXT, 0, 0, number, b"body") for number in range(5)]
    damaged = bytearray(frames[2])
    damaged[4] ^= 0x10
    found, decoder = decode(b"".join([*frames[:2], bytes(damaged), *frames[3:]]))
    assert [one.sequence for one in found] == [0, 1, 3, 4]
    assert decoder.counters.bad_frames == 1
    assert decoder.counters.noise_bytes == len(frames[2]) - 1


def test_delimiters_alone_are_neither_bad_nor_noise() -> None:
    found, decoder = decode(b"\0\0\0" + STREAM + b"\0\0")
    assert len(found) == len(BODIES)
    assert (decoder.counters.bad_frames, decoder.counters.noise_bytes) == (0, 0)


def test_the_longest_frame_passes_and_a_longer_one_does_not() -> None:
    room = MAX_FRAME_BYTES - 12
    longest = random.Random(1).randbytes(room)
    found, decoder = decode(b"\0", frame(TEXT, 0, 0, 0, longest), frame(TEXT, 0, 0, 1, b""))
    assert [len(one.body) for one in found] == [room, 0]
    found, decoder = decode(b"\0", frame(TEXT, 0, 0, 0, longest + b"x"), frame(TEXT, 0, 0, 1, b""))
    assert [one.sequence for one in found] == [1]
    assert decoder.counters.bad_frames == 1


def test_garbage_without_delimiters_cannot_fill_the_memory() -> None:
    decoder = FrameDecoder()
    garbage = b"\xaa" * 100_000
    for _ in range(100):
        decoder.receive(garbage)
        assert decoder.held_bytes <= MAX_FRAME_BYTES + MAX_FRAME_BYTES // 254 + 1
        assert not list(decoder.frames())
    assert decoder.counters.noise_bytes == 10_000_000
    decoder.receive(b"\0" + frame(TEXT, 0, 0, 7, b"after"))
    assert [one.sequence for one in decoder.frames()] == [7]
    assert decoder.counters.noise_bytes == 10_000_000


def test_finish_counts_what_was_cut() -> None:
    decoder = FrameDecoder()
    decoder.receive(STREAM + STREAM[:5])
    assert decoder.held_bytes == 5
    decoder.finish()
    assert (decoder.counters.bad_frames, decoder.counters.noise_bytes) == (1, 5)
    decoder.finish()
    assert decoder.counters.bad_frames == 1


def test_a_refused_frame_counts_as_bad() -> None:
    (found,), decoder = decode(frame(TEXT, 0, 0, 0, b"x"))
    decoder.refuse(found)
    assert (decoder.counters.frames, decoder.counters.bad_frames) == (0, 1)
    assert decoder.counters.noise_bytes == 13


MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["drop", "insert", "flip", "double"]),
        st.integers(0, len(STREAM)),
        st.integers(1, 255),
    ),
    max_size=8,
)


@given(MUTATIONS, st.integers(1, 500))
def test_no_mutation_invents_a_frame(
    mutations: list[tuple[str, int, int]], piece_bytes: int
) -> None:
    data = bytearray(STREAM)
    for kind, at, value in mutations:
        if kind == "insert":
            data[at:at] = bytes([value])
        elif kind == "double":
            data[at:at] = data[at : at + value]
        elif kind == "drop":
            del data[at : at + value]
        elif at < len(data):
            data[at] ^= value
    known = Counter(one.body for one in decode(STREAM)[0])
    pieces = [bytes(data[at : at + piece_bytes]) for at in range(0, len(data), piece_bytes)]
    found, decoder = decode(*pieces)
    doubled = sum(kind == "double" for kind, _, _ in mutations)
    for body, count in Counter(one.body for one in found).items():
        assert count <= known[body] * (1 + 2**doubled)
        assert body in known
    assert decoder.counters.bytes == len(data)
    # Every byte is part of a good frame, noise, a delimiter, or still held.
    good = len(data) - decoder.counters.noise_bytes - data.count(0) - decoder.held_bytes
    assert good >= sum(len(one.body) + 12 for one in found)
    assert decoder.counters.frames == len(found)


@given(st.binary(max_size=2000))
def test_noise_is_counted_to_the_byte(data: bytes) -> None:
    found, decoder = decode(data)
    assert not found
    assert decoder.counters.noise_bytes + decoder.held_bytes == len(data) - data.count(0)
