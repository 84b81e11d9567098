"""pyOCD's RTT with a real firmware in QEMU, whose RAM is a file; and pyOCD's SWO."""

from __future__ import annotations

import struct
import subprocess
from contextlib import closing
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import assert_complaint
from tests.support.itm import encoded, written
from tests.support.workbench import build, qemu_command
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, StopReason, capture
from tickertape.decode.itm import Sync
from tickertape.errors import LinkError, LinkLost
from tickertape.link.pyocd_rtt import PyocdRttLink
from tickertape.link.pyocd_swo import PyocdSwoPin
from tickertape.link.swo import SwoLink
from tickertape.link.target_memory import FileMemory
from tickertape.probe.opener import RamFile
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

EXCEPTIONS: Any = import_module("pyocd.core.exceptions")
SWO: Any = import_module("pyocd.probe.debug_probe").DebugProbe.Capability.SWO
BOARD = "mps2-an385"
BASE, RAM_BYTES = 0x2100_0000, 16 << 20
HANG_S = 120


class Target:
    """The parts of pyOCD's SoCTarget that RTT calls."""

    def __init__(self, ram: Path) -> None:
        self._memory = RamFile(FileMemory(str(ram), None), BASE)
        region = SimpleNamespace(start=BASE, length=1 << 20, end=BASE + (1 << 20) - 1)
        self._map = SimpleNamespace(get_default_region_of_type=lambda _type: region)

    def get_memory_map(self) -> SimpleNamespace:
        return self._map

    def read_memory_block8(self, place: int, count: int) -> list[int]:
        # Channel names lie in flash memory, which is not in the file; they read as empty.
        return list(self._memory.read(place, count) or bytes(count))

    def read_memory_block32(self, place: int, count: int) -> list[int]:
        return list(struct.unpack(f"<{count}I", self._memory.read(place, 4 * count)))

    def read32(self, place: int) -> int:
        return self.read_memory_block32(place, 1)[0]

    def write_memory_block8(self, place: int, data: bytes) -> None:
        self._memory.write(place, bytes(data))

    def write32(self, place: int, value: int) -> None:
        self._memory.write(place, value.to_bytes(4, "little"))

    def close(self) -> None:
        self._memory.close()


def test_rtt_brings_the_whole_trace(tmp_path: Path) -> None:
    firmware = build(
        BOARD,
        "first_tape_rtt_shared",
        SOURCE_DIR="examples/first_tape",
        DEFINES="BOARD_TRACE_LINK=BOARD_LINK_RTT TT_CONFIG_BUFFERS=64",
        MEMORY="../../../tests/probe/psram_an385",
    )
    ram = tmp_path / "ram"
    ram.write_bytes(bytes(RAM_BYTES))
    command = qemu_command(BOARD, firmware, "null", "duration_ms=300")
    at = command.index("-icount")
    command[at : at + 2] = ["-accel", "tcg,thread=multi"]
    command[command.index("-M") + 1] += ",memory-backend=ram"
    backend = f"memory-backend-file,id=ram,size=16M,share=on,mem-path={ram}"
    target = Target(ram)
    with (
        closing(PyocdRttLink(target, 1, "rtt:pyocd", target.close)) as link,
        subprocess.Popen([*command, "-object", backend], stdin=subprocess.DEVNULL) as process,
    ):
        try:
            limits = CaptureOptions(duration_s=HANG_S, stop_when_final=True)
            result = capture(link, tmp_path / "x.tape", limits)
            assert process.wait(HANG_S) == 0
        finally:
            process.kill()
    assert result.reason is StopReason.FINAL, result
    with TapeReader(tmp_path / "x.tape") as reader:
        (ring,) = balance_of(reader).rings
    assert ring.final
    assert ring.balance.holds
    assert ring.balance.overwritten == ring.balance.damaged == 0
    assert ring.balance.delivered > 1000


class SwoProbe:
    """The parts of pyOCD's DebugProbe that SWO calls. No emulator has a trace pin."""

    description = "object"

    def __init__(self, *parts: bytes, receives: bool = True) -> None:
        self.capabilities = {SWO} if receives else set()
        self._parts = list(parts)
        self.calls: list[object] = []

    def swo_start(self, baudrate: float) -> None:
        self.calls.append(baudrate)
        if baudrate > 3e6:
            raise EXCEPTIONS.ProbeError("failed to set the SWO baud rate")

    def swo_read(self) -> bytearray:
        if not self._parts:
            raise EXCEPTIONS.ProbeDisconnected("no device")
        return bytearray(self._parts.pop(0))

    def swo_stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")


def pin_of(probe: SwoProbe, baud: int = 2_000_000) -> PyocdSwoPin:
    return PyocdSwoPin(SimpleNamespace(probe=probe, close=probe.close), baud, "swo:pyocd")


def test_swo_brings_what_the_probe_receives() -> None:
    data = encoded(Sync()) + written(1, b"frames")
    probe = SwoProbe(data[:9], b"", data[9:])
    with closing(SwoLink(pin_of(probe), 1, "swo:pyocd")) as link:
        received = b""
        while len(received) < len(b"frames"):
            received += link.read(100, 1.0)
        assert received == b"frames"
        assert link.live
        assert link.byte_rate == 200_000
        with pytest.raises(LinkLost, match="no device"):
            link.read(100, 0.1)
    assert probe.calls == [2e6, "stop", "close"]


def test_a_probe_without_swo_and_a_wrong_rate_are_refused() -> None:
    deaf, slow = SwoProbe(receives=False), SwoProbe()
    with pytest.raises(LinkError, match="object receives no SWO") as refused:
        pin_of(deaf)
    assert "serial device" in refused.value.advice
    with pytest.raises(LinkError, match="failed to set"):
        pin_of(slow, 4_000_000)
    assert (deaf.calls, slow.calls) == (["close"], [4e6, "close"])


@pytest.mark.parametrize("link", ["rtt:pyocd@no-such-probe", "swo:pyocd@no-such-probe?stimulus=2"])
def test_no_probe_is_one_line(tickertape: Command, link: str) -> None:
    assert_complaint(tickertape("capture", link, "-o", "x.tape"), 3, "no debug probe", "plug it in")


def test_another_program_is_one_line(tickertape: Command) -> None:
    done = tickertape("capture", "rtt:jlink", "-o", "x.tape")
    assert_complaint(done, 2, "names no RTT", "rtt:pyocd")
