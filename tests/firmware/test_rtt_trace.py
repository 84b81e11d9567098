"""Real firmware with a trace over RTT; the test acts as the debug probe."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile

from tests.support.halted import BOARD, address_of, emulator
from tests.support.patience import HANG_S
from tests.support.rtt import MARK, RttHost
from tests.support.workbench import build
from tickertape.analysis.balance import balance_of
from tickertape.decode.commands import Request
from tickertape.decode.frames import FrameDecoder, encode_frame
from tickertape.link.gdb_server import connect_gdb
from tickertape.protocol.wire import Command as Code
from tickertape.protocol.wire import FrameType
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

TRACE = 1


@pytest.fixture(scope="module")
def firmware() -> Path:
    return build(
        BOARD,
        "first_tape_rtt",
        SOURCE_DIR="examples/first_tape",
        DEFINES="BOARD_TRACE_LINK=BOARD_LINK_RTT",
    )


class Probe:
    """A debug probe: at each look it halts the target, finds the block and moves the bytes."""

    def __init__(self, firmware: Path, port: int) -> None:
        self._begin = address_of(firmware, "data_begin")
        self._count = address_of(firmware, "bss_end") - self._begin
        self.memory = connect_gdb("127.0.0.1", port, self._begin, "gdb", HANG_S)
        self._host: RttHost | None = None

    def look(self, command: bytes = b"") -> tuple[bytes, int]:
        """Return the bytes from the target, and the number of command bytes that it accepted."""
        with self.memory.access():
            if self.memory.at_end:
                return b"", 0
            if self._host is None:
                if MARK not in self.memory.read(self._begin, self._count):
                    return b"", 0
                self._host = RttHost(self.memory, self._begin, self._count)
            return self._host.up(TRACE), self._host.down(TRACE, command)


def serve(listener: socket.socket, probe: Probe) -> None:
    """Relay the channel of the trace to one client, as OpenOCD does, until the target ends."""
    client, _ = listener.accept()
    with client:
        while not probe.memory.at_end:
            client.sendall(probe.look()[0])


def test_the_trace_comes_whole(tickertape: Command, tmp_path: Path, firmware: Path) -> None:
    with emulator(firmware) as (process, port):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(HANG_S)
            probe = Probe(firmware, port)
            server = threading.Thread(target=serve, args=(listener, probe), daemon=True)
            server.start()
            link = f"socket://127.0.0.1:{listener.getsockname()[1]}"
            done = tickertape("capture", link, "-o", "x.tape", "--symbols", firmware)
            server.join(HANG_S)
        assert not server.is_alive()
        probe.memory.close()
        assert done.returncode == 0, done.stderr
        assert process.wait(HANG_S) == 0
    with TapeReader(tmp_path / "x.tape") as reader:
        (ring,) = balance_of(reader).rings
    balance = ring.balance
    assert ring.final
    assert (balance.overwritten, balance.damaged) == (0, 0)
    assert balance.offered == balance.delivered + balance.dropped > 1000
    assert balance.delivered > 0


def test_commands_reach_the_firmware(firmware: Path) -> None:
    decoder = FrameDecoder()
    decoder.receive(b"\0")
    command = encode_frame(FrameType.COMMAND, 0, Request(Code.FLUSH).body(7))
    with emulator(firmware) as (_, port):
        probe = Probe(firmware, port)
        taken = 0
        replies: list[int] = []
        with closing(probe.memory):
            while not replies and not probe.memory.at_end:
                data, count = probe.look(command[taken:])
                taken += count
                decoder.receive(data)
                found = [frame for frame in decoder.frames() if frame.type == FrameType.REPLY]
                replies += [int.from_bytes(frame.body[:4], "little") for frame in found]
    assert replies == [7]


def test_no_constant_of_the_firmware_looks_like_a_block(firmware: Path) -> None:
    with firmware.open("rb") as file:
        for segment in ELFFile(file).iter_segments("PT_LOAD"):
            assert MARK[:10] not in segment.data()
