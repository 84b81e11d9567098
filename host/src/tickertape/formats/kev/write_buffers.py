"""Cuts records into the buffers of a QNX trace file and adds their time.

Each buffer begins with CONTROL BUFFER {number, records}. The first record of each CPU in a buffer,
and one after a wrap of its low word or half a period, follows a CONTROL TIME {high, low word}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from tickertape.formats.kev.marks import BUFFER_CODE, TIME_CODE
from tickertape.protocol.wire import CPU_BITS, CPU_SHIFT, KEYED_BITS, record_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.records import I64, U64, Structured
    from tickertape.protocol.wire import ByteOrder

_BUFFER_RECORDS: Final = 714  # what a buffer of that system holds when it is handed over
_SEQUENCE_LIMIT: Final = 1 << 32
_HALF_PERIOD: Final = 1 << 31


class BufferWriter:
    """Writes buffers to a file."""

    def __init__(self, file: BinaryIO, byte_order: ByteOrder, *, marks: bool) -> None:
        """Begin after the header.

        Args:
            file: open for writing.
            byte_order: of the records.
            marks: add CONTROL records of buffers and time; False when the events
                have their own, as in a tape that was made of such a file.
        """
        self._file = file
        self._dtype = record_dtype(byte_order)
        self._marks = marks
        self._sequence = 1

    def lose(self) -> None:
        """Leave out one number: what follows does not follow what was written."""
        self._sequence += 1

    def write(self, records: Structured, time: U64, counts: I64) -> None:
        """Write whole events.

        Args:
            records: all of their records.
            time: 64-bit time of each record.
            counts: records of each event.
        """
        if not len(records):
            return
        if not self._marks:
            self._file.write(records.tobytes())
            return
        ends = np.cumsum(counts)
        begin = row = 0
        while begin < len(records):
            # As many events as fit; one that is larger has a buffer of its own.
            row = max(row + 1, int(np.searchsorted(ends, begin + _BUFFER_RECORDS, "right")))
            end = int(ends[row - 1])
            self._file.write(self._buffer(records[begin:end], time[begin:end]))
            begin = end

    def _buffer(self, records: Structured, time: U64) -> bytes:
        cpu = (records["header"].astype(np.uint32) & CPU_BITS) >> np.uint32(CPU_SHIFT)
        rows = self._new_times(cpu, time)
        told = np.zeros(len(rows), self._dtype)
        told["header"] = cpu[rows] << np.uint32(CPU_SHIFT) | np.uint32(KEYED_BITS | TIME_CODE)
        told["time"] = told["data1"] = records["time"][rows]
        told["data0"] = (time[rows] >> np.uint64(32)).astype(np.uint32)
        begin = np.zeros(1, self._dtype)
        begin["header"] = cpu[0] << np.uint32(CPU_SHIFT) | np.uint32(KEYED_BITS | BUFFER_CODE)
        begin["time"] = records["time"][0]
        begin["data0"] = self._sequence % _SEQUENCE_LIMIT
        begin["data1"] = 1 + len(told) + len(records)
        self._sequence += 1
        # Joined as bytes: numpy would join arrays in the byte order of this machine.
        return begin.tobytes() + np.insert(records, rows, told).tobytes()

    @staticmethod
    def _new_times(cpu: NDArray[np.integer], time: U64) -> I64:
        """Find the records that need a TIME record before them."""
        found = []
        for number in np.unique(cpu):
            rows = np.flatnonzero(cpu == number)
            mine = time[rows]
            wraps = mine[1:] >> np.uint64(32) != mine[:-1] >> np.uint64(32)
            # A long way within one period could be taken for a short way back.
            changed = np.flatnonzero(wraps | (np.diff(mine) >= _HALF_PERIOD)) + 1
            found.append(rows[np.concatenate([[0], changed])])
        return np.sort(np.concatenate(found)).astype(np.int64)
