"""Time of the hardware's events: ticks of the time stamps, or of the target's clock.

Local time stamps count from an unknown begin, and the trace unit may lose one of them with other
packets. An announcement contains the clock of the target at one packet. From there the rates
lead to every event up to the next overflow, and back to the overflow before; after an overflow the
next announcement counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from tickertape.decode.announcements import ClockAnnounced

LOST: Final = -1
"""Takes the place of an event where packets were lost."""

MOST_HELD: Final = 1 << 18
"""Events that wait for an announcement."""

Row = tuple[int, int, int, int]
"""Time in ticks, class << 10 | event or LOST, and two words."""


class HardwareTime(Protocol):
    """Gives events their time.

    Attributes:
        rows: events in order with their time; the consumer puts an empty list there.
        unsure: events whose time is not certain.
        untimed: events without a time; they are left out.
    """

    rows: list[Row]
    unsure: int
    untimed: int

    def place(self, row: Row) -> None:
        """Take an event with the time of its local time stamp."""

    def lose(self) -> None:
        """Packets were lost here, perhaps time stamps too."""

    def word(self, number: int, local: int) -> None:
        """Take the local time of a word on the port of the announcements."""

    def announce(self, clock: ClockAnnounced) -> None:
        """Take an announcement, as soon as it is complete."""

    def finish(self) -> None:
        """Nothing follows."""


class LocalTime:
    """The ticks of the time stamps, from 0 at the begin. Meets `HardwareTime`."""

    def __init__(self) -> None:
        """Begin without events."""
        self.rows: list[Row] = []
        self.unsure = self.untimed = 0

    def place(self, row: Row) -> None:
        """Take an event as it is."""
        self.rows.append(row)

    def lose(self) -> None:
        """Time goes on."""

    def word(self, number: int, local: int) -> None:
        """Without use here."""

    def announce(self, clock: ClockAnnounced) -> None:
        """Without use here."""

    def finish(self) -> None:
        """Nothing waits."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    local: int
    clock: ClockAnnounced

    def ticks(self, local: int) -> int:
        """Convert; an event before the boot has time 0."""
        passed = (local - self.local) * self.clock.tick_hz // self.clock.stamp_hz
        return max(self.clock.ticks + passed, 0)


class TargetTime:
    """The target's clock. Meets `HardwareTime`.

    Attributes:
        worst_ticks: how far two announcements without an overflow between them disagreed at most.
        anchors: announcements that were used.
    """

    def __init__(self) -> None:
        """Begin before the first announcement."""
        self.rows: list[Row] = []
        self.unsure = self.untimed = 0
        self.worst_ticks = self.anchors = 0
        self._held: list[Row] = []
        self._anchor: _Anchor | None = None
        self._is_anchored = False  # since the last overflow
        self._words: dict[int, int] = {}
        self._clock: ClockAnnounced | None = None

    def place(self, row: Row) -> None:
        """Take an event; it waits for the first announcement after an overflow."""
        if self._is_anchored:
            self._convert([row])
            return
        self._held.append(row)
        if len(self._held) >= MOST_HELD:
            self._give_up()

    def lose(self) -> None:
        """What waits gets no better time than that of the announcement before."""
        self._give_up()
        self._is_anchored = False
        self._words.clear()
        self._clock = None

    def word(self, number: int, local: int) -> None:
        """Take the time of a word; the announcement may be complete already."""
        self._words[number] = local
        for old in [one for one in self._words if one < number - 8]:
            del self._words[old]
        self._use()

    def announce(self, clock: ClockAnnounced) -> None:
        """Take an announcement; the time of its first word may still be to come."""
        self._clock = clock
        self._use()

    def finish(self) -> None:
        """As at an overflow."""
        self.lose()

    def _use(self) -> None:
        clock = self._clock
        if clock is None or clock.word not in self._words:
            return
        self._clock = None
        local = self._words[clock.word]
        if self._is_anchored and self._anchor is not None:
            off = abs(self._anchor.ticks(local) - clock.ticks)
            self.worst_ticks = max(self.worst_ticks, off)
        self._anchor, self._is_anchored = _Anchor(local, clock), True
        self.anchors += 1
        held, self._held = self._held, []
        self._convert(held)

    def _give_up(self) -> None:
        held, self._held = self._held, []
        count = sum(row[1] != LOST for row in held)
        if self._anchor is None:
            self.untimed += count
        else:
            self.unsure += count
            self._convert(held)

    def _convert(self, rows: list[Row]) -> None:
        if self._anchor is not None:
            ticks = self._anchor.ticks
            self.rows += [(ticks(row[0]), row[1], row[2], row[3]) for row in rows]
