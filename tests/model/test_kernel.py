"""Threads and CPUs from events, with several boots, losses, streams and reused numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.columns import Row as Event
from tests.support.columns import columns, create, destroy, gap, name, state, switch
from tickertape.decode.bodies import Name
from tickertape.model.cpu_time import CpuTime
from tickertape.model.kernel import Interrupt, KernelModel
from tickertape.protocol.wire import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.events import EventColumns
    from tickertape.model.kernel import Kernel


def said(tid: int, text: str) -> dict[tuple[int, int], Name]:
    return {(ObjectKind.THREAD, tid): Name(ObjectKind.THREAD, 0, 0, 0, tid, 0, text)}


def kernel_of(
    *parts: EventColumns, names: Mapping[tuple[int, int], Name] | None = None, stream: int = 0
) -> Kernel:
    model = KernelModel(lambda _epoch: names or {}, stream=stream)
    for part in parts:
        model.feed(part)
    return model.finish()


def tasks(kernel: Kernel) -> list[tuple[int, int, str, int]]:
    return [(task.epoch, task.tid, task.name, task.run_ticks) for task in kernel.tasks]


def test_an_empty_tape() -> None:
    kernel = kernel_of()
    assert (kernel.events, kernel.duration_ticks, kernel.tasks) == (0, 0, ())
    assert (kernel.known_ticks, kernel.unknown_ticks) == (0, 0)
    assert kernel_of(columns([], [gap(0)])).events == 0


def test_threads_are_named_by_events_then_frames_then_numbers() -> None:
    rows = [switch(10, 0, 1), name(20, 1, "new"), switch(30, 1, 2), switch(60, 2, 3), Event(70)]
    kernel = kernel_of(columns(rows), names=said(1, "old") | said(2, "frame"))
    assert tasks(kernel) == [
        (0, 2, "frame", 30),
        (0, 1, "new", 20),  # a new name does not begin a new task
        (0, 3, "thread 3", 10),
    ]
    assert (kernel.duration_ticks, kernel.unknown_ticks) == (60, 0)
    assert kernel.by_code == {9 << 10: 3, 4 << 10 | 320: 1, 6 << 10 | 3: 1}


def test_threads_that_never_ran_are_listed() -> None:
    rows = [create(5, 7), name(6, 7, "ready")]
    kernel = kernel_of(columns(rows), names=said(8, "sleeper"))
    assert tasks(kernel) == [(0, 7, "ready", 0), (0, 8, "sleeper", 0)]


def test_an_interrupt_has_its_own_time() -> None:
    rows = [
        switch(10, 0, 1),
        Event(15, (3, 1), (17, 0)),
        Event(22, (3, 2), (17, 0)),
        state(30, 17, 1),  # the thread waits, and the kernel selects another one
        switch(33, 1, 0),
        Event(40, (3, 1), (17, 0)),
        Event(41, (3, 2), (17, 0)),
        Event(50),
    ]
    kernel = kernel_of(columns(rows))
    assert tasks(kernel) == [(0, 0, "idle", 16), (0, 1, "thread 1", 13)]
    assert kernel.interrupts == (Interrupt(0, 17, "irq1", 8),)
    assert kernel.cpus == {(0, 0): CpuTime(40, 13, 8, 16, 3, 0)}
    assert (kernel.known_ticks, kernel.kernel_ticks, kernel.unknown_ticks) == (40, 3, 0)


def test_chunks_do_not_matter() -> None:
    rows = [switch(10, 0, 1), Event(15), switch(30, 1, 2), Event(35), switch(60, 2, 1), Event(90)]
    whole = tasks(kernel_of(columns(rows)))
    for cut in range(len(rows) + 1):
        assert tasks(kernel_of(columns(rows[:cut]), columns(rows[cut:]))) == whole


def test_a_gap_hides_only_its_own_time() -> None:
    rows = [switch(10, 0, 1), Event(20), Event(50), switch(70, 2, 1), Event(80)]
    kernel = kernel_of(columns(rows, [gap(2, since=20)]))
    # Until the next switch, the running thread is unknown.
    assert tasks(kernel) == [(0, 1, "thread 1", 20), (0, 2, "thread 2", 0)]
    assert kernel.unknown_ticks == 50
    assert kernel.known_ticks + kernel.unknown_ticks == kernel.duration_ticks


def test_a_gap_at_the_end_of_a_chunk_counts_in_the_next() -> None:
    before, after = [switch(10, 0, 1), Event(20)], [Event(50), switch(70, 2, 1), Event(80)]
    split = kernel_of(columns(before, [gap(2, since=20)]), columns(after))
    whole = kernel_of(columns(before + after, [gap(2, since=20)]))
    assert tasks(split) == tasks(whole)
    assert split.unknown_ticks == whole.unknown_ticks


def test_a_gap_of_one_cpu_is_none_of_the_other() -> None:
    rows = [
        switch(10, 0, 1),
        switch(10, 0, 4, cpu=1),
        Event(50, cpu=0),
        Event(50, cpu=1),
    ]
    kernel = kernel_of(columns(rows, [gap(3, cpu=1, since=10)]))
    assert {t[1]: t[3] for t in tasks(kernel)} == {1: 40, 4: 0}
    assert kernel.cpus[0, 1].unknown_ticks == 40
    assert kernel.cpus[0, 0].unknown_ticks == 0


def test_a_cpu_is_unknown_before_its_first_record_and_keeps_its_state_after_the_last() -> None:
    rows = [switch(10, 0, 1), switch(25, 0, 4, cpu=1), switch(60, 4, 0, cpu=1), Event(100)]
    kernel = kernel_of(columns(rows))
    assert {t[1]: t[3] for t in tasks(kernel)} == {0: 40, 1: 90, 4: 35}
    assert kernel.cpus[0, 1].unknown_ticks == kernel.unknown_ticks == 15
    assert kernel.known_ticks + kernel.unknown_ticks == 2 * kernel.duration_ticks


def test_a_cpu_is_unknown_after_its_last_record_if_later_ones_may_be_missing() -> None:
    rows = [switch(10, 0, 1), switch(25, 0, 4, cpu=1), switch(60, 4, 0, cpu=1), Event(100)]
    tail = replace(gap(3, cpu=1, since=60), tail=True)
    kernel = kernel_of(columns(rows, [tail]))
    assert {t[1]: t[3] for t in tasks(kernel)} == {1: 90, 4: 35}
    assert kernel.unknown_ticks == 15 + 40
    assert kernel.known_ticks + kernel.unknown_ticks == 2 * kernel.duration_ticks


def test_a_number_that_is_used_again_is_another_task() -> None:
    rows = [
        create(0, 1),
        name(0, 1, "first"),
        switch(10, 0, 1),
        switch(30, 1, 0),
        create(40, 1),
        name(40, 1, "second"),
        switch(50, 0, 1),
        Event(55),
    ]
    kernel = kernel_of(columns(rows))
    assert tasks(kernel) == [
        (0, 1, "first", 20),
        (0, 0, "idle", 20),
        (0, 1, "second", 5),
    ]


def test_a_thread_that_is_created_again_under_its_name_is_the_same_task() -> None:
    rows = [
        create(0, 1),
        name(0, 1, "worker"),
        switch(10, 0, 1),
        switch(30, 1, 0),
        destroy(35, 1),
        create(40, 1),
        name(40, 1, "worker"),
        switch(50, 0, 1),
        Event(55),
    ]
    expected = [(0, 1, "worker", 25), (0, 0, "idle", 20)]
    assert tasks(kernel_of(columns(rows))) == expected
    without_names = [row for row in rows if row.payload is None]
    assert [task[3] for task in tasks(kernel_of(columns(without_names)))] == [25, 20]


def test_saying_again_that_a_thread_exists_makes_no_other() -> None:
    rows = [
        switch(10, 0, 1),
        Event(15),
        create(20, 1),  # a stream has started, with a state dump
        name(20, 1, "motor"),
        switch(30, 1, 0),
        create(40, 1),  # another state dump
        name(40, 1, "motor"),
        Event(50),
    ]
    kernel = kernel_of(columns(rows))
    assert tasks(kernel) == [(0, 1, "motor", 20), (0, 0, "idle", 20)]


def test_boots_are_kept_apart() -> None:
    first = columns([switch(10, 0, 1), Event(30)], epoch=0)
    second = columns([switch(5, 0, 1), Event(10)], epoch=1)
    kernel = kernel_of(first, second)
    assert tasks(kernel)[:2] == [(0, 1, "thread 1", 20), (1, 1, "thread 1", 5)]
    assert kernel.duration_ticks == 25


def test_only_one_stream_tells_who_ran() -> None:
    rows = [
        switch(10, 0, 1, stream=1),
        switch(10, 0, 1, stream=2),
        switch(30, 1, 0, stream=1),
        switch(30, 1, 0, stream=2),
    ]
    kernel = kernel_of(columns(rows, [gap(3, stream=2)]), stream=1)
    assert {t[1]: t[3] for t in tasks(kernel)} == {1: 20}
    assert kernel.unknown_ticks == 0
    assert kernel.events == 4
