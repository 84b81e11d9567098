"""Follows runnables: who is open in which process, the innermost last."""

from __future__ import annotations

from tickertape.model.entities import Kind
from tickertape.model.objects import Objects
from tickertape.model.parts import Process, Runnable
from tickertape.model.transitions import RUNNABLE_STATES, Action, State, contradicts


class Runnables(Objects):
    """The part of `Follower` that is about runnables."""

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
            # Its begin is missing; so is what is around it.
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
