# ruff: noqa: S311 - random damage needs no cryptography
"""Run every target for a bounded time: `python -m tools.fuzz [--seconds S] [--jobs N]`.

Print the number of inputs and their rate. `targets` has the conditions. A batch that takes more
than 20 s, and a process that grows by more than 64 MiB, are failures as well.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tools.fuzz.rules import Broken
from tools.fuzz.targets import TARGETS

if TYPE_CHECKING:
    from types import FrameType

HANG_S = 20
GROWTH_KIB = 64 << 10
_WARM_BATCHES = 20
_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, if it exists


@dataclass(frozen=True)
class Outcome:
    """Result of one target in one process.

    Attributes:
        name: name of the target.
        inputs: number of mutated inputs.
        seconds: duration.
        growth_kib: growth of the process after its first batches.
        failure: description of a failure, with the seed that repeats it; empty for none.
    """

    name: str
    inputs: int
    seconds: float
    growth_kib: int
    failure: str = ""


def run_target(name: str, seed: int, seconds: float) -> Outcome:
    """Feed one target; each batch has its own seed, so that a failure can be repeated alone."""
    signal.signal(signal.SIGALRM, _hangs)
    where = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(dir=where) as folder:
        target = TARGETS[name][0](Path(folder))
        begin_s = time.monotonic()
        inputs = batch = base_kib = 0
        while time.monotonic() - begin_s < seconds:
            signal.alarm(HANG_S)
            try:
                inputs += target.feed(Random(seed + batch))
            except Exception:  # noqa: BLE001 - any exception is a failure
                return Outcome(
                    name,
                    inputs,
                    time.monotonic() - begin_s,
                    0,
                    f"--target '{name}' --seed {seed + batch}\n{traceback.format_exc()}",
                )
            finally:
                signal.alarm(0)
            batch += 1
            if batch == _WARM_BATCHES:
                base_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base_kib if base_kib else 0
    failure = f"the process grew by {growth} KiB" if growth > GROWTH_KIB else ""
    return Outcome(name, inputs, time.monotonic() - begin_s, growth, failure)


def _hangs(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise Broken(f"a batch takes longer than {HANG_S} s")


def main() -> int:
    """Feed all chosen targets and print a table; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long (default: 600)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run or a failure")
    parser.add_argument("--target", choices=TARGETS, help="only this one")
    arguments = parser.parse_args()
    seed = time.time_ns() if arguments.seed is None else arguments.seed
    chosen = (
        {arguments.target: 1.0} if arguments.target else {n: s for n, (_, s) in TARGETS.items()}
    )
    tasks = [
        (name, seed + (job << 40), arguments.seconds * share)
        for name, share in chosen.items()
        for job in range(arguments.jobs)
    ]
    print(f"seed {seed}, {arguments.seconds:.0f} s, {arguments.jobs} processes", flush=True)
    # A process per task, so that its memory is that of the task.
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=1) as pool:
        outcomes = pool.starmap(run_target, tasks, chunksize=1)
    print(table(outcomes))
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    print("\n".join(failures) if failures else "nothing crashed, hung, grew or was invented")
    return 1 if failures else 0


def table(outcomes: list[Outcome]) -> str:
    """Return a table of the outcomes, summed up by target."""
    lines = [f"{'target':<12} {'mutated inputs':>15} {'per s and core':>15} {'grown KiB':>10}"]
    for name in dict.fromkeys(outcome.name for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.name == name]
        inputs = sum(outcome.inputs for outcome in mine)
        seconds = sum(outcome.seconds for outcome in mine)
        growth = max(outcome.growth_kib for outcome in mine)
        lines.append(
            f"{name:<12} {inputs:>15,} {inputs / max(seconds, 1e-9):>15,.0f} {growth:>10,}"
        )
    total = sum(outcome.inputs for outcome in outcomes)
    return "\n".join([*lines, f"{'total':<12} {total:>15,}"])


if __name__ == "__main__":
    sys.exit(main())
