"""Which frames are new, which came before, and when the target was reset.

A frame's sequence number counts from reset. It steps back when a frame comes twice, when one
overtook another, and when the target begins anew; the content tells which:

| sequence | content | verdict |
|---|---|---|
| ahead | another boot, or ordinals step back | RESET |
| ahead | otherwise | NEW; a gap counts as missed |
| one of the last ones, seen | the same bytes | DOUBLED |
| one of the last ones, not seen | any | LATE, unless it is the HELLO of another boot |
| one of the last ones, seen | other bytes | RESET |
| older | any | RESET |

"The last ones" are few, because what doubles a frame does it at once. A frame that is not used
costs its records, which the receipts then count as damaged; nothing is ever counted twice.
"""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum, auto
from typing import TYPE_CHECKING

from tickertape.decode.bodies import BufferHeader, Hello, Status

if TYPE_CHECKING:
    from tickertape.decode.bodies import Body
    from tickertape.decode.frames import Frame, LinkCounters

_WINDOW_FRAMES = 32
_SEQUENCE_LIMIT = 1 << 32
_SEQUENCE_HALF = 1 << 31


class Verdict(Enum):
    """What to do with a frame."""

    NEW = auto()
    DOUBLED = auto()  # leave it
    LATE = auto()  # leave it
    RESET = auto()  # begin a new epoch, then use it


class SequenceTracker:
    """Judges frames in the order in which they came."""

    def __init__(self, counters: LinkCounters) -> None:
        """Begin before the first frame; `counters` is counted up."""
        self._counters = counters
        self._last: int | None = None
        self._seen: OrderedDict[int, int] = OrderedDict()  # sequence -> CRC of the last frames
        self._boot_id = 0
        self._ends: dict[tuple[int, int], int] = {}  # ring -> ordinal behind what it settled

    def judge(self, frame: Frame, body: Body | None) -> Verdict:
        """Judge a frame.

        Args:
            frame: a good frame.
            body: its parsed body, None where the type is unknown or the body is bad.
        """
        verdict = self._verdict(frame, body)
        if verdict is Verdict.DOUBLED:
            self._counters.doubled_frames += 1
            return verdict
        if verdict is Verdict.LATE:
            self._counters.late_frames += 1
            return verdict
        if verdict is Verdict.RESET:
            self._counters.missed_frames += frame.sequence
            self._seen.clear()
            self._ends.clear()
            self._boot_id = 0
        elif self._last is not None:
            ahead = (frame.sequence - self._last) % _SEQUENCE_LIMIT
            self._counters.missed_frames += ahead - 1
        self._remember(frame, body)
        return verdict

    def _verdict(self, frame: Frame, body: Body | None) -> Verdict:
        if self._last is None:
            return Verdict.NEW
        if self._other_boot(body):
            return Verdict.RESET
        ahead = (frame.sequence - self._last) % _SEQUENCE_LIMIT
        if 0 < ahead < _SEQUENCE_HALF:
            return Verdict.RESET if self._steps_back(frame, body) else Verdict.NEW
        behind = (self._last - frame.sequence) % _SEQUENCE_LIMIT
        if behind >= _WINDOW_FRAMES:
            return Verdict.RESET
        crc = self._seen.get(frame.sequence)
        if crc is None:
            return Verdict.LATE
        return Verdict.DOUBLED if crc == frame.crc else Verdict.RESET

    def _other_boot(self, body: Body | None) -> bool:
        return (
            isinstance(body, Hello)
            and 0 not in {body.boot_id, self._boot_id}
            and (body.boot_id != self._boot_id)
        )

    def _steps_back(self, frame: Frame, body: Body | None) -> bool:
        end = self._ends.get((frame.stream, frame.cpu), 0)
        if isinstance(body, BufferHeader):
            return body.first_ordinal < end
        return isinstance(body, Status) and body.settled.ordinal < end

    def _remember(self, frame: Frame, body: Body | None) -> None:
        self._last = frame.sequence
        self._seen[frame.sequence] = frame.crc
        if len(self._seen) > _WINDOW_FRAMES:
            self._seen.popitem(last=False)
        if isinstance(body, Hello):
            self._boot_id = body.boot_id
        elif isinstance(body, BufferHeader):
            self._ends[frame.stream, frame.cpu] = body.end.ordinal
        elif isinstance(body, Status):
            self._ends[frame.stream, frame.cpu] = body.settled.ordinal
