"""Announcements of a target's hardware trace: its clock, and the variables of the comparators.

    announcements = Announcements()
    for word in words:  # words of the stimulus port
        for found in announcements.receive(word): ...

`firmware/links/hardware_trace.h` describes the format. The trace unit may lose any word, so words
that begin no announcement or fail its check are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT: Final = 31
"""Stimulus port of the announcements."""

COMPARATORS: Final = 4
_TIME: Final = 0x7474_0100
_WATCH: Final = 0x7474_0200
_CHECK: Final = 0x7469_636B
_TIME_WORDS: Final = 6
_WATCH_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class ClockAnnounced:
    """The target's clock directly before the first word of the announcement was written.

    Attributes:
        word: number of that word among all received words, from 0.
        ticks: ticks of the target's clock.
        tick_hz: rate of the target's clock.
        stamp_hz: rate of the local time stamps.
    """

    word: int
    ticks: int
    tick_hz: int
    stamp_hz: int


@dataclass(frozen=True, slots=True)
class WatchAnnounced:
    """The variable that a comparator watches from here on.

    Attributes:
        comparator: number of the comparator.
        begin: address of the variable.
        size_bytes: size of the variable; 0 if the comparator watches nothing.
    """

    comparator: int
    begin: int
    size_bytes: int


Announcement: TypeAlias = ClockAnnounced | WatchAnnounced


class Announcements:
    """Decodes the words of the port.

    Attributes:
        words: number of words received.
        skipped: number of words that belong to no announcement.
    """

    def __init__(self) -> None:
        """Start before the first word."""
        self.words = 0
        self.skipped = 0
        self._held: list[int] = []

    def receive(self, word: int) -> Iterator[Announcement]:
        """Add the next word and yield complete announcements; holds at most five words."""
        self._held.append(word)
        self.words += 1
        while self._held:
            count = _length(self._held[0])
            if count > len(self._held):
                return
            words = self._held[:count]
            if count and _is_whole(words):
                del self._held[:count]
                found = self._parsed(words)
                if found is not None:
                    yield found
            else:
                del self._held[0]
                self.skipped += 1

    def _parsed(self, words: list[int]) -> Announcement | None:
        if len(words) == _WATCH_WORDS:
            return WatchAnnounced(words[0] - _WATCH, words[1], words[2])
        _, low, high, tick_hz, stamp_hz, _ = words
        if not tick_hz or not stamp_hz:
            self.skipped += len(words)
            return None
        first = self.words - len(self._held) - len(words)
        return ClockAnnounced(first, high << 32 | low, tick_hz, stamp_hz)


def _length(head: int) -> int:
    """Return the number of words of an announcement with this first word; 0 if it begins none."""
    if head == _TIME:
        return _TIME_WORDS
    return _WATCH_WORDS if 0 <= head - _WATCH < COMPARATORS else 0


def _is_whole(words: list[int]) -> bool:
    check = _CHECK
    for word in words:
        check ^= word
    return not check
