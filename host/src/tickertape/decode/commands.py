"""Build and parse the bodies of COMMAND and REPLY. protocol/wire.yaml has the fields."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from tickertape.decode.bodies import BadBodyError
from tickertape.protocol.wire import (
    COMMAND,
    COMMAND_BYTES,
    MAX_COMMAND_PAYLOAD_BYTES,
    REPLY,
    REPLY_BYTES,
)

_NO_ARGS: Final = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Request:
    """Body of a COMMAND without its id.

    Attributes:
        command: a `wire.Command`, or a number that this program does not know.
        stream: stream number.
        args: at most four 32-bit words; missing ones are 0.
        payload: bytes after the command.
    """

    command: int
    stream: int = 0
    args: tuple[int, ...] = ()
    payload: bytes = b""

    def body(self, number: int) -> bytes:
        """Return the body of COMMAND with `number` as its id."""
        arg0, arg1, arg2, arg3 = (*self.args, *_NO_ARGS)[: len(_NO_ARGS)]
        built: bytes = COMMAND.build(
            {
                "id": number,
                "command": self.command,
                "stream": self.stream,
                "arg0": arg0,
                "arg1": arg1,
                "arg2": arg2,
                "arg3": arg3,
            }
        )
        return built + self.payload


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one COMMAND.

    Attributes:
        id: id of the command.
        command: number of the command.
        stream: stream of the command.
        status: a `wire.ReplyStatus`, or a number that this program does not know.
        value0: first result.
        value1: second result.
    """

    id: int
    command: int
    stream: int
    status: int
    value0: int = 0
    value1: int = 0

    def body(self) -> bytes:
        """Return the body of REPLY."""
        built: bytes = REPLY.build(asdict(self))
        return built


def parse_command(body: bytes) -> tuple[int, Request]:
    """Parse the body of COMMAND; return its id and the request.

    Raises:
        BadBodyError: the body is too short or too long, or its id is 0.
    """
    payload = body[COMMAND_BYTES:]
    if len(body) < COMMAND_BYTES or len(payload) > MAX_COMMAND_PAYLOAD_BYTES:
        raise BadBodyError(f"no command has {len(body)} bytes")
    data = COMMAND.parse(body)
    if data.id == 0:
        raise BadBodyError("no command has id 0")
    args = (data.arg0, data.arg1, data.arg2, data.arg3)
    return data.id, Request(data.command, data.stream, args, payload)


def parse_reply(body: bytes) -> Reply:
    """Parse the body of REPLY.

    Raises:
        BadBodyError: the body is too short.
    """
    if len(body) < REPLY_BYTES:
        raise BadBodyError(f"{len(body)} bytes are too few, {REPLY_BYTES} are needed")
    data = REPLY.parse(body)
    return Reply(data.id, data.command, data.stream, data.status, data.value0, data.value1)
