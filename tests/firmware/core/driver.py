"""Compiles a driver, a C program that is linked with the recorder, and runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
PLAIN_PORT = HERE / "plain" / "plain_port.c"
"""The port of the recorder for drivers in which nothing interrupts, one of their `sources`."""
STEP_PORT = HERE / "step" / "step_port.c"
"""The port for drivers in which an interrupt comes between any two instructions."""
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wmissing-prototypes", "-Werror"]


def run_driver(
    folder: Path, driver: str | Path, *defines: str, sources: Sequence[Path] = ()
) -> None:
    """Run a driver, given by its path or its name here, under the sanitizers.

    `sources` are linked beside the recorder; their folders are searched for headers. It has to end
    with exit code 0 and to say nothing; it says which expectation did not hold.
    """
    program = build_driver(folder, driver, *defines, sources=sources)
    done = subprocess.run([program], capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def build_driver(
    folder: Path, driver: str | Path, *defines: str, sources: Sequence[Path] = ()
) -> Path:
    """Build a driver as `run_driver` does."""
    program = folder / "driver"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-g", "-O1", *WARNINGS),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            *(f"-D{define}" for define in defines),
            *(f"-I{folder}" for folder in (FIRMWARE / "include", FIRMWARE / "core", HERE / "port")),
            *(f"-I{folder}" for folder in sorted({source.parent for source in sources})),
            str(HERE / driver),
            *map(str, sources),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            *("-o", str(program)),
        ],
        check=True,
    )
    return program
