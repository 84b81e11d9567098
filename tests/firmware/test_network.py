"""The mps2 boards on QEMU's network: frames sent and received by the Ethernet controller.

QEMU stores every frame in a file; this test decodes the frames by the RFCs, without our own reader.
"""

from __future__ import annotations

import dataclasses
import socket
import struct
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tests.support.workbench import build, qemu_command
from tickertape.analysis.balance import balance_of
from tickertape.cli.main import main
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.errors import TargetError
from tickertape.link.udp import HEADER, MAGIC
from tickertape.protocol.events import EventClass
from tickertape.tape import TapeReader, iter_events
from tickertape.targets import find_target
from tickertape.targets.base import LINKS, UDP

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOARD_IP, HOST_IP = bytes([10, 0, 2, 15]), bytes([10, 0, 2, 2])
PACKETS_PORT = 9
BOARDS = ("mps2-an385", "mps2-an386", "mps2-an521", "mps3-an547")


def frames_of(path: Path) -> Iterator[bytes]:
    """Yield the frames of a capture as QEMU writes it: little-endian, Ethernet."""
    data = path.read_bytes()
    assert struct.unpack_from("<I16xI", data) == (0xA1B2C3D4, 1)
    at = 24
    while at < len(data):
        (size,) = struct.unpack_from("<8xI", data, at)
        yield data[at + 16 : at + 16 + size]
        at += 16 + size


def ones_complement(data: bytes) -> int:
    """Return the one's complement sum of 16-bit words; 0xffff if they contain a valid checksum."""
    total: int = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def check_datagram(frame: bytes) -> tuple[int, bytes]:
    """Check the headers of a UDP frame; return destination port and payload."""
    version, length, flags, protocol = struct.unpack_from(">BxHxxHxB", frame, 14)
    assert (version, protocol, flags) == (0x45, 17, 0x4000)
    assert ones_complement(frame[14:34]) == 0xFFFF
    source, target, size = struct.unpack_from(">HHH", frame, 34)
    assert length == 20 + size == len(frame) - 14
    pseudo = frame[26:34] + struct.pack(">HH", 17, size)
    assert struct.unpack_from(">H", frame, 40)[0] != 0
    assert ones_complement(pseudo + frame[34:]) == 0xFFFF
    assert (frame[26:30], frame[30:34], source > 0) == (BOARD_IP, HOST_IP, True)
    return target, frame[42:]


@pytest.mark.parametrize("board", BOARDS)
def test_every_frame_is_right(tmp_path: Path, board: str) -> None:
    program = build(board, "shark_udp")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        options = (f"udp_port={port}", f"packets_port={PACKETS_PORT}", "duration_ms=1500")
        command = qemu_command(board, program, "null", *options)
        command += ["-nic", "user,model=lan9118,id=net"]
        command += ["-object", f"filter-dump,id=dump,netdev=net,file={tmp_path}/net.pcap"]
        subprocess.run(command, check=True, timeout=HANG_S, capture_output=True)
        listener.settimeout(0)
        received = []
        with suppress(BlockingIOError):
            while True:
                received.append(listener.recv(1 << 16))
    frames = list(frames_of(tmp_path / "net.pcap"))
    # The board sends an ARP request first.
    assert frames[0][:14] == b"\xff" * 6 + frames[0][22:28] + b"\x08\x06"
    assert frames[0][28:32] == BOARD_IP
    assert frames[0][38:42] == HOST_IP
    mac = frames[0][22:28]
    sent = [check_datagram(f) for f in frames if f[6:12] == mac and f[12:14] == b"\x08\x00"]
    trace = [data for to, data in sent if to == port]
    assert trace == received
    assert [HEADER.unpack_from(data) for data in trace] == [(MAGIC, n) for n in range(len(trace))]
    assert [len(data) == HEADER.size for data in trace] == [*[False] * (len(trace) - 1), True]
    # Our own reader reads QEMU's file, too.
    words = ["udpdump", str(tmp_path / "net.pcap"), "--port", str(PACKETS_PORT), "-q"]
    assert main([*words, "-o", str(tmp_path / "records")]) == 0
    packets = [data[2:] for to, data in sent if to == PACKETS_PORT]
    assert (tmp_path / "records").read_bytes() == b"".join(packets)
    assert len(packets) > 4


@pytest.mark.parametrize("name", ["native", "qemu-m3", "qemu-dual"])
def test_commands_go_the_other_way(name: str) -> None:
    target = find_target(name)
    image = dataclasses.replace(target.build("first_tape"), link=UDP)
    with target.start(image, duration_s=1e5, realtime=True) as run:
        assert run.link.read(1, 30.0)  # from now on the board's address is known
        client = ControlClient(LinkChannel(run.link), patience_s=60.0)
        assert client.meet().tick_hz > 0
        client.select_class(EventClass.INT, take=False)
        selected = client.classes()
        assert EventClass.INT not in selected.any
        assert EventClass.SCHED in selected.every
        assert client.status().running


@pytest.mark.parametrize("name", ["qemu", "native"])
def test_a_firmware_that_dies_ends_the_link(name: str) -> None:
    """The firmware cannot send its end, but the capture ends and keeps the received frames."""
    target = find_target(name)
    image = dataclasses.replace(target.build("first_tape"), link=UDP)
    with target.start(image, duration_s=1e5, realtime=True) as run:
        assert run.link.read(1, 30.0)
        run._process.kill()  # type: ignore[attr-defined] # as a crash would
        while not run.link.at_end:
            run.link.read(1 << 16, 1.0)
        with pytest.raises(TargetError, match="ended with code -9"):
            run.finish()


def test_a_port_that_is_none() -> None:
    program = build("mps2-an385", "first_tape")
    command = qemu_command("mps2-an385", program, "null", "udp_port=65536")
    done = subprocess.run(command, check=False, timeout=HANG_S, capture_output=True, text=True)
    assert done.returncode == 64
    assert done.stdout.startswith("udp_port: a port from 1 to 65535")


def test_run_takes_the_link_that_the_user_says(tmp_path: Path) -> None:
    words = ["run", "--target", "qemu-m3", "--example", "shark_udp", "--duration", "1", "-q"]
    for link in LINKS:
        assert main([*words, "--link", link, "-o", str(tmp_path / f"{link}.tape")]) == 0
    assert main([*words, "-o", str(tmp_path / "default.tape")]) == 0
    assert main([*words, "-o", "t.tape", "--link", "pigeon"]) == 2
    events = {}
    for name in (*LINKS, "default"):
        with TapeReader(tmp_path / f"{name}.tape") as reader:
            events[name] = [event for part in iter_events(reader) for event in part.events()]
            total = balance_of(reader).total
            assert total.damaged == 0
            assert total.offered == total.delivered + total.dropped
    assert events["default"] == events["udp"]
    assert len(events["stream"]) > 256
