"""Read a tape while it is being written.

    with TapeTail(path) as tail:
        while not tail.ended:
            for columns in tail.poll():
                ...
            time.sleep(0.1)

`TapeReader` reads only the chunks present at opening; `TapeTail` also reads later ones. See
`growing` for the order of events.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tickertape.closing import Closing
from tickertape.decode.bodies import BadBodyError
from tickertape.errors import TapeMissing
from tickertape.protocol.wire import (
    BUFFER_HEADER_DTYPE,
    CHUNK_HEADER_BYTES,
    CHUNK_HEADER_MAGIC,
    TAPE_HEADER_BYTES,
    ChunkType,
    record_dtype,
)
from tickertape.tape.format import (
    ALIGNMENT,
    CHUNK_HEADER_DTYPE,
    TapeIssue,
    is_chunk_header,
    padding,
    parse_header,
    records_fit,
    records_start,
)
from tickertape.tape.growing import Growing
from tickertape.tape.meta import parse_meta
from tickertape.tape.symbol_table import parse_symbols

_CHUNKS_AT_ONCE = 16
_MAGIC = CHUNK_HEADER_MAGIC.to_bytes(4, "little")
_SEARCH_BYTES = 1 << 20


class TapeTail(Growing, Closing):
    """A tape that grows; use it as a context manager.

    Attributes:
        path: path of the file.
        header: header of the tape; its byte order is valid after the first HELLO.
        ended: True when END was read, so the tape is complete.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape.

        Raises:
            TapeMissing: the file does not exist or cannot be read.
            NotATape: the file is not a tape.
            TapeVersion: the tape has another major version.
            TapeDamaged: the header is truncated or damaged.
        """
        super().__init__()
        self.path = Path(path)
        self._file = _open(self.path)
        self._offset = TAPE_HEADER_BYTES
        self._damaged_from: int | None = None
        try:
            self.header = parse_header(self._read(0, TAPE_HEADER_BYTES), str(path))
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()

    def advance(self) -> bool:
        """Read a few chunks; True if there may be more."""
        return all(self._next_chunk() for _ in range(_CHUNKS_AT_ONCE))

    def _read(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count)

    def _whole_chunk(self) -> tuple[np.void, bytes] | None:
        """Return the next chunk, skipping damage; None if it is not complete yet."""
        while len(raw := self._read(self._offset, CHUNK_HEADER_BYTES)) == CHUNK_HEADER_BYTES:
            if not is_chunk_header(raw):
                self._damaged_from = self._damaged_from or self._offset
                if not self._skip_damage():
                    return None
                continue
            if self._damaged_from is not None:
                what = f"{self._offset - self._damaged_from} bytes are not a chunk"
                self.issues.append(TapeIssue(self._damaged_from, what))
                self._damaged_from = None
            header: np.void = np.frombuffer(raw, CHUNK_HEADER_DTYPE, 1)[0]
            size = int(header["body_bytes"])
            body = self._read(self._offset + CHUNK_HEADER_BYTES, size)
            return (header, body) if len(body) == size else None
        return None

    def _skip_damage(self) -> bool:
        """Move to the next place where a chunk may begin; False if there is none yet."""
        start = self._offset + ALIGNMENT
        block = self._read(start, _SEARCH_BYTES)
        place = -1
        while (place := block.find(_MAGIC, place + 1)) >= 0:
            if place % ALIGNMENT == 0:
                self._offset = start + place
                return True
        # The rest of the block may be the begin of a chunk that is still being written.
        rest = len(block) - len(block) % ALIGNMENT
        self._offset += rest
        return rest > 0

    def _next_chunk(self) -> bool:
        """Read the next chunk; False if it is not complete yet, or the tape has ended."""
        found = None if self.ended else self._whole_chunk()
        if found is None:
            return False
        header, body = found
        offset = self._offset
        self._offset += CHUNK_HEADER_BYTES + len(body) + len(padding(len(body)))
        if zlib.crc32(body) != header["body_crc"]:
            self.issues.append(TapeIssue(offset, "a chunk is left out: its CRC is wrong"))
            return True
        try:
            self._take(header, body)
        except BadBodyError as error:
            self.issues.append(TapeIssue(offset, f"a chunk is left out: {error}"))
        return True

    def _take(self, header: np.void, body: bytes) -> None:
        self.begin_epoch(int(header["epoch"]))
        match int(header["type"]):
            case ChunkType.HELLO:
                self.take_hello(body)
                self.header = parse_header(self._read(0, TAPE_HEADER_BYTES), str(self.path))
            case ChunkType.NAME:
                self.take_name(body)
            case ChunkType.META:
                self.meta.update(parse_meta(body))
            case ChunkType.SYMBOLS:
                self.symbol_tables.append(parse_symbols(body))
            case ChunkType.RECORDS:
                self._take_records(header, body)
            case ChunkType.END:
                self.end_boot()
                self.ended = True

    def _take_records(self, header: np.void, body: bytes) -> None:
        buffer_count, record_count = int(header["buffer_count"]), int(header["record_count"])
        if not records_fit(len(body), buffer_count, record_count):
            raise BadBodyError("its size does not fit its counts")
        buffers = np.frombuffer(body, BUFFER_HEADER_DTYPE, buffer_count)
        if int(buffers["count"].sum(dtype=np.int64)) != record_count:
            raise BadBodyError("its buffers do not match its number of records")
        dtype = record_dtype(self.header.byte_order)
        records = np.frombuffer(body, dtype, record_count, records_start(buffer_count))
        ring = (int(header["stream"]), int(header["cpu"]))
        self.take_buffers(ring, buffers, records, self.header.byte_order)


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise TapeMissing.of(path, error) from error
