"""Files of JTracer as bytes."""

from __future__ import annotations

import struct

HEAD = b"version 1.2\0"


def packed(*words: int, tail: bytes = b"") -> bytes:
    """Return a record: its size, type, time, task and the words that follow, then bytes."""
    return struct.pack(f">{len(words) + 1}I", len(words) * 4 + len(tail), *words) + tail
