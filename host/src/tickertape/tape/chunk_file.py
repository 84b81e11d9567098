"""Write a tape as a growing sequence of chunks; shared by all writers of tapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.files import AppendFile
from tickertape.protocol.wire import ChunkType
from tickertape.tape.format import build_chunk_header, build_header, padding
from tickertape.tape.pieces import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from tickertape.tape.format import TapeHeader

_OFFSET_BYTES = 8


class ChunkFile:
    """A new tape. Every chunk is written in one call and added to the index.

    Every method that writes may raise `TapeWriteFailed`; earlier chunks stay readable.
    """

    def __init__(self, path: Path, header: TapeHeader, *, waits: bool = False) -> None:
        """Create the tape with its header; keep an existing file of that name as `NAME.old`.

        Args:
            path: path of the tape.
            header: header of the tape.
            waits: leave the name to an existing file until `take_name` is called.

        Raises:
            TapeBusy: another program writes the existing file.
            TapeWriteFailed: the file cannot be created.
        """
        self._file = AppendFile(path, build_header(header), waits=waits)
        self._byte_order = header.byte_order
        self._table: list[bytes] = []

    @property
    def size_bytes(self) -> int:
        """Size of the tape so far."""
        return self._file.size

    @property
    def is_named(self) -> bool:
        """Whether the tape has its name; until then an older file has it."""
        return self._file.is_named

    def take_name(self) -> None:
        """Take the name of the older file."""
        self._file.take_name()

    def append(self, kind: int, body: Sequence[bytes], **fields: int) -> None:
        """Write a chunk; divide a large RECORDS chunk into pieces.

        Args:
            kind: chunk type.
            body: body in parts.
            **fields: epoch, stream, cpu, buffer_count, record_count; default 0.
        """
        if kind != ChunkType.RECORDS:
            self._write(chunk_header(kind, body, **fields), body)
            return
        counts = fields.pop("buffer_count", 0), fields.pop("record_count", 0)
        for part, buffers, records in pieces_of(body, *counts, self._byte_order):
            numbers = {**fields, "buffer_count": buffers, "record_count": records}
            self._write(chunk_header(kind, part, **numbers), part)

    def copy(self, chunk: np.void, body: bytes, *, epoch: int | None = None) -> None:
        """Write a chunk of another tape.

        Args:
            chunk: row of the chunk in the other tape's table, `format.TABLE_DTYPE`.
            body: body of the chunk.
            epoch: boot number on this tape; None to keep the number.
        """
        names = ("epoch", "stream", "cpu", "buffer_count", "record_count")
        fields = {name: int(chunk[name]) for name in names}
        if epoch is not None:
            fields["epoch"] = epoch
        self.append(int(chunk["type"]), [body], **fields)

    def rewrite_header(self, header: TapeHeader) -> None:
        """Overwrite the header of the tape."""
        self._byte_order = header.byte_order
        self._file.rewrite_head(build_header(header))

    def finish(self, epoch: int) -> None:
        """Write index and end mark.

        Args:
            epoch: number of the last boot on the tape.
        """
        for header, body in closing(self._table, self._file.size, epoch):
            self._write(header, body)

    def close(self, *, sync: bool = True) -> None:
        """Close the file. May be called twice.

        Args:
            sync: wait until the data is on the disk.
        """
        self._file.close(sync=sync)

    def _write(self, header: bytes, body: Sequence[bytes]) -> None:
        offset = self._file.size
        size = sum(len(piece) for piece in body)
        self._file.append(b"".join([header, *body, padding(size)]))
        self._table.append(offset.to_bytes(_OFFSET_BYTES, "little") + header)


def chunk_header(kind: int, body: Sequence[bytes], **fields: int) -> bytes:
    """Return the 32-byte header of a chunk; missing fields are 0."""
    names = ("epoch", "stream", "cpu", "buffer_count", "record_count")
    return build_chunk_header(body, type=kind, **{name: fields.get(name, 0) for name in names})


def closing(
    table: Sequence[bytes], offset: int, epoch: int
) -> Iterator[tuple[bytes, Sequence[bytes]]]:
    """Yield header and body of INDEX, then of END.

    Args:
        table: rows of all earlier chunks.
        offset: offset of INDEX in the file.
        epoch: number of the last boot on the tape.
    """
    rows = b"".join(table)
    place = offset.to_bytes(_OFFSET_BYTES, "little")
    index = [rows, padding(len(rows) + len(place)), place]
    yield chunk_header(ChunkType.INDEX, index, epoch=epoch), index
    yield chunk_header(ChunkType.END, [], epoch=epoch), []
