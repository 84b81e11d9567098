"""Classify frames as new or repeated, and detect a reset of the target.

Sequence numbers count frames from reset. The number decreases when a frame arrives twice, when a
frame overtakes another, and when the target restarts. The content distinguishes these cases:

| sequence | content | verdict |
|---|---|---|
| any | another boot tag; the tag of the previous boot, just after a reset | RESET; LATE |
| ahead | another boot, or content that contradicts earlier frames of this boot | RESET |
| ahead | otherwise | NEW; skipped numbers count as missed |
| recent, seen | the same bytes | DOUBLED |
| recent, not seen | any | LATE, unless it is the HELLO of another boot |
| recent, seen | other bytes | RESET |
| older | any | RESET |

Counters of one boot never decrease: each receipt of a ring leads to the next, buffers are opened in
order, and the clock of the drain in HELLO and STATUS never steps back.

"Recent" means the last few numbers, because a frame is repeated at once or not at all. The receipts
count the records of an unused frame as damaged; no record is counted twice.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from tickertape.decode.bodies import BufferHeader, Hello, Receipt, Status

if TYPE_CHECKING:
    from tickertape.decode.bodies import Body
    from tickertape.decode.frames import Frame, LinkCounters

_WINDOW_FRAMES = 32
_SEQUENCE_LIMIT = 1 << 32
_SEQUENCE_HALF = 1 << 31
_NOTHING = Receipt(0, 0, 0)


class Verdict(Enum):
    """What to do with a frame."""

    NEW = auto()
    DOUBLED = auto()  # ignore it
    LATE = auto()  # ignore it
    RESET = auto()  # start a new epoch, then use it


class SequenceTracker:
    """Classifies frames in the order in which they arrived."""

    def __init__(self, counters: LinkCounters) -> None:
        """Start before the first frame; `judge` increments `counters`."""
        self._counters = counters
        self._last: int | None = None
        self._seen: OrderedDict[int, int] = OrderedDict()  # sequence -> CRC of the last frames
        self._boot_id = 0
        self._tag = 0  # `boot_tag` of the current boot, 0 if unknown
        self._former: tuple[int, int] | None = None  # tag and last sequence of the previous boot
        self._rings: dict[tuple[int, int], _Ring] = {}
        self._ticks = 0  # ticks of the last HELLO or STATUS

    def judge(self, frame: Frame, body: Body | None) -> Verdict:
        """Classify a frame.

        Args:
            frame: a good frame.
            body: its parsed body; None if the type is unknown or the body is bad.
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
            self._former = (self._tag, self._last or 0)
            self._tag = 0
            self._seen.clear()
            self._rings.clear()
            self._boot_id = self._ticks = 0
        elif self._last is not None:
            ahead = (frame.sequence - self._last) % _SEQUENCE_LIMIT
            self._counters.missed_frames += ahead - 1
        self._remember(frame, body)
        return verdict

    def _verdict(self, frame: Frame, body: Body | None) -> Verdict:
        if self._last is None:
            return Verdict.NEW
        if self._other_tag(frame) or self._other_boot(body):
            return Verdict.LATE if self._overtaken_by_reset(frame) else Verdict.RESET
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

    def _other_tag(self, frame: Frame) -> bool:
        return 0 not in {frame.boot_tag, self._tag} and frame.boot_tag != self._tag

    def _overtaken_by_reset(self, frame: Frame) -> bool:
        """Return whether a frame of the previous boot arrived just after the first of this boot."""
        if self._former is None or not self._other_tag(frame) or len(self._seen) >= _WINDOW_FRAMES:
            return False
        tag, last = self._former
        return frame.boot_tag == tag and abs(frame.sequence - last) < _WINDOW_FRAMES

    def _other_boot(self, body: Body | None) -> bool:
        return (
            isinstance(body, Hello)
            and 0 not in {body.boot_id, self._boot_id}
            and (body.boot_id != self._boot_id)
        )

    def _steps_back(self, frame: Frame, body: Body | None) -> bool:
        ring = self._rings.get((frame.stream, frame.cpu), _Ring())
        match body:
            case Hello():
                return body.ticks < self._ticks
            case Status():
                return body.ticks < self._ticks or not ring.goes_on_with_status(body)
            case BufferHeader():
                return not ring.goes_on_with_buffer(body)
            case _:
                return False

    def _remember(self, frame: Frame, body: Body | None) -> None:
        self._last = frame.sequence
        self._tag = frame.boot_tag or self._tag
        self._seen[frame.sequence] = frame.crc
        if len(self._seen) > _WINDOW_FRAMES:
            self._seen.popitem(last=False)
        match body:
            case Hello():
                self._boot_id = body.boot_id
                self._ticks = body.ticks
            case Status():
                self._rings.setdefault((frame.stream, frame.cpu), _Ring()).status(body)
                self._ticks = body.ticks
            case BufferHeader():
                self._rings.setdefault((frame.stream, frame.cpu), _Ring()).buffer(body)


@dataclass(slots=True)
class _Ring:
    """State of one ring in the current boot."""

    settled: Receipt = _NOTHING  # from the last buffer or STATUS that is not final
    # From a final STATUS; a later STATUS may repeat the receipt of the last buffer.
    final: Receipt = _NOTHING
    opened_ticks: int = 0
    sequence: int = 0  # sequence number of the last buffer

    def goes_on_with_status(self, status: Status) -> bool:
        # `offered` is not compared, because it may decrease: a drain that migrates to another CPU
        # cannot see the open buffer of the first one.
        return self.settled.leads_to(status.settled) and status.ticks >= self.opened_ticks

    def goes_on_with_buffer(self, buffer: BufferHeader) -> bool:
        opened = (buffer.sequence - self.sequence) % _SEQUENCE_LIMIT
        return (
            self.settled.leads_to(buffer.begin)
            and self.final.leads_to(buffer.begin)
            and buffer.ticks >= self.opened_ticks
            and opened < _SEQUENCE_HALF
        )

    def status(self, status: Status) -> None:
        if status.final:
            self.final = status.settled
        else:
            self.settled = status.settled

    def buffer(self, buffer: BufferHeader) -> None:
        self.settled = buffer.end
        self.opened_ticks = buffer.ticks
        self.sequence = buffer.sequence
