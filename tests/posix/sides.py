"""Build and run the conformance suite on each side: boards and Linux processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.patience import HANG_S
from tests.support.workbench import build, run_native, run_qemu
from tests.support.zephyr_boards import APPS, console_of, needs_zephyr
from tests.support.zephyr_boards import build as build_zephyr

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SIDES = (
    *("linux", "linux-shared", "native", "mps2-an385"),
    pytest.param("zephyr", marks=needs_zephyr),
)
ZEPHYR_BOARD = "mps2_an385"
BUILD_SECONDS = 300
RUN_SECONDS = HANG_S


def make_library(folder: Path, sanitize: str = "", optimise: str = "-O2") -> Path:
    """Build libposixtrace in a folder, and return the folder of the library."""
    out = folder / ("posix-" + sanitize.replace(",", "-") if sanitize else "posix")
    done = subprocess.run(
        [
            *("make", "-s", "-C", str(ROOT / "host/posix")),
            *(f"OUT={out}", f"SANITIZE={sanitize}", f"OPT={optimise}"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=BUILD_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return out


def compile_program(library: Path, sources: list[Path], program: Path, *options: str) -> Path:
    """Compile a Linux program and link it with the library, by default statically."""
    shared = "-shared-library" in options
    flags = [option for option in options if option != "-shared-library"]
    which = [f"-L{library}", "-lposixtrace"] if shared else [str(library / "libposixtrace.a")]
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"),
            *(f"-I{library / 'include'}", f"-I{HERE}", *flags, *map(str, sources)),
            *(*which, f"-Wl,-rpath,{library}", "-o", str(program)),
        ],
        check=True,
        timeout=BUILD_SECONDS,
    )
    return program


def without_broker(folder: Path) -> dict[str, str]:
    """Return an environment without a broker: the folder of its socket is empty."""
    others = {name: value for name, value in os.environ.items() if name != "TICKERTAPE_BROKER"}
    return {**others, "XDG_RUNTIME_DIR": str(folder)}


def run_program(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a Linux program to its end, without access to a broker of this machine."""
    return subprocess.run(
        [str(program), *options],
        env=without_broker(program.parent),
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_SECONDS,
    )


def suite_sources() -> list[Path]:
    """Return the sources shared by all sides."""
    return sorted(HERE.glob("*.c"))


def run_suite(side: str, folder: Path) -> tuple[int, str]:
    """Run the suite on a side; return its exit code and output."""
    if side.startswith("linux"):
        shared = ["-shared-library"] if side == "linux-shared" else []
        sources = [*suite_sources(), HERE / "linux/main.c"]
        program = compile_program(make_library(folder), sources, folder / side, *shared)
        done = run_program(program, str(folder))
        assert done.stderr == ""
        return done.returncode, done.stdout
    if side == "zephyr":
        text = console_of(build_zephyr(APPS / "posix", ZEPHYR_BOARD), ZEPHYR_BOARD)
        return 0, text
    program = build(side, "posix_suite", SOURCE_DIR=str(HERE / "firmware"))
    if side == "native":
        done = run_native(program)
        return done.returncode, done.stderr
    done = run_qemu(side, program)
    return done.returncode, done.stdout
