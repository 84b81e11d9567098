"""Puts records with known 64-bit times onto a tape, as one ring.

    ring = TimedRing()
    for body in ring.buffers(records, time):
        writer.buffer(0, 0, body)

Within a buffer of a tape, time never steps back, and two records are less than 2^32 ticks apart. A
buffer therefore ends before a record that would break one of these rules. Records keep their order
and their times; `turns` counts the steps back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, BufferFlag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.records import U64, Structured

_PERIOD: Final = 1 << 32
_MOST_RECORDS: Final = 4092  # that fit into a BUFFER frame


class TimedRing:
    """One ring of a file whose records are simple events, each with its full time.

    Attributes:
        count: number of records so far, and ordinal of the next one.
        turns: number of records whose time is earlier than that of the record before.
        first_turn: ordinal of the first such record; None when there is none.
        is_lost: whether records are missing after the last one.
    """

    def __init__(self) -> None:
        """Create an empty ring; its first record has ordinal 0."""
        self.count = 0
        self.turns = 0
        self.first_turn: int | None = None
        self._sequence = 0
        self._last: int | None = None
        self.is_lost = False

    @property
    def last_ticks(self) -> int:
        """Time of the last record in ticks; 0 before the first."""
        return self._last or 0

    def lose(self) -> None:
        """Mark a loss of unknown size before the next record."""
        self.is_lost = True

    def lost_end(self) -> bytes:
        """Return a buffer without records, which marks a loss of unknown size at the end."""
        header = np.zeros((), BUFFER_HEADER_DTYPE)
        header["first_ordinal"] = header["sent"] = self.count
        header["sequence"] = self._sequence % _PERIOD
        header["ticks"], header["flags"] = self._last or 0, BufferFlag.LOSS_BEFORE
        self._sequence += 1
        return header.tobytes()

    def buffers(self, records: Structured, time: U64) -> Iterator[bytes]:
        """Yield the next records as bodies of BUFFER frames.

        Args:
            records: structured array, `wire.record_dtype`, of SIMPLE records; their field `time`
                is the low word of `time`.
            time: full time of each record in ticks, same length.
        """
        if not len(records):
            return
        first = time[0] if self._last is None else self._last
        before = np.concatenate([np.array([first], np.uint64), time[:-1]])
        goes_back = time < before
        back = np.flatnonzero(goes_back)
        self.turns += len(back)
        if len(back) and self.first_turn is None:
            self.first_turn = self.count + int(back[0])
        begins = np.flatnonzero(goes_back | (time - before >= _PERIOD))
        firsts = np.union1d(begins, np.arange(0, len(records), _MOST_RECORDS))
        yield from self._bodies(records, time, firsts.tolist())
        self._last = int(time[-1])

    def _bodies(self, records: Structured, time: U64, firsts: list[int]) -> Iterator[bytes]:
        header = np.zeros((), BUFFER_HEADER_DTYPE)
        for begin, end in zip(firsts, [*firsts[1:], len(records)], strict=True):
            header["first_ordinal"] = header["sent"] = self.count
            header["ticks"] = time[begin]
            header["sequence"] = self._sequence % _PERIOD
            header["count"] = end - begin
            header["flags"] = BufferFlag.LOSS_BEFORE if self.is_lost else 0
            self.is_lost = False
            yield header.tobytes() + records[begin:end].tobytes()
            self.count += end - begin
            self._sequence += 1
