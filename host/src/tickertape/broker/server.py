"""Share a link: its reader continues, and other programs send commands over a socket.

    with ControlServer(link, "/tmp/board.sock") as server:
        capture(link, "T.tape", CaptureOptions(on_frame=server.take))

The socket has the protocol of the link, so it is a link to each caller. It takes COMMAND frames and
sends REPLY frames, announcements of the target and the records of subscribed streams (SUBSCRIBE).
Commands of all callers take turns. The server gives each command an id and repeats it until the
target replies. A caller that repeats a command gets the reply that it missed.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from tickertape.broker.attachments import Attachments
from tickertape.broker.caller import Caller
from tickertape.broker.outbox import DEFAULT_MOST_BYTES, RECORDS
from tickertape.closing import Closing
from tickertape.control.channel import SharedChannel
from tickertape.control.exchange import DEFAULT_PATIENCE_S, DEFAULT_RETRY_S, Exchange
from tickertape.control.seen import ABOUT_ITSELF, Seen
from tickertape.decode.bodies import BadBodyError, Hello, parse_body
from tickertape.decode.commands import Reply, Request
from tickertape.decode.frames import LinkCounters
from tickertape.decode.sequence import SequenceTracker, Verdict
from tickertape.errors import LinkError
from tickertape.link.unix import UnixListener
from tickertape.protocol.wire import Command, FrameType, ReplyStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.decode.bodies import Body
    from tickertape.decode.frames import Frame
    from tickertape.link.base import Link
    from tickertape.link.stream_socket import SocketLink

_LOOK_S: Final = 0.05
_MOST_CALLERS: Final = 16
_WORD_BITS: Final = 32
_WORD_MASK: Final = (1 << _WORD_BITS) - 1


class Listener(Protocol):
    """A listening socket."""

    def accept(self, timeout_s: float) -> SocketLink | None:
        """Wait up to `timeout_s` for a caller; None when no permitted caller arrived."""
        ...

    def close(self) -> None:
        """Stop listening."""


class ControlServer(Closing):
    """Accepts commands for a link that another thread reads. Use it as a context manager."""

    def __init__(
        self,
        link: Link,
        at: str | Sequence[Listener],
        *,
        streams: int = 0,
        most_bytes: int = DEFAULT_MOST_BYTES,
        patience_s: float = DEFAULT_PATIENCE_S,
        retry_s: float = DEFAULT_RETRY_S,
    ) -> None:
        """Listen for callers.

        Args:
            link: the server writes to it, and neither reads nor closes it.
            at: path of the Unix socket to make, or listeners; the server closes them.
            streams: mask of the streams passed on to a caller until it changes the mask.
            most_bytes: size limit of the records queued for a caller, in bytes; records beyond are
                discarded for this caller and counted.
            patience_s: time limit for the reply of the target, in seconds.
            retry_s: see `Exchange`.

        Raises:
            LinkError: the link carries no commands, or the socket cannot be made.
            UsageError: the path is too long for a socket.
        """
        link.write(b"\0")  # has no meaning, but a one-way link refuses it
        self._channel = SharedChannel(link)
        self._exchange = Exchange(self._channel, patience_s=patience_s, retry_s=retry_s)
        self._turn = threading.Lock()  # guards `_exchange` and `_attachments`
        self._attachments = Attachments()
        self._guard = threading.Lock()  # guards the attributes below
        self._seen = Seen()
        self._tracker = SequenceTracker(LinkCounters())
        self._callers: list[Caller] = []
        self._streams = streams
        self._wanted = 0  # mask of the streams that any caller subscribes to
        self._most_bytes = most_bytes
        self._closing = False
        self._listeners = [UnixListener(at)] if isinstance(at, str) else list(at)
        self._threads = [
            threading.Thread(target=self._serve, args=[one], name="control", daemon=True)
            for one in self._listeners
        ]
        for thread in self._threads:
            thread.start()

    def take(self, frame: Frame) -> None:
        """Pass on a frame of the link. Its reader calls this; never waits for a caller."""
        if frame.type == FrameType.REPLY:
            self._channel.take(frame)
        elif frame.type in ABOUT_ITSELF or (
            frame.type in RECORDS and self._wanted >> frame.stream & 1
        ):
            body = _body_of(frame) if frame.type == FrameType.HELLO else None
            with self._guard:
                verdict = self._tracker.judge(frame, body)
                if verdict in {Verdict.NEW, Verdict.RESET}:
                    self._pass_on(frame, body, reset=verdict is Verdict.RESET)

    def _pass_on(self, frame: Frame, body: Body | None, *, reset: bool) -> None:
        self._seen.take(frame)
        for caller in self._callers:
            if reset:
                caller.begin_again()
            if isinstance(body, Hello):
                caller.byte_order = body.byte_order
            caller.tell(frame)

    def carry_out(self, number: int, request: Request) -> Reply:
        """Send a command to the target when it is its turn; return the reply, with id `number`.

        The reply has status NO_ANSWER if the target does not reply or the link fails.
        """
        with self._turn:
            return self._carry_out(number, request)

    def _carry_out(self, number: int, request: Request) -> Reply:
        try:
            reply = self._exchange.carry_out(request)
        except LinkError:
            return Reply(number, request.command, request.stream, ReplyStatus.NO_ANSWER)
        return Reply(number, reply.command, reply.stream, reply.status, reply.value0, reply.value1)

    def _attach(self, caller: Caller, number: int, request: Request) -> Reply:
        """Attach a stream and register its reader before another caller can detach the stream."""
        with self._turn:
            reply = self._carry_out(number, request)
            if reply.status == ReplyStatus.DONE:
                stays = (*request.args, 0)[0] == 1
                self._attachments.add(request.payload, reply.value1, caller, for_good=not stays)
        return reply

    def _detach(self, number: int, request: Request) -> Reply:
        """Detach a stream, unless a caller reads it."""
        with self._turn:
            if self._attachments.release(request.payload):
                return self._carry_out(number, request)
        return Reply(number, request.command, request.stream, ReplyStatus.DONE)

    def _leave(self, caller: Caller) -> None:
        """Detach the streams that have no reader left after a caller has gone."""
        with self._turn:
            for name in self._attachments.remove(caller):
                self._carry_out(0, Request(Command.STREAM_DETACH, payload=name))

    def _answer(self, caller: Caller, number: int, request: Request) -> Reply:
        """Answer commands for the broker; send all others to the target."""
        match request.command:
            case Command.SUBSCRIBE:
                arg0, arg1 = (*request.args, 0, 0)[:2]
                caller.streams, caller.raw = arg0, arg1 == 1
                with self._guard:
                    self._find_wanted()
                values = (0, 0)
            case Command.LOST:
                lost = caller.lost_records
                values = (lost & _WORD_MASK, lost >> _WORD_BITS & _WORD_MASK)
            case Command.STREAM_ATTACH:
                return self._attach(caller, number, request)
            case Command.STREAM_DETACH:
                return self._detach(number, request)
            case _:
                return self.carry_out(number, request)
        return Reply(number, request.command, request.stream, ReplyStatus.DONE, *values)

    def _serve(self, listener: Listener) -> None:
        while not self._closing:
            link = listener.accept(_LOOK_S)
            if link is not None:
                self._let_in(link)

    def _let_in(self, link: SocketLink) -> None:
        with self._guard:
            self._callers = [one for one in self._callers if one.is_alive]
            if self._closing or len(self._callers) >= _MOST_CALLERS:
                link.close()
                return
            caller = Caller(
                link,
                self._answer,
                streams=self._streams,
                most_bytes=self._most_bytes,
                on_gone=self._leave,
            )
            if self._seen.hello is not None:
                caller.byte_order = self._seen.hello.byte_order
            for frame in self._seen.introduction():
                caller.tell(frame)
            self._callers.append(caller)
            self._find_wanted()
            caller.start()

    def _find_wanted(self) -> None:
        self._wanted = 0
        for caller in self._callers:
            self._wanted |= caller.streams if caller.is_alive else 0

    def close(self) -> None:
        """End sharing and disconnect all callers. May be called twice."""
        self._closing = True
        self._channel.close()  # wakes threads that wait for an answer
        with self._turn, suppress(LinkError):
            for name in self._attachments.clear():
                self._exchange.say(Request(Command.STREAM_DETACH, payload=name))
        for thread in self._threads:
            thread.join()
        with self._guard:
            callers, self._callers = self._callers, []
        for caller in callers:
            caller.end()
        for listener in self._listeners:
            listener.close()


def _body_of(frame: Frame) -> Body | None:
    try:
        return parse_body(frame)
    except BadBodyError:
        return None
