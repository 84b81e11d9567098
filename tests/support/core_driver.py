"""Compile and run drivers: C programs that are linked with the recorder and test it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.patience import HANG_S
from tests.support.programs import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRMWARE = Path(__file__).parents[2] / "firmware"
HERE = Path(__file__).parents[1] / "firmware/core"
"""Folder of the drivers."""
PLAIN_PORT = HERE / "plain" / "plain_port.c"
"""Port of the recorder for drivers without interrupts, one of their `sources`."""
STEP_PORT = HERE / "step" / "step_port.c"
"""Port for drivers in which an interrupt can occur between any two instructions."""
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wmissing-prototypes", "-Werror"]


def run_driver(
    folder: Path, driver: str | Path, *defines: str, sources: Sequence[Path] = ()
) -> None:
    """Build a driver with sanitizers and run it; it must print nothing and exit with code 0.

    Args:
        folder: folder for the program.
        driver: path of the driver, or its name in `HERE`.
        defines: macros, as NAME or NAME=VALUE.
        sources: C files to link with it; their folders are searched for headers.
    """
    program = build_driver(folder, driver, *defines, sources=sources)
    done = subprocess.run([program], capture_output=True, text=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def build_driver(
    folder: Path, driver: str | Path, *defines: str, sources: Sequence[Path] = ()
) -> Path:
    """Build a driver with sanitizers and return the program; see `run_driver`."""
    program = folder / "driver"
    program.symlink_to(
        compiled(
            [
                *("gcc", "-std=gnu11", "-g1", "-O1", *WARNINGS),
                *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
                *(f"-D{define}" for define in defines),
                *(
                    f"-I{folder}"
                    for folder in (FIRMWARE / "include", FIRMWARE / "core", HERE / "port")
                ),
                *(f"-I{folder}" for folder in sorted({source.parent for source in sources})),
                str(HERE / driver),
                *map(str, sources),
                *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            ]
        )
    )
    return program
