"""Follow the lives of threads: created, named, suspended, ended.

A life lasts from CREATE, or the first event of the thread, to DEAD or DESTROY. The number of a
thread that has ended may be used again; that is another life, with another name.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from tickertape.model.codes import nameless
from tickertape.model.entities import Kind
from tickertape.model.parts import Core, Process
from tickertape.model.running_evidence import RunningEvidence
from tickertape.model.transitions import (
    NO_ENTITY,
    NOT_KNOWN,
    ON_CORE,
    WITHOUT_INSTANCE,
    Action,
    State,
)
from tickertape.text import escaped

if TYPE_CHECKING:
    from tickertape.model.entities import Entities

IDLE: Final = 0
"""Number of the idle thread."""

_OFF_CORE: Final = {State.READY, State.ACTIVE, State.WAITING}


class Threads(RunningEvidence):
    """The part of `Follower` that follows the lives of threads, and their suspension."""

    def __init__(self, entities: Entities) -> None:
        """Start with nothing known."""
        super().__init__(entities)
        # Threads that were created, before their next event; numbers of threads that have ended.
        self._created: set[int] = set()
        self._ended: set[int] = set()

    def _thread(self, tid: int) -> Process:
        found = self._threads.get(tid)
        if found is None:
            self._begin_life(tid)
            name = self._names.thread(tid) or nameless(tid)
            entity = self.entities.task(tid, name, self._is_free)
            found = self._threads[tid] = Process(entity, is_created=tid in self._created)
            found.is_vague = not (self._is_whole or found.is_created)
            self._created.discard(tid)
        return found

    def _living(self, tid: int) -> Process:
        """Return a thread that does something: if the number's thread has ended, another one."""
        found = self._threads.get(tid)
        if found is not None and found.state is State.ENDED:
            self._forget_thread(tid)
        return self._thread(tid)

    def _is_free(self, entity: int) -> bool:
        return all(thread.entity != entity for thread in self._threads.values())

    def _begin_life(self, tid: int) -> None:
        """Forget the name of the thread that had a number before, if it has ended."""
        if tid in self._ended:
            self._ended.discard(tid)
            self._names.forget_thread(tid)

    def _forget_thread(self, tid: int) -> None:
        """Forget a thread: its number may be used again."""
        thread = self._threads.pop(tid, None)
        self._created.discard(tid)
        for core in self._cores.values():
            core.left = 0 if core.left == tid else core.left
        if thread is None:
            return
        self._ended.add(tid)
        if thread.state is State.CREATED:
            self._live(Action.END, thread, State.ENDED)
        elif thread.state not in {State.TERMINATED, State.UNKNOWN, State.ENDED}:
            self._lose_process(thread)
        if thread.state is State.TERMINATED:
            self._live(Action.END, thread, State.ENDED)

    def _on_create(self, _pid: int, tid: int) -> None:
        thread = self._threads.get(tid)
        if thread is not None and thread.state is State.ENDED:
            self._forget_thread(tid)
            thread = None
        if thread is not None:
            thread.is_created = True
        elif tid != IDLE:
            self._begin_life(tid)
            self._created.add(tid)  # it becomes a task at its name or its next event

    def _on_name(self, pid: int, tid: int) -> None:
        text = escaped(self._columns.text_at(self._row) or "")
        if tid == IDLE or not text:
            return
        known, was_unnamed = self._names.thread(tid), self._names.is_unnamed(tid)
        self._names.learn_thread(tid, text)
        text = self._names.thread(tid) or text
        thread = self._threads.get(tid)
        if thread is None and tid not in self._created:
            return
        if thread is not None and known != text:
            is_late = was_unnamed and not self.entities.is_shared(thread.entity)
            is_another = was_unnamed or thread.is_created or thread.state is State.UNKNOWN
            if known is None or is_late or not is_another:
                self.entities.rename(thread.entity, text)
            else:  # earlier threads had no name either, or the end of the last one is not recorded
                self._forget_thread(tid)
                self._ended.discard(tid)
                thread = None
                self._created.add(tid)
        thread = thread or self._thread(tid)
        # The state dump reports an existing thread's state before its name.
        if thread.is_created and thread.state in {State.TERMINATED, State.UNKNOWN}:
            self._live(Action.CREATE, thread, State.CREATED)
        thread.is_created = False
        if pid and thread.domain != pid:
            thread.domain = pid
            self._note(Action.OWN, self._other(Kind.DOMAIN, pid), object_=thread.entity)

    def _on_destroy(self, _pid: int, tid: int) -> None:
        self._forget_thread(tid)

    def _on_dead(self, _pid: int, tid: int) -> None:
        if tid == IDLE:
            return
        thread, core = self._thread(tid), self._core()
        if thread.state is State.ENDED:
            return
        thread.core = thread.core or core
        if thread.state is not State.CREATED:
            self._abort(thread)
            self._end(thread)
        thread.runnables.clear()
        thread.queue.clear()
        thread.due, thread.is_queued = None, False
        thread.is_stopped = False
        if core.top is thread:
            core.stack[-1] = None
        if thread.state in WITHOUT_INSTANCE:
            self._live(Action.END, thread, State.ENDED)

    @abstractmethod
    def _activate(self, process: Process, stimulus: Process, number: int = NOT_KNOWN) -> None:
        """Add ACTIVATE for a new instance; it is pending while another instance has not ended."""

    def _start_life(self, thread: Process) -> None:
        """Begin the instance of a thread that was created and now starts."""
        creation = self._other(Kind.CREATION, thread.entity)
        self._activate(thread, self._trigger(creation, self._running()))

    # Suspension --------------------------------------------------------------------------------

    def _on_stopped(self, _pid: int, tid: int) -> None:
        """Suspend a thread. A waiting thread is given what it waits for at this time."""
        if tid == IDLE:
            return
        thread, core = self._living(tid), self._core()
        thread.is_created = False  # a new thread would be ready
        is_top = core.top is thread
        if is_top and thread.state is State.POLLING:
            self._end_poll(thread)
        if is_top and thread.state is State.RUNNING:
            self._suspend(thread)
        elif thread.state in ON_CORE:
            thread.is_stopped = True  # it is suspended when it leaves its core
        elif thread.state in _OFF_CORE:
            self._suspend(thread)
        elif thread.state is State.UNKNOWN:
            thread.is_vague = True
            self._process(Action.FOUND, thread, State.SUSPENDED)
            thread.suspended_in = State.READY
        if is_top:
            self._leave_core(core, tid)

    def _suspend(self, thread: Process) -> None:
        """Suspend a thread; its open wait ends."""
        before, thread.is_stopped = thread.state, False
        if before is State.RUNNING:
            self._stop_runnables(thread, Action.SUSPEND, State.SUSPENDED)
        thread.event, thread.relock = NO_ENTITY, None
        self._process(Action.STOP, thread, State.SUSPENDED)
        thread.suspended_in = before

    def _continue(self, thread: Process) -> None:
        """End the suspension of a thread."""
        if thread.suspended_in is State.ACTIVE:
            self._process(Action.REACTIVATE, thread, State.ACTIVE)
        else:
            self._process(Action.CONTINUE, thread, State.READY, value=thread.suspended_in)

    def _switch_out(self, thread: Process) -> None:
        """Take the core from a thread, by a context switch."""
        if thread.is_stopped and thread.state in {State.RUNNING, State.READY}:
            self._suspend(thread)
        else:
            self._preempt(thread)

    @staticmethod
    def _leave_core(core: Core, tid: int) -> None:
        """Note that the kernel has a core, and the thread that it served last."""
        core.stack[-1] = None
        core.left = tid if len(core.stack) == 1 else 0
