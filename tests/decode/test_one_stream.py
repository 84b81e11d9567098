"""Hardware accesses merged with the events of a software stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.btf_tapes import export_of
from tickertape.analysis.meter import Meter
from tickertape.decode.one_stream import HARDWARE_STREAM
from tickertape.formats.hello import build_hello
from tickertape.formats.itm.rows import bodies_of
from tickertape.formats.itm.variables import name_body
from tickertape.formats.timed_ring import TimedRing
from tickertape.model.hardware_time import LOST
from tickertape.model.names import Names
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, IntEvent, SchedEvent, SignalEvent, ThreadEvent
from tickertape.protocol.wire import ObjectKind
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.model.hardware_time import Row

SWITCH = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
WRITE = event_code(EventClass.SIGNAL, SignalEvent.WRITE)
ENTRY = event_code(EventClass.INT, IntEvent.ENTRY)
EXIT = event_code(EventClass.INT, IntEvent.EXIT)
CREATE = event_code(EventClass.THREAD, ThreadEvent.CREATE)
SPEED = 0x2000_0100
SOFTWARE: list[Row] = [
    *((0, CREATE, 0, 1), (1, CREATE, 0, 2), (100, SWITCH, 0, 1)),
    *((200, SWITCH, 1, 2), (300, SWITCH, 2, 1), (400, SWITCH, 1, 0)),
]
HARDWARE: list[Row] = [
    *((150, WRITE, SPEED, 11), (210, ENTRY, 15, 0), (220, EXIT, 15, 0)),
    *((260, WRITE, SPEED, 22), (350, WRITE, SPEED, 33)),
]
LOSSY: list[Row] = [*HARDWARE[:3], (250, LOST, 0, 0), *HARDWARE[3:]]


def tape_of(path: Path, hardware: list[Row]) -> Path:
    with TapeWriter(path) as writer:
        writer.hello(build_hello("both", 1_000_000))
        for tid, name in ((1, "motor"), (2, "radio")):
            writer.name(name_body(ObjectKind.THREAD, tid, name))
        writer.name(name_body(ObjectKind.SIGNAL, SPEED, "speed"))
        for stream, rows in ((0, SOFTWARE), (HARDWARE_STREAM, hardware)):
            for body in bodies_of(TimedRing(), rows):
                writer.buffer(stream, 0, body)
    return path


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return tape_of(tmp_path / "x.tape", HARDWARE)


def rows_of(path: Path, stream: int | None) -> tuple[list[Row], list[int], int]:
    """Return the events, their streams, and the number of gaps."""
    rows: list[Row] = []
    streams: list[int] = []
    gaps = 0
    with TapeReader(path) as reader:
        for columns in iter_events(reader, stream=stream):
            streams += columns.stream.tolist()
            gaps += len(columns.gaps)
            rows += [
                (event.time_ticks, event.cls << 10 | event.event, event.words[0], event.words[1])
                for event in columns.events()
            ]
    return rows, streams, gaps


def test_a_stream_has_the_accesses_among_its_own_events(tape: Path) -> None:
    rows, streams, gaps = rows_of(tape, 0)
    accesses = [row for row in HARDWARE if row[1] == WRITE]
    assert rows == sorted(SOFTWARE + accesses)
    assert (set(streams), gaps) == ({0}, 0)


def test_what_the_hardware_lost_is_taken_for_no_silence(tmp_path: Path) -> None:
    """Otherwise a requirement on an access could fail because of a missing access."""
    tape = tape_of(tmp_path / "x.tape", LOSSY)
    assert rows_of(tape, 0) == (SOFTWARE, [0] * len(SOFTWARE), 0)


def test_the_hardware_alone_and_both_streams(tmp_path: Path) -> None:
    tape = tape_of(tmp_path / "x.tape", LOSSY)
    assert rows_of(tape, HARDWARE_STREAM) == (HARDWARE, [HARDWARE_STREAM] * len(HARDWARE), 1)
    rows, streams, gaps = rows_of(tape, None)
    assert rows == sorted(SOFTWARE + HARDWARE)
    assert (streams.count(0), gaps) == (len(SOFTWARE), 1)


def test_a_system_trace_has_the_writing_task(tape: Path) -> None:
    fields = [line.split(",") for line in export_of(tape) if ",SIG," in line]
    assert [(one[0], one[1], one[4], one[6], one[7]) for one in fields] == [
        ("150000", "motor", "speed", "write", "11"),
        ("260000", "radio", "speed", "write", "22"),
        ("350000", "motor", "speed", "write", "33"),
    ]


def test_the_hardware_is_no_default(tape: Path, tmp_path: Path) -> None:
    with TapeReader(tape) as reader:
        assert reader.default_stream() == 0
    path = tmp_path / "alone.tape"
    with TapeWriter(path) as writer:
        writer.hello(build_hello("hardware", 1_000_000))
        for body in bodies_of(TimedRing(), HARDWARE):
            writer.buffer(HARDWARE_STREAM, 0, body)
    with TapeReader(path) as reader:
        assert reader.default_stream() == HARDWARE_STREAM


def test_a_meter_waits_for_the_software(tape: Path) -> None:
    with TapeReader(tape) as reader:
        meter = Meter(lambda epoch: Names(reader.names(epoch)))
        for stream in (HARDWARE_STREAM, 0):
            for columns in iter_events(reader, stream=stream):
                meter.feed(columns)
        assert {"motor", "radio"} <= {one.name for one in meter.read().processes}
