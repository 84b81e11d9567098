"""Hostile guests: a fault or an attack in a domain ends this domain only.

The guests of `guests/` run one after another beside working threads; guests that flood the trace
run in separate programs. In each case the program ends, the balance holds, the other threads
continue as before, and no guest reads or changes foreign memory.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.firmware.guests import calls, processor
from tests.firmware.guests.table import BOARDS, EXIT, FAULT, LIVES, Guest, write
from tests.support.workbench import FIRMWARE, build, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.decode.events import Event
    from tickertape.symbols.elf import Symbols

    Runs = tuple["Run", dict[int, "Run"]]

SOURCE: Final = Path(__file__).parent / "guests"
QUIET: Final = Guest("quiet", "done();", EXIT)
GUESTS: Final = (
    QUIET,
    *processor.STACK,
    *processor.INSTRUCTIONS,
    *processor.JUMPS,
    *processor.REGISTERS,
    *processor.FPU,
    *calls.CALLS,
    *calls.MEMORY,
    *calls.MATES,
)
CORE, CONTROL, LOGGER, DOMAIN = range(4)
STEP, READING, DONE, BREACH, GUEST = range(1, 6)
USER = 6


def guests_on(board: str) -> list[Guest]:
    return [guest for guest in GUESTS if board in guest.boards]


@cache
def program(board: str) -> Path:
    folder = FIRMWARE.parent / "build/guests" / board
    folder.mkdir(parents=True, exist_ok=True)
    write(guests_on(board), folder / "guests.inc")
    return build(
        board,
        "guests",
        SOURCE_DIR=str(SOURCE),
        INCLUDE_DIRS=str(folder),
        DEFINES="TT_CONFIG_BUFFERS=32 KERNEL_MAX_THREADS=64",
    )


@cache
def symbols(board: str) -> Symbols:
    return read_symbols(program(board))


@dataclass(frozen=True)
class Run:
    """Output and events of a program, in order of time."""

    code: int
    console: str
    events: list[Event]
    lost: int
    tick_hz: int

    def of(self, name: str, domain: int) -> list[Event]:
        return [event for event in self.events if (event.name, event.domain) == (name, domain)]

    def user(self, number: int, domain: int) -> list[Event]:
        return [
            event
            for event in self.events
            if (event.cls, event.event, event.domain) == (USER, number, domain)
        ]

    def visits(self) -> dict[int, Run]:
        """Return the part of the run during each guest, by the guest's number."""
        begins = self.user(GUEST, CORE)
        times = [event.time_ticks for event in self.events]
        places = [bisect_left(times, event.time_ticks) for event in begins]
        return {
            begin.words[0]: replace(self, events=self.events[first:end])
            for begin, first, end in zip(begins, places, [*places[1:], len(times)], strict=True)
        }


def run(board: str, folder: Path, *options: str) -> Run:
    trace, tape = folder / "trace.bin", folder / "guests.tape"
    done = run_qemu(board, program(board), *options, trace=f"file:{trace}")
    capture(MemoryLink([trace.read_bytes()]), tape, CaptureOptions(handle_signals=False))
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        events = [event for part in iter_events(reader) for event in part.events()]
        tick_hz = reader.clock(0).hz
    if done.returncode == 0:
        assert balance.final
    assert balance.total.holds
    events.sort(key=lambda event: event.time_ticks)
    return Run(done.returncode, done.stdout + done.stderr, events, balance.total.lost, tick_hz)


@pytest.fixture(scope="module")
def all_guests(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Runs]:
    """Return a function that runs, on a board, all guests that do not need a separate run."""

    @cache
    def of(board: str) -> Runs:
        whole = run(board, tmp_path_factory.mktemp(board))
        return whole, whole.visits()

    return of


def check_others(seen: Run) -> None:
    """Check that control keeps its period, and that the three workers count without a gap."""
    assert (seen.code, seen.console) == (0, "")
    assert not seen.of("SCHED.DEADLINE_MISS", CORE)
    period = seen.tick_hz // 1000
    steps = [event.time_ticks for event in seen.user(STEP, CONTROL)]
    # The emulator runs two CPUs in turns.
    jitter = 0.6 if any(event.cpu for event in seen.events) else 0.1
    assert all(b - a == pytest.approx(period, rel=jitter) for a, b in pairwise(steps[1:]))
    duration_ms = len(steps)
    points = [event.words[0] for event in seen.of("DOMAIN.USER", LOGGER)]
    readings = [event.words for event in seen.user(READING, CORE)]
    assert points == list(range(len(points)))
    assert readings == [(number, 1) for number in range(len(readings))]
    assert len(points) == pytest.approx(duration_ms / 2, rel=0.05)
    assert len(readings) == pytest.approx(duration_ms, rel=0.05)


@pytest.mark.parametrize("board", BOARDS)
def test_everybody_else_goes_on(board: str, all_guests: Callable[[str], Runs]) -> None:
    seen, _ = all_guests(board)
    assert seen.lost == 0
    check_others(seen)


def check_end(seen: Run, board: str, guest: Guest) -> None:
    faults = seen.of("DOMAIN.FAULT", DOMAIN)
    assert faults == [event for event in seen.events if event.name == "DOMAIN.FAULT"]
    dead = [e for e in seen.events if e.name == "THREAD.DEAD" and e.words[0] == DOMAIN]
    end = guest.end_on(board)
    mates = {0, 1} if guest.mate_ends else {0}
    assert len(faults) - (end == FAULT) in mates
    assert len(dead) - (end != LIVES) in mates
    assert len(faults) <= len(dead)
    assert (end == EXIT) == bool(seen.user(DONE, DOMAIN))
    if end == FAULT:
        check_fault(faults[0], board, guest)
        last = [event for event in seen.events if event.domain == DOMAIN][-1]
        assert last.name == "DOMAIN.FAULT" or guest.mate


def check_fault(fault: Event, board: str, guest: Guest) -> None:
    address, place = fault.words
    if guest.address is not None:
        assert address == guest.address
    if guest.inside and guest.end_on(board) == guest.ends:
        assert str(symbols(board).lookup(place)).startswith(f"guest_{guest.name}")


@pytest.mark.parametrize(
    ("board", "guest"),
    [
        pytest.param(board, guest, id=f"{board}-{guest.name}")
        for board in BOARDS
        for guest in guests_on(board)
    ],
)
def test_a_guest_ends_alone(
    board: str, guest: Guest, tmp_path: Path, all_guests: Callable[[str], Runs]
) -> None:
    number = guests_on(board).index(guest)
    if guest.alone:
        seen = run(board, tmp_path, f"guest={number}")
        assert (seen.code, seen.console) == (0, "")
    else:
        whole, visits = all_guests(board)
        assert number in visits, f"guest {max(visits)} was the last one: {whole.console}"
        seen = visits[number]
    assert not seen.user(BREACH, DOMAIN)
    if not seen.lost:
        check_end(seen, board, guest)
