"""Read a tape, complete or truncated, in constant memory."""

from __future__ import annotations

import mmap
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tickertape._native.crc import crc32
from tickertape.closing import Closing
from tickertape.decode.bodies import BadBodyError, escaped, parse_hello, parse_name, parse_status
from tickertape.decode.frames import LinkCounters
from tickertape.decode.one_stream import HARDWARE_STREAM
from tickertape.decode.ticks import Clock, clock_of
from tickertape.errors import NotATape, TapeMissing
from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    ANCHOR,
    ANCHOR_BYTES,
    BUFFER_HEADER_DTYPE,
    CHUNK_HEADER_BYTES,
    RECEIPT,
    RECEIPT_BYTES,
    TAPE_HEADER_BYTES,
    ChunkType,
    record_dtype,
)
from tickertape.tape.board import parse_board
from tickertape.tape.chunks import find_chunks
from tickertape.tape.format import (
    Anchor,
    RecordsChunk,
    RingKey,
    TapeIssue,
    parse_header,
    records_fit,
    records_start,
)
from tickertape.tape.meta import parse_meta
from tickertape.tape.symbol_table import parse_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from tickertape.decode.bodies import Hello, Name, Status
    from tickertape.decode.records import I64, Rows
    from tickertape.tape.board import Board
    from tickertape.tape.format import TapeHeader
    from tickertape.tape.symbol_table import SymbolTable

    Value = TypeVar("Value")

_KNOWN_TYPES = set(ChunkType)
_ANCHOR = Layout(ANCHOR)
_RECEIPT = Layout(RECEIPT)


class TapeReader(Closing):
    """A tape, open for reading; use it as a context manager.

    All contents may be read any number of times, in any order. Chunks with a damaged body and
    chunks of unknown types are left out and added to `issues`.

    Attributes:
        path: path of the file.
        header: header of the tape.
        chunks: structured, `format.TABLE_DTYPE`: all chunks in file order.
        closed: True if the tape was closed in order; else later chunks may be missing.
        issues: defects and their offsets. Reading bodies may add to it.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape and find its chunks.

        Raises:
            TapeMissing: the file does not exist or cannot be read.
            NotATape: the file is not a tape.
            TapeVersion: the tape has another major version.
            TapeDamaged: the header is truncated or damaged.
            TapeEmpty: the file is empty.
        """
        self.path = Path(path)
        self.header, self._data = _open(self.path)
        table = find_chunks(self._data)
        self.chunks = table.rows
        self.closed = table.closed
        self.issues = table.issues
        self._checked = np.zeros(len(self.chunks), bool)
        self._refused = np.zeros(len(self.chunks), bool)
        self._note_unknown()
        if self.record_count and not len(self._rows(ChunkType.HELLO)):
            what = "no HELLO was captured: the byte order is assumed, and the clock rate is unknown"
            self.issues.append(TapeIssue(0, what))

    def close(self) -> None:
        """Close the file. May be called twice. Views in use keep the file mapped."""
        with suppress(BufferError):
            self._data.close()

    @property
    def unknown_chunks(self) -> int:
        """Number of chunks of a type that this program does not know."""
        return int(np.count_nonzero(~np.isin(self.chunks["type"], list(ChunkType))))

    @property
    def record_count(self) -> int:
        """Number of records on the tape, from the chunk headers."""
        return int(self.chunks["record_count"][self._rows(ChunkType.RECORDS)].sum())

    def clock(self, epoch: int) -> Clock:
        """Return the clock of a boot; its rate is unknown if no HELLO has one."""
        return clock_of(self.hellos.get(epoch) or self.hello)

    def target_of(self, epoch: int) -> str:
        """Return the name of board and application of a boot; empty without a HELLO."""
        hello = self.hellos.get(epoch) or self.hello
        return hello.target if hello else ""

    @property
    def epochs(self) -> Sequence[int]:
        """Boots with at least one chunk, in order."""
        return sorted(set(self.chunks["epoch"].tolist()))

    @property
    def rings(self) -> Sequence[RingKey]:
        """Rings with records or counters, in order."""
        kinds = self.chunks["type"]
        rows = self.chunks[(kinds == ChunkType.RECORDS) | (kinds == ChunkType.STATUS)]
        columns = [rows[name].tolist() for name in ("epoch", "stream", "cpu")]
        return sorted(map(RingKey._make, set(zip(*columns, strict=True))))

    @cached_property
    def _keys(self) -> I64:
        """Type and ring of each chunk as one number."""
        names = ("type", "epoch", "stream", "cpu")
        keys: I64 = _key(*(self.chunks[name].astype(np.int64) for name in names))
        return keys

    def default_stream(self, epoch: int | None = None) -> int:
        """Return the stream to read if the user chose none.

        It is the lowest stream with records; without records the lowest stream, 0 on an empty tape.
        The trace unit's stream counts only if there is no other one.

        Args:
            epoch: only streams of this boot; None for all boots.
        """
        with_records = (
            self._ring_of(row)
            for row in self._rows(ChunkType.RECORDS)
            if self.chunks["record_count"][row]
        )
        for rings in (with_records, self.rings):
            streams = {ring.stream for ring in rings if epoch in {None, ring.epoch}}
            if streams - {HARDWARE_STREAM}:
                return min(streams)
        return HARDWARE_STREAM if streams else 0

    @cached_property
    def hellos(self) -> Mapping[int, Hello]:
        """The first HELLO of each epoch that has one."""
        found: dict[int, Hello] = {}
        for epoch, hello in self._parsed(ChunkType.HELLO, parse_hello):
            found.setdefault(epoch, hello)
        return found

    @property
    def hello(self) -> Hello | None:
        """The first HELLO of the tape; None if there is none."""
        return next(iter(self.hellos.values()), None)

    @cached_property
    def meta(self) -> Mapping[str, object]:
        """All META chunks merged; later values replace earlier ones."""
        found: dict[str, object] = {}
        for _, values in self._parsed(ChunkType.META, parse_meta):
            found.update(values)
        return found

    @cached_property
    def anchors(self) -> Sequence[Anchor]:
        """Anchors of the host's clock, in file order."""
        return [
            Anchor(epoch, *values)
            for epoch, values in self._parsed(ChunkType.ANCHOR, _parse_anchor)
        ]

    @cached_property
    def link_counters(self) -> LinkCounters | None:
        """Counters of the link from the last RECEIPT; None if there is none."""
        counters = [counters for _, counters in self._parsed(ChunkType.RECEIPT, _parse_receipt)]
        return counters[-1] if counters else None

    @property
    def texts(self) -> Sequence[str]:
        """Lines of text from the target, in order."""
        return [escaped(text) for _, text in self._parsed(ChunkType.TEXT, _parse_text)]

    @property
    def notes(self) -> Sequence[str]:
        """Remarks of people and tools, in order."""
        return [text for _, text in self._parsed(ChunkType.NOTE, _parse_text)]

    @property
    def symbol_tables(self) -> Sequence[SymbolTable]:
        """Names of code and data stored on the tape, one table per firmware."""
        return [table for _, table in self._parsed(ChunkType.SYMBOLS, parse_symbols)]

    @cached_property
    def boards(self) -> Mapping[int, Board]:
        """Board of each epoch; empty unless several boards are on the tape."""
        found: dict[int, Board] = {}
        for epoch, board in self._parsed(ChunkType.BOARD, parse_board):
            found.setdefault(epoch, replace(board, epoch=epoch))
        return found

    def names(self, epoch: int | None = None) -> Mapping[tuple[int, int], Name]:
        """Return the latest name of each object, by (object kind, id).

        Args:
            epoch: only names of this boot; None for the latest of all boots.
        """
        found: dict[tuple[int, int], Name] = {}
        for _, name in self._parsed(ChunkType.NAME, parse_name, epoch):
            found[name.kind, name.id] = name
        return found

    def statuses(self, ring: RingKey) -> Iterator[Status]:
        """Yield the counters of one ring in order."""
        for row in self._rows(ChunkType.STATUS, ring):
            yield from self._parsed_at(row, parse_status)

    def records_chunks(self, ring: RingKey | None = None) -> Iterator[RecordsChunk]:
        """Yield the RECORDS chunks of one ring, or of all in file order.

        The memory of a chunk is released at the next iteration; its arrays stay valid.
        """
        for row in self._rows(ChunkType.RECORDS, ring):
            chunk = self.records_at(row)
            if chunk is not None:
                yield chunk
            self.release(row)

    def record_rows(self, ring: RingKey) -> Rows:
        """Return the rows of `chunks` with the RECORDS of a ring, in file order."""
        return self._rows(ChunkType.RECORDS, ring)

    def body_at(self, row: int | np.intp) -> bytes | None:
        """Return the body of a chunk by its row in `chunks`; None if it is damaged."""
        offset, size = self._place(row)
        return self._data[offset : offset + size] if self._is_sound(row) else None

    def records_at(self, row: int | np.intp) -> RecordsChunk | None:
        """Return a RECORDS chunk by its row in `chunks`; None if it is damaged."""
        buffer_count = int(self.chunks["buffer_count"][row])
        record_count = int(self.chunks["record_count"][row])
        offset, size = self._place(row)
        if not self._is_sound(row):
            return None
        if not records_fit(size, buffer_count, record_count):
            self._refuse(row, "its size does not fit its counts")
            return None
        buffers = np.frombuffer(self._data, BUFFER_HEADER_DTYPE, buffer_count, offset)
        if int(buffers["count"].sum(dtype=np.int64)) != record_count:
            self._refuse(row, "its buffers do not match its number of records")
            return None
        first = offset + records_start(buffer_count)
        records = np.frombuffer(
            self._data, record_dtype(self.header.byte_order), record_count, first
        )
        return RecordsChunk(self._ring_of(row), buffers, records)

    def check_all(self) -> None:
        """Check the CRC of every body; add damage to `issues`."""
        for row in np.flatnonzero(np.isin(self.chunks["type"], list(ChunkType)) & ~self._checked):
            self._is_sound(row)
            self.release(row)

    def release(self, row: int | np.intp) -> None:
        """Let the operating system reclaim the memory of a chunk; later access reads it again."""
        if not hasattr(self._data, "madvise"):
            return
        offset, size = self._place(row)
        start = offset - offset % mmap.PAGESIZE
        with suppress(ValueError):  # closed meanwhile
            self._data.madvise(mmap.MADV_DONTNEED, start, offset + size - start)

    def _rows(self, kind: ChunkType, ring: RingKey | None = None) -> Rows:
        if ring is None:
            return np.flatnonzero(self.chunks["type"] == kind)
        return np.flatnonzero(self._keys == _key(kind, *ring))

    def _ring_of(self, row: int | np.intp) -> RingKey:
        chunk = self.chunks[row]
        return RingKey(int(chunk["epoch"]), int(chunk["stream"]), int(chunk["cpu"]))

    def _place(self, row: int | np.intp) -> tuple[int, int]:
        """Return offset and size of a chunk's body."""
        chunk = self.chunks[row]
        return int(chunk["offset"]) + CHUNK_HEADER_BYTES, int(chunk["body_bytes"])

    def _is_sound(self, row: int | np.intp) -> bool:
        """Return whether a body is intact; the first call checks its CRC and notes damage."""
        if not self._checked[row]:
            self._checked[row] = True
            offset, size = self._place(row)
            with memoryview(self._data) as view, view[offset : offset + size] as body:
                if crc32(body) != self.chunks["body_crc"][row]:
                    self._refuse(row, "its CRC is wrong")
        return not self._refused[row]

    def _refuse(self, row: int | np.intp, why: str) -> None:
        if not self._refused[row]:
            self._refused[row] = True
            kind = ChunkType(int(self.chunks["type"][row])).name
            offset = int(self.chunks["offset"][row])
            self.issues.append(TapeIssue(offset, f"a {kind} chunk is left out: {why}"))

    def _parsed(
        self, kind: ChunkType, parse: Callable[[bytes], Value], epoch: int | None = None
    ) -> Iterator[tuple[int, Value]]:
        """Yield (epoch, value) of all intact chunks of a type, of one boot or of all."""
        rows = self._rows(kind)
        for row in rows if epoch is None else rows[self.chunks["epoch"][rows] == epoch]:
            for value in self._parsed_at(row, parse):
                yield int(self.chunks["epoch"][row]), value

    def _parsed_at(self, row: int | np.intp, parse: Callable[[bytes], Value]) -> Iterator[Value]:
        if self._is_sound(row):
            offset, size = self._place(row)
            try:
                yield parse(self._data[offset : offset + size])
            except BadBodyError as error:
                self._refuse(row, str(error))

    def _note_unknown(self) -> None:
        if set(self.chunks["type"].tolist()) <= _KNOWN_TYPES:
            return
        for row in np.flatnonzero(~np.isin(self.chunks["type"], list(ChunkType))):
            what = f"a chunk of unknown type {self.chunks['type'][row]} is left out"
            self.issues.append(TapeIssue(int(self.chunks["offset"][row]), what))


def _key(kind: Any, epoch: Any, stream: Any, cpu: Any) -> Any:  # noqa: ANN401 - numbers or arrays
    return kind << 32 | epoch << 16 | stream << 8 | cpu


def _open(path: Path) -> tuple[TapeHeader, mmap.mmap]:
    """Check the header, then map the file (an empty file cannot be mapped)."""
    try:
        if path.exists() and not path.is_file():
            raise NotATape(f"{path} is not a file", "give a file that 'tickertape capture' wrote")
        with path.open("rb") as file:
            header = parse_header(file.read(TAPE_HEADER_BYTES), str(path))
            return header, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise TapeMissing.of(path, error) from error


def _parse_anchor(body: bytes) -> tuple[int, int, int]:
    if len(body) < ANCHOR_BYTES:
        raise BadBodyError("it is too short")
    values = _ANCHOR.parse(body)
    return values.target_ticks, values.host_ns, values.uncertainty_ns


def _parse_receipt(body: bytes) -> LinkCounters:
    if len(body) < RECEIPT_BYTES:
        raise BadBodyError("it is too short")
    return LinkCounters(**_RECEIPT.parse(body)._asdict())


def _parse_text(body: bytes) -> str:
    return body.decode("utf-8", errors="replace")
