"""Makes a tape of a CTF stream that Zephyr's own tracing wrote.

    report = import_zephyr_ctf(Path("channel0_0"), Path("metadata"), Path("trace.tape"))

The stream has no packets: an event begins where the one before ends, and how long one is says the
metadata. So behind an event of unknown number nothing can be read: where it stands and how many
bytes follow is reported, and the tape marks them as unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import open_foreign
from tickertape.formats.timed_ring import TimedRing
from tickertape.formats.zephyr_ctf.events import ZEPHYR_CLASS, ZephyrKernel
from tickertape.formats.zephyr_ctf.tsdl import parse_metadata
from tickertape.protocol.event_type import event_code
from tickertape.protocol.wire import (
    NAME,
    ByteOrder,
    HelloFlag,
    ObjectKind,
    record_dtype,
)
from tickertape.tape.output import replacing
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

    from tickertape.formats.zephyr_ctf.tsdl import Metadata

_BLOCK_BYTES: Final = 1 << 18
_LONGEST_METADATA: Final = 1 << 20
_LOW: Final = (1 << 32) - 1


@dataclass(slots=True)
class ZephyrReport:
    """What was imported.

    Attributes:
        events: events read from the stream.
        kept: how many of them have no meaning of our own and are kept as they are.
        bytes_read: length of the stream up to where it could be read.
        unknown_id: number of the event that the metadata does not describe; None without any.
        unread_bytes: of that event and all that follows it, or of a cut event at the end.
        turns: how often the time stepped back.
    """

    events: int = 0
    kept: int = 0
    bytes_read: int = 0
    unknown_id: int | None = None
    unread_bytes: int = 0
    turns: int = 0


def import_zephyr_ctf(
    source: Path,
    metadata: Path,
    tape: Path,
    *,
    on_progress: Callable[[int], None] | None = None,
) -> ZephyrReport:
    """Make a tape of a stream.

    Args:
        source: the stream, `channel0_0`.
        metadata: of the Zephyr that wrote it.
        tape: the tape to write; one of that name is replaced.
        on_progress: is called now and then with the number of bytes read.

    Raises:
        TapeMissing: a file is not there or may not be read.
        ForeignFile: the metadata are not understood, or the stream holds no event.
        TapeWriteFailed: the tape cannot be written.
    """
    with open_foreign(metadata) as file:
        text = file.read(_LONGEST_METADATA + 1).decode(errors="replace")
    facts = parse_metadata(text, str(metadata))
    with open_foreign(source) as stream, replacing(tape) as place:
        return _Import(facts, source, stream).run(place, on_progress)


class _Import:
    """Reads a stream event by event."""

    def __init__(self, facts: Metadata, source: Path, stream: BinaryIO) -> None:
        self._facts = facts
        self._source = source
        self._stream = stream
        self._kernel = ZephyrKernel()
        self._ring = TimedRing()
        self._rows: list[tuple[int, int, int, int]] = []
        self._last: int | None = None
        self._report = ZephyrReport()

    def run(self, tape: Path, on_progress: Callable[[int], None] | None) -> ZephyrReport:
        report = self._report
        meta = {"imported_from": self._source.name, "zephyr_class": ZEPHYR_CLASS}
        with TapeWriter(tape, meta=meta) as writer:
            flags = HelloFlag.HOOKS_OUTSIDE_LOCKS
            writer.hello(build_hello("Zephyr CTF", self._facts.tick_hz, flags=flags))
            self._name_events(writer)
            rest = b""
            while report.unknown_id is None and (block := self._stream.read(_BLOCK_BYTES)):
                data = rest + block
                end = self._events(data)
                rest = data[end:]
                report.bytes_read += end
                self._write(writer)
                if on_progress is not None:
                    on_progress(report.bytes_read)
            report.unread_bytes = len(rest) + len(self._stream.read())
            if not report.events:
                raise ForeignFile(
                    f"{self._source} does not begin with an event of this metadata",
                    "give a stream of Zephyr, with the metadata of the version that wrote it",
                )
            self._close(writer)
        report.kept, report.turns = self._kernel.kept, self._ring.turns
        return report

    def _events(self, data: bytes) -> int:
        """Read all whole events; give where they end."""
        header, events, report = self._facts.header, self._facts.events, self._report
        at_time, at_id = header.names.index("timestamp"), header.names.index("id")
        at = 0
        while at + header.form.size <= len(data):
            head = header.form.unpack_from(data, at)
            what = events.get(head[at_id])
            if what is None:
                report.unknown_id = head[at_id]
                break
            begin = at + header.form.size
            end = begin + what.fields.form.size
            if end > len(data):
                break
            values = dict(
                zip(what.fields.names, what.fields.form.unpack_from(data, begin), strict=True)
            )
            now = self._time(head[at_time])
            records = self._kernel.records(what, values, data[begin:end])
            self._rows += [(*record, now) for record in records]
            report.events += 1
            at = end
        return at

    def _time(self, stamp: int) -> int:
        """Give the full time; a stamp is the next one with these low bits, or a step back."""
        if self._last is None:
            self._last = stamp
            return stamp
        period = 1 << self._facts.time_bits
        step = (stamp - self._last) % period
        self._last = max(self._last + (step if step < period // 2 else step - period), 0)
        return self._last

    def _write(self, writer: TapeWriter) -> None:
        if not self._rows:
            return
        header, data0, data1, time = (np.array(column) for column in zip(*self._rows, strict=True))
        records = np.zeros(len(self._rows), record_dtype(ByteOrder.LITTLE))
        records["header"], records["time"] = header, time & _LOW
        records["data0"], records["data1"] = data0, data1
        for body in self._ring.buffers(records, time.astype(np.uint64)):
            writer.buffer(0, 0, body)
        self._rows.clear()

    def _name_events(self, writer: TapeWriter) -> None:
        for what in self._facts.events.values():
            id_ = event_code(ZEPHYR_CLASS, what.id % 1024)
            fixed = dict.fromkeys(("state", "priority", "cpu", "parent"), 0)
            body = NAME.build({**fixed, "kind": ObjectKind.EVENT, "id": id_})
            writer.name(body + what.name.encode())

    def _close(self, writer: TapeWriter) -> None:
        """Say on the tape what could not be read."""
        report = self._report
        if not report.unread_bytes:
            return
        if report.unknown_id is None:
            writer.note(f"the stream ends {report.unread_bytes} bytes after its last whole event")
            return
        writer.buffer(0, 0, self._ring.lost_end())
        writer.note(
            f"at byte {report.bytes_read} stands an event of number {report.unknown_id}, which the "
            f"metadata does not describe; {report.unread_bytes} bytes from there on are not read"
        )
