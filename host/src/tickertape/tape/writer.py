"""Write a tape so that it stays readable if the process is killed at any moment.

Every chunk is appended in one write. Written bytes never change, except the byte order in the
header at the first HELLO. So a kill loses at most the chunk being written and the gathered buffers
(`flush`).
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.closing import Closing
from tickertape.decode.bodies import parse_hello, parse_name
from tickertape.errors import TapeError, TapeWriteFailed
from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    ANCHOR,
    BUFFER_HEADER_BYTES,
    RECEIPT,
    RECORD_BYTES,
    ChunkType,
)
from tickertape.tape.chunk_file import ChunkFile
from tickertape.tape.format import new_header, padding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.decode.bodies import Hello
    from tickertape.decode.frames import LinkCounters

CHUNK_RECORDS = 65_536
_LAST_EPOCH = 0xFFFF
_ANCHOR = Layout(ANCHOR)
_RECEIPT = Layout(RECEIPT)


class Gathered:
    """Buffers of one ring that are not written yet."""

    def __init__(self, headers: bytes = b"", records: bytes = b"") -> None:
        """Start with some buffer headers and the records of these buffers."""
        self.headers = [headers]
        self.records = [records]
        self.record_count = len(records) // RECORD_BYTES

    def add(self, body: bytes) -> None:
        """Add the body of a BUFFER frame."""
        self.headers.append(body[:BUFFER_HEADER_BYTES])
        self.records.append(body[BUFFER_HEADER_BYTES:])
        self.record_count += (len(body) - BUFFER_HEADER_BYTES) // RECORD_BYTES


class TapeWriter(Closing):
    """Writes a tape. Records are gathered per ring; all other data is written at once.

    Every method that writes may raise `TapeWriteFailed`; earlier chunks stay readable.

    Attributes:
        path: path of the tape being written.
        parts: paths of all tapes so far; one, unless the writer rotates.
        epoch: boot of the target, from 0.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        meta: Mapping[str, object] | None = None,
        waits: bool = False,
    ) -> None:
        """Create the tape with its header; keep an existing file of that name as `NAME.old`.

        Args:
            path: path of the tape.
            meta: facts about capture and target, JSON values.
            waits: leave the name to an existing file until the first record; without a record,
                the existing file stays as it is and the new tape is removed.

        Raises:
            TapeBusy: another program writes the existing file.
            TapeWriteFailed: the file cannot be created.
        """
        self.path = Path(path)
        self.parts = [self.path]
        self.epoch = 0
        self._header = new_header(time.time_ns())
        self._file = ChunkFile(self.path, self._header, waits=waits)
        self._closed = False
        self._rings: dict[tuple[int, int], Gathered] = {}
        self._names: dict[tuple[int, int], bytes] = {}
        self._hello: Hello | None = None
        self._hello_body = b""
        self._meta: dict[str, object] = {}
        self._symbols = b""
        self._has_records = False
        self._met_target = False  # a HELLO was stored: the byte order is known
        self._broken = False
        if meta:
            self.meta(meta)

    @property
    def written_bytes(self) -> int:
        """Size of the tape so far, without gathered buffers."""
        return self._file.size_bytes

    @property
    def is_named(self) -> bool:
        """Whether the tape has its name; without records, an older file keeps it."""
        return self._file.is_named

    def hello(self, body: bytes) -> None:
        """Store the body of a HELLO frame, unless only its time differs from the last one.

        Raises:
            TapeError: the byte order differs from that of records already on the tape.
        """
        hello = replace(parse_hello(body), ticks=0)
        if hello == self._hello:
            return
        if hello.byte_order != self._header.byte_order:
            # Records before the first HELLO are on the tape as the target sent them; only the byte
            # order in the header is corrected.
            if self._met_target and self._has_records:
                raise TapeError(
                    f"{self.path} cannot hold records of both byte orders",
                    "capture this target into a tape of its own",
                )
            self._header = replace(self._header, byte_order=hello.byte_order)
            self._file.rewrite_header(self._header)
        self._hello = hello
        self._hello_body = body
        self._met_target = True
        self._append(ChunkType.HELLO, [body])

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Gather the body of a BUFFER frame: a buffer header and its records."""
        ring = self._rings.setdefault((stream, cpu), Gathered())
        ring.add(body)
        if not self._file.is_named and ring.record_count:
            self._file.take_name()
        self._has_records = True
        if ring.record_count >= CHUNK_RECORDS:
            self._write_ring(stream, cpu)

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Write the body of a STATUS frame."""
        self._append(ChunkType.STATUS, [body], stream=stream, cpu=cpu)

    def name(self, body: bytes) -> None:
        """Write the body of a NAME frame, unless it equals the last one of that object."""
        name = parse_name(body)
        if self._names.get((name.kind, name.id)) != body:
            self._names[name.kind, name.id] = body
            self._append(ChunkType.NAME, [body])

    def text(self, body: bytes) -> None:
        """Write the body of a TEXT frame."""
        self._append(ChunkType.TEXT, [body])

    def note(self, text: str) -> None:
        """Write a remark of a person or a tool."""
        self._append(ChunkType.NOTE, [text.encode()])

    def meta(self, values: Mapping[str, object]) -> None:
        """Write facts about capture and target, JSON values."""
        self._meta.update(values)
        self._append(ChunkType.META, [json.dumps(dict(values)).encode()])

    def symbols(self, body: bytes) -> None:
        """Write the symbols of the firmware; see `symbol_table.build_symbols`."""
        self._symbols = body
        self._append(ChunkType.SYMBOLS, [body])

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Write an anchor of target and host clock; see `format.Anchor`."""
        values = {
            "target_ticks": target_ticks,
            "host_ns": host_ns,
            "uncertainty_ns": uncertainty_ns,
        }
        self._append(ChunkType.ANCHOR, [_ANCHOR.build(values)])

    def receipt(self, counters: LinkCounters) -> None:
        """Write the counters of the link so far."""
        values = {name: getattr(counters, name) for name in _RECEIPT.names}
        self._append(ChunkType.RECEIPT, [_RECEIPT.build(values)])

    def new_epoch(self) -> None:
        """Begin a new boot after a reset of the target.

        Raises:
            TapeError: the tape has the maximum number of boots.
        """
        self._write_gathered()
        if self.epoch == _LAST_EPOCH:
            raise TapeError(
                f"{self.path} cannot hold more than {_LAST_EPOCH + 1} boots of the target",
                "find out why it is reset so often, and capture again",
            )
        self.epoch += 1
        self._names.clear()
        self._hello = None
        self._append(ChunkType.EPOCH, [])

    def flush(self) -> None:
        """Write all gathered buffers to the operating system."""
        self._write_gathered()

    def close(self) -> None:
        """Write index and end mark and close. May be called twice.

        After a failed write this closes the file without raising; the tape then has no end mark
        unless it still fitted.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if self._broken:
                with suppress(TapeWriteFailed):
                    self._file.finish(self.epoch)
            else:
                self._write_gathered()
                self._file.finish(self.epoch)
        finally:
            self._file.close()

    def _repeat(self) -> None:
        """Write the chunks that a reader needs first: META, SYMBOLS, HELLO and names."""
        self._append(ChunkType.META, [json.dumps(self._meta).encode()])
        if self._symbols:
            self._append(ChunkType.SYMBOLS, [self._symbols])
        if self._hello is not None:
            self._append(ChunkType.HELLO, [self._hello_body])
        for body in self._names.values():
            self._append(ChunkType.NAME, [body])

    def _write_gathered(self) -> None:
        for stream, cpu in list(self._rings):
            self._write_ring(stream, cpu)

    def _write_ring(self, stream: int, cpu: int) -> None:
        ring = self._rings.pop((stream, cpu))
        headers = b"".join(ring.headers)
        self._append(
            ChunkType.RECORDS,
            [headers, padding(len(headers)), *ring.records],
            stream=stream,
            cpu=cpu,
            buffer_count=len(headers) // BUFFER_HEADER_BYTES,
            record_count=ring.record_count,
        )

    def _append(self, kind: ChunkType, body: Sequence[bytes], **fields: int) -> None:
        try:
            self._file.append(kind, body, epoch=self.epoch, **fields)
        except TapeWriteFailed:
            self._broken = True
            raise
