"""Real firmware with a trace link in memory; the host reads it through a GDB server."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.halted import BOARD, address_of, emulator
from tests.support.patience import HANG_S
from tests.support.workbench import build
from tickertape.analysis.balance import balance_of
from tickertape.link.gdb_server import connect_gdb
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command


@pytest.fixture(scope="module")
def firmware() -> Path:
    return build(
        BOARD,
        "first_tape_memory",
        SOURCE_DIR="examples/first_tape",
        DEFINES="TT_CONFIG_MEMORY_LINK=1",
    )


@pytest.fixture(scope="module")
def patient_firmware() -> Path:
    """Build the firmware with room for the whole trace, so the host may read at any speed."""
    return build(
        BOARD,
        "first_tape_memory_64",
        SOURCE_DIR="examples/first_tape",
        DEFINES="TT_CONFIG_MEMORY_LINK=1 TT_CONFIG_BUFFERS=64",
    )


def wait_for_the_end(firmware: Path, port: int) -> None:
    """Let the firmware run without reading its trace, until it has stopped recording."""
    finishing = address_of(firmware, "finishing")
    memory = connect_gdb("127.0.0.1", port, finishing, "gdb", HANG_S)
    with closing(memory):
        done = False
        pause_s = 0.1
        while not done:
            time.sleep(pause_s)  # the firmware runs only during this pause
            pause_s = min(2 * pause_s, 5.0)
            with memory.access():
                done = memory.read(finishing, 1) == b"\x01"


def test_a_gdb_server_brings_the_whole_trace(
    tickertape: Command, tmp_path: Path, patient_firmware: Path
) -> None:
    firmware = patient_firmware
    with emulator(firmware) as (process, port):
        link = f"gdb://127.0.0.1:{port}?at={address_of(firmware, 'trace_memory'):#x}"
        done = tickertape("capture", link, "-o", "x.tape", "--symbols", firmware)
        assert done.returncode == 0, done.stderr
        assert process.wait(HANG_S) == 0
    with TapeReader(tmp_path / "x.tape") as reader:
        (ring,) = balance_of(reader).rings
    fates = (ring.balance.overwritten, ring.balance.dropped, ring.balance.damaged)
    assert ring.final
    assert fates == (0, 0, 0)
    assert ring.balance.offered == ring.balance.delivered > 1000


def test_a_slow_host_gets_exact_receipts(
    tickertape: Command, tmp_path: Path, firmware: Path
) -> None:
    with emulator(firmware) as (process, port):
        wait_for_the_end(firmware, port)
        link = f"gdb://127.0.0.1:{port}?at={address_of(firmware, 'trace_memory'):#x}"
        done = tickertape("capture", link, "-o", "x.tape")
        assert done.returncode == 0, done.stderr
        assert process.wait(HANG_S) == 0
    with TapeReader(tmp_path / "x.tape") as reader:
        (ring,) = balance_of(reader).rings
    assert ring.final
    assert ring.balance.dropped > 0
    assert ring.balance.offered == ring.balance.delivered + ring.balance.dropped


def test_a_wrong_address_is_one_line(tickertape: Command, firmware: Path) -> None:
    with emulator(firmware) as (_, port):
        link = f"gdb://127.0.0.1:{port}?at=0x60000000"
        done = tickertape("capture", link, "-o", "x.tape")
    assert_complaint(done, 3, "cannot read the target's memory", "trace_memory")
