"""Frame bodies to values, checked for length and content."""

from __future__ import annotations

from dataclasses import dataclass


class BadBodyError(ValueError):
    """A frame's CRC is right but its body makes no sense; callers count it as a bad frame."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the target is. Fields as in protocol/wire.yaml, `hello`."""

    major: int
    minor: int
    byte_order: str  # "<" or ">", as numpy and struct write it
    cpu_count: int
    stream_count: int
    buffer_count: int
    buffer_records: int
    tick_hz: int
    boot_id: int
    dictionary: int
    ticks: int
    build_id: str  # hexadecimal, empty when the image has none
    target: str  # name of board and application


@dataclass(frozen=True, slots=True)
class Receipt:
    """Before `ordinal` so many were dropped, so many sent, and the rest was overwritten."""

    ordinal: int
    dropped: int
    sent: int


@dataclass(frozen=True, slots=True)
class BufferHeader:
    """Header of one buffer. Fields as in protocol/wire.yaml, `buffer_header`."""

    first_ordinal: int
    dropped: int
    sent: int
    ticks: int
    sequence: int
    count: int
    ring_number: int
    flags: int


@dataclass(frozen=True, slots=True)
class ClassCounters:
    """What one class lost and sent in one ring, each modulo 2^32."""

    dropped: int
    overwritten: int
    sent: int


@dataclass(frozen=True, slots=True)
class Status:
    """Counters of one ring. Fields as in protocol/wire.yaml, `status`."""

    settled: Receipt
    offered: int
    dropped: int
    overwritten: int
    ticks: int
    policy: int
    running: bool
    final: bool
    high_water_records: int
    classes: tuple[ClassCounters, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """The name of one object. Fields as in protocol/wire.yaml, `name`."""

    kind: int  # object_kind
    state: int
    priority: int
    cpu: int
    id: int
    parent: int
    text: str
