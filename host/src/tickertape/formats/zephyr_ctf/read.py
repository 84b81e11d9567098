"""Converts a CTF stream of Zephyr's own tracing to a tape.

    report = import_zephyr_ctf(Path("channel0_0"), Path("trace.tape"), metadata=Path("metadata"))

The stream has no packets: an event begins where the previous one ends, and only the metadata define
its length. Reading therefore ends at an event of unknown number: the import reports its offset and
the number of unread bytes, and the tape marks a loss of unknown size.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile, UsageError
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import open_foreign
from tickertape.formats.report import Report, no_progress
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
    from pathlib import Path
    from typing import BinaryIO

    from tickertape.formats.report import Progress
    from tickertape.formats.zephyr_ctf.tsdl import Metadata

_BLOCK_BYTES: Final = 1 << 18
_METADATA: Final = "metadata"
_LONGEST_METADATA: Final = 1 << 20
_LOW: Final = (1 << 32) - 1


def import_zephyr_ctf(
    file: Path, tape: Path, *, metadata: Path | None = None, on_progress: Progress = no_progress
) -> Report:
    """Convert a stream to a tape.

    Args:
        file: the stream, `channel0_0`, or a folder with it and its metadata.
        tape: the tape to write; an existing tape is replaced.
        metadata: metadata of the Zephyr version that wrote the stream; None for the file `metadata`
            in the same folder.
        on_progress: called with the number of bytes read.

    Returns:
        Counts of `events`; `kept` (events without a counterpart in tickertape, kept unchanged);
        `bytes_read` (readable bytes of the stream); `unknown` (1 if an event is not in the
        metadata) with `unknown_id`, its number, and `unread_bytes` from there on; `cut_bytes` (size
        of a truncated event at the end); `turns` (steps back of time).

    Raises:
        UsageError: the folder has no stream, or more than one.
        TapeMissing, ForeignFile, TapeWriteFailed: see `registry`.
    """
    file = _stream_of(file)
    metadata = metadata or file.with_name(_METADATA)
    with open_foreign(metadata) as described:
        text = described.read(_LONGEST_METADATA + 1).decode(errors="replace")
    facts = parse_metadata(text, str(metadata))
    with open_foreign(file) as stream, replacing(tape) as place:
        return _Import(facts, file, stream).run(place, on_progress)


def _stream_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(one for one in path.iterdir() if one.is_file() and one.name != _METADATA)
    if len(found) != 1:
        what = "no stream" if not found else f"{len(found)} files that could be streams"
        raise UsageError(f"{path} holds {what}", "give the stream itself, e.g. channel0_0")
    return found[0]


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
        self._counts = Counter[str]()

    def run(self, tape: Path, on_progress: Progress) -> Report:
        counts = self._counts
        meta = {"imported_from": self._source.name, "zephyr_class": ZEPHYR_CLASS}
        with TapeWriter(tape, meta=meta) as writer:
            flags = HelloFlag.HOOKS_OUTSIDE_LOCKS
            writer.hello(build_hello("Zephyr CTF", self._facts.tick_hz, flags=flags))
            self._name_events(writer)
            rest = b""
            while not counts["unknown"] and (block := self._stream.read(_BLOCK_BYTES)):
                data = rest + block
                end = self._events(data)
                rest = data[end:]
                counts["bytes_read"] += end
                self._write(writer)
                on_progress(counts["bytes_read"])
            unread = len(rest) + len(self._stream.read())
            counts["unread_bytes" if counts["unknown"] else "cut_bytes"] = unread
            if not counts["events"]:
                raise ForeignFile(
                    f"{self._source} does not begin with an event of this metadata",
                    "give a stream of Zephyr, with the metadata of the version that wrote it",
                )
            self._close(writer)
        counts["kept"], counts["turns"] = self._kernel.kept, self._ring.turns
        return Report(counts)

    def _events(self, data: bytes) -> int:
        """Convert the whole events in `data`; return the offset of their end."""
        header, events, counts = self._facts.header, self._facts.events, self._counts
        at_time, at_id = header.names.index("timestamp"), header.names.index("id")
        at = 0
        while at + header.form.size <= len(data):
            head = header.form.unpack_from(data, at)
            what = events.get(head[at_id])
            if what is None:
                counts["unknown"], counts["unknown_id"] = 1, head[at_id]
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
            counts["events"] += 1
            at = end
        return at

    def _time(self, stamp: int) -> int:
        """Extend a time stamp; a difference of half a period or more is a step back."""
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
        """Write notes about unread bytes to the tape."""
        counts = self._counts
        if counts["cut_bytes"]:
            writer.note(f"the stream ends {counts['cut_bytes']} bytes after its last whole event")
        if not counts["unknown"]:
            return
        writer.buffer(0, 0, self._ring.lost_end())
        writer.note(
            f"at byte {counts['bytes_read']} is an event of number {counts['unknown_id']}, which "
            f"the metadata does not describe; {counts['unread_bytes']} bytes from there on are not "
            "read"
        )
