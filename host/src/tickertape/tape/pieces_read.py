"""Check RECORDS chunks and find their buffers; `_native/pieces.c` is the compiled version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape._native.crc import compiled_crc, crc32
from tickertape._native.interface import PieceState
from tickertape._native.pieces import PieceReader
from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    BUFFER_HEADER_DTYPE,
    CHUNK_HEADER_BYTES,
    RECORD_BYTES,
)
from tickertape.tape.format import records_fit, records_start

if TYPE_CHECKING:
    from tickertape.decode.records import I64, U8, U64, Rows, Structured

FAULTS: Final = {
    PieceState.CRC: "its CRC is wrong",
    PieceState.SIZE: "its size does not fit its counts",
    PieceState.COUNTS: "its buffers do not match its number of records",
}


class FoundBuffers(NamedTuple):
    """Buffers of the sound chunks.

    Attributes:
        buffers: structured, `wire.BUFFER_HEADER_DTYPE`, in order.
        start: u64, offset of the first record of each buffer in the file, in bytes.
        fault_count: number of chunks that were found to be damaged.
    """

    buffers: Structured
    start: U64
    fault_count: int


class PiecesReader:
    """Reads the RECORDS chunks of a tape with the engine of this process.

    Attributes:
        state: u8, `PieceState` of each chunk of the tape; reading changes it.
    """

    def __init__(self, data: U8, chunks: Structured) -> None:
        """Set the tape.

        Args:
            data: u8, the bytes of the tape.
            chunks: structured, `format.TABLE_DTYPE`: all chunks.
        """
        self.state = np.zeros(len(chunks), np.uint8)
        self._data = data
        self._chunks = chunks
        compiled = compiled_crc()
        self._compiled = compiled and PieceReader(compiled, data, chunks, self.state)
        # Number of buffers, as far as it fits the size of the body.
        counts: I64 = chunks["buffer_count"].astype(np.int64)
        fits = counts * BUFFER_HEADER_BYTES <= np.minimum(chunks["body_bytes"], len(data))
        self._room = np.where(fits, counts, 0)

    def read(self, rows: Rows) -> FoundBuffers:
        """Check chunks of one ring and return the buffers of the sound ones.

        Args:
            rows: rows of the table of chunks, in file order.
        """
        if self._compiled is None:
            return self._read(rows)
        buffers = np.empty(int(self._room[rows].sum()), BUFFER_HEADER_DTYPE)
        return FoundBuffers(*self._compiled.read(rows, buffers))

    def _read(self, rows: Rows) -> FoundBuffers:
        buffers = [np.empty(0, BUFFER_HEADER_DTYPE)]
        start = [np.empty(0, np.uint64)]
        faults = 0
        for row in rows[self.state[rows] <= PieceState.SOUND]:
            chunk = self._chunks[row]
            is_checked = bool(self.state[row] == PieceState.SOUND)
            self.state[row] = self._state_of(chunk, is_checked=is_checked)
            if self.state[row] != PieceState.SOUND:
                faults += 1
                continue
            found = self._buffers_of(chunk)
            counts = found["count"].astype(np.uint64)
            first = int(chunk["offset"]) + CHUNK_HEADER_BYTES + records_start(len(found))
            before = np.cumsum(counts, dtype=np.uint64) - counts
            start.append(np.uint64(first) + before * np.uint64(RECORD_BYTES))
            buffers.append(found)
        return FoundBuffers(np.concatenate(buffers), np.concatenate(start), faults)

    def _buffers_of(self, chunk: np.void) -> Structured:
        first = int(chunk["offset"]) + CHUNK_HEADER_BYTES
        size = int(chunk["buffer_count"]) * BUFFER_HEADER_BYTES
        return self._data[first : first + size].view(BUFFER_HEADER_DTYPE)

    def _state_of(self, chunk: np.void, *, is_checked: bool) -> PieceState:
        first, size = int(chunk["offset"]) + CHUNK_HEADER_BYTES, int(chunk["body_bytes"])
        body = self._data[first : first + size]
        if len(body) != size or (not is_checked and crc32(body.data) != chunk["body_crc"]):
            return PieceState.CRC
        if not records_fit(size, int(chunk["buffer_count"]), int(chunk["record_count"])):
            return PieceState.SIZE
        count = int(self._buffers_of(chunk)["count"].sum(dtype=np.int64))
        return PieceState.SOUND if count == chunk["record_count"] else PieceState.COUNTS
