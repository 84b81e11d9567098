"""Measure the rates of the exporters, tape to files, each in its own process.

Rates are per second of processor time; for Parquet, which encodes by threads, also per second of
wall-clock time. Memory is the peak of the process. Packages are imported before the measurement.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.analysis.stored import add_summary
from tickertape.decode.ticks import Clock
from tickertape.formats.registry import conversions
from tickertape.formats.source import Source
from tickertape.formats.timeline.perfetto import PacketWriter
from tickertape.formats.timeline.timeline import BEGIN, END, Timeline, TrackEvents
from tickertape.model.boot import Boot
from tickertape.model.names import Names
from tickertape.tape import TapeReader
from tools.bench.host import own_peak_mib
from tools.bench.mix import switches, write_tape
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.formats.report import Report

_EVENTS: Final = 10_000_000
_FEW: Final = 500_000  # for exporters that write lines one by one
_RUNS: Final = 3
# Measured exports, and the tape of each.
EXPORTS: Final = {
    "ctf": "plain",
    "ctf_mix": "mixed",
    "parquet": "plain",
    "perfetto": "plain",
    "chrome": "short",
    "btf": "plain",
    "shark": "plain",
    "jtracer": "short",
}
_PACKETS: Final = 1 << 16


def measure(folder: Path) -> list[Result]:
    """Measure with temporary tapes in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    plain, mixed, short = (folder / f"{name}.tape" for name in ("plain", "mixed", "short"))
    events = write_tape(plain, _EVENTS, switches())
    write_tape(mixed, _EVENTS)
    few_events = write_tape(short, _FEW, switches())
    for tape in (plain, mixed, short):
        add_summary(tape)  # as on every captured tape
    how = f"{events} simple events, best of {_RUNS} runs, one core, processor time, page cache"
    mix = f"{_EVENTS} records, 44 % of them in combine events, the rest as above"
    few = f"{few_events} simple events, the rest as above; lines are written one by one"
    measured_on = {"plain": (plain, how), "mixed": (mixed, mix), "short": (short, few)}
    found: list[Result] = []
    for what, which in EXPORTS.items():
        tape, said = measured_on[which]
        runs = [_child(what, tape) for _ in range(_RUNS)]
        rate, by_the_wall, peak = (max(figure) for figure in zip(*runs, strict=True))
        if what == "parquet":
            wall = f"the same on {len(os.sched_getaffinity(0))} processors, by the wall"
            found.append(Result("parquet_events_per_s", by_the_wall, wall))
            found.append(Result("parquet_cpu_events_per_s", rate, said))
        else:
            found.append(Result(f"{what}_events_per_s", rate, said))
        if what in {"btf", "ctf", "parquet", "perfetto"}:
            found.append(Result(f"{what}_peak_mib", peak, f"VmHWM; {said}"))
    packets = max(_child("packets", short)[0] for _ in range(_RUNS))
    how = "begins and ends of slices from columns to bytes, one core, processor time"
    found.append(Result("perfetto_packets_per_s", packets, how))
    for tape in (plain, mixed, short):
        tape.unlink()
    return found


def _child(what: str, tape: Path) -> tuple[float, float, float]:
    """Return events per second of processor time and of wall-clock time, and peak MiB."""
    command = [sys.executable, "-m", "tools.bench.exports", what, str(tape)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rate, by_the_wall, peak = json.loads(done.stdout)
    return rate, by_the_wall, peak


def _export(export: Callable[..., Report], reader: TapeReader, output: Path) -> int:
    report = export(Source(reader), output)
    return report.counts["events"] or reader.record_count  # all events are simple


def _packets() -> int:
    """Encode sixteen million begins and ends of one track; return their number."""
    phase = np.tile(np.array([BEGIN, END], np.uint8), _PACKETS // 2)
    counts = np.arange(_PACKETS, dtype=np.int64)
    nothing = np.zeros(_PACKETS, np.int64)
    part = TrackEvents(counts * 1000, phase, nothing + (1 << 42), nothing + 1, nothing)
    with Path("/dev/null").open("wb") as file:
        writer = PacketWriter(file, Timeline(lambda _: Boot(Clock(None), Names({}))), lambda _: "")
        for _ in range(256):
            writer.write(part)
    return 256 * _PACKETS


def main() -> None:
    """Measure one export in this process and print the result of `_child` as JSON."""
    what, tape = sys.argv[1:]
    for package in ("pyarrow.parquet", "perfetto.protos.perfetto.trace.perfetto_trace_pb2"):
        if what in package or (what == "packets" and "perfetto" in package):
            import_module(package)
    output = Path(tape).with_suffix(f".{what}")
    export = conversions("EXPORTS")["perfetto" if what == "packets" else what].load()
    with TapeReader(tape) as reader:
        started, started_cpu = time.perf_counter(), time.process_time()
        count = _packets() if what == "packets" else _export(export, reader, output)
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - started_cpu
    if output.is_dir():
        shutil.rmtree(output)
    output.unlink(missing_ok=True)
    print(json.dumps([count / cpu_seconds, count / seconds, own_peak_mib()]))


if __name__ == "__main__":
    main()
