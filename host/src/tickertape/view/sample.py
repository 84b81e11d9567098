"""Sample a large tape: read evenly spread stretches of each ring instead of all records.

The decoder and the model see a gap between two stretches: states are unknown until an event
determines them again. A sample never passes for the whole tape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.tape.chunks import end_of
from tickertape.tape.format import RingKey
from tickertape.tape.reader import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.decode.records import I64, Rows
    from tickertape.tape.format import RecordsChunk

SAMPLED_RECORDS: Final = 1 << 18
"""Approximate number of records in a sample; reading them takes a part of a second."""

LARGE_RECORDS: Final = 3 * SAMPLED_RECORDS
"""Tapes with fewer records are read whole at once."""

_STRETCHES: Final = 32


class SampleReader(TapeReader):
    """A tape whose `records_chunks` yields stretches, including the first and last records."""

    def __init__(self, path: Path | str) -> None:
        """Open a tape."""
        super().__init__(path)
        rings = max(len(self.rings), 1)
        self._stretches = max(_STRETCHES // rings, 2)
        self._wanted = SAMPLED_RECORDS // (self._stretches * rings)
        self._resumed: set[tuple[RingKey, int]] = set()

    def records_chunks(self, ring: RingKey | None = None) -> Iterator[RecordsChunk]:
        """Yield stretches of one ring, or of all; each is a part of one chunk."""
        for one in self.rings if ring is None else [ring]:
            groups = _spread(self.record_groups(one), self._stretches)
            for place, rows in enumerate(groups):
                chunk = self.records_of(rows)
                if chunk is None or not len(chunk.buffers):
                    continue
                part = self._part(chunk, at_end=rows is groups[-1])
                if place:
                    self._resumed.add((one, int(part.buffers["first_ordinal"][0])))
                yield part

    def left_out(self, columns: EventColumns, gap: Gap) -> bool:
        """Return whether a gap ends with records that this sample left out."""
        ring = RingKey(columns.epoch, gap.stream, gap.cpu)
        return (ring, gap.end_ordinal) in self._resumed

    def _part(self, chunk: RecordsChunk, *, at_end: bool) -> RecordsChunk:
        """Return the first or the last buffers of a chunk, at least one."""
        ends: I64 = np.cumsum(chunk.buffers["count"], dtype=np.int64)
        if at_end:
            first = int(np.searchsorted(ends, ends[-1] - self._wanted, "right"))
            first = min(first, len(ends) - 1)
            return chunk.part(slice(first, None))
        last = min(int(np.searchsorted(ends, self._wanted, "left")), len(ends) - 1)
        return chunk.part(slice(last + 1))


class RecentReader(SampleReader):
    """A growing tape: reads its newest records, and stretches of earlier ones.

    The stretches do not change until the tape is twice as long. A small tape is read whole.

    Attributes:
        is_whole: whether all records are read.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape as far as it is written; an incomplete last chunk is not an issue."""
        super().__init__(path)
        end = end_of(self.chunks[-1]) if len(self.chunks) else 0
        self.issues = [one for one in self.issues if one.offset < end]
        self.is_whole = self.record_count < SAMPLED_RECORDS

    def records_chunks(self, ring: RingKey | None = None) -> Iterator[RecordsChunk]:
        """Yield the stretches and the newest chunks of one ring, or of all."""
        for one in self.rings if ring is None else [ring]:
            groups = self.record_groups(one)
            recent = len(groups) if self.is_whole else self._recent(groups)
            before = len(groups) - recent
            step = 1 << max(before // self._stretches, 0).bit_length()
            is_open = True  # all chunks so far were read
            for place, rows in enumerate(groups):
                chunk = None if place < before and place % step else self.records_of(rows)
                if chunk is None or not len(chunk.buffers):
                    is_open = is_open and place >= before
                    continue
                part = chunk if place >= before else self._part(chunk, at_end=False)
                if not is_open:
                    self._resumed.add((one, int(part.buffers["first_ordinal"][0])))
                is_open = len(part.buffers) == len(chunk.buffers)
                yield part

    def _recent(self, groups: Sequence[Rows]) -> int:
        """Return the number of last groups that contain half of the records to read."""
        counts = [int(self.chunks["record_count"][rows].sum()) for rows in reversed(groups)]
        wanted = self._wanted * self._stretches // 2
        return int(np.searchsorted(np.cumsum(counts), wanted)) + 1 if groups else 0


def _spread(groups: Sequence[Rows], count: int) -> list[Rows]:
    """Choose evenly spread groups of chunks, including the first and the last one."""
    places = np.linspace(0, max(len(groups) - 1, 0), min(count, len(groups)))
    return [groups[place] for place in np.unique(places.astype(np.intp)).tolist()]
