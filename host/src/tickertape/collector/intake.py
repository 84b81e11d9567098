"""Store frames on the tape and count them: the part of a capture that reads no clock."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tickertape.analysis.ledger import Balance, RingLedger
from tickertape.decode.bodies import (
    BadBodyError,
    BufferHeader,
    Hello,
    Name,
    Status,
    Text,
    parse_body,
    parse_hello,
)
from tickertape.decode.packed import UnpackedBuffer, unpack
from tickertape.decode.records import FIRST_PART
from tickertape.decode.sequence import SequenceTracker, Verdict
from tickertape.errors import DictionaryMismatch, ProtocolMismatch
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import (
    BUFFER_HEADER_BYTES,
    PROTOCOL_MAJOR,
    ByteOrder,
    FrameType,
    record_dtype,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.collector.sink import Sink
    from tickertape.decode.bodies import Body
    from tickertape.decode.frames import Frame, FrameDecoder


@dataclass(frozen=True, slots=True)
class Arrival:
    """Arrival time of a frame by the host's clock.

    Attributes:
        host_ns: time when the frame had arrived, UTC, ns since 1970.
        uncertainty_ns: known upper limit of the time between sending and `host_ns`.
    """

    host_ns: int
    uncertainty_ns: int


class Intake:
    """Stores every new frame and keeps the balance.

    Attributes:
        hello: the latest HELLO of this boot, None before the first.
        mismatch: the error to report after a target announced another list of events; else None.
    """

    def __init__(self, decoder: FrameDecoder, writer: Sink, *, live: bool) -> None:
        """Begin a capture.

        Args:
            decoder: decoder of the frames; its counters are completed here.
            writer: destination of the frames.
            live: frames arrive as the target sends them, so the host's clock at arrival is an
                anchor.
        """
        self.hello: Hello | None = None
        self.mismatch: DictionaryMismatch | None = None
        self._decoder = decoder
        self._writer = writer
        self._live = live
        self._tracker = SequenceTracker(decoder.counters)
        self._ledgers: dict[tuple[int, int], RingLedger] = {}
        self._earlier = Balance()  # balance of the previous boots
        self._byte_order = ByteOrder.LITTLE  # until HELLO
        self._met = False
        self._events = dict.fromkeys(ByteOrder, 0)  # count, if the records had this byte order

    def take(self, frames: Sequence[tuple[Frame, Arrival]]) -> None:
        """Store good frames, in order. Many packed buffers at once unpack faster than single ones.

        Packed records have no byte order. Before the first HELLO they get the byte order of the
        first HELLO in `frames`; without one they become little-endian.

        Raises:
            ProtocolMismatch: the target uses another major version of the protocol.
            TapeError: the tape cannot be written.
        """
        if not self._met:
            self._look_ahead(frame for frame, _ in frames)
        packed = [frame.body for frame, _ in frames if frame.type == FrameType.PACKED]
        unpacked = iter(unpack(packed))
        for frame, arrival in frames:
            buffer = next(unpacked) if frame.type == FrameType.PACKED else None
            self._take(frame, arrival, buffer)

    def _look_ahead(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            if frame.type == FrameType.HELLO:
                with suppress(BadBodyError):
                    self._byte_order = parse_hello(frame.body).byte_order
                    self._met = True
                    return

    def _take(
        self, frame: Frame, arrival: Arrival, buffer: UnpackedBuffer | BadBodyError | None
    ) -> None:
        """Store one frame; `buffer` is the unpacked buffer of a PACKED frame, or its error."""
        try:
            body = parse_body(frame)
            if isinstance(buffer, BadBodyError):
                raise buffer
            if buffer is not None:
                body = buffer.header
                frame = replace(frame, body=buffer.body(self._byte_order))
            _check_receipt(body)
        except BadBodyError:
            self._decoder.refuse(frame)
            self._tracker.judge(frame, None)
            return
        verdict = self._tracker.judge(frame, body)
        if verdict is Verdict.RESET:
            self._begin_epoch()
        if verdict in {Verdict.NEW, Verdict.RESET}:
            self._keep(frame, body, arrival)

    @property
    def events(self) -> int:
        """Number of events so far; a combine event counts at its BEGIN."""
        return self._events[self._byte_order]

    @property
    def balance(self) -> Balance:
        """Balance so far, over all rings and boots."""
        return sum((ledger.balance for ledger in self._ledgers.values()), self._earlier)

    @property
    def final(self) -> bool:
        """True when every ring has sent its final STATUS."""
        expected = self.hello.cpu_count * self.hello.stream_count if self.hello else 1
        finals = [ledger.final for ledger in self._ledgers.values()]
        return len(finals) >= max(expected, 1) and all(finals)

    def _begin_epoch(self) -> None:
        self._earlier = self.balance
        self._ledgers.clear()
        self.hello = None
        self._writer.new_epoch()

    def _keep(self, frame: Frame, body: Body | None, arrival: Arrival) -> None:
        match body:
            case BufferHeader():
                self._ledger(frame).buffer(body)
                self._count_events(frame.body)
                self._writer.buffer(frame.stream, frame.cpu, frame.body)
            case Hello():
                self._meet(body, frame.body, arrival)
            case Status():
                self._ledger(frame).status(body)
                self._writer.status(frame.stream, frame.cpu, frame.body)
            case Name():
                self._writer.name(frame.body)
            case Text():
                self._writer.text(frame.body)
            case None if frame.type != FrameType.REPLY:  # the sender of the command takes a REPLY
                self._decoder.counters.unknown_frames += 1

    def _ledger(self, frame: Frame) -> RingLedger:
        return self._ledgers.setdefault((frame.stream, frame.cpu), RingLedger())

    def _count_events(self, body: bytes) -> None:
        for byte_order in ByteOrder:
            records = np.frombuffer(body, record_dtype(byte_order), offset=BUFFER_HEADER_BYTES)
            self._events[byte_order] += int(np.count_nonzero(records["header"] < FIRST_PART))

    def _meet(self, hello: Hello, body: bytes, arrival: Arrival) -> None:
        if hello.major != PROTOCOL_MAJOR:
            newer = hello.major > PROTOCOL_MAJOR
            raise ProtocolMismatch(
                f"the target speaks protocol {hello.major}.{hello.minor}, this program"
                f" {PROTOCOL_MAJOR}",
                "update tickertape" if newer else "build the firmware with this tickertape",
            )
        self.hello = hello
        self._byte_order = hello.byte_order
        self._writer.hello(body)
        if self._live:
            self._writer.anchor(hello.ticks, arrival.host_ns, arrival.uncertainty_ns)
        if hello.dictionary != DICTIONARY_HASH and self.mismatch is None:
            self.mismatch = DictionaryMismatch(
                f"the target was built with another list of events ({hello.dictionary:016x},"
                f" here {DICTIONARY_HASH:016x}), so names may be wrong",
                "build the firmware with this tickertape, or print with the one that built it",
            )


def _check_receipt(body: Body | None) -> None:
    """Check that the counts of a frame's receipt do not contradict each other.

    Raises:
        BadBodyError: no history of a ring can produce this receipt.
    """
    match body:
        case BufferHeader(begin=receipt) | Status(settled=receipt):
            if not receipt.is_possible:
                raise BadBodyError(f"no ring can have come to {receipt}")
