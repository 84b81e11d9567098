"""Processes that spin: polling, parking, and the transitions without them (`scheduled`)."""

from __future__ import annotations

from tests.model.follow import of, said_of
from tests.support.columns import Row, columns, switch
from tickertape.answers.locks import Uses
from tickertape.answers.observed import Observed
from tickertape.model.cpu_time import CpuTimes
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import Action, State, scheduled
from tickertape.protocol.events import EventClass, IntEvent, IrqstateEvent, ThreadEvent

_LOCK = EventClass.IRQSTATE, IrqstateEvent.SPIN_LOCK
_WAIT = EventClass.IRQSTATE, IrqstateEvent.SPIN_WAIT
_UNLOCK = EventClass.IRQSTATE, IrqstateEvent.SPIN_UNLOCK
_ENTRY = EventClass.INT, IntEvent.ENTRY
_EXIT = EventClass.INT, IntEvent.EXIT
_END = EventClass.IRQSTATE, IrqstateEvent.SPIN_END
_SLEEPS = EventClass.THREAD, ThreadEvent.NANOSLEEP

L = 0x100


def actions(rows: list[Row], name: str = "thread 1") -> list[str]:
    """Return the actions of an entity, except FOUND and RESUME."""
    return [action for _, action in of(said_of(rows), name) if action not in {"FOUND", "RESUME"}]


def test_a_process_polls_until_it_has_the_spin_lock() -> None:
    rows = [
        switch(0, 0, 2, cpu=1),
        Row(1, _LOCK, (L, 0), cpu=1),
        switch(2, 0, 1),
        Row(3, _WAIT, (L, 0)),
        Row(4, _UNLOCK, (L, 0), cpu=1),
        Row(5, _LOCK, (L, 0)),
    ]
    assert actions(rows) == ["POLL", "RUN"]
    assert actions(rows, "spin lock 0x100") == ["TAKE", "QUEUE", "GIVE", "GRANT"]


def test_an_interrupt_parks_who_polls() -> None:
    rows = [
        switch(0, 0, 1),
        Row(1, _WAIT, (L, 0)),
        Row(2, _ENTRY, (16, 0)),
        Row(3, _EXIT, (16, 0)),
        Row(4, _LOCK, (L, 0)),
    ]
    assert actions(rows) == ["POLL", "PARK", "POLL_PARKING", "RUN"]


def test_a_switch_parks_who_polls_and_another_cpu_takes_it_on() -> None:
    rows = [
        switch(0, 0, 1),
        Row(1, _WAIT, (0, 0)),
        switch(2, 1, 2),
        switch(3, 0, 1, cpu=1),
        switch(4, 1, 0, cpu=1),
        Row(5, _END, (0, 1), cpu=1),
        switch(6, 2, 1),
    ]
    wanted = ["POLL", "PARK", "POLL_PARKING", "PARK", "RELEASE_PARKING"]
    assert actions(rows) == wanted


def test_who_gives_up_a_spin_lock_leaves_it() -> None:
    rows = [switch(0, 0, 1), Row(1, _WAIT, (L, 0)), Row(2, _END, (L, 0))]
    assert actions(rows) == ["POLL", "RUN"]
    assert actions(rows, "spin lock 0x100") == ["QUEUE", "LEAVE"]


def test_who_waits_polls_no_longer() -> None:
    rows = [switch(0, 0, 1), Row(1, _WAIT, (0, 0)), Row(2, _SLEEPS, (0, 1))]
    assert actions(rows) == ["POLL", "RUN", "WAIT"]


def test_the_cpu_time_of_who_polls_is_its_own() -> None:
    rows = [
        switch(0, 0, 1),
        Row(10, _WAIT, (L, 0)),
        Row(20, _ENTRY, (16, 0)),
        Row(25, _EXIT, (16, 0)),
        Row(40, _LOCK, (L, 0)),
        switch(50, 1, 0),
    ]
    part = columns(rows)
    model = SystemModel(lambda _epoch: Names({}))
    found = scheduled(model.feed(part))
    assert not {Action.POLL, Action.RUN, Action.PARK} & set(found.action.tolist())
    assert max(found.before.max(), found.after.max()) < State.POLLING
    times = CpuTimes(model.entities)
    times.feed(part, found)
    assert times.by_cpu()[0].tasks_ticks == 45
    assert times.by_cpu()[0].interrupts_ticks == 5


def test_statistics_count_the_waits_for_a_spin_lock() -> None:
    rows = [
        switch(0, 0, 2, cpu=1),
        Row(1, _LOCK, (L, 0), cpu=1),
        switch(2, 0, 1),
        Row(3, _WAIT, (L, 0)),
        Row(4, _UNLOCK, (L, 0), cpu=1),
        Row(5, _LOCK, (L, 0)),
        Row(8, _UNLOCK, (L, 0)),
    ]
    model = SystemModel(lambda _epoch: Names({}))
    uses = Uses((0, 100))
    uses.feed(scheduled(model.feed(columns(rows))), model.entities, Observed())
    (lock,) = [one.index for one in model.entities if one.kind is Kind.SPINLOCK]
    assert (uses.of(lock).takes, uses.of(lock).contended) == (2, 1)
