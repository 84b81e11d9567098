"""Search for a history that breaks the law of loss: `python -m tools.search [--histories N]`.

A history is a short run of the recorder (kind `core`: firmware/core under the sanitizers) or of
the simulated target (kind `simulated`), a line that damages its bytes, and a capture. An oracle
that shares no code with the product knows the fate of each record. Every term of the balance, every
record and every class must equal the result of the oracle.

The state file keeps the counts: the search may be interrupted at any time and started again.
Counts are kept per version of the sources. A fault is printed with the command that repeats it.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.core_histories import MOST_STEPS
from tools.search.kinds import KINDS, Histories
from tools.search.sources import IN_C, ROOT, hash_of_sources
from tools.search.state import Finding, State, load

if TYPE_CHECKING:
    from types import FrameType

SAVE_PERIOD_S = 5.0
ROUND = 50  # histories of one turn
MOST_FAULTS = 10
_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, if it exists


class Search:
    """One run of the command."""

    def __init__(self, histories: Histories, state: State, path: Path) -> None:
        """Start with a state, which is saved to `path`."""
        self._histories = histories
        self._state = state
        self._path = path
        self._sources = hash_of_sources()
        self._stopped = False
        self.faults = 0

    def stop(self, number: int, frame: FrameType | None) -> None:
        """End after the current history; a signal handler."""
        del number, frame
        self._stopped = True

    def run(self, target: int, core_share: float, seconds: float) -> None:
        """Run until `target` histories are done with these sources, or the time is over."""
        begin_s = said_s = time.monotonic()
        while not self._stopped and self._state.histories(self._sources) < target:
            self._turn("core", round(ROUND * core_share))
            self._turn("simulated", ROUND - round(ROUND * core_share))
            now_s = time.monotonic()
            if now_s - begin_s > seconds or self.faults >= MOST_FAULTS:
                break
            if now_s - said_s > SAVE_PERIOD_S:
                said_s = now_s
                self._state.save(self._path)
                done = self._state.histories(self._sources)
                print(f"{done:,} of {target:,} histories, {self.faults} faults", flush=True)
        self._state.save(self._path)

    def _turn(self, kind: str, histories: int) -> None:
        count = self._state.count(self._sources, kind)
        begin_s = time.process_time()
        for seed in range(count.end_seed, count.end_seed + histories):
            if self._stopped:
                break
            try:
                count.records += self._histories.check(kind, seed)
            except Exception:  # noqa: BLE001 - any exception is a fault
                self._found(kind, seed)
            count.end_seed = seed + 1
        count.seconds += time.process_time() - begin_s

    def _found(self, kind: str, seed: int) -> None:
        self.faults += 1
        steps, what = self._histories.shortest(kind, seed)
        what = what or "only once: the history depends on something beside its seed"
        self._state.findings.append(Finding(self._sources, kind, seed, steps, what))
        self._state.save(self._path)
        print(f"FAULT: python -m tools.search --repeat {kind}:{seed}:{steps}\n{what}", flush=True)


def main() -> int:
    """Search, or repeat one history; return 1 if there is a fault."""
    parser = argparse.ArgumentParser(prog="python -m tools.search", description=__doc__)
    parser.add_argument("--histories", type=int, default=1_000_000, help="how many in all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--core-share", type=float, default=0.2, help="of kind core, 0 to 1")
    parser.add_argument("--state", type=Path, default=ROOT / "build/search/state.json")
    parser.add_argument("--repeat", metavar="KIND:SEED[:STEPS]", help="one history only")
    parser.add_argument("--report", action="store_true", help="print the counts, do nothing")
    arguments = parser.parse_args()
    state = load(arguments.state)
    if arguments.report:
        print(state.table())
        return 0
    programs = ROOT / "build/search" / hash_of_sources(IN_C)
    programs.mkdir(parents=True, exist_ok=True)
    where = _MEMORY if _MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=where) as scratch,
        Histories(programs, Path(scratch)) as histories,
    ):
        if arguments.repeat:
            return _repeat(histories, arguments.repeat)
        search = Search(histories, state, arguments.state)
        signal.signal(signal.SIGINT, search.stop)
        signal.signal(signal.SIGTERM, search.stop)
        search.run(arguments.histories, arguments.core_share, arguments.seconds)
    print(state.table())
    return 1 if search.faults else 0


def _repeat(histories: Histories, which: str) -> int:
    kind, seed, *steps = which.split(":")
    if kind not in KINDS:
        print(f"no kind of histories is called {kind}; there are {', '.join(KINDS)}")
        return 2
    fault = histories.fault(kind, int(seed), int(steps[0]) if steps else MOST_STEPS)
    print(fault or "everything holds")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
