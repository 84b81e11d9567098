"""Follow the states of processes and cores, and the open runnables of each process."""

from __future__ import annotations

from tickertape.model.entities import Kind
from tickertape.model.objects import Objects
from tickertape.model.parts import Core, Lock, Process, Runnable
from tickertape.model.transitions import (
    NO_ENTITY,
    NOT_KNOWN,
    OFF_CORE,
    ON_CORE,
    PROCESS_STATES,
    RUNNABLE_STATES,
    Action,
    State,
    contradicts,
)


class Processes(Objects):
    """The part of `Follower` that changes the states of processes, cores and runnables."""

    # To lose a process is to set its state to unknown, because records are missing.
    def _lose_process(self, process: Process) -> None:
        for runnable in reversed(process.runnables):
            self._runnable(Action.LOSE, runnable, State.UNKNOWN, process)
        process.runnables.clear()
        process.queue.clear()
        process.is_stopped = process.is_created = False
        process.wanted = process.relock = process.polls = None
        process.event, process.is_vague = NO_ENTITY, True
        process.channel, process.message = NO_ENTITY, NOT_KNOWN
        process.job = process.activated = process.completed = NOT_KNOWN
        process.due = process.spare = None
        process.is_queued = process.is_unsure = process.is_life = False
        if process.state in {State.UNKNOWN, State.ENDED}:
            return
        if process.state is State.CREATED:
            self._live(Action.LOSE, process, State.UNKNOWN)
        elif process.state is not State.TERMINATED:
            self._process(Action.LOSE, process, State.UNKNOWN)
        core, process.core = process.core, None
        process.state, process.is_lost = State.UNKNOWN, True
        if core is not None and core.top is process:
            self._observe(core)

    def _process(
        self,
        action: Action,
        process: Process,
        after: State,
        *,
        object_: int = NO_ENTITY,
        value: int = NOT_KNOWN,
    ) -> None:
        """Add a transition of a process; its source is the core of the process.

        A transition that the state machine does not have proves that records are missing without a
        gap: the process is lost first. If the process begins to run while another one runs on that
        core, the other one is lost.
        """
        if contradicts(PROCESS_STATES, process.state, action, after):
            core = process.core
            self._lose_process(process)
            process.core = core
        begins = after in ON_CORE and process.state not in ON_CORE
        if begins and process.core is not None:
            other, process.core.running = process.core.running, process
            process.core.since = int(self._columns.time[self._row])
            if (
                other is not None
                and other is not process
                and other.core is process.core  # else it runs on another core by now
                and other.state in ON_CORE
            ):
                self._lose_process(other)
        before, process.state = process.state, after
        if process.due is not None:  # the instance before it is open
            process.queue.put(*process.due)
            process.due = None
        if process.is_lost and after is not State.UNKNOWN:
            # Whether this is the same instance as before is unknown.
            process.is_lost = False
            is_free = process.spare is None
            process.instance = self._next(process.entity) if is_free else process.spare or 0
            process.spare = None
        source = NO_ENTITY if process.core is None else process.core.entity
        self.found.append(
            (
                *(self._row, self._cpu, process.entity, process.instance, action, before, after),
                *(source, 0, object_, value),
            )
        )

    def _live(self, action: Action, process: Process, after: State) -> None:
        """Add a transition of the life of a thread, which belongs to no instance."""
        before, process.state = process.state, after
        self._add(action, process.entity, before, after, None, instance=process.instance)

    def _observe(self, core: Core) -> None:
        """Add a transition of a core if its state has changed."""
        before, after = core.state, core.state_by_stack
        if after is before:
            return
        core.state = after
        action = Action.IDLE if after is State.FREE else Action.WORK
        if State.UNKNOWN in {before, after}:
            action = Action.LOSE if after is State.UNKNOWN else Action.FOUND
        self._add(action, core.entity, before, after, None)

    def _place(self, process: Process, core: Core) -> None:
        """Set the core of a process; lose the process if it was running on another core."""
        if process.state in ON_CORE and process.core is not core:
            self._lose_process(process)
        process.core = core

    def _run(self, process: Process, core: Core) -> None:
        """Give a free core to a process, and start or resume it with its runnables."""
        self._place(process, core)
        if process.state is State.ACTIVE:
            self._process(Action.START, process, State.RUNNING)
            for runnable in process.runnables:
                runnable.instance = self._next(runnable.entity)
                self._runnable(Action.START, runnable, State.RUNNING, process)
        elif process.state not in {State.TERMINATED, State.ENDED}:
            if process.state is State.PARKING:
                self._process(Action.POLL_PARKING, process, State.POLLING)
            else:
                process.is_vague = process.is_vague or process.state is not State.READY
                self._process(Action.RESUME, process, State.RUNNING)
            for runnable in process.runnables:
                self._runnable(Action.RESUME, runnable, State.RUNNING, process)

    def _preempt(self, process: Process) -> None:
        """Take the core from a process that runs or polls."""
        if process.state is State.RUNNING:
            self._stop_runnables(process, Action.SUSPEND, State.SUSPENDED)
            self._process(Action.PREEMPT, process, State.READY)
        elif process.state is State.POLLING:
            self._stop_runnables(process, Action.SUSPEND, State.SUSPENDED)
            self._process(Action.PARK, process, State.PARKING)

    def _poll(self, process: Process, lock: Lock | None) -> None:
        """Note that a process begins to poll, for a spin lock or for the object it waits for."""
        process.polls = lock
        wanted = process.wanted if lock is None else lock
        object_ = process.event if wanted is None else wanted.entity
        if process.state is State.RUNNING:
            self._process(Action.POLL, process, State.POLLING, object_=object_)

    def _end_poll(self, process: Process) -> None:
        """End polling: the object is available, or the process acts as if it were."""
        if process.polls is not None:
            self._lock_does(Action.LEAVE, process.polls, process)
        process.polls, process.event = None, NO_ENTITY
        if process.state is State.POLLING:
            self._process(Action.RUN, process, State.RUNNING)
        else:
            self._process(Action.RELEASE_PARKING, process, State.READY)

    def _end(self, process: Process) -> None:
        """End the current instance of a process on its core."""
        if process.state is State.POLLING:
            self._end_poll(process)
        if process.state in {State.RUNNING, State.UNKNOWN}:
            self._stop_runnables(process, Action.TERMINATE, State.TERMINATED)
            self._process(Action.TERMINATE, process, State.TERMINATED)

    def _abort(self, process: Process) -> None:
        """End a process that has no core, because another process ended it; lose its runnables."""
        if process.state is State.PARKING:
            self._end_poll(process)
        if process.state not in OFF_CORE:
            return
        if process.wanted is not None and process.state is State.WAITING:
            lock = process.wanted
            self._leave_queue(lock, process)
            self._lock_does(Action.LEAVE, lock, process)
        process.wanted = process.relock = None
        process.event, process.is_stopped = NO_ENTITY, False
        self._stop_runnables(process, Action.LOSE, State.UNKNOWN)
        self._process(Action.ABORT, process, State.TERMINATED)

    # Runnables ------------------------------------------------------------------------------------

    def _runnable(
        self, action: Action, runnable: Runnable, after: State, process: Process | None
    ) -> None:
        before, runnable.state = runnable.state, after
        entity, instance = runnable.entity, runnable.instance
        if contradicts(RUNNABLE_STATES, before, action, after):
            unknown = State.UNKNOWN
            self._add(Action.LOSE, entity, before, unknown, process, instance=instance)
            before = unknown
        self._add(action, entity, before, after, process, instance=instance)

    def _stop_runnables(self, process: Process, action: Action, after: State) -> None:
        for runnable in reversed(process.runnables):
            if runnable.state is not after:
                self._runnable(action, runnable, after, process)

    def _on_begin(self, address: int, _word: int) -> None:
        process = self._running()
        runnable = Runnable(self._other(Kind.RUNNABLE, address))
        runnable.instance = self._next(runnable.entity)
        if process is not None:
            process.runnables.append(runnable)
        # A runnable of an unknown process is not followed further.
        after = State.UNKNOWN if process is None else State.RUNNING
        self._runnable(Action.START, runnable, after, process)

    def _on_end(self, address: int, _word: int) -> None:
        process = self._running()
        entity = self._other(Kind.RUNNABLE, address)
        open_ = [] if process is None else process.runnables
        if process is None or all(runnable.entity != entity for runnable in open_):
            # Its begin event is missing, and perhaps those of the runnables around it.
            runnable = Runnable(entity)
            runnable.state = State.UNKNOWN
            runnable.instance = self._next(entity)
            self._runnable(Action.TERMINATE, runnable, State.TERMINATED, process)
            return
        while True:
            runnable = open_.pop()
            self._runnable(Action.TERMINATE, runnable, State.TERMINATED, process)
            if runnable.entity == entity:
                break
