"""Explain streams without a frame by their bytes."""

from __future__ import annotations

from typing import Final

import numpy as np

from tickertape.decode.itm import Extension, Instrumentation, ItmDecoder, OtherHardware
from tickertape.doctor.report import Diagnosis, Kind, Sure

_CHECK: Final = "check that the target has power and runs"
_WINDOW_BYTES: Final = 16 << 10
_TEXT: Final = np.isin(np.arange(256), [*range(0x20, 0x7F), 9, 10, 13, 0x1B])
_PARITY: Final = np.array([byte.bit_count() & 1 for byte in range(256)])
_NEARLY_ALL: Final = 0.98
_MOSTLY: Final = 0.9
_ENOUGH_BYTES: Final = 16
_ENOUGH_PACKETS: Final = 20
_ENOUGH_VALUES: Final = 20
_HIGH: Final = 0x80


def without_frames(data: bytes) -> list[Diagnosis]:
    """Explain bytes without frames; return an empty list without an explanation."""
    if not data:
        mend = (
            f"{_CHECK}; that TX of the target is joined to RX here, with a common ground; that "
            "the firmware opens this link"
        )
        return [Diagnosis(Kind.NOTHING, Sure.PROVEN, "no byte arrived", mend)]
    if len(data) < _ENOUGH_BYTES:
        return []
    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    value = int(counts.argmax())
    if counts[value] >= _NEARLY_ALL * len(data):
        return [_stuck(value, len(data))]
    if counts[_TEXT].sum() >= _NEARLY_ALL * len(data):
        mend = "name the link of the trace; the console is another one"
        return [Diagnosis(Kind.CONSOLE_ONLY, Sure.LIKELY, "the bytes are text", mend)]
    return _of_bits(counts)


def _stuck(value: int, count: int) -> Diagnosis:
    what = f"nearly all of {count} bytes are 0x{value:02x}: the line does not move"
    mend = f"{_CHECK}; that the pin has its alternate function; that nothing pulls the line low"
    return Diagnosis(Kind.STUCK, Sure.LIKELY, what, mend)


def only_packets(data: bytes, port: int | None) -> list[Diagnosis]:
    """Check whether the bytes are packets of a trace unit although no port has frames.

    Args:
        data: the received bytes.
        port: number of the stimulus port that is read; None: no port.
    """
    decoder, data = ItmDecoder(), data[:_WINDOW_BYTES]
    decoder.receive(data)
    packets = list(decoder.packets())
    unlikely = sum(isinstance(one, Extension | OtherHardware) for one in packets)
    skipped = decoder.skipped.total()
    if len(packets) < _ENOUGH_PACKETS or unlikely or skipped > (1 - _NEARLY_ALL) * len(data):
        return []
    ports = sorted({one.port for one in packets if isinstance(one, Instrumentation)})
    shown = ", ".join(map(str, ports)) or "none"
    what = f"packets of a trace unit arrive, but no frames; stimulus ports in use: {shown}"
    number = 1 if port is None else port
    mend = f"enable port {number} (ITM TER bit {number}) and let the firmware send its trace there"
    return [Diagnosis(Kind.NO_TRACE_PORT, Sure.LIKELY, what, mend)]


def _of_bits(counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[Diagnosis]:
    """Check for a bit 7 that is not data: always low, or the parity of the other bits."""
    total = int(counts.sum())
    if np.count_nonzero(counts) < _ENOUGH_VALUES:
        return []
    if counts[:_HIGH].sum() >= _NEARLY_ALL * total:
        what = "bit 7 of the bytes is always 0: one side takes seven data bits"
        return [Diagnosis(Kind.DATA_BITS, Sure.LIKELY, what, _EIGHT)]
    odd = int((counts * _PARITY).sum())
    for name, share in (("even", total - odd), ("odd", odd)):
        if share >= _NEARLY_ALL * total:
            what = f"bit 7 of the bytes is the {name} parity of the others: seven data bits"
            return [Diagnosis(Kind.DATA_BITS, Sure.LIKELY, what, _EIGHT)]
    return []


_EIGHT: Final = (
    "set both sides to 8 data bits, no parity, 1 stop bit (STM32: PCE = 0; with parity a word of "
    "8 bits has 7 data bits)"
)
