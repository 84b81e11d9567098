"""Checks semaphores and spin locks: state machine, counts, order of events.

The format has one type for both. A spin lock has no count; it is an entity whose only events are
request, lock, assigned, released and unlock.

The count of a semaphore is the number of processes that hold it or wait for it. The note of a
request or release is the count before it, the note of a state event the count after it. `increment`
and `decrement` are optional, independently of each other; without them a request or release changes
the count at the next state event.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.formats.btf.tables import (
    FREE,
    FULL,
    NOT_INITIALIZED,
    OVERFULL,
    REQUESTS,
    SEMAPHORE_STATES,
    USED,
    Profile,
)

if TYPE_CHECKING:
    from tickertape.formats.btf.findings import Findings
    from tickertape.formats.btf.lines import BtfEvent

_STEPS: Final = {"increment": 1, "decrement": -1}
_NOTED: Final = REQUESTS | {"released", "queued", "waiting", "assigned"}
_PASSED: Final = frozenset({"queued", "waiting", "assigned"})
_MOST_DIGITS: Final = 18  # of a count: it fits into 64 bits


@dataclass(slots=True)
class _Semaphore:
    """State of one semaphore.

    Attributes:
        state: name of the state; None when unknown.
        count: number of processes that hold it or wait for it; None when unknown.
        most: count at which it is full; None when unknown.
        is_stepped: whether an increment or decrement followed the last state event.
        counts: whether an increment or decrement has occurred so far.
        is_incremented: whether an increment has occurred so far.
        has_requests: whether a request or release has occurred since the last loss or reset.
        exclusive: processes that requested all of its permits, with the count at that time; None if
            this is unknown or a release followed.
        asked: number of requests without an increment since the last state event.
        released: number of releases without a decrement since the last state event.
        passed: processes whose last request was answered without an increment.
        noted: line of the first note; 0 without one.
        waited: processes that began to wait and have not been assigned it.
        gave_up: number of processes in `waited` that no longer wait; which ones is unknown.
    """

    state: str | None = None
    count: int | None = None
    most: int | None = None
    is_stepped: bool = False
    counts: bool = False
    is_incremented: bool = False
    has_requests: bool = False
    exclusive: dict[str, int | None] = field(default_factory=dict)
    asked: int = 0
    released: int = 0
    passed: set[str] = field(default_factory=set)
    noted: int = 0
    waited: set[str] = field(default_factory=set)
    gave_up: int = 0

    @property
    def waiting(self) -> int:
        """Number of waiting processes, as far as known."""
        return max(0, len(self.waited) - self.gave_up)

    def wait(self, process: str) -> None:
        """Add a waiting process; one that is already in `waited` had given up before."""
        if process in self.waited:
            self.gave_up = max(0, self.gave_up - 1)
        self.waited.add(process)

    def assign(self, process: str) -> None:
        """Remove a process from those that wait, because it has the semaphore now."""
        self.waited.discard(process)
        self.gave_up = min(self.gave_up, len(self.waited))


class SemaphoreCheck:
    """Checks the events of all semaphores."""

    def __init__(self, findings: Findings, profile: Profile) -> None:
        """Create a check without any known semaphore."""
        self._findings = findings
        self._is_old = profile is Profile.OLD
        self._all: dict[str, _Semaphore] = {}

    def forget(self) -> None:
        """Forget states, counts and waiting processes after a loss or reset."""
        for one in self._all.values():
            one.state = one.count = None
            one.is_stepped = one.has_requests = False
            one.gave_up = one.asked = one.released = 0
            one.waited.clear()
            one.exclusive.clear()
            one.passed.clear()

    def take(self, event: BtfEvent) -> None:
        """Check an event of a semaphore."""
        one = self._all.setdefault(event.target, _Semaphore())
        note = self._note(event, one)
        if event.event in SEMAPHORE_STATES:
            self._move(event, one)
            self._check_state_note(event, one, note)
            one.is_stepped, one.asked, one.released = False, 0, 0
            return
        self._follow(event, one)
        self._ask_for_all(event, one, note)
        if event.event == "waiting":
            one.wait(event.source)
            if one.state in {FREE, USED}:
                self._findings.error(
                    event.line,
                    "semaphore-order",
                    f"{event.source} waits for {event.target}, which is {one.state}",
                )
        elif event.event == "assigned":
            one.assign(event.source)
        self._step(event, one, note)

    def finish(self) -> None:
        """Report semaphores with notes but without increments and decrements (from 2.2 on)."""
        for name, one in self._all.items():
            if one.noted and not one.counts and not self._is_old:
                self._findings.error(
                    one.noted,
                    "semaphore-note",
                    f"{name} has notes, but no increment or decrement that they could count",
                )

    def _follow(self, event: BtfEvent, one: _Semaphore) -> None:
        """Check the order of request, increment and answer, and of release and decrement."""
        known = one.has_requests
        if event.event in REQUESTS:
            one.asked += not one.is_incremented  # else an increment counts it, or it was refused
            one.passed.discard(event.source)
            one.has_requests = True
        elif event.event == "released":
            one.released += 1
            one.has_requests = True
        elif event.event in _PASSED:
            one.passed.add(event.source)
        elif event.event == "increment":
            if event.source in one.passed and known:
                self._out_of_order(event, "after its request was answered")
            one.is_incremented = True
            one.asked = max(0, one.asked - 1)
            one.passed.discard(event.source)
        elif event.event == "decrement":
            if known and not one.released:
                self._out_of_order(event, "without a release before it")
            one.released = max(0, one.released - 1)

    def _ask_for_all(self, event: BtfEvent, one: _Semaphore, note: int | None) -> None:
        """Check that an exclusive request succeeds only when no other process has the semaphore."""
        if event.event in REQUESTS:
            one.exclusive.pop(event.source, None)
        if event.event == "exclusivesemaphore":
            one.exclusive[event.source] = note if one.count is None else one.count
        elif event.event in {"released", "decrement"}:
            one.exclusive = dict.fromkeys(one.exclusive)
        elif event.event == "assigned":
            others = one.exclusive.pop(event.source, None)
            if others:
                self._findings.error(
                    event.line,
                    "semaphore-order",
                    f"{event.source} gets all of {event.target}, but {others} had asked before",
                )

    def _out_of_order(self, event: BtfEvent, why: str) -> None:
        if not self._is_old:
            self._findings.error(
                event.line,
                "semaphore-order",
                f"{event.source} writes {event.event} of {event.target} {why}",
            )

    def _note(self, event: BtfEvent, one: _Semaphore) -> int | None:
        if not event.note:
            return None
        one.noted = one.noted or event.line
        is_count = event.note.isascii() and event.note.isdigit()
        if not is_count or len(event.note) > _MOST_DIGITS:
            self._findings.error(
                event.line, "note", f"the note of {event.event} is a count, not {event.note[:40]!r}"
            )
            return None
        return int(event.note)

    def _move(self, event: BtfEvent, one: _Semaphore) -> None:
        before, after = SEMAPHORE_STATES[event.event]
        # A listing of version 2.1.5 has `free` after `ready` at the same time.
        is_repeated = self._is_old and event.event == "free" and one.state == FREE
        state = NOT_INITIALIZED if event.event == "ready" and one.state is None else one.state
        if state is not None and state not in before and not is_repeated:
            self._findings.error(
                event.line,
                "state-semaphore",
                f"{event.event} takes a semaphore from {' or '.join(sorted(before))} to {after}, "
                f"but {event.target} is {state}",
            )
        if event.event == "ready" and state == NOT_INITIALIZED and one.has_requests:
            self._findings.error(
                event.line,
                "state-semaphore",
                f"ready comes after requests for {event.target} or releases of it",
            )
        one.state = after

    def _check_state_note(self, event: BtfEvent, one: _Semaphore, note: int | None) -> None:
        if note is None:
            if one.is_stepped and one.count is not None:
                self._check_count(event, one, one.count)
            else:
                one.count = None  # a request or release may have changed it
            return
        is_begin = event.event in {"ready", "free"} and not one.is_stepped
        if one.count is not None and not is_begin:
            # Without steps, one more process may have requested it, and waiters may have given up.
            least, most = one.count - one.released, one.count
            if not one.is_stepped:
                least, most = least - one.waiting, most + max(1, one.asked)
                one.gave_up += min(max(0, one.count - one.released - note), one.waiting)
            if not least <= note <= most:
                self._wrong(
                    event, f"has the note {note}, but {one.count} processes requested or hold it"
                )
        one.count = note
        self._check_count(event, one, note)

    def _check_count(self, event: BtfEvent, one: _Semaphore, count: int) -> None:
        """Check that a count is possible in the state that was entered."""
        if one.state == FREE and count != 0:
            self._wrong(event, f"means that it is free, but {count} processes have it")
        elif one.state == USED and (count < 1 or (one.most is not None and count >= one.most)):
            self._wrong(event, f"means that some have it and more can, but {count} have it")
        elif one.state == FULL:
            if one.most is not None and count != one.most:
                self._wrong(event, f"means that {one.most} have it, as before, but {count} do")
            one.most = count
        elif one.state == OVERFULL and one.most is not None and count <= one.most:
            self._wrong(event, f"means that more than {one.most} ask for it, but {count} do")

    def _step(self, event: BtfEvent, one: _Semaphore, note: int | None) -> None:
        step = _STEPS.get(event.event, 0)
        if step:
            one.counts = one.is_stepped = True
            if one.count is not None:
                one.count += step
                if one.count < 0:
                    self._wrong(event, "comes before any increment")
                    one.count = 0
        if note is None or not (step or event.event in _NOTED):
            return
        if self._is_old:
            # Listings of versions up to 2.1.5 note either the count before or the count after.
            one.count = note if one.count is None and not step else one.count
            return
        if one.count is None:
            one.count = note
            return
        is_after = event.event in _PASSED
        least = one.count - (one.released if is_after else 0)
        if step or not least <= note <= one.count + one.asked:
            if note != one.count:
                self._wrong(event, f"has the note {note}, but the count is {one.count}")
            one.count = note

    def _wrong(self, event: BtfEvent, text: str) -> None:
        self._findings.error(
            event.line, "semaphore-count", f"{event.event} of {event.target} {text}"
        )
