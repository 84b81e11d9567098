"""Measure slow links: share of records beside announcements, delay of names and counters.

`tests/firmware/core/slow_link_driver.c` is a UART and the drain loop of a port in virtual time: the
figures are the same on every machine.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import parse_name
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import FrameType
from tools.bench.result import Result
from tools.bench.target import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SECONDS: Final = 60
_MS_PER_S: Final = 1000
_FIRMWARE: Final = ROOT / "firmware"
_DRIVERS: Final = ROOT / "tests/firmware/core"


@dataclass(frozen=True)
class Case:
    """A link and its load."""

    baud: int
    streams: int
    cpus: int
    threads: int
    events_per_s: int

    def __str__(self) -> str:
        """Return the case as text for the begin of a row."""
        return (
            f"{self.baud} baud, {self.streams}x{self.cpus} rings, {self.threads} threads,"
            f" {self.events_per_s} events/s"
        )


CASES: Final = (
    *(Case(9600, 1, 1, threads, 50) for threads in (5, 14, 20, 90)),
    *(Case(9600, 8, 1, threads, 50) for threads in (5, 20)),
    *(Case(19200, 1, 1, threads, 50) for threads in (20, 40)),
    Case(115200, 1, 1, 90, 50),
    Case(115200, 8, 2, 90, 50),
    Case(115200, 8, 2, 90, 200),
    # More records than the link can send, with the names of few threads.
    Case(9600, 1, 1, 14, 400),
    Case(115200, 8, 2, 90, 600),
)


@dataclass(frozen=True)
class Outcome:
    """Traffic of the link in `SECONDS`.

    Attributes:
        sent: number of sent records.
        names_ms: time at which each thread's name had been sent once; None: one never was.
        status_gap_ms: longest time that a ring was without STATUS.
    """

    sent: int
    names_ms: int | None
    status_gap_ms: int


def run(program: Path, case: Case, link: Path, *, announces: bool = True) -> Outcome:
    """Run the driver, which writes the bytes of the link to the file `link`; count its frames."""
    numbers = (case.baud, case.threads, case.events_per_s, SECONDS, int(announces))
    done = subprocess.run(
        [program, *map(str, numbers), link], check=True, capture_output=True, text=True
    )
    rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    end = next(place for place, row in enumerate(rows) if len(row) == 1)
    frames = [row for row in rows[:end] if row[0] <= SECONDS * _MS_PER_S]
    named = _first_names(link, [ms for ms, *_ in frames])
    return Outcome(
        sent=rows[end][0],
        names_ms=max(named.values()) if len(named) == case.threads else None,
        status_gap_ms=max(
            _longest_gap([ms for ms, *key in frames if key == [FrameType.STATUS, stream, cpu]])
            for stream in range(case.streams)
            for cpu in range(case.cpus)
        ),
    )


def _first_names(link: Path, moments_ms: list[int]) -> dict[int, int]:
    """Return the time of the first name of each thread, in ms.

    `moments_ms` are the times of all frames without records.
    """
    decoder = FrameDecoder()
    decoder.receive(link.read_bytes())
    records = {FrameType.BUFFER, FrameType.PACKED}
    frames = (frame for frame in decoder.frames() if frame.type not in records)
    found: dict[int, int] = {}
    for ms, frame in zip(moments_ms, frames, strict=False):  # later frames have no time
        if frame.type == FrameType.NAME:
            found.setdefault(parse_name(frame.body).id, ms)
    return found


def _longest_gap(moments_ms: list[int]) -> int:
    moments_ms = [0, *moments_ms, SECONDS * _MS_PER_S]
    return max(after - before for before, after in pairwise(moments_ms))


def build(folder: Path, case: Case) -> Path:
    """Build the driver below `folder`; return its path."""
    program = folder / f"slow_link_{case.streams}x{case.cpus}"
    includes = (_FIRMWARE / "include", _FIRMWARE / "core", _DRIVERS / "port", _DRIVERS / "plain")
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-O2"),
            *(f"-DTT_CONFIG_STREAMS={case.streams}", f"-DTT_CONFIG_CPUS={case.cpus}"),
            *(f"-I{include}" for include in includes),
            *(_DRIVERS / "slow_link_driver.c", _DRIVERS / "plain/plain_port.c"),
            *sorted((_FIRMWARE / "core").glob("*.c")),
            *("-o", program),
        ],
        check=True,
    )
    return program


def measure(folder: Path) -> list[Result]:
    """Build the driver below `folder`; run every case with and without announcements."""
    folder.mkdir(parents=True, exist_ok=True)
    shares: list[tuple[float, Case]] = []
    names: list[tuple[float, Case]] = []
    gaps: list[tuple[float, Case]] = []
    programs: dict[tuple[int, int], Path] = {}
    for case in CASES:
        rings = (case.streams, case.cpus)
        program = programs[rings] = programs.get(rings) or build(folder, case)
        link = folder / "slow_link.bytes"
        alone = run(program, case, link, announces=False)
        beside = run(program, case, link)
        shares.append((beside.sent / alone.sent, case))
        names.append((_seconds(beside.names_ms), case))
        gaps.append((_seconds(beside.status_gap_ms), case))
        print(
            f"{case}: {shares[-1][0]:.1%} of {alone.sent} records, names {names[-1][0]:.1f} s,"
            f" STATUS {gaps[-1][0]:.1f} s"
        )
    return [
        _result("slow_link_share", min(shares, key=_value), "as without announcements"),
        _result("slow_link_names_s", max(names, key=_value), "first name to last"),
        _result("slow_link_status_s", max(gaps, key=_value), "longest time of a ring without"),
    ]


def _value(pair: tuple[float, Case]) -> float:
    return pair[0]


def _seconds(ms: int | None) -> float:
    return float("inf") if ms is None else ms / _MS_PER_S


def _result(key: str, worst: tuple[float, Case], what: str) -> Result:
    value, case = worst
    how = f"{what}; {SECONDS} s of virtual time, the worst of {len(CASES)} cases: {case}"
    return Result(key, value, how)
