"""Bytes that two examples sent, stored, and a link that loses some of them."""

from __future__ import annotations

import zlib
from pathlib import Path

from cobs import cobs

from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import FrameType

EXAMPLES = ("first_tape", "messages")
DICTIONARY = slice(24, 32)  # place in a HELLO frame, counted from the frame header


def with_todays_events(link: bytes) -> bytes:
    """Return a stored run with the dictionary hash of the current list of events."""
    frames = link.split(b"\0")
    for place, encoded in enumerate(frames[:-1]):
        plain = bytearray(cobs.decode(encoded))
        if plain[0] == FrameType.HELLO:
            plain[DICTIONARY] = DICTIONARY_HASH.to_bytes(8, "little")
            plain[-4:] = zlib.crc32(plain[:-4]).to_bytes(4, "little")
            frames[place] = cobs.encode(bytes(plain))
    return b"\0".join(frames)


RAW = Path(__file__).parents[1] / "data/raw"
# Captures of two examples in QEMU: `tickertape run --target qemu --example NAME --raw NAME.raw`.
RUNS = {name: with_todays_events((RAW / f"{name}.raw").read_bytes()) for name in EXAMPLES}
WHOLE = RUNS["messages"]


def without_blocks(data: bytes) -> bytes:
    """Return data of a serial bridge that loses some blocks of 64 bytes."""
    blocks = [data[place : place + 64] for place in range(0, len(data), 64)]
    return b"".join(block for number, block in enumerate(blocks) if number % 37 != 20)
