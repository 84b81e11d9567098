"""Converts a CTF stream of Zephyr's own tracing to a tape.

    report = import_zephyr_ctf(Path("channel0_0"), Path("trace.tape"), metadata=Path("metadata"))

`stream.py` finds the events in the bytes, `events.py` follows the state of each CPU. The file is
mapped: memory does not depend on its size.
"""

from __future__ import annotations

import mmap
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile, TapeMissing, UsageError
from tickertape.files import Keep, replacing
from tickertape.formats.hello import build_hello
from tickertape.formats.record_file import open_foreign
from tickertape.formats.report import Count, Report, no_progress
from tickertape.formats.timed_ring import TimedRing
from tickertape.formats.zephyr_ctf.events import LOST, ZEPHYR_CLASS, Row, Survey, ZephyrKernel
from tickertape.formats.zephyr_ctf.stream import Event, EventStream
from tickertape.formats.zephyr_ctf.tsdl import parse_metadata
from tickertape.protocol.event_type import event_code
from tickertape.protocol.wire import MAX_CPUS, NAME, ByteOrder, HelloFlag, ObjectKind, record_dtype
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.report import Progress
    from tickertape.formats.zephyr_ctf.stream import Loss
    from tickertape.formats.zephyr_ctf.tsdl import Metadata

_METADATA: Final = "metadata"
_LONGEST_METADATA: Final = 1 << 20
_LOW: Final = (1 << 32) - 1
_BLOCK_EVENTS: Final = 1 << 14
_SURVEYED_EVENTS: Final = 1 << 14
_CPU_FIELDS: Final = ("cpu_id", "core_id", "cpu")
_FEWEST_SWITCHES: Final = 3


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
        `bytes_read`; `unknown` (places where the metadata does not describe an event) with
        `unknown_id`, the first number, at byte `first_unknown`; `skipped_bytes` at `places`
        (`skipped` first at byte `first_skipped`); `discarded` events; `overwritten` packets;
        `cut_bytes` (size of a truncated event at the end); `zero_bytes` (unused memory at the end);
        `turns` (steps back of time); `falls` (of a clock that begins again); `contradictions`
        (events that contradict the state of their CPU; the word `which` lists them); `unplaced`
        (events whose CPU is unknown); `timeless` (1 without time stamps).

    Raises:
        UsageError: the folder has no stream, or more than one.
        TapeMissing, ForeignFile, TapeWriteFailed: see `registry`.
    """
    file = _stream_of(file)
    metadata = metadata or file.with_name(_METADATA)
    with open_foreign(metadata) as described:
        text = described.read(_LONGEST_METADATA + 1).decode(errors="replace")
    facts = parse_metadata(text, str(metadata))
    with open_foreign(file) as stream, replacing(tape, Keep.OLD) as place:
        try:
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise ForeignFile(f"{file} is empty", "record it again") from None
        except OSError as error:
            raise TapeMissing.of(file, error) from error
        with closing(data):
            return _Import(facts, file, data).run(place, on_progress)


def _stream_of(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(one for one in path.iterdir() if one.is_file() and one.name != _METADATA)
    if len(found) != 1:
        what = "no stream" if not found else f"{len(found)} files that could be streams"
        raise UsageError(f"{path} holds {what}", "give the stream itself, e.g. channel0_0")
    return found[0]


def _survey(facts: Metadata, data: mmap.mmap) -> Survey:
    """Read the begin of a stream, or all of it if its events or packets name CPUs."""
    named = {
        what: next((places.index(name) for name in _CPU_FIELDS if name in places), None)
        for what in facts.events.values()
        for places in [(*facts.header.names, *what.fields.names)]
    }
    names_cpus = facts.packet is not None or any(place is not None for place in named.values())
    switches, last = Counter[str](), 0
    for count, item in enumerate(EventStream(facts, data).items()):
        if not isinstance(item, Event):
            continue
        switches[item.what.name] += 1
        place = named[item.what]
        last = max(last, item.cpu or 0, 0 if place is None else int(item.values[place]))
        if count >= _SURVEYED_EVENTS and not names_cpus:
            break
    ins, outs = switches["thread_switched_in"], switches["thread_switched_out"]
    is_enough = ins + outs >= _FEWEST_SWITCHES
    return Survey(bool(ins) or not is_enough, bool(outs) or not is_enough, min(last + 1, MAX_CPUS))


class _Import:
    """Reads a stream event by event."""

    def __init__(self, facts: Metadata, source: Path, data: mmap.mmap) -> None:
        self._facts = facts
        self._source = source
        self._data = data
        self._survey = _survey(facts, data)
        self._kernel = ZephyrKernel(facts, self._survey)
        self._rings: dict[int, TimedRing] = {}
        self._counts = Counter[str]()
        self._notes: list[str] = []

    def run(self, tape: Path, on_progress: Progress) -> Report:
        counts, kernel = self._counts, self._kernel
        stream = EventStream(self._facts, self._data)
        meta = {"imported_from": self._source.name, "zephyr_class": ZEPHYR_CLASS}
        with TapeWriter(tape, meta=meta) as writer:
            flags = HelloFlag.HOOKS_OUTSIDE_LOCKS
            cpus, hz = self._survey.cpus, self._facts.tick_hz
            writer.hello(build_hello("Zephyr CTF", hz, cpu_count=cpus, flags=flags))
            self._name_events(writer)
            for item in stream.items():
                if isinstance(item, Event):
                    kernel.take(item)
                    counts["events"] += 1
                    if counts["events"] % _BLOCK_EVENTS == 0:
                        self._write(writer)
                        on_progress(stream.read_bytes)
                else:
                    self._lose(item)
            if not counts["events"]:
                raise ForeignFile(
                    f"{self._source} does not begin with an event of this metadata",
                    "give a stream of Zephyr, with the metadata of the version that wrote it",
                )
            self._write(writer, is_end=True)
            self._close(writer, stream)
        return self._report(stream)

    def _report(self, stream: EventStream) -> Report:
        counts, kernel = self._counts, self._kernel
        counts.update(
            kept=kernel.kept,
            unplaced=kernel.unplaced,
            contradictions=kernel.contradictions.total(),
            turns=sum(ring.turns for ring in self._rings.values()),
            falls=sum(clock.falls for clock in stream.clocks.values()),
            bytes_read=stream.read_bytes,
            cut_bytes=stream.cut_bytes,
            zero_bytes=stream.zero_bytes,
            timeless=not self._facts.time_bits,
        )
        which = ", ".join(f"{why}: {Count(times)}" for why, times in kernel.contradictions.items())
        return Report(counts, words={"which": which})

    def _lose(self, loss: Loss) -> None:
        counts = self._counts
        self._kernel.lose(loss.cpu)
        if loss.why != "skipped":
            counts[loss.why] += loss.count
            self._notes.append(f"{loss.why} before byte {loss.offset}: {loss.count}")
            return
        counts["skipped_bytes"] += loss.count
        counts["places"] += 1
        if counts["places"] == 1:
            counts["first_skipped"] = loss.offset
        if loss.unknown_id is None:
            return
        if not counts["unknown"]:
            counts["unknown_id"], counts["first_unknown"] = loss.unknown_id, loss.offset
        counts["unknown"] += 1

    def _write(self, writer: TapeWriter, *, is_end: bool = False) -> None:
        for number, cpu in self._kernel.cpus.items():
            # Without switches in, a row may still be inserted at the last switch out.
            held = not self._survey.has_in and not is_end and cpu.left_at is not None
            end = cpu.left_at[0] if held and cpu.left_at else len(cpu.rows)
            ring = self._rings.setdefault(number, TimedRing())
            _write_rows(writer, number, ring, cpu.rows[:end])
            del cpu.rows[:end]
            if cpu.left_at is not None:
                cpu.left_at = max(cpu.left_at[0] - end, 0), cpu.left_at[1]

    def _name_events(self, writer: TapeWriter) -> None:
        for what in self._facts.events.values():
            id_ = event_code(ZEPHYR_CLASS, what.id % 1024)
            fixed = dict.fromkeys(("state", "priority", "cpu", "parent"), 0)
            body = NAME.build({**fixed, "kind": ObjectKind.EVENT, "id": id_})
            writer.name(body + what.name.encode())

    def _close(self, writer: TapeWriter, stream: EventStream) -> None:
        """Write losses at the end, and notes about unread bytes."""
        counts = self._counts
        for number, ring in self._rings.items():
            if ring.is_lost:
                writer.buffer(0, number, ring.lost_end())
        if stream.cut_bytes:
            writer.note(f"the stream ends {stream.cut_bytes} bytes after its last whole event")
        if counts["unknown"]:
            writer.note(
                f"at byte {counts['first_unknown']} is an event of number {counts['unknown_id']}, "
                "which the metadata does not describe"
            )
        if counts["skipped_bytes"]:
            writer.note(f"{counts['skipped_bytes']} bytes are not events of the metadata")
        for note in self._notes[:1]:
            writer.note(note)
        if self._kernel.contradictions:
            which = "; ".join(f"{why}, {n} times" for why, n in self._kernel.contradictions.items())
            writer.note(f"events contradict the state of their CPU: {which}")


def _write_rows(writer: TapeWriter, number: int, ring: TimedRing, rows: list[Row]) -> None:
    """Write the rows of a CPU; a row LOST marks a loss before the next record."""
    begin = 0
    places = [place for place, row in enumerate(rows) if row[0] == LOST]
    for end in (*places, len(rows)):
        part = rows[begin:end]
        if part:
            header, data0, data1, time = (np.array(column) for column in zip(*part, strict=True))
            records = np.zeros(len(part), record_dtype(ByteOrder.LITTLE))
            records["header"], records["time"] = header, time & _LOW
            records["data0"], records["data1"] = data0, data1
            for body in ring.buffers(records, time.astype(np.uint64)):
                writer.buffer(0, number, body)
        if end < len(rows):
            ring.lose()
        begin = end + 1
