"""The kernel trace facility: display files that Kiwi reads, and what they show is true."""

from __future__ import annotations

import random
import re
from decimal import Decimal
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.support.command import Command, assert_complaint
from tests.support.kiwi import KiwiFile, read_kiwi
from tests.support.target import SimulatedTarget
from tickertape.analysis.summary import summary_of as summarise
from tickertape.collector import capture
from tickertape.errors import TapeWriteFailed, UsageError
from tickertape.formats.ktrace.kiwi import KiwiType, event_line, word
from tickertape.formats.ktrace.write import export_ktrace, stream_of
from tickertape.formats.source import Source
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import ObjectKind, Policy
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

HZ = 25_000_000
SCHED, THREAD, SYNC, TRACER = 9, 4, 8, 14
SWITCH, OVERHEAD_BEGIN, OVERHEAD_END, PRIORITY, ACTIVATION, COMPLETION, MISS = 0, 1, 2, 5, 6, 7, 8
DEAD, RUNNING, READY, MUTEX = 0, 1, 2, 13
GRANTED, DENIED, TRIED, UNLOCK, WAIT, SIGNAL, BROADCAST = 0, 1, 2, 3, 6, 7, 8

TEXT = """\
0.000000000 cpu=0 posix_trace_task_state task=2:a {b} [c] $d priority=? state=ready is_linux=0
0.000001000 cpu=0 posix_trace_kernel_overhead type=start task=0:idle is_linux=1
0.000002000 cpu=0 posix_trace_context_switch task=1:motor priority=7 state=ready is_linux=0
0.000002000 cpu=0 posix_trace_kernel_overhead type=end task=1:motor is_linux=0
0.000003000 cpu=0 posix_trace_task_state task=1:motor priority=7 state=released is_linux=0
0.000004000 cpu=0 posix_trace_mutex_lock op=granted mutex=lock one task=1:motor
0.000005000 cpu=0 posix_trace_mutex_lock op=tried mutex=0x00002004 task=1:motor
0.000006000 cpu=0 posix_trace_cond_wait op=wait task=1:motor cond=0x00003000 mutex=lock one
0.000006000 cpu=0 posix_trace_task_state task=1:motor priority=7 state=suspended is_linux=0
0.000007000 cpu=0 posix_trace_context_switch task=2:a {b} [c] $d priority=? state=ready is_linux=0
0.000008000 cpu=0 posix_trace_mutex_lock op=denied mutex=lock one task=2:a {b} [c] $d
0.000009000 cpu=0 posix_trace_cond_broadcast op=signal task=2:a {b} [c] $d cond=0x00003000 \
mutex=lock one
0.000009000 cpu=0 posix_trace_cond_broadcast op=broadcast task=2:a {b} [c] $d cond=0x00003000 \
mutex=lock one
0.000010000 cpu=0 posix_trace_mutex_unlock mutex=lock one task=1:motor
0.000011000 cpu=0 posix_trace_task_state task=1:motor priority=7 state=ended is_linux=0
0.000013000 cpu=0 posix_trace_task_state task=1:motor priority=7 state=ended is_linux=0
"""


def taped(target: SimulatedTarget, path: Path) -> Path:
    target.finish()
    capture(MemoryLink([target.sent_bytes()]), path)
    return path


def exported(tape: Path, stream: int | None = None) -> tuple[KiwiFile, list[str]]:
    display, text = tape.with_suffix(".tra"), tape.with_suffix(".dbg")
    with TapeReader(tape) as reader:
        export_ktrace(Source(reader), display, dbg=text, stream=stream)
    return read_kiwi(display), text.read_text().splitlines()


def lines_of(file: KiwiFile) -> dict[str, int]:
    return {name: line for line, name in file.names.items()}


@pytest.mark.parametrize("example", ["priority_inversion", "philosophers"])
@pytest.mark.parametrize("target", ["native", "qemu-dual"])
def test_a_run_of_the_kernel(
    tickertape: Command, tmp_path: Path, target: str, example: str
) -> None:
    words = ["--target", target, "--example", example, "-o", "t.tape", "--duration", "1", "-q"]
    assert tickertape("run", *words).returncode == 0
    done = tickertape("ktrace", "t.tape", "-o", "t.tra")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"t\.tra, t\.dbg: [0-9 ]+ system events of stream 0 on [0-9]+ lines\n", done.stdout
    )
    file = read_kiwi(tmp_path / "t.tra")
    executed = file.intervals("EXEC")
    ready = file.intervals("READY")
    assert ready
    with TapeReader(tmp_path / "t.tape") as reader:
        summary = summarise(reader)
    # Run times equal those of the kernel model, up to some nanoseconds per slice.
    lines = lines_of(file)
    for task in summary.tasks:
        if task.name == "idle" and target == "qemu-dual":
            continue  # `idle` has a line for each CPU
        line = lines[word(task.name)]
        total = sum((end - begin for begin, end in executed[line]), Decimal(0))
        # The line includes interrupts and kernel time during the thread's turn.
        others = summary.kernel_ns + sum(one.run_ns for one in summary.interrupts)
        rounding = 2 * len(executed[line]) + 2_000
        assert -rounding <= float(total) * 1e9 - task.run_ns <= others + rounding
    for line, intervals in ready.items():
        for begin, end in intervals:
            assert not any(b < end and begin < e and b < e for b, e in executed[line])
    if example == "philosophers":
        locks = [event for event in file.events if event.type == "LOCK"]
        assert locks
        assert {event.text for event in locks} == {
            event.text for event in file.events if event.type == "UNLOCK"
        }


def test_every_kind_of_event(tmp_path: Path) -> None:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, now=1000)
    target.hello()
    for number, name in ((1, "motor"), (2, "a {b} [c] $d")):
        target.name(ObjectKind.THREAD, number, name)
    target.name(ObjectKind.MUTEX, 0x2000, "lock one")
    ring = (0, 0)

    def at(ticks: int, cls: int, event: int, data0: int, data1: int) -> None:
        target.advance(ticks)
        target.record(ring, cls, event, data0, data1)

    at(0, SCHED, PRIORITY, 1, 7)
    at(0, THREAD, READY, 0, 2)
    at(25, SCHED, OVERHEAD_BEGIN, 0, 0)
    at(25, SCHED, SWITCH, 0, 1)
    at(0, SCHED, OVERHEAD_END, 0, 1)
    at(25, SCHED, ACTIVATION, 1, 1)
    at(25, SYNC, GRANTED, 0x2000, 1)
    at(25, SYNC, TRIED, 0x2004, 2)
    at(25, SYNC, WAIT, 0x3000, 0x2000)
    at(0, THREAD, MUTEX, 0, 1)
    at(25, SCHED, SWITCH, 1, 2)
    at(25, SYNC, DENIED, 0x2000, 1)
    at(25, SYNC, SIGNAL, 0x3000, 1)
    at(0, SYNC, BROADCAST, 0x3000, 1)
    at(25, SYNC, UNLOCK, 0x2000, 1)
    at(25, SCHED, COMPLETION, 1, 1)
    at(25, SCHED, MISS, 1, 2)
    at(25, THREAD, DEAD, 0, 1)
    file, text = exported(taped(target, tmp_path / "t.tape"))
    assert file.names == {0: "kernel", 1: "a_b_c_d", 2: "motor"}
    motor, other = 2, 1
    assert [(int(e.time * 10**6), e.type, e.line, e.text) for e in file.events] == [
        (0, "READY-B", other, None),
        (1, "EXEC-B", 0, None),
        (2, "EXEC-B", motor, None),
        (2, "EXEC-E", 0, None),
        (3, "START", motor, None),
        (4, "LOCK", motor, "lock_one"),
        (5, "TEXTUNDER", motor, "0x00002004"),
        (6, "ARROWDOWN", motor, "0x00003000"),
        (7, "EXEC-E", motor, None),
        (7, "READY-E", other, None),
        (7, "EXEC-B", other, None),
        (8, "BLOCK", other, "lock_one"),
        (9, "ARROWUP", other, "0x00003000"),
        (9, "ARROWUP", other, "0x00003000"),
        (10, "UNLOCK", motor, "lock_one"),
        (11, "STOP", motor, None),
        (12, "DEADLINE", motor, None),
        (12, "EXEC-E", other, None),
    ]
    assert text == TEXT.splitlines()


def words_of(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


def test_what_the_trace_system_itself_recorded(tmp_path: Path) -> None:
    """There is a line for each predefined event, and for a condition whose wait was not traced."""
    target = SimulatedTarget(
        dictionary=DICTIONARY_HASH, buffer_records=32, buffers=2, policy=Policy.OVERWRITE
    )
    target.hello()
    ring = (0, 0)
    target.combine(ring, TRACER, 0, words_of(0, 0, 0x180, 1))
    target.combine(ring, TRACER, 2, words_of(0, 0, 0x180, 1, 2, 0x80000000))
    target.record(ring, TRACER, 5, 0)
    target.record(ring, TRACER, 7, 28)
    target.record(ring, TRACER, 7, 0xFFFFFFFB)
    target.record(ring, TRACER, 6, 0)
    target.record(ring, SYNC, SIGNAL, 0x3000, 1)
    target.record(ring, TRACER, 1, 0, 1)
    target.record(ring, TRACER, 0, 0)
    target.combine(ring, TRACER, 1, words_of(0)[:2])
    target.flush(ring)
    target.send_buffer(ring)
    for _ in range(140):
        target.advance(25)
        target.record(ring, 6, 1)
    _, text = exported(taped(target, tmp_path / "t.tape"))
    assert [line.split(" cpu=0 ")[-1] for line in text] == [
        "posix_trace_start filter=0x0000000100000180",
        "posix_trace_filter old=0x0000000100000180 new=0x8000000000000002",
        "posix_trace_flush_start",
        "posix_trace_error error=28",
        "posix_trace_error error=-5",
        "posix_trace_flush_stop",
        "posix_trace_cond_broadcast op=signal task=? cond=0x00003000 mutex=?",
        "posix_trace_stop auto=1",
        "posix_trace_start",
        "posix_trace_stop auto=0",
        text[10],
        "posix_trace_overflow",
        "posix_trace_resume",
    ]
    assert text[10].startswith("-- ")
    assert text[11].split()[0] < text[12].split()[0]


@pytest.mark.parametrize("seed", range(3))
def test_the_picture_has_each_interval_of_the_display(
    tickertape_inside: Command, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    target = SimulatedTarget(cpus=2, dictionary=DICTIONARY_HASH, buffers=2, policy=seed)
    target.hello()
    target.name(ObjectKind.THREAD, 3, '<&"ö')
    for _ in range(2000):
        target.advance(rng.randrange(100))
        ring = (0, rng.randrange(2))
        target.record(ring, rng.choice([SCHED, THREAD, SYNC]), rng.randrange(26), rng.randrange(9))
        if rng.random() < 0.03:
            target.send_buffer(ring)
    taped(target, tmp_path / "t.tape")
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--svg", "t.svg")
    assert done.returncode == 0
    assert "t.svg" in done.stdout
    file = read_kiwi(tmp_path / "t.tra")
    svg = ET.parse(tmp_path / "t.svg").getroot()  # noqa: S314 - our own file
    space = "{http://www.w3.org/2000/svg}"
    scale = 1000 / float(max(event.time for event in file.events))
    for kind in ("EXEC", "READY"):
        wanted = sorted(
            (150 + scale * float(begin), scale * float(stop - begin))
            for intervals in file.intervals(kind).values()
            for begin, stop in intervals
        )
        boxes = [box for box in svg.iter(f"{space}rect") if box.get("class") == kind.lower()]
        drawn = sorted((float(b.attrib["x"]), float(b.attrib["width"])) for b in boxes)
        assert len(drawn) == len(wanted)
        for (x, wide), (want_x, want_wide) in zip(drawn, wanted, strict=True):
            assert x == pytest.approx(want_x, abs=0.02)
            assert wide == pytest.approx(max(want_wide, 0.3), abs=0.11)
    texts = {text.text for text in svg.iter(f"{space}text")}
    assert set(file.names.values()) <= texts


def test_a_picture_has_so_many_events_at_most(
    tickertape_inside: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tickertape.formats.ktrace.svg.MOST_EVENTS", 6)
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, buffer_records=64)
    target.hello()
    for number in range(10):
        target.record((0, 0), SCHED, SWITCH, number % 2, 1 - number % 2)
        target.advance(HZ)
    taped(target, tmp_path / "t.tape")
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--svg", "t.svg")
    events = len(read_kiwi(tmp_path / "t.tra").events)
    assert f"no room for the last {events - 6} of its events" in done.stdout
    assert_complaint(tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--svg", "t.tra"), 2)
    assert_complaint(tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--svg", "t.tape"), 2)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_the_file_keeps_to_the_grammar(tmp_path: Path, seed: int) -> None:
    """Random events of two CPUs, with losses of every kind, give a valid file."""
    rng = random.Random(seed)
    target = SimulatedTarget(cpus=2, dictionary=DICTIONARY_HASH, buffers=2, policy=seed % 3)
    target.hello()
    target.name(ObjectKind.THREAD, 3, "ö\n\x00 $x")
    for _ in range(3000):
        target.advance(rng.randrange(100))
        ring = (0, rng.randrange(2))
        cls = rng.choice([SCHED, THREAD, SYNC, 14, 2])
        target.record(ring, cls, rng.randrange(26), rng.randrange(12), rng.randrange(12))
        if rng.random() < 0.03:
            target.send_buffer(ring)
    sent = [one.data for one in target.frames if rng.random() < 0.9 or one.ring is None]
    before = len(target.frames)
    target.finish()
    link = MemoryLink([b"".join(sent), *(one.data for one in target.frames[before:])])
    capture(link, tmp_path / "t.tape")
    file, text = exported(tmp_path / "t.tape")
    file.intervals("EXEC")
    file.intervals("READY")
    assert all(event.line in file.names for event in file.events if event.line is not None)
    lost = [line for line in text if line.startswith("-- ")]
    assert lost
    assert len([event for event in file.events if event.type == "VLINE"]) <= len(lost)


def test_more_tasks_than_lines(tickertape_inside: Command, tmp_path: Path) -> None:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, buffer_records=1000)
    target.hello()
    for number in range(1, 150):
        target.record((0, 0), SCHED, SWITCH, number - 1, number)
        target.advance(10)
    taped(target, tmp_path / "t.tape")
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--dbg", "u.txt")
    assert done.returncode == 0
    assert (
        "149 system events of stream 0 on 100 lines; no line was left for 50 tasks" in done.stdout
    )
    file = read_kiwi(tmp_path / "t.tra")
    assert set(file.names) == set(range(100))
    assert len((tmp_path / "u.txt").read_text().splitlines()) == 149


def test_a_trace_longer_than_a_display(tickertape_inside: Command, tmp_path: Path) -> None:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH)
    target.hello()
    for number in range(10):
        target.record((0, 0), SCHED, SWITCH, number % 2, 1 - number % 2)
        target.flush((0, 0))
        target.send_buffer((0, 0))
        target.advance(2000 * HZ)
    taped(target, tmp_path / "t.tape")
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra")
    assert "what is later than 9 999 s is left out" in done.stdout
    file = read_kiwi(tmp_path / "t.tra")
    assert max(event.time for event in file.events) == 8000


def test_the_stream_of_the_facility_is_found_by_its_name(
    tickertape_inside: Command, tmp_path: Path
) -> None:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, streams=3, boot_id=5)
    target.hello()
    target.stream_name(2, 1, "rtl_ktrace")
    target.record((2, 0), SCHED, SWITCH, 0, 1)
    target.record((0, 0), SCHED, SWITCH, 0, 1)
    target.record((0, 0), SCHED, SWITCH, 1, 2)
    target.finish()
    target.reset(boot_id=6)
    target.hello()
    target.record((2, 0), SCHED, SWITCH, 0, 1)
    target.record((2, 0), SCHED, SWITCH, 1, 2)
    tape = taped(target, tmp_path / "t.tape")
    with TapeReader(tape) as reader:
        assert stream_of(reader) == 2
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra")
    assert "1 system events of stream 2 on 2 lines; 1 more boots: choose" in done.stdout
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--boot", "1")
    assert "2 system events of stream 2 on 3 lines" in done.stdout
    done = tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--stream", "0")
    assert "2 system events of stream 0" in done.stdout


def test_what_cannot_be(tickertape_inside: Command, tmp_path: Path) -> None:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH)
    target.hello()
    target.record((0, 0), SCHED, SWITCH, 0, 1)
    tape = taped(target, tmp_path / "t.tape")
    assert_complaint(tickertape_inside("ktrace", "none.tape", "-o", "t.tra"), 4)
    (tmp_path / "x").write_bytes(b"no tape at all" * 100)
    assert_complaint(tickertape_inside("ktrace", "x", "-o", "t.tra"), 4)
    assert_complaint(tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--stream", "7"), 2)
    assert_complaint(tickertape_inside("ktrace", "t.tape", "-o", "t.tra", "--boot", "-1"), 2)
    assert_complaint(tickertape_inside("ktrace", "t.tape", "-o", "t.dbg"), 2)
    assert_complaint(tickertape_inside("ktrace", "t.tape", "-o", "nowhere/t.tra"), 4)
    assert not (tmp_path / "t.tra").exists()
    with TapeReader(tape) as reader, pytest.raises(TapeWriteFailed):
        export_ktrace(Source(reader), tmp_path / "t.tra", dbg=tmp_path / "none" / "t.dbg")
    assert not (tmp_path / "t.tra").exists()
    with TapeReader(tape) as reader, pytest.raises(UsageError):
        export_ktrace(Source(reader), tmp_path / "t.tra", boot=1)


def test_words_and_lines() -> None:
    assert word("") == "-"
    assert word("a b\t{c}") == "a_b_c_"
    assert event_line(1, KiwiType.EXEC_B, 3) == "0.000000001 EXEC-B 3\n"


@pytest.mark.parametrize(
    "line",
    [
        "1.0 EXEC-B 100",
        "1.0 EXEC-B 1 red",
        "1.0 LOCK 1 a",
        "1.0 NONE 1",
        "10000 START 1",
        "1.0 VLINE a {b} red",
        "2.0 START 1\n1.0 START 1",
        "1.0 START 1\nFROM 0",
    ],
)
def test_the_reader_of_this_test_is_strict(tmp_path: Path, line: str) -> None:
    (tmp_path / "t.tra").write_text(line)
    with pytest.raises(ValueError, match=r"."):
        read_kiwi(tmp_path / "t.tra")
