"""Adds a remark to a tape that is closed, without changing a byte of it.

NOTE, a new INDEX and a new END go behind the END that is there. Whoever is interrupted in between
leaves a tape with half a chunk behind its END, which opens as before.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import TapeError, TapeWriteFailed
from tickertape.protocol.wire import TAPE_HEADER_BYTES, ChunkType
from tickertape.tape.chunk_file import chunk_header, closing
from tickertape.tape.chunks import end_of
from tickertape.tape.format import padding
from tickertape.tape.reader import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator


def add_note(path: Path | str, text: str) -> None:
    """Add a remark.

    Args:
        path: of a tape that was closed in order and is not being written.
        text: the remark.

    Raises:
        TapeError: it is no tape, or not closed.
        TapeWriteFailed: the file cannot be written.
    """
    path = Path(path)
    with TapeReader(path) as reader:
        if not reader.closed:
            raise TapeError(
                f"{path} was not closed in order",
                "wait until its capture has ended, or close it with 'tickertape repair'",
            )
        end = end_of(reader.chunks[-1]) if len(reader.chunks) else TAPE_HEADER_BYTES
        epoch = int(reader.chunks["epoch"][-1])
        rows = [row.tobytes() for row in reader.chunks]
    piece = b"".join(_pieces(rows, end, epoch, text.encode()))
    try:
        _append(path, end, piece)
    except OSError as error:
        raise TapeWriteFailed(
            f"{path} cannot be written ({error.strerror}); it is as it was",
            "check the disk and your permissions",
        ) from error


def _pieces(rows: list[bytes], end: int, epoch: int, text: bytes) -> Iterator[bytes]:
    note = chunk_header(ChunkType.NOTE, [text], epoch=epoch)
    table = [*rows, end.to_bytes(8, "little") + note]
    yield from (note, text, padding(len(text)))
    index = end + len(note) + len(text) + len(padding(len(text)))
    for header, body in closing(table, index, epoch):
        yield from (header, *body)


def _append(path: Path, end: int, piece: bytes) -> None:
    """Write behind the last chunk; half a chunk that stands there from an accident is replaced."""
    with path.open("r+b", buffering=0) as file:
        try:
            file.truncate(end)
            file.seek(end)
            rest = memoryview(piece)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(end)
            raise
