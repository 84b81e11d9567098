"""The packer compared with a reader written from the specification: any records survive.

pack_driver.c packs the given buffers under the sanitizers.
"""

from __future__ import annotations

import json
import struct
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.link_reader import FRAME_HEADER, PACKED
from tests.support.programs import compiled
from tests.support.unpack_reference import Row, Unpacked, unpack

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
VECTORS = json.loads((HERE.parents[2] / "protocol/vectors/packed.json").read_text())["bodies"]
MOST_KINDS = 32
WORDS = st.one_of(
    st.integers(0, 300), st.integers(0x2000_0000, 0x2000_0100), st.integers(0, 2**32 - 1)
)
STEPS = st.one_of(st.just(0), st.integers(0, 40), st.integers(0, 2**20), st.integers(0, 2**32 - 1))


@dataclass(frozen=True)
class Buffer:
    """A buffer for the driver.

    Attributes:
        receipt: first ordinal, dropped and sent records.
        ticks: 64-bit time in the header.
        sequence: sequence number.
        records: header, time and two words of each record.
    """

    receipt: tuple[int, int, int]
    ticks: int
    sequence: int
    records: list[Row]

    def pack(self) -> bytes:
        fields = (*self.receipt, self.ticks, self.sequence, len(self.records))
        return struct.pack("<QQQQII", *fields) + b"".join(
            struct.pack("<IIII", *record) for record in self.records
        )


@cache
def driver(*options: str) -> Path:
    """Build the driver with an optimisation and options of the recorder."""
    sources = [HERE / "pack_driver.c", *sorted((FIRMWARE / "core").glob("*.c"))]
    includes = [FIRMWARE / "include", FIRMWARE / "core", HERE / "port"]
    return compiled(
        [
            "gcc",
            "-std=c11",
            "-g1",
            *options,
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            "-DTT_CONFIG_BUFFER_RECORDS=4000",
            *(f"-I{folder}" for folder in includes),
            *map(str, sources),
        ]
    )


def bodies_of(buffers: list[Buffer]) -> list[bytes]:
    """Pack buffers, built for speed and for size; return the bodies of the frames."""
    given_bytes = b"".join(buffer.pack() for buffer in buffers)
    sent, *others = (
        subprocess.run([driver(*options)], check=True, input=given_bytes, capture_output=True)
        for options in (("-O1",), ("-Os",), ("-Os", "-DTT_CONFIG_SMALL_PACKING=1"))
    )
    assert [other.stdout == sent.stdout for other in others] == [True, True]
    frames = [cobs.decode(encoded) for encoded in sent.stdout.split(b"\0")[:-1]]
    assert all(FRAME_HEADER.unpack_from(frame)[0] == PACKED for frame in frames)
    return [frame[FRAME_HEADER.size : -4] for frame in frames]


def check(buffers: list[Buffer]) -> list[Unpacked]:
    """Check that the bodies contain the buffers; return the unpacked bodies."""
    bodies = [unpack(body) for body in bodies_of(buffers)]
    left = iter(bodies)
    for buffer in buffers:
        ordinal, dropped, sent = buffer.receipt
        records: list[Row] = []
        while len(records) < len(buffer.records):
            body = next(left)
            assert body.first_ordinal == ordinal + len(records)
            assert body.sent == sent + len(records)
            assert (body.dropped, body.ticks) == (dropped, buffer.ticks)
            assert (body.sequence, body.ring_number) == (buffer.sequence, 1)
            assert body.count == len(body.records)
            records += body.records
        assert records == buffer.records
    assert next(left, None) is None
    return bodies


@st.composite
def buffers(draw: st.DrawFn) -> list[Buffer]:
    """Draw buffers with records of a few kinds, in any order of time."""
    headers = draw(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=60, unique=True))
    some: list[Buffer] = []
    for sequence in range(draw(st.integers(1, 4))):
        ticks = draw(st.integers(0, 2**64 - 1))
        time = ticks % 2**32
        records: list[Row] = []
        for _ in range(draw(st.integers(1, 80))):
            time = (time + draw(STEPS)) % 2**32
            records.append((draw(st.sampled_from(headers)), time, draw(WORDS), draw(WORDS)))
        receipt = tuple(draw(st.integers(0, 2**63)) for _ in range(3))
        some.append(Buffer((receipt[0], receipt[1], receipt[2]), ticks, sequence, records))
    return some


@settings(max_examples=examples(150))
@given(buffers())
def test_any_records_come_back(some: list[Buffer]) -> None:
    check(some)


def numbered(headers: list[int], count: int, step: int = 16) -> Buffer:
    """Return a buffer whose records have these headers in turn."""
    records = [(headers[i % len(headers)], step * i, i % 7, i % 200) for i in range(count)]
    return Buffer((0, 0, 0), 0, 0, records)


@pytest.mark.parametrize("kinds", [1, 3, 4, 19, 20, MOST_KINDS])
@pytest.mark.parametrize("count", [48, 49, 4000])
def test_one_body_takes_32_kinds(kinds: int, count: int) -> None:
    assert len(check([numbered(list(range(1, kinds + 1)), count)])) == 1


@pytest.mark.parametrize("count", [49, 97, 4000])
def test_more_kinds_take_more_bodies(count: int) -> None:
    """A body keeps the three direct kinds of the previous body, so it has room for 29 others."""
    bodies = check([numbered(list(range(1, 1000)), count)])
    assert len(bodies) == -(-(count - MOST_KINDS) // (MOST_KINDS - 3)) + 1


@pytest.mark.parametrize("word", [0, 1, 15, 16, 255, 256, 2**32 - 1])
@pytest.mark.parametrize("time", [0, 1, 2**27, 2**28, 2**31, 2**32 - 1])
def test_lengths_at_their_edges(word: int, time: int) -> None:
    """All three values of a record at their limits, alone in a body and after others."""
    records = [(7, time, word, word), (7, time, 0, 0), (9, time, word, 0), (7, time, 0, word)]
    check([Buffer((0, 0, 0), 0, 0, records[:1]), Buffer((4, 0, 4), 0, 1, records)])


def test_the_longest_header() -> None:
    """Each counter of the header has its maximum length."""
    most = 2**64 - 1
    records = [(7, 0, 0, 0)] * 200
    check([Buffer((most - 200, most, most - 200), most, 2**32 - 1, records)])


def test_frequent_kinds_need_no_escapes() -> None:
    """A frequent kind becomes a direct kind of the next body, whichever kinds came first."""
    headers = [1, 2, 3, 4, *[5] * 20]
    first, second = bodies_of([numbered(headers, 480)] * 2)
    assert len(first) - len(second) == 480 * 19 // 24 // 2
    check([numbered(headers, 480)] * 2)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_golden_bodies(vector: dict[str, Any]) -> None:
    """The first body after boot equals that of the reference encoder, byte for byte."""
    receipt = (vector["first_ordinal"], vector["dropped"], vector["sent"])
    records = [tuple(record) for record in vector["records"]]
    buffer = Buffer(receipt, vector["ticks"], vector["sequence"], records)
    assert [body.hex() for body in bodies_of([buffer])] == [vector["body"]]


@pytest.mark.parametrize("records", [1, 4, 8, 16, 32])
def test_small_parts_compile_without_a_warning(records: int, tmp_path: Path) -> None:
    """With -O3, gcc stores escapes as vectors, which exceed the buffer of a small part."""
    includes = [
        f"-I{folder}" for folder in (FIRMWARE / "include", FIRMWARE / "core", HERE / "port")
    ]
    command = ["gcc", "-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", *includes]
    source = str(FIRMWARE / "core/pack.c")
    words = [f"-DTT_CONFIG_DRAIN_SLICE={records}", "-c", source, "-o", str(tmp_path / "pack.o")]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
