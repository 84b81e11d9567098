"""Compiled conversion of the raw records of one ring to columns of events."""

from __future__ import annotations

import sys
from ctypes import byref, c_uint64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import Chunk, Columns, Found

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ctypes import CDLL

    from numpy.typing import NDArray

COLUMNS: Final = {
    "header": np.uint32,
    "time": np.uint64,
    "data0": np.uint32,
    "data1": np.uint32,
    "ordinal": np.uint64,
    "payload_offset": np.int64,
    "payload_bytes": np.uint32,
}
_RECORD_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Assembled:
    """Result for one chunk.

    Attributes:
        columns: arrays by name, as in `EventColumns`: header, time, data0, data1, ordinal,
            payload_offset, payload_bytes, payload.
        held_ordinal: ordinal of the first event kept for the next chunk; None if none is kept.
        ticks_before: time of the last event before each buffer that has a gap before it, by index
            of the buffer; None if there was no event yet.
        incomplete: number of combine events given up.
        orphans: number of records without their BEGIN.
        mismatched: number of combine events whose number of records does not match their length.
        lost_records: number of records of these three kinds.
        time_faults: number of buffers that begin before the end of the previous buffer.
        given_up: identity of each incomplete event, see `decode.moves`.
    """

    columns: Mapping[str, NDArray[Any]]
    held_ordinal: int | None
    ticks_before: Mapping[int, int | None]
    incomplete: int
    orphans: int
    mismatched: int
    lost_records: int
    time_faults: int
    given_up: tuple[int, ...]


class Assembler(Handle):
    """Assembles events; keeps events without their END for the next chunk."""

    def __init__(self, compiled: CDLL, byte_order: str) -> None:
        """Start a ring.

        Args:
            compiled: the compiled part.
            byte_order: byte order of the records, "little" or "big".
        """
        super().__init__(compiled, "assembler")
        self._swap = byte_order != sys.byteorder

    def take(
        self,
        buffers: NDArray[np.void],
        records: NDArray[np.void] | NDArray[np.uint8],
        gap_buffers: NDArray[np.intp],
        *,
        start: NDArray[np.uint64] | None = None,
        last: bool = False,
    ) -> Assembled:
        """Decode the next buffers.

        Args:
            buffers: structured, `wire.BUFFER_HEADER_DTYPE`, in order, without repeated ordinals.
            records: structured, `wire.record_dtype`: the records of all buffers. With `start`:
                bytes that contain them.
            gap_buffers: indices of the buffers before which records are missing.
            start: offset of the first record of each buffer in `records`, in bytes; the caller
                ensures that its records are there. None if the buffers follow each other.
            last: True at the end of the input: open events are given up.

        Raises:
            MemoryError: no memory is available.
        """
        counts = buffers["count"].astype(np.uint32)
        count = int(counts.sum(dtype=np.uint64))
        if start is None:
            if count != len(records):
                raise ValueError("the buffers have not as many records as there are")
            start = (np.cumsum(counts, dtype=np.uint64) - counts) * np.uint64(_RECORD_BYTES)
        gap = np.zeros(len(buffers), np.uint8)
        gap[gap_buffers] = 1
        raw: NDArray[Any] = np.ascontiguousarray(records)
        inputs = (
            raw,
            np.ascontiguousarray(start, np.uint64),
            np.ascontiguousarray(buffers["first_ordinal"], np.uint64),
            np.ascontiguousarray(buffers["ticks"], np.uint64),
            counts,
            gap,
        )
        before = np.empty(len(buffers), np.uint64)
        has_before = np.empty(len(buffers), np.uint8)
        places = [address(array) for array in (*inputs, before, has_before)]
        chunk = Chunk(*places, len(buffers), self._swap, last)
        rows = count + self._library.tt_assembler_kept_rows(self._handle)
        pairs = count + self._library.tt_assembler_kept_pairs(self._handle)
        room = {name: np.empty(rows, kind) for name, kind in COLUMNS.items()}
        room["payload"] = np.empty(pairs, np.uint64)
        out = Columns(*(address(array) for array in room.values()))
        found = Found()
        if self._library.tt_assemble(self._handle, byref(chunk), byref(out), byref(found)):
            raise MemoryError
        columns = {name: room[name][: found.rows] for name in COLUMNS}
        columns["payload"] = room["payload"][: found.payload_pairs].view(np.uint8)
        ticks = {at: int(before[at]) if has_before[at] else None for at in gap_buffers.tolist()}
        given = (
            (c_uint64 * found.incomplete).from_address(found.given_up) if found.incomplete else ()
        )
        return Assembled(
            columns=columns,
            held_ordinal=found.held_ordinal if found.held_rows else None,
            ticks_before=ticks,
            incomplete=found.incomplete,
            orphans=found.orphans,
            mismatched=found.mismatched,
            lost_records=found.lost_records,
            time_faults=found.time_faults,
            given_up=tuple(given),
        )
