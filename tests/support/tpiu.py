"""Encode frames of a TPIU's formatter; both forms of a change of source occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SYNC = b"\xff\xff\xff\x7f"
_SYNC_EVERY = 8


def formatted(items: Sequence[tuple[int, int]]) -> bytes:
    """Return frames for (source, byte) items, with a synchronization packet every 8 frames."""
    out, waiting, source, count = bytearray(SYNC), list(items), 0, 0
    while waiting:
        frame, bits = bytearray(), 0
        while len(frame) < 15:
            source, late = _pair(frame, waiting, source)
            bits |= late << (len(frame) - 1) // 2
        out += frame + bytes([bits])
        count += 1
        if count % _SYNC_EVERY == 0:
            out += SYNC
    return bytes(out)


def _pair(frame: bytearray, waiting: list[tuple[int, int]], source: int) -> tuple[int, int]:
    """Add an even byte and, except in the last pair, an odd byte; return source and low bit."""
    odd = len(frame) < 14
    first = waiting[0] if waiting else (0, 0)
    second = waiting[1] if len(waiting) > 1 else (first[0], 0)
    if first[0] != source:  # immediate change of source
        frame.append(first[0] << 1 | 1)
        if odd:
            frame.append(_next(waiting))
        return first[0], 0
    if odd and second[0] != source:  # change of source after the next byte
        frame += bytes([second[0] << 1 | 1, _next(waiting)])
        return second[0], 1
    value = _next(waiting)
    frame.append(value & 0xFE)
    if odd:
        frame.append(_next(waiting))
    return source, value & 1


def _next(waiting: list[tuple[int, int]]) -> int:
    return waiting.pop(0)[1] if waiting else 0
