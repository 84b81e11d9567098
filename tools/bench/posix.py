"""Measure an event of POSIX Trace by number of streams, in a task and in a Linux process."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

from tools.bench.result import Result
from tools.bench.target import ROOT, build, calls_of, typical

if TYPE_CHECKING:
    from pathlib import Path

STREAMS: Final = (1, 2, 8)
_EVENTS: Final = 1_000_000
_RUNS: Final = 3


def measure(folder: Path) -> list[Result]:
    """Build the programs below `folder` and measure them."""
    folder.mkdir(parents=True, exist_ok=True)
    return [*_tasks(folder), *_processes(folder)]


def _tasks(folder: Path) -> list[Result]:
    how = "QEMU mps2-an386, -O2, 4 bytes of data, the most frequent of 20 calls"
    calls = list(calls_of(build(folder, "posix_cost", "mps2-an386", ""), folder))
    filtered = max(
        typical(calls, site).instructions for site in ("site_posix_filtered", "site_posix_filter")
    )
    results = [
        Result("posix_filtered_instructions", filtered, f"{how}; without a stream, or filtered")
    ]
    for streams in STREAMS:
        count = typical(calls, f"site_posix_{streams}").instructions
        results.append(Result(f"posix_{streams}_instructions", count, how))
    return results


def _processes(folder: Path) -> list[Result]:
    how = f"processor time of {_EVENTS} events with 4 bytes of data, best of {_RUNS} processes"
    program = _program(folder)
    filtered, _ = _best(program, 0)
    results = [Result("posix_filtered_ns", filtered, how)]
    read = 0.0
    for streams in STREAMS:
        traced, read_one = _best(program, streams)
        read = read or read_one
        results.append(Result(f"posix_{streams}_ns", traced, how))
    return [*results, Result("posix_read_ns", read, f"posix_trace_trygetnext_event(); {how}")]


def _program(folder: Path) -> Path:
    library = folder / "posix"
    subprocess.run(["make", "-s", "-C", str(ROOT / "host/posix"), f"OUT={library}"], check=True)
    program = folder / "posix_cost"
    source = ROOT / "tools/bench/posix_cost.c"
    command = ["gcc", "-O2", "-pthread", f"-I{library / 'include'}", str(source)]
    subprocess.run([*command, str(library / "libposixtrace.a"), "-o", str(program)], check=True)
    return program


def _best(program: Path, streams: int) -> tuple[float, float]:
    """Return the nanoseconds of a traced event, and of reading an event."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(program.parent)}  # without a broker
    rows = []
    for _ in range(_RUNS):
        done = subprocess.run(
            [str(program), str(streams), str(_EVENTS)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        rows.append([float(word) for word in done.stdout.split()])
    return min(row[0] for row in rows), min(row[1] for row in rows)
