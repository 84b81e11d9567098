"""Find the begin of TPIU frames in bytes that begin anywhere and lack some bytes. No I/O.

    frames = AlignedFrames()
    for piece in frames.receive(data): ...   # Frames, or LostFrames

A formatter that sends over SWO seldom or never sends a full synchronization. Its frames have 16
bytes, so that there are 16 phases. `phase_of` tries each: at the right one, the bytes of the
sources are packets of a trace unit, and the numbers of sources are few. A model of that phase, the
frequency of each pair of consecutive bytes, then judges each later frame. Where frames become
unlikely, bytes are missing: dynamic programming finds the new begin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tickertape.decode.alignment import packet_share
from tickertape.decode.tpiu import FRAME_BYTES, FULL_SYNC, Unformatter

if TYPE_CHECKING:
    from collections.abc import Iterator

_Bytes: TypeAlias = NDArray[np.uint8]
_Costs: TypeAlias = NDArray[np.float64]

_LEARN_BYTES: Final = 4096
_JUDGED_BYTES: Final = 1536
_PIECE_BYTES: Final = 512
_LEAST_BYTES: Final = 4 * FRAME_BYTES
_EVENS: Final = FRAME_BYTES // 2
_LAST_SOURCE: Final = 0x6F
UNKNOWN_SOURCE: Final = 1 << 7
"""Number for the bytes before the first number of a source."""
_LEAST_SHARE: Final = 0.02
_MOST_BITS: Final = 10.0
_FIRST_BITS: Final = 5.0
_WEIGHT: Final = 2.0
_SKIP_BITS: Final = 8.0
_ENTER_BITS: Final = 60.0
_AROUND: Final = 12
_ROW: Final = 3
_ROUNDS: Final = 3
_REST: Final = 4.0  # cost of bytes after the last frame of a window, per usual cost
_RISE: Final = 1.35


@dataclass(frozen=True, slots=True)
class LostFrames:
    """Bytes that are not in a whole frame; what they carried is lost.

    Attributes:
        count: number of bytes.
        rest: end of the first frame, at the begin of a stream.
    """

    count: int
    rest: bytes = b""


Piece: TypeAlias = bytes | LostFrames
"""Whole frames, or a loss."""


def phase_of(data: bytes) -> tuple[int, float]:
    """Return the most likely begin of the first frame, 0 to 15, and the share of packets there."""
    window = data.replace(FULL_SYNC, b"")[:_JUDGED_BYTES]
    sync = data.find(FULL_SYNC)
    if sync >= 0:
        found = sync % FRAME_BYTES
        return found, _likelihood(window, found)
    return max(
        ((phase, _likelihood(window, phase)) for phase in range(FRAME_BYTES)),
        key=lambda one: one[1],
    )


def _likelihood(window: bytes, phase: int) -> float:
    """Return the share of the bytes that are packets of an ITM, in sources that are plausible."""
    sources = Unformatter(UNKNOWN_SOURCE).receive(window[phase:])
    total = sum(map(len, sources.values()))
    if not total:
        return 0.0
    real = {
        number: found
        for number, found in sources.items()
        if (number <= _LAST_SOURCE or number == UNKNOWN_SOURCE)
        and len(found) >= _LEAST_SHARE * total
    }
    strange = total - sum(map(len, real.values()))
    best = max((packet_share(found) * len(found) for found in real.values()), default=0.0)
    others = total - strange - max(map(len, real.values()), default=0)
    return (best + others / 2) / (len(window) + strange + 8 * len(sources))


def end_of_frame(rest: bytes, source: int) -> bytes:
    """Return the data in the end of a frame whose begin is missing, if it is of one source."""
    missing, low = FRAME_BYTES - len(rest), rest[-1]
    data = bytearray()
    for place, byte in enumerate(rest[:-1], missing):
        if place % 2:
            data.append(byte)
        elif byte & 1:
            return b"" if byte >> 1 != source else bytes(data)
        else:
            data.append(byte | low >> place // 2 & 1)
    return bytes(data)


class _Model:
    """Costs of frames in bits: numbers of sources, pairs of consecutive bytes."""

    def __init__(self, frames: _Bytes) -> None:
        is_id, ids, data = _parts(frames)
        counts = np.bincount(ids[is_id], minlength=128).astype(np.float64)
        counts[_LAST_SOURCE + 1 :] = 0
        self._ids = _bits((counts + 0.01) / (counts.sum() + 1.28))
        share = (is_id.sum() + 1) / (is_id.size + 2)
        self._slots = -np.log2([1 - share, share])
        pairs = np.zeros((256, 256))
        for before, now, is_pair in _pairs(is_id, data):
            np.add.at(pairs, (before[is_pair], now[is_pair]), 1)
        totals = pairs.sum(axis=1, keepdims=True)
        self._pairs = _bits((pairs + _WEIGHT / 256) / (totals + _WEIGHT))

    def costs(self, frames: _Bytes) -> _Costs:
        """Return the cost of each frame."""
        is_id, ids, data = _parts(frames)
        cost: _Costs = np.where(is_id, self._ids[ids] + self._slots[1], self._slots[0]).sum(axis=1)
        for before, now, is_pair in _pairs(is_id, data):
            cost += np.where(is_pair, self._pairs[before, now], 0.0)
        return cost


def _bits(shares: _Costs) -> _Costs:
    found: _Costs = np.minimum(-np.log2(shares), _MOST_BITS)
    return found


def _parts(frames: _Bytes) -> tuple[NDArray[np.bool_], NDArray[np.int64], _Bytes]:
    """Return for each even byte whether it is a number of a source, the number, and the data."""
    evens = frames[:, 0::2]
    is_id = (evens & 1).astype(bool)
    low = frames[:, -1:] >> np.arange(_EVENS, dtype=np.uint8) & np.uint8(1)
    data = frames[:, :-1].copy()
    data[:, 0::2] = evens | low
    return is_id, (evens >> 1).astype(np.int64), data


def _pairs(
    is_id: NDArray[np.bool_], data: _Bytes
) -> Iterator[tuple[_Bytes, _Bytes, NDArray[np.bool_]]]:
    """Yield the pairs of consecutive data bytes: both columns, and where they are a pair."""
    before = data[:, 0]
    has_before = ~is_id[:, 0]
    for place in range(1, FRAME_BYTES - 1):
        now = data[:, place]
        is_data = ~is_id[:, place // 2] if place % 2 == 0 else np.ones(len(data), bool)
        yield before, now, is_data & has_before
        before = np.where(is_data, now, before)
        has_before = has_before | is_data


class AlignedFrames:
    """Divides the bytes of a trace port into frames; input may be cut at any byte.

    Attributes:
        skipped: number of bytes that are not in a frame.
    """

    def __init__(self) -> None:
        """Start before the first byte, which may be anywhere in a frame."""
        self.skipped = 0
        self._data = b""
        self._model: _Model | None = None
        self._usual = 0.0

    def receive(self, data: bytes, *, is_end: bool = False) -> Iterator[Piece]:
        """Yield frames and losses as far as they are certain."""
        # A synchronization lies between frames; it may lie across the end of the input.
        self._data = (self._data + data).replace(FULL_SYNC, b"")
        if self._model is None:
            if len(self._data) < _LEARN_BYTES and not is_end:
                return
            yield from self._begin()
        yield from self._frames(is_end=is_end)

    def _begin(self) -> Iterator[Piece]:
        phase, _ = phase_of(self._data)
        if phase:
            self.skipped += phase
            yield LostFrames(phase, self._data[:phase])
            self._data = self._data[phase:]
        window = self._data[:_LEARN_BYTES]
        pieces = [window[at : at + _PIECE_BYTES] for at in range(0, _JUDGED_BYTES, _PIECE_BYTES)]
        frames = _rows(max(pieces, key=lambda piece: _likelihood(piece, 0)))
        for _ in range(_ROUNDS):
            self._model = _Model(frames)
            self._usual = float(np.median(self._model.costs(frames))) if len(frames) else 0.0
            # Bytes may be missing here, too: learn from the frames of the likeliest division.
            parts = self._path(window)
            frames = _rows(b"".join(window[one:two] for one, two, is_frame in parts if is_frame))

    def _lost(self, count: int) -> LostFrames:
        self.skipped += count
        return LostFrames(count)

    def _frames(self, *, is_end: bool) -> Iterator[Piece]:
        while self._model is not None:
            rows = _rows(self._data)
            bad = self._first_unlikely(rows)
            if bad is None:
                count = len(rows) if is_end else max(len(rows) - _ROW, 0)
                break
            if (len(rows) - bad < _AROUND) and not is_end:
                count = max(bad - _AROUND, 0)
                break
            begin = max(bad - _AROUND, 0) * FRAME_BYTES
            if begin:
                yield self._data[:begin]
            window = self._data[begin : begin + 2 * _AROUND * FRAME_BYTES + FRAME_BYTES]
            is_last = is_end and begin + len(window) == len(self._data)
            yield from self._divided(window, begin, is_last=is_last)
        else:
            return
        whole = count * FRAME_BYTES
        if whole:
            yield self._data[:whole]
        self._data = self._data[whole:]
        if is_end and self._data:
            yield self._lost(len(self._data))
            self._data = b""

    def _first_unlikely(self, rows: _Bytes) -> int | None:
        """Return the first of several frames in a row that are unlikely together."""
        if self._model is None or len(rows) < _ROW:
            return None
        costs = self._model.costs(rows)
        means = np.convolve(costs, np.ones(_ROW) / _ROW, "valid")
        found = np.flatnonzero(means > _RISE * self._usual + _MOST_BITS)
        return int(found[0]) if len(found) else None

    def _divided(self, window: bytes, begin: int, *, is_last: bool) -> Iterator[Piece]:
        """Divide a window into frames and skipped bytes at the least cost, and drop it."""
        done = 0
        for first, end, is_frame in self._path(window):
            yield window[first:end] if is_frame else self._lost(end - first)
            done = end
        if is_last and done < len(window):
            yield self._lost(len(window) - done)
            done = len(window)
        self._data = self._data[begin + max(done, 1) :]

    def _path(self, window: bytes) -> list[tuple[int, int, bool]]:
        size, model = len(window), self._model
        if model is None or size < FRAME_BYTES:
            return []
        views = np.lib.stride_tricks.sliding_window_view(
            np.frombuffer(window, np.uint8), FRAME_BYTES
        )
        costs = model.costs(np.ascontiguousarray(views)).tolist()
        aligned, skipping = [np.inf] * (size + 1), [np.inf] * (size + 1)
        run_begin, is_after_run = [0] * (size + 1), [False] * (size + 1)
        aligned[0] = 0.0
        for at in range(size):
            if skipping[at] < aligned[at]:
                aligned[at], is_after_run[at] = skipping[at], True
            here = aligned[at]
            if at < len(costs) and here + costs[at] < aligned[at + FRAME_BYTES]:
                aligned[at + FRAME_BYTES] = here + costs[at]
                is_after_run[at + FRAME_BYTES] = False
            enter = here + _ENTER_BITS
            go_on = skipping[at]
            skipping[at + 1] = min(enter, go_on) + _SKIP_BITS
            run_begin[at + 1] = run_begin[at] if go_on <= enter else at
        ends = range(size - FRAME_BYTES + 1, size + 1)
        rest_bits = _REST * self._usual / FRAME_BYTES
        at = min(ends, key=lambda end: aligned[end] + rest_bits * (size - end))
        parts: list[tuple[int, int, bool]] = []
        while at > 0:
            first = run_begin[at] if is_after_run[at] else at - FRAME_BYTES
            parts.append((first, at, not is_after_run[at]))
            at = first
        return parts[::-1]


def _rows(data: bytes) -> _Bytes:
    whole = len(data) // FRAME_BYTES * FRAME_BYTES
    return np.frombuffer(data[:whole], np.uint8).reshape(-1, FRAME_BYTES)
