"""The host's figures: decode rate, memory, text. Each in a process of its own, on one core."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.print import text_lines
from tickertape.export.text import TextOptions
from tickertape.tape import TapeReader, iter_events
from tools.bench.mix import write_tape
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

_RECORDS: Final = 8_000_000
_TEXT_EVENTS: Final = 300_000
_RUNS: Final = 3
_MIB: Final = 1 << 20
_KIB: Final = 1 << 10


def measure(folder: Path) -> list[Result]:
    """Measure with a tape in `folder`, which is made when it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    tape = folder / "mix.tape"
    records = write_tape(tape, _RECORDS)
    decode = max((_child("decode", tape) for _ in range(_RUNS)), key=lambda run: run[0])
    text, _ = _child("text", tape)
    size = tape.stat().st_size / _MIB
    tape.unlink()
    how = (
        f"{records} records in {size:.0f} MiB, 44 % of them in combine events, the file in the "
        f"page cache, best of {_RUNS} runs, one core, numpy"
    )
    return [
        Result("decode_records_per_s", decode[0], how),
        Result("decode_peak_mib", decode[1], f"peak resident set of the same process; {how}"),
        Result(
            "print_events_per_s", text, f"the first {_TEXT_EVENTS} events of that tape to /dev/null"
        ),
    ]


def _child(what: str, tape: Path) -> tuple[float, float]:
    """Run one measurement in a new process; return (rate per second, peak MiB)."""
    command: Sequence[str] = [sys.executable, "-m", "tools.bench.host", what, str(tape)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate, peak = json.loads(output)
    return rate, peak


def _decode(reader: TapeReader) -> float:
    started = time.perf_counter()
    events = sum(len(columns) for columns in iter_events(reader))
    seconds = time.perf_counter() - started
    if not events:
        raise AssertionError
    return reader.record_count / seconds


def _text(reader: TapeReader) -> float:
    with Path("/dev/null").open("w", encoding="utf-8") as nowhere:
        started = time.perf_counter()
        lines = islice(text_lines(reader, TextOptions()), _TEXT_EVENTS)
        nowhere.writelines(line + "\n" for line in lines)
        return _TEXT_EVENTS / (time.perf_counter() - started)


def main() -> None:
    """Measure one thing and write [rate, peak MiB] as JSON."""
    what, tape = sys.argv[1:]
    with TapeReader(tape) as reader:
        rate = {"decode": _decode, "text": _text}[what](reader)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB / _MIB
    print(json.dumps([rate, peak]))


if __name__ == "__main__":
    main()
