"""State changes of a system: states, actions, state machines, and transitions as columns.

An event (`EventColumns`) reports what a kernel or application did. A transition reports the effect
on one entity: the state before, the state after, and the cause. States and actions have the names
of the Best Trace Format where it has one.

The state machines are tables. An action that the table does not have cannot happen to an entity in
a known state. From UNKNOWN, an action leads to the same state as from a known state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.interface import TRANSITION

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns

NO_ENTITY: Final = -1
"""Value of `source` and `object`: no entity, or an unknown one."""

NOT_KNOWN: Final = -1
"""Value of `value`: no value, or an unknown one."""


class State(IntEnum):
    """States of all kinds of entities."""

    UNKNOWN = 0
    """Unknown, usually because records are missing."""
    TERMINATED = 1
    """Process, runnable: this instance has ended, or has not begun."""
    ACTIVE = 2
    """Process: activated, has not run yet."""
    RUNNING = 3
    """Process: has a core. Runnable: is executing."""
    READY = 4
    """Process: ready to continue. After FOUND it may not have run yet."""
    WAITING = 5
    """Process: waits without a core."""
    SUSPENDED = 6
    """Process: suspended by a call, neither ready nor waiting. Runnable: its process has no
    core."""
    FREE = 7
    """Semaphore, mutex: free. Core: idle."""
    USED = 8
    """Semaphore: taken, and permits are left. Core: a process or the kernel uses it."""
    FULL = 9
    """Semaphore, mutex: no permit is left, no process waits."""
    OVERFULL = 10
    """Semaphore, mutex: no permit is left and a process waits."""
    POLLING = 11
    """Process: has a core and spins until the object that it waits for is available."""
    PARKING = 12
    """Process: lost its core while POLLING."""
    CREATED = 13
    """Task: created and not started; it has no instance yet."""
    ENDED = 14
    """Task: its thread has ended or was destroyed; what it held stays locked."""


ON_CORE: Final = frozenset({State.RUNNING, State.POLLING})
"""States of a process that has a core."""

OFF_CORE: Final = frozenset(
    {State.ACTIVE, State.READY, State.WAITING, State.SUSPENDED, State.PARKING}
)
"""States of a process that has an instance and no core."""

WITHOUT_INSTANCE: Final = frozenset({State.UNKNOWN, State.TERMINATED, State.CREATED, State.ENDED})
"""States of a process in which an activation begins its next instance."""


class Action(IntEnum):
    """Actions on entities."""

    FOUND = 0
    """An event shows the state, again or for the first time; when the state began is unknown."""
    LOSE = 1
    """Records are missing or the target was reset: the state is unknown from here on."""
    ACTIVATE = 2
    """Process: a new instance; the source is a stimulus."""
    START = 3
    """Process: runs for the first time. Runnable: a new instance; the source is its process."""
    PREEMPT = 4
    """Process: loses its core to another one or to an interrupt."""
    RESUME = 5
    """Process: has a core again. Runnable: continues."""
    TERMINATE = 6
    """Process, runnable: this instance ends."""
    WAIT = 7
    """Process: waits; value: event number of the wait (class THREAD); object: awaited entity."""
    RELEASE = 8
    """Process: stops waiting."""
    STOP = 9
    """Process: a call suspends it, itself included. A wait that ends at the same time, because the
    process is given what it waits for, ends with it."""
    CONTINUE = 10
    """Process: its suspension ends, and it is ready; value: `State` in which it was suspended."""
    SUSPEND = 11
    """Runnable: its process loses the core."""
    TRIGGER = 12
    """Stimulus: occurs; the source is the causing process, NO_ENTITY for time and hardware."""
    SCHEDULE = 13
    """Scheduler: chooses the next process."""
    SCHEDULE_POINT = 14
    """Scheduler: a process asks it to choose."""
    TAKE = 15
    """Semaphore, mutex: a process requests and gets it; value: holders and waiters afterwards."""
    QUEUE = 16
    """Semaphore, mutex, spin lock: a process requests it and has to wait; value: see TAKE."""
    GIVE = 17
    """Semaphore, mutex: a process releases it; value: see TAKE."""
    ASSIGN = 18
    """Semaphore, mutex: a waiting process gets it; the number of holders and waiters stays the
    same. While counts are unknown: a process that waits for it or requests it gets it."""
    GRANT = 19
    """Mutex: a process gets it again after it waited for a condition; value: see TAKE. Spin lock: a
    process that polled for it gets it."""
    LEAVE = 20
    """Semaphore, mutex, spin lock: a process stops waiting without it; value: see TAKE."""
    REFUSE = 21
    """Semaphore, mutex: a process requests it without waiting and does not get it."""
    WAIT_EVENT = 22
    """OS event (event flags, condition): a process waits for it; value: the bits."""
    SET_EVENT = 23
    """OS event: is set; object: the process that it is set for; value: the bits."""
    CLEAR_EVENT = 24
    """OS event: is cleared; value: the bits."""
    READ = 25
    """Signal: is read; value: the value read."""
    WRITE = 26
    """Signal: is written; value: the value written."""
    SEND = 27
    """Channel: a message or pulse is sent; value: number of the message, same as in RECEIVE, or
    NOT_KNOWN."""
    RECEIVE = 28
    """Channel: a message or pulse is received."""
    REPLY = 29
    """Channel: an answer is sent; object: the receiver."""
    FAIL = 30
    """Channel: an error is sent as the answer; object: the receiver."""
    LINE_UP = 31
    """Mutex: a process waits for it again after it waited for a condition; value: see TAKE."""
    OWN = 32
    """Domain: a process belongs to it; object: the process."""
    CALL = 33
    """Domain: one of its processes enters the kernel; value: number of the call."""
    RETURN = 34
    """Domain: the kernel returns to it; value: the result as an unsigned 32-bit number."""
    FAULT = 35
    """Domain: one of its processes accesses memory that it may not; value: the address."""
    IDLE = 36
    """Core: becomes idle."""
    WORK = 37
    """Core: stops being idle."""
    POLL = 38
    """Process: begins to spin; object: the entity that it spins for, NO_ENTITY if unknown."""
    RUN = 39
    """Process: stops spinning, because the object that it polled for is available."""
    PARK = 40
    """Process: loses its core while it polls."""
    POLL_PARKING = 41
    """Process: has a core again and continues to poll."""
    RELEASE_PARKING = 42
    """Process: the object that it polled for is available while the process has no core."""
    EXCEED = 43
    """Process: is not activated, because it has the maximum number of activations; the source is a
    stimulus. The instance never begins."""
    ABORT = 44
    """Process: another process ends it while it has no core."""
    CREATE = 45
    """Task: its thread is created; of no instance."""
    END = 46
    """Task: its thread ends or is destroyed, after TERMINATE or ABORT; of no instance."""
    REACTIVATE = 47
    """Process: its suspension ends, and it has not run yet."""
    BEGIN_JOB = 48
    """Process: its instance is a job from here on, and what it did before is not; see `jobs`."""
    NO_JOB = 49
    """Process: its instance is not a job."""
    CANCEL = 50
    """Process: its thread ends; the instance and later ones will not be completed."""


OF_LIVES: Final = frozenset({Action.CREATE, Action.END})
"""Actions of the life of a thread. Their transitions belong to no instance."""

MARKS: Final = frozenset({Action.BEGIN_JOB, Action.NO_JOB, Action.CANCEL})
"""Actions that distinguish jobs from other instances of a process; they change no state."""


StateMachine = Mapping[tuple[State, Action], State]
"""Maps (state before, action) to the state after."""

PROCESS_STATES: Final[StateMachine] = {
    (State.TERMINATED, Action.ACTIVATE): State.ACTIVE,
    (State.TERMINATED, Action.EXCEED): State.TERMINATED,
    (State.ACTIVE, Action.START): State.RUNNING,
    (State.RUNNING, Action.PREEMPT): State.READY,
    (State.READY, Action.RESUME): State.RUNNING,
    (State.RUNNING, Action.WAIT): State.WAITING,
    (State.WAITING, Action.RELEASE): State.READY,
    (State.RUNNING, Action.TERMINATE): State.TERMINATED,
    (State.ACTIVE, Action.STOP): State.SUSPENDED,
    (State.READY, Action.STOP): State.SUSPENDED,
    (State.RUNNING, Action.STOP): State.SUSPENDED,
    (State.WAITING, Action.STOP): State.SUSPENDED,
    (State.SUSPENDED, Action.CONTINUE): State.READY,
    (State.SUSPENDED, Action.REACTIVATE): State.ACTIVE,
    (State.RUNNING, Action.POLL): State.POLLING,
    (State.POLLING, Action.RUN): State.RUNNING,
    (State.POLLING, Action.PARK): State.PARKING,
    (State.PARKING, Action.POLL_PARKING): State.POLLING,
    (State.PARKING, Action.RELEASE_PARKING): State.READY,
    (State.ACTIVE, Action.ABORT): State.TERMINATED,
    (State.READY, Action.ABORT): State.TERMINATED,
    (State.WAITING, Action.ABORT): State.TERMINATED,
    (State.SUSPENDED, Action.ABORT): State.TERMINATED,
    (State.CREATED, Action.END): State.ENDED,
    (State.TERMINATED, Action.END): State.ENDED,
    **{(state, mark): state for state in (*ON_CORE, *OFF_CORE) for mark in MARKS},
}
"""Tasks and interrupts."""

RUNNABLE_STATES: Final[StateMachine] = {
    (State.TERMINATED, Action.START): State.RUNNING,
    (State.RUNNING, Action.SUSPEND): State.SUSPENDED,
    (State.SUSPENDED, Action.RESUME): State.RUNNING,
    (State.RUNNING, Action.TERMINATE): State.TERMINATED,
}

CORE_STATES: Final[StateMachine] = {
    (State.FREE, Action.WORK): State.USED,
    (State.USED, Action.IDLE): State.FREE,
}
"""Cores. UNKNOWN: whether and by what the core is used is unknown."""


def contradicts(table: StateMachine, before: State, action: Action, after: State) -> bool:
    """Return whether `table` does not have this transition between two known states."""
    if State.UNKNOWN in {before, after} or action is Action.FOUND:
        return False
    return table.get((before, action)) is not after


def semaphore_state(count: int, limit: int) -> State:
    """Return the state of a semaphore or mutex.

    Args:
        count: number of holders and waiters.
        limit: maximum number of holders.
    """
    if count == 0:
        return State.FREE
    if count < limit:
        return State.USED
    return State.FULL if count == limit else State.OVERFULL


@dataclass(frozen=True, eq=False)
class Transitions:
    """Transitions as columns of equal length, in order.

    Attributes:
        row: i64, index of the event in the `EventColumns` passed to `feed`; their length for losses
            after the last row.
        time: u64, ticks of that event. LOSE has the time of the last record before the gap. A
            process lost while other CPUs record events has the time of the last event at which it
            was known. START and RESUME of a process that was woken before its switch have the
            time from which on it runs, see `running_evidence`.
        cpu: u8, CPU that recorded the event.
        entity: i32, index of the changed entity in `SystemModel.entities`.
        instance: u32, instance of the entity, from 0; 0 for entities without instances.
        action: u8, `Action`.
        before: u8, `State` before.
        after: u8, `State` after.
        source: i32, the cause: index into the entities, or NO_ENTITY. For a process it is its
            core, except for ACTIVATE and EXCEED.
        source_instance: u32, instance of the source.
        object: i32, another entity, see `Action`, or NO_ENTITY.
        value: i64, a number, see `Action`, or NOT_KNOWN.
        table: the same columns as one structured array, if the compiled part made them.
    """

    row: NDArray[np.int64]
    time: NDArray[np.uint64]
    cpu: NDArray[np.uint8]
    entity: NDArray[np.int32]
    instance: NDArray[np.uint32]
    action: NDArray[np.uint8]
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    source: NDArray[np.int32]
    source_instance: NDArray[np.uint32]
    object: NDArray[np.int32]
    value: NDArray[np.int64]
    table: NDArray[np.void] | None = None

    def __len__(self) -> int:
        """Return the number of transitions."""
        return len(self.row)

    def contiguous(self) -> Transitions:
        """Return the transitions with contiguous columns, faster than the columns of `table`."""
        names = [one.name for one in fields(self) if one.name != "table"]
        return Transitions(
            **{name: np.ascontiguousarray(getattr(self, name)) for name in names}, table=self.table
        )

    def packed(self) -> NDArray[np.void]:
        """Return one structured array of type `TRANSITION`: `table` if set, else a new one."""
        if self.table is not None:
            return self.table
        table = np.empty(len(self), TRANSITION)
        for name in TRANSITION.names or ():
            table[name] = getattr(self, name)
        return table


def of_table(table: NDArray[np.void]) -> Transitions:
    """Return the columns of a structured array of type `TRANSITION`, without a copy."""
    names = [one.name for one in fields(Transitions) if one.name != "table"]
    return Transitions(**{name: table[name] for name in names}, table=table)


_UNPOLLED_STATES: Final = np.arange(len(State), dtype=np.uint8)
_UNPOLLED_STATES[[State.POLLING, State.PARKING]] = State.RUNNING, State.READY
_UNPOLLED_ACTIONS: Final = np.arange(len(Action), dtype=np.uint8)
_UNPOLLED_ACTIONS[[Action.PARK, Action.POLL_PARKING]] = Action.PREEMPT, Action.RESUME


_POLLING_STATES: Final = [State.POLLING, State.PARKING]
_POLLING_ACTIONS: Final = [Action.POLL, Action.RUN, Action.RELEASE_PARKING, Action.EXCEED]


def _is_polling(found: Transitions) -> NDArray[np.bool_]:
    """Return which transitions `scheduled` removes or changes."""
    polls = np.isin(found.before, _POLLING_STATES) | np.isin(found.after, _POLLING_STATES)
    polls |= found.action == Action.EXCEED
    return polls


def is_scheduled(found: Transitions) -> NDArray[np.bool_]:
    """Return which transitions `scheduled` keeps."""
    return ~np.isin(found.action, _POLLING_ACTIONS)


def scheduled(found: Transitions) -> Transitions:
    """Return the transitions in terms of a scheduler: POLLING is RUNNING, PARKING is READY.

    Use it for every question about who had a core. It removes transitions that then change no
    state, and activations that were refused (EXCEED).
    """
    is_usual = not len(found) or (
        max(found.before.max(), found.after.max()) < State.POLLING
        and found.action.max() < Action.POLL
    )
    if is_usual or not _is_polling(found).any():
        return found
    table = found.packed()[is_scheduled(found)]
    table["before"] = _UNPOLLED_STATES[table["before"]]
    table["after"] = _UNPOLLED_STATES[table["after"]]
    table["action"] = _UNPOLLED_ACTIONS[table["action"]]
    return of_table(table)


Fields = tuple[int, int, int, int, int, int, int, int, int, int, int]
"""One transition, before `gathered` makes columns: row, CPU, entity, instance, action, before,
after, source, source instance, object, value."""


def gathered(found: list[Fields], columns: EventColumns, lost: Mapping[int, int]) -> Transitions:
    """Make columns from single transitions.

    Args:
        found: the transitions, in order.
        columns: the events that their rows refer to.
        lost: known times of LOSE in ticks, by index in `found`.
    """
    table = np.array(found, np.int64).reshape(-1, 11).T
    row = table[0]
    time = np.zeros(len(row), np.uint64)
    if len(columns):
        time[:] = columns.time[np.minimum(row, len(columns) - 1)]
    for index, ticks in lost.items():
        time[index] = ticks
    return Transitions(
        row=row,
        time=time,
        cpu=table[1].astype(np.uint8),
        entity=table[2].astype(np.int32),
        instance=table[3].astype(np.uint32),
        action=table[4].astype(np.uint8),
        before=table[5].astype(np.uint8),
        after=table[6].astype(np.uint8),
        source=table[7].astype(np.int32),
        source_instance=table[8].astype(np.uint32),
        object=table[9].astype(np.int32),
        value=table[10],
    )
