"""Writes the execution of tasks as a Kiwi display: intervals, marks and texts on lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.formats.ktrace.events import (
    ACTIVATION,
    COMPLETION,
    COND_BROADCAST,
    COND_SIGNAL,
    COND_WAIT,
    DEADLINE_MISS,
    DENIED,
    GRANTED,
    OVERHEAD_BEGIN,
    OVERHEAD_END,
    SWITCH,
    TRIED,
    UNLOCK,
    thing,
)
from tickertape.formats.ktrace.kiwi import LINE_LIMIT, KiwiType, event_line, word
from tickertape.model.codes import IDLE_TID
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from typing import TextIO

    from tickertape.decode.events import Event
    from tickertape.printing.walk import Walk

_RUNNING, _READY, _LAST_STATE = 1, 2, 20
_MARKS: Final = {
    ACTIVATION: KiwiType.START,
    COMPLETION: KiwiType.STOP,
    DEADLINE_MISS: KiwiType.DEADLINE,
}
_OWNED: Final = {GRANTED: KiwiType.LOCK, UNLOCK: KiwiType.UNLOCK}
# Events shown on the line of the running thread.
_TOLD: Final = {
    DENIED: KiwiType.BLOCK,
    TRIED: KiwiType.TEXTUNDER,
    COND_WAIT: KiwiType.ARROWDOWN,
    COND_SIGNAL: KiwiType.ARROWUP,
    COND_BROADCAST: KiwiType.ARROWUP,
}
_COLORS: Final = {
    KiwiType.LOCK: "blue",
    KiwiType.UNLOCK: "blue",
    KiwiType.BLOCK: "red",
    KiwiType.TEXTUNDER: "red",
    KiwiType.ARROWDOWN: "darkgreen",
    KiwiType.ARROWUP: "darkgreen",
}


def _key(tid: int, cpu: int) -> int:
    """Return the key of a thread; idle threads share a number, so their key has the CPU."""
    return -1 - cpu if tid == IDLE_TID else tid


class Display:
    """Writes the events of a display file, in order of time.

    Attributes:
        lines: names of display lines, by number.
        last_ns: time of the last line written.
    """

    def __init__(self, file: TextIO, *, cpus: int) -> None:
        """Create an empty display.

        Args:
            file: receives the events.
            cpus: number of CPUs; each has a line for kernel overhead.
        """
        self._file = file
        self.lines = {cpu: "kernel" if cpus == 1 else f"kernel{cpu}" for cpu in range(cpus)}
        self.last_ns = 0
        self._cpus = cpus
        self._line_of: dict[int, int] = {}
        self._homeless: set[int] = set()
        self._running: dict[int, int] = {}  # thread by CPU
        self._ready: set[int] = set()  # ready threads: open intervals, and running ones
        self._overhead: set[int] = set()  # CPUs in kernel overhead

    @property
    def tasks_left_out(self) -> int:
        """Number of tasks without a display line, because all lines are used."""
        return len(self._homeless)

    def show(self, ns: int, event: Event, tid: int | None, walk: Walk) -> None:
        """Write an event, unless the display cannot show its type.

        Args:
            ns: time since the begin; a time before `last_ns` is replaced by that.
            event: event of any class.
            tid: the running thread; None when unknown.
            walk: provides the names.
        """
        kind = event.cls << 10 | event.event
        first, second = (*event.words, 0, 0)[:2]
        if kind == SWITCH:
            self._switch(ns, event.cpu, _key(second, event.cpu), walk)
        elif kind in {OVERHEAD_BEGIN, OVERHEAD_END}:
            self._kernel(ns, event.cpu, begins=kind == OVERHEAD_BEGIN)
        elif kind in _MARKS:
            self._mark(ns, _MARKS[kind], first, walk)
        elif kind in _OWNED:
            self._text(ns, _OWNED[kind], _key(second, event.cpu), thing(first, walk), walk)
        elif kind in _TOLD and tid is not None:
            tid = _key(tid, event.cpu)
            self._text(ns, _TOLD[kind], tid, thing(first, walk), walk)
        elif event.cls == EventClass.THREAD and event.event <= _LAST_STATE:
            self._state(ns, event, second, walk)

    def lose(self, ns: int, count: int) -> None:
        """End all intervals and draw a vertical line with the number of missing records."""
        self._end_all(ns)
        self._write(ns, KiwiType.VLINE, word(f"lost_{count}"), "red")

    def ends(self) -> str:
        """Return lines that end the open intervals at the time of the last event."""
        running = set(self._running.values())
        ends = [(KiwiType.EXEC_E, cpu) for cpu in sorted(self._overhead)]
        ends += [
            (KiwiType.EXEC_E if tid in running else KiwiType.READY_E, self._line_of[tid])
            for tid in sorted(self._ready | running)
            if tid in self._line_of
        ]
        return "".join(event_line(self.last_ns, kind, line) for kind, line in ends)

    def finish(self) -> None:
        """End the open intervals at the time of the last event."""
        self._end_all(self.last_ns)

    def _end_all(self, ns: int) -> None:
        self.last_ns = max(self.last_ns, ns)
        self._file.write(self.ends())
        self._overhead.clear()
        self._running.clear()
        self._ready.clear()

    def _switch(self, ns: int, cpu: int, tid: int, walk: Walk) -> None:
        before = self._running.pop(cpu, None)
        if before == tid:
            self._running[cpu] = tid
            return
        if before is not None:
            self._interval(ns, KiwiType.EXEC_E, before)
            if before in self._ready:
                self._interval(ns, KiwiType.READY_B, before)
        self._begin(ns, cpu, tid, walk)

    def _begin(self, ns: int, cpu: int, tid: int, walk: Walk) -> None:
        for other in [one for one, runs in self._running.items() if runs == tid]:
            del self._running[other]  # its CPU reports this later, or the record was lost
            self._interval(ns, KiwiType.EXEC_E, tid)
        if tid in self._ready:
            self._ready.discard(tid)
            self._interval(ns, KiwiType.READY_E, tid)
        self._find_line(tid, walk)
        self._running[cpu] = tid
        self._interval(ns, KiwiType.EXEC_B, tid)

    def _state(self, ns: int, event: Event, tid: int, walk: Walk) -> None:
        tid = _key(tid, event.cpu)
        runs = tid in self._running.values()
        self._find_line(tid, walk)
        if event.event == _RUNNING:  # only in the state dump
            if not runs and event.cpu not in self._running:
                self._begin(ns, event.cpu, tid, walk)
        elif event.event == _READY:
            if not runs and tid not in self._ready:
                self._interval(ns, KiwiType.READY_B, tid)
            self._ready.add(tid)
        elif tid in self._ready:
            self._ready.discard(tid)
            if not runs:
                self._interval(ns, KiwiType.READY_E, tid)

    def _kernel(self, ns: int, cpu: int, *, begins: bool) -> None:
        if begins == (cpu in self._overhead) or cpu not in self.lines:
            return
        self._write(ns, KiwiType.EXEC_B if begins else KiwiType.EXEC_E, cpu)
        if begins:
            self._overhead.add(cpu)
        else:
            self._overhead.discard(cpu)

    def _mark(self, ns: int, kind: KiwiType, tid: int, walk: Walk) -> None:
        line = self._find_line(tid, walk)
        if line is not None:
            self._write(ns, kind, line)

    def _text(self, ns: int, kind: KiwiType, tid: int, text: str, walk: Walk) -> None:
        line = self._find_line(tid, walk)
        if line is not None:
            self._write(ns, kind, line, word(text), _COLORS[kind])

    def _interval(self, ns: int, kind: KiwiType, tid: int) -> None:
        line = self._line_of.get(tid)
        if line is not None:
            self._write(ns, kind, line)

    def _find_line(self, tid: int, walk: Walk) -> int | None:
        """Return the display line of a thread, a new one if needed; None when all are used."""
        line = self._line_of.get(tid)
        if line is None and tid not in self._homeless:
            if len(self.lines) == LINE_LIMIT:
                self._homeless.add(tid)
                return None
            line = len(self.lines)
            self._line_of[tid] = line
        if line is not None:
            self.lines[line] = self._name(tid, walk)
        return line

    def _name(self, tid: int, walk: Walk) -> str:
        if tid >= 0:
            return walk.task(tid) or f"task {tid}"
        name = walk.task(IDLE_TID) or "idle"
        return name if self._cpus == 1 else f"{name}{-1 - tid}"

    def _write(self, ns: int, kind: KiwiType, *arguments: int | str) -> None:
        self.last_ns = max(self.last_ns, ns)  # times in a display must not step back
        self._file.write(event_line(self.last_ns, kind, *arguments))
