"""Exchange one command at a time: it is sent until the reply arrives, and executed once.

The target executes a command once by its id (protocol/SPEC.md, "Frames on a link"), so sending it
again is safe as long as no other command is sent in between. A server serializes the commands of
its callers by one `Exchange`.
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
# The wait doubles up to this time, because on a slow line a reply follows queued buffers.
_LONGEST_WAIT_S: Final = 2.0
_ID_LIMIT: Final = 1 << 32
_DELIMITER: Final = b"\0"
# Commands that change nothing in the target.
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
        """Prepare an exchange; nothing is sent yet.

        Args:
            channel: channel to the target.
            patience_s: time limit for a reply, in seconds.
            retry_s: time until a command is sent again, in seconds; it doubles with each try.
            on_frame: called with every frame that arrives during a wait, replies included.
            first_id: id of the first command. Default: random, because a target does not execute
                a command with the id of its last one.
        """
        self._channel = channel
        self._patience_s = patience_s
        self._retry_s = retry_s
        self._on_frame = on_frame
        self._id = first_id or 1 + secrets.randbelow(_ID_LIMIT - 1)
        self._sequence = 0
        self._waiting: deque[Frame] = deque()

    def carry_out(self, request: Request) -> Reply:
        """Send a command until its reply arrives.

        Returns:
            The reply, which may be a refusal.

        Raises:
            LinkSilent: no reply arrived; whether the target executed the command is unknown.
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
        """Send a command once without waiting; whether the target executes it is unknown.

        Raises:
            LinkError: the link is gone, or carries no commands.
        """
        self._send(request.body(self._next_id()))

    def listen(self, until_s: float) -> bool:
        """Wait for one frame and pass it to `on_frame`; return False if none arrives in time.

        Args:
            until_s: end of the wait, by `time.monotonic()`.
        """
        return self._next(until_s) is not None

    def _next_id(self) -> int:
        number, self._id = self._id, self._id % (_ID_LIMIT - 1) + 1
        return number

    def _send(self, body: bytes) -> None:
        """Send one frame, after a delimiter that ends noise on the line."""
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
        """Return the next frame; None if none arrives until `until_s`."""
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
    """Return the error for a command without a reply."""
    what = command_name(command)
    doubt = "" if command in _QUESTIONS else "; it is unknown whether the command took effect"
    return LinkSilent(
        f"{name} did not answer {what} {how_long}{doubt}",
        "check that the target runs and reads commands",
    )


def command_name(command: int) -> str:
    """Return the name of a command as on the command line: lower case, with hyphens."""
    try:
        return Command(command).name.lower().replace("_", "-")
    except ValueError:
        return f"command {command}"
