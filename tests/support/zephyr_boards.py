"""Build programs with an existing Zephyr tree and run them in QEMU."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from contextlib import suppress
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

# QEMU machine by Zephyr board.
MACHINES = {
    "mps2_an385": "mps2-an385",
    "mps2_an521": "mps2-an521",
    "qemu_cortex_m3": "lm3s6965evb",
}
BOARDS = tuple(MACHINES)
# The only QEMU board of Zephyr 3.3 on which two CPUs share a kernel has another architecture.
TWO_CPUS = "qemu_cortex_a53_smp"
ARM64_PREFIX = "aarch64-linux-gnu-"


TOOLS = ("cmake", "ninja", "dtc", "gperf", "qemu-system-arm", "python3")


def missing() -> str | None:
    """Return the reason why no program can be built on this machine; else None."""
    base = os.environ.get("ZEPHYR_BASE")
    if not base:
        return "ZEPHYR_BASE names no Zephyr tree: set it, and ZEPHYR_MODULES to its CMSIS module"
    if not (Path(base) / "kernel/sched.c").is_file():
        return f"ZEPHYR_BASE is {base}, which is not a Zephyr tree"
    if not os.environ.get("ZEPHYR_TOOLCHAIN_VARIANT") and not os.environ.get(
        "ZEPHYR_SDK_INSTALL_DIR"
    ):
        return (
            "no toolchain: set ZEPHYR_TOOLCHAIN_VARIANT=cross-compile and CROSS_COMPILE, or an SDK"
        )
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        return f"{', '.join(absent)} is not installed"
    # CMake uses the first python3 on the PATH, which may differ from that of these tests.
    ask = ["python3", "-c", "import elftools, packaging, pykwalify, yaml"]
    done = subprocess.run(ask, capture_output=True, text=True, check=False)
    return f"python3 of Zephyr: {done.stderr.splitlines()[-1]}" if done.returncode != 0 else None


def _missing_for_arm64() -> str | None:
    tools = (f"{ARM64_PREFIX}gcc", "qemu-system-aarch64")
    absent = [tool for tool in tools if shutil.which(tool) is None]
    return f"{', '.join(absent)} is not installed" if absent else None


needs_arm64 = pytest.mark.skipif(_missing_for_arm64() is not None, reason=str(_missing_for_arm64()))
needs_zephyr = pytest.mark.skipif(missing() is not None, reason=str(missing()))


@dataclass(frozen=True)
class Trace:
    """The trace of a program.

    Attributes:
        events: all events, in order.
        tids: thread numbers by name.
        symbols: symbols of the image.
    """

    events: list[Event]
    tids: dict[str, int]
    symbols: Symbols


def build(source: Path, board: str, *options: str, name: str = "") -> Path:
    """Build a program through Zephyr's CMake interface; return the build folder."""
    folder = BUILD / f"{board}-{name or source.name}"
    environment = {}
    if board == TWO_CPUS:
        prefix = _tools_for_arm64() / ARM64_PREFIX
        environment = {"ZEPHYR_TOOLCHAIN_VARIANT": "cross-compile", "CROSS_COMPILE": str(prefix)}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may build the same
        _run(
            "cmake",
            "-GNinja",
            "-S",
            source,
            "-B",
            folder,
            *_settings(board),
            *options,
            **environment,
        )
        messages = _run("ninja", "-C", folder, **environment)
    ours = [line for line in messages.splitlines() if "warning:" in line]
    assert not ours, "a build with the module has no warnings"
    return folder


def _settings(board: str) -> list[str]:
    """Return the CMake options of every build.

    They name the Python interpreter, because CMake would otherwise keep the one of the first
    configuration of a build folder.
    """
    modules = os.environ.get("ZEPHYR_MODULES")
    return [
        f"-DBOARD={board}",
        f"-DUSER_CACHE_DIR={BUILD / 'cache'}",
        f"-DPYTHON_PREFER_EXECUTABLE={shutil.which('python3')}",
        *([f"-DZEPHYR_MODULES={modules}"] if modules else []),
    ]


def refusal_of(source: Path, board: str, folder: Path, *options: str) -> str:
    """Configure a program that cannot be built; return CMake's message in one line."""
    command = [
        "cmake",
        "-GNinja",
        "-S",
        str(source),
        "-B",
        str(folder),
        *_settings(board),
        *options,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
    )
    assert done.returncode != 0
    return " ".join(done.stderr.split())


def _tools_for_arm64() -> Path:
    """Make a folder with the system's tools for arm64 and return it.

    Zephyr requests the compiler's folder `include-fixed`. Debian's compiler has no such folder and
    returns the bare name, which CMake refuses. A wrapper returns the folder `include` instead.
    """
    gcc, objcopy = (Path(str(shutil.which(f"{ARM64_PREFIX}{name}"))) for name in ("gcc", "objcopy"))
    folder = BUILD / "arm64"
    folder.mkdir(parents=True, exist_ok=True)
    # The compiler may be a link of ccache, whose folder does not contain the other tools.
    for tool in (*gcc.parent.glob(f"{ARM64_PREFIX}*"), *objcopy.parent.glob(f"{ARM64_PREFIX}*")):
        link = folder / tool.name
        if tool != gcc and not link.exists():
            with suppress(FileExistsError):  # another test has made it at the same time
                link.symlink_to(tool)
    wrapper = folder / f"{gcc.name}.{os.getpid()}"
    wrapper.write_text(
        '#!/bin/sh\ncase "$*" in *print-file-name=include-fixed/limits.h) '
        f'set -- -print-file-name=include/limits.h;; esac\nexec {gcc} "$@"\n'
    )
    wrapper.chmod(0o755)
    wrapper.replace(folder / gcc.name)
    return folder


def qemu_of_two(folder: Path) -> list[str]:
    """Return the command that runs a build for `TWO_CPUS`."""
    return [
        *("qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "cortex-a53", "-smp", "2"),
        *("-kernel", str(folder / "zephyr/zephyr.elf"), "-display", "none", "-monitor", "none"),
        *("-semihosting-config", "enable=on,target=native", "-serial", "null"),
        *("-nic", "none"),  # no boot ROM is needed
    ]


def qemu(board: str, folder: Path) -> list[str]:
    """Return the command that runs a build, without the options of the UARTs."""
    return [
        *("qemu-system-arm", "-M", MACHINES[board], "-kernel", str(folder / "zephyr/zephyr.elf")),
        *("-display", "none", "-monitor", "none", "-icount", "shift=5,sleep=off"),
        *("-semihosting-config", "enable=on,target=native"),
    ]


def run(
    folder: Path, board: str, tape: Path, *, seconds: float | None = None, may_lose: bool = False
) -> Trace:
    """Run a program until it ends, or for `seconds`, and read its tape."""
    elf = folder / "zephyr/zephyr.elf"

    def command(port: int) -> list[str]:
        return [*qemu(board, folder), "-serial", "stdio", "-serial", f"tcp:127.0.0.1:{port}"]

    options = CaptureOptions(handle_signals=False, duration_s=seconds)
    with ProcessRun(board, command, folder / "console.txt") as process:
        capture(process.link, tape, options)
        if seconds is None:
            process.finish()
    return read(tape, read_symbols(elf), whole=seconds is None, may_lose=may_lose)


def console_of(folder: Path, board: str) -> str:
    """Run a program that prints its results and ends; return its output."""
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


def read(tape: Path, symbols: Symbols, *, whole: bool, may_lose: bool = False) -> Trace:
    """Read a tape; its balance must be exact, without a loss unless `may_lose`."""
    with TapeReader(tape) as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert may_lose or total.lost == 0
        assert balance_of(reader).final is whole
        assert reader.hello is not None
        assert reader.hello.build_id == symbols.build_id.hex()
        events = [event for columns in iter_events(reader) for event in columns.events()]
    tids = {event.text: event.words[1] for event in events if event.name == "THREAD.NAME"}
    return Trace(events, {str(name): tid for name, tid in tids.items()}, symbols)


def _run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=BUILD_SECONDS,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout + done.stderr
