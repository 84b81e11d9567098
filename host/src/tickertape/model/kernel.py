"""The kernel as the events tell it: threads with their names, and the time of each CPU.

    model = KernelModel(reader.names)
    for columns in iter_events(reader):
        model.feed(columns)
    tasks = model.finish().tasks

Memory depends on the number of threads, not of events. Time spent in interrupts counts for the
thread that was interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.payloads import padded, pieces_of
from tickertape.model.cpu_time import CpuTime
from tickertape.model.printable import printable
from tickertape.protocol.event_type import CODE_COUNT, event_code
from tickertape.protocol.events import EventClass, SchedEvent, ThreadEvent
from tickertape.protocol.wire import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from tickertape.decode.bodies import Name
    from tickertape.decode.events import EventColumns

    NamesOfEpoch = Callable[[int], Mapping[tuple[int, int], Name]]

CONTEXT_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
THREAD_CREATE: Final = event_code(EventClass.THREAD, ThreadEvent.CREATE)
THREAD_DESTROY: Final = event_code(EventClass.THREAD, ThreadEvent.DESTROY)
THREAD_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
IDLE_TID: Final = 0
_COMPARED_BYTES: Final = 40  # of the payload of a name; longer ones are looked at one by one
_RADIX_MAX: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Task:
    """One thread of one boot.

    Attributes:
        epoch: boot of the target within the tape.
        tid: its number. A number that is used again makes another task.
        name: what it calls itself; `thread <tid>` where nothing says so.
        run_ticks: its known running time on all CPUs.
    """

    epoch: int
    tid: int
    name: str
    run_ticks: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """What a tape tells about its kernel.

    Attributes:
        events: how many events were seen, of all streams.
        by_code: event counts by class << 10 | event.
        duration_ticks: from the first event to the last, summed over boots.
        tasks: all threads, the one that ran longest first.
        cpus: time of each (epoch, cpu).
    """

    events: int
    by_code: Mapping[int, int]
    duration_ticks: int
    tasks: tuple[Task, ...]
    cpus: Mapping[tuple[int, int], CpuTime]

    @property
    def known_ticks(self) -> int:
        """Time of all CPUs of which it is known who ran."""
        return sum(task.run_ticks for task in self.tasks)

    @property
    def unknown_ticks(self) -> int:
        """Time of all CPUs of which it is not known: around losses."""
        return sum(cpu.unknown_ticks for cpu in self.cpus.values())


@dataclass(slots=True)
class _Boot:
    """One boot of the target while it is read.

    A number belongs to one thread until that is destroyed. So a CREATE of a living number is no new
    thread: a stream that starts says of each thread that it exists. But the DESTROY may be lost, or
    have come while nothing was recorded; then another name after the CREATE shows it.

    Attributes:
        gone: numbers whose thread was destroyed.
        restated: numbers of which a CREATE was seen while their thread lived, as far as known.
    """

    epoch: int
    cpus: dict[int, CpuTime] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    restated: set[int] = field(default_factory=set)
    ended: list[Task] = field(default_factory=list)
    first: int | None = None
    last: int = 0

    def cpu(self, number: int) -> CpuTime:
        return self.cpus.setdefault(number, CpuTime())

    def take_run_ticks(self, tid: int) -> int:
        return sum(cpu.run_ticks.pop(tid, 0) for cpu in self.cpus.values())

    def create(self, tid: int) -> None:
        """A thread begins, or is said to exist."""
        if tid in self.gone:
            self._end(tid)
        elif tid in self.seen:
            self.restated.add(tid)
        self.seen.add(tid)

    def name(self, tid: int, text: str) -> None:
        """A thread has a name."""
        if tid in self.restated and self.names.get(tid, text) != text:
            self._end(tid)
        self.restated.discard(tid)
        self.seen.add(tid)
        self.names[tid] = text

    def destroy(self, tid: int) -> None:
        """A thread is gone; its number may be used again."""
        self.seen.add(tid)
        self.gone.add(tid)

    def _end(self, tid: int) -> None:
        """From here on the number is another thread's."""
        self.gone.discard(tid)
        name = self.names.pop(tid, _unnamed(tid))
        self.ended.append(Task(self.epoch, tid, name, self.take_run_ticks(tid)))

    def tasks(self, known: Mapping[tuple[int, int], Name]) -> list[Task]:
        """All threads; a name that an event said counts more than one of a NAME frame."""
        names = {
            id_: printable(name.text)
            for (kind, id_), name in known.items()
            if kind == ObjectKind.THREAD
        }
        names |= self.names
        ran = {tid for cpu in self.cpus.values() for tid in cpu.run_ticks}
        return self.ended + [
            Task(self.epoch, tid, names.get(tid) or _unnamed(tid), self.take_run_ticks(tid))
            for tid in sorted(ran | self.seen | set(names))
        ]


def _unnamed(tid: int) -> str:
    return "idle" if tid == IDLE_TID else f"thread {tid}"


class KernelModel:
    """Takes events in order of time; `finish` tells what they add up to."""

    def __init__(self, names: NamesOfEpoch, *, stream: int = 0) -> None:
        """Begin with nothing.

        Args:
            names: names of objects of a boot, as `TapeReader.names`.
            stream: context switches are taken from this stream only, since several streams may
                have the same ones.
        """
        self._names = names
        self._stream = stream
        self._boots: dict[int, _Boot] = {}
        self._by_code = np.zeros(CODE_COUNT, np.int64)

    def feed(self, columns: EventColumns) -> None:
        """Take the next events."""
        boot = self._boots.setdefault(columns.epoch, _Boot(columns.epoch))
        if len(columns):
            self._by_code += np.bincount(columns.code, minlength=CODE_COUNT)
            boot.first = int(columns.time[0]) if boot.first is None else boot.first
            boot.last = max(boot.last, int(columns.time[-1]))
        mine = columns.stream == self._stream
        gaps: dict[int, list[int]] = {}
        for gap in columns.gaps:
            if gap.stream == self._stream:
                gaps.setdefault(gap.row, []).append(gap.cpu)
        creates = np.flatnonzero(mine & (columns.code == THREAD_CREATE)).tolist()
        cuts = sorted({0, len(columns), *gaps, *creates})
        for begin, end in zip(cuts, [*cuts[1:], len(columns)], strict=True):
            for cpu in gaps.get(begin, ()):
                boot.cpu(cpu).gap()
            here = mine[begin:end]
            whole = slice(begin, end) if here.all() else np.flatnonzero(here) + begin
            _feed_stretch(boot, columns.take(whole))

    def finish(self) -> Kernel:
        """Count the time up to the last event of each CPU. Call once."""
        tasks: list[Task] = []
        for boot in self._boots.values():
            for cpu in boot.cpus.values():
                cpu.finish()
        cpus = {
            (boot.epoch, number): cpu
            for boot in self._boots.values()
            for number, cpu in boot.cpus.items()
        }
        for boot in self._boots.values():
            tasks += boot.tasks(self._names(boot.epoch))
        codes = np.flatnonzero(self._by_code)
        return Kernel(
            events=int(self._by_code.sum()),
            by_code={int(code): int(self._by_code[code]) for code in codes},
            duration_ticks=sum(boot.last - (boot.first or 0) for boot in self._boots.values()),
            tasks=tuple(sorted(tasks, key=lambda task: -task.run_ticks)),
            cpus=cpus,
        )


def _feed_stretch(boot: _Boot, columns: EventColumns) -> None:
    """Take events of one stream without a gap among them, a CREATE at most as the first."""
    if not len(columns):
        return
    code, cpu = columns.code, columns.cpu
    if code[0] == THREAD_CREATE:
        boot.create(int(columns.data1[0]))
    names = new_names(columns, np.flatnonzero(code == THREAD_NAME))
    for row in sorted([*names, *np.flatnonzero(code == THREAD_DESTROY).tolist()]):
        tid = int(columns.data1[row])
        if code[row] == THREAD_DESTROY:
            boot.destroy(tid)
        elif text := columns.event_at(row).text:
            boot.name(tid, printable(text))
    if (cpu == cpu[0]).all():
        _feed_cpu(boot.cpu(int(cpu[0])), columns)
        return
    for number in np.unique(cpu).tolist():
        _feed_cpu(boot.cpu(number), columns.take(np.flatnonzero(cpu == number)))


def _feed_cpu(cpu: CpuTime, columns: EventColumns) -> None:
    """Take events of one CPU, at least one."""
    switches = np.flatnonzero(columns.code == CONTEXT_SWITCH)
    cpu.feed(
        int(columns.time[0]),
        int(columns.time[-1]),
        columns.time.take(switches),
        columns.data0.take(switches),
        columns.data1.take(switches),
    )


def new_names(columns: EventColumns, rows: NDArray[np.intp]) -> list[int]:
    """Leave out rows of THREAD NAME whose thread said the same in its NAME before.

    Separates repeated names of a thread, all rows at once.
    """
    threads = columns.data1[rows]
    if len(rows) and threads.max() <= _RADIX_MAX:
        threads = threads.astype(np.uint16)  # numpy sorts these in one pass
    order = rows[np.argsort(threads, kind="stable")]
    sizes = columns.payload_bytes[order].astype(np.int64)
    begins = columns.payload_offset[order]
    same = (columns.data1[order][1:] == columns.data1[order][:-1]) & (sizes[1:] == sizes[:-1])
    same &= (begins[1:] >= 0) & (begins[:-1] >= 0) & (sizes[1:] <= _COMPARED_BYTES)
    payload = padded(columns.payload, _COMPARED_BYTES)
    pieces = pieces_of(payload, np.maximum(begins, 0), sizes, _COMPARED_BYTES // 8)
    for number in range(pieces.shape[1]):
        same &= pieces[1:, number] == pieces[:-1, number]
    return [*order[:1].tolist(), *order[1:][~same].tolist()]
