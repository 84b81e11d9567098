"""The hardware level: packets of a processor's trace unit become events of the software.

    level = HardwareLevel(watched={0: 0x2000_0100})
    for packet in decoder.packets():        # decode/itm.py
        level.take(packet)
    rows = level.rows                       # software events, from which SystemModel makes the rest

| packet | event |
|---|---|
| exception entered, exited | INT ENTRY, EXIT |
| a write to stimulus port N | USER N, with the value and its size in bytes |
| data value read, written | SIGNAL READ, WRITE: of the address with the low half from the packet before, of the address that the comparator watches, else of the comparator's number |
| PC sample | SYSTEM ADDRESS, of address 0 while the processor sleeps |
| overflow | a loss of unknown size |

A local time stamp is the time of the packets before it, back to the previous time stamp. "Returned"
adds nothing to an exit; global time stamps, counters and instruction addresses are counted and left
out.

Memory is bounded: at most `MOST_WAITING` events wait for their time stamp.
"""  # noqa: E501 - a table

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

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
    Step,
    Sync,
)
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, IntEvent, SignalEvent, SystemEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.itm import Packet

MOST_WAITING: Final = 1 << 14
"""Events that wait for a time stamp."""

LOST: Final = -1
"""Takes the place of an event where packets were lost."""

Row = tuple[int, int, int, int]
"""Time in ticks, class << 10 | event or LOST, and two words."""

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


class HardwareLevel:
    """Takes packets in order.

    Attributes:
        rows: what they became; the consumer puts an empty list there.
        left_out: packets that became nothing, by what they are.
        overflows: how often packets were lost.
        unsure: events whose time stamp is marked as late, or the events are.
        unstamped: events after the last time stamp, or too many for one.
    """

    def __init__(self, watched: Mapping[int, int] | None = None) -> None:
        """Begin at time 0.

        Args:
            watched: addresses that the comparators watch, by their numbers.
        """
        self.rows: list[Row] = []
        self.left_out: Counter[str] = Counter()
        self.overflows = self.unsure = self.unstamped = 0
        self._watched = dict(watched or {})
        self._low_half: dict[int, int] = {}
        self._waiting: list[tuple[int, int, int]] = []
        self._now = 0
        self._page = 0

    def take(self, packet: Packet) -> None:
        """Take the next packet."""
        if isinstance(packet, LocalTimestamp):
            self._now += packet.ticks
            if packet.relation is not Relation.EXACT:
                self.unsure += self._waiting_events()
            self._stamp()
        elif isinstance(packet, Overflow):
            self.overflows += 1
            self._say(LOST, 0, 0)
        elif isinstance(packet, Extension) and not packet.is_hardware:
            self._page = packet.value & 7
        elif isinstance(packet, Instrumentation):
            event = self._page * _PORTS_A_PAGE + packet.port
            self._say(event_code(EventClass.USER, event), packet.value, packet.size)
        elif isinstance(packet, ExceptionTrace) and packet.step in _STEPS:
            self._say(_STEPS[packet.step], packet.number, 0)
        elif isinstance(packet, PcSample):
            self._say(_ADDRESS, packet.pc or 0, 0)
        elif isinstance(packet, DataTrace):
            self._access(packet)
        elif not isinstance(packet, Sync):
            self.left_out[type(packet).__name__] += 1

    def finish(self) -> None:
        """Nothing follows: what waits has the time of the last time stamp."""
        self.unstamped += self._waiting_events()
        self._stamp()

    def _waiting_events(self) -> int:
        return sum(code != LOST for code, _, _ in self._waiting)

    def _say(self, code: int, word0: int, word1: int) -> None:
        self._waiting.append((code, word0, word1))
        if len(self._waiting) >= MOST_WAITING:
            self.finish()

    def _stamp(self) -> None:
        self.rows += [(self._now, *one) for one in self._waiting]
        self._waiting.clear()

    def _access(self, packet: DataTrace) -> None:
        which = packet.comparator
        if packet.part is DataPart.ADDRESS:
            self._low_half[which] = packet.value
        elif packet.part in _VALUES:
            signal = self._watched.get(which, which)
            low = self._low_half.pop(which, None)
            if low is not None and which in self._watched:
                signal = signal & ~_HALF | low
            self._say(_VALUES[packet.part], signal, packet.value)
        else:
            self.left_out["DataTrace of an instruction"] += 1
