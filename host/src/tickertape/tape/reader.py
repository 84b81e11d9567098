"""Read a tape, complete or truncated, in constant memory."""

from __future__ import annotations

import mmap
from bisect import bisect_left
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.crc import crc32
from tickertape._native.interface import PieceState
from tickertape.closing import Closing
from tickertape.decode.bodies import BadBodyError, parse_hello, parse_name, parse_status
from tickertape.decode.frames import LinkCounters
from tickertape.decode.one_stream import HARDWARE_STREAM
from tickertape.decode.ticks import Clock, clock_of
from tickertape.errors import NotATape, TapeMissing
from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    ANCHOR,
    ANCHOR_BYTES,
    CHUNK_HEADER_BYTES,
    RECEIPT,
    RECEIPT_BYTES,
    TAPE_HEADER_BYTES,
    ChunkType,
)
from tickertape.tape.board import parse_board
from tickertape.tape.chunks import find_chunks
from tickertape.tape.format import (
    Anchor,
    RecordsChunk,
    RingKey,
    TapeIssue,
    parse_header,
)
from tickertape.tape.meta import parse_meta
from tickertape.tape.pieces_read import FAULTS, PiecesReader
from tickertape.tape.symbol_table import parse_symbols
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from tickertape.decode.bodies import Hello, Name, Status
    from tickertape.decode.records import I64, U8, Rows
    from tickertape.tape.board import Board
    from tickertape.tape.format import TapeHeader
    from tickertape.tape.symbol_table import SymbolTable

    Value = TypeVar("Value")

GROUP_RECORDS: Final = 65_536
"""Greatest number of records to read at once from several chunks."""

_GROUPS_RELEASED: Final = 4  # a system call for each group would take 3 % of the decoding time
_GROUP_SHIFT: Final = 5  # a record for each 32 bytes of body
_RING_BITS: Final = (1 << 32) - 1  # of a key: epoch, stream and CPU
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
        self._bytes = np.frombuffer(self._data, np.uint8)
        self._read_only(table.rows)
        self.closed = table.closed
        self.issues = table.issues
        self._any_damage = False
        self._note_unknown()
        if self.record_count and not len(self._rows(ChunkType.HELLO)):
            what = "no HELLO was captured: the byte order is assumed, and the clock rate is unknown"
            self.issues.append(TapeIssue(0, what))

    def _read_only(self, rows: np.ndarray) -> None:
        """Read these chunks of the file, and no others; `format.TABLE_DTYPE`."""
        self.chunks = rows
        self._offsets, self._sizes = rows["offset"], rows["body_bytes"]
        self._pieces = PiecesReader(self._bytes, rows)
        self._state = self._pieces.state

    def close(self) -> None:
        """Close the file. May be called twice. Views in use keep the file mapped."""
        self._bytes = self._bytes[:0].copy()
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
        found: list[int] = np.unique(self.chunks["epoch"]).tolist()
        return found

    @cached_property
    def rings(self) -> Sequence[RingKey]:
        """Rings with records or counters, in order."""
        keys = self._keys[np.isin(self.chunks["type"], (ChunkType.RECORDS, ChunkType.STATUS))]
        return [_ring_of(key) for key in np.unique(keys & _RING_BITS).tolist()]

    def rings_of(self, epoch: int) -> Sequence[RingKey]:
        """Rings of one boot with records or counters, in order."""
        first = bisect_left(self.rings, RingKey(epoch, 0, 0))
        return self.rings[first : bisect_left(self.rings, RingKey(epoch + 1, 0, 0))]

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
        rows = self._rows(ChunkType.RECORDS)
        with_records = self._keys[rows[self.chunks["record_count"][rows] > 0]] & _RING_BITS
        for rings in (map(_ring_of, np.unique(with_records).tolist()), self.rings):
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
        """Yield the records of one ring, or of all in file order, some tens of thousands at a time.

        The memory of a chunk is released a few iterations later; its arrays stay valid.
        """
        groups = self.record_groups(ring)
        for first in range(0, len(groups), _GROUPS_RELEASED):
            some = groups[first : first + _GROUPS_RELEASED]
            for rows in some:
                chunk = self.records_of(rows)
                if chunk is not None:
                    yield chunk
            self.release(np.concatenate(some))

    def record_groups(self, ring: RingKey | None = None) -> list[Rows]:
        """Divide the RECORDS chunks of one ring, or of all, into groups to read at once.

        Returns:
            Rows of `chunks`, in file order. A group has one chunk, or at most `GROUP_RECORDS`
            records of one ring; a group of a growing tape stays the same once it is full.
        """
        rows = self._rows(ChunkType.RECORDS, ring)
        records = self.chunks["record_count"][rows]
        # Buffers without records take room as well.
        sizes = np.maximum(records, self.chunks["body_bytes"][rows] >> _GROUP_SHIFT)
        ends = np.cumsum(sizes, dtype=np.int64)
        keys = self._keys[rows]
        others = [*(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), len(rows)]
        groups = []
        first = before = 0
        while first < len(rows):
            end = max(int(ends.searchsorted(before + GROUP_RECORDS, "right")), first + 1)
            if end >= others[0]:
                end = others.pop(0)
            groups.append(rows[first:end])
            first, before = end, int(ends[end - 1])
        return groups

    def record_rows(self, ring: RingKey) -> Rows:
        """Return the rows of `chunks` with the RECORDS of a ring, in file order."""
        return self._rows(ChunkType.RECORDS, ring)

    def body_at(self, row: int | np.intp) -> bytes | None:
        """Return the body of a chunk by its row in `chunks`; None if it is damaged."""
        offset, size = self._place(row)
        return self._data[offset : offset + size] if self._is_sound(row) else None

    def records_at(self, row: int | np.intp) -> RecordsChunk | None:
        """Return a RECORDS chunk by its row in `chunks`; None if it is damaged."""
        return self.records_of(np.array([row], np.intp))

    def records_of(self, rows: Rows) -> RecordsChunk | None:
        """Return RECORDS chunks of one ring, without damaged ones; None if all are damaged.

        Args:
            rows: rows of `chunks`, in file order, at least one.
        """
        before = self._state[rows] if self._any_damage else None
        buffers, start, fault_count = self._pieces.read(rows)
        if fault_count or before is not None:
            self._any_damage = True
            self._note_faults(rows, before)
            if np.all(self._state[rows] > PieceState.SOUND):
                return None
        ring = _ring_of(int(self._keys[rows[0]]))
        return RecordsChunk(ring, buffers, self._bytes, start, self.header.byte_order)

    @property
    def is_damaged(self) -> bool:
        """Whether a chunk that was read so far has a wrong body."""
        return self._any_damage

    def check_all(self) -> None:
        """Check the CRC of every body; add damage to `issues`."""
        for rows in self.record_groups():
            self.records_of(rows)
            self.release(rows)
        is_new = self._state == PieceState.NEW
        for row in np.flatnonzero(np.isin(self.chunks["type"], list(ChunkType)) & is_new):
            self._is_sound(row)
            self.release(row)

    def release(self, rows: Rows | np.intp | int) -> None:
        """Let the operating system reclaim the memory of chunks; later access reads it again."""
        if not hasattr(self._data, "madvise"):
            return
        many = np.atleast_1d(rows)
        runs = [many]
        if many[-1] - many[0] >= len(many):
            runs = np.split(many, np.flatnonzero(np.diff(many) != 1) + 1)
        for run in runs:
            start = int(self._offsets[run[0]])
            start -= start % mmap.PAGESIZE
            end = int(self._offsets[run[-1]]) + CHUNK_HEADER_BYTES + int(self._sizes[run[-1]])
            with suppress(ValueError):  # closed meanwhile, or the index of the tape is wrong
                self._data.madvise(mmap.MADV_DONTNEED, start, end - start)

    def _rows(self, kind: ChunkType, ring: RingKey | None = None) -> Rows:
        if ring is None:
            return np.flatnonzero(self.chunks["type"] == kind)
        order, keys = self._by_key
        key = _key(kind, *ring)
        return order[np.searchsorted(keys, key, "left") : np.searchsorted(keys, key, "right")]

    @cached_property
    def _by_key(self) -> tuple[Rows, I64]:
        """Rows in the order of their keys, in file order where they are equal; and their keys."""
        order = np.argsort(self._keys, kind="stable")
        return order, self._keys[order]

    def _place(self, row: int | np.intp) -> tuple[int, int]:
        """Return offset and size of a chunk's body."""
        return int(self._offsets[row]) + CHUNK_HEADER_BYTES, int(self._sizes[row])

    def _is_sound(self, row: int | np.intp) -> bool:
        """Return whether a body is intact; the first call checks its CRC and notes damage."""
        if self._state[row] == PieceState.NEW:
            self._state[row] = PieceState.SOUND
            offset, size = self._place(row)
            with memoryview(self._data) as view, view[offset : offset + size] as body:
                if crc32(body) != self.chunks["body_crc"][row]:
                    self._refuse(row, FAULTS[PieceState.CRC], PieceState.CRC)
        return bool(self._state[row] == PieceState.SOUND)

    def _note_faults(self, rows: Rows, before: U8 | None) -> None:
        """Report the damage of RECORDS chunks found since `before`, their earlier states."""
        for place in np.flatnonzero(self._state[rows] > PieceState.SOUND).tolist():
            if before is None or before[place] <= PieceState.SOUND:
                state = PieceState(int(self._state[rows[place]]))
                self._state[rows[place]] = PieceState.SOUND
                self._refuse(rows[place], FAULTS[state], state)

    def _refuse(self, row: int | np.intp, why: str, state: PieceState = PieceState.REFUSED) -> None:
        if self._state[row] <= PieceState.SOUND:
            self._state[row] = state
            self._any_damage = True
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


def _ring_of(key: int) -> RingKey:
    return RingKey(key >> 16 & 0xFFFF, key >> 8 & 0xFF, key & 0xFF)


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
