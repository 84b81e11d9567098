"""The trace UARTs of the boards on simulated registers (trace_*_driver.c)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.patience import HANG_S

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"


COMMON = ("boards/cortex_m", "boards", "links", "include", "kernel", "kernel/include")
PORTS = ("kernel/ports/cortex_m", "ports/cortex_m")


def run(folder: Path, driver: str, board: str, *options: str) -> None:
    """Compile a driver with the sources of a board and run it; it has to report no fault."""
    program = folder / "driver"
    includes = (f"boards/{board}", *COMMON, *PORTS)
    subprocess.run(
        [
            *("gcc", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", *options),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            *("-DTT_CONFIG_ENABLED=1", f'-DBOARD_NAME="{board}"'),
            *(f"-I{FIRMWARE / include}" for include in includes),
            str(HERE / driver),
            str(FIRMWARE / "links/byte_ring.c"),
            str(FIRMWARE / "links/ring_link.c"),
            *("-o", str(program)),
        ],
        check=True,
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("m33", [0, 1])
def test_bytes_pass_in_both_directions(tmp_path: Path, m33: int) -> None:
    run(tmp_path, "trace_uart_driver.c", "mps2", f"-DMPS2_M33={m33}")


def test_bytes_pass_in_both_directions_by_dma(tmp_path: Path) -> None:
    # The controller's registers have 32 bits; the program therefore needs addresses of 32 bits.
    options = ("-no-pie", "-fno-pie", "-DBOARD_TRACE_LINK=BOARD_LINK_DMA")
    run(tmp_path, "trace_dma_driver.c", "stm32f4", *options)
