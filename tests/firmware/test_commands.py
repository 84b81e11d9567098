"""Links carry bytes in both directions: a running board replies to a command."""

from __future__ import annotations

import socket
import struct
import subprocess
import zlib

import pytest
from cobs import cobs

from tests.support.control_target import REPLY, command_frame
from tests.support.workbench import build, qemu_command

STATUS = 5
LONG_MS = "100000"
ANSWER_SECONDS = 30


def first_reply(connection: socket.socket) -> tuple[int, int, int]:
    """Read frames until a reply; return its id, command and status."""
    waiting = b""
    while data := connection.recv(4096):
        *frames, waiting = (waiting + data).split(b"\x00")
        for frame in map(cobs.decode, filter(None, frames)):
            assert zlib.crc32(frame[:-4]) == int.from_bytes(frame[-4:], "little")
            if frame[0] == REPLY:
                number, command, _, status = struct.unpack_from("<IBBH", frame, 8)
                return number, command, status
    pytest.fail("the board closed the link without a reply")


@pytest.mark.parametrize("board", ["native", "native-realtime", "mps2-an386", "mps2-an521"])
def test_a_command_is_answered(board: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(ANSWER_SECONDS)
        link = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        if board.startswith("mps2"):
            command = qemu_command(board, build(board), link, f"duration_ms={LONG_MS}")
        else:
            command = [str(build("native")), "--duration-ms", LONG_MS, "--trace", link]
            command += ["--realtime"] if board == "native-realtime" else []
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
            try:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(ANSWER_SECONDS)
                    connection.sendall(command_frame(7, STATUS))
                    assert first_reply(connection) == (7, STATUS, 0)
            finally:
                program.kill()
