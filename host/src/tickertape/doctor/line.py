"""Find the fault of a serial line that explains the bytes of a link.

The doctor simulates faulty lines. It sends a sample of a tracer's output over ideal lines with one
fault each, such as a rate or format that differs from the receiver's, and compares the frequency of
each received byte value with that of the link. The difference is the relative entropy (Kullback and
Leibler, 1951), in bits per byte.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tickertape.decode.frames import FrameDecoder, encode_frame
from tickertape.decode.packed import UnpackedBuffer, unpack
from tickertape.doctor.report import Kind
from tickertape.protocol.wire import ByteOrder, FrameType

if TYPE_CHECKING:
    from collections.abc import Iterator

_Levels: TypeAlias = NDArray[np.uint8]
_Shares: TypeAlias = NDArray[np.float64]

_FACTORS: Final = (
    *((1, 16), (1, 12), (1, 8), (1, 6), (1, 5), (1, 4), (1, 3), (3, 8), (5, 12), (1, 2), (5, 8)),
    *((2, 3), (3, 4), (5, 6)),
)
RATES: Final = tuple(factor for a, b in _FACTORS for factor in (a / b, b / a))
"""Common factors between the rates of a sender and a receiver."""
_SLIGHT: Final = (0.055, 0.0575, 0.06, 0.065, 0.07, 0.08, 0.09, 0.1, 0.12, 0.14)
# A receiver samples in the middle of its bits. At some factors the sender's bits change there, and
# the received bytes depend on the exact rates.
_AROUND: Final = (0.985, 1.0, 1.015)
_MOST_BYTES: Final = 2500
_JITTER: Final = 0.03  # of an edge, in time units of the sender
_PAUSE_BITS: Final = 40
_SMOOTH: Final = 0.3
_FRAME_BITS: Final = 10
_PORT_WORD: Final = 1 << 3 | 3

_SURE_BITS: Final = 0.7
_NEAR_BITS: Final = 0.15
_POSSIBLE_BITS: Final = 0.85
_ENOUGH_BYTES: Final = 300
_MOST_FITS: Final = 3


@dataclass(frozen=True, slots=True)
class LineFault:
    """A fault of the line, or a line without a fault.

    Attributes:
        kind: kind of fault; None for no fault.
        detail: parity of the sender's format: even, odd, none.
        factor: rate of the sender divided by that of the receiver.
    """

    kind: Kind | None
    detail: str = ""
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """A possible fault, and how well it explains the received bytes.

    Attributes:
        fault: the possible fault.
        bits: relative entropy in bits per byte; less is a better fit.
        likely: the fault fits well, and no other fault does.
    """

    fault: LineFault
    bits: float
    likely: bool


def fits(data: bytes) -> list[Fit]:
    """Return the faults that explain received bytes best, the best one first.

    A likely fault is the only one; otherwise faults that fit nearly as well follow. Empty if there
    are too few bytes, if no fault fits, or if the bytes fit a line without a fault.
    """
    if len(data) < _ENOUGH_BYTES:
        return []
    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    shares = counts / len(data)
    some = shares > 0
    entropy = float((shares[some] * np.log2(shares[some])).sum())
    # The entropy of few bytes is underestimated (Miller, 1955).
    entropy -= (int(some.sum()) - 1) / (2 * len(data) * math.log(2))
    names, tables = _tables()
    ranked = sorted(zip((entropy - tables @ shares).tolist(), names, strict=True), key=_bits)
    different: list[tuple[float, LineFault]] = []
    for bits, fault in ranked:
        if not any(_alike(fault, one) for _, one in different):
            different.append((bits, fault))
    best, fault = different[0]
    if best > _POSSIBLE_BITS or fault.kind is None:
        return []
    if best < _SURE_BITS and different[1][0] - best > _NEAR_BITS:
        return [Fit(fault, best, likely=True)]
    near = [one for one in different[:_MOST_FITS] if one[0] - best <= _NEAR_BITS]
    return [Fit(fault, bits, likely=False) for bits, fault in near if fault.kind is not None]


def _bits(row: tuple[float, LineFault]) -> float:
    return row[0]


def _alike(one: LineFault, other: LineFault) -> bool:
    """Return whether the same setting corrects two faults."""
    near = abs(one.factor / other.factor - 1) < 0.08  # noqa: PLR2004 - as tolerant as a UART
    return one.kind is other.kind and one.detail == other.detail and near


@cache
def _tables() -> tuple[tuple[LineFault, ...], _Shares]:
    """Return the faults, and for each the binary logarithm of the share of each byte value."""
    rows = [(fault, np.log2(_shares(heard))) for fault, heard in _heard_with_faults()]
    rows.append((LineFault(None), np.full(256, -8.0)))
    return tuple(fault for fault, _ in rows), np.array([shares for _, shares in rows])


def _shares(heard: NDArray[np.int64]) -> _Shares:
    counts = np.bincount(heard, minlength=256) + _SMOOTH
    shares: _Shares = counts / counts.sum()
    return shares


def _heard_with_faults() -> Iterator[tuple[LineFault, NDArray[np.int64]]]:
    rates = [(one, one * near) for one in RATES for near in _AROUND]
    rates += [(1 + sign * one, 1 + sign * one) for one in _SLIGHT for sign in (-1, 1)]
    for content in _contents():
        plain = _levels(content)
        yield LineFault(None), _heard(plain, 1, resynchronises=False)
        for resynchronises in (False, True):
            for nominal, exact in rates:
                fault = LineFault(Kind.RATE, factor=nominal)
                yield fault, _heard(plain, exact, resynchronises=resynchronises)
            for parity in ("even", "odd"):
                levels = _levels(content, parity=parity)
                heard = _heard(levels, 1, resynchronises=resynchronises)
                yield LineFault(Kind.PARITY, parity), heard
            for parity in ("none", "even", "odd"):
                levels = _levels(content, data_bits=7, parity=parity)
                heard = _heard(levels, 1, resynchronises=resynchronises)
                yield LineFault(Kind.DATA_BITS, parity), heard
            heard = _heard(1 - plain, 1, resynchronises=resynchronises)
            yield LineFault(Kind.INVERTED), heard
    levels = _manchester(_in_packets(_sample()))
    for halves in (0.5, 1, 2, 4):
        for near in _AROUND:
            for resynchronises in (False, True):
                heard = _heard(levels, halves * near, resynchronises=resynchronises)
                yield LineFault(Kind.MANCHESTER), heard


def _sample() -> bytes:
    """Return frames of two examples, as `run --target native --raw` stored them."""
    return (files("tickertape.doctor") / "reference.bin").read_bytes()


def _contents() -> tuple[bytes, ...]:
    """Return what a tracer sends: frames with packed and plain buffers, alone and in packets."""
    packed = _sample()
    plain = _plain(packed)[: len(packed)]
    return packed, plain, _in_packets(packed), _in_packets(plain)


def _plain(data: bytes) -> bytes:
    decoder = FrameDecoder()
    decoder.receive(data)
    out = bytearray()
    for frame in decoder.frames():
        kind, body = frame.type, frame.body
        if kind == FrameType.PACKED:
            (buffer,) = unpack([body])
            if isinstance(buffer, UnpackedBuffer):
                kind, body = FrameType.BUFFER, buffer.body(ByteOrder.LITTLE)
        out += encode_frame(kind, frame.sequence, body, boot_tag=frame.boot_tag)
    return bytes(out)


def _in_packets(data: bytes) -> bytes:
    """Return bytes as packets of a stimulus port, one word per packet."""
    words = np.frombuffer(data[: len(data) & ~3], np.uint8).reshape(-1, 4)
    heads = np.full((len(words), 1), _PORT_WORD, np.uint8)
    return np.hstack([heads, words]).tobytes()


def _levels(data: bytes, *, data_bits: int = 8, parity: str = "none") -> _Levels:
    """Return the levels of a line, one per bit, with pauses after frames."""
    random = np.random.default_rng(0)
    bits = np.unpackbits(np.frombuffer(data, np.uint8)[:, None], axis=1, bitorder="little")
    bits = bits[:, :data_bits]
    ones, zeros = np.ones((len(bits), 1), np.uint8), np.zeros((len(bits), 1), np.uint8)
    columns = [zeros, bits]
    if parity != "none":
        columns.append((bits.sum(1, keepdims=True) + (parity == "odd") & 1).astype(np.uint8))
    rows = np.hstack([*columns, ones])
    pieces = [np.ones(20, np.uint8)]
    for byte, row in zip(data, rows, strict=True):
        pieces.append(row)
        if byte == 0:
            pieces.append(np.ones(int(random.integers(_PAUSE_BITS)), np.uint8))
    return np.concatenate([*pieces, np.ones(20, np.uint8)])


def _manchester(data: bytes) -> _Levels:
    """Return the levels of half bits, for packets of one to eight bytes.

    0 is LOW HIGH, 1 is HIGH LOW, and the idle line is LOW.

    Source: CoreSight SWO, "Manchester pin protocol encoding".
    """
    random = np.random.default_rng(0)
    halves = np.array([[0, 1], [1, 0]], np.uint8)
    pieces, place = [np.zeros(20, np.uint8)], 0
    while place < len(data):
        count = int(random.integers(1, 9))
        packet = np.frombuffer(data[place : place + count], np.uint8)
        bits = np.concatenate([[1], np.unpackbits(packet, bitorder="little")])
        pieces += [halves[bits].ravel(), np.zeros(2 + 2 * int(random.integers(20)), np.uint8)]
        place += count
    return np.concatenate(pieces)


def _heard(levels: _Levels, rate: float, *, resynchronises: bool) -> NDArray[np.int64]:
    """Return the bytes that an ideal receiver reads from a line.

    Args:
        levels: levels of the line, one per time unit of the sender.
        rate: time units of the sender per bit of the receiver.
        resynchronises: True: a missing stop bit begins the next byte, as in a 16550. False: the
            line has to be high before the next byte.
    """
    falls = (np.flatnonzero((levels[1:] == 0) & (levels[:-1] == 1)) + 1).tolist()
    level = levels.tolist()
    to_stop, frame = (_FRAME_BITS - 0.5) * rate, (_FRAME_BITS - 1) * rate
    starts: list[float] = []
    place, next_fall = -1.0, 0
    while len(starts) < _MOST_BYTES:
        if place < 0:
            if next_fall >= len(falls):
                break
            place = falls[next_fall]
        stop = int(place + to_stop)
        if stop >= len(level):
            break
        starts.append(place)
        place = place + frame if resynchronises and not level[stop] else -1.0
        while next_fall < len(falls) and falls[next_fall] <= stop:
            next_fall += 1
    moments = np.array(starts)[:, None] + (np.arange(8) + 1.5) * rate
    moments += np.random.default_rng(0).normal(0, _JITTER, moments.shape)
    bits = levels[moments.astype(np.int64)].astype(np.int64)
    heard: NDArray[np.int64] = bits @ (1 << np.arange(8))
    return heard
