"""Reads a tape while it is being written.

    with TapeTail(path) as tail:
        while not tail.ended:
            for columns in tail.poll():
                ...
            time.sleep(0.1)

`TapeReader` sees the file as it was when it was opened; this one goes on. What it costs: the events
of several CPUs are merged by time as far as they are there when it looks, so that an event that
its CPU hands over late may come after younger ones of another CPU.
"""

from __future__ import annotations

import zlib
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

import numpy as np

from tickertape.decode.bodies import BadBodyError, parse_hello, parse_name
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ring import RingDecoder
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
from tickertape.tape.meta import parse_meta
from tickertape.tape.stream import merge
from tickertape.tape.symbol_table import parse_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from tickertape.decode.bodies import Hello, Name
    from tickertape.decode.events import EventColumns
    from tickertape.tape.symbol_table import SymbolTable

_CHUNKS_AT_ONCE = 16
_MAGIC = CHUNK_HEADER_MAGIC.to_bytes(4, "little")
_SEARCH_BYTES = 1 << 20


class TapeTail:
    """A tape that grows; use it as a context manager.

    Attributes:
        path: of the file.
        header: its first bytes; the byte order in it is right once a HELLO has come.
        ended: the tape was closed in order and all of it was read.
        counters: what decoding met so far.
        issues: what is wrong, and where.
        hellos: the first HELLO of each epoch that has one so far.
        meta: all META chunks so far in one.
        symbol_tables: names of code and data on the tape so far, one table a firmware.
        on_name: is called with epoch and name when a NAME chunk is read.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape.

        Raises:
            TapeMissing: no such file, or it may not be read.
            NotATape: the file is something else.
            TapeVersion: another major version wrote it.
            TapeDamaged: its header is cut or damaged.
        """
        self.path = Path(path)
        self._file = _open(self.path)
        self._offset = TAPE_HEADER_BYTES
        self._rings: dict[tuple[int, int], RingDecoder] = {}
        self._epoch = 0
        self._names: dict[tuple[int, int, int], Name] = {}
        self._found: dict[tuple[int, int], deque[EventColumns]] = {}
        self._damaged_from: int | None = None
        self.ended = False
        self.counters = DecodeCounters()
        self.issues: list[TapeIssue] = []
        self.hellos: dict[int, Hello] = {}
        self.meta: dict[str, object] = {}
        self.symbol_tables: list[SymbolTable] = []
        self.on_name: Callable[[int, Name], None] | None = None
        try:
            self.header = parse_header(self._read(0, TAPE_HEADER_BYTES), str(path))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        """Nothing to do: the tape is open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()

    @property
    def hello(self) -> Hello | None:
        """The first HELLO of all so far."""
        return next(iter(self.hellos.values()), None)

    def names(self, epoch: int | None = None) -> Mapping[tuple[int, int], Name]:
        """Give the latest name of each object so far, by (object kind, id)."""
        return {
            (kind, number): name
            for (boot, kind, number), name in self._names.items()
            if epoch is None or boot == epoch
        }

    def poll(self) -> Iterator[EventColumns]:
        """Yield what has come since the last call, in pieces of a few chunks; at once when nothing.

        The events of an event type that takes several records come when its last one is there.
        """
        while True:
            taken = 0
            while taken < _CHUNKS_AT_ONCE and self._next_chunk():
                taken += 1
            yield from self._merged()
            if taken < _CHUNKS_AT_ONCE:
                return

    def finish(self) -> Iterator[EventColumns]:
        """Give up what is still open, and yield what was held back for it."""
        self._end_boot()
        yield from self._merged()

    def _read(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count)

    def _whole_chunk(self) -> tuple[np.void, bytes] | None:
        """Give the next chunk if all of it is in the file already; looks beyond damage."""
        while len(raw := self._read(self._offset, CHUNK_HEADER_BYTES)) == CHUNK_HEADER_BYTES:
            if not is_chunk_header(raw):
                self._damaged_from = self._damaged_from or self._offset
                if not self._skip_damage():
                    return None
                continue
            if self._damaged_from is not None:
                what = f"{self._offset - self._damaged_from} bytes are no chunk"
                self.issues.append(TapeIssue(self._damaged_from, what))
                self._damaged_from = None
            header: np.void = np.frombuffer(raw, CHUNK_HEADER_DTYPE, 1)[0]
            size = int(header["body_bytes"])
            body = self._read(self._offset + CHUNK_HEADER_BYTES, size)
            return (header, body) if len(body) == size else None
        return None

    def _skip_damage(self) -> bool:
        """Go on to the next place where a chunk may begin; False when there is none yet."""
        start = self._offset + ALIGNMENT
        block = self._read(start, _SEARCH_BYTES)
        place = -1
        while (place := block.find(_MAGIC, place + 1)) >= 0:
            if place % ALIGNMENT == 0:
                self._offset = start + place
                return True
        # What is left of a block may be the begin of a chunk that is still being written.
        rest = len(block) - len(block) % ALIGNMENT
        self._offset += rest
        return rest > 0

    def _next_chunk(self) -> bool:
        """Take the next chunk; False when it is not there yet, or the tape has ended."""
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
        epoch = int(header["epoch"])
        if epoch != self._epoch:
            self._end_boot()
            self._epoch = epoch
        match int(header["type"]):
            case ChunkType.HELLO:
                self.hellos.setdefault(epoch, parse_hello(body))
                self.header = parse_header(self._read(0, TAPE_HEADER_BYTES), str(self.path))
            case ChunkType.NAME:
                name = parse_name(body)
                self._names[epoch, name.kind, name.id] = name
                if self.on_name is not None:
                    self.on_name(epoch, name)
            case ChunkType.META:
                self.meta.update(parse_meta(body))
            case ChunkType.SYMBOLS:
                self.symbol_tables.append(parse_symbols(body))
            case ChunkType.RECORDS:
                self._take_records(header, body)
            case ChunkType.END:
                self._end_boot()
                self.ended = True

    def _take_records(self, header: np.void, body: bytes) -> None:
        buffer_count, record_count = int(header["buffer_count"]), int(header["record_count"])
        if not records_fit(len(body), buffer_count, record_count):
            raise BadBodyError("its size does not fit its counts")
        buffers = np.frombuffer(body, BUFFER_HEADER_DTYPE, buffer_count)
        if int(buffers["count"].sum(dtype=np.int64)) != record_count:
            raise BadBodyError("its buffers do not have as many records as it says")
        dtype = record_dtype(self.header.byte_order)
        records = np.frombuffer(body, dtype, record_count, records_start(buffer_count))
        ring = (int(header["stream"]), int(header["cpu"]))
        if ring not in self._rings:
            self._rings[ring] = RingDecoder(
                ring,
                byte_order=self.header.byte_order,
                counters=self.counters,
                epoch=self._epoch,
            )
        self._keep(ring, self._rings[ring].feed(buffers, records))

    def _keep(self, ring: tuple[int, int], columns: EventColumns) -> None:
        if len(columns) or columns.gaps:
            self._found.setdefault(ring, deque()).append(columns)

    def _end_boot(self) -> None:
        """Finish all rings. Their events are of another epoch than those that follow."""
        for ring, decoder in self._rings.items():
            self._keep(ring, decoder.finish())
        self._rings.clear()

    def _merged(self) -> Iterator[EventColumns]:
        """Yield what was found, boot after boot, rings merged."""
        found, self._found = self._found, {}
        epochs = sorted({part.epoch for parts in found.values() for part in parts})
        for epoch in epochs:
            yield from merge(
                [
                    iter([part for part in parts if part.epoch == epoch])
                    for _, parts in sorted(found.items())
                ]
            )


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise TapeMissing(f"there is no {path}", "check the name") from error
    except OSError as error:
        raise TapeMissing(f"{path} cannot be read ({error.strerror})", "check the disk") from error
