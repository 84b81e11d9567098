"""The changes of a system: actions, states, and columns of both.

An event of the software (`EventColumns`) reports what a kernel or application did; a transition
reports what that means for one entity: which state it leaves, which it enters, and who
is the cause. The words are those of the Best Trace Format where it has one.

The state machines are tables. What is not in a table cannot happen to an entity whose state is
known; from UNKNOWN every action leads to the state that it leads to from elsewhere.
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
"""In `source` and `object`: no entity, or an unknown one."""

NOT_KNOWN: Final = -1
"""In `value`: there is none, or it is unknown."""


class State(IntEnum):
    """States of all kinds of entities."""

    UNKNOWN = 0
    """Unknown, as a rule because records are missing."""
    TERMINATED = 1
    """Process, runnable: this instance has ended, or has not begun."""
    ACTIVE = 2
    """Process: activated, did not run yet."""
    RUNNING = 3
    """Process: has a core. Runnable: is executed."""
    READY = 4
    """Process: could go on; where it was FOUND, perhaps without having run before."""
    WAITING = 5
    """Process: waits without a core."""
    SUSPENDED = 6
    """Runnable: its process has no core."""
    FREE = 7
    """Semaphore, mutex: it is free. Core: it is idle."""
    USED = 8
    """Semaphore: taken, and there is more. Core: a process has it, or the kernel."""
    FULL = 9
    """Semaphore, mutex: nothing is left, no process waits."""
    OVERFULL = 10
    """Semaphore, mutex: nothing is left and a process waits."""
    POLLING = 11
    """Process: has a core and spins, until what it waits for is there."""
    PARKING = 12
    """Process: has lost its core while it was POLLING."""


ON_CORE: Final = frozenset({State.RUNNING, State.POLLING})
"""States of a process that has a core."""

OFF_CORE: Final = frozenset({State.ACTIVE, State.READY, State.WAITING, State.PARKING})
"""States of a process that lives and has no core."""


class Action(IntEnum):
    """What happens to an entity."""

    FOUND = 0
    """An event shows its state again, or for the first time; when it entered it is unknown."""
    LOSE = 1
    """Records are missing or the target was reset: its state is unknown from here on."""
    ACTIVATE = 2
    """Process: a new instance; the source is a stimulus."""
    START = 3
    """Process: runs for the first time. Runnable: a new instance; the source is its process."""
    PREEMPT = 4
    """Process: loses its core to another one or to an interrupt."""
    RESUME = 5
    """Process: has a core again. Runnable: goes on."""
    TERMINATE = 6
    """Process, runnable: this instance ends."""
    WAIT = 7
    """Process: waits; value: event number of the wait (class THREAD), object: the awaited one."""
    RELEASE = 8
    """Process: waits no longer."""
    STOP = 9
    """Process: was ready and is suspended by a call; its state stays."""
    CONTINUE = 10
    """Process: such a suspension ends."""
    SUSPEND = 11
    """Runnable: its process loses the core."""
    TRIGGER = 12
    """Stimulus: happens; the source is the causing process, NO_ENTITY for time and hardware."""
    SCHEDULE = 13
    """Scheduler: chooses who runs."""
    SCHEDULE_POINT = 14
    """Scheduler: a process asks for it."""
    TAKE = 15
    """Semaphore, mutex: a process asks and gets it; value: count of all that have it or wait."""
    QUEUE = 16
    """Semaphore, mutex, spin lock: a process asks and has to wait; value: the count."""
    GIVE = 17
    """Semaphore, mutex: given back; value: the count."""
    ASSIGN = 18
    """Semaphore, mutex: goes to a process that waited, and was counted then; while counts are not
    known, to one that waited or asks."""
    GRANT = 19
    """Mutex: goes back to a process that comes from a condition; value: the count. Spin lock: a
    process that polled for it takes it."""
    LEAVE = 20
    """Semaphore, mutex, spin lock: a process gives up waiting; value: the count."""
    REFUSE = 21
    """Semaphore, mutex: a process asks and will not wait."""
    WAIT_EVENT = 22
    """OS event (event flags, condition): a process waits for it; value: the bits."""
    SET_EVENT = 23
    """OS event: is set; object: for whom; value: the bits."""
    CLEAR_EVENT = 24
    """OS event: is cleared; value: the bits."""
    READ = 25
    """Signal: is read; value: what was read."""
    WRITE = 26
    """Signal: is written; value: what was written."""
    SEND = 27
    """Channel: a message or pulse is sent; value: pairs it with RECEIVE, or NOT_KNOWN."""
    RECEIVE = 28
    """Channel: a message or pulse is received."""
    REPLY = 29
    """Channel: an answer is sent; object: to whom."""
    FAIL = 30
    """Channel: an error is sent as the answer; object: to whom."""
    LINE_UP = 31
    """Mutex: a process that comes from a condition has to wait for it; value: the count."""
    OWN = 32
    """Domain: a process is known to be one of its own; object: which one."""
    CALL = 33
    """Domain: one of its processes enters the kernel; value: which call."""
    RETURN = 34
    """Domain: the kernel returns to it; value: the result, 32 bits without a sign."""
    FAULT = 35
    """Domain: one of its processes touches what is not its own; value: the address."""
    IDLE = 36
    """Core: no process needs it."""
    WORK = 37
    """Core: it is idle no longer."""
    POLL = 38
    """Process: begins to spin; object: what for, NO_ENTITY when unknown."""
    RUN = 39
    """Process: what it polled for is there."""
    PARK = 40
    """Process: loses its core while it polls."""
    POLL_PARKING = 41
    """Process: has a core again, and goes on polling."""
    RELEASE_PARKING = 42
    """Process: what it polled for is there, and it has no core."""
    EXCEED = 43
    """Process: is not activated, because it has as many activations as it may; the source is a
    stimulus. The instance is one that never begins."""
    ABORT = 44
    """Process: another one ends it while it has no core."""


StateMachine = Mapping[tuple[State, Action], State]
"""Which state an action leads to from which."""

PROCESS_STATES: Final[StateMachine] = {
    (State.TERMINATED, Action.ACTIVATE): State.ACTIVE,
    (State.TERMINATED, Action.EXCEED): State.TERMINATED,
    (State.ACTIVE, Action.START): State.RUNNING,
    (State.RUNNING, Action.PREEMPT): State.READY,
    (State.READY, Action.RESUME): State.RUNNING,
    (State.RUNNING, Action.WAIT): State.WAITING,
    (State.WAITING, Action.RELEASE): State.READY,
    (State.RUNNING, Action.TERMINATE): State.TERMINATED,
    (State.ACTIVE, Action.STOP): State.ACTIVE,
    (State.ACTIVE, Action.CONTINUE): State.ACTIVE,
    (State.READY, Action.STOP): State.READY,
    (State.READY, Action.CONTINUE): State.READY,
    (State.RUNNING, Action.POLL): State.POLLING,
    (State.POLLING, Action.RUN): State.RUNNING,
    (State.POLLING, Action.PARK): State.PARKING,
    (State.PARKING, Action.POLL_PARKING): State.POLLING,
    (State.PARKING, Action.RELEASE_PARKING): State.READY,
    (State.ACTIVE, Action.ABORT): State.TERMINATED,
    (State.READY, Action.ABORT): State.TERMINATED,
    (State.WAITING, Action.ABORT): State.TERMINATED,
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
"""Cores. UNKNOWN: who has it is unknown."""


def contradicts(table: StateMachine, before: State, action: Action, after: State) -> bool:
    """Return whether an entity in a known state cannot do that."""
    if State.UNKNOWN in {before, after} or action is Action.FOUND:
        return False
    return table.get((before, action)) is not after


def semaphore_state(count: int, limit: int) -> State:
    """Return the state of a semaphore or mutex.

    Args:
        count: how many processes have it or wait for it.
        limit: how many can have it at a time.
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
        row: i64, index of the event in the `EventColumns` that were fed; their length
            for losses after the last of them.
        time: u64, ticks of that event. LOSE has the time of the last record before the gap; what is
            lost while other CPUs go on has the time of the last event that it was known at.
        cpu: u8, which CPU recorded it.
        entity: i32, whom it happens to: index into `SystemModel.entities`.
        instance: u32, which instance of it, counted from 0; 0 where there is only one.
        action: u8, `Action`.
        before: u8, `State` it leaves.
        after: u8, `State` it enters.
        source: i32, the cause: index into the entities, or NO_ENTITY. For a process it is its
            core, except for ACTIVATE and EXCEED.
        source_instance: u32, which instance of that.
        object: i32, another entity, see `Action`, or NO_ENTITY.
        value: i64, a number, see `Action`, or NOT_KNOWN.
        table: the same columns as one structured array, where the compiled part made them.
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
        """Count them."""
        return len(self.row)

    def contiguous(self) -> Transitions:
        """Return them with each column in one piece: faster to work on than columns of `table`."""
        names = [one.name for one in fields(self) if one.name != "table"]
        return Transitions(
            **{name: np.ascontiguousarray(getattr(self, name)) for name in names}, table=self.table
        )

    def packed(self) -> NDArray[np.void]:
        """Return them as one structured array, `TRANSITION`: `table` where it is there."""
        if self.table is not None:
            return self.table
        table = np.empty(len(self), TRANSITION)
        for name in TRANSITION.names or ():
            table[name] = getattr(self, name)
        return table


def of_table(table: NDArray[np.void]) -> Transitions:
    """Make columns of a structured array that has them."""
    names = [one.name for one in fields(Transitions) if one.name != "table"]
    return Transitions(**{name: table[name] for name in names}, table=table)


_UNPOLLED_STATES: Final = np.arange(len(State), dtype=np.uint8)
_UNPOLLED_STATES[[State.POLLING, State.PARKING]] = State.RUNNING, State.READY
_UNPOLLED_ACTIONS: Final = np.arange(len(Action), dtype=np.uint8)
_UNPOLLED_ACTIONS[[Action.PARK, Action.POLL_PARKING]] = Action.PREEMPT, Action.RESUME


_POLLING_ACTIONS: Final = [Action.POLL, Action.RUN, Action.RELEASE_PARKING, Action.EXCEED]


def is_scheduled(found: Transitions) -> NDArray[np.bool_]:
    """Return which transitions `scheduled` keeps."""
    return ~np.isin(found.action, _POLLING_ACTIONS)


def scheduled(found: Transitions) -> Transitions:
    """Return transitions as a scheduler has them: who polls is RUNNING, who is parked is READY.

    Everything that answers who had a core takes these. Transitions that then change nothing are
    left out, and so are activations that a process did not get.
    """
    is_usual = not len(found) or (
        max(found.before.max(), found.after.max()) < State.POLLING
        and found.action.max() < Action.POLL
    )
    if is_usual:
        return found
    table = found.packed()[is_scheduled(found)]
    table["before"] = _UNPOLLED_STATES[table["before"]]
    table["after"] = _UNPOLLED_STATES[table["after"]]
    table["action"] = _UNPOLLED_ACTIONS[table["action"]]
    return of_table(table)


Fields = tuple[int, int, int, int, int, int, int, int, int, int, int]
"""One transition while it is gathered: row, CPU, entity, instance, action, before, after, source,
source instance, object, value."""


def gathered(found: list[Fields], columns: EventColumns, lost: Mapping[int, int]) -> Transitions:
    """Make columns of single transitions.

    Args:
        found: the transitions, in order.
        columns: the events that their rows refer to.
        lost: times of LOSE, by index in `found`, where they are known.
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
