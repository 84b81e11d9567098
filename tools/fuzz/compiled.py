"""Fuzz all C code that takes external bytes: `python -m tools.fuzz.compiled`.

Each target is a program of libFuzzer under ASan and UBSan; tests/fuzz/fuzz_*.c has the conditions.
The search starts from valid inputs; the target sets the CRC of frames and tapes, so that mutations
reach the code after the check. A search may be interrupted: counts and inputs are kept in
`build/fuzz`, and the next call continues there.

    python -m tools.fuzz.compiled --seconds 60             a minute each
    python -m tools.fuzz.compiled --until 10000000         up to ten million each, in all
    python -m tools.fuzz.compiled --only ipv4 --until 1e6
    python -m tools.fuzz.compiled --counts                 print the counts so far
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.fuzz.compiled_targets import ROOT, TARGETS, build
from tools.fuzz.seeds import seeds_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

STATE: Final = ROOT / "build/fuzz"
_ROUND: Final = 250_000
_RSS_MIB: Final = 1024
_HANG_S: Final = 20
# Stacks of allocations and a quarantine of freed memory would take a third of the time.
_ASAN: Final = "malloc_context_size=1:quarantine_size_mb=1"
_UNITS: Final = re.compile(r"stat::number_of_executed_units:\s+(\d+)")
_SPEED: Final = re.compile(r"Done \d+ runs in (\d+) second")


@dataclass(frozen=True)
class Count:
    """The inputs of one target in all searches.

    Attributes:
        inputs: number of inputs.
        seconds: duration, on one core that other programs may have used as well.
        failures: names of the inputs that failed, files in `build/fuzz`.
    """

    inputs: int = 0
    seconds: int = 0
    failures: tuple[str, ...] = ()


def run(
    program: Path, folder: Path, *, runs: int, seconds: int = 0, max_bytes: int
) -> tuple[Count, str]:
    """Run a target once.

    Args:
        program: program from `build`.
        folder: folder with the inputs in `corpus`; failing inputs are written to it.
        runs: maximum number of inputs.
        seconds: maximum duration; 0 for no limit.
        max_bytes: maximum size of an input.

    Returns:
        The count of this run, and the last part of libFuzzer's output if it failed, else empty.
    """
    line = [
        str(program),
        f"-runs={runs}",
        f"-max_total_time={seconds}",
        f"-max_len={max_bytes}",
        f"-rss_limit_mb={_RSS_MIB}",
        f"-timeout={_HANG_S}",
        f"-artifact_prefix={folder}/",
        "-print_final_stats=1",
        "-verbosity=1",
        str(folder / "corpus"),
    ]
    before = {path.name for path in folder.iterdir()}
    done = subprocess.run(
        line,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "ASAN_OPTIONS": _ASAN},
    )
    units, time_s = _UNITS.search(done.stderr), _SPEED.search(done.stderr)
    fresh = tuple(sorted({path.name for path in folder.iterdir()} - before))
    count = Count(int(units[1]) if units else 0, int(time_s[1]) if time_s else 0, fresh)
    failed = done.returncode != 0 or not units
    return count, done.stderr[-4000:] if failed else ""


def counts(state: Path = STATE) -> dict[str, Count]:
    """Return the counts of all searches so far, by target."""
    path = state / "counts.json"
    if not path.exists():
        return {}
    found = json.loads(path.read_text())
    return {name: Count(v["inputs"], v["seconds"], tuple(v["failures"])) for name, v in found}


def _keep(state: Path, known: Mapping[str, Count]) -> None:
    rows = [(name, vars(count)) for name, count in sorted(known.items())]
    fresh = state / "counts.new"
    fresh.write_text(json.dumps(rows, indent=1))
    fresh.replace(state / "counts.json")


def search(
    names: Iterable[str], *, until: int, seconds: int, state: Path = STATE
) -> Iterator[tuple[str, Count, str]]:
    """Feed targets one after the other, in rounds; yield the total count after each round.

    Args:
        names: names of the targets.
        until: total number of inputs per target, including earlier calls; 0 for no such limit.
        seconds: duration per target; 0 for no such limit.
        state: folder of counts and inputs.

    Yields:
        Name of the target, its total count, and libFuzzer's output if it failed.
    """
    state.mkdir(parents=True, exist_ok=True)
    for name in names:
        folder = state / name
        corpus = folder / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds_of(name)):
            (corpus / f"seed-{number}").write_bytes(seed)
        program = build(name, state)
        failure = ""
        spent = 0
        while not failure and (not until or counts(state).get(name, Count()).inputs < until):
            left_s = seconds - spent if seconds else 0
            if seconds and left_s <= 0:
                break
            known = counts(state)
            sum_of = known.get(name, Count())
            runs = min(_ROUND, until - sum_of.inputs) if until else _ROUND
            fed, failure = run(
                program, folder, runs=runs, seconds=left_s, max_bytes=TARGETS[name].max_bytes
            )
            spent += max(fed.seconds, 1)
            known[name] = replace(
                sum_of,
                inputs=sum_of.inputs + fed.inputs,
                seconds=sum_of.seconds + fed.seconds,
                failures=sum_of.failures + fed.failures,
            )
            _keep(state, known)
            yield name, known[name], failure


def smoke(name: str, runs: int) -> tuple[Count, str]:
    """Build a target in a temporary folder and run it on its seeds and a few mutations."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        (state / "corpus").mkdir()
        for number, seed in enumerate(seeds_of(name)):
            (state / "corpus" / f"seed-{number}").write_bytes(seed)
        program = build(name, state)
        return run(program, state, runs=runs, max_bytes=TARGETS[name].max_bytes)


def table(known: Mapping[str, Count]) -> str:
    """Return a table of the counts."""
    lines = [f"{'target':<12} {'inputs':>12} {'seconds':>9} {'failures':>9}"]
    lines += [
        f"{name:<12} {count.inputs:>12,} {count.seconds:>9,} {len(count.failures):>9}"
        for name, count in sorted(known.items())
    ]
    return "\n".join(lines)


def main() -> int:
    """Search and print the counts; return 1 if a target failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz.compiled", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--until", type=float, default=0, help="inputs of each target in all")
    parser.add_argument("--seconds", type=float, default=0, help="for each target")
    parser.add_argument("--only", choices=TARGETS, help="only this one")
    parser.add_argument("--counts", action="store_true", help="only print what was run so far")
    arguments = parser.parse_args()
    failures = []
    if not arguments.counts:
        seconds = int(arguments.seconds) or (0 if arguments.until else 20)
        names = [arguments.only] if arguments.only else list(TARGETS)
        for name, count, failure in search(names, until=int(arguments.until), seconds=seconds):
            print(f"{name:<12} {count.inputs:>12,} inputs", flush=True)
            failures += [f"{name}:\n{failure}"] if failure else []
    print(table(counts()))
    print("\n".join(failures) if failures else "nothing crashed, hung, grew or broke a law")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
