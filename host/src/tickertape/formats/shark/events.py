"""Maps events of the S.Ha.R.K. tracer to events of a tape; docs/shark.md has the table.

    numbers, words = SharkView().records(columns)

Numbers, classes and structures are those of its `include/trace/types.h`. Each event has four bytes
of data: here one word, in the byte order of a little-endian machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.running import UNKNOWN, RunningThreads
from tickertape.protocol.events import (
    EventClass,
    IntEvent,
    KercallCall,
    KercallKind,
    SchedEvent,
    SyncEvent,
    ThreadEvent,
    TrcEvent,
)
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import U16, U32, U64

CLASS_NAMES: Final = ("TRACER", "SYSTEM", "USER", "LL", "SEM")
_CLASS_BEGINS: Final = (0x00, 0x02, 0x0B, 0x13, 0x14, 0x17)
_NO_EVENT: Final = 1 << 16
EVENT_NAMES: Final = (
    *("TRC_RESERVED", "TRC_HOOPS"),
    *("TRC_CREATE", "TRC_ACTIVATE", "TRC_SCHEDULE", "TRC_DELAY", "TRC_SLEEP", "TRC_ENDCYCLE"),
    *("TRC_DESTROY", "TRC_INTACTIVATION", "TRC_DISABLE"),
    *(f"TRC_USER{number}" for number in range(8)),
    "TRC_INTR",
    *("TRC_SEM_WAIT", "TRC_SEM_WAITNB", "TRC_SEM_SIGNAL"),
)
NUMBER: Final = {name: number for number, name in enumerate(EVENT_NAMES)}
SYSTEM, SEM = 1, 4

_EXCEPTIONS_BEFORE_IRQ_0: Final = 16
_NOBODY: Final = 0xFFFF
_HALF: Final = np.uint32(16)
_LOW: Final = np.uint32(0xFFFF)


def event_class(number: int, added: Sequence[int] = ()) -> int | None:
    """Return the class of an event; None for an event of the application without a class.

    Args:
        number: number of the event.
        added: first event of each class that the application added (TRC_EXTRA_CLASSES), ascending.
    """
    begins = (*_CLASS_BEGINS, *added, _NO_EVENT)
    for cls, (begin, end) in enumerate(pairwise(begins)):
        if begin <= number < end:
            # The added classes may begin later than the classes of the tracer end.
            of_tracer = len(_CLASS_BEGINS) - 1
            return None if cls == of_tracer else cls - (cls > of_tracer)
    return None


def event_name(number: int) -> str:
    """Return the name of an event: `TRC_SCHEDULE`; `TRC_77` for an event of the application."""
    return EVENT_NAMES[number] if 0 <= number < len(EVENT_NAMES) else f"TRC_{number}"


def _code(cls: int, event: int) -> int:
    return cls << CLASS_SHIFT | event


def _entry(call: KercallCall) -> int:
    return _code(EventClass.KERCALL, call + KercallKind.ENTER)


# Kernel events, by class << 10 | event. The task is in word 0 or 1.
_TASK_IN_0: Final = {
    _code(EventClass.SCHED, SchedEvent.ACTIVATION): "TRC_ACTIVATE",
    _code(EventClass.SCHED, SchedEvent.COMPLETION): "TRC_ENDCYCLE",
}
_TASK_IN_1: Final = {
    _code(EventClass.THREAD, ThreadEvent.CREATE): "TRC_CREATE",
    _code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH): "TRC_SCHEDULE",
    _code(EventClass.THREAD, ThreadEvent.STOPPED): "TRC_SLEEP",
    _code(EventClass.THREAD, ThreadEvent.DESTROY): "TRC_DESTROY",
}
# The sleep call, not the state of the thread, because a wait for the period is not a delay.
_DELAY: Final = _entry(KercallCall.THREAD_SLEEP)
_INTERRUPT: Final = _code(EventClass.INT, IntEvent.ENTRY)
_ACTIVATION: Final = _code(EventClass.SCHED, SchedEvent.ACTIVATION)
_INTERRUPT_ACTIVATION: Final = _code(EventClass.TRC, TrcEvent.INTACTIVATION)
_OF_KERNEL: Final = 1 << 31  # bit of its second word, above the instance
_SEMAPHORES: Final = {
    _entry(KercallCall.SYNC_SEM_WAIT): "TRC_SEM_WAIT",
    _entry(KercallCall.SYNC_SEM_TRYWAIT): "TRC_SEM_WAITNB",
    _code(EventClass.SYNC, SyncEvent.SEM_SIGNAL): "TRC_SEM_SIGNAL",
}
_ANY_CODE: Final = 1 << 16

HAS_HALVES: Final = np.isin(
    np.arange(1 << 16),
    [number for number in range(len(EVENT_NAMES)) if event_class(number) in {SYSTEM, SEM}],
)
"""Whether the four bytes of an event are two 16-bit numbers, by event number. In class TRC of a
tape, each number has a word."""


def _table(names: dict[int, str]) -> NDArray[np.int32]:
    table = np.full(_ANY_CODE, -1, np.int32)
    for code, name in names.items():
        table[code] = NUMBER[name]
    return table


_NUMBER_OF: Final = _table(
    {**_TASK_IN_0, **_TASK_IN_1, **_SEMAPHORES, _INTERRUPT: "TRC_INTR", _DELAY: "TRC_DELAY"},
)
_NUMBER_OF[_code(EventClass.TRC, 0) : _code(EventClass.TRC, EVENT_MASK) + 1] = np.arange(
    EVENT_MASK + 1
)
_FROM_0: Final = np.isin(np.arange(_ANY_CODE), list(_TASK_IN_0))
_FROM_1: Final = np.isin(np.arange(_ANY_CODE), list(_TASK_IN_1))
_IS_SEM: Final = np.isin(np.arange(_ANY_CODE), list(_SEMAPHORES))


def micros(ticks: U64, tick_hz: int) -> U32:
    """Convert ticks to the times of the tracer: microseconds modulo 2^32, rounded down."""
    hz, second = np.uint64(tick_hz), np.uint64(1_000_000)
    whole = ticks // hz * second + ticks % hz * second // hz
    out: U32 = whole.astype(np.uint32)
    return out


@dataclass(frozen=True, slots=True)
class SharkRecords:
    """Events of the S.Ha.R.K. tracer, as columns of equal length.

    Attributes:
        rows: rows of the original events.
        number: number of the event, u16.
        word: its four bytes of data, u32.
        repeated: number of activations left out, because an INTACTIVATION already reports them.
    """

    rows: NDArray[np.intp]
    number: U16
    word: U32
    repeated: int


class SharkView:
    """Converts events of a tape to events of the S.Ha.R.K. tracer, chunk by chunk."""

    def __init__(self) -> None:
        """Create a view without known threads."""
        self._running = RunningThreads()
        self._activations: dict[int, int] = {}  # by CPU: activation in the last INTACTIVATION

    def records(self, columns: EventColumns) -> SharkRecords:
        """Convert events; those without a counterpart in the tracer are left out."""
        running = self._running.column(columns)
        number = _NUMBER_OF[columns.code]
        repeated = self._leave_out_repeated(columns, number)
        rows = np.flatnonzero(number >= 0)
        code = columns.code[rows]
        word = columns.data0[rows].copy()
        second = columns.data1[rows]
        word[_FROM_0[code]] &= _LOW
        word[_FROM_1[code]] = second[_FROM_1[code]] & _LOW
        word[code == _INTERRUPT] -= np.uint32(_EXCEPTIONS_BEFORE_IRQ_0)
        task = np.where(running == UNKNOWN, _NOBODY, running)[rows].astype(np.uint32) & _LOW
        word[code == _DELAY] = task[code == _DELAY]
        is_sem = _IS_SEM[code]
        word[is_sem] = (word[is_sem] << _HALF) | task[is_sem]
        in_two = (code >> np.uint16(CLASS_SHIFT) == EventClass.TRC) & HAS_HALVES[number[rows]]
        word[in_two] = (second[in_two] << _HALF) | (word[in_two] & _LOW)
        return SharkRecords(rows, number[rows].astype(np.uint16), word, repeated)

    def _leave_out_repeated(self, columns: EventColumns, number: NDArray[np.int32]) -> int:
        """Clear the number of activations that an INTACTIVATION already reports; count them."""
        repeated = 0
        by_interrupt = (columns.code == _INTERRUPT_ACTIVATION) & (columns.data1 >= _OF_KERNEL)
        if not self._activations and not by_interrupt.any():
            return repeated
        for row in np.flatnonzero(by_interrupt | (columns.code == _ACTIVATION)).tolist():
            cpu, task = int(columns.cpu[row]), int(columns.data0[row]) & 0xFFFF
            second = int(columns.data1[row])
            if by_interrupt[row]:
                self._activations[cpu] = second & 0xFFFF0000 | task
            elif self._activations.pop(cpu, 0) == (_OF_KERNEL | (second & 0x7FFF) << 16 | task):
                number[row] = -1
                repeated += 1
        return repeated
