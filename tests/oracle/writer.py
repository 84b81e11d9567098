"""Write events as a tape, and damage it: protocol/SPEC.md, read for the second time."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from tests.oracle.simulator import (
    COMMAND,
    FIRST_MUTEX,
    SEMAPHORE,
    START,
    STOP,
    Event,
)
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.events import EventClass as Class

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HELLO, RECORDS, STATUS, NAME_CHUNK, INDEX, END = 2, 3, 4, 5, 10, 11
TICK_HZ = 1_000_000_000  # a tick is 1 ns: figures in ns are figures in ticks
ADD_CLASS, DEL_CLASS = 9, 10
LOSSES = ("dropped", "overwritten", "damaged")
Record = tuple[int, bytes]


@dataclass(frozen=True)
class Plan:
    """Which buffers a tape loses, by CPU and number, and whether it has final STATUS frames."""

    losses: dict[tuple[int, int], str]
    buffer_records: int
    final: bool = True


def records_of(event: Event) -> list[Record]:
    """Return the records of an event: one, or a combine event for a name."""
    header = (event.cpu << 24) | (event.group << 10) | event.number
    time = event.time & 0xFFFFFFFF
    words = struct.pack("<II", event.a, event.b)
    if not event.text:
        return [(event.time, struct.pack("<II", header, time) + words)]
    payload = words + event.text.encode()
    count = max(2, -(-(-(-len(payload) // 4) + 1) // 2))
    padded = payload.ljust(8 * count - 4, b"\0") + struct.pack("<I", len(payload))
    kinds = [1, *[2] * (count - 2), 3]
    return [
        (event.time, struct.pack("<II", kind << 30 | header, time) + padded[8 * i : 8 * i + 8])
        for i, kind in enumerate(kinds)
    ]


class Tape:
    """A tape that is written chunk by chunk."""

    def __init__(self) -> None:
        """Begin with the header."""
        magic = b"\x89TAPE\r\n\x1a"
        head = struct.pack("<8sHHB3xQ16s20x", magic, 1, 3, 1, 0, bytes(16))
        self.data = bytearray(head + struct.pack("<I", crc32(head)))
        self.rows = b""

    def chunk(self, kind: int, body: bytes, cpu: int = 0, counts: tuple[int, int] = (0, 0)) -> None:
        """Append a chunk."""
        head = struct.pack("<IHHII", 0x4B435454, kind, 0, len(body), crc32(body))
        head += struct.pack("<BBHII", 0, cpu, 0, *counts)
        head += struct.pack("<I", crc32(head))
        self.rows += struct.pack("<Q", len(self.data)) + head
        self.data += head + body + bytes(-len(body) % 16)

    def ring(self, cpu: int, records: list[Record], plan: Plan) -> None:
        """Append the buffers of a CPU that arrived, and the last receipt."""
        ordinal = dropped = sent = 0
        size = plan.buffer_records
        for number in range(-(-len(records) // size)):
            part = records[number * size : (number + 1) * size]
            loss = plan.losses.get((cpu, number))
            if loss is None:
                head = struct.pack("<QQQQ", ordinal, dropped, sent, part[0][0])
                head += struct.pack("<IHBB", number, len(part), number % 8, 0) + bytes(8)
                self.chunk(RECORDS, head + b"".join(r for _, r in part), cpu, (1, len(part)))
            ordinal += len(part)
            dropped += len(part) * (loss == "dropped")
            sent += len(part) * (loss in {None, "damaged"})
        last = records[-1][0] if records else 0
        body = struct.pack("<QQQQQQQ", ordinal, dropped, sent, ordinal, dropped, 0, last)
        body += struct.pack("<BBBBI", 0, not plan.final, 0, plan.final, 8)
        if plan.final:
            self.chunk(STATUS, body, cpu)

    def close(self) -> bytes:
        """Append INDEX and END; return the tape."""
        place = len(self.data)
        body = self.rows + bytes((-len(self.rows) - 8) % 16) + struct.pack("<Q", place)
        self.chunk(INDEX, body)
        self.chunk(END, b"")
        return bytes(self.data)


def write(path: Path, events: list[Event], cpus: int, plan: Plan) -> None:
    """Write the events of a world as a tape."""
    tape = Tape()
    hello = struct.pack("<BBBBBBHII", 1, 3, 1, cpus, 1, 8, plan.buffer_records, TICK_HZ, 7)
    tape.chunk(HELLO, hello + struct.pack("<QQ20sI", DICTIONARY_HASH, 0, bytes(20), 0) + b"oracle")
    names = [(2, FIRST_MUTEX, "m0"), (2, FIRST_MUTEX + 0x10, "m1"), (3, SEMAPHORE, "s")]
    tids = sorted({e.b for e in events if e.text})
    for kind, number, name in [*names, *((1, tid, f"t{tid}") for tid in tids)]:
        tape.chunk(NAME_CHUNK, struct.pack("<BBBBII", kind, 0, 0, 0, number, 0) + name.encode())
    for cpu in range(cpus):
        records = [r for event in events if event.cpu == cpu for r in records_of(event)]
        tape.ring(cpu, records, plan)
    path.write_bytes(tape.close())


def whole(seed: int) -> Plan:
    """Return a plan without losses."""
    return Plan({}, Random(seed).randrange(6, 40))


def _lost_buffers(rng: Random, events: list[Event], cpus: int, plan: Plan) -> Plan:
    """Lose buffers in the middle: the first and last records of each ring stay."""
    losses = {}
    for cpu in range(cpus):
        count = sum(len(records_of(e)) for e in events if e.cpu == cpu)
        buffers = -(-count // plan.buffer_records)
        kept = 1 + 60 // plan.buffer_records if cpu == 0 else 1
        for number in range(kept, buffers - 1):
            if rng.random() < rng.choice((0.05, 0.3)):
                losses[cpu, number] = rng.choice(LOSSES)
    return replace(plan, losses=losses)


def _lost_end(rng: Random, events: list[Event], cpus: int, plan: Plan) -> Plan:
    """Lose the last buffers of the ring without STOP, or of the only ring."""
    cpu = cpus - 1
    count = sum(len(records_of(e)) for e in events if e.cpu == cpu)
    last = -(-count // plan.buffer_records) - 1
    first = max(60 // plan.buffer_records + 1, last - rng.randrange(3))
    losses = {(cpu, number): rng.choice(LOSSES) for number in range(first, last + 1)}
    return replace(plan, losses=losses, final=rng.random() < 0.5)


def _silent(
    rng: Random,
    events: list[Event],
    marks: tuple[tuple[int, int], tuple[int, int]],
    hidden: Callable[[Event], bool],
) -> list[Event]:
    """Hide events of a range of time between two marks, events of class TRACER on CPU 0."""
    end = events[-1].time
    first = rng.randrange(end // 4, end // 2)
    last = first + rng.randrange(1, end // 3)
    result: list[Event] = []
    begun = ended = False
    for event in events:
        if not begun and event.time >= first:
            begun = True
            result.append(Event(event.time, 0, Class.TRACER, marks[0][0], marks[0][1], 0))
        if not ended and event.time >= last:
            ended = True
            result.append(Event(event.time, 0, Class.TRACER, marks[1][0], marks[1][1], 0))
        if not begun or ended or not hidden(event):
            result.append(event)
    return result


def mutilate(
    seed: int, events: list[Event], cpus: int, plan: Plan
) -> tuple[str, list[Event], Plan]:
    """Return a kind of damage, the events that a target then records, and the plan of losses."""
    rng = Random(seed + 2)
    kind = rng.choice(("buffers", "buffers", "end", "stop", "class"))
    if kind == "buffers":
        return kind, events, _lost_buffers(rng, events, cpus, plan)
    if kind == "end":
        return kind, events, _lost_end(rng, events, cpus, plan)
    if kind == "stop":
        return kind, _silent(rng, events, ((STOP, 0), (START, 0)), lambda _: True), plan
    group = rng.choice((Class.INT, Class.SCHED, Class.THREAD, Class.SYNC))
    marks = ((COMMAND, DEL_CLASS), (COMMAND, ADD_CLASS))
    return f"class {group.name}", _silent(rng, events, marks, lambda e: e.group == group), plan
