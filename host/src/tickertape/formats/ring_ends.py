"""Losses of a ring before its first and after its last buffer, from receipts."""

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


def chosen_stream(reader: TapeReader, stream: int | None, epoch: int | None = None) -> int:
    """Return the requested stream, or `TapeReader.default_stream`.

    Args:
        reader: the tape.
        stream: the requested stream; None for the default one.
        epoch: the boot of the target; None for all boots.

    Raises:
        UsageError: the tape or boot has no such stream.
    """
    if stream is None:
        return reader.default_stream(epoch)
    if stream not in {ring.stream for ring in reader.rings if epoch in {None, ring.epoch}}:
        of_boot = "" if epoch is None else f" in boot {epoch}"
        raise UsageError(
            f"{reader.path} has no stream {stream}{of_boot}", "'tickertape info' lists its streams"
        )
    return stream


def lost_before(reader: TapeReader, balance: RingBalance) -> tuple[int, int]:
    """Return the number of records lost before the first buffer, and its opening time in ticks."""
    for chunk in reader.records_chunks(balance.ring):
        if len(chunk.buffers):
            first = chunk.buffers[0]
            count = int(first["first_ordinal"]) - balance.first_ordinal
            return max(count, 0), int(first["ticks"])
    return 0, 0


def last_ticks(reader: TapeReader, ring: RingKey) -> int:
    """Return the time of a ring's last STATUS in ticks: the latest time of losses at its end."""
    return max((status.ticks for status in reader.statuses(ring)), default=0)


@dataclass(frozen=True, slots=True)
class EndLoss:
    """Records that are missing before the first or after the last buffer of a ring.

    Attributes:
        epoch: boot of the target.
        cpu: CPU of the ring.
        count: number of missing records.
        ticks: time by which they were lost.
    """

    epoch: int
    cpu: int
    count: int
    ticks: int


class EndLosses:
    """Losses known only from receipts: before the first and after the last buffer of each ring.

    An exporter calls `behind` and then `before` where a boot with events begins, `show` for each
    gap it exports, and `behind` at the end of the tape.
    """

    def __init__(self, reader: TapeReader, stream: int) -> None:
        """Compute the balance of one stream of a tape."""
        self._reader = reader
        rings = balance_of(reader, by_class=False).rings
        self._rings = [one for one in rings if one.ring.stream == stream]
        self._shown: dict[tuple[int, int], int] = {}
        self._unknown = {
            (one.ring.epoch, one.ring.cpu): one.unknown_losses
            for one in self._rings
            if one.unknown_losses
        }
        self._ended = 0  # the first boot whose end is not yet reported

    def show(self, epoch: int, gaps: Iterable[Gap]) -> None:
        """Record that the export contains these gaps of a boot."""
        for gap in gaps:
            self._shown[epoch, gap.cpu] = self._shown.get((epoch, gap.cpu), 0) + gap.lost
            if gap.unknown and (epoch, gap.cpu) in self._unknown:
                self._unknown[epoch, gap.cpu] -= 1

    def before(self, epoch: int) -> Iterator[EndLoss]:
        """Yield the losses before the first buffers of a boot."""
        for one in self._rings:
            count, ticks = lost_before(self._reader, one)
            if one.ring.epoch == epoch and count:
                self._shown[epoch, one.ring.cpu] = count
                yield EndLoss(epoch, one.ring.cpu, count, ticks)

    def behind(self, until: int | None = None) -> Iterator[EndLoss]:
        """Yield the losses after the last buffers of the boots since the last call.

        A boot without any delivered record has no buffer and no event, but may have losses.

        Args:
            until: the boot that begins next; None at the end of the tape.
        """
        begin, self._ended = self._ended, until if until is not None else _LAST_EPOCH + 1
        for one in sorted(self._rings, key=lambda one: (one.ring.epoch, one.ring.cpu)):
            epoch, cpu = one.ring.epoch, one.ring.cpu
            rest = one.balance.lost - self._shown.get((epoch, cpu), 0)
            if begin <= epoch < self._ended and rest > 0:
                yield EndLoss(epoch, cpu, rest, last_ticks(self._reader, one.ring))

    def unknown_behind(self, until: int | None = None) -> list[int]:
        """Return the CPUs that lost an unknown number of records after their last one, each once.

        Args:
            until: the boot that begins next; None at the end of the tape.
        """
        end = until if until is not None else _LAST_EPOCH + 1
        ended = [at for at, count in sorted(self._unknown.items()) if at[0] < end]
        return [cpu for epoch, cpu in ended if self._unknown.pop((epoch, cpu)) > 0]
