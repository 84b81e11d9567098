"""Filters, handlers and shedding on the target's side (filter_driver.c), under the sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"


@pytest.mark.parametrize(("buffers", "records"), [(2, 16), (4, 32), (8, 128)])
def test_every_expectation_holds(tmp_path: Path, buffers: int, records: int) -> None:
    program = tmp_path / "filter_driver"
    subprocess.run(
        [
            "gcc",
            "-std=gnu11",
            "-g",
            "-O1",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            f"-DTT_CONFIG_BUFFERS={buffers}",
            f"-DTT_CONFIG_BUFFER_RECORDS={records}",
            f"-I{FIRMWARE / 'include'}",
            f"-I{HERE / 'port'}",
            str(HERE / "filter_driver.c"),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            "-o",
            str(program),
        ],
        check=True,
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "")
