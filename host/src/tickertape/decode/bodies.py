"""Parse frame bodies and check length and content. protocol/wire.yaml has the fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    BUFFER_HEADER,
    BUFFER_HEADER_BYTES,
    CLASS_COUNTERS,
    CLASS_COUNTERS_BYTES,
    HELLO,
    HELLO_BYTES,
    MAX_CPUS,
    MAX_STREAMS,
    NAME,
    NAME_BYTES,
    RECORD_BYTES,
    STATUS,
    STATUS_BYTES,
    ByteOrder,
    FrameType,
)
from tickertape.text import escaped

if TYPE_CHECKING:
    from tickertape.decode.frames import Frame

_HELLO: Final = Layout(HELLO)
_BUFFER_HEADER: Final = Layout(BUFFER_HEADER)
_STATUS: Final = Layout(STATUS)
_CLASS_COUNTERS: Final = Layout(CLASS_COUNTERS)
_NAME: Final = Layout(NAME)
_CLASS_COUNT: Final = 32
_ORDINAL_LIMIT: Final = 1 << 62  # a target needs a thousand years for so many records
_SHORT_NAME_BYTES: Final = 256  # limits the cached bodies to a quarter of a megabyte


class BadBodyError(ValueError):
    """The CRC of a frame is right but its body is invalid; callers count the frame as bad."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Identity and configuration of a target."""

    major: int
    minor: int
    byte_order: ByteOrder
    cpu_count: int
    stream_count: int
    buffer_count: int
    buffer_records: int
    tick_hz: int
    boot_id: int  # 0 if the target cannot distinguish its boots
    dictionary: int  # hash of the target's list of events
    ticks: int
    build_id: str  # hexadecimal; empty if the image has none
    target: str  # name of board and application
    flags: int = 0  # HelloFlag bits


@dataclass(frozen=True, slots=True)
class Receipt:
    """Number of records before `ordinal` that were dropped and sent; the rest was overwritten."""

    ordinal: int
    dropped: int
    sent: int

    def leads_to(self, later: Receipt) -> bool:
        """Return whether one boot can report both receipts, this one first: no count decreases.

        Args:
            later: a receipt of the same ring.
        """
        dropped, sent = later.dropped - self.dropped, later.sent - self.sent
        return min(dropped, sent) >= 0 and dropped + sent <= later.ordinal - self.ordinal

    @property
    def is_possible(self) -> bool:
        """False if no history of a ring leads to these numbers."""
        return self.dropped + self.sent <= self.ordinal < _ORDINAL_LIMIT


@dataclass(frozen=True, slots=True)
class BufferHeader:
    """Header of one buffer; its records follow it."""

    first_ordinal: int
    dropped: int
    sent: int
    ticks: int
    sequence: int
    count: int
    ring_number: int
    flags: int

    @property
    def begin(self) -> Receipt:
        """Receipt before the first record of the buffer."""
        return Receipt(self.first_ordinal, self.dropped, self.sent)

    @property
    def end(self) -> Receipt:
        """Receipt after the last record of the buffer."""
        return Receipt(self.first_ordinal + self.count, self.dropped, self.sent + self.count)


class ClassCounters(NamedTuple):
    """Records of one class in one ring that were lost and sent, each modulo 2^32."""

    dropped: int
    overwritten: int
    sent: int


_NO_COUNTERS: Final = ClassCounters(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Status:
    """Counters of one ring."""

    settled: Receipt
    offered: int
    dropped: int
    overwritten: int
    ticks: int
    policy: int  # a wire.Policy, or one that this program does not know
    running: bool
    final: bool
    high_water_buffers: int
    classes: tuple[ClassCounters, ...]  # by class number; empty if the frame has no counters


@dataclass(frozen=True, slots=True)
class Name:
    """Name and state of one object."""

    kind: int  # a wire.ObjectKind, or one that this program does not know
    state: int
    priority: int
    cpu: int
    id: int
    parent: int
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text from the target."""

    text: str


Body: TypeAlias = Hello | BufferHeader | Status | Name | Text


def parse_body(frame: Frame) -> Body | None:
    """Parse the body of a frame by its type; None for a type that this program does not know.

    Raises:
        BadBodyError: the body is invalid.
    """
    if frame.stream >= MAX_STREAMS or frame.cpu >= MAX_CPUS:
        raise BadBodyError(f"no ring can have stream {frame.stream} and CPU {frame.cpu}")
    match frame.type:
        case FrameType.HELLO:
            return parse_hello(frame.body)
        case FrameType.BUFFER:
            return parse_buffer_header(frame.body)
        case FrameType.STATUS:
            return parse_status(frame.body)
        case FrameType.NAME:
            return parse_name(frame.body)
        case FrameType.TEXT:
            return Text(escaped(_text(frame.body)))
        case _:
            return None


def parse_hello(body: bytes) -> Hello:
    """Parse the body of HELLO.

    Raises:
        BadBodyError: the body is too short, or its byte order is unknown.
    """
    _need(body, HELLO_BYTES)
    data = _HELLO.parse(body)
    try:
        byte_order = ByteOrder(data.byte_order)
    except ValueError as error:
        raise BadBodyError(f"byte order {data.byte_order} of HELLO is none") from error
    return Hello(
        major=data.major,
        minor=data.minor,
        byte_order=byte_order,
        cpu_count=data.cpu_count,
        stream_count=data.stream_count,
        buffer_count=data.buffer_count,
        buffer_records=data.buffer_records,
        tick_hz=data.tick_hz,
        boot_id=data.boot_id,
        dictionary=data.dictionary,
        ticks=data.ticks,
        build_id=data.build_id.hex() if any(data.build_id) else "",
        target=escaped(_text(body[HELLO_BYTES:])),
        flags=data.flags,
    )


def parse_buffer_header(body: bytes) -> BufferHeader:
    """Parse the header in the body of BUFFER.

    Raises:
        BadBodyError: the size does not match the number of records.
    """
    _need(body, BUFFER_HEADER_BYTES)
    header = BufferHeader(*_BUFFER_HEADER.parse(body))
    if len(body) != BUFFER_HEADER_BYTES + RECORD_BYTES * header.count:
        raise BadBodyError(f"{header.count} records do not take {len(body)} bytes")
    return header


def parse_status(body: bytes) -> Status:
    """Parse the body of STATUS.

    Raises:
        BadBodyError: the body is too short for its number of class counters.
    """
    _need(body, STATUS_BYTES)
    data = _STATUS.parse(body)
    end = STATUS_BYTES + CLASS_COUNTERS_BYTES * data.class_count
    if len(body) < end:
        raise BadBodyError(f"counters of {data.class_count} classes do not take {len(body)} bytes")
    classes = tuple(map(ClassCounters._make, _CLASS_COUNTERS.parse_all(body[STATUS_BYTES:end])))
    if classes:
        classes += (_NO_COUNTERS,) * (_CLASS_COUNT - len(classes))
    return Status(
        settled=Receipt(data.settled_ordinal, data.settled_dropped, data.settled_sent),
        offered=data.offered,
        dropped=data.dropped,
        overwritten=data.overwritten,
        ticks=data.ticks,
        policy=data.policy,
        running=bool(data.running),
        final=bool(data.final),
        high_water_buffers=data.high_water_buffers,
        classes=classes,
    )


def parse_name(body: bytes) -> Name:
    """Parse the body of NAME. Targets repeat names, so short bodies are cached.

    Raises:
        BadBodyError: the body is too short.
    """
    _need(body, NAME_BYTES)
    return _kept_name(body) if len(body) <= _SHORT_NAME_BYTES else _name_of(body)


def _name_of(body: bytes) -> Name:
    data = _NAME.parse(body)
    return Name(
        kind=data.kind,
        state=data.state,
        priority=data.priority,
        cpu=data.cpu,
        id=data.id,
        parent=data.parent,
        text=_text(body[NAME_BYTES:]),
    )


_kept_name = lru_cache(maxsize=1024)(_name_of)


def _need(body: bytes, count: int) -> None:
    if len(body) < count:
        raise BadBodyError(f"{len(body)} bytes are too few, {count} are needed")


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
