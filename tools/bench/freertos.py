"""Measure the cost of the FreeRTOS port: kernel operations without it, stopped, and recording.

Needs a kernel, the first one in FREERTOS_KERNEL; without it nothing is measured.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Final

from tools.bench.result import Result

_ROOT: Final = Path(__file__).resolve().parents[2]
_SAMPLES: Final = _ROOT / "firmware/ports/freertos/samples"
_PROGRAM: Final = _ROOT / "tests/freertos/apps/cost"
_BOARD: Final = "mps2-an385"
_SECONDS: Final = 600

# The emulator executes an instruction in 32 ns, and the program's clock has 25 MHz.
_INSTRUCTIONS_PER_TICK: Final = 40 / 32
_REPEATED: Final = 20
"""Number of operations per measurement, as in the program."""

_COUNTED: Final = re.compile(r"^(yield|give|mutex|irq) (\d+)\r?$", re.MULTILINE)
_MODES: Final = {
    "without": "TT_CONFIG_ENABLED=0",
    "stopped": "TT_CONFIG_BUFFERS=64 TT_FREERTOS_VECTORS=64 COST_STOPPED=1",
    "recording": "TT_CONFIG_BUFFERS=64 TT_FREERTOS_VECTORS=64 COST_STOPPED=0",
}


def measure(folder: Path) -> list[Result]:
    """Build the program below `folder` in each mode and run it; nothing without a kernel."""
    kernel = os.environ.get("FREERTOS_KERNEL", "").partition(":")[0]
    if not kernel:
        return []
    how = f"QEMU {_BOARD}, -O2, {Path(kernel).name}, the least of 5 times {_REPEATED} operations"
    return [
        Result(f"freertos_{name}_{mode}", ticks * _INSTRUCTIONS_PER_TICK / _REPEATED, how)
        for mode, options in _MODES.items()
        for name, ticks in _ticks(Path(kernel).resolve(), folder / f"freertos-{mode}", options)
    ]


def _ticks(kernel: Path, folder: Path, options: str) -> list[tuple[str, int]]:
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"FREERTOS_KERNEL={kernel}", f"BOARD={_BOARD}", f"SOURCE_DIR={_PROGRAM}"]
    words += [f"BUILD={folder}", f"DEFINES={options}", f"TRACE={folder / 'trace.bin'}", "run"]
    done = subprocess.run(
        ["make", "-s", "-C", str(_SAMPLES), *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=_SECONDS,
    )
    found = _COUNTED.findall(done.stdout + done.stderr)
    return [(name, int(ticks)) for name, ticks in found]
