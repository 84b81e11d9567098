"""`tickertape udpdump` with received and with saved packets."""

from __future__ import annotations

import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, Command
from tests.support.patience import HANG_S
from tests.support.shark_packets import ftrace_packet, pcap, shark_packets, shark_records
from tickertape.formats.shark.packets import Oddity
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.command import Command, Done


def dump_live(folder: Path, packets: Sequence[bytes], number: signal.Signals) -> Done:
    """Send packets to a waiting command, and a signal after it has printed all of them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [str(COMMAND), "udpdump", f"udp://127.0.0.1:{port}", "-o", "records"]
    with (
        subprocess.Popen(
            words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as host,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as target,
    ):
        assert host.stdout is not None
        lines = [host.stdout.readline()]
        assert lines[0].startswith("waiting for packets")
        for packet in packets:
            target.sendto(packet, ("127.0.0.1", port))
            lines.append(host.stdout.readline())
        host.send_signal(number)
        out, error = host.communicate(timeout=HANG_S)
    return subprocess.CompletedProcess(words, host.returncode, "".join(lines) + out, error)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_reads_until_it_is_told_to_stop(
    tmp_path: Path, tickertape: Command, number: signal.Signals
) -> None:
    done = dump_live(tmp_path, shark_packets(3), number)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == [
        "packet 1: 242 bytes, 20 records",
        "packet 2: 242 bytes, 20 records",
        "packet 3: 242 bytes, 20 records",
        "3 packets, 60 records",
    ]
    assert (tmp_path / "records").read_bytes() == shark_records(0, 60)
    assert tickertape("import", "shark", "records", "-o", "t.tape").returncode == 0
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.record_count == 60


def test_accidents_of_ftrace_are_told_with_their_place(tmp_path: Path, tickertape: Command) -> None:
    packets = [
        ftrace_packet(1),
        ftrace_packet(4),
        b"hello",
        ftrace_packet(3),
        ftrace_packet(5)[:50],
    ]
    done = dump_live(tmp_path, packets, signal.SIGINT)
    assert done.returncode == 0
    assert done.stdout.splitlines()[3] == "no packet: 5 bytes"
    name = done.stderr.split(": ")[1]
    assert done.stderr.splitlines() == [
        f"tickertape: {name}: 1 packets are missing (first at byte 104)",
        f"tickertape: {name}: 1 {Oddity.FOREIGN.value} (first at byte 208)",
        f"tickertape: {name}: 1 {Oddity.LATE.value} (first at byte 213)",
        f"tickertape: {name}: 1 {Oddity.HALF.value} (first at byte 317)",
        f"tickertape: {name}: 15 bytes are in no record; left out",
    ]
    assert (tmp_path / "records").stat().st_size == 16 * 16
    assert tickertape("import", "ftrace", "records", "-o", "t.tape").returncode == 0


def test_saved_packets(tmp_path: Path, tickertape: Command) -> None:
    (tmp_path / "plain").write_bytes(b"".join(shark_packets(3))[:-5])
    (tmp_path / "net.pcap").write_bytes(pcap(shark_packets(3), port=777))
    done = tickertape("udpdump", "plain", "-o", "a")
    assert done.returncode == 0
    assert done.stdout.endswith("3 packets, 59 records\n")
    assert "1 packets end before their last record" in done.stderr
    done = tickertape("udpdump", "net.pcap", "--port", "777", "-o", "b", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "b").read_bytes() == shark_records(0, 60)
    assert (tmp_path / "a").read_bytes() == shark_records(0, 59)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nothing"], 4, "there is no file nothing"),
        (["empty"], 4, "empty is empty"),
        (["records"], 4, "records contains no packets; check layout and port"),
        (["net.pcap", "--port", "5"], 4, "net.pcap contains no packets"),
        (["udp://localhost"], 2, "names no port"),
        (["net.pcap", "-o", "no/such/folder"], 4, "no/such/folder cannot be written"),
        (["net.pcap", "-o", "/dev/full"], 4, "(No space left on device); free some space"),
        (["--duration", "0"], 2, "not a number of seconds"),
        (["udp://127.0.0.1:0"], 2, "names no port"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, tickertape: Command, words: list[str], code: int, said: str
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "records").write_bytes(shark_records(0, 500))
    (tmp_path / "net.pcap").write_bytes(pcap(shark_packets(3)))
    done = tickertape("udpdump", *words)
    assert done.returncode == code
    assert said in done.stderr.splitlines()[-1]
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_somebody_else_has(tickertape: Command) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        done = tickertape("udpdump", f"udp://127.0.0.1:{port}", "--duration", "1")
    assert done.returncode == 3


def test_it_ends_when_its_time_is_over(tickertape: Command) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    done = tickertape("udpdump", f"udp://127.0.0.1:{port}", "--duration", "0.1")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["0 packets, 0 records"])
