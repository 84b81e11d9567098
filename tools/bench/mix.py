"""A large tape for measurements, with the mix of records that other tools were measured with.

14 of 25 records are simple events and 11 belong to four combine events: 72 events in 100 records,
44 % of the records in combine events.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import (
    DICTIONARY_HASH,
    EventClass,
    IntEvent,
    SchedEvent,
    SyncEvent,
    ThreadEvent,
)
from tickertape.protocol.wire import (
    BUFFER_HEADER,
    HELLO,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    STRUCT_SHIFT,
    ByteOrder,
    RecordStruct,
)
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_LOCK: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_GRANTED)
_UNLOCK: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)
_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
_READY: Final = event_code(EventClass.THREAD, ThreadEvent.READY)
_SLEEP: Final = event_code(EventClass.THREAD, ThreadEvent.NANOSLEEP)
_ENTRY: Final = event_code(EventClass.INT, IntEvent.ENTRY)
_EXIT: Final = event_code(EventClass.INT, IntEvent.EXIT)
_USER: Final = event_code(EventClass.USER, 7)
_PERIOD: Final = 25
_SHORT_AT: Final = 11
_STEP_TICKS: Final = 700
BUFFER_RECORDS: Final = 1000
EVENTS_PER_PERIOD: Final = 18


def _combine(tid: int, name: bytes) -> list[tuple[int, int, int]]:
    """Return the records of one NAME event: (struct, word, word)."""
    payload = struct.pack("<II", 0, tid) + name
    count = len(payload)
    words = np.frombuffer(payload + bytes(-count % 4), "<u4").tolist()
    words += [0] * (1 - len(words) % 2)
    words.append(count)
    pairs = list(zip(words[::2], words[1::2], strict=True))
    structs = [RecordStruct.BEGIN] + [RecordStruct.CONTINUE] * (len(pairs) - 2) + [RecordStruct.END]
    return [(struct, *pair) for struct, pair in zip(structs, pairs, strict=True)]


def _period() -> np.ndarray:
    """Return 25 records; their time is a step, which all records of an event share."""
    rows: list[tuple[int, int, int, int]] = []
    step = 0
    for i in range(14):
        code = (_SWITCH, _LOCK, _UNLOCK)[i % 3]
        rows.append((RecordStruct.SIMPLE << STRUCT_SHIFT | code, step, i % 10, (i + 1) % 10))
        step += 1
        if i in {2, 5, 8, _SHORT_AT}:
            # The short name needs two records, the other one three.
            tid, name = (3, b"net") if i == _SHORT_AT else (2, b"sensor 1")
            rows += [(s << STRUCT_SHIFT | _NAME, step, a, b) for s, a, b in _combine(tid, name)]
            step += 1
    records = np.array(rows, np.uint32)
    if len(records) != _PERIOD or step != EVENTS_PER_PERIOD:
        raise AssertionError(len(records), step)
    return records


def switches() -> np.ndarray:
    """Return 40 simple records: ten threads take turns, each with a mutex and a user event.

    Every switch leaves the thread that the previous one went to, so that the model is consistent.
    """
    rows: list[tuple[int, int, int, int]] = []
    for turn in range(10):
        tid, following = turn + 1, (turn + 1) % 10 + 1
        for code, pair in (
            (_SWITCH, (tid, following)),
            (_LOCK, (0x2000_0000 + 16 * turn, following)),
            (_USER, (turn, 0xBEEF)),
            (_UNLOCK, (0x2000_0000 + 16 * turn, following)),
        ):
            rows.append((RecordStruct.SIMPLE << STRUCT_SHIFT | code, len(rows), *pair))
    return np.array(rows, np.uint32)


def services() -> np.ndarray:
    """Return 100 simple records: each of ten interrupts makes one of ten threads ready.

    The running thread takes a mutex, sleeps, and hands the CPU to the thread that became ready.
    """
    rows: list[tuple[int, int, int, int]] = []
    for turn in range(10):
        tid, following = turn + 1, (turn + 1) % 10 + 1
        for code, pair in (
            (_LOCK, (0x2000_0000 + 16 * turn, tid)),
            (_USER, (turn, 0xBEEF)),
            (_ENTRY, (16 + turn, 0)),
            (_READY, (0, following)),
            (_EXIT, (16 + turn, 0)),
            (_UNLOCK, (0x2000_0000 + 16 * turn, tid)),
            (_USER, (turn, 0xCAFE)),
            (_SLEEP, (0, tid)),
            (_SWITCH, (tid, following)),
            (_USER, (turn, 0xF00D)),
        ):
            rows.append((RecordStruct.SIMPLE << STRUCT_SHIFT | code, len(rows), *pair))
    return np.array(rows, np.uint32)


def write_tape(path: Path, record_count: int, period: np.ndarray | None = None) -> int:
    """Write a tape of about `record_count` records; return how many there are.

    Args:
        path: path of the tape.
        record_count: approximate number of records.
        period: records that repeat, u32 of shape (n, 4); None for the mix.
    """
    records = _period() if period is None else period
    block = np.tile(records, (BUFFER_RECORDS // len(records), 1))
    repeat = np.arange(BUFFER_RECORDS) // len(records) * (int(records[-1, 1]) + 1)
    steps = block[:, 1] + repeat
    span = int(steps[-1] + 1) * _STEP_TICKS
    buffers = record_count // BUFFER_RECORDS
    hello = HELLO.build(
        {
            "major": PROTOCOL_MAJOR,
            "minor": PROTOCOL_MINOR,
            "byte_order": ByteOrder.LITTLE,
            "cpu_count": 1,
            "stream_count": 1,
            "buffer_count": 8,
            "buffer_records": BUFFER_RECORDS,
            "tick_hz": 100_000_000,
            "boot_id": 1,
            "dictionary": DICTIONARY_HASH,
            "ticks": 0,
            "build_id": bytes(20),
            "flags": 0,
        }
    )
    with TapeWriter(path) as writer:
        writer.hello(hello + b"bench")
        for i in range(buffers):
            block[:, 1] = (steps * _STEP_TICKS + i * span).astype(np.uint32)
            header = BUFFER_HEADER.build(
                {
                    "first_ordinal": i * BUFFER_RECORDS,
                    "dropped": 0,
                    "sent": i * BUFFER_RECORDS,
                    "ticks": i * span,
                    "sequence": i,
                    "count": BUFFER_RECORDS,
                    "ring_number": i % 8,
                    "flags": 0,
                }
            )
            writer.buffer(0, 0, header + block.astype("<u4").tobytes())
    return buffers * BUFFER_RECORDS
