"""The commands of a target as methods. Each returns when the target has executed the command.

    client = ControlClient(LinkChannel(link))
    client.select_class(EventClass.INT, take=False)
    client.insert(EventClass.USER, 7, text="door opened")

Every method raises CommandRefused when the target refuses, with its reason, LinkSilent when it does
not answer (then it is unknown whether it was done), and LinkError when the link fails.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.control.exchange import (
    DEFAULT_PATIENCE_S,
    DEFAULT_RETRY_S,
    Exchange,
    silent,
)
from tickertape.control.refusal import refusal
from tickertape.control.seen import Seen
from tickertape.decode.commands import Request
from tickertape.errors import LinkSilent, ProtocolMismatch, UsageError
from tickertape.protocol.wire import (
    MAX_COMMAND_PAYLOAD_BYTES,
    PROTOCOL_MAJOR,
    ByteOrder,
    Command,
    ReplyStatus,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tickertape.control.channel import Channel
    from tickertape.decode.bodies import Hello, Status
    from tickertape.decode.commands import Reply
    from tickertape.decode.frames import Frame
    from tickertape.protocol.wire import ObjectKind, Policy

EVERY_EVENT: Final = 0xFFFF_FFFF
"""Stands for every event of a class where a method takes an event number."""

_WORD_BYTES: Final = 4
_CLASS_COUNT: Final = 32
# Announcements of a target follow a request within this time, or a part was lost on the way.
_SAYING_S: Final = 2.0
_ASK_TIMES: Final = 4
# A server of a shared link sends HELLO immediately.
_INTRODUCTION_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """Status of a stream.

    Attributes:
        stream: which one.
        running: it records.
        policy: a `wire.Policy`, or a number that this program does not know.
        hello: who the target is.
        rings: counters by CPU.
    """

    stream: int
    running: bool
    policy: int
    hello: Hello
    rings: dict[int, Status]


@dataclass(frozen=True, slots=True)
class ClassSelection:
    """What a stream has selected, class numbers.

    Attributes:
        any: classes with at least one selected event.
        every: classes with all events selected.
    """

    any: frozenset[int]
    every: frozenset[int]


class ControlClient:
    """Controls one stream of a target. One thread at a time."""

    def __init__(
        self,
        channel: Channel,
        *,
        stream: int = 0,
        patience_s: float = DEFAULT_PATIENCE_S,
        retry_s: float = DEFAULT_RETRY_S,
    ) -> None:
        """Begin; nothing is sent yet.

        Args:
            channel: the way to the target.
            stream: which stream to control.
            patience_s: how long a command may go unanswered, in seconds.
            retry_s: see `Exchange`.
        """
        self.stream = stream
        self._name = channel.name
        self._seen = Seen()
        self._exchange = Exchange(
            channel, patience_s=patience_s, retry_s=retry_s, on_frame=self._learn
        )

    def _learn(self, frame: Frame) -> None:
        self._seen.take(frame)
        hello = self._seen.hello
        if hello is not None and hello.major != PROTOCOL_MAJOR:
            raise ProtocolMismatch(
                f"the target speaks protocol {hello.major}.{hello.minor}, this program"
                f" {PROTOCOL_MAJOR}",
                "build the firmware with this tickertape, or use the one that built it",
            )

    def call(self, command: Command, *args: int, payload: bytes = b"") -> Reply:
        """Execute any command of wire.yaml, which describes its arguments."""
        reply = self._exchange.carry_out(Request(command, self.stream, args, payload))
        if reply.status == ReplyStatus.NO_ANSWER:
            raise silent("the target", command, "to the program that shares its link")
        if reply.status != ReplyStatus.DONE:
            raise refusal(command, reply.status, self.stream)
        return reply

    def meet(self) -> Hello:
        """Find out who the target is."""
        self._ask(Command.HELLO, lambda: self._seen.hello is not None)
        hello = self._seen.hello
        if hello is None:
            raise LinkSilent(
                f"{self._name} answers, but its HELLO did not arrive",
                "try again, or check the line",
            )
        return hello

    def _ask(self, command: Command, known: Callable[[], bool]) -> None:
        """Repeat the request until it is known or the time is over, since answers may be lost."""
        self._hear(known, _INTRODUCTION_S)
        for _ in range(_ASK_TIMES):
            if known():
                return
            self.call(command)
            self._hear(known, _SAYING_S)

    def _hear(self, known: Callable[[], bool], limit_s: float) -> None:
        until_s = time.monotonic() + limit_s
        while not known() and self._exchange.listen(until_s):
            pass

    def start(self, *, state: bool = True) -> None:
        """Let the stream record; with `state` it records first what lives already."""
        self.call(Command.START, 0 if state else 1)

    def stop(self) -> None:
        """Let the stream record no more; what it has is still sent."""
        self.call(Command.STOP)

    def flush(self) -> None:
        """Have the buffers sent that are being filled."""
        self.call(Command.FLUSH)

    def status(self) -> StreamStatus:
        """Return the status of the stream. The counters are not older than this call."""
        self._seen.statuses.clear()
        for _ in range(_ASK_TIMES):
            reply = self.call(Command.STATUS)
            self._hear(lambda: self._seen.rings_are_known(self.stream), _SAYING_S)
            hello = self._seen.hello
            if hello is not None and self._seen.rings_are_known(self.stream):
                rings = {
                    cpu: self._seen.statuses[self.stream, cpu] for cpu in range(hello.cpu_count)
                }
                return StreamStatus(self.stream, bool(reply.value0), reply.value1, hello, rings)
        raise LinkSilent(
            f"{self._name} answers, but its counters did not arrive",
            "try again, or check the line",
        )

    def classes(self) -> ClassSelection:
        """Ask which classes are selected."""
        reply = self.call(Command.CLASSES)
        masks = (reply.value0, reply.value1)
        some, every = (
            frozenset(number for number in range(_CLASS_COUNT) if mask >> number & 1)
            for mask in masks
        )
        return ClassSelection(some, every)

    def select_all(self, *, take: bool) -> None:
        """Select every event, or nothing."""
        self.call(Command.ADD_ALL if take else Command.DEL_ALL)

    def select_class(self, cls: int, *, take: bool) -> None:
        """Select a class, or do not."""
        self.call(Command.ADD_CLASS if take else Command.DEL_CLASS, cls)

    def select_event(self, cls: int, event: int, *, take: bool) -> bool:
        """Select one event, or do not.

        Returns:
            Whether the target did so for this event alone. False: it has no masks of single events
            (`TT_CONFIG_EVENT_MASKS`), and the request held for all events of the class that the
            dictionary does not list.
        """
        return self.call(Command.ADD_EVENT if take else Command.DEL_EVENT, cls, event).value0 == 0

    def set_thread_filter(self, cls: int, event: int, *, pid: int = 0, tid: int = 0) -> None:
        """Let events through only of this domain and thread; 0 is any. It holds for all streams.

        A filter replaces the one set for the same class and event; both 0 takes it away.
        """
        self.call(Command.THREAD_FILTER, cls, event, pid, tid)

    def set_wide(self, cls: int, event: int, *, wide: bool) -> None:
        """Have an event recorded with all arguments, or in one record. It holds for all streams."""
        self.call(Command.WIDE if wide else Command.FAST, cls, event)

    def set_policy(self, policy: Policy) -> None:
        """Set the policy for full rings; refused while the stream records."""
        self.call(Command.POLICY, policy)

    def set_shedding(self, class_mask: int, free_buffers: int) -> None:
        """Drop these classes, a bit each, while fewer buffers are free; mask 0 ends it."""
        self.call(Command.SHED, class_mask, free_buffers)

    def set_packing(self, *, packed: bool) -> None:
        """Have buffers sent packed or raw. It holds for all streams."""
        self.call(Command.PACKING, int(packed))

    def insert(
        self, cls: int, event: int, words: Sequence[int] = (), text: str | None = None
    ) -> int:
        """Record an event.

        Args:
            cls: its class.
            event: its number in the class.
            words: two words make a simple event, missing ones are 0; before a text any number.
            text: makes it a combine event of the words and the text.

        Returns:
            The streams that take events of this type, a bit each; 0 when none does, and nothing
            was recorded.

        Raises:
            UsageError: it is too long.
        """
        if text is None:
            return self.call(Command.INSERT, cls, event, *words).value0
        big = bool(words) and self.meet().byte_order is ByteOrder.BIG
        payload = b"".join(word.to_bytes(_WORD_BYTES, "big" if big else "little") for word in words)
        payload += text.encode()
        if len(payload) > MAX_COMMAND_PAYLOAD_BYTES:
            raise UsageError(
                f"{len(payload)} bytes are too many for an event from the host",
                f"take at most {MAX_COMMAND_PAYLOAD_BYTES}",
            )
        return self.call(Command.INSERT_BYTES, cls, event, payload=payload).value0

    def attach(self, name: str) -> int:
        """Have the records of a stream sent from now on that has a public name.

        Returns:
            The number of the stream.

        Raises:
            UsageError: no stream can be called that.
        """
        return self.call(Command.STREAM_ATTACH, payload=_stream_name(name)).value0

    def detach(self, name: str) -> None:
        """Have the records of a stream left in its rings again, for the next reader that attaches.

        At a broker: as soon as its last reader has gone.

        Raises:
            UsageError: no stream can be called that.
        """
        self.call(Command.STREAM_DETACH, payload=_stream_name(name))

    def numbers(self, kind: ObjectKind, name: str) -> list[int]:
        """Find the ids of the objects of this kind and name: of threads, of domains."""
        self._hear(lambda: bool(self._seen.numbers(kind, name)), _INTRODUCTION_S)
        for _ in range(_ASK_TIMES):
            if found := self._seen.numbers(kind, name):
                return found
            self.call(Command.HELLO)
            # Counters are the last part of the answer.
            self._seen.statuses.clear()
            self._hear(
                lambda: (
                    bool(self._seen.numbers(kind, name)) or self._seen.rings_are_known(self.stream)
                ),
                _SAYING_S,
            )
            if self._seen.rings_are_known(self.stream):
                break
        return self._seen.numbers(kind, name)


def _stream_name(name: str) -> bytes:
    payload = name.encode()
    if not 0 < len(payload) <= MAX_COMMAND_PAYLOAD_BYTES:
        raise UsageError("no stream is called that", "name it as the firmware does")
    return payload
