"""Converts semaphores, spin locks and polling of a system trace to kernel events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.formats.btf.moment import Moment
from tickertape.formats.btf.read_parts import Semaphore
from tickertape.formats.btf.tables import REQUESTS
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, IrqstateEvent, SyncEvent, ThreadEvent

if TYPE_CHECKING:
    from tickertape.formats.btf.lines import BtfEvent
    from tickertape.formats.btf.survey import Survey

_WAITS_MUTEX: Final = event_code(EventClass.THREAD, ThreadEvent.MUTEX)
_WAITS_SEM: Final = event_code(EventClass.THREAD, ThreadEvent.SEM)
_GRANTED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_GRANTED)
_DENIED: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_DENIED)
_UNLOCK: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)
_PERMIT: Final = event_code(EventClass.SYNC, SyncEvent.SEM_WAIT_GRANTED)
_NO_PERMIT: Final = event_code(EventClass.SYNC, SyncEvent.SEM_WAIT_BLOCKED)
_POST: Final = event_code(EventClass.SYNC, SyncEvent.SEM_SIGNAL)
_SPIN_LOCK: Final = event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_LOCK)
_SPIN_END: Final = event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_END)
_SPIN_WAIT: Final = event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_WAIT)
_SPIN_UNLOCK: Final = event_code(EventClass.IRQSTATE, IrqstateEvent.SPIN_UNLOCK)
_TIMEOUT: Final = event_code(EventClass.SYNC, SyncEvent.WAIT_TIMEOUT)
_OTHER_HALF: Final = {"released": "decrement", "decrement": "released"}
_NO_RELEASE: Final = "states of semaphores without a release"
_FREE_STATES: Final = frozenset({"ready", "free", "unlock"})
_EMPTY_STATES: Final = frozenset({"lock", "lock_used", "full", "overfull"})
# In the file, a refused try is the same as a request without a result.
IN_VAIN: Final = "requests for a semaphore without an answer"
_LEFT_STATES: Final = frozenset({"unlock", "unlock_full"})
_SEMAPHORE_EVENTS: Final = frozenset(
    {
        *(*REQUESTS, "increment", "queued", "waiting", "assigned", "released"),
        *("decrement", "ready", "free", "used", "lock", "lock_used", "overfull", "full"),
        *_LEFT_STATES,
    }
)
WORD: Final = 1 << 32

Row = tuple[int, int, int, int, int, int]


class Locks(ABC):
    """The part of `Converter` for locks and the processes that wait for them.

    Attributes:
        rows: converted events: time, place within this time, CPU, class << 10 | event, two words.
            The consumer takes the list and replaces it by an empty one.
        moment: assigns the places.
        left_out: number of events and facts that the tape cannot contain, by description.
    """

    def __init__(self, survey: Survey) -> None:
        """Create a converter for the entities of a survey; subclasses call `forget_locks`."""
        self.rows: list[Row] = []
        self.left_out: Counter[str] = Counter()
        self.moment = Moment()
        self._survey = survey
        self._time = 0
        self._source = self._target = self._actor = ""  # of the current event
        self._asked: dict[str, str] = {}  # last requested semaphore, by process

    def forget_locks(self, *, is_loss: bool) -> None:
        """Forget all states; after a loss, semaphores begin as blind: their state is unknown."""
        self._is_blind, self._gaps = is_loss, 0
        self._freed: dict[str, int] = {}  # CPU of a release, by blind semaphore, until its state
        self.left_out[IN_VAIN] += len(self._asked)
        self._asked.clear()
        self._reasons: dict[str, int] = {}
        self._waits_for: dict[str, str] = {}  # semaphore, by waiting process
        self._polls: set[str] = set()  # processes that poll for a spin lock
        self._got: dict[str, int] = {}  # time at which such a process got the lock
        self._runs: dict[str, int] = {}  # CPU, by process that stopped polling at this time
        self._semaphores: dict[str, Semaphore] = {}
        # Permits of processes without a core, written when they run: time, semaphore, permits left.
        self._late: dict[str, tuple[int, int, int]] = {}

    def blind(self, *, begins: int) -> None:
        """Mark all semaphores as blind; `begins`: 1 a loss begins, -1 a loss ends, 0 both."""
        self._gaps = max(0, self._gaps + begins)
        for semaphore in self._semaphores.values():
            semaphore.is_blind = True

    def forget_process(self, process: str) -> None:
        """Forget what a process requested, waits for or polls for."""
        self.left_out[IN_VAIN] += self._asked.pop(process, None) is not None
        self._polls.discard(process)
        for known in (self._reasons, self._waits_for, self._got, self._late):
            known.pop(process, None)

    @abstractmethod
    def _cpu(self) -> int:
        """Return the CPU of the source of the current event."""

    @abstractmethod
    def _is_on_core(self, process: str) -> bool:
        """Return whether a process still has its last core; True when unknown."""

    @abstractmethod
    def _number(self) -> int:
        """Return the number of the current event's target on the tape."""

    def _say(self, cpu: int, code: int, word0: int, word1: int, other: str = "") -> None:
        entities = (self._actor, self._target, other) if other else (self._actor, self._target)
        place = self.moment.place(cpu, entities)
        self.rows.append((self._time, place, cpu, code, word0 % WORD, word1 % WORD))

    def _poll(self, cpu: int, process: str) -> None:
        """Write that a process polls for the spin lock it requested last; lock 0 if unknown."""
        self._reasons.pop(process, None)
        lock = 0
        if self._asked.get(process) in self._survey.spinning:
            lock = self._survey.numbers[self._asked.pop(process)]
            self._polls.add(process)
        self._got.pop(process, None)
        self._say(cpu, _SPIN_WAIT, lock, 0)

    def _end_poll(self, cpu: int, process: str) -> None:
        """Write that a process runs again, unless the event of its spin lock already reports it."""
        got = self._got.pop(process, None)
        if got is not None:
            self.left_out["runs later than the spin lock is there"] += got != self._time
        elif process in self._polls:
            self._runs[process] = cpu  # the lock may be assigned to it at this time
        else:
            self._check_gave_up(cpu, process)
            self._run(process, cpu)

    def _tid(self, process: str) -> int:
        """Return the number of a thread; 0 for an interrupt, which is identified by its CPU."""
        is_irq = self._survey.types.get(process) == "I"
        return 0 if is_irq else self._survey.numbers.get(process, 0)

    def _run(self, process: str, cpu: int) -> None:
        self._polls.discard(process)
        tid = self._tid(process)
        place = self.moment.place(cpu, (process,))
        self.rows.append((self._time, place, cpu, _SPIN_END, 0, tid))

    def finish_locks(self) -> None:
        """Write polls that ended without the lock, and releases without a state event.

        Called at the end of a time stamp, because both depend on later events of that time.
        """
        for process, cpu in self._runs.items():
            self._run(process, cpu)
        self._runs.clear()
        for name in list(self._freed):
            self._hand_over(name)

    def _check_gave_up(self, cpu: int, thread: str) -> None:
        """Write a time-out if a task stops waiting without a permit."""
        wanted = self._waits_for.get(thread)
        if wanted is None:
            return
        self._hand_over(wanted)
        one = self._semaphores[wanted]
        del self._waits_for[thread]
        if one.handed:
            one.handed -= 1  # the task reports its permit when it runs
            return
        numbers = self._survey.numbers
        self._say(cpu, _TIMEOUT, numbers[wanted], self._tid(thread))

    def _hand_over(self, name: str) -> None:
        """Write the release of a blind semaphore without a state event: a waiter gets the permit.

        The release is left out if no process is known to wait.
        """
        cpu = self._freed.pop(name, None)
        if cpu is None:
            return
        one = self._semaphores[name]
        one.is_released = False
        if name not in self._waits_for.values():
            self.left_out["releases of semaphores after a loss"] += 1
            return
        one.handed += 1
        place = self.moment.place(cpu, (name,))
        self.rows.append((self._time, place, cpu, _POST, self._survey.numbers[name], 0))

    def _report_permit(self, cpu: int, thread: str) -> None:
        """Write a permit that a process got without a core, now that it has one.

        The event has no field for a thread, so it must be on the CPU of the process.
        """
        late = self._late.pop(thread, None)
        if late is None:
            return
        time, semaphore, left = late
        self.left_out["times at which tasks without a core get a semaphore"] += time != self._time
        self._say(cpu, _PERMIT, semaphore, left)

    def _semaphore(self, event: BtfEvent) -> None:
        one = self._semaphores.setdefault(self._target, Semaphore(is_blind=self._is_blind))
        if event.event not in _SEMAPHORE_EVENTS:
            self.left_out[f"{event.event[:20]} of a semaphore"] += 1
            return
        if event.event in REQUESTS:
            self.left_out[IN_VAIN] += self._actor in self._asked
            self._asked[self._actor] = self._target
        elif event.event == "assigned":
            self._reasons.pop(self._actor, None)
            self._asked.pop(self._actor, None)
        elif event.event == "waiting":
            if self._asked.pop(self._actor, None) != self._target:
                self.left_out["waiting for a semaphore without a request"] += 1
                return
            self._waits_for[self._actor] = self._target
        waited = event.event == "assigned" and self._waits_for.pop(self._actor, "") == self._target
        if self._target in self._survey.spinning:
            code = {"assigned": _SPIN_LOCK, "released": _SPIN_UNLOCK}.get(event.event)
            if code is not None:
                self._say(self._cpu(), code, self._number(), 0)
            if event.event == "assigned" and self._actor in self._polls:
                self._polls.remove(self._actor)
                self._got[self._actor] = self._time
                self._runs.pop(self._actor, None)
            return
        name = self._release(event, one)
        one.handed -= waited and self._target in self._survey.counting
        take = self._counted if self._target in self._survey.counting else self._mutex
        self._has_waited = waited
        take(event, name, one, self._tid(self._actor))

    def _release(self, event: BtfEvent, one: Semaphore) -> str:
        """Return the name of an event: "released" for the first event of a release, else its own.

        A release is `released`, `decrement`, or both in any order, around its state event. The
        second one of the two is "decrement", which adds nothing.
        """
        if event.event in _OTHER_HALF:
            if self._is_second_half(event.event, one):
                return "decrement"
            one.has_released = True
            return "released"
        if self._source == self._target:
            if event.event in _LEFT_STATES and not one.has_released:
                self.left_out[_NO_RELEASE] += 1
            one.has_released = False
            one.halves = {
                half: now
                for half, times in one.halves.items()
                if (now := [time for time in times if time == self._time])
            }
        return event.event

    def _is_second_half(self, event: str, one: Semaphore) -> bool:
        """Return whether the other event of a release came before; else note this one."""
        times = one.halves.get((_OTHER_HALF[event], self._actor))
        if times:
            times.pop(0)
            return True
        one.halves.setdefault((event, self._actor), []).append(self._time)
        return False

    def _mutex(self, _event: BtfEvent, name: str, one: Semaphore, process: int) -> None:
        if name == "assigned":
            self._say(self._cpu(), _GRANTED, self._number(), process)
            one.owner = process
        elif name == "waiting":
            self._say(self._cpu(), _DENIED, self._number(), one.owner)
            self._reasons[self._actor] = _WAITS_MUTEX
        elif name == "released":
            self._say(self._cpu(), _UNLOCK, self._number(), process)
            one.owner = 0

    def _assign(self, one: Semaphore) -> None:
        """Write the permit of the current process, or keep it until the process has a core."""
        if one.is_blind and not self._has_waited:
            self.left_out["permits of semaphores after a loss"] += 1
        elif self._is_on_core(self._actor):
            self._say(self._cpu(), _PERMIT, self._number(), one.left)
        else:
            self._late[self._actor] = (self._time, self._number(), one.left)

    def _post(self, one: Semaphore) -> None:
        """Note a release of a counting semaphore; its state event has the count."""
        if one.early == self._time:
            one.early, one.has_released = None, False
            self.left_out[_NO_RELEASE] -= 1
            self._say(self._cpu(), _POST, self._number(), one.left)
            return
        one.is_released = True
        self._releaser = self._cpu()
        if one.is_blind:
            self._freed[self._target] = self._releaser

    def _counted(self, event: BtfEvent, name: str, one: Semaphore, process: int) -> None:
        if name == "assigned":
            self._assign(one)
        elif name == "waiting":
            self._say(self._cpu(), _NO_PERMIT, self._number(), process)
            self._reasons[self._actor] = _WAITS_SEM
        elif name == "released":
            self._post(one)
        elif self._source == self._target and event.event != "queued":
            limit = self._survey.limits.get(self._target)
            count = int(event.note) if event.note and event.note.isdecimal() else None
            count = 0 if event.event in _FREE_STATES else count
            if event.event in _EMPTY_STATES:
                one.left = 0
            elif limit is None or count is None:
                # The exact number is unknown: one more or one less than before, at least 1.
                is_more = one.is_released or event.event in _LEFT_STATES
                one.left = max(one.left + (1 if is_more else -1), 1)
            else:
                one.left = max(limit - count, 1)
            one.is_blind = self._gaps > 0
            if not one.is_released and event.event in _LEFT_STATES:
                one.early = self._time
            if one.is_released:
                self._freed.pop(self._target, None)
                self._say(self._releaser, _POST, self._number(), one.left)
                one.handed += one.left == 0
                one.is_released = False
