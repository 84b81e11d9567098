"""Copy a range of time from a tape to a new tape.

The new tape contains, for each ring, all records from the first event in or after the range to the
last event in or before it. The balance spans from the receipt after the event before these records
to the receipt at the event after them. It includes losses around an edge, because on which side of
the edge they were is unknown.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.bodies import BadBodyError, parse_status
from tickertape.edit.ring_cut import cut_of
from tickertape.edit.split import Part, part_between, receipt_alone
from tickertape.errors import UsageError
from tickertape.files import keep_of, replacing
from tickertape.protocol.wire import ChunkType, ObjectKind, record_dtype
from tickertape.tape.chunk_file import ChunkFile
from tickertape.tape.common import origin_ns
from tickertape.tape.format import RingKey, new_header

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.edit.ring_cut import Mark, RingCut
    from tickertape.tape.reader import TapeReader

_LAST_TICK = (1 << 64) - 1
# The counters of the link cannot be divided, because the times of its losses are unknown.
_NOT_COPIED = {ChunkType.INDEX, ChunkType.END, ChunkType.RECEIPT, ChunkType.SUMMARY}
_OF_THE_TAPE = {ChunkType.META, ChunkType.NOTE, ChunkType.SYMBOLS}


@dataclass(frozen=True, slots=True)
class Range:
    """A range of time, both ends included, in ns since the target's clock began, as printed.

    On a tape of several boards: in their common time.
    """

    begin_ns: int | None = None
    end_ns: int | None = None


def cut(
    reader: TapeReader,
    output: Path | str,
    when: Range,
    *,
    epoch: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write a tape with the events in a range of time.

    Args:
        reader: the tape to cut; it is not changed.
        output: path of the new tape; an existing one is kept as `NAME.old`, the tape itself as
            `NAME.orig`.
        when: the range, applied to each boot of the target.
        epoch: only this boot; None for all boots.
        on_progress: function called with the number of chunks processed and the total.

    Returns:
        Number of records on the new tape.

    Raises:
        UsageError: the tape has no event in this range, and no two events around it.
        TapeWriteFailed: the new tape cannot be written.
    """
    cuts: dict[RingKey, RingCut] = {}
    for ring in reader.rings:
        ticks = _ticks(reader, ring.epoch, when)
        if ticks is not None and epoch in {None, ring.epoch}:
            found = cut_of(reader, ring, ticks)
            if found is not None:
                cuts[ring] = found
    epochs = {ring.epoch for ring, one in cuts.items() if one.is_within}
    cuts = {ring: one for ring, one in cuts.items() if ring.epoch in epochs}
    if not cuts:
        raise UsageError(
            f"{reader.path} has no records in this range",
            "see its times with 'tickertape print'",
        )
    output = Path(output)
    with replacing(output, keep_of(reader.path, output)) as place:
        file = ChunkFile(place, new_header(time.time_ns(), reader.header.byte_order))
        try:
            _note_origin(file, reader, when)
            count = _Cutter(reader, file, cuts).write(on_progress or (lambda _done, _total: None))
            file.finish(max(epochs))
        finally:
            file.close()
    return count


def _ticks(reader: TapeReader, epoch: int, when: Range) -> tuple[int, int] | None:
    """Return the first and the last tick of a range in a boot; None if it has none.

    On a tape of several boards the range is in their common time.
    """
    board = reader.boards.get(epoch)
    if board is None:
        return reader.clock(epoch).ticks_between(when.begin_ns, when.end_ns)
    begin, end, origin = when.begin_ns, when.end_ns, origin_ns(reader)
    if not board.aligned:
        return (0, _LAST_TICK) if begin is None and end is None else None
    first = 0 if begin is None else max(0, board.ticks_at(origin + begin))
    last = _LAST_TICK if end is None else min(_LAST_TICK, board.ticks_at(origin + end + 1) - 1)
    return (first, last) if first <= last else None


def _note_origin(file: ChunkFile, reader: TapeReader, when: Range) -> None:
    origin = {
        "tape": str(reader.header.uuid),
        "begin_ns": when.begin_ns,
        "end_ns": when.end_ns,
    }
    file.append(ChunkType.META, [json.dumps({"cut": origin}).encode()])


class _Cutter:
    """Writes the wanted chunks and records of a tape, in file order."""

    def __init__(
        self, reader: TapeReader, file: ChunkFile, cuts: Mapping[RingKey, RingCut]
    ) -> None:
        self._reader = reader
        self._file = file
        self._cuts = cuts
        self._epochs = {ring.epoch for ring in cuts}
        self._none = np.empty(0, record_dtype(reader.header.byte_order))

    def write(self, tell: Callable[[int, int], None]) -> int:
        """Write the new tape; return the number of records. `tell` reports progress."""
        begun: set[int] = set()
        count = 0
        for row, chunk in enumerate(self._reader.chunks):
            kind, epoch = int(chunk["type"]), int(chunk["epoch"])
            tell(row, len(self._reader.chunks))
            if kind in _NOT_COPIED or not (kind in _OF_THE_TAPE or epoch in self._epochs):
                continue
            ring = RingKey(epoch, int(chunk["stream"]), int(chunk["cpu"]))
            if kind in {ChunkType.RECORDS, ChunkType.STATUS} and epoch not in begun:
                begun.add(epoch)
                self._begin(epoch)
            if kind == ChunkType.RECORDS:
                count += self._records(row, ring)
            elif kind != ChunkType.STATUS or self._is_settled_within(row, ring):
                self._copy(row)
        for ring, one in self._cuts.items():
            self._write_mark(ring, one.last)
        return count

    def _begin(self, epoch: int) -> None:
        """Write the receipts where the balances of a boot begin, and names from earlier events."""
        known = self._reader.names(epoch)
        for ring, one in self._cuts.items():
            if ring.epoch != epoch:
                continue
            self._write_mark(ring, one.begin)
            for tid, body in one.names.items():
                if (ObjectKind.THREAD, tid) not in known:
                    self._file.append(ChunkType.NAME, [body], epoch=epoch)

    def _write_mark(self, ring: RingKey, mark: Mark) -> None:
        """Write a receipt as a buffer without records: the copied records may not imply it."""
        self._write(ring, receipt_alone(mark.receipt, mark.ticks, self._none))

    def _records(self, row: int, ring: RingKey) -> int:
        one = self._cuts.get(ring)
        chunk = self._reader.records_at(row)
        if one is None or chunk is None:
            return 0
        part = part_between(Part(chunk.buffers, chunk.records), one.first, one.end)
        if part is not None:
            self._write(ring, part)
        self._reader.release(row)
        return len(part.records) if part is not None else 0

    def _write(self, ring: RingKey, part: Part) -> None:
        self._file.append(
            ChunkType.RECORDS,
            part.body(),
            epoch=ring.epoch,
            stream=ring.stream,
            cpu=ring.cpu,
            buffer_count=len(part.buffers),
            record_count=len(part.records),
        )

    def _is_settled_within(self, row: int, ring: RingKey) -> bool:
        """Return whether the receipt of a STATUS is within the balance of its ring."""
        one, body = self._cuts.get(ring), self._reader.body_at(row)
        try:
            settled = parse_status(body).settled.ordinal if body is not None else None
        except BadBodyError:
            return False
        return (
            one is not None
            and settled is not None
            and one.begin.receipt.ordinal <= settled <= one.last.receipt.ordinal
        )

    def _copy(self, row: int) -> None:
        body = self._reader.body_at(row)
        if body is not None:
            self._file.copy(self._reader.chunks[row], body)
