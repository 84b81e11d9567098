"""Raw records of one ring to columns of events, compiled. See assemble.h."""

from __future__ import annotations

import sys
from ctypes import CDLL, POINTER, Structure, byref, c_int, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.library import address, library

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
_FOUND: Final = (
    "rows",
    "payload_pairs",
    "held_rows",
    "held_ordinal",
    "incomplete",
    "orphans",
    "mismatched",
    "lost_records",
    "time_faults",
)


class _Chunk(Structure):
    """`tt_chunk_t`."""

    _fields_ = (
        ("records", c_void_p),
        ("first_ordinal", c_void_p),
        ("ticks", c_void_p),
        ("count", c_void_p),
        ("gap", c_void_p),
        ("ticks_before", c_void_p),
        ("has_ticks_before", c_void_p),
        ("buffer_count", c_uint64),
        ("swap", c_uint32),
        ("last", c_uint32),
    )


class ColumnPointers(Structure):
    """`tt_columns_t`."""

    _fields_ = tuple((name, c_void_p) for name in (*COLUMNS, "payload"))


class _Found(Structure):
    """`tt_found_t`."""

    _fields_ = (*((name, c_uint64) for name in _FOUND), ("given_up", POINTER(c_uint64)))


@dataclass(frozen=True, slots=True)
class Assembled:
    """What one chunk gave.

    Attributes:
        columns: arrays by name, as in `EventColumns`: header, time, data0, data1, ordinal,
            payload_offset, payload_bytes, payload.
        held_ordinal: of the first event that is kept for the next chunk, None when none is.
        ticks_before: for each buffer the time of the last event before it, None where there was
            none yet; only for buffers with a gap before them.
        incomplete: combine events given up.
        orphans: records without their BEGIN.
        mismatched: combine events whose number of records does not fit their length.
        lost_records: records of the three above.
        time_faults: buffers that begin before the end of the one before.
        given_up: of each incomplete event its identity, see `decode.moves`.
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


class Assembler:
    """Keeps what waits for its END from chunk to chunk."""

    def __init__(self, compiled: CDLL, byte_order: str) -> None:
        """Begin a ring.

        Args:
            compiled: the compiled part.
            byte_order: of the records, "little" or "big".
        """
        self._library = _declared(compiled)
        self._handle: int | None = self._library.tt_assembler_new()
        self._swap = byte_order != sys.byteorder
        if self._handle is None:
            raise MemoryError

    def __del__(self) -> None:
        """Free what is kept."""
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._library.tt_assembler_free(handle)

    def take(
        self,
        buffers: NDArray[np.void],
        records: NDArray[np.void],
        gap_buffers: NDArray[np.intp],
        *,
        last: bool = False,
    ) -> Assembled:
        """Take the next buffers.

        Args:
            buffers: structured, `wire.BUFFER_HEADER_DTYPE`: fresh, in order.
            records: structured, `wire.record_dtype`: the records of all of them.
            gap_buffers: numbers of the buffers before which records are missing.
            last: nothing follows; what is open is given up.

        Raises:
            MemoryError: there is no memory.
        """
        counts = buffers["count"].astype(np.uint32)
        if int(counts.sum(dtype=np.uint64)) != len(records):
            raise ValueError("the buffers have not as many records as there are")
        gap = np.zeros(len(buffers), np.uint8)
        gap[gap_buffers] = 1
        records = np.ascontiguousarray(records)
        inputs = (
            records,
            np.ascontiguousarray(buffers["first_ordinal"], np.uint64),
            np.ascontiguousarray(buffers["ticks"], np.uint64),
            counts,
            gap,
        )
        before = np.empty(len(buffers), np.uint64)
        has_before = np.empty(len(buffers), np.uint8)
        places = [address(array) for array in (*inputs, before, has_before)]
        chunk = _Chunk(*places, len(buffers), self._swap, last)
        rows = len(records) + self._library.tt_assembler_kept_rows(self._handle)
        pairs = len(records) + self._library.tt_assembler_kept_pairs(self._handle)
        room = {name: np.empty(rows, kind) for name, kind in COLUMNS.items()}
        room["payload"] = np.empty(pairs, np.uint64)
        out = ColumnPointers(*(address(array) for array in room.values()))
        found = _Found()
        if self._library.tt_assemble(self._handle, byref(chunk), byref(out), byref(found)):
            raise MemoryError
        columns = {name: room[name][: found.rows] for name in COLUMNS}
        columns["payload"] = room["payload"][: found.payload_pairs].view(np.uint8)
        ticks = {at: int(before[at]) if has_before[at] else None for at in gap_buffers.tolist()}
        given_up = tuple(found.given_up[: found.incomplete]) if found.incomplete else ()
        return assembled(columns, [getattr(found, name) for name in _FOUND], ticks, given_up)


def assembled(
    columns: Mapping[str, NDArray[Any]],
    found: Sequence[int],
    ticks_before: Mapping[int, int | None],
    given_up: tuple[int, ...],
) -> Assembled:
    """Make the result of a call from its parts; `found` are the numbers of `tt_found_t`."""
    _rows, _pairs, held_rows, held_ordinal, *counts = found
    incomplete, orphans, mismatched, lost_records, time_faults = counts
    return Assembled(
        columns=columns,
        held_ordinal=held_ordinal if held_rows else None,
        ticks_before=ticks_before,
        incomplete=incomplete,
        orphans=orphans,
        mismatched=mismatched,
        lost_records=lost_records,
        time_faults=time_faults,
        given_up=given_up,
    )


def assembler(byte_order: str) -> Assembler | None:
    """Begin a ring; None when there is no compiled part.

    Args:
        byte_order: of the records, "little" or "big".
    """
    compiled = library()
    return None if compiled is None else Assembler(compiled, byte_order)


def _declared(compiled: CDLL) -> CDLL:
    """Tell ctypes the types of the functions used here."""
    compiled.tt_assembler_new.argtypes = []
    compiled.tt_assembler_new.restype = c_void_p
    compiled.tt_assembler_free.argtypes = [c_void_p]
    compiled.tt_assembler_free.restype = None
    for function in (compiled.tt_assembler_kept_rows, compiled.tt_assembler_kept_pairs):
        function.argtypes = [c_void_p]
        function.restype = c_uint64
    pointers = [POINTER(kind) for kind in (_Chunk, ColumnPointers, _Found)]
    compiled.tt_assemble.argtypes = [c_void_p, *pointers]
    compiled.tt_assemble.restype = c_int
    return compiled
