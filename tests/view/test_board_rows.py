"""Rows of CPUs and tasks, compared with schedules whose every tick has a known owner."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.boots import boots
from tests.support.columns import Row, columns, switch
from tests.support.examples import examples
from tests.support.plans import ROWS, Plan, columns_of, names
from tests.support.schedules import schedule, stopped, with_gap
from tickertape.decode.ticks import Clock
from tickertape.model.cpu_time import CpuTimes
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import State, scheduled
from tickertape.protocol.events import EventClass, IntEvent, IrqstateEvent
from tickertape.view.arrow_log import ArrowLog
from tickertape.view.axis import Place
from tickertape.view.board_rows import BoardRows, RowTable
from tickertape.view.rows import INTERRUPT, KERNEL, POINT, STATE_NAMES, RowLog, RowStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.decode.events import EventColumns

SEEDS = st.integers(0, 10_000)
CPUS = st.integers(1, 2)
PLACES = st.integers(0, 1000)


def rows_of(parts: Sequence[EventColumns], folder: Path) -> tuple[RowStore, RowTable]:
    """Make the rows of one boot with a clock of one tick per nanosecond."""
    table, log = RowTable(), RowLog(folder)
    arrows = ArrowLog(folder)
    rows = BoardRows(boots(lambda _epoch: Names({})), table, (log, arrows), "", 0)
    begin = min(int(part.time[0]) for part in parts if len(part))
    rows.begin(Place(0, Clock(None), 0), begin)
    for part in parts:
        rows.feed(part)
    end = rows.finish()
    log.finish(table.heads(), begin)
    arrows.finish([])
    return RowStore(folder, end + 1), table


def assert_same_times(parts: Sequence[EventColumns]) -> None:
    """Check the rows of CPUs, tasks and interrupts against `CpuTimes`, which `info` prints."""
    model = SystemModel(lambda _epoch: Names({}))
    times = CpuTimes(model.entities)
    for part in parts:
        times.feed(part, scheduled(model.feed(part)))
    with TemporaryDirectory() as name:
        store, table = rows_of(parts, Path(name))
        begin = int(store.column("time", 0)[0])
        edges = np.array([begin, store.end], np.int64)
        spent = [
            (ticks[1] - ticks[0]).tolist()
            for ticks in (store.sums(row, edges)[0] for row in range(len(store)))
        ]
    rows = table.to_json()
    for cpu, time in times.by_cpu().items():
        row = next(one for one in rows if (one["kind"], one["number"]) == ("cpu", cpu))
        found = spent[int(str(row["row"]))]
        assert found[State.RUNNING] == time.tasks_ticks
        assert found[INTERRUPT] == time.interrupts_ticks
        assert found[State.FREE] == time.idle_ticks
        assert found[KERNEL] == time.kernel_ticks
    ran = {
        (model.entities[one].kind, model.entities[one].name): ticks
        for one, ticks in times.by_entity().items()
    }
    shown: Counter[tuple[Kind, str]] = Counter()
    kinds = {"task": Kind.TASK, "interrupt": Kind.INTERRUPT}
    for row in rows:
        if row["kind"] in kinds:
            key = kinds[str(row["kind"])], str(row["name"]).partition(" on CPU ")[0]
            own = spent[int(str(row["row"]))]
            shown[key] += own[State.RUNNING] + own[State.POLLING]
    assert +shown == +Counter(ran)


@settings(max_examples=examples(25))
@given(SEEDS, CPUS, st.lists(PLACES, max_size=4))
def test_rows_contain_the_time_of_each_owner(seed: int, cpus: int, cuts: list[int]) -> None:
    whole = schedule(seed, cpus)
    places = sorted({0, len(whole.rows), *(cut % len(whole.rows) for cut in cuts)})
    assert_same_times([columns(whole.rows[a:b]) for a, b in pairwise(places)])


@settings(max_examples=examples(25))
@given(SEEDS, PLACES, PLACES)
def test_a_gap_is_unknown_and_not_idle(seed: int, first: int, count: int) -> None:
    whole = schedule(seed, 1)
    first = 1 + first % (len(whole.rows) - 1)
    part = with_gap(whole, first, first + count % 40, 0)
    assert_same_times([part.columns])
    gap = next(iter(part.columns.gaps), None)
    if gap is None or gap.begin_ticks is None or gap.row >= len(part.columns):
        return
    begin, end = gap.begin_ticks, int(part.columns.time[gap.row])
    with TemporaryDirectory() as name:
        store, table = rows_of([part.columns], Path(name))
        row = next(one for one in table.to_json() if one["kind"] == "cpu")
        found = store.slices(int(str(row["row"])), begin, end)
    for one in found:
        inside = min(int(one["end"]), end) - max(int(one["begin"]), begin)
        assert one["state"] == State.UNKNOWN or inside <= 0


@settings(max_examples=examples(25))
@given(SEEDS, PLACES, PLACES, st.integers(0, 3))
def test_stopped_time_is_nobodys(seed: int, first: int, count: int, strays: int) -> None:
    whole = schedule(seed, 1)
    first = 1 + first % (len(whole.rows) - 2)
    behind = min(first + count % 40, len(whole.rows) - 1)
    assert_same_times([stopped(whole, first, behind, strays).columns])


def test_who_polls_is_shown_apart_from_who_runs() -> None:
    lock = 0x100
    irqstate = EventClass.IRQSTATE
    part = columns(
        [
            switch(0, 0, 2, cpu=1),
            Row(1, (irqstate, IrqstateEvent.SPIN_LOCK), (lock, 0), cpu=1),
            switch(2, 0, 1),
            Row(4, (irqstate, IrqstateEvent.SPIN_WAIT), (lock, 0)),
            Row(7, (EventClass.INT, IntEvent.ENTRY), (16, 0)),
            Row(9, (EventClass.INT, IntEvent.EXIT), (16, 0)),
            Row(14, (irqstate, IrqstateEvent.SPIN_UNLOCK), (lock, 0), cpu=1),
            Row(15, (irqstate, IrqstateEvent.SPIN_LOCK), (lock, 0)),
            switch(17, 1, 0),
            switch(17, 2, 0, cpu=1),
        ]
    )
    assert_same_times([part])
    with TemporaryDirectory() as name:
        store, table = rows_of([part], Path(name))
        rows = table.to_json()
        where = {(row["kind"], row["number"]): int(str(row["row"])) for row in rows}
        task, cpu = where["task", 1], where["cpu", 0]
        slices = store.slices(task, 0, 16)
        of_cpu = [(one["begin"], STATE_NAMES[one["state"]]) for one in store.slices(cpu, 2, 16)]
    names = [(int(one["begin"]), STATE_NAMES[one["state"]]) for one in slices]
    assert names[names.index((2, "running")) :] == [
        (2, "running"),
        (4, "polling"),
        (7, "parking"),
        (9, "polling"),
        (15, "running"),
    ]
    polls = next(one for one in slices if one["begin"] == 4)
    assert int(polls["detail"]) == where["lock", lock]
    # The CPU's row shows only running, because the task keeps the CPU while it polls.
    assert of_cpu[-3:] == [(2, "running"), (7, "interrupt"), (9, "running")]
    assert [STATE_NAMES[one] for one in (KERNEL, INTERRUPT, POINT)] == [
        "kernel",
        "interrupt",
        "event",
    ]


@settings(max_examples=examples(25))
@given(st.lists(ROWS, min_size=1, max_size=3))
def test_events_in_any_order_give_rows_that_add_up(plan: Plan) -> None:
    table, axis = RowTable(), 0
    with TemporaryDirectory() as name:
        log = RowLog(Path(name))
        arrows = ArrowLog(Path(name))
        rows = BoardRows(boots(names), table, (log, arrows), "", 0)
        for epoch, part in enumerate(plan):
            made = columns_of(part, epoch)
            if not len(made):
                continue
            offset = axis + 10 - int(made.time.min())
            rows.begin(Place(epoch, Clock(None), offset), axis + 10)
            rows.feed(made)
            axis = rows.finish()
        log.finish(table.heads(), 0)
        arrows.finish([])
        store = RowStore(Path(name), axis + 1)
        edges = np.array([0, axis + 1], np.int64)
        for row in range(len(store)):
            ticks, _ = store.sums(row, edges)
            assert int((ticks[1] - ticks[0]).sum()) == axis + 1
