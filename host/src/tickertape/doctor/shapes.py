"""Undo the faults that can be undone, and search the resulting bytes for frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.frames import FrameDecoder
from tickertape.decode.stimulus import PORTS, StimulusPort
from tickertape.decode.tpiu import FRAME_BYTES, FULL_SYNC, unformatted
from tickertape.doctor.report import Diagnosis, Kind, Sure

if TYPE_CHECKING:
    from collections.abc import Iterator

_WINDOW_BYTES: Final = 1 << 18
_SLOW_WINDOW_BYTES: Final = 24 << 10
_LIKELY_PORTS: Final = 3
_BIT_7_FIRST: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_SWAPS: Final = (
    ("bytes of each 16 bits", 2, (1, 0)),
    ("bytes of each 32 bits", 4, (3, 2, 1, 0)),
    ("halves of each 32 bits", 4, (2, 3, 0, 1)),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """Bytes with one fault undone.

    Attributes:
        data: the bytes.
        diagnosis: the fault that was undone; None for the received bytes.
        in_packets: whether the bytes are packets of stimulus ports.
    """

    data: bytes
    diagnosis: Diagnosis | None
    in_packets: bool = False


def good_bytes(data: bytes) -> int:
    """Count the bytes that are in frames with the right CRC."""
    decoder = FrameDecoder()
    decoder.receive(data)
    return sum(len(frame.body) for frame in decoder.frames()) + 12 * decoder.counters.frames


def undone(data: bytes, port: int | None) -> Diagnosis | None:
    """Return the fault whose undoing yields the most frames; None if none yields more frames.

    Args:
        data: the received bytes.
        port: number of the stimulus port that is read; None for a link that carries frames
            directly.
    """
    window = data[:_WINDOW_BYTES]
    best, found = _good(window, port), None
    for shape in _shapes(window, port):
        good = good_bytes(shape.data)
        if good > best:
            best, found = good, shape.diagnosis
    return found


def _good(window: bytes, port: int | None) -> int:
    if port is not None:
        window = StimulusPort(port).receive(window[:_SLOW_WINDOW_BYTES])
    return good_bytes(window)


def _shapes(data: bytes, port: int | None) -> Iterator[Shape]:
    """Yield the bytes with one fault undone each, the cheapest to undo first."""
    if port is not None:
        said = "the bytes are frames, not packets of a trace unit"
        yield Shape(data, _proven(Kind.NO_SWO, said, "leave out swo: of the link"))
    yield from _in_packets(data, port)
    for outer in (*_swapped(data), *_bits(data), *_formatted(data)):
        yield outer
        if outer.diagnosis is not None and (port is not None or outer.in_packets):
            for inner in _in_packets(outer.data, None):
                yield Shape(inner.data, outer.diagnosis)


def _proven(kind: Kind, what: str, mend: str) -> Diagnosis:
    return Diagnosis(kind, Sure.PROVEN, what, mend)


def _in_packets(data: bytes, port: int | None) -> Iterator[Shape]:
    """Yield the bytes of the stimulus ports that seem to have the most packets."""
    window = data[:_SLOW_WINDOW_BYTES]
    heads = np.bincount(np.frombuffer(window, np.uint8), minlength=256)
    ports = sorted(range(PORTS), key=lambda one: -int(heads[one << 3 | 1 : one << 3 | 4].sum()))
    for one in ports[:_LIKELY_PORTS] + ([] if 1 in ports[:_LIKELY_PORTS] else [1]):
        if one == port:
            continue
        what = f"the frames are in packets of a trace unit, in its stimulus port {one}"
        if port is None:
            found = _proven(Kind.NEEDS_SWO, what, f"name the link swo:LINK?stimulus={one}")
        else:
            what = f"the frames are in stimulus port {one}, not in {port}"
            found = _proven(Kind.OTHER_PORT, what, f"end the link in ?stimulus={one}")
        yield Shape(StimulusPort(one).receive(window), found)


def _swapped(data: bytes) -> Iterator[Shape]:
    """Yield the bytes with the swap of a bridge undone, at each possible alignment."""
    for what, size, order in _SWAPS:
        for begin in range(size):
            end = begin + (len(data) - begin) // size * size
            units = np.frombuffer(data[begin:end], np.uint8).reshape(-1, size)
            yield Shape(
                units[:, list(order)].tobytes(),
                _proven(
                    Kind.SWAPPED,
                    f"a bridge exchanges the {what}",
                    "let it pass bytes: 8-bit words in its FIFO, DMA or SPI, or turn its swap off",
                ),
            )


def _bits(data: bytes) -> Iterator[Shape]:
    values = np.frombuffer(data, np.uint8)
    yield Shape(
        (~values).tobytes(),
        _proven(
            Kind.INVERTED,
            "each bit is inverted",
            "turn off the inversion of the data (STM32: DATAINV), or that of the bridge",
        ),
    )
    yield Shape(
        data.translate(_BIT_7_FIRST),
        _proven(
            Kind.BIT_ORDER,
            "the bits of each byte are in reverse order",
            "send the lowest bit first (STM32 UART: MSBFIRST off; SPI: LSBFIRST on)",
        ),
    )


def _formatted(data: bytes) -> Iterator[Shape]:
    """Yield the sources of a TPIU's formatter; without a sync, try each begin of a frame."""
    window = data[:_SLOW_WINDOW_BYTES]
    sync = window.find(FULL_SYNC)
    begins = range(FRAME_BYTES) if sync < 0 else range(sync + 4, sync + 5)
    for begin in begins:
        for number, found in unformatted(window, begin).items():
            if len(found) < len(window) // 8:
                continue
            what = f"the TPIU's formatter is on; the trace is its source {number}"
            mend = (
                "turn it off: FFCR (0xE0040304) = 0x100; OpenOCD: tpiu config ... -formatter 0; "
                "on parts without that bit take the trace out with the debugger's software"
            )
            yield Shape(found, _proven(Kind.TPIU, what, mend), in_packets=True)
