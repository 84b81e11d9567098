"""A serial port shared over RFC 2217 by pyserial's own server."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast

import pytest
import serial
from serial.rfc2217 import PortManager

from tests.support.patience import HANG_S
from tickertape.errors import LinkLost
from tickertape.link import open_link

if TYPE_CHECKING:
    from tickertape.link.base import Link

SENT = bytes(range(256)) * 40  # includes 255, which begins a telnet command


class Server:
    """A port that echoes; `settings` counts how often the client configured it."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.settings = 0
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        client, _ = self.listener.accept()
        port = serial.serial_for_url("loop://")
        with client:
            manager = PortManager(cast("Any", port), cast("Any", _Writer(client)))
            while data := client.recv(4096):
                self.settings += data.count(b"\xff\xfa\x2c\x01")  # SET-BAUDRATE
                echo = b"".join(manager.filter(data))
                client.sendall(b"".join(manager.escape(echo)))
                if echo.endswith(b"end"):
                    return


class _Writer:
    """Stream for the answers of a PortManager."""

    def __init__(self, client: socket.socket) -> None:
        self.write = client.sendall


def until_it_ends(link: Link) -> None:
    while True:
        link.read(1000, 0.1)


# pyserial 3.5 calls setDaemon() and setName().
@pytest.mark.filterwarnings("ignore:set(Daemon|Name).*:DeprecationWarning")
def test_bytes_arrive_and_the_port_is_set_up_once() -> None:
    server = Server()
    port = server.listener.getsockname()[1]
    url = f"rfc2217://127.0.0.1:{port}?ign_set_control&timeout={HANG_S}&baud=921600"
    with closing(server.listener), closing(open_link(url)) as link:
        assert link.byte_rate == 92160
        link.write(SENT)
        came = b""
        while len(came) < len(SENT):
            came += link.read(1000, 0.1)
        assert came == SENT
        settings = server.settings
        assert link.read(1000, 0.1) == b""
        assert server.settings == settings  # pyserial would configure the port for each time-out
        link.write(b"end")
        with pytest.raises(LinkLost):
            until_it_ends(link)
