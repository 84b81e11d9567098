"""Cuts records into the buffers of a QNX trace file, and adds records for buffers and time.

Each buffer begins with CONTROL BUFFER {number, records}. CONTROL TIME {high word, low word}
precedes the first record of each CPU in a buffer, and a record after a wrap of the low word or
after half a period.
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

_BUFFER_RECORDS: Final = 714  # in a buffer of QNX when the kernel hands it over
_SEQUENCE_LIMIT: Final = 1 << 32
_HALF_PERIOD: Final = 1 << 31


class BufferWriter:
    """Writes buffers to a file."""

    def __init__(self, file: BinaryIO, byte_order: ByteOrder, *, marks: bool) -> None:
        """Create a writer.

        Args:
            file: file to write to, after its header.
            byte_order: byte order of the records.
            marks: whether to add CONTROL records of buffers and time; False when the events already
                contain them, as on a tape imported from QNX.
        """
        self._file = file
        self._dtype = record_dtype(byte_order)
        self._marks = marks
        self._sequence = 1

    def lose(self) -> None:
        """Mark a loss before the next buffer: skip a buffer number."""
        self._sequence += 1

    def write(self, records: Structured, time: U64, counts: I64) -> None:
        """Write whole events.

        Args:
            records: all records of the events.
            time: 64-bit time of each record in ticks.
            counts: number of records of each event.
        """
        if not len(records):
            return
        if not self._marks:
            self._file.write(records.tobytes())
            return
        ends = np.cumsum(counts)
        begin = row = 0
        while begin < len(records):
            # As many events as fit; an event that does not fit gets a buffer of its own.
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
        # Join bytes, because numpy would convert arrays to the byte order of this machine.
        return begin.tobytes() + np.insert(records, rows, told).tobytes()

    @staticmethod
    def _new_times(cpu: NDArray[np.integer], time: U64) -> I64:
        """Return the rows of records that need a TIME record before them."""
        found = []
        for number in np.unique(cpu):
            rows = np.flatnonzero(cpu == number)
            mine = time[rows]
            wraps = mine[1:] >> np.uint64(32) != mine[:-1] >> np.uint64(32)
            # A reader could take a long step forward within a period for a step back.
            changed = np.flatnonzero(wraps | (np.diff(mine) >= _HALF_PERIOD)) + 1
            found.append(rows[np.concatenate([[0], changed])])
        return np.sort(np.concatenate(found)).astype(np.int64)
