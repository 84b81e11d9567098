"""Real links: pseudo terminals, sockets, files, pipes, standard input, pyserial's loop."""

from __future__ import annotations

import errno
import os
import pty
import socket
import subprocess
import sys
import threading
import time
import tty
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
import serial

from tickertape.errors import (
    LinkBusy,
    LinkDenied,
    LinkError,
    LinkLost,
    LinkMissing,
    UsageError,
)
from tickertape.link import open_link
from tickertape.link.serial_port import SerialLink, _open_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.link import Link

DATA = bytes(range(256)) * 40


def read_all(link: Link, count: int, timeout_s: float = 10.0) -> bytes:
    data = b""
    deadline = time.monotonic() + timeout_s
    while len(data) < count and not link.at_end and time.monotonic() < deadline:
        data += link.read(1000, 0.1)
    return data


@contextmanager
def pseudo_terminal() -> Iterator[tuple[int, str]]:
    """Yield the master of a pair and the path of its slave."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)
    try:
        yield master, path
    finally:
        try:
            os.close(master)
        except OSError as error:
            assert error.errno == errno.EBADF  # noqa: PT017 - a test may have closed it


def test_pseudo_terminal_both_ways() -> None:
    with pseudo_terminal() as (master, path), closing(open_link(path)) as link:
        assert link.live
        assert link.byte_rate == 0
        writer = threading.Thread(target=os.write, args=(master, DATA[:3000]))
        writer.start()
        assert read_all(link, 3000) == DATA[:3000]
        writer.join()
        link.write(b"command")
        assert os.read(master, 100) == b"command"
        assert link.read(10, 0.01) == b""
        assert not link.at_end


def test_the_end_of_a_pseudo_terminal_is_the_end_of_the_link() -> None:
    with pseudo_terminal() as (master, path), closing(open_link(path)) as link:
        os.close(master)
        assert read_all(link, 1) == b""
        assert link.at_end
        assert link.read(10, 0.0) == b""
        with pytest.raises(LinkLost):
            link.write(b"x")


def test_a_device_is_ours_alone() -> None:
    with (
        pseudo_terminal() as (_, path),
        closing(open_link(path)),
        pytest.raises(LinkBusy, match="in use"),
    ):
        open_link(path)


def test_a_link_may_be_opened_again_once_it_is_closed() -> None:
    with pseudo_terminal() as (_, path):
        for _ in range(2):
            link = open_link(path)
            link.close()
            link.close()
            assert link.at_end


def test_socket_both_ways() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with closing(open_link(f"socket://127.0.0.1:{port}")) as link:
            peer, _ = server.accept()
            with peer:
                peer.sendall(DATA)
                assert read_all(link, len(DATA)) == DATA
                link.write(b"command")
                assert peer.recv(100) == b"command"
                assert link.read(10, 0.01) == b""
                assert not link.at_end
            assert read_all(link, 1) == b""
            assert link.at_end


def test_a_socket_waits_for_its_listener() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        starter = threading.Timer(0.3, reserved.listen)
        starter.start()
        open_link(f"socket://127.0.0.1:{port}", wait_s=20).close()
        starter.join()


def test_nobody_listens() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        with pytest.raises(LinkMissing, match="no program listens"):
            open_link(f"socket://127.0.0.1:{port}", wait_s=0.1)


def test_a_killed_peer_is_an_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = open_link(f"socket://127.0.0.1:{server.getsockname()[1]}")
        with closing(link):
            peer, _ = server.accept()
            link.write(b"never read")
            # With a linger time of 0, close() sends a reset, as the end of a process does.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            peer.close()
            assert read_all(link, 1) == b""
            assert link.at_end
            with pytest.raises(LinkLost):
                write_often(link)


def write_often(link: Link) -> None:
    """Write several times, so that the operating system detects the missing reader."""
    for _ in range(10):
        link.write(b"x")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def test_listening_for_a_target() -> None:
    port = free_port()
    found: list[Link] = []

    def listen() -> None:
        found.append(open_link(f"tcp-listen://127.0.0.1:{port}", wait_s=20))

    thread = threading.Thread(target=listen)
    thread.start()
    with closing(open_link(f"socket://127.0.0.1:{port}", wait_s=20)) as target:
        thread.join()
        with closing(found[0]) as link:
            target.write(DATA)
            assert read_all(link, len(DATA)) == DATA


def test_nobody_connects() -> None:
    with pytest.raises(LinkMissing, match="no connection"):
        open_link(f"tcp-listen://127.0.0.1:{free_port()}", wait_s=0.05)


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LinkBusy, match="taken"):
            open_link(f"tcp-listen://127.0.0.1:{port}", wait_s=0.05)


@pytest.mark.parametrize("scheme", ["socket", "tcp-listen"])
def test_there_is_no_such_host(scheme: str) -> None:
    with pytest.raises(UsageError, match="no host"):
        open_link(f"{scheme}://no.such.host.invalid:4000", wait_s=0.0)


def test_file(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(DATA)
    with closing(open_link(str(tmp_path / "bytes"))) as link:
        assert not link.live
        assert read_all(link, len(DATA) + 1) == DATA
        assert link.at_end
        with pytest.raises(LinkError, match="cannot carry commands"):
            link.write(b"x")


def test_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with closing(open_link(str(path))) as link:
        assert link.live
        assert link.read(10, 0.01) == b""
        assert not link.at_end
        writer = threading.Thread(target=path.write_bytes, args=(DATA,))
        writer.start()
        assert read_all(link, len(DATA) + 1) == DATA
        writer.join()
        assert link.at_end


@pytest.mark.parametrize("regular", ["pipe", "file"])
def test_standard_input(tmp_path: Path, regular: str) -> None:
    program = (
        "import sys\n"
        "from tickertape.link import open_link\n"
        "link = open_link('-')\n"
        "while not link.at_end:\n"
        "    sys.stdout.buffer.write(link.read(100, 1.0))\n"
        "link.close()\n"
        "sys.stderr.write(f'{link.live}')\n"
    )
    command = [sys.executable, "-c", program]
    if regular == "pipe":
        done = subprocess.run(command, input=DATA, capture_output=True, check=True)
    else:
        (tmp_path / "bytes").write_bytes(DATA)
        with (tmp_path / "bytes").open("rb") as file:
            done = subprocess.run(command, stdin=file, capture_output=True, check=True)
    assert done.stdout == DATA
    assert done.stderr.decode() == str(regular == "pipe")


def test_pyserials_loop() -> None:
    with closing(open_link("loop://?baud=9600")) as link:
        link.write(b"round")
        assert read_all(link, 5) == b"round"
        assert link.byte_rate == 960


def test_a_character_device_that_is_no_terminal() -> None:
    with closing(open_link("/dev/zero")) as link:
        assert link.read(5, 1.0) == bytes(5)


@pytest.mark.parametrize(
    ("path", "kind", "what"),
    [
        (
            "/dev/ttyNONE7",
            LinkMissing,
            "there is no device or file /dev/ttyNONE7; plug the device in",
        ),
        ("/dev", LinkError, "is a folder"),
        ("/etc/passwd/x", LinkError, "cannot be opened"),
    ],
)
def test_what_is_not_there(path: str, kind: type[LinkError], what: str) -> None:
    with pytest.raises(kind, match=what):
        open_link(path)


@pytest.mark.parametrize("prefix", ["", "unix:", "unix://"])
def test_a_unix_socket_both_ways(tmp_path: Path, prefix: str) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        with closing(open_link(prefix + path)) as link:
            peer, _ = server.accept()
            peer.sendall(DATA)
            assert read_all(link, len(DATA)) == DATA
            link.write(b"command")
            assert peer.recv(100) == b"command"
            peer.close()
            assert read_all(link, 1) == b""
            assert link.at_end


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(errno.EBUSY, "busy"), LinkBusy),
        (serial.SerialException("Could not exclusively lock port"), LinkBusy),
        (OSError(errno.EACCES, "denied"), LinkDenied),
        (serial.SerialException("PermissionError(13, 'Access is denied.')"), LinkDenied),
        (OSError(errno.ENOENT, "none"), LinkMissing),
        (serial.SerialException("FileNotFoundError(2, ...)"), LinkMissing),
        (ValueError("not a valid baud rate"), LinkError),
    ],
)
def test_what_pyserial_says_is_understood(error: Exception, kind: type[LinkError]) -> None:
    found = _open_error(error, "COM5")
    assert type(found) is kind
    assert found.exit_code == 3
    assert found.advice


def test_a_device_that_goes_away_is_a_fault() -> None:
    with pseudo_terminal() as (master, path):
        link = SerialLink(serial.Serial(path, timeout=0), "device", ends=False)
        with closing(link):
            os.close(master)
            with pytest.raises(LinkLost, match="was disconnected"):
                read_all(link, 1)
            assert link.at_end
