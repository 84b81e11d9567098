"""Datagrams in any order, twice or not at all: the stream is what the target sent, or has holes."""

from __future__ import annotations

import socket
import subprocess
import threading
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.firmware.workbench import build
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.errors import LinkBusy, LinkLost, UsageError
from tickertape.link import open_link
from tickertape.link.udp import HEADER, MAGIC, Reorder, UdpLink
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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
    assert order.take(datagram(50_000, b"old"), 0.0) == b""  # which is the first?
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
        with pytest.raises(LinkLost, match="nobody has sent"):
            link.write(b"early")
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


def test_addresses_that_make_no_sense() -> None:
    for address in ("udp://", "udp://localhost", "udp://localhost:99999"):
        with pytest.raises(UsageError, match="udp://localhost:4000"):
            open_link(address)


class Network:
    """Stands between a target and the host, and treats datagrams badly; keeps count."""

    def __init__(self, host_port: int, seed: int) -> None:
        self._in = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._in.bind(("127.0.0.1", 0))
        self._in.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.port = int(self._in.getsockname()[1])
        self._host = ("127.0.0.1", host_port)
        self._random = Random(seed)
        self.lost = 0
        self.doubled = 0

    def run(self) -> None:
        """Pass datagrams on until the last one has come."""
        kept: list[bytes] = []
        while True:
            data = self._in.recv(1 << 16)
            is_last = len(data) == HEADER.size
            chance = 1.0 if is_last else self._random.random()
            if chance < 0.05:
                self.lost += 1
                continue
            kept += [data] * (1 + (chance < 0.1))
            self.doubled += chance < 0.1
            if len(kept) > 4 or is_last:
                self._random.shuffle(kept)
                for one in kept:
                    self._in.sendto(one, self._host)
                kept.clear()
            if is_last:
                self._in.close()
                return


def test_what_a_bad_network_does_to_a_trace_is_receipted(tmp_path: Path) -> None:
    program = build("native", "first_tape")
    port = free_port()
    with closing(open_link(f"udp://127.0.0.1:{port}")) as link:
        network = Network(port, seed=4)
        carrier = threading.Thread(target=network.run)
        carrier.start()
        where = f"udp:127.0.0.1:{network.port}"
        command = [str(program), "--trace", where, "--duration-ms", "2000"]
        subprocess.run(command, check=True, timeout=60)
        result = capture(link, tmp_path / "t.tape", CaptureOptions(handle_signals=False))
        carrier.join(30)
    assert network.lost > 3
    with TapeReader(tmp_path / "t.tape") as reader:
        total = balance_of(reader).total
        (remark,) = [note for note in reader.notes if note.startswith("udp:")]
        events = sum(len(columns) for columns in iter_events(reader))
    assert f"{network.lost} missing" in remark
    assert f"{network.doubled} doubled" in remark
    assert total.damaged > 0
    assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
    assert result.progress.events == events > 0
