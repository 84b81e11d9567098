"""Commands of a target as methods. Each method returns after the target has executed the command.

    client = ControlClient(LinkChannel(link))
    client.select_class(EventClass.INT, take=False)
    client.insert(EventClass.USER, 7, text="door opened")

Every method raises CommandRefused, with the reason, if the target refuses; LinkSilent if it does
not reply (whether it executed the command is then unknown); and LinkError if the link fails.
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
# Announcements of a target follow a request within this time, or some were lost on the link.
_SAYING_S: Final = 2.0
_ASK_TIMES: Final = 4
# A server of a shared link sends HELLO immediately.
_INTRODUCTION_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """Status of a stream.

    Attributes:
        stream: number of the stream.
        running: the stream records.
        policy: a `wire.Policy`, or a number that this version does not define.
        hello: identity of the target.
        rings: counters of its rings, by CPU.
    """

    stream: int
    running: bool
    policy: int
    hello: Hello
    rings: dict[int, Status]


@dataclass(frozen=True, slots=True)
class ClassSelection:
    """Selected classes of a stream, by number.

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
        """Prepare a client; nothing is sent yet.

        Args:
            channel: channel to the target.
            stream: number of the stream to control.
            patience_s: time limit for a reply, in seconds.
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
        """Execute a command and return its reply; wire.yaml describes the arguments."""
        reply = self._exchange.carry_out(Request(command, self.stream, args, payload))
        if reply.status == ReplyStatus.NO_ANSWER:
            raise silent("the target", command, "to the program that shares its link")
        if reply.status != ReplyStatus.DONE:
            raise refusal(command, reply.status, self.stream)
        return reply

    def meet(self) -> Hello:
        """Return the identity of the target; request it if it is unknown."""
        self._ask(Command.HELLO, lambda: self._seen.hello is not None)
        hello = self._seen.hello
        if hello is None:
            raise LinkSilent(
                f"{self._name} answers, but its HELLO did not arrive",
                "try again, or check the line",
            )
        return hello

    def _ask(self, command: Command, known: Callable[[], bool]) -> None:
        """Repeat a request until `known()` or `_ASK_TIMES` tries, since announcements get lost."""
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
        """Start recording; with `state`, the stream begins with a state dump."""
        self.call(Command.START, 0 if state else 1)

    def stop(self) -> None:
        """Stop recording; records in the stream's rings are still sent."""
        self.call(Command.STOP)

    def flush(self) -> None:
        """Send the partly filled buffers of the stream as well."""
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
        """Return the selected classes of the stream."""
        reply = self.call(Command.CLASSES)
        masks = (reply.value0, reply.value1)
        some, every = (
            frozenset(number for number in range(_CLASS_COUNT) if mask >> number & 1)
            for mask in masks
        )
        return ClassSelection(some, every)

    def select_all(self, *, take: bool) -> None:
        """Select every event; with `take` False, none."""
        self.call(Command.ADD_ALL if take else Command.DEL_ALL)

    def select_class(self, cls: int, *, take: bool) -> None:
        """Select a class; with `take` False, deselect it."""
        self.call(Command.ADD_CLASS if take else Command.DEL_CLASS, cls)

    def select_event(self, cls: int, event: int, *, take: bool) -> bool:
        """Select one event; with `take` False, deselect it.

        Returns:
            True if the target changed this event alone. False: it has no masks for single events
            (`TT_CONFIG_EVENT_MASKS`), and changed all events of the class that the dictionary does
            not list.
        """
        return self.call(Command.ADD_EVENT if take else Command.DEL_EVENT, cls, event).value0 == 0

    def set_thread_filter(self, cls: int, event: int, *, pid: int = 0, tid: int = 0) -> None:
        """Record an event only in this domain and thread; 0 is any. Applies to all streams.

        A filter replaces the previous one for the same class and event; `pid` and `tid` 0 remove
        it.
        """
        self.call(Command.THREAD_FILTER, cls, event, pid, tid)

    def set_wide(self, cls: int, event: int, *, wide: bool) -> None:
        """Record an event with all arguments, or in one record. Applies to all streams."""
        self.call(Command.WIDE if wide else Command.FAST, cls, event)

    def set_policy(self, policy: Policy) -> None:
        """Set the policy for full rings; refused while the stream records."""
        self.call(Command.POLICY, policy)

    def set_shedding(self, class_mask: int, free_buffers: int) -> None:
        """Drop the classes of a mask while fewer than `free_buffers` are free; mask 0: never."""
        self.call(Command.SHED, class_mask, free_buffers)

    def set_packing(self, *, packed: bool) -> None:
        """Send buffers packed or raw. Applies to all streams."""
        self.call(Command.PACKING, int(packed))

    def insert(
        self, cls: int, event: int, words: Sequence[int] = (), text: str | None = None
    ) -> int:
        """Record an event.

        Args:
            cls: class of the event.
            event: number of the event in the class.
            words: without text, up to two words of a simple event; missing ones are 0. With text,
                any number.
            text: text after the words; the event is then a combine event.

        Returns:
            Mask of the streams that select this event type; 0: no stream recorded the event.

        Raises:
            UsageError: words and text are too long for a command.
        """
        if text is None:
            return self.call(Command.INSERT, cls, event, *words).value0
        big = bool(words) and self.meet().byte_order is ByteOrder.BIG
        payload = b"".join(word.to_bytes(_WORD_BYTES, "big" if big else "little") for word in words)
        payload += text.encode()
        if len(payload) > MAX_COMMAND_PAYLOAD_BYTES:
            raise UsageError(
                f"{len(payload)} bytes are too many for an event from the host",
                f"send at most {MAX_COMMAND_PAYLOAD_BYTES}",
            )
        return self.call(Command.INSERT_BYTES, cls, event, payload=payload).value0

    def attach(self, name: str) -> int:
        """Attach a named stream: the target sends its records from now on.

        Returns:
            The number of the stream.

        Raises:
            UsageError: the name is empty or too long.
        """
        return self.call(Command.STREAM_ATTACH, payload=_stream_name(name)).value0

    def detach(self, name: str) -> None:
        """Detach a named stream: the target keeps its records for the next reader that attaches.

        A broker detaches it after its last reader has gone.

        Raises:
            UsageError: the name is empty or too long.
        """
        self.call(Command.STREAM_DETACH, payload=_stream_name(name))

    def numbers(self, kind: ObjectKind, name: str) -> list[int]:
        """Return the ids of objects by kind and name, e.g. threads or domains; [] if there is none.

        Names that are not known yet are requested from the target.
        """
        self._hear(lambda: bool(self._seen.numbers(kind, name)), _INTRODUCTION_S)
        for _ in range(_ASK_TIMES):
            if found := self._seen.numbers(kind, name):
                return found
            self.call(Command.HELLO)
            # The target sends its counters after all names.
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
