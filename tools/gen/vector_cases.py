"""The cases of the golden vectors: events and frames, and their encoding."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tools.gen import reference
from tools.gen.reference import Event

if TYPE_CHECKING:
    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout


@dataclass(frozen=True)
class RecordCase:
    """One event and its records. A simple event has `data`, a combine event `payload`.

    If the payload is words and a text, `fields` and `text` contain them; if it is the wide form of
    an event, `wide` has all its words.
    """

    name: str
    event: Event
    records: tuple[bytes, ...]
    data: tuple[int, int] | None = None
    payload: bytes | None = None
    fields: tuple[int, ...] = ()
    text: str | None = None
    wide: tuple[int, ...] = ()


@dataclass(frozen=True)
class FrameCase:
    """One frame: the fields of its header, its body, and the bytes on the link.

    `body_fields` are the fields of the struct at the start of the body, if any.
    """

    name: str
    kind: str
    kind_number: int
    stream: int
    cpu: int
    sequence: int
    body: bytes
    body_fields: dict[str, int | str]
    boot_tag: int

    @property
    def wire(self) -> bytes:
        """The frame with its delimiter."""
        header = reference.frame_header(
            self.kind_number, self.sequence, self.stream, self.cpu, self.boot_tag
        )
        return reference.frame(header, self.body)


class Cases:
    """Makes all cases; looks up numbers of events and frames by name in the sources."""

    def __init__(self, dictionary: Dictionary, layout: Layout) -> None:
        """Read the numbers of events and frame types."""
        self._events = {
            (event_class.name, event.name): Event(event_class.number, event.number)
            for event_class in dictionary.classes
            for event in event_class.events
        }
        frame_type = next(enum for enum in layout.enums if enum.name == "frame_type")
        self._kinds = {value.name: value.value for value in frame_type.values}
        self._version = layout.protocol
        self._hash = dictionary.hash()

    def records(self) -> list[RecordCase]:
        """Return simple events, texts and payloads of different lengths, in both byte orders."""
        switch = replace(self._events["SCHED", "CONTEXT_SWITCH"], time=0x12345678)
        leave = replace(self._events["KERCALL", "SYNC_MUTEX_LOCK_EXIT"], time=1)
        user = replace(self._events["USER", "USER_31"], time=0xFFFFFFFF)
        name = replace(self._events["THREAD", "NAME"], time=0x0A0B0C0D, cpu=1)
        log = replace(self._events["SYSTEM", "SLOG"], time=7, truncated=True)
        application = Event(31, 1023, time=0x80000000)
        cases = [
            _simple("context_switch", switch, 1, 2),
            _simple("context_switch_big_endian", replace(switch, big_endian=True), 1, 2),
            _simple("negative_result", leave, 0xFFFFFF92, 0),
            _simple("every_flag", _every_flag(user), 0xFFFFFFFF, 0xFFFFFFFF),
            _simple("highest_type", application, 0, 0x80000001),
        ]
        texts = ("", "a", "abcd", "motor", "reglage\u00e9", "0123456789abc", "x" * 300)
        cases += [_text(f"text_{len(text)}", name, (1, 7), text) for text in texts]
        cases.append(_text("text_big_endian", replace(name, big_endian=True), (1, 7), "motor"))
        cases.append(_text("text_truncated", log, (0x10, 3), "cut he"))
        cases += [*self._wide_forms(), *self._messages()]
        lengths = (0, 1, 3, 4, 5, 8, 11, 12, 13, 19, 20, 21, 255, 256)
        cases += [_bytes(f"payload_{length}", user, _ramp(length)) for length in lengths]
        keyed = replace(user, time=0xFFFFFFF0, key=1)
        keyed_lengths = (0, 8, 12, 13, 20, 100)
        cases += [_bytes(f"keyed_{length}", keyed, _steps(length)) for length in keyed_lengths]
        cases.append(_bytes("keyed_big_endian", replace(keyed, big_endian=True), _steps(20)))
        return cases

    def _wide_forms(self) -> list[RecordCase]:
        enter = replace(self._events["KERCALL", "SYNC_MUTEX_LOCK_ENTER"], time=0x00010002)
        leave = replace(self._events["KERCALL", "SYNC_MUTEX_LOCK_EXIT"], time=0x00010003)
        mutex = replace(self._events["THREAD", "MUTEX"], time=0xFFFFFFFE)
        irq = replace(self._events["INT", "ENTRY"], time=9, cpu=1)
        words = (0x20000400, 10, 0, 0, 7, 12)
        return [
            _wide("wide_call", enter, words),
            _wide("wide_result", leave, (0xFFFFFFFD, 0, 7, 12)),
            _wide("wide_state", mutex, (0, 7, 12, 1, 0x20000400)),
            _wide("wide_interrupt", irq, (25, 0, 7)),
            _wide("wide_big_endian", replace(enter, big_endian=True), words),
        ]

    def _messages(self) -> list[RecordCase]:
        """Return records of tt_logf(): words, and values with their types."""
        log = replace(self._events["SYSTEM", "LOG"], time=0x01020304)
        words = (0x08001000, 7, 0xFFFFFFFE, 9)
        # A word, 64 bits, floating point, a text that was copied, one by its address, a word.
        typed = log.words(0x08001000 | 1, 0x154321, 7, 0x89ABCDEF, 0x01234567)
        typed += struct.pack("<d", 2.5) + log.words(5) + b"motor\0\0\0" + log.words(0x08002000, 8)
        return [
            _simple("message_0", log, words[0], 0),
            _simple("message_1", log, *words[:2]),
            _bytes("message_2", log, log.words(*words[:3])),
            _bytes("message_3", log, log.words(*words)),
            _bytes("message_typed", log, typed),
        ]

    def frames(self) -> list[FrameCase]:
        """Return a frame for each struct of a body, and frames with edge cases of COBS."""
        plain = [
            self._frame("empty_body", "TEXT", b""),
            self._frame("text", "TEXT", b"tickertape", sequence=1),
            self._frame("zeros", "TEXT", bytes(16), sequence=0xFFFFFFFF, stream=7, cpu=63),
            self._frame("zero_and_one", "TEXT", bytes([0, 1] * 8), sequence=256),
        ]
        for length in (253, 254, 255, 256, 508, 600):
            body = bytes(1 + at % 255 for at in range(length))
            plain.append(self._frame(f"run_{length}", "TEXT", body, sequence=0x01010101))
        return [*plain, self._hello(), self._buffer(), self._status(), self._name()]

    def _frame(  # noqa: PLR0913 -- the fields of a frame
        self,
        name: str,
        kind: str,
        body: bytes,
        *,
        sequence: int = 0,
        stream: int = 0,
        cpu: int = 0,
        boot_tag: int = 0,
        fields: dict[str, int | str] | None = None,
    ) -> FrameCase:
        number = self._kinds[kind]
        return FrameCase(name, kind, number, stream, cpu, sequence, body, fields or {}, boot_tag)

    def _hello(self) -> FrameCase:
        major, minor = self._version
        build_id = bytes(range(0xA0, 0xA0 + 20))
        fields: dict[str, int | str] = {
            "major": major,
            "minor": minor,
            "byte_order": 1,
            "cpu_count": 1,
            "stream_count": 1,
            "buffer_count": 8,
            "buffer_records": 128,
            "tick_hz": 25_000_000,
            "boot_id": 0xCAFE0001,
            "dictionary": self._hash,
            "ticks": 0x0000000112345678,
            "build_id": build_id.hex(),
            "flags": 0,
        }
        values = [build_id if key == "build_id" else value for key, value in fields.items()]
        body = struct.pack("<BBBBBBHIIQQ20sI", *values) + b"mps2-an386 demo"
        return self._frame("hello", "HELLO", body, boot_tag=0x01, fields=fields)

    def _buffer(self) -> FrameCase:
        records = [record for case in self.records()[5:9] for record in case.records]
        fields: dict[str, int | str] = {
            "first_ordinal": 0x100000001,
            "dropped": 5,
            "sent": 0x0FFFFFFF0,
            "ticks": 0x10A0B0C00,
            "sequence": 77,
            "count": len(records),
            "ring_number": 5,
            "flags": 0,
        }
        body = struct.pack("<QQQQIHBB", *fields.values()) + b"".join(records)
        return self._frame("buffer", "BUFFER", body, sequence=9, cpu=1, fields=fields)

    def _status(self) -> FrameCase:
        fields: dict[str, int | str] = {
            "settled_ordinal": 1000,
            "settled_dropped": 20,
            "settled_sent": 900,
            "offered": 1100,
            "dropped": 21,
            "overwritten": 80,
            "ticks": 0x1FFFFFFFF,
            "policy": 2,
            "running": 1,
            "class_count": 32,
            "final": 0,
            "high_water_buffers": 6,
        }
        body = struct.pack("<QQQQQQQBBBBI", *fields.values())
        body += b"".join(struct.pack("<III", number, 2 * number, 1000) for number in range(32))
        return self._frame("status", "STATUS", body, sequence=10, fields=fields)

    def _name(self) -> FrameCase:
        fields: dict[str, int | str] = {
            "kind": 1,
            "state": 13,
            "priority": 10,
            "cpu": 0,
            "id": 7,
            "parent": 0,
        }
        body = struct.pack("<BBBBII", *fields.values()) + "r\u00e9glage".encode()
        return self._frame("name", "NAME", body, sequence=11, fields=fields)


def cobs_cases() -> list[bytes]:
    """Return byte strings that are edge cases of COBS."""
    run = bytes(range(1, 255))
    return [
        b"",
        b"\0",
        b"\0\0",
        b"\1",
        b"\0\1",
        b"\1\0",
        run[:-1],
        run,
        run + b"\0",
        run + b"\xff",
        run + run,
        b"\0" + run + b"\0" + run,
    ]


def bad_frames(good: bytes) -> list[tuple[str, bytes]]:
    """Return bytes with a delimiter that are not a valid frame, and why. `good` is a frame."""
    flipped = bytearray(good)
    flipped[len(flipped) // 2] ^= 0x01
    return [
        ("one bit flipped: the CRC disagrees", bytes(flipped)),
        ("the end is missing: the CRC disagrees", good[: len(good) // 2] + b"\0"),
        ("a COBS block longer than the rest", b"\x0a\x01\x02\x00"),
        ("too short for header and CRC", reference.cobs(b"\1\2\3\4") + b"\0"),
        ("the CRC of nothing, but no header", reference.cobs(bytes(4)) + b"\0"),
    ]


def _every_flag(event: Event) -> Event:
    return replace(event, cpu=63, domain=63, truncated=True, host=True)


def _simple(name: str, event: Event, data0: int, data1: int) -> RecordCase:
    records = tuple(reference.simple(event, data0, data1))
    return RecordCase(name, event, records, data=(data0, data1))


def _bytes(name: str, event: Event, payload: bytes) -> RecordCase:
    return RecordCase(name, event, tuple(reference.combine(event, payload)), payload=payload)


def _text(name: str, event: Event, fields: tuple[int, int], text: str) -> RecordCase:
    made = _bytes(name, event, event.words(*fields) + text.encode())
    return replace(made, fields=fields, text=text)


def _wide(name: str, event: Event, words: tuple[int, ...]) -> RecordCase:
    return replace(_bytes(name, event, event.words(*words)), wide=words)


def _ramp(length: int) -> bytes:
    return bytes(at % 256 for at in range(length))


def _steps(length: int) -> bytes:
    """Return the same bytes as tests/firmware/core/combine_driver.c for its event 1."""
    return bytes((1 + 37 * at) % 256 for at in range(length))
