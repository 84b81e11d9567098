"""Import of JTracer files: it inverts the export, and reads files of other programs."""

from __future__ import annotations

import struct
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.formats.jtracer.packed import HEAD, packed
from tests.support.columns import Row, state
from tests.support.golden import INVERSION, LATE, NANOSLEEP
from tests.support.row_tapes import row_tape
from tickertape.analysis.balance import balance_of
from tickertape.analysis.summary import summary_of
from tickertape.api.shark import read_jtracer
from tickertape.cli.main import main
from tickertape.errors import ForeignFile, TapeMissing
from tickertape.formats.jtracer.read import import_jtracer
from tickertape.formats.jtracer.types import JtracerType
from tickertape.protocol.events import EventClass, KercallCall
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.report import Report

ARRIVAL, SCHEDULE, DESCHEDULE, END = range(4)
POSTPONE, DEADLINE, WAIT, SIGNAL, IDLE, NAME, MISS = range(4, 11)


def named(task: int, name: str, at: int = 0) -> bytes:
    """Return a NAME record."""
    return packed(NAME, at, task, len(name), tail=name.encode())


class Imported:
    """An imported file: the report, and its events as (ticks, CPU, name, words)."""

    def __init__(self, folder: Path, *records: bytes, head: bytes = HEAD) -> None:
        (folder / "j").write_bytes(head + b"".join(records))
        self.report: Report = import_jtracer(folder / "j", folder / "t.tape")
        with TapeReader(folder / "t.tape") as reader:
            found = [event for part in iter_events(reader) for event in part.events()]
            self.balance = balance_of(reader)
            self.names = {key: name.text for key, name in reader.names().items()}
            self.notes = list(reader.notes)
        self.events = [
            (event.time_ticks, event.cpu, event.name, tuple(event.words)) for event in found
        ]
        total = self.balance.total
        assert total.offered == total.delivered == len(found) == self.report.counts["events"]
        assert total.lost == 0


def test_what_belongs_together_becomes_one_switch(tmp_path: Path) -> None:
    done = Imported(
        tmp_path,
        named(3, "arm"),
        packed(ARRIVAL, 0, 3),
        packed(SCHEDULE, 10, 3, 0),
        packed(ARRIVAL, 20, 4),
        packed(DESCHEDULE, 30, 3, 0),
        packed(SCHEDULE, 30, 4, 0),
        packed(END, 40, 4, 0),
        packed(DESCHEDULE, 45, 4, 0),
        packed(ARRIVAL, 45, 4),
        packed(MISS, 50, 4),
        packed(SCHEDULE, 60, 3, 0),
    )
    assert done.events == [
        (0, 0, "SCHED.ACTIVATION", (3, 1)),
        (10, 0, "SCHED.CONTEXT_SWITCH", (0, 3)),
        (20, 0, "SCHED.ACTIVATION", (4, 1)),
        (30, 0, "SCHED.CONTEXT_SWITCH", (3, 4)),
        (40, 0, "SCHED.COMPLETION", (4, 1)),
        (45, 0, "SCHED.ACTIVATION", (4, 2)),
        (45, 0, "SCHED.CONTEXT_SWITCH", (4, 0)),
        (50, 0, "SCHED.DEADLINE_MISS", (4, 2)),
        (60, 0, "SCHED.CONTEXT_SWITCH", (0, 3)),
    ]
    assert done.names[1, 3] == "arm"
    assert not done.report.left_out


def test_the_end_of_a_job_leaves_the_cpu_where_the_file_means_that(tmp_path: Path) -> None:
    done = Imported(
        tmp_path,
        packed(SCHEDULE, 0, 3, 1),
        packed(END, 10, 3, 1),
        packed(ARRIVAL, 12, 4),
        packed(SCHEDULE, 20, 4, 1),
    )
    switches = [event for event in done.events if event[2] == "SCHED.CONTEXT_SWITCH"]
    assert [(at, cpu, words) for at, cpu, _, words in switches] == [
        (0, 1, (0, 3)),
        (10, 1, (3, 0)),
        (20, 1, (0, 4)),
    ]


def test_idle_and_older_versions(tmp_path: Path) -> None:
    old = Imported(tmp_path, packed(SCHEDULE, 1, 3), packed(IDLE, 5, 0), head=b"version 1.1\0")
    assert [event[3] for event in old.events] == [(0, 3), (3, 0)]
    new = Imported(tmp_path, packed(SCHEDULE, 1, 3, 1), packed(IDLE, 5, 0))
    assert [event[3] for event in new.events] == [(0, 3)]
    assert sum(new.report.left_out.values()) == 1


def test_what_has_no_event_of_ours_is_kept_under_its_type(tmp_path: Path) -> None:
    done = Imported(
        tmp_path,
        packed(DEADLINE, 1, 3, 500),
        packed(POSTPONE, 2, 3, 500, 700),
        packed(WAIT, 3, 3, 9, 4, tail=b"lock"),
        packed(SIGNAL, 4, 3, 9, 4, tail=b"lock"),
        packed(77, 5, 3, 8),
        packed(5000, 6, 3),
        packed(SCHEDULE, 7, 3, 64),
    )
    assert done.events == [
        (1, 0, "APP29.EVENT_5", (3, 500)),
        (2, 0, "APP29.EVENT_4", (3, 700)),
        (3, 0, "TRC.SEM_WAIT", (3, 9)),
        (4, 0, "TRC.SEM_SIGNAL", (3, 9)),
        (5, 0, "APP29.EVENT_77", (3, 8)),
    ]
    assert done.names[3, 9] == "lock"
    assert dict(done.report.left_out) == {
        "records of a type above 1023": 1,
        "records of CPUs above 63": 1,
    }
    assert len(done.notes) == 2


def test_task_0_is_idle_only_if_it_is_called_so(tmp_path: Path) -> None:
    idle = Imported(tmp_path, named(0, "idle"), packed(SCHEDULE, 1, 0, 0))
    assert (idle.report.counts["task_0"], idle.events[0][3]) == (0, (0, 0))
    task = Imported(tmp_path, named(0, "arm"), named(5, "leg"), packed(SCHEDULE, 1, 0, 0))
    assert (task.report.counts["task_0"], task.events[0][3]) == (6, (0, 6))
    assert task.names[1, 6] == "arm"


def test_time_goes_on_through_32_bits_and_steps_back_are_counted(tmp_path: Path) -> None:
    done = Imported(
        tmp_path,
        *(packed(ARRIVAL, at, 1) for at in (0, 0x7000_0000, 0xE000_0000, 0x10, 0x8)),
    )
    assert [event[0] for event in done.events] == [
        *(0, 0x7000_0000, 0xE000_0000, 0x1_0000_0010, 0x1_0000_0008),
    ]
    assert (done.report.counts["turns"], done.report.counts["first_turns"]) == (
        1,
        len(HEAD) + 4 * 16,
    )


def test_a_cut_record_and_what_is_behind_it_is_a_loss_that_nobody_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Imported(tmp_path, packed(ARRIVAL, 1, 3), packed(ARRIVAL, 2, 3)[:-1])
    assert (done.report.counts["unread"], done.report.counts["unread_byte"]) == (2, len(HEAD) + 16)
    assert done.balance.unknown_losses == 1
    assert "record 2 at byte 28" in done.notes[0]
    with TapeReader(tmp_path / "t.tape") as reader:
        assert not summary_of(reader).complete
    assert main(["import", "jtracer", str(tmp_path / "j"), "-o", str(tmp_path / "u")]) == 0
    said = capsys.readouterr()
    assert "1 records became 1 events" in said.out
    assert "record 2 at byte 28 is cut or invalid; it and all records after it" in said.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not a trace of JTracer"),
        (b"hello world, this is text", "is not a trace of JTracer"),
        (HEAD, "holds no record"),
        (HEAD + b"\0\0\0\1", "holds no record"),
    ],
)
def test_a_file_without_a_record_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "j").write_bytes(data)
    with pytest.raises(ForeignFile, match=said):
        import_jtracer(tmp_path / "j", tmp_path / "t.tape")
    assert not (tmp_path / "t.tape").exists()
    with pytest.raises(TapeMissing):
        import_jtracer(tmp_path / "none", tmp_path / "t.tape")


TASKS = st.integers(1, 5)
KINDS = st.sampled_from([ARRIVAL, SCHEDULE, DESCHEDULE, END, WAIT, SIGNAL, MISS])
STEPS = st.lists(
    st.tuples(KINDS, TASKS, st.integers(0, 3), st.integers(0, 9)),
    min_size=1,
    max_size=60,
)


@given(steps=STEPS)
def test_export_and_import_say_the_same(
    tmp_path: Path, steps: list[tuple[int, int, int, int]]
) -> None:
    """A file that our exporter can write survives import and export byte for byte."""
    path, again = tmp_path / "a.tape", tmp_path / "b.jtracer"
    first = tmp_path / "a.jtracer"
    data = as_exported(steps)
    assume(data != HEAD)
    first.write_bytes(data)
    import_jtracer(first, path)
    assert main(["export", "jtracer", "-q", str(path), "-o", str(again)]) == 0
    assert again.read_bytes() == first.read_bytes()


class Exporter:
    """Writes steps (kind, task, CPU, time since the previous step) as the exporter does."""

    def __init__(self) -> None:
        self.out, self._running = [HEAD], dict[int, int]()
        self._known: set[int] = set()
        self._missed: Counter[int] = Counter()
        self._at, self._last_cpu = 0, -1
        self._is_left = False

    def take(self, kind: int, task: int, wanted_cpu: int, step: int) -> None:
        # At one time, records are in order of CPUs; records without a CPU belong to CPU 0. A CPU
        # may get another task at the time at which one leaves, so no record may lie between.
        cpu = wanted_cpu if kind in {SCHEDULE, DESCHEDULE, END} else 0
        before = self._running.get(cpu)
        if (kind == DESCHEDULE and before is None) or (kind == SCHEDULE and before == task):
            return
        if self._last_cpu >= 0:
            self._at += step + (step == 0 and (cpu < self._last_cpu or self._is_left))
        self._last_cpu, self._is_left = cpu, kind == DESCHEDULE
        if kind in {SCHEDULE, DESCHEDULE} and before is not None:
            self._put(DESCHEDULE, self._running.pop(cpu), cpu)
        if kind != DESCHEDULE:
            self._name(task)
            self._say(kind, task, cpu)

    def _say(self, kind: int, task: int, cpu: int) -> None:
        if kind in {WAIT, SIGNAL}:
            name = f"lock {task}".encode()
            self._put(kind, task, 0x100 + task, len(name), tail=name)
            return
        self._put(kind, task, *([cpu] if kind in {SCHEDULE, END} else []))
        self._missed[task] += kind == MISS
        if kind == SCHEDULE:
            self._running[cpu] = task
        elif kind == END and self._running.get(cpu) == task:
            if self._missed[task]:
                self._missed[task] -= 1
                self._put(SCHEDULE, task, cpu)
            else:
                del self._running[cpu]

    def _name(self, task: int) -> None:
        if task not in self._known:
            self._known.add(task)
            self.out.append(named(task, f"task {task}", self._at))

    def _put(self, kind: int, task: int, *more: int, tail: bytes = b"") -> None:
        self.out.append(packed(kind, self._at, task, *more, tail=tail))


def as_exported(steps: list[tuple[int, int, int, int]]) -> bytes:
    exporter = Exporter()
    for step in steps:
        exporter.take(*step)
    return b"".join(exporter.out)


def test_a_task_that_is_late_goes_on_with_its_next_job(tmp_path: Path) -> None:
    """Normally no deschedule follows an end, but after a late job's end the task keeps the CPU."""
    file = tmp_path / "t.jtracer"
    tape = row_tape(tmp_path / "t.tape", LATE)
    assert main(["export", "jtracer", "-q", str(tape), "-o", str(file)]) == 0
    records = [(one.type, one.task) for one in read_jtracer(file) if one.type != NAME]
    for one, other in pairwise(records):
        assert not (one[0] == END and other == (DESCHEDULE, one[1]))
    at = next(place for place, one in enumerate(records) if one[0] == MISS)
    late = records[at][1]
    end = records.index((END, late), at)
    assert records[end + 1] == (SCHEDULE, late)


def test_a_job_ends_once_and_a_delay_ends_none(tmp_path: Path) -> None:
    sleeps = Row(199, (EventClass.KERCALL, KercallCall.THREAD_SLEEP), (10, 0))
    tape = row_tape(tmp_path / "t.tape", [*INVERSION, sleeps, state(200, NANOSLEEP, 2)])
    with TapeReader(tape) as reader:
        total = balance_of(reader).total
    assert total.offered == total.delivered > len(INVERSION)
    file = tmp_path / "t.jtracer"
    assert main(["export", "jtracer", "-q", str(tape), "-o", str(file)]) == 0
    ends = [(record.time_us, record.task) for record in read_jtracer(file) if record.type == END]
    assert ends == [(4, 3)]  # tick 100 at 25 MHz


def test_a_traced_kernel_comes_back_through_a_file(tape: Path) -> None:
    first, second = tape.with_name("1.jtracer"), tape.with_name("2.jtracer")
    again = tape.with_name("again.tape")
    assert main(["export", "jtracer", "-q", str(tape), "-o", str(first)]) == 0
    assert main(["import", "jtracer", "-q", str(first), "-o", str(again)]) == 0
    assert main(["export", "jtracer", "-q", str(again), "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    kinds = struct.unpack_from(">2I", first.read_bytes(), len(HEAD))
    assert kinds[1] == JtracerType.NAME
