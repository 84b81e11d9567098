"""The trace UART of the mps2 board over registers of the test (trace_uart_driver.c)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.patience import HANG_S

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"


@pytest.mark.parametrize("m33", [0, 1])
def test_bytes_pass_in_both_directions(tmp_path: Path, m33: int) -> None:
    program = tmp_path / "driver"
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror"),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            f"-DMPS2_M33={m33}",
            *("-DTT_CONFIG_ENABLED=1", '-DBOARD_NAME="mps2"'),
            *(
                f"-I{FIRMWARE / folder}"
                for folder in (
                    "boards/mps2",
                    "boards/cortex_m",
                    "boards",
                    "links",
                    "include",
                    "kernel",
                    "kernel/include",
                    "kernel/ports/cortex_m",
                    "ports/cortex_m",
                )
            ),
            str(HERE / "trace_uart_driver.c"),
            str(FIRMWARE / "links/byte_ring.c"),
            str(FIRMWARE / "links/ring_link.c"),
            *("-o", str(program)),
        ],
        check=True,
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
