"""The arrows of one board between its rows, from the transitions of the kernel model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.answers.observed import Observed
from tickertape.model.entities import Kind
from tickertape.model.transitions import NOT_KNOWN, Action
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SyncEvent
from tickertape.view.arrow_log import ARROW, Arrow
from tickertape.view.rows import NO_ROW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, Structured
    from tickertape.model.transitions import Transitions
    from tickertape.view.arrow_log import ArrowLog
    from tickertape.view.axis import Place

_INHERIT: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_INHERIT)
_RESTORE: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_RESTORE)
_CPU_BITS: Final = 40
_CPUS: Final = 256  # values of a u8 column
_ITEM: Final = np.dtype(
    [
        ("key", "<i8"),
        ("time", "<i8"),
        ("row", "<i4"),
        ("via", "<i4"),
        ("value", "<i4"),
        ("begins", "?"),
        ("ends", "?"),
        ("alone", "?"),
    ]
)
"""Half of an arrow; the next half with the same key is the other one. `alone`: without the other
half, the arrow is shown with an unknown end."""


@dataclass(frozen=True, slots=True)
class Step:
    """The transitions of a board in a chunk, with their rows on the timeline.

    Columns have one entry per transition.

    Attributes:
        transitions: transitions of the chunk.
        time: time of the transition, ns on the axis.
        kept: whether the transition counts.
        kind: kind of its entity.
        row: row of its entity.
        source: row of its source.
        object: row of its object.
        holder: row of the holder of a lock after the transition.
        since: time at which that holder got the lock, ns on the axis.
        changes: keys of the events that change which process has a CPU, ascending, and the row of
            that process.
        tasks: rows of tasks by thread number; NO_ROW if several tasks have the number.
    """

    transitions: Transitions
    time: I64
    kept: NDArray[np.bool_]
    kind: I64
    row: I64
    source: I64
    object: I64
    holder: I64
    since: I64
    changes: tuple[I64, I64]
    tasks: Mapping[int, int]


def key_of(cpu: NDArray[np.integer], row: I64) -> I64:
    """Return a key of an event: ascending by CPU, then by the event's place in its chunk."""
    found: I64 = cpu.astype(np.int64) << _CPU_BITS | row
    return found


class BoardArrows:
    """Derives the arrows of one board, boot by boot."""

    def __init__(self, log: ArrowLog) -> None:
        """Set the log; `begin` starts a boot."""
        self._log = log

    def begin(self, place: Place) -> None:
        """Begin a boot."""
        self._place = place
        self._first = self._log.count
        self._observed = Observed()
        self._on_cpu = np.full(_CPUS, NO_ROW, np.int64)
        self._awaited: dict[int, int] = {}
        self._locks, self._messages = _Halves(Arrow.LOCK), _Halves(Arrow.MESSAGE)
        self._raised = _Halves(Arrow.RAISED)

    def feed(self, columns: EventColumns, times: I64, step: Step) -> None:
        """Add the arrows of the next events; `times`: time of each event on the axis, ns."""
        self._observed.feed(columns)
        self._handovers(step)
        self._waits(step)
        self._sent(step)
        self._priorities(columns, times, step.tasks)
        self._wakes(step)  # last, because at equal times the other arrows explain more

    def finish(self, begin: int, end: int) -> None:
        """End the boot, given its first and last time on the axis, ns."""
        for halves in (self._locks, self._messages, self._raised):
            self._log.append(halves.rest(end))
        hidden = [
            (self._place.ns_of(one.begin), self._place.ns_of(one.end))
            for one in self._observed.unknown()
            if one.cls == EventClass.INT
        ]
        if not self._observed.has(EventClass.INT):
            hidden = [(begin - 1, end + 1)]
        self._log.forget_wakers(self._first, hidden)

    def _wakes(self, step: Step) -> None:
        """Add WAKE: the process on the CPU that reports the end of a wait has ended it."""
        t = step.transitions
        is_task = step.kept & (step.kind == Kind.TASK)
        at = np.flatnonzero(is_task & (t.action == Action.RELEASE))
        via = self._what_was_awaited(step, is_task)
        keys, rows = step.changes
        waker = self._on_cpu[t.cpu[at]]
        if len(keys):
            place = np.searchsorted(keys, key_of(t.cpu[at], t.row[at]), "right") - 1
            known = (place >= 0) & (keys[np.maximum(place, 0)] >> _CPU_BITS == t.cpu[at])
            waker = np.where(known, rows[np.maximum(place, 0)], waker)
            last = np.flatnonzero(np.diff(keys >> _CPU_BITS, append=-1))
            self._on_cpu[keys[last] >> _CPU_BITS] = rows[last]
        self._log.add(
            Arrow.WAKE,
            from_=waker,
            to=step.row[at],
            via=via,
            begin=step.time[at],
            end=step.time[at],
        )

    def _what_was_awaited(self, step: Step, is_task: NDArray[np.bool_]) -> I64:
        """Return for each end of a wait the row of the object that the task waited for."""
        t = step.transitions
        ends = t.action == Action.RELEASE
        at = np.flatnonzero(is_task & (ends | (t.action == Action.WAIT)))
        at = at[np.argsort(t.entity[at], kind="stable")]
        entity = t.entity[at]
        awaited = np.where(ends[at], NO_ROW, step.object[at])
        starts = np.diff(entity, prepend=-1) != 0
        before = np.roll(awaited, 1)
        before[starts] = [self._awaited.get(one, NO_ROW) for one in entity[starts].tolist()]
        lasts = np.diff(entity, append=-1) != 0
        self._awaited.update(zip(entity[lasts].tolist(), awaited[lasts].tolist(), strict=True))
        found = np.full(len(t), NO_ROW, np.int64)
        found[at] = before
        return found[np.flatnonzero(is_task & ends)]

    def _handovers(self, step: Step) -> None:
        """Add LOCK: from the process that gives a lock back to the one that gets it next."""
        t = step.transitions
        is_lock = step.kept & ((step.kind == Kind.MUTEX) | (step.kind == Kind.SPINLOCK))
        gives, waited = t.action == Action.GIVE, t.action == Action.ASSIGN
        takes = waited | (t.action == Action.TAKE) | (t.action == Action.GRANT)
        at = np.flatnonzero(is_lock & (gives | takes | (t.action == Action.LOSE)))
        items = _items(step, at, t.entity[at].astype(np.int64), step.row[at])
        items["begins"], items["ends"] = gives[at], takes[at]
        # A waiting task gets the lock from its last holder; without counts it may not have waited.
        items["alone"] = waited[at] & (t.value[at] != NOT_KNOWN)
        found = self._locks.feed(items)
        self._log.append(found[found["from"] != found["to"]])

    def _waits(self, step: Step) -> None:
        """Add BLOCKED: a task that has to wait for a lock depends on its holder."""
        t = step.transitions
        queues = (t.action == Action.QUEUE) | (t.action == Action.LINE_UP)
        at = np.flatnonzero(step.kept & (step.kind == Kind.MUTEX) & queues & (step.source >= 0))
        self._log.add(
            Arrow.BLOCKED,
            from_=step.source[at],
            to=step.holder[at],
            via=step.row[at],
            begin=np.where(step.holder[at] >= 0, step.since[at], step.time[at]),
            end=step.time[at],
        )

    def _sent(self, step: Step) -> None:
        """Add MESSAGE and REPLY. Only messages have numbers; a reply names its receiver."""
        t = step.transitions
        sends, gets = t.action == Action.SEND, t.action == Action.RECEIVE
        at = np.flatnonzero(step.kept & (sends | gets) & (t.value != NOT_KNOWN))
        items = _items(step, at, t.value[at], step.row[at])
        items["begins"], items["ends"], items["alone"] = sends[at], gets[at], True
        self._log.append(self._messages.feed(items))
        at = np.flatnonzero(step.kept & ((t.action == Action.REPLY) | (t.action == Action.FAIL)))
        self._log.add(
            Arrow.REPLY,
            from_=step.source[at],
            to=step.object[at],
            via=step.row[at],
            begin=step.time[at],
            end=step.time[at],
        )

    def _priorities(self, columns: EventColumns, times: I64, tasks: Mapping[int, int]) -> None:
        """Add RAISED: an inherited priority lasts until the next one or the end of inheritance."""
        raises = columns.code == _INHERIT
        at = np.flatnonzero(raises | (columns.code == _RESTORE))
        rows = [tasks.get(tid, NO_ROW) for tid in columns.data0[at].tolist()]
        items = np.zeros(len(at), _ITEM)
        items["key"], items["row"], items["via"] = rows, rows, NO_ROW
        items["time"], items["value"] = times[at], columns.data1[at].view(np.int32)
        items["begins"], items["ends"], items["alone"] = raises[at], True, raises[at]
        self._log.append(self._raised.feed(items[items["row"] != NO_ROW]))


def _items(step: Step, at: NDArray[np.integer], key: I64, via: I64) -> Structured:
    """Build halves from transitions: row of the source, time, and via."""
    items = np.zeros(len(at), _ITEM)
    items["key"], items["via"] = key, via
    items["row"], items["time"], items["value"] = step.source[at], step.time[at], NO_ROW
    return items


class _Halves:
    """Joins halves of arrows of one kind in one boot."""

    def __init__(self, kind: Arrow) -> None:
        self._kind = kind
        self._open = np.zeros(0, _ITEM)

    def feed(self, items: Structured) -> Structured:
        """Add halves in the order of the tape; return the arrows that they complete."""
        every = np.concatenate([self._open, items])
        if not len(items):
            return self._arrows(every[:0], every[:0])
        every = every[np.argsort(every["key"], kind="stable")]
        is_last = np.diff(every["key"], append=every["key"][-1] - 1) != 0
        one, two = every[:-1], every[1:]
        follows = ~is_last[:-1]
        joined = follows & one["begins"] & two["ends"]
        without_end = np.append(~joined, True) & every["begins"] & every["alone"] & ~is_last
        without_begin = np.insert(~joined, 0, True) & every["ends"] & every["alone"]
        without_begin &= ~every["begins"]
        self._open = every[is_last & every["begins"]]
        ends, begins = every[without_end], every[without_begin]
        return np.concatenate(
            [
                self._arrows(one[joined], two[joined]),
                self._arrows(ends, self._unknown(ends)),
                self._arrows(self._unknown(begins), begins),
            ]
        )

    def rest(self, end: int) -> Structured:
        """Return the arrows that are still open at the end of the boot."""
        left = self._open[self._open["alone"]]
        unknown = self._unknown(left)
        if self._kind is Arrow.RAISED:
            unknown["time"] = end
        return self._arrows(left, unknown)

    def _arrows(self, one: Structured, two: Structured) -> Structured:
        found = np.zeros(len(one), ARROW)
        found["kind"] = self._kind
        found["from"], found["to"] = one["row"], two["row"]
        found["via"] = np.where(one["via"] >= 0, one["via"], two["via"])
        found["value"] = one["value"]
        found["begin"], found["end"] = one["time"], np.maximum(two["time"], one["time"])
        return found

    @staticmethod
    def _unknown(known: Structured) -> Structured:
        found = known.copy()
        found["row"] = NO_ROW
        return found
