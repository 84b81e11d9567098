"""Builds programs with a Zephyr that is there, and runs them in QEMU."""

from __future__ import annotations

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
SAMPLES = ROOT / "firmware/ports/zephyr/samples"
APPS = ROOT / "tests/zephyr/apps"
BUILD = ROOT / "build/zephyr"
BUILD_SECONDS = 600
RUN_SECONDS = 60

# QEMU's machine for a board of Zephyr.
MACHINES = {
    "mps2_an385": "mps2-an385",
    "mps2_an521": "mps2-an521",
    "qemu_cortex_m3": "lm3s6965evb",
}
BOARDS = tuple(MACHINES)


def _missing() -> str | None:
    base = os.environ.get("ZEPHYR_BASE")
    if not base:
        return "ZEPHYR_BASE names no Zephyr tree: set it, and ZEPHYR_MODULES to its CMSIS module"
    if not (Path(base) / "kernel/sched.c").is_file():
        return f"ZEPHYR_BASE is {base}, which is no Zephyr tree"
    tools = ("cmake", "ninja", "dtc", "gperf", "qemu-system-arm")
    absent = [tool for tool in tools if shutil.which(tool) is None]
    return f"{', '.join(absent)} is not installed" if absent else None


needs_zephyr = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))


@dataclass(frozen=True)
class Trace:
    """What a program recorded.

    Attributes:
        events: all of them, in order.
        tids: numbers of threads by name.
        symbols: of the image.
    """

    events: list[Event]
    tids: dict[str, int]
    symbols: Symbols


def build(source: Path, board: str, *options: str, name: str = "") -> Path:
    """Build a program through the ordinary CMake interface; return the build folder."""
    folder = BUILD / f"{board}-{name or source.name}"
    modules = os.environ.get("ZEPHYR_MODULES")
    words = [f"-DBOARD={board}", *([f"-DZEPHYR_MODULES={modules}"] if modules else []), *options]
    folder.parent.mkdir(parents=True, exist_ok=True)
    cache = f"-DUSER_CACHE_DIR={BUILD / 'cache'}"
    _run("cmake", "-GNinja", "-S", source, "-B", folder, cache, *words)
    messages = _run("ninja", "-C", folder)
    ours = [line for line in messages.splitlines() if "warning:" in line]
    assert not ours, "a build with the module has no warnings"
    return folder


def qemu(board: str, folder: Path) -> list[str]:
    """Compose the command that runs a build; UARTs are to be added."""
    return [
        *("qemu-system-arm", "-M", MACHINES[board], "-kernel", str(folder / "zephyr/zephyr.elf")),
        *("-display", "none", "-monitor", "none", "-icount", "shift=5,sleep=off"),
        *("-semihosting-config", "enable=on,target=native"),
    ]


def run(folder: Path, board: str, tape: Path, *, seconds: float | None = None) -> Trace:
    """Run a program, until it ends or for so long, and read its tape."""
    elf = folder / "zephyr/zephyr.elf"

    def command(port: int) -> list[str]:
        return [*qemu(board, folder), "-serial", "stdio", "-serial", f"tcp:127.0.0.1:{port}"]

    options = CaptureOptions(handle_signals=False, duration_s=seconds)
    with ProcessRun(board, command, folder / "console.txt") as process:
        capture(process.link, tape, options)
        if seconds is None:
            process.finish()
    return read(tape, read_symbols(elf), whole=seconds is None)


def console_of(folder: Path, board: str) -> str:
    """Run a program that says what it found and ends; return what it said."""
    command = [*qemu(board, folder), "-serial", "stdio", "-serial", "null"]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=RUN_SECONDS,
    )
    return done.stdout


def read(tape: Path, symbols: Symbols, *, whole: bool) -> Trace:
    """Read a tape; its balance has to be exact, and nothing lost."""
    with TapeReader(tape) as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert total.lost == 0
        assert balance_of(reader).final is whole
        assert reader.hello is not None
        assert reader.hello.build_id == symbols.build_id.hex()
        events = [event for columns in iter_events(reader) for event in columns.events()]
    tids = {event.text: event.words[1] for event in events if event.name == "THREAD.NAME"}
    return Trace(events, {str(name): tid for name, tid in tids.items()}, symbols)


def _run(*command: str | Path) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
    )
    if done.returncode != 0:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout + done.stderr
