"""Measure the rates of the answers, tape to figures or verdicts, each in its own process.

Rates are per second of processor time; memory is the peak of the process.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.answers.check import check
from tickertape.answers.spec import parse
from tickertape.answers.statistics import statistics_of
from tickertape.formats.source import Source
from tickertape.formats.timeline.perfetto import export_perfetto
from tickertape.tape import TapeReader
from tools.bench.host import own_peak_mib
from tools.bench.mix import services, switches, write_tape
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable

_EVENTS: Final = 10_000_000
_FEW: Final = 3_000_000  # for the trace processor
_RUNS: Final = 3
_PERIODIC_S: Final = 870
_SQL: Final = """
    SELECT track.name, sum(dur) FROM slice JOIN track ON slice.track_id = track.id
    WHERE slice.name = 'Running' AND track.name LIKE 'thread %' GROUP BY track.name
"""
_MORE_SQL: Final = """
    SELECT slice.track_id, slice.name, count(*), min(dur), avg(dur), max(dur), sum(dur) FROM slice
    GROUP BY slice.track_id, slice.name
"""
_SPEC: Final = b"""
requirements:
- {response: thread 1, max: 3600 s}
- {latency: thread 2, max: 1 s}
- {execution: thread 3, max: 3600 s}
- {blocking: thread 4, max: 3600 s}
- {service: irq0, max: 1 s}
- {service: irq1, max: 1 s}
- {load: 0, max: 100 %}
- {load: thread 5, max: 50 %}
- {period: thread 6, max: 1 s}
- {no_losses: true}
"""


def measure(folder: Path) -> list[Result]:
    """Measure with temporary tapes in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tape, plain = folder / "services.tape", folder / "plain.tape"
    events = write_tape(tape, _EVENTS, services())
    write_tape(plain, _EVENTS, switches())
    how = f"{events} simple events, best of {_RUNS} runs, one core, processor time, page cache"
    found: list[Result] = []
    for key, what, where in (
        ("stats", "stats", tape),
        ("stats_plain", "stats", plain),
        ("check", "check", tape),
    ):
        runs = [_child(what, where) for _ in range(_RUNS)]
        found.append(Result(f"{key}_events_per_s", max(rate for rate, _ in runs), how))
        if key == what:
            found.append(Result(f"{key}_peak_mib", max(peak for _, peak in runs), f"VmHWM; {how}"))
    tape.unlink()
    plain.unlink()
    return [*found, _why(folder / "periodic.tape"), *_against_trace_processor(folder)]


def _why(tape: Path) -> Result:
    """Measure `why` of the five longest of 43 500 instances of a periodic task."""
    command = [sys.executable, "-m", "tickertape"]
    recording = ("run", "--target", "native", "--duration", str(_PERIODIC_S), "-q")
    subprocess.run([*command, *recording, "-o", str(tape)], check=True)
    with TapeReader(tape) as reader:
        records = reader.record_count
    took = []
    for _ in range(_RUNS):
        begun = _children_s()
        words = ("why", str(tape), "--task", "control", "--worst", "5")
        subprocess.run([*command, *words], check=True, capture_output=True)
        took.append(_children_s() - begun)
    tape.unlink()
    how = f"{records} records of first_tape, best of {_RUNS} runs, processor time of the command"
    return Result("why_worst_5_s", min(took), how)


def _against_trace_processor(folder: Path) -> list[Result]:
    """Compare with Perfetto's trace processor: CPU time of each task, loading included.

    Raises:
        ValueError: the answers differ by more than a nanosecond per event.
    """
    # It imports pandas, whose memory does not belong to the answers.
    from tests.support.trace_processor import query  # noqa: PLC0415 - see above

    tape, trace = folder / "few.tape", folder / "few.pftrace"
    events = write_tape(tape, _FEW, services())
    with TapeReader(tape) as reader:
        export_perfetto(Source(reader), trace)
    ours, theirs = [], []
    for _ in range(_RUNS):
        begun = _children_s()
        command = [sys.executable, "-m", "tickertape", "stats", str(tape), "--json"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        between = _children_s()
        running, _rest = query(trace, folder, _SQL, _MORE_SQL)
        ours.append(between - begun)
        theirs.append(_children_s() - between)
    (boot,) = json.loads(done.stdout)["boots"]
    times = {one["name"]: one["cpu_time"]["value"] for one in boot["tasks"]}
    same = all(abs(times[name] - ns) <= events for name, ns in running)
    if not running or not same:
        message = f"tasks ran {times} ns, by the trace processor {running}"
        raise ValueError(message)
    for file in (tape, trace, folder / "requests.bin", folder / "replies.bin"):
        file.unlink()
    how = f"{events} events, best of {_RUNS} runs, processor time of the whole command"
    return [
        Result("stats_vs_trace_processor", min(theirs) / min(ours), how),
        Result("trace_processor_events_per_s", events / min(theirs), how),
    ]


def _children_s() -> float:
    """Return the processor time of ended child processes, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _child(what: str, tape: Path) -> tuple[float, float]:
    """Return events per second of processor time, and peak memory in MiB."""
    command = [sys.executable, "-m", "tools.bench.answers", what, str(tape)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rate, peak = json.loads(done.stdout)
    return rate, peak


def _stats(reader: TapeReader) -> None:
    list(statistics_of(reader))


def _check(reader: TapeReader) -> None:
    check(reader, parse(_SPEC, "timing.yaml"))


_ANSWERS: Final[dict[str, Callable[[TapeReader], None]]] = {"stats": _stats, "check": _check}


def main() -> None:
    """Measure one answer in this process and print the result of `_child` as JSON."""
    what, tape = sys.argv[1:]
    with TapeReader(Path(tape)) as reader:
        started = time.process_time()
        _ANSWERS[what](reader)
        seconds = time.process_time() - started
        print(json.dumps([reader.record_count / seconds, own_peak_mib()]))


if __name__ == "__main__":
    main()
