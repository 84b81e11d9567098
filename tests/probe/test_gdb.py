"""A probe that drains the target through a GDB server; and mistakes of users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.halted import BOARD, emulator
from tests.support.patience import HANG_S
from tests.support.workbench import build
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command


def first_tape(name: str, defines: str) -> Path:
    return build(BOARD, name, SOURCE_DIR="examples/first_tape", DEBUG_FLAGS="-g", DEFINES=defines)


@pytest.fixture(scope="module")
def firmware() -> Path:
    return first_tape("first_tape_probe", "TT_CONFIG_PROBE=1 TT_CONFIG_BUFFERS=32")


def test_a_gdb_server_brings_the_whole_trace(
    tickertape: Command, tmp_path: Path, firmware: Path
) -> None:
    with emulator(firmware) as (process, port):
        done = tickertape(
            "capture", f"probe:gdb://127.0.0.1:{port}", "--elf", firmware, "-o", "x.tape"
        )
        assert done.returncode == 0, done.stderr
        assert process.wait(HANG_S) == 0
    assert "halts the target" in done.stderr
    with TapeReader(tmp_path / "x.tape") as reader:
        (ring,) = balance_of(reader).rings
    fates = (ring.balance.overwritten, ring.balance.dropped, ring.balance.damaged)
    assert ring.final
    assert fates == (0, 0, 0)
    assert ring.balance.offered == ring.balance.delivered > 1000


def test_another_firmware_is_one_line(tickertape: Command, firmware: Path) -> None:
    other = first_tape("first_tape_probe_16", "TT_CONFIG_PROBE=1 TT_CONFIG_BUFFERS=16")
    with emulator(other) as (_, port):
        done = tickertape(
            "capture", f"probe:gdb://127.0.0.1:{port}", "--elf", firmware, "-o", "x.tape"
        )
    assert_complaint(done, 3, "runs another firmware", "ELF file that was flashed")


def test_a_firmware_that_lends_nothing_is_one_line(tickertape: Command) -> None:
    plain = first_tape("first_tape_plain", "")
    done = tickertape("capture", "probe:gdb://127.0.0.1:9", "--elf", plain, "-o", "x.tape")
    assert_complaint(done, 6, "does not allow a probe to read its buffers", "TT_CONFIG_PROBE=1")


@pytest.mark.parametrize(
    "words",
    [
        ("probe:gdb://127.0.0.1:9",),
        ("probe:jtag", "--elf", "ELF"),
        ("probe:gdb://a", "--elf", "ELF"),
    ],
)
def test_an_address_that_lacks_something_is_one_line(
    tickertape: Command, firmware: Path, words: tuple[str, ...]
) -> None:
    given = [str(firmware) if word == "ELF" else word for word in words]
    done = tickertape("capture", *given, "-o", "x.tape")
    assert_complaint(done, 2, words[0], "probe:")
