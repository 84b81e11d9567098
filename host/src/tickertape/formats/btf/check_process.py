"""Checks processes: their states, the cores they have, and the runnables they execute."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from tickertape.formats.btf.tables import (
    ALLOCATE,
    DEALLOCATE,
    OFF_CORE,
    ON_CORE,
    PROCESS_STATES,
    RUNNABLE_STATES,
    RUNNING,
    SUSPENDED,
    TERMINATED,
)

if TYPE_CHECKING:
    from tickertape.formats.btf.findings import Findings
    from tickertape.formats.btf.lines import BtfEvent

    Key = tuple[str, int | None]


def said(key: Key) -> str:
    """Format an instance for a message: `NAME (NUMBER)`."""
    return key[0] if key[1] is None else f"{key[0]} ({key[1]})"


class _Seen:
    """Set of instance numbers, stored as ranges, because traces have few gaps between them."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def add(self, number: int) -> bool:
        """Add a number; return whether it was seen before."""
        place = bisect_right(self._begins, number)
        if place and number < self._ends[place - 1]:
            return True
        joins_left = place > 0 and self._ends[place - 1] == number
        joins_right = place < len(self._begins) and self._begins[place] == number + 1
        if joins_left and joins_right:
            self._ends[place - 1] = self._ends.pop(place)
            del self._begins[place]
        elif joins_left:
            self._ends[place - 1] = number + 1
        elif joins_right:
            self._begins[place] = number
        else:
            self._begins.insert(place, number)
            self._ends.insert(place, number + 1)
        return False


class Instances:
    """States of instances, and a check that their numbers increase by one."""

    def __init__(self, findings: Findings, rule: str, *, in_order: bool = True) -> None:
        """Create an empty set of instances.

        Args:
            findings: receives violations of the rule on instance numbers.
            rule: name of this rule.
            in_order: whether instances must begin in order of their numbers; else a number must be
                unique.
        """
        self._findings = findings
        self._rule = rule
        self._in_order = in_order
        self._seen: dict[str, _Seen] = {}
        self._states: dict[Key, str] = {}
        self._ended: dict[str, int | None] = {}
        self._newest: dict[str, int] = {}

    def state(self, key: Key) -> str | None:
        """Return the state of an instance; None when unknown."""
        found = self._states.get(key)
        if found is None and key[0] in self._ended and self._ended[key[0]] == key[1]:
            return TERMINATED
        return found

    def enter(self, key: Key, state: str) -> None:
        """Set the state of an instance."""
        if state == TERMINATED:
            self._states.pop(key, None)
            self._ended[key[0]] = key[1]
        else:
            self._states[key] = state

    def begin(self, line: int, key: Key) -> None:
        """Check the number of an instance that begins."""
        name, number = key
        newest = self._newest.get(name)
        if number is None:
            return
        is_known = not self._in_order and self._seen.setdefault(name, _Seen()).add(number)
        if is_known:
            self._findings.error(line, self._rule, f"{name} ({number}) begins a second time")
        elif newest is not None and number != newest + 1:
            report = self._findings.error if self._in_order else self._findings.warn
            report(
                line,
                self._rule,
                f"the instance after {name} ({newest}) is number {number}, not {newest + 1}",
            )
        self._newest[name] = number if self._in_order else max(number, newest or 0)

    def is_too_new(self, key: Key) -> bool:
        """Return whether an instance has a higher number than the newest that began."""
        newest = self._newest.get(key[0])
        return newest is not None and key[1] is not None and key[1] > newest

    def forget(self) -> None:
        """Forget all instances."""
        self._states.clear()
        self._ended.clear()
        self._newest.clear()
        self._seen.clear()


class ProcessCheck:
    """Checks the state machine of tasks and interrupts, and the process on each core."""

    def __init__(self, findings: Findings, *, strictly: bool) -> None:
        """Create a check without known states; `strictly` applies the rules of 2.2 and later."""
        self._findings = findings
        self._strictly = strictly
        self.instances = Instances(findings, "instance")
        self._core_of: dict[Key, str] = {}
        self._on: dict[str, Key] = {}
        self._left: set[Key] = set()
        self._left_time = 0
        self.runnables = RunnableCheck(findings, strictly=strictly)

    def forget(self) -> None:
        """Forget all states after a loss or reset."""
        self.instances.forget()
        self._core_of.clear()
        self._on.clear()
        self._left.clear()
        self.runnables.forget()

    def has_just_left(self, key: Key, time: int) -> bool:
        """Return whether a process left its core at `time`."""
        return key in self._left and self._left_time == time

    def take(self, event: BtfEvent, *, is_sound: bool) -> None:
        """Check an event of a task or interrupt; without `is_sound` its source is not a core."""
        key = (event.target, event.instance)
        if event.event in PROCESS_STATES:
            self._move(event, key)
            if not is_sound:
                self._leave(key)
                self._core_of.pop(key, None)
            elif event.event in ON_CORE | ALLOCATE | OFF_CORE:
                self._check_core(event, key)
            if event.event in DEALLOCATE:
                if event.time != self._left_time:
                    self._left.clear()
                self._left_time = event.time
                self._left.add(key)
                self.runnables.leave(event, key)
        elif event.event == "mtalimitexceeded":
            self.instances.begin(event.line, key)

    def _move(self, event: BtfEvent, key: Key) -> None:
        before, after = PROCESS_STATES[event.event]
        state = self.instances.state(key)
        if event.event == "activate" and state in {None, TERMINATED}:
            self.instances.begin(event.line, key)
        elif state is None:
            if self.instances.is_too_new(key):
                self._findings.error(
                    event.line, "instance", f"{said(key)} was never activated: {event.event}"
                )
        elif state != before:
            self._findings.error(
                event.line,
                "state-process",
                f"{event.event} takes a process from {before} to {after}, but {said(key)} is "
                f"{state}",
            )
        self.instances.enter(key, after)

    def _check_core(self, event: BtfEvent, key: Key) -> None:
        core, last = event.source, self._core_of.get(key)
        if event.event in ALLOCATE:
            other = self._on.get(core)
            if other is not None and other != key:
                self._findings.error(
                    event.line,
                    "core-busy",
                    f"{core} is given to {said(key)}, but {said(other)} has it",
                )
            self._leave(key)
            self._on[core] = key
            self._core_of[key] = core
            return
        if last is not None and last != core:
            where = "was last on" if event.event in OFF_CORE else "is on"
            self._findings.error(
                event.line,
                "wrong-core",
                f"{event.event} names {core}, but {said(key)} {where} {last}",
            )
        elif event.event in ON_CORE and self._on.get(core, key) != key:
            self._findings.error(
                event.line,
                "core-busy",
                f"{said(key)} is on {core}, but so is {said(self._on[core])}",
            )
        if event.event in DEALLOCATE:
            self._leave(key)
            if event.event == "terminate":
                self._core_of.pop(key, None)
            else:
                self._core_of[key] = core
        elif event.event in ON_CORE:
            self._on[core] = key
            self._core_of[key] = core

    def _leave(self, key: Key) -> None:
        core = self._core_of.get(key)
        if core is not None and self._on.get(core) == key:
            del self._on[core]


class RunnableCheck:
    """Checks the state machine and the nesting of runnables."""

    def __init__(self, findings: Findings, *, strictly: bool) -> None:
        """Create a check without known states; `strictly` applies the rules of 2.2 and later."""
        self._findings = findings
        self._strictly = strictly
        self._instances = Instances(findings, "instance", in_order=strictly)
        self._stacks: dict[Key, list[Key]] = {}
        self._owner: dict[Key, Key] = {}

    def forget(self) -> None:
        """Forget all states after a loss or reset."""
        self._instances.forget()
        self._stacks.clear()
        self._owner.clear()

    def take(self, event: BtfEvent) -> None:
        """Check an event of a runnable."""
        states = RUNNABLE_STATES.get(event.event)
        if states is None:
            return
        key, process = (event.target, event.instance), (event.source, event.source_instance)
        before, after = states
        state = self._instances.state(key)
        if event.event == "start" and state in {None, TERMINATED}:
            self._instances.begin(event.line, key)
        elif state not in {None, before}:
            self._findings.error(
                event.line,
                "state-runnable",
                f"{event.event} takes a runnable from {before} to {after}, but {said(key)} is "
                f"{state}",
            )
        self._check_owner(event, key, process)
        self._nest(event, key, process)
        self._instances.enter(key, after)

    def leave(self, event: BtfEvent, process: Key) -> None:
        """Check that a process suspended or ended its runnables before it leaves its core."""
        stack = self._stacks.get(process)
        if not stack:
            return
        report = self._findings.error if self._strictly else self._findings.warn
        if event.event == "terminate":
            report(
                event.line,
                "runnable-open",
                f"{said(process)} terminates before its runnable {said(stack[-1])}",
            )
            for key in self._stacks.pop(process):
                self._instances.enter(key, TERMINATED)
                self._owner.pop(key, None)
            return
        running = [key for key in stack if self._instances.state(key) == RUNNING]
        if running:
            report(
                event.line,
                "runnable-not-suspended",
                f"{said(process)} leaves its core, but its runnable {said(running[-1])} is not "
                "suspended before",
            )

    def _check_owner(self, event: BtfEvent, key: Key, process: Key) -> None:
        owner = self._owner.get(key)
        if event.event != "start" and owner is not None and owner != process:
            self._findings.error(
                event.line,
                "runnable-source",
                f"{said(key)} belongs to {said(owner)}, not to {said(process)}",
            )

    def _nest(self, event: BtfEvent, key: Key, process: Key) -> None:
        """Check that callers and callees start, suspend and end in the order of a stack."""
        if event.event == "start":
            self._forget_one(key)
            self._check_callers(event, key, self._stacks.get(process, []))
            self._stacks.setdefault(process, []).append(key)
            self._owner[key] = process
            return
        owner = self._owner.get(key)
        if owner is None:
            return  # the runnable began before the trace
        stack = self._stacks[owner]
        place = stack.index(key)
        inner = stack[place + 1 :]
        if event.event == "terminate":
            if inner:
                self._findings.error(
                    event.line,
                    "runnable-nesting",
                    f"{said(key)} terminates before {said(inner[-1])}, which it has called",
                )
            for one in stack[place:]:
                del self._owner[one]
            del stack[place:]
            if not stack:
                del self._stacks[owner]
        elif event.event == "suspend":
            running = [one for one in inner if self._instances.state(one) == RUNNING]
            if running:
                self._findings.error(
                    event.line,
                    "runnable-nesting",
                    f"{said(key)} is suspended before {said(running[-1])}, which it has called",
                )
        else:
            self._check_callers(event, key, stack[:place])

    def _forget_one(self, key: Key) -> None:
        """Remove an open instance, because it begins again."""
        owner = self._owner.pop(key, None)
        if owner is not None:
            self._stacks[owner].remove(key)

    def _check_callers(self, event: BtfEvent, key: Key, callers: list[Key]) -> None:
        suspended = [one for one in callers if self._instances.state(one) == SUSPENDED]
        if suspended:
            # Many tools suspend a caller while its callee runs.
            report = self._findings.warn if event.event == "start" else self._findings.error
            report(
                event.line,
                "runnable-nesting",
                f"{event.event} of {said(key)}, but its caller {said(suspended[-1])} is suspended",
            )
