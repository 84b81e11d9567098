"""Shares a link: whoever reads it goes on reading, others send commands by way of a Unix socket.

    with ControlServer(link, "/tmp/board.sock") as server:
        capture(link, "T.tape", CaptureOptions(on_frame=server.take))

The socket speaks the protocol of the link, so it is a link to whoever connects: COMMAND goes in,
REPLY comes out, and so does what the target says about itself. Commands of all callers take turns,
each with an id of ours, and the server repeats them as often as the line needs. A caller that
repeats a command gets the reply that it missed.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from tickertape.control.channel import SharedChannel
from tickertape.control.exchange import DEFAULT_PATIENCE_S, DEFAULT_RETRY_S, Exchange
from tickertape.control.seen import ABOUT_ITSELF, Seen
from tickertape.decode.bodies import BadBodyError
from tickertape.decode.commands import Reply, parse_command
from tickertape.decode.frames import Frame, FrameDecoder, encode_frame
from tickertape.errors import LinkError
from tickertape.link.unix import UnixListener
from tickertape.protocol.wire import FrameType, ReplyStatus

if TYPE_CHECKING:
    from types import TracebackType

    from tickertape.decode.commands import Request
    from tickertape.link.base import Link

_READ_BYTES: Final = 4096
_LOOK_S: Final = 0.05
_MOST_CALLERS: Final = 16
# A command is some hundred bytes; who sends more without a delimiter sends no commands.
_MOST_FRAME_BYTES: Final = 512
_KEPT_FRAMES: Final = 1024


class ControlServer:
    """Takes commands for a link that somebody else reads. Use it as a context manager."""

    def __init__(
        self,
        link: Link,
        path: str,
        *,
        patience_s: float = DEFAULT_PATIENCE_S,
        retry_s: float = DEFAULT_RETRY_S,
    ) -> None:
        """Listen for callers.

        Args:
            link: is written to; neither read nor closed.
            path: of the Unix socket to make.
            patience_s: how long the target may leave a command unanswered, in seconds.
            retry_s: see `Exchange`.

        Raises:
            LinkError: the link carries no commands, or the socket cannot be made.
            UsageError: no socket can have this path.
        """
        link.write(b"\0")  # tells nobody anything, but a link of one direction refuses it
        self._channel = SharedChannel(link)
        self._exchange = Exchange(self._channel, patience_s=patience_s, retry_s=retry_s)
        self._turn = threading.Lock()  # to use the exchange
        self._guard = threading.Lock()  # of what follows
        self._seen = Seen()
        self._callers: list[_Caller] = []
        self._closing = False
        self._listener = UnixListener(path)
        self._thread = threading.Thread(target=self._serve, name="control", daemon=True)
        self._thread.start()

    def take(self, frame: Frame) -> None:
        """Take a frame that came over the link, from whoever reads it; never waits."""
        if frame.type == FrameType.REPLY:
            self._channel.take(frame)
        elif frame.type in ABOUT_ITSELF:
            with self._guard:
                self._seen.take(frame)
                for caller in self._callers:
                    caller.tell(frame)

    def carry_out(self, number: int, request: Request) -> Reply:
        """Have a caller's command carried out; the reply has the caller's id."""
        with self._turn:
            try:
                reply = self._exchange.carry_out(request)
            except LinkError:
                return Reply(number, request.command, request.stream, ReplyStatus.NO_ANSWER)
        return Reply(number, reply.command, reply.stream, reply.status, reply.value0, reply.value1)

    def _serve(self) -> None:
        while not self._closing:
            link = self._listener.accept(_LOOK_S)
            if link is None:
                continue
            with self._guard:
                self._callers = [one for one in self._callers if one.is_alive]
                if len(self._callers) >= _MOST_CALLERS:
                    link.close()
                    continue
                self._callers.append(_Caller(self, link, self._seen.introduction()))

    def close(self) -> None:
        """End it: callers see the end of their link. May be called twice."""
        self._closing = True
        self._channel.close()
        self._thread.join()
        with self._guard:
            callers, self._callers = self._callers, []
        for caller in callers:
            caller.end()
        self._listener.close()

    def __enter__(self) -> Self:
        """Serve until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it, whatever happened."""
        self.close()


class _Caller:
    """Somebody at the socket, with a thread that waits for commands and for their replies."""

    def __init__(self, server: ControlServer, link: Link, introduction: list[Frame]) -> None:
        self._server = server
        self._link = link
        self._decoder = FrameDecoder(max_frame_bytes=_MOST_FRAME_BYTES)
        self._to_tell: deque[Frame] = deque(introduction, maxlen=_KEPT_FRAMES)
        self._sequence = 0
        self._last: Reply | None = None
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="control caller", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def tell(self, frame: Frame) -> None:
        """Pass a frame on soon; the oldest are left out when the caller does not read them."""
        self._to_tell.append(frame)

    def end(self) -> None:
        """Hang up."""
        self._ending = True
        self._thread.join()

    def _run(self) -> None:
        with suppress(LinkError):  # it has gone, or takes no bytes
            while not (self._ending or self._link.at_end):
                while self._to_tell:
                    frame = self._to_tell.popleft()
                    self._send(frame.type, frame.body, frame)
                self._decoder.receive(self._link.read(_READ_BYTES, _LOOK_S))
                for frame in self._decoder.frames():
                    self._answer(frame)
        self._link.close()

    def _answer(self, frame: Frame) -> None:
        """Have a command carried out, unless it is the last one again; other frames are noise."""
        if frame.type != FrameType.COMMAND:
            return
        with suppress(BadBodyError):
            number, request = parse_command(frame.body)
            if self._last is None or number != self._last.id:
                self._last = self._server.carry_out(number, request)
            self._send(FrameType.REPLY, self._last.body())

    def _send(self, kind: int, body: bytes, about: Frame | None = None) -> None:
        stream, cpu = (about.stream, about.cpu) if about else (0, 0)
        self._link.write(encode_frame(kind, self._sequence, body, stream=stream, cpu=cpu))
        self._sequence += 1
