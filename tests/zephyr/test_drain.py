"""The recorder's thread in Zephyr, run on a fake kernel, and its table of threads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.check.zephyr_glue import FIRMWARE, GENERATIONS, PORT, prepare

HERE = Path(__file__).parent
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wmissing-prototypes", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
GENERATION = GENERATIONS["up to 4.4, no format"]
CORE = sorted((FIRMWARE / "core").glob("*.c"))
HIGH_WATER_PERCENT = 80


def build(folder: Path, *more: str | Path) -> Path:
    program = folder / "driver"
    flags = prepare(folder, GENERATION)
    options = ("-std=gnu11", "-g", "-O1", "-pthread", *WARNINGS)
    glue = (PORT / "src/threads.c", PORT / "src/interrupts.c")
    command = ("gcc", *options, *flags, *more, *glue, *CORE, "-o", program)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def drain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = (HERE / "drain_driver.c", PORT / "src/tracer.c")
    return build(tmp_path_factory.mktemp("drain"), *SANITIZERS, *sources)


def lines_of(program: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("!")]
    return lines


def test_a_drain_without_a_clock_says_why_once_and_does_nothing(drain: Path) -> None:
    assert lines_of(drain, "no_clock") == [
        "tickertape: the clock does not count; choose another in Kconfig",
        "init -19",
        "the drain has ended; 0 links opened, 0 turns",
    ]


def test_high_water_wakes_the_drain_where_the_next_interrupt_ends(drain: Path) -> None:
    began, wanted, woken, again, next_turn = lines_of(drain, "high_water")
    assert began == "init 0"
    record, size = (int(word.rstrip(",")) for word in wanted.split()[3:6:2])
    assert record == -(-size * HIGH_WATER_PERCENT // 100) + 1
    assert wanted.endswith("woken 0 times")
    # The hook at the interrupt's exit wakes the drain before it records the exit.
    assert woken == "after an interrupt: woken 1 times, before the last 1 records"
    assert again == "after another one: woken 1 times"
    # The drain has sent everything, the records of the last interrupt included.
    assert next_turn == "in the next turn: 0 records wait"


def test_the_kernels_timer_polls_the_clock_and_reports_a_late_poll(drain: Path) -> None:
    lines = lines_of(drain, "late_poll")
    late = "tickertape: the clock was polled too late: times of events may be too early"
    assert lines[:6] == [
        "init 0",
        *(f"after 1000000 ms: 0 records, time {1000 * turn} s" for turn in range(1, 6)),
    ]
    assert lines.count(late) == 1
    assert lines.index(late) == 6
    said, silent = lines[7:]
    # TRACER ERROR reports each late poll; the line on the console comes once.
    assert int(said.split()[3]) > 0
    assert int(silent.split()[3]) > 0


def test_the_drain_sleeps_while_there_is_nothing_to_send(drain: Path) -> None:
    """Timeout: a flush period while recording, a short one if the link is full, none if stopped."""
    assert lines_of(drain, "waits") == [
        "init 0",
        "recording: 1000 ms, 1 records wait",
        "300 ms later: 700 ms, 2 records wait",
        "stopped: -1 ms, 0 records wait",
        "woken 1 times",
        "started: 1000 ms, 0 records wait",
        "no room: 10 ms, 1 records wait",
        "stopped without room: 10 ms, 2 records wait",
    ]


def test_each_boot_has_a_number_that_its_tag_shows(drain: Path) -> None:
    boots = [line.split(": ") for line in lines_of(drain, "boots")]
    numbers = [int(number) for _, number in boots]
    tags = [number & 0xFF for number in numbers]
    assert 0 not in tags
    resets = [place for place, (reason, _) in enumerate(boots) if reason == "reset"]
    assert len(resets) == 900
    assert all(tags[place] != tags[place - 1] for place in resets)
    assert all(0 < numbers[place] - numbers[place - 1] <= 2 for place in resets)
    powered = [
        number for (reason, _), number in zip(boots, numbers, strict=True) if reason == "power"
    ]
    assert len({*powered}) > 0.9 * len(powered)


def test_two_cpus_create_and_end_threads_at_once(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        "-fsanitize=thread",
        *("-UCONFIG_TICKERTAPE_THREADS", "-DCONFIG_TICKERTAPE_THREADS=16"),
        HERE / "threads_driver.c",
    )
    assert lines_of(program, "2000") == ["8 of 8 described"]
