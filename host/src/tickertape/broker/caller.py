"""Serve one program at the socket of a shared link: one thread reads commands, another sends."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tickertape.broker.outbox import DEFAULT_MOST_BYTES, RECORDS, Outbox, unpacked
from tickertape.decode.bodies import BadBodyError
from tickertape.decode.commands import Reply, parse_command
from tickertape.decode.frames import Frame, FrameDecoder, encode_frame
from tickertape.errors import LinkError
from tickertape.protocol.wire import ByteOrder, FrameType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.decode.commands import Request
    from tickertape.link.stream_socket import SocketLink

_READ_BYTES: Final = 4096
_LOOK_S: Final = 0.05
# At the end, queued frames are still sent until the caller accepts no byte for this time.
_FAREWELL_S: Final = 2.0
# Number of frames to unpack and send together.
_AT_ONCE: Final = 64
# Commands have some hundred bytes; a longer piece without a delimiter is not a command.
_MOST_FRAME_BYTES: Final = 512


class Caller:
    """One connected program: executes its commands and sends the frames of its subscriptions.

    Attributes:
        streams: mask of the streams to pass on.
        raw: packed buffers are unpacked for this caller.
        byte_order: byte order of the target's records; LITTLE until a HELLO reports it.
    """

    def __init__(
        self,
        link: SocketLink,
        answer: Callable[[Caller, int, Request], Reply],
        *,
        streams: int = 0,
        most_bytes: int = DEFAULT_MOST_BYTES,
        on_gone: Callable[[Caller], None] | None = None,
    ) -> None:
        """Prepare the threads; `start` starts them.

        Args:
            link: link to the caller; closed at the end.
            answer: executes a command, given caller, id and request, and returns the reply.
            streams: mask of the streams to pass on until the caller changes it.
            most_bytes: size limit of the records queued for the caller, in bytes.
            on_gone: called after the caller has gone and none of its commands is executing.
        """
        self.streams = streams
        self.raw = False
        self.byte_order = ByteOrder.LITTLE
        self._link = link
        self._ask = answer
        self._on_gone = on_gone
        self._outbox = Outbox(most_bytes)
        self._decoder = FrameDecoder(max_frame_bytes=_MOST_FRAME_BYTES)
        self._last: Reply | None = None
        self._ending = False  # no further frame will be queued
        self._gone = False  # the caller has disconnected
        names = {"control caller": self._listen, "control teller": self._send}
        self._threads = [
            threading.Thread(target=run, name=name, daemon=True) for name, run in names.items()
        ]

    def start(self) -> None:
        """Begin to receive and to send."""
        for thread in self._threads:
            thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the caller is connected."""
        return not self._gone

    @property
    def lost_records(self) -> int:
        """Number of records discarded because the caller was too slow."""
        return self._outbox.lost_records

    def tell(self, frame: Frame) -> None:
        """Queue a frame if the caller subscribes to its stream; never waits."""
        if frame.type not in RECORDS or self.streams >> frame.stream & 1:
            self._outbox.put(frame)

    def begin_again(self) -> None:
        """Number the following frames from 0 again, after a reset of the target."""
        self._outbox.begin_again()

    def end(self) -> None:
        """Send the queued frames and disconnect. Blocks until both threads have ended."""
        self._ending = True
        self._outbox.close()
        for thread in self._threads:
            thread.join()

    def _listen(self) -> None:
        with suppress(LinkError):
            while not (self._gone or self._ending or self._link.at_end):
                self._decoder.receive(self._link.read(_READ_BYTES, _LOOK_S))
                for frame in self._decoder.frames():
                    self._answer(frame)
        if not self._ending:
            self._gone = True
        self._outbox.close()

    def _answer(self, frame: Frame) -> None:
        """Execute a command and queue its reply; a repeated command gets the last reply again.

        Other frames are ignored.
        """
        if frame.type != FrameType.COMMAND:
            return
        with suppress(BadBodyError):
            number, request = parse_command(frame.body)
            if self._last is None or number != self._last.id:
                self._last = self._ask(self, number, request)
            self._outbox.put(Frame(FrameType.REPLY, 0, 0, 0, self._last.body(), 0))

    def _send(self) -> None:
        with suppress(LinkError):
            while not self._gone:
                frames = self._outbox.take(_LOOK_S)
                if not frames and self._ending:
                    break
                self._send_all(frames)
        self._gone = True
        self._threads[0].join()
        self._link.close()
        if self._on_gone is not None:
            self._on_gone(self)

    def _send_all(self, frames: list[Frame]) -> None:
        raw = self.raw
        while frames and not self._gone:
            some, frames = frames[:_AT_ONCE], frames[_AT_ONCE:]
            for packed, frame in zip(
                some, unpacked(some, self.byte_order) if raw else some, strict=True
            ):
                self._write(
                    encode_frame(
                        frame.type,
                        frame.sequence,
                        frame.body,
                        stream=frame.stream,
                        cpu=frame.cpu,
                        boot_tag=frame.boot_tag,
                    )
                )
                self._outbox.sent(packed)

    def _write(self, data: bytes) -> None:
        """Send all of `data`. At the end, give up after `_FAREWELL_S` without an accepted byte."""
        left = memoryview(data)
        waited_s = 0.0
        while left and not self._gone:
            count = self._link.write_some(left, _LOOK_S)
            left = left[count:]
            waited_s = 0.0 if count or not self._ending else waited_s + _LOOK_S
            if waited_s >= _FAREWELL_S:
                self._gone = True
