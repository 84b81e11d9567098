"""Build and parse the parts of a tape. protocol/SPEC.md, "Tape", defines the format."""

from __future__ import annotations

import uuid
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tickertape.decode.records import gathered
from tickertape.errors import NotATape, TapeDamaged, TapeEmpty, TapeVersion
from tickertape.file_kinds import kind_of
from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    CHUNK_HEADER,
    CHUNK_HEADER_BYTES,
    CHUNK_HEADER_MAGIC,
    RECORD_BYTES,
    TAPE_HEADER,
    TAPE_HEADER_BYTES,
    TAPE_HEADER_MAGIC,
    TAPE_MAJOR,
    TAPE_MINOR,
    ByteOrder,
    ChunkType,
    record_dtype,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.decode.records import U8, U64, Rows, Structured

ALIGNMENT = 16
_CHUNK_HEADER = Layout(CHUNK_HEADER)
_CRC_BYTES = 4

CHUNK_HEADER_DTYPE = np.dtype([(part.name, f"<u{part.sizeof()}") for part in CHUNK_HEADER.subcons])
# A row of the table of chunks: the offset of a chunk and a copy of its header. The body of INDEX is
# such a table; zeros and the offset of INDEX itself fill its last 16 bytes.
TABLE_DTYPE = np.dtype([("offset", "<u8"), *CHUNK_HEADER_DTYPE.descr])


class RingKey(NamedTuple):
    """Identifies a ring of one boot."""

    epoch: int
    stream: int
    cpu: int


@dataclass(frozen=True, slots=True)
class TapeHeader:
    """Header of a tape, its first 64 bytes.

    Attributes:
        major: major version of the format.
        minor: minor version; this program skips additions of newer ones.
        byte_order: byte order of all records.
        created_ns: UTC of creation, ns since 1970.
        uuid: identifies the tape.
    """

    major: int
    minor: int
    byte_order: ByteOrder
    created_ns: int
    uuid: uuid.UUID


@dataclass(frozen=True, slots=True)
class RecordsChunk:
    """Buffers of one ring, from one or more RECORDS chunks.

    Attributes:
        ring: the ring.
        buffers: structured, `wire.BUFFER_HEADER_DTYPE`, one row per buffer.
        data: u8, bytes of the file; a view: copy data that must outlive the reader.
        start: u64, offset of the first record of each buffer in `data`, in bytes.
        byte_order: byte order of the records.
    """

    ring: RingKey
    buffers: Structured
    data: U8
    start: U64
    byte_order: ByteOrder

    @property
    def record_count(self) -> int:
        """Number of records of all buffers."""
        return int(self.buffers["count"].sum(dtype=np.int64))

    @property
    def records(self) -> Structured:
        """Structured, `wire.record_dtype`: the records of all buffers in order."""
        counts = self.buffers["count"].astype(np.int64)
        return gathered(self.data, self.start, counts, record_dtype(self.byte_order))

    def part(self, chosen: slice | Rows) -> RecordsChunk:
        """Return some buffers with their records."""
        return replace(self, buffers=self.buffers[chosen], start=self.start[chosen])


@dataclass(frozen=True, slots=True)
class Anchor:
    """Pair of a target time and the host time of the same moment.

    Attributes:
        epoch: boot of the target within the tape.
        target_ticks: 64-bit time of the target.
        host_ns: UTC at which the frame with this time had arrived, ns since 1970.
        uncertainty_ns: the moment is between `host_ns - uncertainty_ns` and `host_ns`.
    """

    epoch: int
    target_ticks: int
    host_ns: int
    uncertainty_ns: int


@dataclass(frozen=True, slots=True)
class TapeIssue:
    """A defect of a tape and its offset in the file."""

    offset: int
    what: str


def new_header(created_ns: int, byte_order: ByteOrder = ByteOrder.LITTLE) -> TapeHeader:
    """Return the header of a new tape."""
    return TapeHeader(TAPE_MAJOR, TAPE_MINOR, byte_order, created_ns, uuid.uuid4())


def build_header(header: TapeHeader) -> bytes:
    """Return the first 64 bytes of a tape."""
    data: bytes = TAPE_HEADER.build(
        {
            "major": header.major,
            "minor": header.minor,
            "byte_order": header.byte_order,
            "created_ns": header.created_ns,
            "uuid": header.uuid.bytes,
            "crc": 0,
        }
    )
    return data[:-_CRC_BYTES] + _crc_of(data)


def _not_a_tape(name: str) -> NotATape:
    kind = kind_of(Path(name))
    if kind is None:
        return NotATape(f"{name} is not a tape", "give a file that 'tickertape capture' wrote")
    return NotATape(f"{name} is not a tape, but {kind.description}", kind.advice(name))


def parse_header(data: bytes, name: str) -> TapeHeader:
    """Parse the header of a file.

    Args:
        data: at least 64 bytes, or all bytes of a shorter file.
        name: name of the file, for messages.

    Raises:
        TapeEmpty: the file is empty.
        NotATape: the file is not a tape.
        TapeVersion: the tape has another major version.
        TapeDamaged: the header is truncated or damaged.
    """
    if not data:
        raise TapeEmpty(f"{name} is empty: its capture wrote nothing", "capture again")
    if not any(data):
        raise TapeDamaged(
            f"{name} begins with zeros; power or disk failed before anything was written",
            "capture again",
        )
    if not TAPE_HEADER_MAGIC.startswith(data[: len(TAPE_HEADER_MAGIC)]):
        raise _not_a_tape(name)
    if len(data) < TAPE_HEADER_BYTES:
        raise TapeDamaged(f"{name} ends within its header", "capture again")
    fields = TAPE_HEADER.parse(data)
    if fields.major != TAPE_MAJOR:
        newer = fields.major > TAPE_MAJOR
        raise TapeVersion(
            f"{name} has tape version {fields.major}.{fields.minor}, this program reads version"
            f" {TAPE_MAJOR}",
            "update tickertape" if newer else "read it with the tickertape that wrote it",
        )
    if _crc_of(data[:TAPE_HEADER_BYTES]) != fields.crc.to_bytes(_CRC_BYTES, "little"):
        raise TapeDamaged(f"the header of {name} is damaged", "restore it from a copy")
    try:
        byte_order = ByteOrder(fields.byte_order)
    except ValueError as error:
        raise TapeDamaged(
            f"{name} does not state the byte order of its records",
            "write it again with a correct tool",
        ) from error
    return TapeHeader(
        fields.major, fields.minor, byte_order, fields.created_ns, uuid.UUID(bytes=fields.uuid)
    )


def build_chunk_header(body: Sequence[bytes], **fields: int) -> bytes:
    """Return the 32-byte header of a chunk.

    Args:
        body: the body in pieces.
        **fields: type, stream, cpu, epoch, buffer_count and record_count.
    """
    crc = 0
    for piece in body:
        crc = zlib.crc32(piece, crc)
    fields |= {"body_bytes": sum(map(len, body)), "body_crc": crc, "crc": 0}
    data = _CHUNK_HEADER.build(fields)
    return data[:-_CRC_BYTES] + _crc_of(data)


def is_chunk_header(data: bytes) -> bool:
    """Return whether 32 bytes are a chunk header, by magic and CRC."""
    return (
        len(data) == CHUNK_HEADER_BYTES
        and data[:4] == CHUNK_HEADER_MAGIC.to_bytes(4, "little")
        and _crc_of(data) == data[-_CRC_BYTES:]
    )


def padding(count: int) -> bytes:
    """Return the zeros after `count` bytes, up to a multiple of 16."""
    return bytes(-count % ALIGNMENT)


def records_start(buffer_count: int) -> int:
    """Return the offset of the records in the body of a RECORDS chunk."""
    count = buffer_count * BUFFER_HEADER_BYTES
    return count + -count % ALIGNMENT


def records_fit(body_bytes: int, buffer_count: int, record_count: int) -> bool:
    """Return whether the body size of a RECORDS chunk matches its counts."""
    return body_bytes == records_start(buffer_count) + record_count * RECORD_BYTES


def known_type(number: int) -> bool:
    """Return whether this program knows a chunk type."""
    return number in ChunkType._value2member_map_


def _crc_of(data: bytes) -> bytes:
    """Return the CRC of all bytes except the last four, as little-endian bytes."""
    return zlib.crc32(data[:-_CRC_BYTES]).to_bytes(_CRC_BYTES, "little")
