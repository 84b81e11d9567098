"""A simple reference decoder of records; the columns of the host must agree with it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from tests.support.wire_bytes import BEGIN, END, SIMPLE, RawRecord

MAX_AGE = 4096


@dataclass(frozen=True)
class PlainEvent:
    """An event as protocol/SPEC.md describes it."""

    ordinal: int
    time: int
    cpu: int
    cls: int
    event: int
    words: tuple[int, int]
    payload: bytes | None


@dataclass
class PlainResult:
    """The events in the records of a ring, and the counts of records without an event."""

    events: list[PlainEvent] = field(default_factory=list)
    incomplete: int = 0
    orphans: int = 0
    mismatched: int = 0
    lost_records: int = 0


@dataclass
class _Open:
    ordinal: int
    gap: int
    records: list[RawRecord] = field(default_factory=list)

    def count(self, kind: int) -> int:
        return sum(record.kind == kind for record in self.records)


def decode(records: list[tuple[int, RawRecord]], byte_order: str) -> PlainResult:
    """Decode the events of a ring from (ordinal, record) in order; ordinals reveal gaps."""
    result = PlainResult()
    opened: dict[tuple[int, ...], _Open] = {}
    gap = 0
    last: int | None = None
    for ordinal, record in records:
        gap += last is not None and ordinal != last + 1
        last = ordinal
        if record.kind == SIMPLE:
            words = (record.data0, record.data1)
            result.events.append(_event(ordinal, record, words, None))
            continue
        key = _identity(record)
        event = opened.get(key)
        if event and (event.gap != gap or ordinal - event.ordinal > MAX_AGE):
            _give_up(result, opened.pop(key))
            event = None
        if event is None and record.kind != BEGIN:
            result.orphans += 1
            result.lost_records += 1
            continue
        event = opened.setdefault(key, _Open(ordinal, gap))
        event.records.append(record)
        if event.count(END) == event.count(BEGIN):
            del opened[key]
            if event.count(BEGIN) > 1:
                _give_up(result, event)
            else:
                _close(result, event, byte_order)
    for left in opened.values():
        _give_up(result, left)
    result.events.sort(key=lambda event: event.ordinal)
    return result


def _identity(record: RawRecord) -> tuple[int, ...]:
    named = record.data0 if record.keyed and record.kind == BEGIN else record.time
    return (record.cpu, record.cls, record.event, record.keyed, named % 2**32)


def _give_up(result: PlainResult, event: _Open) -> None:
    result.incomplete += event.count(BEGIN)
    result.lost_records += len(event.records)


def _close(result: PlainResult, event: _Open, byte_order: str) -> None:
    first = event.records[0]
    records = event.records[1:] if first.keyed else event.records
    length = records[-1].data1 % 2**32
    words = [word % 2**32 for record in records for word in (record.data0, record.data1)]
    if len(records) != max(2, -(-(-(-length // 4) + 1) // 2)):
        result.mismatched += 1
        result.lost_records += len(event.records)
        return
    data = struct.pack(f"{byte_order}{len(words)}I", *words)
    shown = (words[0], words[1])
    result.events.append(_event(event.ordinal, first, shown, data[:length]))


def _event(
    ordinal: int, record: RawRecord, words: tuple[int, int], payload: bytes | None
) -> PlainEvent:
    return PlainEvent(
        ordinal,
        record.time,
        record.cpu,
        record.cls,
        record.event,
        (words[0] % 2**32, words[1] % 2**32),
        payload,
    )
