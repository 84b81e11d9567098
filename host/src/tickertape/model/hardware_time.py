"""Time of hardware events: ticks of the local time stamps, or of the target's clock.

Local time stamps count from an unknown start, and an overflow of the trace unit may lose some of
them. An announcement contains the target's clock at the time of one packet. The two clock rates
then give the time of every event between the previous overflow and the next one. After an overflow
a new announcement is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from tickertape.decode.announcements import ClockAnnounced

LOST: Final = -1
"""Code of a row that marks lost packets instead of an event."""

MOST_HELD: Final = 1 << 18
"""Maximum number of events that wait for an announcement."""

Row = tuple[int, int, int, int]
"""Time in ticks, class << 10 | event or LOST, and two words."""


class HardwareTime(Protocol):
    """Assigns a time to each event.

    Attributes:
        rows: events in order, with their time. The consumer takes the list and puts an empty one
            in its place.
        unsure: number of events with an uncertain time.
        untimed: number of events left out because their time is unknown.
    """

    rows: list[Row]
    unsure: int
    untimed: int

    def place(self, row: Row) -> None:
        """Add an event; its time is that of its local time stamp."""

    def lose(self) -> None:
        """Note lost packets, which may include time stamps."""

    def word(self, number: int, local: int) -> None:
        """Store the local time of word `number` on the announcement port."""

    def announce(self, clock: ClockAnnounced) -> None:
        """Process an announcement; call as soon as it is complete."""

    def finish(self) -> None:
        """End the input: release the events that still wait for a time."""


class LocalTime:
    """Time in ticks of the local time stamps, from 0 at the start. Implements `HardwareTime`."""

    def __init__(self) -> None:
        """Start without events."""
        self.rows: list[Row] = []
        self.unsure = self.untimed = 0

    def place(self, row: Row) -> None:
        """Add an event unchanged."""
        self.rows.append(row)

    def lose(self) -> None:
        """Do nothing: time continues."""

    def word(self, number: int, local: int) -> None:
        """Ignore the word."""

    def announce(self, clock: ClockAnnounced) -> None:
        """Ignore the announcement."""

    def finish(self) -> None:
        """Do nothing: no event waits."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    local: int
    clock: ClockAnnounced

    def ticks(self, local: int) -> int:
        """Convert local ticks to ticks of the target's clock; 0 for an event before the boot."""
        passed = (local - self.local) * self.clock.tick_hz // self.clock.stamp_hz
        return max(self.clock.ticks + passed, 0)


class TargetTime:
    """Time in ticks of the target's clock. Implements `HardwareTime`.

    Attributes:
        worst_ticks: largest difference between an announcement and the time computed from the one
            before it, if no overflow lies between them.
        anchors: number of announcements used.
    """

    def __init__(self) -> None:
        """Start before the first announcement."""
        self.rows: list[Row] = []
        self.unsure = self.untimed = 0
        self.worst_ticks = self.anchors = 0
        self._held: list[Row] = []
        self._anchor: _Anchor | None = None
        self._is_anchored = False  # since the last overflow
        self._words: dict[int, int] = {}
        self._clock: ClockAnnounced | None = None

    def place(self, row: Row) -> None:
        """Add an event; after an overflow it waits for the next announcement."""
        if self._is_anchored:
            self._convert([row])
            return
        self._held.append(row)
        if len(self._held) >= MOST_HELD:
            self._give_up()

    def lose(self) -> None:
        """Convert waiting events by the previous announcement; without one they are left out."""
        self._give_up()
        self._is_anchored = False
        self._words.clear()
        self._clock = None

    def word(self, number: int, local: int) -> None:
        """Store the local time of a word; its announcement may be complete already."""
        self._words[number] = local
        for old in [one for one in self._words if one < number - 8]:
            del self._words[old]
        self._use()

    def announce(self, clock: ClockAnnounced) -> None:
        """Process an announcement; the local time of its first word may arrive later."""
        self._clock = clock
        self._use()

    def finish(self) -> None:
        """Convert the waiting events as at an overflow."""
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
