"""Measure the waiting time of a user at the start: `info` of a large tape, and the import."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.analysis.stored import add_summary
from tools.bench.mix import write_tape
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

_RECORDS: Final = 100_000_000
_RUNS: Final = 5
_GIB: Final = 1 << 30
_COMMAND: Final = Path(sys.executable).with_name("tickertape")


def measure(folder: Path) -> list[Result]:
    """Measure with a temporary large tape in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tape = folder / "large.tape"
    records = write_tape(tape, _RECORDS)
    add_summary(tape)
    how = f"best of {_RUNS} runs, processor time, start of Python included"
    size = f"{records} records in {tape.stat().st_size / _GIB:.2f} GiB"
    info = _best([str(_COMMAND), "info", str(tape)])
    tape.unlink()
    return [
        Result("info_s", info, f"{size}, answered by index and summary; {how}"),
        Result("import_s", _best([sys.executable, "-c", "import tickertape"]), how),
    ]


def _best(command: Sequence[str]) -> float:
    return min(_processor_seconds(command) for _ in range(_RUNS))


def _processor_seconds(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
