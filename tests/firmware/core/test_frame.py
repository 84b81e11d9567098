"""Frames as the target encodes them, in memory that the link lends or not, against the host's.

frame_driver.c encodes what it is given, frame after frame, under the sanitizers.
"""

from __future__ import annotations

import struct
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.programs import compiled
from tickertape.decode.frames import encode_frame
from tickertape.protocol.wire import FrameType

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"

# Bytes as records have them: runs without 0, around the longest block of COBS, and zeros.
RUNS = st.one_of(
    st.integers(0, 5).map(bytes),
    st.binary(max_size=12),
    st.integers(0, 600).map(lambda count: bytes(i % 255 + 1 for i in range(count))),
    st.integers(250, 258).map(lambda count: b"\x01" * count),
    st.integers(0, 2**32 - 1).map(lambda word: word.to_bytes(4, "little")),
    st.integers(0, 300).map(lambda word: word.to_bytes(4, "little")),
)
PARTS = st.lists(st.lists(RUNS, max_size=6).map(b"".join), max_size=6)
# Bytes of a piece of lent memory; 0: none is lent.
PIECES = st.one_of(st.just(0), st.integers(1, 8), st.integers(250, 260), st.just(4096))


@cache
def driver(crc_table: int) -> Path:
    """Build the driver, once for all examples."""
    sources = [HERE / "frame_driver.c", FIRMWARE / "core/frame.c", FIRMWARE / "core/crc.c"]
    includes = [FIRMWARE / "include", FIRMWARE / "core", HERE / "port"]
    return compiled(
        [
            *("gcc", "-std=c11", "-g1", "-O1", "-Wall", "-Wextra", "-Werror"),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            f"-DTT_CONFIG_CRC_TABLE={crc_table}",
            *(f"-I{folder}" for folder in includes),
            *map(str, sources),
        ]
    )


def check(frames: list[tuple[int, list[bytes]]], crc_table: int) -> None:
    """Check that the target's bytes are those of the host."""
    given_bytes = b"".join(
        struct.pack("<II", piece_bytes, len(parts))
        + b"".join(struct.pack("<I", len(part)) + part for part in parts)
        for piece_bytes, parts in frames
    )
    sent = subprocess.run(
        [str(driver(crc_table))], check=True, input=given_bytes, capture_output=True
    )
    expected = b"".join(
        encode_frame(FrameType.TEXT, sequence, b"".join(parts))
        for sequence, (_, parts) in enumerate(frames)
    )
    assert sent.stdout == expected


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(PIECES, PARTS), min_size=1, max_size=8), st.sampled_from([64, 1024]))
def test_any_frame_is_that_of_the_host(
    frames: list[tuple[int, list[bytes]]], crc_table: int
) -> None:
    check(frames, crc_table)


@pytest.mark.parametrize("crc_table", [64, 1024])
def test_blocks_end_anywhere_in_a_piece(crc_table: int) -> None:
    """Each length around one and two whole blocks, with pieces that end around them."""
    bodies = [
        bytes(range(1, 255)) * 2 + b"\x07" * extra + end
        for extra in range(10)
        for end in (b"", b"\0", b"\0\0\0\0", b"\x01\0")
    ] + [b"\x05" * count + end for count in range(236, 260) for end in (b"", b"\0", b"\0\x01")]
    for piece_bytes in (0, 1, 2, 3, 253, 254, 255, 256, 257, 4096):
        check([(piece_bytes, [body]) for body in bodies], crc_table)
