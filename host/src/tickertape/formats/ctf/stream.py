"""Writes a stream of a CTF trace as packets. A ring of one boot becomes one stream.

All times of a packet have the same high word, so that the low words in its events never wrap. A
loss is a packet without events: it spans the time of the loss, and increases the counter of
discarded events by the number of lost records.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from tickertape.formats.ctf.words import Ids, event_words, padding_bytes

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.records import U64
    from tickertape.tape.format import RingKey

MAGIC: Final = 0xC1FC1FC1
HEAD_FIELDS: Final = (
    ("magic", 32),
    ("stream_id", 32),
    ("stream_instance_id", 32),
)
CONTEXT_FIELDS: Final = (
    ("cpu_id", 32),
    ("timestamp_begin", 64),
    ("timestamp_end", 64),
    ("content_size", 64),
    ("packet_size", 64),
    ("packet_seq_num", 64),
    ("events_discarded", 64),
    ("stream", 32),
)
"""Names and sizes in bits; all little-endian and aligned to 32 bits."""

_CODES: Final = {32: "I", 64: "Q"}
_HEAD: Final = struct.Struct(
    "<" + "".join(_CODES[bits] for _, bits in (*HEAD_FIELDS, *CONTEXT_FIELDS))
)
_CPUS: Final = 64
_WORD_BITS: Final = np.uint64(32)
_BYTE_BITS: Final = 8


class CtfStream:
    """Writes one stream.

    Attributes:
        discarded: number of missing records so far.
        unknown: number of losses of unknown size so far.
        held: number of events so far that got the time of the event before, because times in a
            stream must not step back.
    """

    def __init__(self, file: BinaryIO, ring: RingKey, ids: Ids) -> None:
        """Create an empty stream.

        Args:
            file: receives the packets.
            ring: the ring to write.
            ids: collects the event types that occur.
        """
        self._file = file
        self._ring = ring
        self._ids = ids
        self._sequence = 0
        self._end = 0
        self.discarded = 0
        self.unknown = 0
        self.held = 0

    def write(self, columns: EventColumns) -> None:
        """Write events, and the losses before and between them."""
        begin = 0
        for gap in sorted(columns.losses, key=lambda gap: gap.row):
            self._events(columns.take(slice(begin, gap.row)) if columns.losses else columns)
            self._gap(gap)
            begin = gap.row
        self._events(columns.take(slice(begin, None)) if begin else columns)

    def lose(self, count: int, begin: int | None, end: int) -> None:
        """Write that records are missing.

        Args:
            count: number of missing records; writes nothing if 0.
            begin: begin of the loss in ticks; None for the time of the last event written.
            end: end of the loss in ticks.
        """
        if count:
            self.discarded += count
            self._empty(begin, end)

    def _gap(self, gap: Gap) -> None:
        if gap.unknown:
            # The format has no unknown count; a missing packet has that meaning.
            self._sequence += 1
            self.unknown += 1
        self.lose(gap.lost, gap.begin_ticks, gap.end_ticks)
        if gap.unknown and not gap.lost:
            self._empty(gap.begin_ticks, gap.end_ticks)

    def _empty(self, begin: int | None, end: int) -> None:
        first = max(self._end, begin or 0) if begin is not None else self._end or end
        self._packet(first, max(first, end), b"")

    def _events(self, columns: EventColumns) -> None:
        if not len(columns):
            return
        time = self._rising(columns.time)
        high = time >> _WORD_BITS
        if high[0] == high[-1]:
            self._piece(columns, time)
            return
        cuts = [0, *(np.flatnonzero(high[1:] != high[:-1]) + 1).tolist(), len(columns)]
        for begin, end in pairwise(cuts):
            self._piece(columns.take(slice(begin, end)), time[begin:end])

    def _rising(self, time: U64) -> U64:
        if int(time[0]) >= self._end and not np.any(time[1:] < time[:-1]):
            return time
        rising = np.maximum(np.maximum.accumulate(time), np.uint64(self._end))
        self.held += int(np.count_nonzero(rising != time))
        return rising

    def _piece(self, columns: EventColumns, time: U64) -> None:
        words = event_words(columns, time, self._ids)
        self._packet(int(time[0]), int(time[-1]), words.data, padding_bytes(columns))

    def _packet(self, begin: int, end: int, body: bytes | memoryview, padding: int = 0) -> None:
        size = _HEAD.size + memoryview(body).nbytes
        bits = (_BYTE_BITS * (size - padding), _BYTE_BITS * size)
        cpu, stream = self._ring.cpu, self._ring.stream
        numbers = (MAGIC, 0, stream * _CPUS + cpu, cpu, begin, end, *bits)
        self._file.write(_HEAD.pack(*numbers, self._sequence, self.discarded, stream))
        self._file.write(body)
        self._sequence += 1
        self._end = end
