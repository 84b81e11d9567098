"""Follow the instances of threads: lives, and the jobs of periodic threads.

A *job* lasts from an activation to the completion with its number. A thread without activations has
one instance, its life. The first activation takes the life over: the instance is a job from there
on (BEGIN_JOB), and what it did before is not. The same holds when the count of activations begins
again (an activation with number 1) while a job is under way: that job will not be completed.

The numbers of activations and completions show which jobs were missed while records were missing:

| activation n | the instance before it |
|---|---|
| completion n - 1 was the last one seen, or n is 1 | has ended |
| the thread is made ready next | has ended |
| the thread runs, or the kernel reports that it is late | is open: the new one waits for it |

An instance begins at its activation also where the next event decides this (`Process.due`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.model.entities import Kind
from tickertape.model.parts import NUMBERS, UNKNOWN_PROCESS
from tickertape.model.threads import Threads
from tickertape.model.transitions import (
    NO_ENTITY,
    NOT_KNOWN,
    OFF_CORE,
    ON_CORE,
    WITHOUT_INSTANCE,
    Action,
    State,
)

if TYPE_CHECKING:
    from tickertape.model.parts import Core, Process

_MOST_MISSED: Final = 1 << 24
"""Largest number of jobs that a gap hides; a greater step of the numbers is another count."""
_HIGHEST: Final = 1 << 31
"""A number that no gap skips to, so that numbers of instances stay below 2^32."""


class Jobs(Threads):
    """The part of `Follower` that begins and ends the instances of threads."""

    def _activate(
        self,
        process: Process,
        stimulus: Process,
        number: int = NOT_KNOWN,
    ) -> None:
        """Add ACTIVATE for a new instance; it is pending while another instance has not ended.

        Args:
            process: the process that is activated.
            stimulus: the cause.
            number: number of the activation; NOT_KNOWN if it has none.
        """
        instance = self._number(process, number, spare=0)
        if process.state in WITHOUT_INSTANCE:
            self._take_up(process, instance, number)
        else:
            process.queue.put(instance, number)
        self._say_activated(process, instance, stimulus)

    def _say_activated(self, process: Process, instance: int, stimulus: Process) -> None:
        self.found.append(
            (
                *(self._row, self._cpu, process.entity, instance),
                *(Action.ACTIVATE, State.TERMINATED, State.ACTIVE),
                *(stimulus.entity, stimulus.instance),
                *(NO_ENTITY, NOT_KNOWN),
            )
        )

    def _take_up(self, process: Process, instance: int, number: int) -> None:
        """Make an activated instance the current one."""
        process.instance, process.state, process.job = instance, State.ACTIVE, number
        process.is_life = number == NOT_KNOWN
        process.queue.clear()
        process.due = process.spare = None
        process.is_lost = process.is_unsure = False

    def _number(self, process: Process, number: int, *, spare: int) -> int:
        """Return the number of a new instance.

        After a gap it follows the number of the activation, so that it shows how many jobs were
        missed. `spare` numbers before it are left for instances that show later to be open.
        """
        first = self._counts.get(process.entity, 0) + spare
        if number != NOT_KNOWN and process.is_behind_gap and process.offset is not None:
            wanted = process.offset + number
            first = wanted if first <= wanted < min(first + _MOST_MISSED, _HIGHEST) else first
        if number != NOT_KNOWN:
            process.offset, process.is_behind_gap = first - number, False
        self._counts[process.entity] = first + 1
        return first

    def _mark(self, action: Action, process: Process, state: State) -> None:
        """Add an action of `MARKS` of the current instance."""
        self._add(action, process.entity, state, state, None, instance=process.instance)

    def _on_activation(self, tid: int, number: int) -> None:
        thread = self._living(tid)
        thread.is_created, thread.is_periodic = False, True
        before = (number - 1) % NUMBERS
        is_first = number == 1 and thread.activated != before
        has_ended = thread.completed == before or is_first
        thread.activated = number
        if thread.state in WITHOUT_INSTANCE:
            is_known = thread.state is not State.UNKNOWN or not thread.is_vague
            if has_ended or (is_known and not thread.is_unsure):
                self._activate(thread, self._activating(thread), number)
            else:
                self._expect(thread, number)
        elif thread.is_life or is_first or (has_ended and thread.job == NOT_KNOWN):
            self._begin_job(thread, number)
        elif thread.job == NOT_KNOWN and thread.state not in ON_CORE and not thread.queue.count:
            self._expect(thread, number)
        else:
            self._activate(thread, self._activating(thread), number)

    def _begin_job(self, thread: Process, number: int) -> None:
        """Let the current instance be a job from here on; forget activations of another count."""
        thread.job, thread.is_life = number, False
        thread.offset, thread.is_behind_gap = thread.instance - number, False
        thread.queue.clear()
        thread.due, thread.is_queued = None, False
        self._mark(Action.BEGIN_JOB, thread, thread.state)

    def _expect(self, thread: Process, number: int) -> None:
        """Add an activation; the next event of the thread decides whether it waits for another."""
        if thread.due is not None:
            thread.queue.put(*thread.due)
        has_none = thread.state in WITHOUT_INSTANCE
        needs_spare = has_none and (thread.is_behind_gap or thread.offset is None)
        instance = self._number(thread, number, spare=int(needs_spare))
        thread.spare = instance - 1 if needs_spare else None
        thread.due = instance, number
        self._say_activated(thread, instance, self._activating(thread))

    def _activating(self, thread: Process) -> Process:
        """Return the stimulus of an activation; trigger PERIOD if no event names one."""
        return self._stimulus() or self._period(thread, self._cause())

    def _period(self, thread: Process, cause: Process | None) -> Process:
        """Trigger the PERIOD stimulus of a thread; `cause`: the process that activates it."""
        return self._trigger(self._other(Kind.PERIOD, thread.entity), cause)

    def _cause(self) -> Process | None:
        """Return the process that activates a periodic thread; None if it is time.

        An interrupt that runs only reports the time.
        """
        cause = self._running()
        return None if cause in self._interrupts.values() else cause

    def _begin_due(self, thread: Process) -> bool:
        """Begin the instance that was activated while the thread slept, as its READY shows.

        Returns:
            False if there is no such instance.
        """
        if thread.due is None:
            return False
        self._take_up(thread, *thread.due)
        return True

    def _begin_without_job(self, thread: Process) -> None:
        """Begin an instance that is not a job: its thread was woken and is not periodic."""
        self._activate(thread, self._period(thread, self._running()))
        self._mark(Action.NO_JOB, thread, State.ACTIVE)

    def _on_dead(self, pid: int, tid: int) -> None:
        thread = self._threads.get(tid)
        if thread is not None:
            self._cancel(thread)
        super()._on_dead(pid, tid)

    def _cancel(self, thread: Process) -> None:
        """Note that the jobs of a thread that ends will not be completed."""
        if thread.state not in WITHOUT_INSTANCE and thread.is_periodic and not thread.is_life:
            self._mark(Action.CANCEL, thread, thread.state)

    def _on_refusal(self, tid: int, _number: int) -> None:
        thread = self._thread(tid)
        stimulus = self._activating(thread)
        instance = self._next(thread.entity)
        ended = State.TERMINATED
        self._add(Action.EXCEED, thread.entity, ended, ended, stimulus, instance=instance)

    def _on_late(self, tid: int, _number: int) -> None:
        """Note that a thread was activated before its previous instance ended."""
        thread = self._threads.get(tid)
        if thread is None or thread.due is None:
            return
        thread.queue.put(*thread.due)
        thread.due = None
        if thread.state not in WITHOUT_INSTANCE:
            return
        thread.state, thread.is_unsure = State.UNKNOWN, False
        if thread.spare is not None:
            thread.is_lost, thread.instance, thread.spare = False, thread.spare, None

    def _on_completion(self, tid: int, number: int) -> None:
        thread, core = self._thread(tid), self._core()
        thread.is_periodic = True
        self._place(thread, core)
        is_off = thread.state in OFF_CORE
        if is_off or thread.job not in {NOT_KNOWN, number}:  # events are missing without a gap
            instance, activated = thread.instance, thread.activated
            self._lose_process(thread)
            thread.is_lost, thread.instance = False, instance
            thread.core, thread.activated = core, activated
        thread.completed = number
        is_elsewhere = core.top not in {UNKNOWN_PROCESS, thread}
        if is_off or (thread.state is State.UNKNOWN and is_elsewhere):
            return
        if thread.state is State.TERMINATED:
            self._forget_queue(thread)
        self._end(thread)
        if core.top is UNKNOWN_PROCESS:
            core.stack[-1] = thread
        if core.top is thread:
            self._go_on(thread, core, number)

    def _go_on(self, thread: Process, core: Core, number: int) -> None:
        """Begin the next instance of a thread after the completion with a number."""
        while thread.queue.has(number):
            thread.queue.take()  # the instance that has ended was this one
        is_known = thread.job == number  # else jobs before the queue may be missing
        if thread.queue.count and not is_known and thread.queue.next[1] != (number + 1) % NUMBERS:
            self._forget_queue(thread)
        if not thread.queue.count:
            # An activation without a record may be pending.
            thread.is_unsure = thread.activated != number
            return
        thread.instance, thread.job = thread.queue.take()
        thread.state, thread.is_life = State.ACTIVE, False
        if thread.is_queued:
            thread.is_queued = thread.queue.count > 0
            core.stack[-1] = None
        else:
            self._run(thread, core)

    def _forget_queue(self, thread: Process) -> None:
        """Lose the instances that were activated and have not begun."""
        if thread.due is not None:
            thread.queue.put(*thread.due)
        if thread.queue.count:
            instance, lost = thread.queue.next[0], State.UNKNOWN
            self._add(Action.LOSE, thread.entity, State.ACTIVE, lost, None, instance=instance)
        thread.queue.clear()
        thread.due = thread.spare = None
