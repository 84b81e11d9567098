"""Find the time from which on a thread runs that was woken before its switch.

A thread waits, and before the kernel switches to another thread an interrupt or another CPU gives
it what it waits for. The kernel then goes on with it, and records no switch. The first event that
only the running thread can cause proves it. The thread runs since it was made ready or, if an
interrupt ended after that, since the end of the interrupt.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from tickertape.model.processes import Processes
from tickertape.model.transitions import State
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    CommEvent,
    EventClass,
    KercallCall,
    RunnableEvent,
    SchedEvent,
    SyncEvent,
    ThreadEvent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.model.parts import Process

_ANY: Final = -1
_OTHER_STATES: Final = {
    ThreadEvent.RUNNING,
    ThreadEvent.READY,
    ThreadEvent.STOPPED,
}
_LAST_STATE: Final = 20


def _evidence() -> dict[int, int]:
    thread, sync = EventClass.THREAD, EventClass.SYNC
    states = set(range(_LAST_STATE + 1)) - _OTHER_STATES
    return {
        **{event_code(thread, state): 1 for state in states},
        event_code(EventClass.SCHED, SchedEvent.COMPLETION): 0,
        event_code(sync, SyncEvent.MUTEX_LOCK_GRANTED): 1,
        event_code(sync, SyncEvent.MUTEX_UNLOCK): 1,
        event_code(sync, SyncEvent.MUTEX_LOCK_DENIED): _ANY,
        event_code(sync, SyncEvent.SEM_WAIT_GRANTED): _ANY,
        event_code(sync, SyncEvent.SEM_WAIT_BLOCKED): 1,
        event_code(sync, SyncEvent.COND_WAIT): _ANY,
        event_code(sync, SyncEvent.FLAGS_WAIT): _ANY,
        event_code(EventClass.KERCALL, KercallCall.FLAGS_WAIT): _ANY,
        event_code(EventClass.KERCALL, KercallCall.MSG_SENDV): _ANY,
        event_code(EventClass.KERCALL, KercallCall.SCHED_YIELD): _ANY,
        event_code(EventClass.COMM, CommEvent.SMSG): _ANY,
        event_code(EventClass.COMM, CommEvent.RMSG): _ANY,
        event_code(EventClass.RUNNABLE, RunnableEvent.BEGIN): _ANY,
        event_code(EventClass.RUNNABLE, RunnableEvent.END): _ANY,
    }


EVIDENCE: Final[Mapping[int, int]] = _evidence()
"""Event types that only a running thread causes, by class << 10 | event: the word that has the
number of that thread, or -1 if the event names none."""


class RunningEvidence(Processes):
    """The part of `Follower` that finds threads that run without a context switch."""

    def _note_quiet(self, tid: int, thread: Process) -> None:
        """Note that a thread is ready again, perhaps before its core has switched."""
        core = thread.core
        if core is not None and core.left == tid:
            core.quiet = int(self._columns.time[self._row])

    def _note_interrupt_end(self) -> None:
        core = self._core()
        if core.left and len(core.stack) == 1:
            core.quiet = int(self._columns.time[self._row])

    def _prove(self, code: int, words: tuple[int, int]) -> None:
        """Let the thread that the core has run on, if an event shows that it runs."""
        core = self._core()
        place = EVIDENCE[code]
        if place != _ANY and words[place] != core.left:
            return
        thread = self._threads.get(core.left)
        if thread is None or thread.core is not core or len(core.stack) != 1:
            return
        if core.stack[0] is not None or thread.state not in {State.READY, State.ACTIVE}:
            return
        begin, ticks = len(self.found), core.quiet
        core.stack[0], core.left = thread, 0
        self._run(thread, core)
        core.since = ticks
        self._backdate(begin, ticks)

    @abstractmethod
    def _backdate(self, begin: int, ticks: int) -> None:
        """Set the time of the transitions since index `begin`."""
