"""Follow shared objects: mutexes, semaphores, OS events, signals, messages, stimuli.

The model counts holders and waiters of a mutex, and of a semaphore if the target reported its limit
(`parent` of its name); a missing permit counts as taken. Without a limit the count is unknown, but
the state is known: whether permits are left and whether a process waits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.parts import Core, Lock, Process
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, OFF_CORE, ON_CORE, Action, State
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    CommEvent,
    DomainEvent,
    EventClass,
    IrqstateEvent,
    KercallCall,
    SchedEvent,
    SignalEvent,
    SyncEvent,
    ThreadEvent,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Fields

_MUTEX_REFUSED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_TRY_REFUSED)
_DOMAIN_ACTIONS: Final = {
    event_code(EventClass.DOMAIN, DomainEvent.SYSCALL_ENTER): Action.CALL,
    event_code(EventClass.DOMAIN, DomainEvent.SYSCALL_EXIT): Action.RETURN,
    event_code(EventClass.DOMAIN, DomainEvent.FAULT): Action.FAULT,
}
_REPLY: Final = event_code(EventClass.COMM, CommEvent.REPLY)


class Objects(ABC):
    """The part of `Follower` that handles shared objects."""

    def __init__(self, entities: Entities) -> None:
        """Start with nothing known."""
        self.entities = entities
        self.found: list[Fields] = []
        self._names = Names({})
        self._columns: EventColumns
        self._row = self._cpu = self._code = 0
        self._counts: dict[int, int] = {}
        self._threads: dict[int, Process] = {}
        self._interrupts: dict[int, Process] = {}
        self._cores: dict[int, Core] = {}
        self._locks: dict[int, Lock] = {}
        # The process that waited last for an OS event, by entity.
        self._owners: dict[int, Process] = {}
        # Channel of each message without an answer yet, by message number.
        self._messages: dict[int, int] = {}
        # If the last event of a CPU was a stimulus: the cause it names, or the timer that expired.
        self._stimuli: dict[int, Process] = {}
        self._expired: dict[int, Process] = {}
        # True while no record since the start of the boot is missing.
        self._is_whole = False

    def _next(self, entity: int) -> int:
        """Return the number of a new instance of an entity."""
        number = self._counts.get(entity, 0)
        self._counts[entity] = number + 1
        return number

    def _other(self, kind: Kind, number: int) -> int:
        return self.entities.other(kind, number, self._names)

    def _core(self) -> Core:
        found = self._cores.get(self._cpu)
        if found is None:
            found = Core(self._cpu, self._other(Kind.CORE, self._cpu))
            self._cores[self._cpu] = found
        return found

    def _running(self) -> Process | None:
        """Return the process that runs on the event's CPU; None if none or unknown."""
        top = self._core().top
        return top if top is not None and top.state in ON_CORE else None

    @abstractmethod
    def _thread(self, tid: int) -> Process:
        """Return the state of a thread; create it at the first mention."""

    @abstractmethod
    def _poll(self, process: Process, lock: Lock | None) -> None:
        """Note that a process begins to poll, for a spin lock or for the object it waits for."""

    @abstractmethod
    def _end_poll(self, process: Process) -> None:
        """Note that a process stops polling, because the object is available."""

    def _add(  # noqa: PLR0913 - the columns of a transition
        self,
        action: Action,
        entity: int,
        before: State,
        after: State,
        cause: Process | None,
        *,
        instance: int = 0,
        object_: int = NO_ENTITY,
        value: int = NOT_KNOWN,
    ) -> None:
        """Add a transition caused by a process."""
        source, source_instance = (
            (NO_ENTITY, 0) if cause is None else (cause.entity, cause.instance)
        )
        self.found.append(
            (
                *(self._row, self._cpu, entity, instance, action, before, after),
                *(source, source_instance, object_, value),
            )
        )

    def _note(
        self,
        action: Action,
        entity: int,
        *,
        cause: Process | None = None,
        object_: int = NO_ENTITY,
        value: int = NOT_KNOWN,
    ) -> None:
        """Add a transition of an entity without states; default cause: the running process."""
        unknown = State.UNKNOWN
        cause = cause or self._running()
        self._add(action, entity, unknown, unknown, cause, object_=object_, value=value)

    def _lose_objects(self) -> None:
        for lock in self._locks.values():
            lock.taken = lock.waiting = None
            self._lose_state(lock)
        self._owners.clear()
        self._messages.clear()

    def _lose_state(self, lock: Lock) -> None:
        if lock.state is not State.UNKNOWN:
            self._add(Action.LOSE, lock.entity, lock.state, State.UNKNOWN, None)
            lock.state = State.UNKNOWN

    # Mutexes and semaphores ------------------------------------------------------------------

    def _lock(self, kind: Kind, address: int) -> Lock:
        entity = self._other(kind, address)
        found = self._locks.get(entity)
        if found is None:
            limit = self._names.limit(address) if kind is Kind.SEMAPHORE else 1
            found = self._locks[entity] = Lock(entity, limit)
            if self._is_whole and not any(thread.is_vague for thread in self._threads.values()):
                found.waiting = 0
        return found

    def _lock_does(self, action: Action, lock: Lock, cause: Process | None) -> None:
        """Add a transition of a lock whose counts are already those after the event."""
        before, lock.state = lock.state, lock.state_by_counts
        self._add(action, lock.entity, before, lock.state, cause, value=lock.count)

    def _know(self, lock: Lock, taken: int, waiting: int | None) -> None:
        """Set the counts of a lock to those that the event proves for the time before it."""
        if lock.taken == taken and lock.waiting == waiting:
            return
        lock.taken, lock.waiting = taken, waiting
        if lock.state is not lock.state_by_counts:
            self._lock_does(Action.FOUND, lock, None)

    def _know_shared(self, lock: Lock, left: int, count: int) -> bool:
        """Set the counts after an event if woken processes explain them; see `Lock.share`."""
        wanting = sum(thread.wanted is lock for thread in self._threads.values())
        return lock.share(wanting, left, count)

    def _queue(self, lock: Lock, thread: Process | None, action: Action = Action.QUEUE) -> None:
        if thread is not None and thread.wanted is lock:
            return  # it was woken, another process was faster, and it keeps waiting
        self._know(lock, lock.all, lock.waiting)
        if thread is not None:
            thread.wanted = lock
        if lock.waiting is not None:
            lock.waiting += 1
        self._lock_does(action, lock, thread)

    def _leave_queue(self, lock: Lock, thread: Process) -> None:
        thread.wanted = None
        if lock.waiting:
            lock.waiting -= 1

    def _on_granted(self, address: int, tid: int) -> None:
        lock, thread = self._lock(Kind.MUTEX, address), self._thread(tid)
        thread.relock = None
        if thread.wanted is lock:
            self._leave_queue(lock, thread)
            lock.taken = 1
            self._lock_does(Action.ASSIGN, lock, thread)
        elif lock.waiting is None and (thread.is_vague or thread.state is State.WAITING):
            lock.taken = 1
            self._lock_does(Action.ASSIGN, lock, thread)
        else:
            # The running process requested and got the mutex, so no other process waits, except
            # woken ones that have not run yet.
            takes = self._running() is thread
            if not (takes and lock.waiting and self._know_shared(lock, 0, lock.count + 1)):
                self._know(lock, 0, 0 if takes or lock.waiting is None else lock.waiting)
                lock.taken = 1
            self._lock_does(Action.TAKE if takes else Action.GRANT, lock, thread)

    def _on_denied(self, address: int, _owner: int) -> None:
        self._queue(self._lock(Kind.MUTEX, address), self._running())

    def _on_unlock(self, address: int, tid: int) -> None:
        lock = self._lock(Kind.MUTEX, address)
        self._know(lock, 1, lock.waiting)
        lock.taken = 0  # a woken process counts as waiting until its grant is traced
        thread = self._thread(tid)
        # A thread without a core is being ended by the running process, which releases its mutex.
        cause = self._running() if thread.state in OFF_CORE else thread
        self._lock_does(Action.GIVE, lock, cause)

    def _on_refused(self, address: int, _owner: int) -> None:
        kind = Kind.MUTEX if self._code == _MUTEX_REFUSED else Kind.SEMAPHORE
        lock = self._lock(kind, address)
        self._know(lock, lock.all, lock.waiting)
        self._lock_does(Action.REFUSE, lock, self._running())

    def _on_permit(self, address: int, left: int) -> None:
        lock, thread = self._lock(Kind.SEMAPHORE, address), self._running()
        if thread is not None and thread.wanted is lock:
            thread.wanted = None
            self._lock_does(Action.ASSIGN, lock, thread)
        elif (thread is None or thread.is_vague) and lock.taken in {None, lock.taken_with(left)}:
            # The thread may have waited: then the counts stay. If permits are left, none waits.
            if left:
                lock.taken, lock.waiting = lock.taken_with(left), 0
            self._lock_does(Action.ASSIGN, lock, thread)
        else:
            before = lock.taken_with(left + 1)
            is_plain = (lock.taken, lock.waiting) == (before, 0)
            if is_plain or not self._know_shared(lock, left, lock.count + 1):
                self._know(lock, before, 0)
                lock.taken = lock.taken_with(left)
            self._lock_does(Action.TAKE, lock, thread)

    def _waiter(self, tid: int) -> Process | None:
        """Return the thread that waits; for 0 the running process, such as an interrupt."""
        return self._thread(tid) if tid else self._running()

    def _on_no_permit(self, address: int, tid: int) -> None:
        self._queue(self._lock(Kind.SEMAPHORE, address), self._waiter(tid))

    def _on_post(self, address: int, count: int) -> None:
        lock = self._lock(Kind.SEMAPHORE, address)
        if count:
            before = lock.taken_with(count - 1)
            is_plain = (lock.taken, lock.waiting) == (before, 0)
            if is_plain or not self._know_shared(lock, count, lock.count - 1):
                self._know(lock, before, 0)
                lock.taken = lock.taken_with(count)
        else:
            self._know(lock, lock.all, lock.waiting)
            if lock.waiting:
                lock.waiting -= 1  # its new owner reports it when it runs
        self._lock_does(Action.GIVE, lock, self._running())

    def _on_spin_lock(self, address: int, _ip: int) -> None:
        lock, process = self._lock(Kind.SPINLOCK, address), self._running()
        self._know(lock, 0, 0)
        lock.taken = 1
        if process is None or process.polls is not lock:
            self._lock_does(Action.TAKE, lock, process)
            return
        self._lock_does(Action.GRANT, lock, process)
        process.polls = None
        self._end_poll(process)

    def _on_spin_wait(self, address: int, _ip: int) -> None:
        """Note that a process polls. The lock does not count it: others may take the lock first."""
        process = self._running()
        lock = self._lock(Kind.SPINLOCK, address) if address else None
        if lock is not None:
            self._lock_does(Action.QUEUE, lock, process)
        if process is not None:
            self._poll(process, lock)

    def _on_spin_end(self, _address: int, tid: int) -> None:
        process = self._threads.get(tid) if tid else self._running()
        if process is not None and process.state in {State.POLLING, State.PARKING}:
            self._end_poll(process)

    def _on_spin_unlock(self, address: int, _ip: int) -> None:
        lock = self._lock(Kind.SPINLOCK, address)
        self._know(lock, 1, 0)
        lock.taken = 0
        self._lock_does(Action.GIVE, lock, self._running())

    def _on_wait_ended(self, address: int, tid: int) -> None:
        """End a wait: its timeout has expired, or the object was deleted."""
        thread = self._waiter(tid)
        if thread is None:
            return
        lock = thread.wanted
        if lock is not None and self.entities[lock.entity].number == address:
            self._leave_queue(lock, thread)
            self._lock_does(Action.LEAVE, lock, thread)
        thread.event = NO_ENTITY

    def _line_up(self, thread: Process, state: int) -> None:
        """Queue a thread for the mutex of its condition if it now waits for a mutex."""
        if state != ThreadEvent.MUTEX or thread.wanted is not None:
            return
        if thread.relock is not None:
            lock, thread.relock, thread.event = thread.relock, None, NO_ENTITY
            self._queue(lock, thread, Action.LINE_UP)
        elif thread.is_vague:
            self._lose_queues()

    def _lose_queues(self) -> None:
        """Set the waiters of all mutexes to unknown, because the request of a waiter was lost."""
        for lock in self._locks.values():
            if lock.waiting is not None and self.entities[lock.entity].kind is Kind.MUTEX:
                lock.waiting = None
                self._lose_state(lock)

    # OS events ----------------------------------------------------------------------------------

    def _wait_event(self, entity: int, bits: int) -> Process | None:
        thread = self._running()
        self._note(Action.WAIT_EVENT, entity, value=bits)
        if thread is not None:
            thread.event, thread.event_bits = entity, bits
            self._owners[entity] = thread
        return thread

    def _set_event(self, entity: int, wakes: Callable[[Process], bool], bits: int) -> None:
        """Add SET_EVENT for each process that it wakes; if there is none, for the last waiter."""
        cause = self._stimulus()
        waiting = [one for one in self._threads.values() if one.event == entity and wakes(one)]
        owner = self._owners.get(entity)
        for thread in waiting or ([] if owner is None else [owner]):
            self._note(Action.SET_EVENT, entity, cause=cause, object_=thread.entity, value=bits)
        if not waiting and owner is None:
            self._note(Action.SET_EVENT, entity, cause=cause, value=bits)

    def _on_flags_wait(self, address: int, bits: int) -> None:
        self._wait_event(self._other(Kind.EVENT, address), bits)

    def _on_flags_call(self, address: int, _bits: int) -> None:
        thread = self._running()
        if thread is not None:
            self._owners[self._other(Kind.EVENT, address)] = thread

    def _on_flags_set(self, address: int, bits: int) -> None:
        entity = self._other(Kind.EVENT, address)
        self._set_event(entity, lambda thread: bool(thread.event_bits & bits), bits)

    def _on_flags_clear(self, address: int, bits: int) -> None:
        self._note(Action.CLEAR_EVENT, self._other(Kind.EVENT, address), value=bits)

    def _on_cond_wait(self, address: int, mutex: int) -> None:
        thread = self._wait_event(self._other(Kind.EVENT, address), NOT_KNOWN)
        if thread is not None:
            thread.relock = self._lock(Kind.MUTEX, mutex)

    def _on_cond_signal(self, address: int, tid: int) -> None:
        entity = self._other(Kind.EVENT, address)
        woken = self._threads.get(tid)
        self._set_event(entity, lambda thread: thread is woken, NOT_KNOWN)

    def _on_cond_broadcast(self, address: int, _count: int) -> None:
        self._set_event(self._other(Kind.EVENT, address), lambda _: True, NOT_KNOWN)

    # Signals, stimuli, messages -----------------------------------------------------------------

    def _on_read(self, address: int, value: int) -> None:
        self._note(Action.READ, self._other(Kind.SIGNAL, address), value=value)

    def _on_write(self, address: int, value: int) -> None:
        entity = self._other(Kind.SIGNAL, address)
        self._note(Action.WRITE, entity, cause=self._stimulus(), value=value)

    def _trigger(self, stimulus: int, cause: Process | None) -> Process:
        """Add TRIGGER for a new instance of a stimulus and return the instance."""
        number, unknown = self._next(stimulus), State.UNKNOWN
        self._add(Action.TRIGGER, stimulus, unknown, unknown, cause, instance=number)
        return Process(stimulus, number)

    def _stimulus(self) -> Process | None:
        """Return the stimulus that the previous event named as the cause of this event."""
        return self._stimuli.get(self._cpu)

    def _forget_stimuli(self, cpu: int) -> None:
        """Forget the stimuli of a CPU, because its last event is not a stimulus or is unknown."""
        self._stimuli.pop(cpu, None)
        self._expired.pop(cpu, None)

    def _on_timer(self, address: int, _count: int) -> None:
        self._expired[self._cpu] = self._trigger(self._other(Kind.STIMULUS, address), None)
        self._stimuli.pop(self._cpu, None)

    def _on_stimulus(self, address: int, _value: int) -> None:
        entity, expired = self._other(Kind.STIMULUS, address), self._expired.pop(self._cpu, None)
        if expired is None or expired.entity != entity:
            expired = self._trigger(entity, self._running())
        self._stimuli[self._cpu] = expired

    def _on_message_call(self, channel: int, _bytes: int) -> None:
        thread = self._running()
        if thread is not None:
            thread.channel = self._other(Kind.CHANNEL, channel)

    def _on_message(self, number: int, _pid: int) -> None:
        sender = self._running()
        channel = NO_ENTITY
        if sender is not None:
            channel = sender.channel
            self._messages.pop(sender.message, None)
            sender.message = number
        if channel == NO_ENTITY:
            channel = self._other(Kind.CHANNEL, 0)
        self._messages[number] = channel
        self._note(Action.SEND, channel, value=number)

    def _on_received(self, number: int, _pid: int) -> None:
        channel = self._messages.get(number)
        if channel is None:
            channel = self._other(Kind.CHANNEL, 0)
        self._note(Action.RECEIVE, channel, value=number)

    def _on_reply(self, tid: int, _pid: int) -> None:
        client = self._thread(tid)
        channel = self._messages.pop(client.message, None)
        if channel is None:
            channel = self._other(Kind.CHANNEL, 0)
        action = Action.REPLY if self._code == _REPLY else Action.FAIL
        self._note(action, channel, object_=client.entity, value=client.message)
        client.message = NOT_KNOWN

    def _on_pulse_sent(self, channel: int, _pid: int) -> None:
        self._note(Action.SEND, self._other(Kind.CHANNEL, channel))

    def _on_pulse_received(self, channel: int, _pid: int) -> None:
        self._note(Action.RECEIVE, self._other(Kind.CHANNEL, channel))

    def _on_domain(self, value: int, _ip: int) -> None:
        domain = self._other(Kind.DOMAIN, int(self._columns.domain[self._row]))
        self._note(_DOMAIN_ACTIONS[self._code], domain, value=value)

    def _object_table(self) -> dict[int, Callable[[int, int], None]]:
        """Return the handlers of object events, by class << 10 | event."""
        sync, comm, call = EventClass.SYNC, EventClass.COMM, EventClass.KERCALL
        return {
            **dict.fromkeys(_DOMAIN_ACTIONS, self._on_domain),
            event_code(sync, SyncEvent.MUTEX_LOCK_GRANTED): self._on_granted,
            event_code(sync, SyncEvent.MUTEX_LOCK_DENIED): self._on_denied,
            event_code(sync, SyncEvent.MUTEX_TRY_REFUSED): self._on_refused,
            event_code(sync, SyncEvent.MUTEX_UNLOCK): self._on_unlock,
            event_code(sync, SyncEvent.COND_WAIT): self._on_cond_wait,
            event_code(sync, SyncEvent.COND_SIGNAL): self._on_cond_signal,
            event_code(sync, SyncEvent.COND_BROADCAST): self._on_cond_broadcast,
            event_code(sync, SyncEvent.SEM_WAIT_GRANTED): self._on_permit,
            event_code(sync, SyncEvent.SEM_WAIT_BLOCKED): self._on_no_permit,
            event_code(sync, SyncEvent.SEM_TRY_REFUSED): self._on_refused,
            event_code(sync, SyncEvent.SEM_SIGNAL): self._on_post,
            event_code(sync, SyncEvent.FLAGS_SET): self._on_flags_set,
            event_code(sync, SyncEvent.FLAGS_CLEAR): self._on_flags_clear,
            event_code(sync, SyncEvent.FLAGS_WAIT): self._on_flags_wait,
            event_code(sync, SyncEvent.WAIT_TIMEOUT): self._on_wait_ended,
            event_code(sync, SyncEvent.WAIT_DELETED): self._on_wait_ended,
            event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_LOCK): self._on_spin_lock,
            event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_UNLOCK): self._on_spin_unlock,
            event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_WAIT): self._on_spin_wait,
            event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_END): self._on_spin_end,
            event_code(call, KercallCall.FLAGS_WAIT): self._on_flags_call,
            event_code(call, KercallCall.MSG_SENDV): self._on_message_call,
            event_code(comm, CommEvent.SMSG): self._on_message,
            event_code(comm, CommEvent.RMSG): self._on_received,
            event_code(comm, CommEvent.REPLY): self._on_reply,
            event_code(comm, CommEvent.ERROR): self._on_reply,
            event_code(comm, CommEvent.SPULSE): self._on_pulse_sent,
            event_code(comm, CommEvent.RPULSE): self._on_pulse_received,
            event_code(EventClass.SIGNAL, SignalEvent.READ): self._on_read,
            event_code(EventClass.SIGNAL, SignalEvent.WRITE): self._on_write,
            event_code(EventClass.SCHED, SchedEvent.TIMER): self._on_timer,
            event_code(EventClass.SCHED, SchedEvent.STIMULUS): self._on_stimulus,
        }
