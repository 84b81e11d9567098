"""Traces for Perfetto and Chrome, as Perfetto's own trace processor reads them."""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.boots import boots
from tests.support.btf_tapes import HEAD, imported
from tests.support.examples import examples
from tests.support.lossy_tapes import capture, damaged, live, lossy
from tests.support.trace_processor import query
from tests.support.wire_bytes import RawRecord, hello_body
from tickertape._native.engine import engine, using
from tickertape.analysis.balance import balance_of
from tickertape.errors import UsageError
from tickertape.formats.source import Source
from tickertape.formats.timeline.chrome import export_chrome
from tickertape.formats.timeline.core_load import WINDOW_NS, CoreLoad
from tickertape.formats.timeline.perfetto import export_perfetto
from tickertape.link import MemoryLink
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import State
from tickertape.protocol.wire import BUFFER_HEADER
from tickertape.report.numbers import count
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command

EXPORTS = {"pftrace": export_perfetto, "json": export_chrome}
SLICES = """
    SELECT track.id, coalesce(thread.name, track.name), slice.ts, slice.dur, slice.name
    FROM slice JOIN track ON slice.track_id = track.id
    LEFT JOIN thread_track ON thread_track.id = track.id LEFT JOIN thread USING (utid)
"""
ERRORS = "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
SHOWN = {State.ACTIVE, State.READY, State.WAITING, State.SUSPENDED, State.PARKING}
SHOWN |= {State.RUNNING, State.POLLING}
SPINNING = (
    "0,Core_0,0,T,A,0,resume\n0,Core_1,0,T,B,0,resume\n1,L,0,SEM,L,0,free\n"
    "1,A,0,SEM,L,0,requestsemaphore\n1,L,0,SEM,L,0,lock\n1,A,0,SEM,L,0,assigned\n"
    "2,B,0,SEM,L,0,requestsemaphore\n2,Core_1,0,T,B,0,poll\n"
    "3,IRQ_y,0,STI,IRQ_y,0,trigger\n3,IRQ_y,0,I,ISR_y,0,activate\n"
    "3,Core_1,0,T,B,0,park\n3,Core_1,0,I,ISR_y,0,start\n"
    "5,Core_1,0,I,ISR_y,0,terminate\n5,Core_1,0,T,B,0,poll_parking\n"
    "7,A,0,SEM,L,0,released\n7,L,0,SEM,L,0,unlock\n7,L,0,SEM,L,0,lock\n"
    "7,B,0,SEM,L,0,assigned\n7,Core_1,0,T,B,0,run\n"
    "8,B,0,SEM,L,0,released\n8,L,0,SEM,L,0,unlock\n9,Core_0,0,T,A,0,terminate\n"
    "9,Core_1,0,T,B,0,terminate\n"
)

Slice = tuple[str, int, int, str]


def expected_slices(reader: TapeReader) -> list[Slice]:  # noqa: C901 - one rule after the other
    """Return the expected slices of tasks, interrupts and CPUs, computed from the transitions."""
    found: list[Slice] = []
    (boot,) = {ring.epoch for ring in reader.rings}
    model = SystemModel(lambda epoch: Names(reader.names(epoch)))
    hz = reader.clock(boot).hz
    open_: dict[int | str, tuple[int, str, str]] = {}  # by entity, or by CPU name
    core_of: dict[int, str] = {}
    last = 0

    def end(key: int | str, now: int) -> None:
        begin, name, track = open_.pop(key)
        found.append((track, begin, now - begin, name))

    for columns in iter_events(reader, stream=0):
        t = model.feed(columns)
        for row in range(len(t)):
            one = model.entities[int(t.entity[row])]
            if one.kind not in {Kind.TASK, Kind.INTERRUPT}:
                continue
            now = int(t.time[row]) * 10**9 // hz
            state = State(int(t.after[row]))
            before = open_[one.index][1] if one.index in open_ else ""
            name = state.name.capitalize() if state in SHOWN else ""
            if name == before:
                continue
            if before:
                end(one.index, now)
            core = f"CPU {t.cpu[row]}" if state in {State.RUNNING, State.POLLING} else ""
            left = core_of.get(one.index, "")
            if left and left != core:
                end(left, now)
            if name:
                open_[one.index] = now, name, one.name
            if core and left != core:
                open_[core] = now, one.name, core
            core_of[one.index] = core
        last = max(last, int(columns.time[-1]) * 10**9 // hz) if len(columns) else last
    for key in list(open_):
        end(key, last)
    return found


@pytest.mark.parametrize(
    ("target", "example", "suffix"),
    [
        ("native", "first_tape", "pftrace"),
        ("native", "messages", "json"),
        ("qemu", "messages", "pftrace"),
        ("qemu-dual", "first_tape", "pftrace"),
    ],
)
def test_the_trace_processor_finds_all_of_it(
    tickertape: Command, tmp_path: Path, target: str, example: str, suffix: str
) -> None:
    words = ("--target", target, "--example", example, "--duration", "0.2")
    assert tickertape("run", "-q", *words, "-o", "t.tape").returncode == 0
    trace = tmp_path / f"t.{suffix}"
    with TapeReader(tmp_path / "t.tape") as reader:
        report = EXPORTS[suffix](Source(reader), trace)
        assert report.counts["events"] == sum(len(part) for part in iter_events(reader, stream=0))
        expected = expected_slices(reader)
        assert balance_of(reader).total.holds
    slices, flows, errors, load = query(
        trace,
        tmp_path,
        SLICES,
        "SELECT count(*) FROM flow",
        ERRORS,
        "SELECT count(*), min(value), max(value), avg(value) FROM counter",
    )
    assert errors == []
    assert len(slices) == report.counts["slices"]
    assert flows == [(report.counts["flows"],)]
    assert report.counts["flows"] == 0 if example == "first_tape" else report.counts["flows"] > 10
    assert len({track for track, *_ in slices}) == report.counts["tracks"]
    tracks = {name for _, name, *_ in slices}
    by_track = defaultdict(list)
    for _, track, *values in slices:
        by_track[track].append(tuple(values))
    wanted = defaultdict(list)
    for track, *values in expected:
        wanted[track].append(tuple(values))
    for track, values in wanted.items():
        shown = [
            one for one in by_track[track] if one[2].split()[0] not in {"send", "receive", "reply"}
        ]
        assert sorted(shown) == sorted(values)
    held = [track for track in tracks if track.startswith("mutex")]
    assert bool(held) == (example == "first_tape")  # the other example has no mutex
    busy = sum(dur for _, track, _, dur, _ in slices if track.startswith("CPU "))
    ((values, least, most, average),) = load
    assert values == 20 * (2 if target == "qemu-dual" else 1)  # a counter for each CPU
    assert 0 <= least <= average <= most <= 100
    assert average * values * WINDOW_NS / 100 == pytest.approx(busy, rel=0.06)


@pytest.mark.parametrize("suffix", EXPORTS)
@pytest.mark.parametrize("compiled", [True, False])
def test_a_task_that_polls_keeps_its_core(tmp_path: Path, suffix: str, *, compiled: bool) -> None:
    imported(HEAD + SPINNING, tmp_path)
    trace = tmp_path / f"t.{suffix}"
    with TapeReader(tmp_path / "x.tape") as reader, using(engine() if compiled else None):
        EXPORTS[suffix](Source(reader), trace)
        expected = expected_slices(reader)
        assert balance_of(reader).total.holds
    (slices,) = query(trace, tmp_path, SLICES)
    shown = sorted(values for _, *values in slices if values[0] in {"B", "CPU 1"})
    assert shown == sorted(list(values) for values in expected if values[0] in {"B", "CPU 1"})
    assert shown == [
        ["B", 0, 2, "Running"],
        ["B", 2, 1, "Polling"],
        ["B", 3, 2, "Parking"],
        ["B", 5, 2, "Polling"],
        ["B", 7, 2, "Running"],
        ["CPU 1", 0, 3, "B"],
        ["CPU 1", 3, 2, "y"],
        ["CPU 1", 5, 4, "B"],
    ]


@pytest.mark.parametrize("seed", range(2))
def test_losses_are_marked_and_add_up(
    make_tape: Callable[[bytes], Path], tmp_path: Path, seed: int
) -> None:
    trace = tmp_path / "t.pftrace"
    with TapeReader(make_tape(lossy(seed)[1])) as reader:
        report = export_perfetto(Source(reader), trace)
        rings = [one for one in balance_of(reader).rings if one.ring.stream == 0]
    lost = sum(one.balance.lost for one in rings)
    assert all(one.balance.holds for one in rings)
    marked, strange, errors = query(
        trace,
        tmp_path,
        "SELECT s.name, s.dur FROM slice s JOIN track t ON s.track_id = t.id"
        " WHERE t.name LIKE 'Losses of CPU %'",
        "SELECT count(*) FROM slice WHERE dur < 0 OR depth > 0",
        ERRORS,
    )
    assert errors == []
    assert strange == [(0,)]
    assert sum(int(name.split()[0]) for name, _ in marked) == report.counts["lost"] == lost > 0


@settings(max_examples=examples(40))
@given(st.integers(0, 2**40))
def test_of_any_tape_both_show_the_same_and_all_losses(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    folder = tmp_path_factory.mktemp("views")
    capture(MemoryLink(damaged(live(rng), rng)[0]), folder / "t.tape")
    with TapeReader(folder / "t.tape") as reader:

        def names_of(epoch: int) -> Names:
            return Names(reader.names(epoch))

        for stream in {ring.stream for ring in reader.rings}:
            one = export_perfetto(Source(reader, boots(names_of)), folder / "one", stream=stream)
            two = export_chrome(Source(reader, boots(names_of)), folder / "two", stream=stream)
            events = json.loads((folder / "two").read_text())["traceEvents"]
            rings = [ring for ring in balance_of(reader).rings if ring.ring.stream == stream]
            lost = sum(max(ring.balance.lost, 0) for ring in rings)
            assert one == two
            assert one.counts["lost"] == lost
            assert sum(event["ph"] == "X" for event in events) == one.counts["slices"]
            assert all(event.get("dur", 0) >= 0 for event in events)


def test_json_is_json_and_names_everything(tickertape: Command, tmp_path: Path) -> None:
    words = ("--target", "native", "--example", "messages", "--duration", "0.1")
    tickertape("run", "-q", *words, "-o", "t.tape")
    done = tickertape("export", "chrome", "t.tape", "-o", "t.json")
    assert (done.returncode, done.stderr) == (0, "")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    named = {
        (one["pid"], one["tid"]): one["args"]["name"]
        for one in events
        if one["name"] == "thread_name"
    }
    slices = [one for one in events if one["ph"] == "X"]
    assert {(one["pid"], one["tid"]) for one in slices} == set(named)
    assert {"server", "fast", "slow", "CPU 0"} <= set(named.values())
    out = {one["bind_id"] for one in slices if one.get("flow_out")}
    assert {one["bind_id"] for one in slices if one.get("flow_in")} <= out
    ends = sum(bool(one.get("flow_in")) for one in slices)
    said = f"{count(len(slices))} slices on {len(named)} tracks; {ends} messages as flows"
    assert done.stdout == f"t.json: {said}\n"


def test_what_cannot_be_done_is_one_line(
    tickertape_inside: Command, tape: Path, tmp_path: Path
) -> None:
    for words, code, part in (
        (("perfetto", tape, "-o", "x", "--stream", "3"), 2, "has no stream 3; "),
        (("perfetto", tape, "-o", "none/x"), 4, "cannot be written (No such file or directory); "),
        (("chrome", tape, "-o", "/dev/full"), 4, "(No space left on device); "),
        (("perfetto", tape, "-o", "/dev/full"), 4, "(No space left on device); "),
    ):
        done = tickertape_inside("export", *words)
        assert done.returncode == code
        assert done.stderr.count("\n") == 1
        assert part in done.stderr
    assert not (tmp_path / "x").exists()
    assert tickertape_inside("export", "perfetto", tape, "-o", "x").returncode == 0


def test_without_the_package_it_says_what_to_install(
    tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "perfetto.protos.perfetto.trace.perfetto_trace_pb2", None)
    with TapeReader(tape) as reader, pytest.raises(UsageError, match=r"tickertape\[perfetto\]"):
        export_perfetto(Source(reader), tmp_path / "x")


def test_load_of_a_cpu_leaves_out_what_is_not_known() -> None:
    load = CoreLoad()
    ms = 1_000_000
    load.steps(0, np.array([0, 5 * ms, 12 * ms]), np.array([1, -1, 1]))
    ((cpu, times, values),) = load.take(25 * ms)
    assert (cpu, times.tolist()) == (0, [0, 10 * ms])
    assert values.tolist() == [50.0, 80.0]
    load.lose(0, 31 * ms, 38 * ms)
    load.steps(0, np.array([31 * ms, 45 * ms]), np.array([-1, 1]))
    ((_, times, values),) = load.take(60 * ms)
    assert times.tolist() == [20 * ms, 40 * ms, 50 * ms]
    assert values.tolist() == [100.0, 50.0, 100.0]


def test_the_load_of_a_long_pause_is_one_value() -> None:
    """The number of values follows the number of changes, exactly, after any time."""
    load = CoreLoad()
    years_60 = 60 * 365 * 86_400 * 10**9 // WINDOW_NS * WINDOW_NS
    ms = 1_000_000
    load.steps(0, np.array([0, years_60 + 3 * ms]), np.array([1, -1]))
    ((_, times, values),) = load.take(2 * years_60)
    assert times.tolist() == [0, years_60, years_60 + WINDOW_NS]
    assert values.tolist() == [100.0, 30.0, 0.0]
    load.steps(0, np.array([3 * years_60]), np.array([1]))
    ((_, times, values),) = load.take(3 * years_60 + 5 * WINDOW_NS)
    assert (times.tolist(), values.tolist()) == ([3 * years_60], [100.0])


@pytest.mark.parametrize("suffix", EXPORTS)
@pytest.mark.parametrize("compiled", [True, False])
def test_the_size_of_an_export_follows_the_events(
    tmp_path: Path, suffix: str, *, compiled: bool
) -> None:
    """A pause of 60 years costs nothing; past 292 years the export is refused in one line."""
    sizes = []
    for number, years in enumerate((0, 60, 290)):
        path = far_tape(tmp_path / f"{number}.tape", years * 365 * 86_400 * 25_000_000)
        with using(engine() if compiled else None), TapeReader(path) as reader:
            EXPORTS[suffix](Source(reader), tmp_path / "out")
        sizes.append((tmp_path / "out").stat().st_size)
    assert max(sizes) < min(sizes) + 400
    path = far_tape(tmp_path / "far.tape", 300 * 365 * 86_400 * 25_000_000)
    with (
        using(engine() if compiled else None),
        TapeReader(path) as reader,
        pytest.raises(UsageError, match="past 292 years"),
    ):
        EXPORTS[suffix](Source(reader), tmp_path / "far")


def far_tape(path: Path, pause: int) -> Path:
    """Make a tape of a task that runs, and runs again after a pause."""
    kind, moments = (9, 0), (1000, 500_000, pause + 1_000_000, pause + 1_400_000)
    with TapeWriter(path) as writer:
        writer.hello(hello_body())
        for ordinal, ticks in enumerate(moments):
            record = RawRecord(0, 0, *kind, ticks, ordinal % 2, 1 - ordinal % 2)
            head = BUFFER_HEADER.build(
                {
                    "first_ordinal": ordinal,
                    "dropped": 0,
                    "sent": ordinal,
                    "ticks": ticks,
                    "sequence": ordinal,
                    "count": 1,
                    "ring_number": 0,
                    "flags": 0,
                }
            )
            writer.buffer(0, 0, head + record.pack("<"))
    return path
