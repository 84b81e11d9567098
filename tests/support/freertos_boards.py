"""Build programs with an existing FreeRTOS kernel and run them in QEMU."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.symbols.elf import Symbols, read_symbols
from tickertape.tape import TapeReader, iter_events
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from tickertape.decode.events import Event

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "firmware/ports/freertos/samples"
APPS = ROOT / "tests/freertos/apps"
SMP_PORT = ROOT / "tests/freertos/smp_port"
BUILD = ROOT / "build/freertos"
BOARDS = ("mps2-an385", "mps2-an386", "mps2-an505")
SMP_BOARD = "mps2-an521"
COUNTED = ("-icount", "shift=5,sleep=off")
BUILD_SECONDS = 300
RUN_SECONDS = 300


def kernels() -> list[Path]:
    """Return the kernels that FREERTOS_KERNEL names: paths, separated by colons."""
    return [Path(path) for path in os.environ.get("FREERTOS_KERNEL", "").split(":") if path]


def _missing() -> str | None:
    if not kernels():
        return "FREERTOS_KERNEL names no kernel: set it to checkouts of FreeRTOS-Kernel"
    for path in kernels():
        if not (path / "tasks.c").is_file():
            return f"FREERTOS_KERNEL has {path}, which is not a FreeRTOS kernel"
    tools = ("make", "arm-none-eabi-gcc", "qemu-system-arm")
    absent = [tool for tool in tools if shutil.which(tool) is None]
    return f"{', '.join(absent)} is not installed" if absent else None


needs_freertos = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))


@dataclass(frozen=True)
class Trace:
    """The trace of a program.

    Attributes:
        events: all events, in order.
        tids: latest thread number by name.
        symbols: symbols of the image.
        tape: path of the tape.
    """

    events: list[Event]
    tids: dict[str, int]
    symbols: Symbols
    tape: Path


def build(
    source: Path, board: str, kernel: Path, *defines: str, variables: tuple[str, ...] = ()
) -> Path:
    """Build a program with the samples' Makefile; return its path.

    Args:
        source: folder of the application.
        board: machine of QEMU.
        kernel: checkout of the kernel.
        defines: options of the recorder and the kernel.
        variables: variables of the Makefile, as NAME=VALUE.
    """
    folder = (
        BUILD
        / hashlib.sha1(
            repr([kernel.resolve(), *defines, *variables]).encode(), usedforsecurity=False
        ).hexdigest()
    )
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"FREERTOS_KERNEL={kernel.resolve()}", f"BOARD={board}", f"BUILD={folder}", *variables]
    if board == SMP_BOARD:
        words.append(f"KERNEL_PORT={SMP_PORT}")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may build the same
        done = subprocess.run(
            [
                "make",
                "-s",
                "-C",
                SAMPLES,
                *words,
                f"SOURCE_DIR={source}",
                f"DEFINES={' '.join(defines)}",
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=BUILD_SECONDS,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "warning:" not in done.stderr, "a build with the port has no warnings"
    return folder / f"{board}-{source.name}/program.elf"


def run(
    program: Path,
    board: str,
    tape: Path,
    *,
    loses: bool = False,
    clock: tuple[str, ...] = COUNTED,
) -> Trace:
    """Run a program until it ends and read its tape; check that the balance is exact.

    `loses`: the program must lose records; otherwise it must lose none.
    """

    def command(port: int) -> list[str]:
        return [
            *("qemu-system-arm", "-M", board, "-kernel", str(program)),
            *("-display", "none", "-monitor", "none", *clock),
            *("-semihosting-config", "enable=on,target=native"),
            *("-serial", f"tcp:127.0.0.1:{port}"),
        ]

    with ProcessRun(board, command, tape.with_suffix(".console")) as process:
        capture(process.link, tape, CaptureOptions(handle_signals=False))
        process.finish()
    symbols = read_symbols(program)
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        total = balance.total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert (total.lost > 0) is loses
        assert (total.overwritten, total.damaged) == (0, 0)
        assert balance.final
        assert reader.hello is not None
        assert reader.hello.build_id == symbols.build_id.hex()
        events = [event for columns in iter_events(reader) for event in columns.events()]
    tids = {event.text: event.words[1] for event in events if event.name == "THREAD.NAME"}
    return Trace(events, {str(name): tid for name, tid in tids.items()}, symbols, tape)
