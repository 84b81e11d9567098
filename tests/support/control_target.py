"""A target that answers commands on a memory link."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from cobs import cobs

from tests.support.wire_bytes import frame
from tickertape.decode.commands import Request, parse_command
from tickertape.decode.frames import FrameDecoder
from tickertape.link import MemoryLink

if TYPE_CHECKING:
    from collections.abc import Callable


REPLY = 6


class Target(MemoryLink):
    """Answers each command by a function of the test; `requests` lists all received commands."""

    def __init__(self, answer: Callable[[int, Request], bytes]) -> None:
        super().__init__(ends=False)
        self._answer = answer
        self._decoder = FrameDecoder()
        self.requests: list[tuple[int, Request]] = []

    def write(self, data: bytes) -> None:
        super().write(data)
        self._decoder.receive(data)
        for came in self._decoder.frames():
            number, request = parse_command(came.body)
            self.requests.append((number, request))
            self.feed(self._answer(number, request))


def reply(
    number: int, request: Request, status: int = 0, values: tuple[int, int] = (0, 0)
) -> bytes:
    body = struct.pack("<IBBHII", number, request.command, request.stream, status, *values)
    return frame(REPLY, request.stream, 0, 0, body)


COMMAND, REPLY = 5, 6

FRAME_HEADER = "<BBBBI"


def command_frame(number: int, command: int) -> bytes:
    body = struct.pack(FRAME_HEADER, COMMAND, 0, 0, 0, 0)
    body += struct.pack("<IBBHIIII", number, command, 0, 0, 0, 0, 0, 0)
    encoded: bytes = cobs.encode(body + struct.pack("<I", zlib.crc32(body)))
    return b"\x00" + encoded + b"\x00"
