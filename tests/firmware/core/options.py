"""Builds of the recorder with configuration options."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


HERE = Path(__file__).parent

FIRMWARE = HERE.parents[2] / "firmware"

CORE = sorted((FIRMWARE / "core").glob("*.c"))

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]

INCLUDES = [f"-I{folder}" for folder in (FIRMWARE / "include", HERE / "matrix/port")]

FORBIDDEN: dict[str, dict[str, str]] = {
    "TT_CONFIG_READERS: a port whose lock excludes all CPUs": {
        "TT_CONFIG_READERS": "1",
        "TT_CONFIG_CPUS": "2",
    },
    "TT_CONFIG_READERS: without TT_CONFIG_FINALIZE": {
        "TT_CONFIG_READERS": "1",
        "TT_CONFIG_FINALIZE": "1",
    },
    "TT_CONFIG_PROBE: without TT_CONFIG_READERS": {
        "TT_CONFIG_READERS": "1",
        "TT_CONFIG_PROBE": "1",
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
    "TT_CONFIG_DRAIN_SLICE: 0-4000": {"TT_CONFIG_DRAIN_SLICE": "4001"},
    "TT_CONFIG_CRC_TABLE: 64 or 1024": {"TT_CONFIG_CRC_TABLE": "256"},
    "TT_CONFIG_CRC_TABLE: 64 or 1024 ": {"TT_CONFIG_CRC_TABLE": "0"},
    "TT_CONFIG_COMMAND_PAYLOAD_BYTES: 0-192": {"TT_CONFIG_COMMAND_PAYLOAD_BYTES": "193"},
    "TT_CONFIG_FILTERS: 1-255": {"TT_CONFIG_FILTERS": "0"},
    "TT_CONFIG_HANDLER_RUNS: 1-255": {"TT_CONFIG_HANDLER_RUNS": "0"},
    "TT_CONFIG_DEFINITIONS: 0-255": {"TT_CONFIG_DEFINITIONS": "256"},
    "TT_CONFIG_EVENT_MASKS: 0-1024": {"TT_CONFIG_EVENT_MASKS": "1025"},
    "TT_CONFIG_DEFINITION_NAME_BYTES: 2-64": {"TT_CONFIG_DEFINITION_NAME_BYTES": "65"},
    "TT_CONFIG_STREAM_NAME_BYTES: 2-64": {"TT_CONFIG_STREAM_NAME_BYTES": "1"},
}
"""Options that the build refuses, by the text of the reason."""


def allowed(row: Mapping[str, str]) -> bool:
    """Return whether no options of a row, or of a part of a row, exclude each other."""
    return not any(pair.items() <= row.items() for pair in FORBIDDEN.values())


def defines(row: Mapping[str, str]) -> list[str]:
    return [f"-D{option}={value}" for option, value in row.items()]


def compile_for_arm(row: Mapping[str, str], source: Path) -> subprocess.CompletedProcess[str]:
    command = ["arm-none-eabi-gcc", "-std=c11", "-mthumb", "-mcpu=cortex-m4", "-ffreestanding"]
    command += [*WARNINGS, *INCLUDES, *defines(row), "-fsyntax-only", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
