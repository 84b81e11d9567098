"""Frames encoded by the target, in lent memory or not, equal those of the host.

frame_driver.c encodes the given frames under the sanitizers.
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

# Bytes similar to records: zeros, and runs without 0 around the longest COBS block.
RUNS = st.one_of(
    st.integers(0, 5).map(bytes),
    st.binary(max_size=12),
    st.integers(0, 600).map(lambda count: bytes(i % 255 + 1 for i in range(count))),
    st.integers(250, 258).map(lambda count: b"\x01" * count),
    st.integers(0, 2**32 - 1).map(lambda word: word.to_bytes(4, "little")),
    st.integers(0, 300).map(lambda word: word.to_bytes(4, "little")),
)
PARTS = st.lists(st.lists(RUNS, max_size=6).map(b"".join), max_size=6)
# Bytes per piece of lent memory; 0: the link lends none.
PIECES = st.one_of(st.just(0), st.integers(1, 8), st.integers(250, 260), st.just(4096))


# Words with zeros in one byte or in several.
WORDS = (0, 1, 0x100, 0x10000, 0x1000000, 0x01010100, 0x01010001, 0x00FF00FF, 0x7F8081, 0xFFFFFFFF)
SANITIZED = ("gcc", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# Built for size, the encoder adds bytes one by one.
SMALL = ("gcc", "-Os", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
ARM64 = ("aarch64-linux-gnu-gcc", "-O2", "-static")


@cache
def driver(crc_table: int, compiler: tuple[str, ...] = SANITIZED) -> Path:
    """Build the driver, once for all examples."""
    sources = [HERE / "frame_driver.c", FIRMWARE / "core/frame.c", FIRMWARE / "core/crc.c"]
    includes = [FIRMWARE / "include", FIRMWARE / "core", HERE / "port"]
    return compiled(
        [
            *(*compiler, "-std=c11", "-g1", "-Wall", "-Wextra", "-Werror"),
            f"-DTT_CONFIG_CRC_TABLE={crc_table}",
            *(f"-I{folder}" for folder in includes),
            *map(str, sources),
        ]
    )


def check(
    frames: list[tuple[int, list[bytes]]],
    crc_table: int,
    *emulated: str,
    compiler: tuple[str, ...] = SANITIZED,
) -> None:
    """Check that target and host encode the frames as the same bytes."""
    given_bytes = b"".join(
        struct.pack("<II", piece_bytes, len(parts))
        + b"".join(struct.pack("<I", len(part)) + part for part in parts)
        for piece_bytes, parts in frames
    )
    program = driver(crc_table, ARM64 if emulated else compiler)
    command = [*emulated, str(program)]
    sent = subprocess.run(command, check=True, input=given_bytes, capture_output=True)
    expected = b"".join(
        encode_frame(FrameType.TEXT, sequence, b"".join(parts))
        for sequence, (_, parts) in enumerate(frames)
    )
    assert sent.stdout == expected


@settings(max_examples=examples(150))
@given(
    st.lists(st.tuples(PIECES, PARTS), min_size=1, max_size=8),
    st.sampled_from([64, 1024]),
    st.sampled_from([SANITIZED, SMALL]),
)
def test_any_frame_is_that_of_the_host(
    frames: list[tuple[int, list[bytes]]], crc_table: int, compiler: tuple[str, ...]
) -> None:
    check(frames, crc_table, compiler=compiler)


def test_frames_of_a_64_bit_arm() -> None:
    """The encoder is correct on a 64-bit Arm, where Zephyr also runs."""
    words = [bytes(word >> shift & 0xFF for shift in (0, 8, 16, 24)) for word in WORDS]
    parts = [b"".join(words), b"".join(reversed(words)), bytes(7), b"\x01" * 300]
    check([(piece, parts) for piece in (0, 3, 254, 4096)], 1024, "qemu-aarch64")


def test_a_64_bit_arm_without_floating_point_compiles_the_recorder(tmp_path: Path) -> None:
    """Kernels of 64-bit Arm use -mgeneral-regs-only, with which no code may use a double."""
    done = subprocess.run(
        [
            *("aarch64-linux-gnu-gcc", "-std=c11", "-O2", "-mgeneral-regs-only", "-c"),
            *("-Wall", "-Wextra", "-Werror"),
            *(f"-I{folder}" for folder in (FIRMWARE / "include", FIRMWARE / "core", HERE / "port")),
            *sorted((FIRMWARE / "core").glob("*.c")),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("crc_table", [64, 1024])
@pytest.mark.parametrize("compiler", [SANITIZED, SMALL], ids=["fast", "small"])
def test_blocks_end_anywhere_in_a_piece(crc_table: int, compiler: tuple[str, ...]) -> None:
    """Frames around the length of one and two COBS blocks, with pieces that end around them."""
    bodies = [
        bytes(range(1, 255)) * 2 + b"\x07" * extra + end
        for extra in range(10)
        for end in (b"", b"\0", b"\0\0\0\0", b"\x01\0")
    ] + [b"\x05" * count + end for count in range(236, 260) for end in (b"", b"\0", b"\0\x01")]
    for piece_bytes in (0, 1, 2, 3, 253, 254, 255, 256, 257, 4096):
        check([(piece_bytes, [body]) for body in bodies], crc_table, compiler=compiler)
