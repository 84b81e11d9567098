"""The cases of protocol/vectors/packed.json: buffers and their packed bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.gen import reference
from tools.gen.reference import Event
from tools.gen.reference_packed import Buffer, Row, packed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout

BEGIN_TICKS = 0x1_FFFF_FF00  # the counter wraps soon
MUTEX = 0x2000_0100


class PackedCases:
    """Makes the cases; looks up numbers of events and predictors by name in the sources."""

    def __init__(self, dictionary: Dictionary, layout: Layout) -> None:
        """Read numbers and predictors of all events."""
        kinds = next(enum for enum in layout.enums if enum.name == "predictor")
        by_type = {value.name.lower(): value.value for value in kinds.values}
        self._events: dict[tuple[str, str], Event] = {}
        self._predictors: dict[int, int] = {}
        for event_class in dictionary.classes:
            for event in event_class.events:
                made = Event(event_class.number, event.number)
                self._events[event_class.name, event.name] = made
                self._predictors[made.header(reference.SIMPLE)] = sum(
                    by_type.get(field.type, 0) << 4 * place
                    for place, field in enumerate(event.fields[:2])
                )

    def cases(self) -> list[dict[str, Any]]:
        """Return each buffer with its body, ready for JSON."""
        return [
            self._case("threads_and_objects", self._mix(), 0x100000001),
            self._case("text_between_events", self._text(), 300),
            self._case("lengths", self._lengths(), 0),
            self._case("nineteen_kinds", self._kinds(19), 1 << 40),
            self._case("twenty_kinds", self._kinds(20), 127),
            self._case("one_record", [(self._header("USER", "USER_1"), 5, 0, 0)], 128),
        ]

    def _case(self, name: str, rows: Iterable[Row], first_ordinal: int) -> dict[str, Any]:
        dropped = first_ordinal // 3
        sent = first_ordinal - dropped
        buffer = Buffer(first_ordinal, dropped, sent, BEGIN_TICKS, 77, 1, tuple(rows))
        return {
            "name": name,
            "first_ordinal": buffer.first_ordinal,
            "dropped": buffer.dropped,
            "sent": buffer.sent,
            "ticks": buffer.ticks,
            "sequence": buffer.sequence,
            "ring_number": buffer.ring_number,
            "records": [list(row) for row in buffer.rows],
            "body": packed(buffer, self._predictors).hex(),
        }

    def _header(self, class_name: str, event_name: str) -> int:
        return self._events[class_name, event_name].header(reference.SIMPLE)

    def _mix(self) -> list[Row]:
        """Return context switches and mutex events with shared predictors, and user events."""
        switch = self._header("SCHED", "CONTEXT_SWITCH")
        lock = self._header("SYNC", "MUTEX_LOCK_GRANTED")
        unlock = self._header("SYNC", "MUTEX_UNLOCK")
        user = self._header("USER", "USER_0")
        time = BEGIN_TICKS % 2**32
        rows: list[Row] = []
        for turn in range(6):
            task, other = turn % 3 + 1, (turn + 1) % 3 + 1
            events = [(lock, MUTEX + 32 * (turn % 2), task), (user, turn, 90 + turn)]
            events += [(unlock, MUTEX + 32 * (turn % 2), task), (switch, task, other)]
            for event in events:
                time += 40 + 700 * turn
                rows.append((event[0], time % 2**32, event[1], event[2]))
        return rows

    def _text(self) -> list[Row]:
        """Return a combine event between simple ones; its records have its older time."""
        name = self._events["THREAD", "NAME"]
        simple = self._header("USER", "USER_2")
        time = 1000
        made = Event(name.class_number, name.number, time=time)
        text = reference.combine(made, made.words(0, 7) + b"a long name of a thread")
        rows: list[Row] = []
        for at, record in enumerate(text):
            words = [int.from_bytes(record[i : i + 4], "little") for i in range(0, 16, 4)]
            rows += [(words[0], words[1], words[2], words[3]), (simple, time + at + 1, at, 0)]
        return rows

    def _lengths(self) -> list[Row]:
        """Return words and times on both sides of each length boundary."""
        user = self._header("USER", "USER_3")
        words = (0, 1, 15, 16, 255, 256, 2**31, 2**32 - 1)
        steps = (0, 1, 15, 16, 255, 256, 4095, 4096, 2**20, 2**28)
        rows: list[Row] = []
        time = BEGIN_TICKS
        for at, step in enumerate(steps):
            time += step
            rows.append((user, time % 2**32, words[at % 8], words[(at + 3) % 8]))
        return rows

    def _kinds(self, count: int) -> list[Row]:
        headers = [self._header("USER", f"USER_{number}") for number in range(count)]
        return [(headers[at * 7 % count], 10 * at, at % 5, at) for at in range(count + 5)]
