"""The hardware level: convert packets of a processor's trace unit to software events.

    level = HardwareLevel(watched={0: 0x2000_0100})
    for packet in decoder.packets():        # decode/itm.py
        level.take(packet)
    rows = level.rows                       # software events, from which SystemModel makes the rest

| packet | event |
|---|---|
| exception entered, exited | INT ENTRY, EXIT |
| a write to stimulus port N | USER N, with the value and its size in bytes |
| data value read, written | SIGNAL READ, WRITE of the watched address, with the low half from the packet before if there is one; of the comparator's number if the address is unknown |
| PC sample | SYSTEM ADDRESS; address 0 while the processor sleeps |
| overflow, skipped bytes | a loss of unknown size |
| code address of an access | SYSTEM ADDRESS with the number of the comparator plus 1, directly before the access |

A local time stamp is the time of the packets since the previous time stamp. "Returned" packets,
global time stamps and counter packets are counted and left out.

    level = HardwareLevel(time=TargetTime())  # a target with firmware/links/hardware_trace.c

processes the announcements of that target on port 31: its clock, and the variables that its
comparators watch. An access to a neighbour of the variable, in the same block of the comparator, is
left out.

Memory is bounded: at most `MOST_WAITING` events wait for their time stamp.
"""  # noqa: E501 - a table

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.decode.announcements import PORT as ANNOUNCE_PORT
from tickertape.decode.announcements import Announcements, ClockAnnounced, WatchAnnounced
from tickertape.decode.itm import (
    DataPart,
    DataTrace,
    ExceptionTrace,
    Extension,
    Instrumentation,
    LocalTimestamp,
    Overflow,
    PcSample,
    Relation,
    Skipped,
    Step,
    Sync,
)
from tickertape.model.hardware_time import LOST, LocalTime, Row, TargetTime
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, IntEvent, SignalEvent, SystemEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.itm import Packet

MOST_WAITING: Final = 1 << 14
"""Maximum number of events that wait for a time stamp."""

_WORD_OF_ANNOUNCEMENT: Final = -2
"""Event code of a word of an announcement that waits for its time stamp."""

_STEPS: Final = {
    Step.ENTERED: event_code(EventClass.INT, IntEvent.ENTRY),
    Step.EXITED: event_code(EventClass.INT, IntEvent.EXIT),
}
_VALUES: Final = {
    DataPart.READ: event_code(EventClass.SIGNAL, SignalEvent.READ),
    DataPart.WRITE: event_code(EventClass.SIGNAL, SignalEvent.WRITE),
}
_ADDRESS: Final = event_code(EventClass.SYSTEM, SystemEvent.ADDRESS)
_PORTS_A_PAGE: Final = 32
_HALF: Final = 0xFFFF
_WORD_BYTES: Final = 4
_OTHER_VARIABLE: Final = "access to a neighbour of a watched variable"


class HardwareLevel:
    """Converts packets to events, in order.

    Attributes:
        left_out: number of packets without an event, by kind.
        overflows: number of overflows; each one lost packets.
        unsure: number of events that were delayed, or whose time stamp was delayed or may be lost.
        unstamped: number of events after the last time stamp, or too many for one time stamp.
        time: assigns the times.
    """

    def __init__(
        self,
        watched: Mapping[int, int] | None = None,
        time: LocalTime | TargetTime | None = None,
    ) -> None:
        """Start without events.

        Args:
            watched: addresses that the comparators watch, by comparator number.
            time: `TargetTime` for a target that announces its clock; None for `LocalTime`.
        """
        self.time = LocalTime() if time is None else time
        self.left_out: Counter[str] = Counter()
        self.overflows = self.unsure = self.unstamped = 0
        self._announcements = Announcements() if isinstance(time, TargetTime) else None
        # First address and size; size 0 if unknown.
        self._watched = {which: (begin, 0) for which, begin in (watched or {}).items()}
        self._low_half: dict[int, int] = {}
        self._code: dict[int, int] = {}
        self._waiting: list[tuple[int, int, int]] = []
        self._now = 0
        self._page = 0

    @property
    def rows(self) -> list[Row]:
        """Events so far; the consumer takes the list and puts an empty one in its place."""
        return self.time.rows

    @rows.setter
    def rows(self, rows: list[Row]) -> None:
        self.time.rows = rows

    def take(self, packet: Packet) -> None:
        """Convert the next packet."""
        if isinstance(packet, LocalTimestamp):
            self._now += packet.ticks
            if packet.relation is not Relation.EXACT:
                self.unsure += self._waiting_events()
            self._stamp()
        elif isinstance(packet, Overflow | Skipped):
            self.overflows += isinstance(packet, Overflow)
            self._lose()
        elif isinstance(packet, Extension) and not packet.is_hardware:
            self._page = packet.value & 7
        elif isinstance(packet, Instrumentation):
            self._written(packet)
        elif isinstance(packet, ExceptionTrace) and packet.step in _STEPS:
            self._say(_STEPS[packet.step], packet.number, 0)
        elif isinstance(packet, PcSample):
            self._say(_ADDRESS, packet.pc or 0, 0)
        elif isinstance(packet, DataTrace):
            self._access(packet)
        elif not isinstance(packet, Sync):
            self.left_out[type(packet).__name__] += 1

    def finish(self) -> None:
        """End the input: waiting events get the time of the last time stamp."""
        self.unstamped += self._waiting_events()
        self._stamp()
        self.time.finish()

    def _waiting_events(self) -> int:
        return sum(code >= 0 for code, _, _ in self._waiting)

    def _say(self, code: int, word0: int, word1: int) -> None:
        self._waiting.append((code, word0, word1))
        if len(self._waiting) >= MOST_WAITING:
            self.unstamped += self._waiting_events()
            self._stamp()

    def _stamp(self) -> None:
        waiting, self._waiting = self._waiting, []
        for code, word0, word1 in waiting:
            if code == _WORD_OF_ANNOUNCEMENT:
                self.time.word(word0, self._now)
            else:
                self.time.place((self._now, code, word0, word1))

    def _lose(self) -> None:
        """Note a loss, which may include time stamps of waiting events and parts of an access."""
        if isinstance(self.time, TargetTime):
            self.unsure += self._waiting_events()
            self._stamp()
            self.time.lose()
            self._low_half.clear()
            self._code.clear()
        self._say(LOST, 0, 0)

    def _written(self, packet: Instrumentation) -> None:
        """Convert a software write to a port: an event, or a word of an announcement."""
        event = self._page * _PORTS_A_PAGE + packet.port
        announced = self._announcements
        if announced is None or event != ANNOUNCE_PORT or packet.size != _WORD_BYTES:
            self._say(event_code(EventClass.USER, event), packet.value, packet.size)
            return
        self._say(_WORD_OF_ANNOUNCEMENT, announced.words, 0)
        for found in announced.receive(packet.value):
            if isinstance(found, ClockAnnounced):
                self.time.announce(found)
            else:
                self._watch(found)

    def _watch(self, watch: WatchAnnounced) -> None:
        if watch.size_bytes:
            self._watched[watch.comparator] = watch.begin, watch.size_bytes
        else:
            self._watched.pop(watch.comparator, None)

    def _access(self, packet: DataTrace) -> None:
        which = packet.comparator
        if packet.part is DataPart.ADDRESS:
            self._low_half[which] = packet.value
        elif packet.part is DataPart.PC:
            self._code[which] = packet.value
        else:
            self._value(packet)

    def _value(self, packet: DataTrace) -> None:
        which = packet.comparator
        low, code = self._low_half.pop(which, None), self._code.pop(which, None)
        begin, size_bytes = self._watched.get(which, (None, 0))
        signal = which if begin is None else begin
        if begin is not None and low is not None:
            signal = begin & ~_HALF | low
            if size_bytes and signal + packet.size <= begin:
                signal += _HALF + 1  # the variable crosses a multiple of 64 KiB
            if size_bytes and not begin - packet.size < signal < begin + size_bytes:
                self.left_out[_OTHER_VARIABLE] += 1
                return
        if code is not None:
            self._say(_ADDRESS, code, which + 1)
        self._say(_VALUES[packet.part], signal, packet.value)
