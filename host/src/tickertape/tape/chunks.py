"""Find the chunks of a tape, from its index or by following the chunks."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tickertape.protocol.wire import (
    CHUNK_HEADER_BYTES,
    CHUNK_HEADER_MAGIC,
    TAPE_HEADER_BYTES,
    ChunkType,
)
from tickertape.tape.format import (
    ALIGNMENT,
    CHUNK_HEADER_DTYPE,
    TABLE_DTYPE,
    TapeIssue,
    is_chunk_header,
    padding,
)

if TYPE_CHECKING:
    import mmap

    from tickertape.decode.records import Structured

_MAGIC = CHUNK_HEADER_MAGIC.to_bytes(4, "little")
_OFFSET_BYTES = 8
_BLOCK_BYTES = 1 << 20
_BEHIND_END = {ChunkType.NOTE, ChunkType.SUMMARY, ChunkType.INDEX}


@dataclass(slots=True)
class ChunkTable:
    """Table of the chunks of a tape.

    Attributes:
        rows: structured, `TABLE_DTYPE`: all chunks in file order.
        closed: True if END is present, followed only by chunks that may follow it.
        issues: defects of the sequence of chunks.
    """

    rows: Structured
    closed: bool
    issues: list[TapeIssue] = field(default_factory=list)


def find_chunks(data: mmap.mmap) -> ChunkTable:
    """Return the chunks of a tape, without checking their bodies."""
    return _by_index(data) or _walk(data)


def _header_at(data: mmap.mmap, offset: int) -> np.void | None:
    raw = data[offset : offset + CHUNK_HEADER_BYTES]
    if not is_chunk_header(raw):
        return None
    header: np.void = np.frombuffer(raw, CHUNK_HEADER_DTYPE, 1)[0]
    return header


def end_of(chunk: np.void) -> int:
    """Return the offset after a chunk and its padding."""
    size = int(chunk["body_bytes"])
    return int(chunk["offset"]) + CHUNK_HEADER_BYTES + size + len(padding(size))


def _by_index(data: mmap.mmap) -> ChunkTable | None:
    """Read the INDEX before END; None if either is missing or damaged."""
    end = len(data) - CHUNK_HEADER_BYTES
    mark = _header_at(data, end) if end >= TAPE_HEADER_BYTES else None
    if mark is None or mark["type"] != ChunkType.END:
        return None
    offset = int.from_bytes(data[end - _OFFSET_BYTES : end], "little")
    header = _header_at(data, offset) if offset + CHUNK_HEADER_BYTES <= end else None
    if header is None or header["type"] != ChunkType.INDEX:
        return None
    first = offset + CHUNK_HEADER_BYTES
    body = data[first : first + int(header["body_bytes"])]
    if first + len(body) != end or zlib.crc32(body) != header["body_crc"]:
        return None
    listed = np.frombuffer(body, TABLE_DTYPE, len(body) // TABLE_DTYPE.itemsize)
    own = np.zeros(2, TABLE_DTYPE)
    for row, place, value in ((0, offset, header), (1, end, mark)):
        own[row] = (place, *value.item())
    return ChunkTable(np.concatenate([listed, own]), closed=True)


def _walk(data: mmap.mmap) -> ChunkTable:
    """Follow the chunks; after damage, search for the next chunk header."""
    table = ChunkTable(np.empty(0, TABLE_DTYPE), closed=False)
    rows: list[bytes] = []
    offset = TAPE_HEADER_BYTES
    while offset < len(data):
        header = _header_at(data, offset)
        if header is None:
            offset = _resynchronise(data, offset, table)
            continue
        size = int(header["body_bytes"])
        end = offset + CHUNK_HEADER_BYTES + size
        if end > len(data):
            table.issues.append(TapeIssue(offset, "the tape ends within a chunk"))
            break
        rows.append(offset.to_bytes(_OFFSET_BYTES, "little") + header.tobytes())
        table.closed = _closes(int(header["type"]), closed=table.closed)
        offset = end + len(padding(size))
    table.rows = np.frombuffer(b"".join(rows), TABLE_DTYPE)
    if not table.closed:
        table.issues.append(TapeIssue(len(data), "the tape was not closed properly"))
    return table


def _closes(kind: int, *, closed: bool) -> bool:
    """Return whether the tape is closed after a chunk; `closed`: it was closed before the chunk."""
    return kind == ChunkType.END or (closed and kind in _BEHIND_END)


def _resynchronise(data: mmap.mmap, offset: int, table: ChunkTable) -> int:
    """Return the offset of the next chunk header after damage, or the end of the file."""
    place = offset
    while (place := data.find(_MAGIC, place + 1)) >= 0:
        if place % ALIGNMENT == 0 and _header_at(data, place) is not None:
            table.issues.append(TapeIssue(offset, f"{place - offset} bytes are not a chunk"))
            return place
    left = len(data) - offset
    if left < CHUNK_HEADER_BYTES:
        what = "the tape ends within a chunk"
    elif _only_zeros(data, offset):
        what = f"the last {left} bytes are zeros: power or disk failed while they were written"
    else:
        what = f"the last {left} bytes are not a chunk"
    table.issues.append(TapeIssue(offset, what))
    return len(data)


def _only_zeros(data: mmap.mmap, offset: int) -> bool:
    """Return whether only zeros follow; a file system that lost data leaves zeros."""
    places = range(offset, len(data), _BLOCK_BYTES)
    return not any(data[place : place + _BLOCK_BYTES].strip(b"\0") for place in places)
