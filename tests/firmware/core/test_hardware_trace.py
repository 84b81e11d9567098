"""The hardware's trace together with the recorder's, from a model of ITM and DWT to the tape.

The code under test is firmware/links/hardware_trace.c; the host captures the bytes of the pin.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, build_driver
from tests.support.data_program import built as data_program
from tests.support.examples import examples
from tests.support.patience import HANG_S
from tickertape.analysis.balance import balance_of
from tickertape.api.recording import Recording
from tickertape.collector.capture import CaptureOptions, capture
from tickertape.decode.itm import DataTrace
from tickertape.decode.one_stream import HARDWARE_STREAM as STREAM
from tickertape.link.opener import open_link
from tickertape.link.swo import SwoLink
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, IntEvent, SignalEvent, SystemEvent
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.command import Command

FULL, STATE, ARGUMENT = -4, -2, -1
EXCEPTIONS, SAMPLES = 1, 2
WRITE = event_code(EventClass.SIGNAL, SignalEvent.WRITE)
CODE = event_code(EventClass.SYSTEM, SystemEvent.ADDRESS)
ENTRY = event_code(EventClass.INT, IntEvent.ENTRY)
EXIT = event_code(EventClass.INT, IntEvent.EXIT)
USER = event_code(EventClass.USER, 1)
END = "z\nd 50\n"

Row = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hardware_trace")
    links = [
        FIRMWARE / "links" / name for name in ("byte_ring.c", "ring_link.c", "hardware_trace.c")
    ]
    return build_driver(folder, "hardware_trace_driver.c", sources=[PLAIN_PORT, *links])


def run(program: Path, folder: Path, script: str) -> list[int]:
    """Write `pin` into a folder; return the printed numbers, the last one the offered records."""
    done = subprocess.run(
        [program, folder / "pin"],
        input=script + END,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return [int(line) for line in done.stdout.split()]


@dataclass
class Tape:
    """Contents of the tape of a captured pin.

    Attributes:
        hardware: events of the hardware: time, code and two words.
        recorded: first word of each recorded event USER 1.
        order: time and stream of each event, in the order of the tape.
        note: the last note of the tape.
        unknown_gaps: number of gaps of unknown size.
        offered: number of records offered to stream 0.
    """

    hardware: list[Row] = field(default_factory=list)
    recorded: list[int] = field(default_factory=list)
    order: list[tuple[int, int]] = field(default_factory=list)
    note: str = ""
    unknown_gaps: int = 0
    offered: int = 0


def captured(folder: Path) -> Tape:
    link = open_link(f"swo:{folder / 'pin'}")
    result = capture(link, folder / "t.tape", CaptureOptions(handle_signals=False))
    assert not result.problems, result.problems
    tape = Tape()
    with TapeReader(folder / "t.tape") as reader:
        for one in balance_of(reader).rings:
            if one.ring.stream == 0:
                found = one.balance
                tape.offered = found.offered
                assert found.offered == (
                    found.delivered + found.overwritten + found.dropped + found.damaged
                )
        tape.note = reader.notes[-1] if reader.notes else ""
        for columns in iter_events(reader):
            tape.unknown_gaps += sum(gap.stream == STREAM for gap in columns.gaps)
            rows = zip(
                *(
                    column.tolist()
                    for column in (
                        columns.stream,
                        columns.time,
                        columns.code,
                        columns.data0,
                        columns.data1,
                    )
                ),
                strict=True,
            )
            for stream, time, code, word0, word1 in rows:
                tape.order.append((time, stream))
                if stream == STREAM:
                    tape.hardware.append((time, code, word0, word1))
                elif code == USER:
                    tape.recorded.append(word0)
    return tape


def joined(program: Path, folder: Path, script: str) -> tuple[list[int], Tape]:
    printed = run(program, folder, script)
    tape = captured(folder)
    assert tape.offered == printed[-1]
    return printed[:-1], tape


def test_the_events_of_both_have_one_time(program: Path, tmp_path: Path) -> None:
    script = (
        "t 1000\nv 536870912 4\ne 1\nd 1\n"
        "t 100\nw 536870912 4 4294967295 134218001\nt 10\ne 1\n"
        "t 5\nw 536870914 2 7 134218003\nd 1\n"
    )
    printed, tape = joined(program, tmp_path, script)
    assert printed == [0]
    assert tape.hardware == [
        (1100, CODE, 134218001, 1),
        (1100, WRITE, 0x20000000, 0xFFFFFFFF),
        (1115, CODE, 134218003, 1),
        (1115, WRITE, 0x20000000, 7),
    ]
    assert tape.recorded == [0, 1]
    times = [time for time, _ in tape.order]
    assert times == sorted(times)
    assert tape.order.index((1110, 0)) == tape.order.index((1115, STREAM)) - 1
    assert tape.note == (
        "hardware trace: 4 events in stream 255, joined to the target's clock 1 times, "
        "0 ticks apart at most"
    )


def test_a_longer_variable_is_reported_by_address(program: Path, tmp_path: Path) -> None:
    """No block of up to 32 KiB covers 20 bytes across a multiple of 64 KiB; others are watched."""
    begin = 0x2000_FFFC
    refused, _ = joined(program, tmp_path, f"v {begin} 20\n")
    assert refused == [ARGUMENT]
    script = (
        f"v {0x20000104} 20\nd 1\nt 9\n"
        f"w {0x20000104} 4 1 99\nt 1\nw {0x20000114} 2 2 99\nt 1\nw {0x20000117} 1 3 99\nt 1\n"
        f"w {0x20000118} 4 4 99\nw {0x20000100} 4 5 99\nd 1\n"
    )
    printed, tape = joined(program, tmp_path, script)
    assert printed == [0]
    assert tape.hardware == [
        (9, WRITE, 0x20000104, 1),
        (10, WRITE, 0x20000114, 2),
        (11, WRITE, 0x20000117, 3),
    ]
    assert tape.note.endswith("2 access to a neighbour of a watched variable, left out")


def test_comparators_run_out_and_come_back(program: Path, tmp_path: Path) -> None:
    script = (
        "c 2\nv 536870912 4\nv 536870916 4\nv 536870920 4\nv 536870924 4\nd 1\n"
        "w 536870920 4 1 7\nq 3\nq 3\nq 9\nq 2\nw 536870920 4 2 7\nd 1\nv 536870924 4\nd 1\n"
        "w 536870924 4 3 7\nd 1\n"
    )
    printed, tape = joined(program, tmp_path, script)
    assert printed == [0, 1, 3, FULL, 0, ARGUMENT, ARGUMENT, ARGUMENT, 3]
    written = [row[2:] for row in tape.hardware if row[1] == WRITE]
    assert written == [(536870920, 1), (536870924, 3)]


def test_what_cannot_be_watched(program: Path, tmp_path: Path) -> None:
    script = f"v 536870912 0\nv {0xFFFFFFFF} 2\nv {0x20000000} 32768\nv {0x20000000} 32769\n"
    printed, _ = joined(program, tmp_path, script)
    assert printed == [ARGUMENT, ARGUMENT, 0, ARGUMENT]


@pytest.mark.parametrize(
    ("cycles", "unit", "taps"),
    [
        *((0, 64, 0), (64, 64, 0), (65, 64, 1), (1024, 64, 15)),
        *((1025, 1024, 1), (16384, 1024, 15), (10**6, 1024, 15)),
    ],
)
def test_samples_come_no_more_often_than_asked(
    program: Path, tmp_path: Path, cycles: int, unit: int, taps: int
) -> None:
    printed = run(program, tmp_path, f"s {SAMPLES} {cycles}\n")
    wanted = 4 << 28 | 1 << 12 | (unit > 64) << 9 | taps << 1 | 1 << 10 | 1
    assert printed[0] == wanted


def test_exceptions_need_no_event_of_the_software(program: Path, tmp_path: Path) -> None:
    script = f"s {EXCEPTIONS} 0\nt 10\nx 15 1\nt 3\nx 15 2\nd 1\n"
    _, tape = joined(program, tmp_path, script)
    assert tape.hardware == [(10, ENTRY, 15, 0), (13, EXIT, 15, 0)]


def test_a_loss_leaves_the_times_behind_it_right(program: Path, tmp_path: Path) -> None:
    """An overflow loses time stamps; the next announcement restores the time."""
    script = (
        "v 536870912 4\nd 1\nt 7\nw 536870912 4 1 9\nt 5000\nl\nt 11\nw 536870912 4 2 9\n"
        "t 1000000\nd 1\nt 2\nw 536870912 4 3 9\nd 1\n"
    )
    _, tape = joined(program, tmp_path, script)
    written = [(row[0], row[3]) for row in tape.hardware if row[1] == WRITE]
    assert written == [(7, 1), (5018, 2), (1005020, 3)]
    assert tape.unknown_gaps == 1
    assert "1 places where the trace unit lost packets" in tape.note
    assert "not certain" not in tape.note


def test_a_loss_without_an_announcement_behind_it(program: Path, tmp_path: Path) -> None:
    script = "v 536870912 4\nd 1\nt 7\nw 536870912 4 1 9\nt 5000\nl\nt 11\nw 536870912 4 2 9\n"
    _, tape = joined(program, tmp_path, script)
    assert len(tape.hardware) == 4
    assert "2 events whose time is not certain" in tape.note


def test_an_announcement_that_the_port_cuts_is_left_out(program: Path, tmp_path: Path) -> None:
    script = "v 536870912 4\np 0\nd 1\np 1\nt 1000000\nd 2\nt 3\nw 536870912 4 1 9\nd 3\n"
    _, tape = joined(program, tmp_path, script)
    assert [row for row in tape.hardware if row[1] == WRITE] == [(1000003, WRITE, 536870912, 1)]


@pytest.mark.parametrize("build_id", ["abcd" + 36 * "0", 40 * "1"])
def test_variables_have_names_and_types(
    program: Path, tickertape_inside: Command, tmp_path: Path, build_id: str
) -> None:
    """Names and types come only from the ELF file of the running build."""
    is_named = build_id.startswith("abcd")
    elf, said = data_program(tmp_path, "gcc", f"-gdwarf-5 -O1 -Wl,--build-id=0x{build_id}")
    values = {
        "motors[0].speed": (0xC0200000, "-2.5"),
        "motors[1].wheels[2].left": (0xFFFB, "-5"),
        "motors[1].mode": (3, "RUN"),
        "flag": (1, "true"),
    }
    script = ""
    for name in values:
        script += f"v {said[name][0]} {said[name][1]}\n"
    script += "d 1\n"
    for name, (value, _) in values.items():
        script += f"t 1\nw {said[name][0]} {said[name][1]} {value} {said['number'][0]}\n"
    assert run(program, tmp_path, script)[:-1] == [0, 1, 2, 3]
    done = tickertape_inside("capture", "swo:pin", "-o", "T.tape", "--symbols", elf)
    assert done.returncode == (0 if is_named else 6), done.stderr
    assert "\nhardware trace: 8 events in stream 255" in done.stdout
    done = tickertape_inside("print", "T.tape", "--class", "SIGNAL")
    shown = re.findall(r"signal=(\S+) value=(\S+)", done.stdout)
    if is_named:
        assert shown == [(name, text) for name, (_, text) in values.items()]
        lines = tickertape_inside("print", "T.tape", "--class", "SIGNAL", "--style", "jsonl").stdout
        names = [json.loads(line)["names"] for line in lines.splitlines()]
        assert names == [{"signal": name, "value": text} for name, (_, text) in values.items()]
    else:
        assert shown == [(f"0x{said[name][0]:08x}", hex(values[name][0])) for name in values]


def test_debug_information_that_cannot_be_read_ends_no_capture(
    program: Path, tickertape_inside: Command, tmp_path: Path
) -> None:
    elf, said = data_program(tmp_path, "gcc", f"-gdwarf-5 -O1 -Wl,--build-id=0xabcd{36 * '0'}")
    subprocess.run(["objcopy", "--compress-debug-sections=zlib", elf], check=True)
    data = elf.read_bytes()
    place = data.index(b"\x78\x9c")  # begin of a compressed section
    elf.write_bytes(data[:place] + bytes(64) + data[place + 64 :])
    run(program, tmp_path, f"v {said['number'][0]} 4\nd 1\nw {said['number'][0]} 4 1 9\ne 3\nd 1\n")
    done = tickertape_inside("capture", "swo:pin", "-o", "T.tape", "--symbols", elf)
    assert (done.returncode, done.stderr) == (0, "")
    assert "; variables have no names: " in done.stdout
    assert "T.tape: 3 events" in done.stdout
    shown = tickertape_inside("print", "T.tape", "--class", "SIGNAL").stdout
    assert re.search(r"signal=number\b", shown)  # the name comes from the symbol table


def test_a_capture_in_the_background_has_the_events_too(program: Path, tmp_path: Path) -> None:
    run(program, tmp_path, "v 536870912 4\nd 1\nt 7\nw 536870912 4 1 9\nl\nd 1\n")
    recording = Recording(open_link(f"swo:{tmp_path / 'pin'}"))
    recording.start(tmp_path / "t.tape")
    assert recording.wait(HANG_S).hardware.startswith("hardware trace: 2 events in stream 255")
    with TapeReader(tmp_path / "t.tape") as reader:
        assert "swo, port 1: 1 places where the trace unit lost packets" in reader.notes


def test_packets_are_kept_for_who_takes_them_only(program: Path, tmp_path: Path) -> None:
    run(program, tmp_path, "v 536870912 4\nd 1\nw 536870912 4 1 9\n")
    for begins, count in ((False, 0), (True, 2)):
        link = open_link(f"swo:{tmp_path / 'pin'}")
        assert isinstance(link, SwoLink)
        if begins:
            assert link.packets() == []
        while not link.at_end:
            link.read(65536, 0.1)
        assert sum(isinstance(one, DataTrace) for one in link.packets()) == count
        link.close()


@pytest.mark.parametrize(("loss", "code"), [("", 0), ("l\n", 10)])
def test_a_requirement_on_accesses_is_judged_at_the_end(
    program: Path, tickertape_inside: Command, tmp_path: Path, loss: str, code: int
) -> None:
    """Accesses arrive before records that the drain sends later; after a loss, UNKNOWN."""
    write = "t 10\nw 536870912 4 1 9\n"
    script = f"v 536870912 4\nd 1\nt 5\n{write}e 1\n{write}{loss}e 1\n{write}d 9\n"
    run(program, tmp_path, script)
    (tmp_path / "s.yaml").write_text(
        "requirements:\n  - order: [USER.1, SIGNAL.WRITE]\n    within: 1 ms\n"
    )
    words = ("--check", "s.yaml", "--stop-on-fail")
    done = tickertape_inside("capture", "swo:pin", "-o", "T.tape", *words)
    assert (done.returncode, "FAIL " in done.stdout) == (code, False), done.stdout + done.stderr


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("t"), st.integers(1, 300_000)),
        st.tuples(st.just("e"), st.integers(1, 60)),
        st.tuples(st.just("d"), st.integers(1, 5)),
        st.tuples(st.just("w"), st.integers(0, 2**32 - 1)),
        st.tuples(st.just("l"), st.just(0)),
    ),
    max_size=40,
)


@given(actions=ACTIONS)
@settings(max_examples=examples(30), deadline=None)
def test_every_write_is_on_the_tape(
    program: Path, tmp_path_factory: pytest.TempPathFactory, actions: Sequence[tuple[str, int]]
) -> None:
    """The tape has each write once, in order, with its exact time unless a note reports doubt."""
    now, truth, script = 0, [], "v 536870912 4\nd 1\n"
    for letter, number in actions:
        now += number if letter == "t" else 0
        if letter == "w":
            truth.append((now, number))
            script += f"w 536870912 4 {number} 77\n"
        else:
            script += f"{letter} {number}\n"
    printed, tape = joined(program, tmp_path_factory.mktemp("pin"), script)
    assert printed == [0]
    written = [(time, value) for time, code, _, value in tape.hardware if code == WRITE]
    assert [value for _, value in written] == [value for _, value in truth]
    assert len(tape.hardware) == 2 * len(truth)
    assert tape.recorded == list(range(sum(n for letter, n in actions if letter == "e")))
    if "not certain" not in tape.note:
        assert written == truth
