"""Divide RECORDS chunks into pieces, so that damage of the file stays small.

A piece is a RECORDS chunk with a body of at most `PIECE_BYTES`, with its own header and CRC. A
damaged sector of a disk lies in two pieces at most, so it costs at most 64 KiB of the file.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.decode.clock import ticks_64
from tickertape.decode.records import FIRST_PART
from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    BUFFER_HEADER_DTYPE,
    RECORD_BYTES,
    record_dtype,
)
from tickertape.tape.format import padding, records_fit, records_start

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tickertape.decode.records import I64, Structured
    from tickertape.protocol.wire import ByteOrder

PIECE_BYTES: Final = 32_768
"""Greatest body of a RECORDS chunk that is written, in bytes."""

# Records of one buffer in a piece of its own: the rest of the body is the buffer header, padded.
_MOST_RECORDS: Final = (PIECE_BYTES - records_start(1)) // RECORD_BYTES


class Piece(NamedTuple):
    """Body of a RECORDS chunk.

    Attributes:
        body: the body in parts.
        buffer_count: number of its buffers.
        record_count: number of its records.
    """

    body: Sequence[bytes]
    buffer_count: int
    record_count: int


def pieces_of(
    body: Sequence[bytes], buffer_count: int, record_count: int, byte_order: ByteOrder
) -> Iterator[Piece]:
    """Divide the body of a RECORDS chunk; yield it whole if it is small or does not fit its counts.

    A buffer that is larger than a piece becomes several buffers with the same sequence number. The
    ordinals, receipts and times of all records stay the same.

    Args:
        body: the body in parts.
        buffer_count: number of its buffers.
        record_count: number of its records.
        byte_order: byte order of the records.
    """
    size = sum(map(len, body))
    data = b"" if size <= PIECE_BYTES else b"".join(body)
    buffers = np.empty(0, BUFFER_HEADER_DTYPE)
    if data and records_fit(size, buffer_count, record_count):
        buffers = np.frombuffer(data, BUFFER_HEADER_DTYPE, buffer_count)
    counts = buffers["count"].astype(np.int64)
    if not data or int(counts.sum()) != record_count or not len(buffers):
        yield Piece(body, buffer_count, record_count)
        return
    records = np.frombuffer(
        data, record_dtype(byte_order), record_count, records_start(buffer_count)
    )
    if counts.max() > _MOST_RECORDS:
        buffers = _small_buffers(buffers, records)
        counts = buffers["count"].astype(np.int64)
    ends = np.cumsum(counts)
    for first, end in pairwise(_edges(counts)):
        headers = buffers[first:end].tobytes()
        begin = int(ends[first - 1]) if first else 0
        part = records[begin : int(ends[end - 1])]
        yield Piece([headers, padding(len(headers)), part.tobytes()], end - first, len(part))


def _edges(counts: I64) -> list[int]:
    """Return the first buffer of each piece, and the number of buffers."""
    sizes = np.cumsum(counts * RECORD_BYTES + BUFFER_HEADER_BYTES)
    edges = [0]
    while edges[-1] < len(counts):
        before = int(sizes[edges[-1] - 1]) if edges[-1] else 0
        # The padding after the headers takes at most 8 bytes.
        limit = before + PIECE_BYTES - BUFFER_HEADER_BYTES % 16
        end = int(np.searchsorted(sizes, limit, "right"))
        edges.append(max(end, edges[-1] + 1))
    return edges


def _small_buffers(buffers: Structured, records: Structured) -> Structured:
    """Divide buffers with more records than a piece can hold."""
    made: list[Structured] = []
    begin = 0
    for number, count in enumerate(buffers["count"].tolist()):
        one = buffers[number : number + 1]
        made.append(
            one if count <= _MOST_RECORDS else _divided(one, records[begin : begin + count])
        )
        begin += count
    return np.concatenate(made)


def _divided(buffer: Structured, records: Structured) -> Structured:
    """Divide one buffer, with the time of the last event before each part as its anchor."""
    firsts = np.arange(0, len(records), _MOST_RECORDS)
    parts = np.repeat(buffer, len(firsts))
    parts["first_ordinal"] += firsts.astype(np.uint64)
    parts["sent"] += firsts.astype(np.uint64)
    parts["count"] = np.minimum(len(records) - firsts, _MOST_RECORDS)
    parts["flags"][1:] = 0
    starts = np.flatnonzero(records["header"] < FIRST_PART)
    low = records["time"][starts].astype(np.uint32)
    times = ticks_64(low, np.zeros(1, np.intp), buffer["ticks"])
    before = np.searchsorted(starts, firsts) - 1
    known = before >= 0
    parts["ticks"][known] = times[before[known]]
    return parts
