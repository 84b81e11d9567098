"""A shared link: many callers, bad callers, and its end."""

from __future__ import annotations

import random
import socket
import threading
import time
from contextlib import closing, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.control_target import Target, reply
from tests.support.wire_bytes import HELLO, NAME, frame, hello_body, name_body
from tickertape.broker import ControlServer
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.decode.commands import Request
from tickertape.decode.frames import FrameDecoder, encode_frame
from tickertape.errors import LinkBusy, LinkError, LinkLost, LinkSilent
from tickertape.link import open_link
from tickertape.protocol.wire import Command, FrameType, ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.link import Link


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "s")


@contextmanager
def served(target: Target, path: str, *, patience_s: float = 0.5) -> Iterator[ControlServer]:
    """Serve a target's link while another thread reads it, as in a capture."""
    with ControlServer(target, path, patience_s=patience_s, retry_s=0.02) as server:
        stop = threading.Event()

        def collect() -> None:
            decoder = FrameDecoder()
            while not stop.is_set():
                decoder.receive(target.read(1 << 20, 0.0))
                for came in decoder.frames():
                    server.take(came)
                time.sleep(0.001)

        thread = threading.Thread(target=collect)
        thread.start()
        try:
            yield server
        finally:
            stop.set()
            thread.join()


def client_at(link: Link) -> ControlClient:
    return ControlClient(LinkChannel(link), patience_s=20.0, retry_s=5.0)


def test_callers_take_turns_and_each_gets_its_own_replies(path: str) -> None:
    target = Target(lambda number, request: reply(number, request, 0, (request.args[0], 0)))
    found: dict[int, list[int]] = {}

    def call(place: int) -> None:
        with closing(open_link(f"unix:{path}")) as link:
            client = client_at(link)
            words = [1000 * place + turn for turn in range(20)]
            found[place] = [client.call(Command.INSERT, word).value0 for word in words]

    with served(target, path):
        threads = [threading.Thread(target=call, args=[place]) for place in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {place: [1000 * place + turn for turn in range(20)] for place in range(5)}
    numbers = list(dict.fromkeys(number for number, _ in target.requests))
    assert len(numbers) == 100
    # Over all callers, ids increase by one.
    assert {(after - before) % (1 << 32) for before, after in pairwise(numbers)} <= {1, 2}


def test_a_command_repeated_by_a_caller_is_not_done_again(path: str) -> None:
    target = Target(reply)
    body = Request(Command.STOP).body(4711)
    with served(target, path), closing(open_link(f"unix:{path}")) as link:
        decoder = FrameDecoder()
        for sequence in range(3):
            link.write(encode_frame(FrameType.COMMAND, sequence, body))
        replies: list[bytes] = []
        while len(replies) < 3:
            decoder.receive(link.read(1000, 5.0))
            replies += [came.body for came in decoder.frames()]
    assert len(set(replies)) == 1
    assert len(target.requests) == 1


def test_a_newcomer_is_told_who_the_target_is(path: str) -> None:
    target = Target(reply)
    target.feed(frame(HELLO, 0, 0, 0, hello_body(target="bench", dictionary=5)))
    target.feed(frame(NAME, 0, 0, 1, name_body(1, 4, "motor")))
    with served(target, path), closing(open_link(f"unix:{path}")) as link:
        client = client_at(link)
        assert client.meet().target == "bench"
        assert client.numbers(ObjectKind.THREAD, "motor") == [4]
    assert target.requests == []


def test_a_target_that_is_silent_is_told_to_the_caller(path: str) -> None:
    target = Target(lambda _number, _request: b"")
    with (
        served(target, path),
        closing(open_link(f"unix:{path}")) as link,
        pytest.raises(LinkSilent, match="it is unknown whether the command took effect"),
    ):
        client_at(link).stop()
    assert len(target.requests) > 2


def test_the_end_of_the_capture_is_the_end_of_the_link(path: str) -> None:
    target = Target(lambda _number, _request: b"")
    with ControlServer(target, path, patience_s=60.0) as server:
        link = open_link(f"unix:{path}")
        timer = threading.Timer(0.2, server.close)
        timer.start()
        with pytest.raises(LinkSilent):
            client_at(link).stop()
        timer.join()
    with closing(link), pytest.raises(LinkLost):
        client_at(link).stop()
    with pytest.raises(LinkError):
        open_link(f"unix:{path}", wait_s=0.0)


def test_noise_and_rude_callers_do_no_harm(path: str) -> None:
    rng = random.Random(5)
    target = Target(reply)
    with served(target, path):
        for _ in range(20):
            with socket.socket(socket.AF_UNIX) as rude:
                rude.connect(path)
                rude.sendall(rng.randbytes(rng.randrange(100_000)))
                if rng.random() < 0.5:
                    rude.sendall(encode_frame(FrameType.COMMAND, 0, bytes(rng.randrange(80))))
                    rude.sendall(encode_frame(FrameType.TEXT, 1, b"hello"))
        assert target.requests == []
        with closing(open_link(f"unix:{path}")) as link:
            client_at(link).stop()
    assert len(target.requests) == 1


def test_there_is_a_limit_to_callers(path: str) -> None:
    target = Target(reply)
    with served(target, path):
        links = [open_link(f"unix:{path}") for _ in range(16)]
        for link in links:
            client_at(link).stop()
        with closing(open_link(f"unix:{path}")) as more, pytest.raises(LinkError):
            client_at(more).stop()
        links.pop().close()
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline:
            with closing(open_link(f"unix:{path}")) as more:
                try:
                    client_at(more).stop()
                    break
                except LinkError:
                    time.sleep(0.02)
        else:
            pytest.fail("the place did not become free")
        for link in links:
            link.close()


def test_a_caller_that_does_not_listen_is_given_up(path: str) -> None:
    """The queue of a caller is bounded, so the capture continues."""
    target = Target(reply)
    name = frame(NAME, 0, 0, 1, name_body(1, 4, "x" * 60))
    with served(target, path, patience_s=20.0), socket.socket(socket.AF_UNIX) as deaf:
        deaf.connect(path)
        for _ in range(6):
            target.feed(name * 1000)
        with closing(open_link(f"unix:{path}")) as link:
            client_at(link).stop()


def test_a_link_of_one_direction_is_refused(tmp_path: Path, path: str) -> None:
    recorded = tmp_path / "bytes"
    recorded.write_bytes(b"x")
    with (
        closing(open_link(str(recorded))) as link,
        pytest.raises(LinkError, match="cannot carry commands"),
    ):
        ControlServer(link, path)
    assert not (tmp_path / "s").exists()


def test_one_server_a_socket(path: str) -> None:
    with served(Target(reply), path), pytest.raises(LinkBusy):
        ControlServer(Target(reply), path)
