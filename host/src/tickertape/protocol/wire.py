# Generated from protocol/wire.yaml by make gen; do not edit.
"""Layouts and numbers of the link and of tapes."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np
from construct import Bytes, Const, Default, Int8ul, Int16ul, Int32ul, Int64ul, Struct

# Versions; a receiver or reader refuses another major.
PROTOCOL_MAJOR: Final = 1
PROTOCOL_MINOR: Final = 3
TAPE_MAJOR: Final = 1
TAPE_MINOR: Final = 3

# The fields of a record's header: lowest bit, mask when shifted down, bits in place
RECORD_BYTES: Final = 16
STRUCT_SHIFT: Final = 30
STRUCT_MASK: Final = 0x3
STRUCT_BITS: Final = 0xC0000000
CPU_SHIFT: Final = 24
CPU_MASK: Final = 0x3F
CPU_BITS: Final = 0x3F000000
TRUNCATED_SHIFT: Final = 23
TRUNCATED_MASK: Final = 0x1
TRUNCATED_BITS: Final = 0x00800000
HOST_SHIFT: Final = 22
HOST_MASK: Final = 0x1
HOST_BITS: Final = 0x00400000
DOMAIN_SHIFT: Final = 16
DOMAIN_MASK: Final = 0x3F
DOMAIN_BITS: Final = 0x003F0000
KEYED_SHIFT: Final = 15
KEYED_MASK: Final = 0x1
KEYED_BITS: Final = 0x00008000
CLASS_SHIFT: Final = 10
CLASS_MASK: Final = 0x1F
CLASS_BITS: Final = 0x00007C00
EVENT_SHIFT: Final = 0
EVENT_MASK: Final = 0x3FF
EVENT_BITS: Final = 0x000003FF

# Limits that target and host keep.
MAX_CPUS: Final = 64
"""the header has six bits for the CPU"""
MAX_STREAMS: Final = 8
"""a route has eight bits for streams"""
MAX_FRAME_BYTES: Final = 65536
"""the receiver drops and counts longer frames"""
MAX_COMBINE_RECORDS: Final = 4096
"""a combine event still open after this many records of its ring is abandoned"""
MAX_COMMAND_PAYLOAD_BYTES: Final = 192
"""bytes that may follow a command"""
MEMORY_MARK: Final = 1296913492
"""first word of memory_link: the bytes 'TTMM'"""
LATE_COMMANDS: Final = 64
"""a command whose id is at most this far before the last one is a late copy"""


class FrameType(IntEnum):
    """frame_type in wire.yaml."""

    HELLO = 1
    """identity of the target; sent at start and periodically"""
    BUFFER = 2
    """records of one buffer, raw"""
    PACKED = 3
    """records of one buffer, packed"""
    STATUS = 4
    """counters of one ring"""
    COMMAND = 5
    """host to target"""
    REPLY = 6
    """target to host, the answer to one COMMAND"""
    NAME = 7
    """the name of one object"""
    TEXT = 8
    """a line for people"""


class ByteOrder(IntEnum):
    """byte_order in wire.yaml."""

    LITTLE = 1
    """the lowest byte comes first"""
    BIG = 2
    """the highest byte comes first"""


class Policy(IntEnum):
    """policy in wire.yaml."""

    OVERWRITE = 0
    """keep the newest records: overwrite the oldest buffer (POSIX LOOP)"""
    UNTIL_FULL = 1
    """the stream stops when it is full"""
    DROP = 2
    """keep the oldest records, drop new ones until the drain frees a buffer"""
    FINALIZE = 3
    """each buffer keeps its newest records until its trace is finished; if the next buffer is
    unsent, the finished trace is lost (xmtrace)
    """
    FINALIZE_FREE = 4
    """as FINALIZE, but the next buffer is any free one (RTLinux)"""


class Command(IntEnum):
    """command in wire.yaml."""

    HELLO = 1
    """announce: HELLO, names, STATUS of each ring"""
    START = 2
    """start the stream with a state dump; arg0 1: without the dump"""
    STOP = 3
    """stop the stream"""
    FLUSH = 4
    """close partly filled buffers, so that they are sent"""
    STATUS = 5
    """value0 is 1 while the stream records, value1 its policy; STATUS frames follow"""
    CLASSES = 6
    """value0: classes with any event selected, value1: classes with every event selected, one bit
    per class
    """
    ADD_ALL = 7
    """select every event"""
    DEL_ALL = 8
    """select nothing"""
    ADD_CLASS = 9
    """select class arg0"""
    DEL_CLASS = 10
    """do not select class arg0"""
    ADD_EVENT = 11
    """select event arg1 of class arg0; value0 1: all events of the class that the dictionary does
    not list are selected too, because the target has no masks of single events
    """
    DEL_EVENT = 12
    """do not select event arg1 of class arg0; value0 as for ADD_EVENT"""
    THREAD_FILTER = 13
    """class arg0, event arg1 (all bits set: every event) only of pid arg2 and tid arg3; 0 is any,
    both 0 removes the filter
    """
    FAST = 14
    """class arg0, event arg1 (all bits set: every event) in one record"""
    WIDE = 15
    """class arg0, event arg1 (all bits set: every event) with all arguments"""
    POLICY = 16
    """policy arg0; refused while the stream records"""
    INSERT = 17
    """record event arg1 of class arg0 with words arg2 and arg3; classes EMPTY, CONTROL and TRACER,
    which are the recorder's own, are refused; value0: streams that take this event type, one bit
    per stream
    """
    SHED = 18
    """shed the classes of mask arg0 while fewer than arg1 buffers are free"""
    PACKING = 19
    """arg0 1: send packed buffers, 0: raw ones"""
    INSERT_BYTES = 20
    """record event arg1 of class arg0 as a combine event; the bytes that follow the command are its
    payload, truncated by the sender if arg2 is 1; value0 as for INSERT
    """
    SUBSCRIBE = 21
    """only to a broker: pass on records of the streams of mask arg0, one bit per stream; arg1 1:
    never packed
    """
    LOST = 22
    """only to a broker: records that it discarded because this caller did not read them; value0
    low, value1 high word
    """
    EVENT_OPEN = 23
    """the event type whose name follows the command; defines it if the name is new; value0: class
    << 10 | event
    """
    STREAM_ATTACH = 24
    """send STATUS of each ring, then the records of the stream whose name follows the command; arg0
    1, only to a broker: until all callers with arg0 1 have disconnected; value0: number of the
    stream, value1: how often this number was named
    """
    STREAM_ATTRIBUTE = 25
    """stream_attribute arg0 of the stream, if it was named arg1 times (0: any); value0 low, value1
    high word
    """
    STREAM_DETACH = 26
    """stop sending the stream whose name follows the command; its records stay in its rings"""


class ReplyStatus(IntEnum):
    """reply_status in wire.yaml."""

    DONE = 0
    """executed"""
    BAD_ARGUMENT = 1
    """refused: an argument is out of its range"""
    NOT_NOW = 2
    """refused: not possible now"""
    UNKNOWN = 3
    """refused: no such command"""
    NO_ANSWER = 4
    """only from a host that passes commands on: no answer from the target; the result is unknown"""


class StreamAttribute(IntEnum):
    """stream_attribute in wire.yaml."""

    SIZE = 0
    """least number of bytes of events that the stream stores"""
    DATA_SIZE = 1
    """greatest number of bytes of user data in an event"""
    FULL_POLICY = 2
    """0 loop, 1 until full, 2 flush"""
    CREATED = 3
    """64-bit time of the target at its creation"""
    STATE = 4
    """bit 0 running, bit 1 full, bit 2 overrun since the last query"""
    SYSTEM_EVENT_SIZE = 5
    """bytes of the largest system event"""
    FILTER = 6
    """system events that are filtered out, one bit per event in the order of POSIX Trace"""


class Predictor(IntEnum):
    """predictor in wire.yaml."""

    SAME = 0
    """from the same word of the last record of this kind"""
    THREAD = 1
    """from the last thread number in any record"""
    OBJECT = 2
    """from the last object in any record"""


class ObjectKind(IntEnum):
    """object_kind in wire.yaml."""

    THREAD = 1
    """id is the thread number"""
    MUTEX = 2
    """id is the object's address"""
    SEMAPHORE = 3
    """id is the object's address"""
    CONDVAR = 4
    """id is the object's address"""
    FLAGS = 5
    """id is the object's address"""
    CHANNEL = 6
    """id is the object's address"""
    TIMER = 7
    """id is the object's address"""
    IRQ = 8
    """id is the exception number"""
    DOMAIN = 9
    """id is the domain number"""
    EVENT = 10
    """id is class << 10 | event"""
    SIGNAL = 11
    """id is the signal's address"""
    RUNNABLE = 12
    """id is the runnable's address"""
    STIMULUS = 13
    """id is the stimulus's address"""
    STREAM = 14
    """id is the number of the stream, parent how often the number was named; an empty name: the
    stream is destroyed
    """


class HelloFlag(IntEnum):
    """hello_flag in wire.yaml."""

    HOOKS_OUTSIDE_LOCKS = 1
    """the kernel calls its hooks outside of its locks: the operation of an event happened between
    the previous and the next event of its thread, and events of different CPUs may be in another
    order than their operations
    """
    COOPERATIVE = 2
    """the kernel does not preempt threads whose priority is at least the number in bits 8 to 15 of
    the flags, nor any thread that holds its scheduler; since 1.3
    """
    CLOCK_RUNS_IN_SLEEP = 4
    """the clock of the events runs while the processor sleeps; clock_source is in bits 16 to 19 of
    the flags; since 1.3
    """
    CLOCK_STOPS = 8
    """the clock of the events fell behind a second clock of the target: it stops while the
    processor sleeps, or its rate is wrong, and idle times are too short; since 1.3
    """


class ClockSource(IntEnum):
    """clock_source in wire.yaml."""

    UNKNOWN = 0
    """not stated"""
    CYCLE_COUNTER = 1
    """the cycle counter of the processor (DWT)"""
    TIMER = 2
    """a counter in a register that the user names"""
    KERNEL = 3
    """the clock of the kernel"""


class BufferFlag(IntEnum):
    """buffer_flag in wire.yaml."""

    LOSS_BEFORE = 1
    """an unknown number of records is missing before the first record, in addition to the receipts;
    only on tapes made from files without loss counts
    """


class ChunkType(IntEnum):
    """chunk_type in wire.yaml."""

    META = 1
    """JSON object: metadata of capture and target"""
    HELLO = 2
    """a HELLO frame as received"""
    RECORDS = 3
    """buffers of one ring: their headers, then their records"""
    STATUS = 4
    """a STATUS frame as received"""
    NAME = 5
    """a NAME frame as received"""
    TEXT = 6
    """a TEXT frame as received"""
    ANCHOR = 7
    """a time of the target's clock, and the time of the host's clock"""
    RECEIPT = 8
    """losses on the link: bad and missing frames"""
    NOTE = 9
    """UTF-8 text added by a person or a tool"""
    INDEX = 10
    """positions of the chunks; rebuilt when missing"""
    END = 11
    """the tape was closed"""
    SYMBOLS = 12
    """the symbol table of the firmware"""
    EPOCH = 13
    """the target was reset: ordinals and time start again"""
    BOARD = 14
    """the board of an epoch, and the relation of its clock to UTC; since 1.2"""
    SUMMARY = 15
    """JSON object: totals of the chunks before it; since 1.2"""


class RecordStruct(IntEnum):
    """The place of the record in its event."""

    SIMPLE = 0
    BEGIN = 1
    CONTINUE = 2
    END = 3


FRAME_HEADER: Final[Any] = Struct(
    "type" / Int8ul, "stream" / Int8ul, "cpu" / Int8ul, "boot_tag" / Int8ul, "sequence" / Int32ul
)
"""First bytes of every frame. The last bytes are a CRC-32 (zlib) of all bytes before it."""
FRAME_HEADER_BYTES: Final = 8

HELLO: Final[Any] = Struct(
    "major" / Int8ul,
    "minor" / Int8ul,
    "byte_order" / Int8ul,
    "cpu_count" / Int8ul,
    "stream_count" / Int8ul,
    "buffer_count" / Int8ul,
    "buffer_records" / Int16ul,
    "tick_hz" / Int32ul,
    "boot_id" / Int32ul,
    "dictionary" / Int64ul,
    "ticks" / Int64ul,
    "build_id" / Bytes(20),
    "flags" / Int32ul,
)
"""Body of HELLO. The target's name follows in UTF-8, without end mark."""
HELLO_BYTES: Final = 56

BUFFER_HEADER: Final[Any] = Struct(
    "first_ordinal" / Int64ul,
    "dropped" / Int64ul,
    "sent" / Int64ul,
    "ticks" / Int64ul,
    "sequence" / Int32ul,
    "count" / Int16ul,
    "ring_number" / Int8ul,
    "flags" / Int8ul,
)
"""First bytes of the body of BUFFER; count records follow. The first three fields are the receipt
at the first record.
"""
BUFFER_HEADER_BYTES: Final = 40

STATUS: Final[Any] = Struct(
    "settled_ordinal" / Int64ul,
    "settled_dropped" / Int64ul,
    "settled_sent" / Int64ul,
    "offered" / Int64ul,
    "dropped" / Int64ul,
    "overwritten" / Int64ul,
    "ticks" / Int64ul,
    "policy" / Int8ul,
    "running" / Int8ul,
    "class_count" / Int8ul,
    "final" / Int8ul,
    "high_water_buffers" / Int32ul,
)
"""Body of STATUS. class_count entries of class_counters follow, for classes 0, 1, ..."""
STATUS_BYTES: Final = 64

CLASS_COUNTERS: Final[Any] = Struct("dropped" / Int32ul, "overwritten" / Int32ul, "sent" / Int32ul)
"""Counters of one class in one ring."""
CLASS_COUNTERS_BYTES: Final = 12

NAME: Final[Any] = Struct(
    "kind" / Int8ul,
    "state" / Int8ul,
    "priority" / Int8ul,
    "cpu" / Int8ul,
    "id" / Int32ul,
    "parent" / Int32ul,
)
"""Body of NAME. The name follows in UTF-8, without end mark."""
NAME_BYTES: Final = 12

COMMAND: Final[Any] = Struct(
    "id" / Int32ul,
    "command" / Int8ul,
    "stream" / Int8ul,
    "reserved" / Default(Int16ul, 0),
    "arg0" / Int32ul,
    "arg1" / Int32ul,
    "arg2" / Int32ul,
    "arg3" / Int32ul,
)
"""Body of COMMAND. The payload of INSERT_BYTES follows."""
COMMAND_BYTES: Final = 24

REPLY: Final[Any] = Struct(
    "id" / Int32ul,
    "command" / Int8ul,
    "stream" / Int8ul,
    "status" / Int16ul,
    "value0" / Int32ul,
    "value1" / Int32ul,
)
"""Body of REPLY."""
REPLY_BYTES: Final = 16

MEMORY_LINK: Final[Any] = Struct(
    "mark" / Int32ul,
    "inverse" / Int32ul,
    "up_offset" / Int32ul,
    "up_bytes" / Int32ul,
    "up_written" / Int32ul,
    "up_read" / Int32ul,
    "down_offset" / Int32ul,
    "down_bytes" / Int32ul,
    "down_written" / Int32ul,
    "down_read" / Int32ul,
)
"""Head of a link in memory that the host reads. Offsets count from its first byte, modulo 2^32."""
MEMORY_LINK_BYTES: Final = 40

MEMORY_FRAME: Final[Any] = Struct("frame_bytes" / Int16ul, "inverse" / Int16ul)
"""Head of a frame in memory. The frame follows, then zero to three bytes of padding to a multiple
of 4.
"""
MEMORY_FRAME_BYTES: Final = 4

TAPE_HEADER_MAGIC: Final = bytes.fromhex("89544150450d0a1a")
TAPE_HEADER: Final[Any] = Struct(
    "magic" / Const(TAPE_HEADER_MAGIC, Bytes(8)),
    "major" / Int16ul,
    "minor" / Int16ul,
    "byte_order" / Int8ul,
    "reserved" / Default(Bytes(3), bytes(3)),
    "created_ns" / Int64ul,
    "uuid" / Bytes(16),
    "reserved2" / Default(Bytes(20), bytes(20)),
    "crc" / Int32ul,
)
"""The first 64 bytes of a tape."""
TAPE_HEADER_BYTES: Final = 64

CHUNK_HEADER_MAGIC: Final = 0x4B435454
CHUNK_HEADER: Final[Any] = Struct(
    "magic" / Const(CHUNK_HEADER_MAGIC, Int32ul),
    "type" / Int16ul,
    "flags" / Default(Int16ul, 0),
    "body_bytes" / Int32ul,
    "body_crc" / Int32ul,
    "stream" / Int8ul,
    "cpu" / Int8ul,
    "epoch" / Int16ul,
    "buffer_count" / Int32ul,
    "record_count" / Int32ul,
    "crc" / Int32ul,
)
"""First bytes of every chunk, at a multiple of 16; the body follows, zero-padded to a multiple of
16.
"""
CHUNK_HEADER_BYTES: Final = 32

ANCHOR: Final[Any] = Struct(
    "target_ticks" / Int64ul, "host_ns" / Int64ul, "uncertainty_ns" / Int64ul
)
"""Body of ANCHOR."""
ANCHOR_BYTES: Final = 24

RECEIPT: Final[Any] = Struct(
    "frames" / Int64ul,
    "bad_frames" / Int64ul,
    "missed_frames" / Int64ul,
    "bytes" / Int64ul,
    "noise_bytes" / Int64ul,
)
"""Body of RECEIPT. Counts since the capture began."""
RECEIPT_BYTES: Final = 40

SYMBOLS: Final[Any] = Struct(
    "count" / Int32ul, "image_id" / Bytes(20), "reserved" / Default(Int32ul, 0)
)
"""First bytes of the body of SYMBOLS; count entries of symbol follow, then their names."""
SYMBOLS_BYTES: Final = 28

SYMBOL: Final[Any] = Struct(
    "address" / Int32ul, "size_bytes" / Int32ul, "name_offset" / Int32ul, "name_bytes" / Int32ul
)
"""One function or variable of the firmware."""
SYMBOL_BYTES: Final = 16

BOARD: Final[Any] = Struct(
    "board" / Int32ul,
    "reserved" / Default(Int32ul, 0),
    "ticks" / Int64ul,
    "utc_ns" / Int64ul,
    "tick_length" / Int64ul,
    "bound_ns" / Int64ul,
)
"""Body of BOARD. The board's name follows in UTF-8, without end mark."""
BOARD_BYTES: Final = 40


def record_dtype(byte_order: ByteOrder | int) -> np.dtype[np.void]:
    """Give the numpy type of a record: header, time, data0, data1, in a target's byte order.

    Args:
        byte_order: From HELLO or the tape header.

    Raises:
        ValueError: The number is not a byte order.
    """
    mark = "<" if ByteOrder(byte_order) is ByteOrder.LITTLE else ">"
    return np.dtype([(name, mark + "u4") for name in ("header", "time", "data0", "data1")])


BUFFER_HEADER_DTYPE: Final[np.dtype[np.void]] = np.dtype(
    [
        ("first_ordinal", "<u8"),
        ("dropped", "<u8"),
        ("sent", "<u8"),
        ("ticks", "<u8"),
        ("sequence", "<u4"),
        ("count", "<u2"),
        ("ring_number", "u1"),
        ("flags", "u1"),
    ]
)
CLASS_COUNTERS_DTYPE: Final[np.dtype[np.void]] = np.dtype(
    [("dropped", "<u4"), ("overwritten", "<u4"), ("sent", "<u4")]
)
