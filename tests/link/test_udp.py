"""Datagrams late, twice or lost: the stream equals the target's, or has marked holes."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.command import COMMAND
from tests.support.patience import HANG_S
from tests.support.workbench import build, qemu_command
from tickertape.analysis.balance import balance_of
from tickertape.errors import LinkBusy, UsageError
from tickertape.link import open_link
from tickertape.link.udp import HEADER, MAGIC, Reorder, UdpLink
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

ROOT = Path(__file__).parents[2]
UDP = (socket.AF_INET, socket.SOCK_DGRAM)


def datagram(number: int, data: bytes) -> bytes:
    return HEADER.pack(MAGIC, number % (1 << 32)) + data


def part(number: int) -> bytes:
    return bytes([1 + number % 255]) * 3


def through(numbers: Sequence[int], first: int = 0) -> tuple[bytes, Reorder]:
    order = Reorder()
    out = b"".join(order.take(datagram(first + n, part(n)), 0.0) for n in numbers)
    return out + order.give_up(), order


@given(
    count=st.integers(1, 60),
    first=st.sampled_from([0, 7, (1 << 32) - 20]),
    rng=st.randoms(use_true_random=False),
)
def test_nearby_disorder_and_doubles_change_nothing(count: int, first: int, rng: Random) -> None:
    numbers = list(range(count))
    sent = [numbers[0]]
    rest = sorted(
        [*numbers[1:], *rng.choices(numbers, k=count // 3)],
        key=lambda n: n + rng.random() * 20,
    )
    out, order = through(sent + rest, first)
    assert out == b"".join(part(n) for n in numbers)
    assert (order.missing, order.doubled) == (0, count // 3)


@given(count=st.integers(2, 60), data=st.data())
def test_a_hole_is_a_delimiter_and_is_counted(count: int, data: st.DataObject) -> None:
    lost = data.draw(st.sets(st.integers(1, count - 1), max_size=count - 1))
    numbers = [n for n in range(count) if n not in lost]
    out, order = through(numbers)
    expected = b""
    for before, number in zip([-1, *numbers], numbers, strict=False):
        expected += (b"\0" if number != before + 1 else b"") + part(number)
    assert out == expected
    assert order.missing == sum(n < numbers[-1] for n in lost)


def test_what_comes_after_it_was_given_up_is_late() -> None:
    order = Reorder()
    order.take(datagram(0, b"a"), 0.0)
    assert order.take(datagram(2, b"c"), 0.0) == b""
    assert order.wait_over(0.1) == b""
    assert order.wait_over(1.0) == b"\0c"
    assert order.take(datagram(1, b"b"), 1.1) == b""
    assert (order.missing, order.late, order.doubled) == (1, 1, 0)


def test_a_target_that_begins_anew_is_followed() -> None:
    order = Reorder()
    assert order.take(datagram(50_000, b"old"), 0.0) == b""  # the first number is still unknown
    assert order.wait_over(1.0) == b"old"
    assert order.take(datagram(0, b"new"), 1.0) == b"new"
    assert (order.restarts, order.missing) == (1, 0)
    assert order.take(b"not for us", 0.0) == b""
    assert order.foreign == 1


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_real_socket() -> None:
    port = free_port()
    with (
        closing(open_link(f"udp://127.0.0.1:{port}")) as link,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as target,
    ):
        assert isinstance(link, UdpLink)
        with pytest.raises(LinkBusy):
            open_link(f"udp://127.0.0.1:{port}")
        link.write(b"lost: no sender yet")
        target.connect(("127.0.0.1", port))
        for number in (0, 2, 1, 1, 3):
            target.send(datagram(number, b"xx"))
        data = b""
        while len(data) < 8:
            data += link.read(3, 5.0)
        assert data == b"xxxxxxxx"
        link.write(b"command")
        assert target.recv(100) == b"command"
        ends = [link.at_end]
        target.send(datagram(4, b""))
        assert link.read(10, 5.0) == b""
        assert [*ends, link.at_end] == [False, True]
        assert link.remarks() == ["udp: of 6 datagrams: 1 doubled, 1 out of order"]


def test_strangers_are_neither_read_nor_answered() -> None:
    """The first host that sends is the target; another one can replace it after a silence."""
    with closing(open_link(f"udp://0.0.0.0:{free_port()}")) as link, socket.socket(*UDP) as target:
        assert isinstance(link, UdpLink)
        place = ("127.0.0.1", link.port)
        with socket.socket(*UDP) as noise, socket.socket(*UDP) as stranger:
            noise.bind(("127.0.0.3", 0))
            stranger.bind(("127.0.0.2", 0))
            noise.sendto(b"no stream", place)
            assert link.read(100, 0.3) == b""
            target.sendto(datagram(0, b"one"), place)
            assert link.read(100, 30.0) == b"one"
            noise.sendto(b"no stream", place)
            stranger.sendto(datagram(1, b"forged"), place)
            stranger.sendto(datagram(5000, b"another stream"), place)
            assert link.read(100, 0.3) == b""
            link.write(b"command")
            target.settimeout(30.0)
            assert target.recv(100) == b"command"
            target.sendto(datagram(1, b"two"), place)
            assert link.read(100, 30.0) == b"two"
            assert any("4 of others" in remark for remark in link.remarks())
            for silent in (stranger, noise):
                silent.settimeout(0.1)
                with pytest.raises(TimeoutError):
                    silent.recv(100)
            link._heard_s -= 3.5  # simulate 3.5 s of silence
            stranger.sendto(datagram(2, b"new"), place)
            assert link.read(100, 30.0) == b"new"


def test_addresses_that_make_no_sense() -> None:
    for address in ("udp://", "udp://localhost", "udp://localhost:99999"):
        with pytest.raises(UsageError, match="udp://localhost:4000"):
            open_link(address)


def sender(board: str, port: int) -> list[str]:
    """Return the command of a target that sends its trace to a port of this machine."""
    program = build(board, "first_tape")
    if board == "native":
        return [str(program), "--trace", f"udp:127.0.0.1:{port}", "--duration-ms", "2000"]
    options = (f"udp_port={port}", "duration_ms=2000")
    return [*qemu_command(board, program, "null", *options), "-nic", "user,model=lan9118"]


@pytest.mark.parametrize("board", ["native", "mps2-an385"])
def test_what_a_bad_network_does_to_a_trace_is_receipted(tmp_path: Path, board: str) -> None:
    """Target, network and host are separate processes, as in reality."""
    sender(board, 0)  # build it before the capture waits
    tape, port = tmp_path / "t.tape", free_port()
    words = ["capture", f"udp://127.0.0.1:{port}", "-o", str(tape), "-q"]
    network = [sys.executable, "-m", "tests.support.lossy_relay", str(port), "4"]
    with (
        subprocess.Popen([COMMAND, *words], stderr=subprocess.PIPE, text=True) as host,
        subprocess.Popen(network, cwd=ROOT, stdout=subprocess.PIPE, text=True) as relay,
    ):
        assert relay.stdout is not None
        command = sender(board, int(relay.stdout.readline()))
        wait_until_bound(port)
        subprocess.run(command, check=True, timeout=HANG_S, stdout=subprocess.DEVNULL)
        lost, doubled = map(int, relay.stdout.readline().split())
        assert host.wait(100) == 0
    assert lost > 3
    assert doubled > 3
    with TapeReader(tape) as reader:
        total = balance_of(reader).total
        (remark,) = [note for note in reader.notes if note.startswith("udp:")]
    assert f"{lost} missing" in remark
    assert f"{doubled} doubled" in remark
    assert "out of order" in remark
    assert total.damaged > 0
    assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged


def wait_until_bound(port: int) -> None:
    """Wait until another process is bound to a UDP port."""
    deadline = time.monotonic() + 100
    while f":{port:04X} " not in Path("/proc/net/udp").read_text(encoding="ascii"):
        assert time.monotonic() < deadline, "no program receives"
        time.sleep(0.02)
