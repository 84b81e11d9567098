"""Convert PACKED bodies to records, many at once. Format: protocol/SPEC.md, "Packed records".

A record depends on the records before it in the same body, but bodies do not depend on each other,
and each part of a body gives the position of the next part. So numpy performs each step for all
bodies of a batch together, for thousands of records at a time. An invalid body is removed from the
batch and yields no record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.bodies import BadBodyError, BufferHeader
from tickertape.decode.packed_parts import TIME_LENGTHS, WORD_LENGTHS, Refused, find_parts
from tickertape.protocol.wire import (
    BUFFER_HEADER_DTYPE,
    ByteOrder,
    Predictor,
    record_dtype,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.decode.packed_parts import Parts
    from tickertape.decode.records import I64, U8, U32, U64, Structured

# A batch needs up to 300 bytes of memory per record, and has fewer records than bytes.
_BATCH_BYTES: Final = 1 << 17
_WORDS: Final = 2
_FIELDS: Final = 4  # fields of a record: header, time and two words
_U16_LIMIT: Final = 1 << 16
_LITTLE: Final = record_dtype(ByteOrder.LITTLE)
# Mask of a value by its length in half bytes.
_MASKS: Final = np.array([(1 << 4 * length) - 1 for length in range(9)], np.uint64)


@dataclass(frozen=True, slots=True)
class UnpackedBuffer:
    """The contents of the body of a PACKED frame.

    Attributes:
        header: header of the equivalent BUFFER.
        records: structured, little-endian.
    """

    header: BufferHeader
    records: Structured

    def body(self, byte_order: ByteOrder) -> bytes:
        """Return the body of the equivalent BUFFER frame.

        Args:
            byte_order: byte order of the target.
        """
        row = (
            self.header.first_ordinal,
            self.header.dropped,
            self.header.sent,
            self.header.ticks,
            self.header.sequence,
            self.header.count,
            self.header.ring_number,
            self.header.flags,
        )
        records = self.records.astype(record_dtype(byte_order), copy=False)
        return np.array([row], BUFFER_HEADER_DTYPE).tobytes() + records.tobytes()


def unpack(bodies: Sequence[bytes]) -> list[UnpackedBuffer | BadBodyError]:
    """Unpack bodies of PACKED frames; return a buffer or an error for each."""
    results: list[UnpackedBuffer | BadBodyError] = []
    begin = size = 0
    for end, body in enumerate(bodies):
        if size + len(body) > _BATCH_BYTES:
            results += _unpack_batch(bodies[begin:end])
            begin, size = end, 0
        size += len(body)
    return results + _unpack_batch(bodies[begin:])


def _unpack_batch(bodies: Sequence[bytes]) -> list[UnpackedBuffer | BadBodyError]:
    results: list[UnpackedBuffer | BadBodyError | None] = [None] * len(bodies)
    left = list(range(len(bodies)))
    while left:
        try:
            parts = find_parts([bodies[i] for i in left])
        except Refused as refused:
            # The remaining bodies pass one more check each time, so this ends after a few turns.
            for row in refused.rows:
                results[left[row]] = BadBodyError(refused.why)
            left = [i for i in left if results[i] is None]
            continue
        for i, buffer in zip(left, _buffers(parts), strict=True):
            results[i] = buffer
        break
    return [result for result in results if result is not None]


def _buffers(parts: Parts) -> list[UnpackedBuffer]:
    records = _records(parts)
    numbers, ends = parts.numbers.tolist(), np.cumsum(parts.counts).tolist()
    buffers: list[UnpackedBuffer] = []
    for row, ring_number, end in zip(numbers, parts.ring_number.tolist(), ends, strict=True):
        ordinal, dropped, sent, ticks, sequence, count = row
        header = BufferHeader(ordinal, dropped, sent, ticks, sequence, count, ring_number, 0)
        buffers.append(UnpackedBuffer(header, records[end - count : end]))
    return buffers


def _records(parts: Parts) -> Structured:
    """Return the records of all bodies, in order."""
    fields = np.empty((len(parts.control), _FIELDS), "<u4")
    fields[:, 0] = parts.headers[parts.kind]
    passed, differences = _values(parts)
    fields[:, 1] = _times(parts, passed)
    fields[:, 2:] = _words(parts, differences)
    records: Structured = fields.view(_LITTLE).reshape(-1)
    return records


def _values(parts: Parts) -> tuple[U32, U32]:
    """Read the values: time differences, u32 (N), and word differences, u32 (N, 2)."""
    # Eight bytes from any byte on, so that they contain a value that begins in mid-byte.
    windows: U64 = np.ndarray((len(parts.data) - 7,), "<u8", parts.data, 0, (1,))
    control, at = parts.control, parts.places
    usual = np.repeat(parts.usual, parts.counts)

    def read(lengths: U8) -> U32:
        nonlocal at
        shifts = (at & 1).astype(np.uint64) * np.uint64(4)
        values = (windows[at >> 1] >> shifts) & _MASKS[lengths]
        at = at + lengths
        narrow: U32 = values.astype(np.uint32)
        return narrow

    passed = read(TIME_LENGTHS[usual, control >> 2 & 3])
    words = [read(WORD_LENGTHS[control >> 4 & 3]), read(WORD_LENGTHS[control >> 6])]
    return passed, np.stack(words, axis=1)


def _times(parts: Parts, passed: U32) -> U32:
    """Sum the time differences from `ticks` of each body on, modulo 2^32."""
    behind = np.concatenate([[np.uint32(0)], np.cumsum(passed, dtype=np.uint32)])
    ticks = parts.numbers[:, 3].astype(np.uint32)
    firsts = np.cumsum(parts.counts) - parts.counts
    times: U32 = behind[1:] + np.repeat(ticks - behind[firsts], parts.counts)
    return times


def _words(parts: Parts, differences: U32) -> U32:
    """Undo the prediction: a word is the content of its memory XOR the difference.

    So the content of a memory is the XOR of all its differences so far. The differences are sorted
    by memory, in order of time within each memory, accumulated, and put back in record order.
    """
    memory = _memories(parts)[parts.kind].reshape(-1)
    order = np.argsort(memory, kind="stable")
    sums = np.bitwise_xor.accumulate(differences.reshape(-1)[order])
    ordered = memory[order]
    begins = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    before = sums[begins - 1]
    sizes = np.diff(np.concatenate([begins, [len(sums)]]))
    if len(begins):
        sums[begins[0] :] ^= np.repeat(before, sizes)
    words = np.empty_like(sums)
    words[order] = sums
    return words.reshape(-1, _WORDS)


def _memories(parts: Parts) -> I64:
    """Number the memories that words are predicted from: (K, 2).

    The kinds of a body share two memories; each kind also has its own memory per word.
    """
    count = len(parts.kind_counts)
    own = np.arange(2 * len(parts.headers)).reshape(-1, _WORDS) + 2 * count
    body = np.repeat(np.arange(count), parts.kind_counts)[:, None]
    shared = np.where(parts.predictors == Predictor.THREAD, 2 * body, 2 * body + 1)
    memories = np.where(parts.predictors == Predictor.SAME, own, shared)
    # numpy sorts 16-bit numbers several times faster.
    return memories.astype(np.uint16) if memories.max(initial=0) < _U16_LIMIT else memories
