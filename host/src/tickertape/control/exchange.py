"""Exchange one command at a time: sent until the reply arrives, executed once.

The target carries out a command once by its id (protocol/SPEC.md, "Frames on a link"), so sending
it again is safe as long as no other command is sent in between. A server serializes its
callers here.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import BadBodyError
from tickertape.decode.commands import parse_reply
from tickertape.decode.frames import encode_frame
from tickertape.errors import LinkSilent
from tickertape.protocol.wire import Command, FrameType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.control.channel import Channel
    from tickertape.decode.commands import Reply, Request
    from tickertape.decode.frames import Frame

DEFAULT_PATIENCE_S: Final = 10.0
DEFAULT_RETRY_S: Final = 0.25
# The wait doubles up to this, because on a slow line an answer follows queued buffers.
_LONGEST_WAIT_S: Final = 2.0
_ID_LIMIT: Final = 1 << 32
_DELIMITER: Final = b"\0"
# These change nothing.
_QUESTIONS: Final = frozenset({Command.HELLO, Command.STATUS, Command.CLASSES})


class Exchange:
    """Sends commands and waits for their replies. One thread at a time."""

    def __init__(
        self,
        channel: Channel,
        *,
        patience_s: float = DEFAULT_PATIENCE_S,
        retry_s: float = DEFAULT_RETRY_S,
        on_frame: Callable[[Frame], None] | None = None,
        first_id: int | None = None,
    ) -> None:
        """Begin a conversation.

        Args:
            channel: the way to the target.
            patience_s: how long a command may go unanswered, in seconds.
            retry_s: when it is sent again for the first time, in seconds; then twice as long.
            on_frame: called with every frame that comes in while we wait, replies included.
            first_id: id of the first command; by default drawn at random, because a target that
                has seen it as its last one would not carry it out.
        """
        self._channel = channel
        self._patience_s = patience_s
        self._retry_s = retry_s
        self._on_frame = on_frame
        self._id = first_id or 1 + secrets.randbelow(_ID_LIMIT - 1)
        self._sequence = 0
        self._waiting: deque[Frame] = deque()

    def carry_out(self, request: Request) -> Reply:
        """Have a command carried out.

        Returns:
            The reply, which may be a refusal.

        Raises:
            LinkSilent: no reply came; whether it was carried out is not known.
            LinkError: the link is gone, or carries no commands.
        """
        number = self._next_id()
        deadline_s = time.monotonic() + self._patience_s
        wait_s = self._retry_s
        tries = 0
        while tries == 0 or time.monotonic() < deadline_s:
            self._send(request.body(number))
            tries += 1
            until_s = min(time.monotonic() + wait_s, deadline_s)
            reply = self._await(number, request.command, until_s)
            if reply is not None:
                return reply
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        raise silent(self._channel.name, request.command, f"within {self._patience_s:g} s")

    def say(self, request: Request) -> None:
        """Send a command once and wait for nothing: whether it was carried out stays unknown.

        Raises:
            LinkError: the link is gone, or carries no commands.
        """
        self._send(request.body(self._next_id()))

    def listen(self, until_s: float) -> bool:
        """Take in what comes, one frame; return False when none has come until `until_s`.

        Args:
            until_s: of `time.monotonic()`.
        """
        return self._next(until_s) is not None

    def _next_id(self) -> int:
        number, self._id = self._id, self._id % (_ID_LIMIT - 1) + 1
        return number

    def _send(self, body: bytes) -> None:
        """Send one frame. The delimiter before it ends whatever the line has made up."""
        data = encode_frame(FrameType.COMMAND, self._sequence, body)
        self._sequence += 1
        self._channel.send(_DELIMITER + data)

    def _await(self, number: int, command: int, until_s: float) -> Reply | None:
        while (frame := self._next(until_s)) is not None:
            if frame.type == FrameType.REPLY:
                with suppress(BadBodyError):
                    reply = parse_reply(frame.body)
                    if (reply.id, reply.command) == (number, command):
                        return reply
        return None

    def _next(self, until_s: float) -> Frame | None:
        """Return the next frame; None when it is late, whatever else comes."""
        while not self._waiting:
            left_s = until_s - time.monotonic()
            if left_s <= 0.0:
                return None
            self._waiting.extend(self._channel.frames(left_s))
        frame = self._waiting.popleft()
        if self._on_frame is not None:
            self._on_frame(frame)
        return frame


def silent(name: str, command: int, how_long: str) -> LinkSilent:
    """Return the error for a command without an answer."""
    what = command_name(command)
    doubt = "" if command in _QUESTIONS else "; whether it was carried out is not known"
    return LinkSilent(
        f"{name} did not answer {what} {how_long}{doubt}",
        "check that the target runs and reads commands",
    )


def command_name(command: int) -> str:
    """Name a command as in wire.yaml, in the letters of the command line."""
    try:
        return Command(command).name.lower().replace("_", "-")
    except ValueError:
        return f"command {command}"
