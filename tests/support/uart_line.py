"""Simulate a UART line as a waveform: sender with own clock and format, jitter, noise, receiver.

The receiver takes 16 samples per bit: a falling edge begins a byte, and each bit is the majority of
its three middle samples. It accepts a byte regardless of the stop bit, as drivers of serial devices
do without parity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SAMPLES = 16  # samples of the receiver per bit


@dataclass(frozen=True)
class Sender:
    """Settings of the sender.

    Attributes:
        rate: bits per bit time of the receiver; 1 is the same rate.
        data_bits: number of data bits, 7 or 8.
        parity: "none", "even" or "odd".
        stop_bits: number of stop bits, 1 or 2.
        inverted: high and low level are exchanged.
        gap_bits: longest pause after a byte of value `gap_after`, in bits of the sender.
        gap_after: value of the bytes after which the line pauses.
        jitter: standard deviation of each edge, in bits of the sender.
    """

    rate: float = 1.0
    data_bits: int = 8
    parity: str = "none"
    stop_bits: int = 1
    inverted: bool = False
    gap_bits: int = 40
    gap_after: int = 0
    jitter: float = 0.0

    def bits(self, data: bytes, random: np.random.Generator) -> np.ndarray:
        """Return the levels of the line, one per bit time of the sender."""
        out = [1] * 20
        for byte in data:
            bits = [byte >> place & 1 for place in range(self.data_bits)]
            extra = {"none": [], "even": [sum(bits) & 1], "odd": [~sum(bits) & 1]}[self.parity]
            out += [0, *bits, *extra, *[1] * self.stop_bits]
            if byte == self.gap_after and self.gap_bits:
                out += [1] * int(random.integers(self.gap_bits))
        levels = np.array([*out, *[1] * 20], np.uint8)
        return 1 - levels if self.inverted else levels


def manchester(data: bytes, random: np.random.Generator, *, gap_bits: int = 40) -> np.ndarray:
    """Return half bits of a Manchester coded SWO pin: 0 is LOW HIGH, 1 is HIGH LOW, idle is LOW.

    A packet consists of a bit 1, up to eight bytes, and a bit time without an edge.
    """
    out = [0] * 20
    place = 0
    while place < len(data):
        count = int(random.integers(1, 9))
        bits = [1]
        for byte in data[place : place + count]:
            bits += [byte >> number & 1 for number in range(8)]
        place += count
        out += [half for bit in bits for half in ((1, 0) if bit else (0, 1))]
        out += [0] * (2 + 2 * int(random.integers(gap_bits)))
    return np.array(out, np.uint8)


def sampled(
    levels: np.ndarray, rate: float, random: np.random.Generator, *, jitter: float, noise: float
) -> np.ndarray:
    """Return the receiver's samples of a waveform.

    Args:
        levels: levels of the line, one per time unit of the sender.
        rate: time units of the sender per bit time of the receiver.
        random: generator for jitter and noise.
        jitter: standard deviation of an edge, in time units of the sender.
        noise: share of wrong samples.
    """
    edges = np.flatnonzero(np.diff(levels)) + 1
    times = edges + random.normal(0, jitter, len(edges)) if jitter else edges.astype(float)
    times.sort()
    moments = (np.arange(int(len(levels) / rate * SAMPLES)) + random.random()) * rate / SAMPLES
    passed = np.searchsorted(times, moments, side="right")
    samples: np.ndarray = (levels[0] ^ (passed & 1)).astype(np.uint8)
    if noise:
        samples ^= random.random(len(samples)) < noise
    return samples


def received(samples: np.ndarray, *, resynchronises: bool = False) -> bytes:
    """Return the bytes that a receiver without parity decodes from samples.

    Args:
        samples: samples of the line, 16 per bit.
        resynchronises: a missing stop bit begins a new byte at once, as in a 16550. When False,
            the line must become high first.
    """
    out = bytearray()
    lows = samples == 0
    falls = np.flatnonzero(lows[1:] & ~lows[:-1]) + 1
    majority = (samples[:-2] + samples[1:-1].astype(int) + samples[2:] >= 2).tolist()
    place = next_fall = 0
    falls_list, end = falls.tolist(), len(samples) - 10 * SAMPLES
    while True:
        while next_fall < len(falls_list) and falls_list[next_fall] < place:
            next_fall += 1
        if next_fall == len(falls_list) or falls_list[next_fall] >= end:
            return bytes(out)
        start = falls_list[next_fall]
        while start < end:
            middle = start + SAMPLES // 2 - 1
            if majority[middle]:  # a glitch, not a start bit
                place = start + 1
                break
            bits = [majority[middle + SAMPLES * (1 + number)] for number in range(8)]
            out.append(sum(bit << number for number, bit in enumerate(bits)))
            stop = middle + SAMPLES * 9
            place = stop + 1
            if majority[stop] or not resynchronises:
                break
            start = stop - SAMPLES // 2


def over_line(
    data: bytes,
    sender: Sender,
    *,
    seed: int = 0,
    noise: float = 0.0,
    resynchronises: bool = False,
    swo_manchester: bool = False,
) -> bytes:
    """Return the bytes that the receiver decodes when `sender` sends `data`."""
    random = np.random.default_rng(seed)
    levels = manchester(data, random) if swo_manchester else sender.bits(data, random)
    rate = sender.rate * (2 if swo_manchester else 1)
    samples = sampled(levels, rate, random, jitter=sender.jitter, noise=noise)
    return received(samples, resynchronises=resynchronises)
