"""Callbacks: arguments and order of the calls, for complete, lossy and growing tapes."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

import tickertape
from tests.support.target import target_with_events
from tests.support.wire_bytes import (
    BEGIN,
    CONTINUE,
    END,
    SIMPLE,
    RawRecord,
    buffer_body,
    hello_body,
)
from tickertape.errors import TapeMissing, UsageError
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape import Event, Gap


def test_classes_events_patterns_and_ranges(tape: Path) -> None:
    parser = tickertape.Parser()
    calls: dict[str, int] = {}

    def count(name: str) -> Callable[[Event], None]:
        def called(_: Event) -> None:
            calls[name] = calls.get(name, 0) + 1

        return called

    for what in ("SCHED", "sync", "USER.1", "MUTEX_*", "*", "IRQSTATE"):
        parser.on(what)(count(what))
    parser.on("USER", 0, 0)(count("nothing"))
    parser.on("USER", 1, 5)(count("range"))
    report = parser.run(tape)
    assert calls == {"SCHED": 40, "sync": 20, "USER.1": 20, "MUTEX_*": 20, "*": 81, "range": 20}
    assert (report.events, report.calls) == (81, sum(calls.values()))
    assert (report.gaps, report.stopped, report.counters.events) == (0, False, 81)


def test_order_is_that_of_time_then_of_registration(tape: Path) -> None:
    parser = tickertape.Parser()
    seen: list[tuple[str, int]] = []

    @parser.on("SCHED")
    def first(event: Event) -> None:
        seen.append(("first", event.time_ticks))

    @parser.on("*")
    def second(event: Event) -> None:
        seen.append(("second", event.time_ticks))

    parser.run(tape)
    assert [time_ for _, time_ in seen] == sorted(time_ for _, time_ in seen)
    assert [name for name, _ in seen[:4]] == ["second", "first", "second", "second"]
    assert callable(first)
    assert callable(second)


def test_unknown_names_are_refused_at_once() -> None:
    with pytest.raises(UsageError, match="there is no event class NOISE"):
        tickertape.Parser().on("NOISE")
    with pytest.raises(UsageError, match=r"there is no event USER\.1024"):
        tickertape.Parser().on("USER.1024")
    with pytest.raises(TapeMissing):
        tickertape.Parser().run("none.tape")


def test_a_callback_may_stop_or_fail(tape: Path) -> None:
    parser = tickertape.Parser()

    @parser.on("USER")
    def enough(_: Event) -> None:
        parser.stop()

    report = parser.run(tape)
    assert (report.calls, report.stopped) == (1, True)
    assert parser.run(tape).calls == 1  # another run begins at the first event again

    @parser.on("SYNC")
    def fails(_: Event) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        parser.run(tape)


def test_gaps_are_told_where_they_are(make_tape: Callable[[bytes], Path]) -> None:
    target = target_with_events()
    target.finish()
    sent = [one.data for one in target.frames if one.number not in {5, 6}]
    parser = tickertape.Parser()
    seen: list[str] = []

    @parser.on_gap
    def lost(gap: Gap) -> None:
        seen.append(f"gap {gap.lost}")

    parser.on("USER")(lambda event: seen.append(str(event.words[0])))
    report = parser.run(make_tape(b"".join(sent)))
    assert report.gaps == 1
    place = seen.index("gap 8")
    assert int(seen[place + 1]) - int(seen[place - 1]) == 3
    assert callable(lost)


def test_incomplete_and_orphaned_parts_are_reported_and_nobody_is_called(tmp_path: Path) -> None:
    kinds = [(BEGIN, 1), (CONTINUE, 2), (END, 3), (SIMPLE, 4)]
    data = b"".join(RawRecord(kind, 0, 6, event, 5, 0, 0).pack("<") for kind, event in kinds)
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(hello_body())
        writer.buffer(0, 0, buffer_body((0, 0, 0), 5, 0, data))
    parser = tickertape.Parser()
    seen: list[int] = []
    parser.on("USER")(lambda event: seen.append(event.event))
    counters = parser.run(tmp_path / "t.tape").counters
    assert seen == [4]
    assert (counters.incomplete_events, counters.orphan_records) == (1, 2)


def test_a_growing_tape_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "t.tape"
    writer = TapeWriter(path)
    writer.hello(hello_body())
    arrived: list[int] = []

    def record() -> None:
        for number in range(5):
            data = RawRecord(SIMPLE, 0, 6, 1, number, number, 0).pack("<")
            writer.buffer(0, 0, buffer_body((number, 0, number), number, number, data))
            writer.flush()
            deadline = time.monotonic() + 100
            while len(arrived) <= number and time.monotonic() < deadline:
                time.sleep(0.005)  # the event is reported while the tape is open
        writer.close()

    parser = tickertape.Parser()
    parser.on("USER")(lambda event: arrived.append(event.words[0]))
    thread = threading.Thread(target=record)
    thread.start()
    report = parser.follow(path, pause_s=0.01)
    thread.join()
    assert arrived == list(range(5))
    assert (report.events, report.stopped) == (5, False)


def test_following_ends_when_a_callback_stops_it(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(hello_body())
        data = RawRecord(SIMPLE, 0, 6, 1, 5, 0, 0).pack("<")
        writer.buffer(0, 0, buffer_body((0, 0, 0), 5, 0, data))
        writer.flush()
        parser = tickertape.Parser()
        parser.on("*")(lambda _: parser.stop())
        assert parser.follow(tmp_path / "t.tape").stopped


@pytest.mark.parametrize(("first", "last"), [(-1, 9), (5, 4), (0, -1)])
def test_a_range_that_is_none_is_refused(first: int, last: int) -> None:
    with pytest.raises(UsageError, match="is not a range of events; give the lower number first"):
        tickertape.Parser().on("USER", first, last)


def test_a_stream_that_is_not_on_the_tape_is_refused(tape: Path) -> None:
    parser = tickertape.Parser()
    assert parser.run(tape, stream=0).events == 81
    with pytest.raises(UsageError, match="has no stream 9"):
        parser.run(tape, stream=9)
