"""Add a chunk to a closed tape without changing its existing bytes.

The chunk, a new INDEX and a new END are written after the existing END. An interruption leaves an
incomplete chunk after the END; such a tape opens as before.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tickertape.errors import TapeError, TapeWriteFailed
from tickertape.protocol.wire import TAPE_HEADER_BYTES
from tickertape.tape.chunk_file import chunk_header, closing
from tickertape.tape.chunks import end_of
from tickertape.tape.format import padding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.protocol.wire import ChunkType
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, slots=True)
class ClosedTape:
    """End of a tape that was closed in order.

    Attributes:
        path: path of the file.
        rows: rows of its table of chunks, as in INDEX.
        end: offset after the last chunk.
        epoch: number of the last boot.
    """

    path: Path
    rows: tuple[bytes, ...]
    end: int
    epoch: int


def closed_tape(reader: TapeReader) -> ClosedTape:
    """Return the end of a tape.

    Raises:
        TapeError: the tape was not closed in order.
    """
    if not reader.closed:
        raise TapeError(
            f"{reader.path} was not closed properly",
            "wait until its capture has ended, or close it with 'tickertape repair'",
        )
    chunks = reader.chunks
    end = end_of(chunks[-1]) if len(chunks) else TAPE_HEADER_BYTES
    rows = tuple(row.tobytes() for row in chunks)
    return ClosedTape(reader.path, rows, end, int(chunks["epoch"][-1]))


def append_chunk(tape: ClosedTape, kind: ChunkType, body: bytes) -> None:
    """Add a chunk.

    Args:
        tape: end of the tape; no other program may change the file meanwhile.
        kind: chunk type; one that may follow END.
        body: body of the chunk.

    Raises:
        TapeWriteFailed: the file cannot be written; it stays unchanged.
    """
    try:
        _append(tape, b"".join(_pieces(tape, kind, body)))
    except OSError as error:
        raise TapeWriteFailed(
            f"{tape.path} cannot be written ({error.strerror}); its contents are as they were",
            "check the disk and your permissions",
        ) from error


def _pieces(tape: ClosedTape, kind: ChunkType, body: bytes) -> Iterator[bytes]:
    header = chunk_header(kind, [body], epoch=tape.epoch)
    table = [*tape.rows, tape.end.to_bytes(8, "little") + header]
    yield from (header, body, padding(len(body)))
    index = tape.end + len(header) + len(body) + len(padding(len(body)))
    for next_header, pieces in closing(table, index, tape.epoch):
        yield from (next_header, *pieces)


def _append(tape: ClosedTape, piece: bytes) -> None:
    """Write after the last chunk; replace an incomplete chunk left by an interruption."""
    with tape.path.open("r+b", buffering=0) as file:
        try:
            file.truncate(tape.end)
            file.seek(tape.end)
            rest = memoryview(piece)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            # Readers ignore an incomplete chunk after END, so a second failure is harmless.
            with suppress(OSError):
                file.truncate(tape.end)
                os.fsync(file.fileno())
            raise
