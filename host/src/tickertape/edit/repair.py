"""Write all intact chunks of a damaged tape to a new tape, with index and end mark."""

from __future__ import annotations

import mmap
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape._native.crc import crc32
from tickertape.decode.bodies import BadBodyError, parse_hello
from tickertape.errors import TapeDamaged, TapeMissing
from tickertape.files import Keep, keep_of, replacing
from tickertape.protocol.wire import (
    CHUNK_HEADER_BYTES,
    TAPE_HEADER_BYTES,
    TAPE_HEADER_MAGIC,
    ByteOrder,
    ChunkType,
)
from tickertape.tape.chunk_file import ChunkFile
from tickertape.tape.chunks import find_chunks
from tickertape.tape.format import TapeIssue, known_type, new_header, parse_header

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from tickertape.tape.chunks import ChunkTable
    from tickertape.tape.format import TapeHeader

_REBUILT = {ChunkType.INDEX, ChunkType.END, ChunkType.SUMMARY}


@dataclass(frozen=True, slots=True)
class Repair:
    """Result of `repair`.

    Attributes:
        kept_chunks: number of copied chunks.
        kept_bytes: total size of their bodies.
        left_out: defects, with offsets in the damaged tape.
    """

    kept_chunks: int
    kept_bytes: int
    left_out: tuple[TapeIssue, ...]


def repair(
    path: Path | str,
    output: Path | str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Repair:
    """Write a tape with every intact chunk of another tape.

    Args:
        path: the damaged tape. An intact tape is not changed.
        output: path of the new tape; an existing tape is kept as `NAME.old`. None to replace the
            damaged tape after all is written, and to keep it as `NAME.orig`.
        on_progress: function called with the number of bytes processed and the total.

    Raises:
        TapeMissing: the file does not exist or cannot be read.
        NotATape: the file is not a tape.
        TapeVersion: the tape has another major version.
        TapeDamaged: the header is damaged, and no chunk can be found.
        TapeWriteFailed: the new tape cannot be written.
    """
    path = Path(path)
    with _mapped(path) as data:
        table = find_chunks(data)
        issues = list(table.issues)
        header = _header_of(path, data, table, issues)
        target = Path(output or path)
        keep = keep_of(path, target)
        with replacing(target, keep) as place:
            tell = on_progress or (lambda _done, _total: None)
            done = _copy(data, table, ChunkFile(place, header), issues, tell)
            if keep is Keep.ORIGINAL and table.closed and not done.left_out:
                place.unlink()  # intact: it stays the file that it is
            return done


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            if not file.seek(0, 2):
                parse_header(b"", str(path))
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise TapeMissing.of(path, error) from error


def _header_of(
    path: Path, data: mmap.mmap, table: ChunkTable, issues: list[TapeIssue]
) -> TapeHeader:
    """Return the header; rebuild a damaged one from the chunks."""
    raw = data[:TAPE_HEADER_BYTES]
    try:
        return parse_header(raw, str(path))
    except TapeDamaged:
        if raw[: len(TAPE_HEADER_MAGIC)] != TAPE_HEADER_MAGIC or not len(table.rows):
            raise
    issues.append(TapeIssue(0, "the header was damaged; id and date of the tape are new"))
    return new_header(time.time_ns(), _byte_order(data, table))


def _byte_order(data: mmap.mmap, table: ChunkTable) -> ByteOrder:
    """Return the byte order from HELLO; little-endian without a HELLO."""
    for row in table.rows[table.rows["type"] == ChunkType.HELLO]:
        body = _body(data, row)
        with suppress(BadBodyError):
            if body is not None:
                return parse_hello(body).byte_order
    return ByteOrder.LITTLE


def _body(data: mmap.mmap, row: np.void) -> bytes | None:
    """Return the body of a chunk; None if it is damaged."""
    first = int(row["offset"]) + CHUNK_HEADER_BYTES
    body = data[first : first + int(row["body_bytes"])]
    return body if crc32(body) == row["body_crc"] else None


def _copy(
    data: mmap.mmap,
    table: ChunkTable,
    file: ChunkFile,
    issues: list[TapeIssue],
    tell: Callable[[int, int], None],
) -> Repair:
    chunks = count = epoch = 0
    try:
        for row in table.rows:
            tell(int(row["offset"]), len(data))
            if int(row["type"]) in _REBUILT:
                continue
            body = _body(data, row)
            if body is None:
                what = f"a {_name(int(row['type']))} chunk is left out: its CRC is wrong"
                issues.append(TapeIssue(int(row["offset"]), what))
                continue
            file.copy(row, body)
            epoch = max(epoch, int(row["epoch"]))
            chunks, count = chunks + 1, count + len(body)
        file.finish(epoch)
    finally:
        file.close()
    issues.sort(key=lambda issue: issue.offset)
    return Repair(chunks, count, tuple(issues))


def _name(number: int) -> str:
    return ChunkType(number).name if known_type(number) else f"type {number}"
