"""Options of the recorder that are out of range or exclude each other are refused at build time."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
CORE = sorted((FIRMWARE / "core").glob("*.c"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
INCLUDES = [f"-I{folder}" for folder in (FIRMWARE / "include", HERE / "matrix/port")]

FORBIDDEN: dict[str, dict[str, str]] = {
    "TT_CONFIG_READERS: one CPU": {"TT_CONFIG_READERS": "1", "TT_CONFIG_CPUS": "2"},
    "TT_CONFIG_READERS: without TT_CONFIG_FINALIZE": {
        "TT_CONFIG_READERS": "1",
        "TT_CONFIG_FINALIZE": "1",
    },
    "TT_CONFIG_POLICY: FINALIZE needs TT_CONFIG_FINALIZE": {
        "TT_CONFIG_POLICY": "TT_POLICY_FINALIZE",
        "TT_CONFIG_FINALIZE": "0",
    },
    "TT_CONFIG_POLICY: FINALIZE needs TT_CONFIG_FINALIZE ": {
        "TT_CONFIG_POLICY": "TT_POLICY_FINALIZE_FREE",
        "TT_CONFIG_FINALIZE": "0",
    },
    "TT_CONFIG_STREAMS: 1-8": {"TT_CONFIG_STREAMS": "9"},
    "TT_CONFIG_CPUS: 1-8": {"TT_CONFIG_CPUS": "9"},
    "TT_CONFIG_BUFFERS: 2-255": {"TT_CONFIG_BUFFERS": "1"},
    "TT_CONFIG_BUFFER_RECORDS": {"TT_CONFIG_BUFFER_RECORDS": "20"},
    "TT_CONFIG_HIGH_WATER_PERCENT: 1-100": {"TT_CONFIG_HIGH_WATER_PERCENT": "0"},
}
"""What is refused when it is built, and the words that say why."""


def allowed(row: Mapping[str, str]) -> bool:
    """Whether no options of a row, or of a part of one, exclude each other."""
    return not any(pair.items() <= row.items() for pair in FORBIDDEN.values())


def defines(row: Mapping[str, str]) -> list[str]:
    return [f"-D{option}={value}" for option, value in row.items()]


def compile_for_arm(row: Mapping[str, str], source: Path) -> subprocess.CompletedProcess[str]:
    command = ["arm-none-eabi-gcc", "-std=c11", "-mthumb", "-mcpu=cortex-m4", "-ffreestanding"]
    command += [*WARNINGS, *INCLUDES, *defines(row), "-fsyntax-only", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_what_excludes_each_other_is_refused_with_a_reason(reason: str) -> None:
    """By one source at least, so no image is linked."""
    done = [compile_for_arm(FORBIDDEN[reason], source) for source in CORE]
    assert any(
        d.returncode != 0 and f'static assertion failed: "{reason.strip()}' in d.stderr
        for d in done
    )
