"""What receipts tell of a ring before its first buffer and behind its last one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tickertape.analysis.balance import RingBalance
    from tickertape.decode.events import Gap
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader

_LAST_EPOCH: Final = 0xFFFF


def chosen_stream(reader: TapeReader, stream: int | None) -> int:
    """Give the stream that was asked for, or the first to which anything was offered.

    Raises:
        UsageError: there is no such stream.
    """
    streams = sorted({ring.stream for ring in reader.rings})
    if stream is None:
        rings = balance_of(reader, by_class=False).rings
        used = [one.ring.stream for one in rings if one.balance.offered or one.unknown_losses]
        return min(used or streams, default=0)
    if stream not in streams:
        raise UsageError(
            f"{reader.path} has no stream {stream}", "see 'tickertape info' for what it has"
        )
    return stream


def lost_before(reader: TapeReader, balance: RingBalance) -> tuple[int, int]:
    """Give how many records were lost before the first buffer, and when that was opened, ticks."""
    for chunk in reader.records_chunks(balance.ring):
        if len(chunk.buffers):
            first = chunk.buffers[0]
            count = int(first["first_ordinal"]) - balance.first_ordinal
            return max(count, 0), int(first["ticks"])
    return 0, 0


def last_ticks(reader: TapeReader, ring: RingKey) -> int:
    """Give the time of a ring's last counters; what is lost behind its end was lost by then."""
    return max((status.ticks for status in reader.statuses(ring)), default=0)


@dataclass(frozen=True, slots=True)
class EndLoss:
    """Records that are missing at an end of a ring.

    Attributes:
        epoch: boot of the target.
        cpu: of the ring.
        count: how many records.
        ticks: by then they were lost.
    """

    epoch: int
    cpu: int
    count: int
    ticks: int


class EndLosses:
    """What only receipts tell: losses before the first and behind the last buffer of each ring.

    Exporters ask `behind` and then `before` where a boot with events begins, `behind`
    at the end, and says of each gap in between that it was shown.
    """

    def __init__(self, reader: TapeReader, stream: int) -> None:
        """Get ready for one stream of a tape."""
        self._reader = reader
        rings = balance_of(reader, by_class=False).rings
        self._rings = [one for one in rings if one.ring.stream == stream]
        self._shown: dict[tuple[int, int], int] = {}
        self._ended = 0  # the first boot whose end was not told yet

    def show(self, epoch: int, gaps: Iterable[Gap]) -> None:
        """These gaps of a boot are shown."""
        for gap in gaps:
            self._shown[epoch, gap.cpu] = self._shown.get((epoch, gap.cpu), 0) + gap.lost

    def before(self, epoch: int) -> Iterator[EndLoss]:
        """Give what is missing before the first buffers of a boot."""
        for one in self._rings:
            count, ticks = lost_before(self._reader, one)
            if one.ring.epoch == epoch and count:
                self._shown[epoch, one.ring.cpu] = count
                yield EndLoss(epoch, one.ring.cpu, count, ticks)

    def behind(self, until: int | None = None) -> Iterator[EndLoss]:
        """Give what is missing behind the last buffers of the boots up to here.

        A boot of which nothing was kept has no buffer and no event, but it may have losses.

        Args:
            until: the boot that begins; None when none does.
        """
        begin, self._ended = self._ended, until if until is not None else _LAST_EPOCH + 1
        for one in sorted(self._rings, key=lambda one: (one.ring.epoch, one.ring.cpu)):
            epoch, cpu = one.ring.epoch, one.ring.cpu
            rest = one.balance.lost - self._shown.get((epoch, cpu), 0)
            if begin <= epoch < self._ended and rest > 0:
                yield EndLoss(epoch, cpu, rest, last_ticks(self._reader, one.ring))
