"""Make the bytes of JTracer files."""

from __future__ import annotations

import struct

HEAD = b"version 1.2\0"


def packed(*words: int, tail: bytes = b"") -> bytes:
    """Return a record: size, then words (type, time, task, ...), then the bytes of `tail`."""
    return struct.pack(f">{len(words) + 1}I", len(words) * 4 + len(tail), *words) + tail
