"""Encode packets of ITM and DWT as the Arm architecture defines them."""

from __future__ import annotations

from tickertape.decode.itm import (
    DataPart,
    DataTrace,
    ExceptionTrace,
    Instrumentation,
    LocalTimestamp,
    Overflow,
    Packet,
    PcSample,
    Sync,
)

_SIZE_BITS = {1: 1, 2: 2, 4: 3}
_DATA_HEADS = {
    DataPart.PC: 0x44,
    DataPart.ADDRESS: 0x4C,
    DataPart.READ: 0x84,
    DataPart.WRITE: 0x8C,
}


def encoded(packet: Packet) -> bytes:  # noqa: PLR0911 - one for each form
    match packet:
        case Sync():
            return bytes(5) + b"\x80"
        case Overflow():
            return b"\x70"
        case LocalTimestamp(ticks, relation):
            return bytes([0xC0 | relation << 4]) + _groups(ticks)
        case Instrumentation(port, value, size):
            return bytes([port << 3 | _SIZE_BITS[size]]) + value.to_bytes(size, "little")
        case ExceptionTrace(number, step):
            return b"\x0e" + (number | step << 12).to_bytes(2, "little")
        case PcSample(None):
            return b"\x15\x00"
        case PcSample(pc):
            assert pc is not None
            return b"\x17" + pc.to_bytes(4, "little")
        case DataTrace(comparator, part, value, size):
            head = _DATA_HEADS[part] | comparator << 4 | _SIZE_BITS[size]
            return bytes([head]) + value.to_bytes(size, "little")
    raise AssertionError(packet)


def _groups(value: int) -> bytes:
    found = []
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def written(port: int, data: bytes) -> bytes:
    """Return the packets for bytes written to a port: words, and single bytes for the rest."""
    whole = len(data) & ~3
    words = [data[place : place + 4] for place in range(0, whole, 4)]
    pieces = [*words, *(data[place : place + 1] for place in range(whole, len(data)))]
    return b"".join(
        encoded(Instrumentation(port, int.from_bytes(piece, "little"), len(piece)))
        for piece in pieces
    )
