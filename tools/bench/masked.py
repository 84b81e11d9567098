"""Measure how long the recorder masks interrupts: the longest stretch of each function and emit.

QEMU executes firmware/bench/masked and masked_xm, _shark, _posix one instruction at a time. A
stretch begins after `cpsid i` and ends with the matching write to PRIMASK. Stretches of the
program's kernel do not count. The programs are built with different sizes of buffers and numbers
of streams and CPUs, so that a dependency on one of them becomes visible.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tools.bench.result import Result
from tools.bench.target import ROOT, build, execute, masking_instructions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_M4: Final = "mps2-an386"
_M33: Final = "mps2-an521"

# Functions that open or close a buffer, or count overwritten records.
_SWITCHES: Final = frozenset(
    {
        *("tt_ring_advance", "open_buffer", "begin_buffer", "tt_ring_flush", "tt_ring_close"),
        *("tt_ring_begin_lap", "claim_buffer", "cancel_buffer", "flush_step"),
        *("tt_ring_settle_step", "tt_ring_settle_pending_drops"),
    }
)


@dataclass(frozen=True)
class Build:
    """One build of a program: board, number of streams, options of the recorder."""

    board: str
    streams: int
    options: str
    example: str = "masked"

    @property
    def defines(self) -> str:
        """Definitions for the compiler, as the value of DEFINES."""
        return f"TT_CONFIG_STREAMS={self.streams} {self.options}" if self.streams else self.options


# Façades have their own programs, which set their streams: board and records per buffer. POSIX
# Trace reads on the target, on one CPU.
_VIEWS: Final = {
    "xm": ((_M4, 16), (_M33, 1024)),
    "shark": ((_M4, 64), (_M33, 128)),
    "posix": ((_M4, 16), (_M4, 128)),
}
_BUILDS: Final = (
    Build(_M4, 1, "TT_CONFIG_BUFFER_RECORDS=16 TT_CONFIG_DEFINITIONS=8"),
    Build(_M4, 1, "TT_CONFIG_BUFFER_RECORDS=1024 TT_CONFIG_BUFFERS=4 TT_CONFIG_FINALIZE=1"),
    Build(_M4, 2, "TT_CONFIG_BUFFER_RECORDS=128 TT_CONFIG_FINALIZE=1"),
    Build(_M4, 2, "TT_CONFIG_BUFFER_RECORDS=1024 TT_CONFIG_BUFFERS=4 TT_CONFIG_READERS=1"),
    Build(_M4, 8, "TT_CONFIG_BUFFER_RECORDS=16 TT_CONFIG_READERS=1 TT_CONFIG_STREAM_NAMES=1"),
    Build(_M33, 1, "TT_CONFIG_BUFFER_RECORDS=128"),
    Build(_M33, 2, "TT_CONFIG_BUFFER_RECORDS=1024 TT_CONFIG_BUFFERS=2 TT_CONFIG_FINALIZE=1"),
    Build(_M33, 8, "TT_CONFIG_BUFFER_RECORDS=16 TT_CONFIG_EVENT_MASKS=32"),
    *(
        Build(board, 0, f"TT_CONFIG_BUFFER_RECORDS={records}", f"masked_{view}")
        for view, boards in _VIEWS.items()
        for board, records in boards
    ),
)


@dataclass(frozen=True)
class Stretch:
    """One masked stretch: its site, number of instructions, and functions."""

    site: str
    instructions: int
    functions: frozenset[str]

    @property
    def switches(self) -> bool:
        """Whether the stretch switches a buffer."""
        return not self.functions.isdisjoint(_SWITCHES)


def stretches(program: Path, folder: Path, board: str) -> Iterator[Stretch]:
    """Run a program and yield every masked stretch of the recorder or a façade."""
    masking = masking_instructions(program)
    recorder = _functions_of_the_recorder(program)
    site = caller = previous = ""
    depth = count = 0
    functions: set[str] = set()
    for address, function in execute(program, folder, board=board):
        if site and depth == 0 and function == caller:
            site = ""
        if not site and function.startswith("site_") and function != previous:
            site, caller = function.removeprefix("site_"), previous
            yield Stretch(site, 0, frozenset())  # the only one if the site masks no interrupts
        if depth:
            count += 1
            functions.add(function)
        masks = masking.get(address)
        if masks and (depth or function in recorder):
            if not depth:
                count, functions = 0, set()
            depth += 1
        elif masks is False and depth:
            depth -= 1
            if not depth and site:
                yield Stretch(site, count, frozenset(functions))
        previous = function


def _functions_of_the_recorder(program: Path) -> frozenset[str]:
    """Return the functions of the core, the façades and the sites, into which some are inlined."""
    objects = program.parent / f"{program.stem}.obj"
    paths = [
        path for part in ("core", "facades", "bench") for path in (objects / part).glob("**/*.o")
    ]
    listing = subprocess.run(
        ["arm-none-eabi-nm", *map(str, paths)], check=True, capture_output=True, text=True
    ).stdout
    return frozenset(re.findall(r"^[0-9a-f]+ [tT] (\S+)$", listing, re.MULTILINE))


# Emits of one record. Emits of several records or to all streams are measured as calls.
_EMIT: Final = re.compile(r"emit_(?!text|wide|streams|finalize|simple_)")
_FURTHER: Final = "emit_simple_further_streams"


@dataclass(frozen=True)
class Longest:
    """The longest stretch of a site in one build, with or without a buffer switch."""

    build: Build
    stretch: Stretch


def longest(one: Build, folder: Path) -> list[Longest]:
    """Build a program and run it; return the longest stretches of each site."""
    program = build(folder, one.example, one.board, one.defines)
    worst: dict[tuple[str, bool], Stretch] = {}
    for stretch in stretches(program, folder, one.board):
        key = stretch.site, stretch.switches
        if key not in worst or worst[key].instructions < stretch.instructions:
            worst[key] = stretch
    return [Longest(one, worst[key]) for key in sorted(worst)]


def measure(folder: Path) -> list[Result]:
    """Build the programs below `folder`, run them and print the table of their sites."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [each for one in _BUILDS for each in longest(one, folder)]
    print(table(found))
    return results(found)


def table(found: Iterable[Longest]) -> str:
    """Return the longest stretch of each site on each board, as the table of docs/benchmarks.md."""
    worst: dict[str, dict[tuple[str, bool], int]] = {}
    for each in found:
        cells = worst.setdefault(each.stretch.site, {})
        key = each.build.board, each.stretch.switches
        cells[key] = max(cells.get(key, 0), each.stretch.instructions)
    columns = [(board, switches) for switches in (False, True) for board in (_M4, _M33)]
    lines = [
        "| function or emit | M4 | two-CPU M33 | M4, switching | M33, switching |",
        "|---|---|---|---|---|",
    ]
    for site, cells in sorted(worst.items()):
        row = " | ".join(str(cells.get(column, "")) for column in columns)
        lines.append(f"| `{site}` | {row} |")
    return "\n".join(lines)


def results(found: list[Longest]) -> list[Result]:
    """Return the values of the budgets."""
    how = "QEMU, one instruction at a time, the longest of all builds of firmware/bench/masked: "
    one = [each for each in found if each.build.streams == 1]
    plain = {
        board: _choose(f"{how}{board}", one, board=board, emits=True, switches=False)
        for board in (_M4, _M33)
    }
    further = max(
        (each for each in found if each.stretch.site == _FURTHER and each.build.board == _M4),
        key=lambda each: each.build.streams,
    )
    per_stream = (further.stretch.instructions - plain[_M4][0]) / (further.build.streams - 1)
    switches = _choose(f"{how}all", found, switches=True)
    calls = _choose(f"{how}all", found, emits=False, switches=False)
    return [
        Result("masked_emit_plain", *plain[_M4]),
        Result("m33_masked_emit_plain", *plain[_M33]),
        Result("masked_further_stream", per_stream, f"({further.build.streams} streams - 1) / 7"),
        Result("masked_worst_emit", *switches),
        Result("masked_worst_call", *calls),
    ]


def _choose(
    how: str,
    found: Iterable[Longest],
    *,
    switches: bool,
    board: str | None = None,
    emits: bool | None = None,
) -> tuple[int, str]:
    """Return the instructions of the longest matching stretch, and how it was measured."""
    worst = max(
        (
            each
            for each in found
            if each.stretch.switches == switches
            and board in {None, each.build.board}
            and emits in {None, _EMIT.match(each.stretch.site) is not None}
        ),
        key=lambda each: each.stretch.instructions,
    )
    where = f"{how}; {worst.stretch.site} on {worst.build.board}, {worst.build.defines}"
    return worst.stretch.instructions, where


def main() -> int:
    """Print the longest stretches with their functions, to find a cause."""
    folder = ROOT / "build/bench"
    folder.mkdir(parents=True, exist_ok=True)
    for chosen in sys.argv[1:] or map(str, range(len(_BUILDS))):
        print(f"== {_BUILDS[int(chosen)]}")
        for each in longest(_BUILDS[int(chosen)], folder):
            print(
                f"{each.stretch.site:32} {'switch' if each.stretch.switches else '':8} "
                f"{each.stretch.instructions:6} {' '.join(sorted(each.stretch.functions))}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
