"""The unknown intervals of a tape: lost records, and times without recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tickertape.model.knowledge import breaks_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tickertape.decode.events import EventColumns, Gap
    from tickertape.view.axis import Place

ALL_CPUS: Final = -1
PAUSED: Final = "not recorded: stopped, or events deselected"
UNREAD: Final = "not read yet"
_REASONS: Final = ("dropped", "overwritten", "damaged")


@dataclass(frozen=True, slots=True)
class Loss:
    """An interval in which events are missing.

    Attributes:
        cpu: CPU number; ALL_CPUS for all.
        begin: begin on the axis, ns.
        end: end on the axis, ns; not below `begin`.
        count: number of records known to be missing.
        reason: reason to show.
    """

    cpu: int
    begin: int
    end: int
    count: int
    reason: str


class Losses:
    """Collects the losses of a tape."""

    def __init__(self, left_out: Callable[[EventColumns, Gap], bool] | None = None) -> None:
        """Begin without losses.

        Args:
            left_out: returns whether a gap consists of records that are not read yet; None if all
                records are read.
        """
        self._left_out = left_out
        self._found: list[Loss] = []

    def add(self, cpu: int, begin: int, end: int, count: int, reason: str) -> None:
        """Add a loss; its begin is cut to its end."""
        self._found.append(Loss(cpu, min(begin, end), end, count, reason))

    def gaps(self, columns: EventColumns, place: Place) -> None:
        """Add the gaps and breaks of the next events of a boot."""
        for gap in columns.gaps:
            end = place.ns_of(gap.end_ticks)
            begin = end if gap.begin_ticks is None else place.ns_of(gap.begin_ticks)
            if self._left_out is not None and self._left_out(columns, gap):
                self.add(gap.cpu, begin, end, gap.lost, UNREAD)
                continue
            self.add(gap.cpu, begin, end, gap.lost, _reason(gap))
        for one in breaks_in(columns):
            if one.ticks is not None:
                row = min(one.row, len(columns) - 1)
                end = place.ns_of(max(int(columns.time[row]), one.ticks))
                self.add(ALL_CPUS, place.ns_of(one.ticks), end, 0, PAUSED)

    def found(self, begin: int, end: int) -> list[Loss]:
        """Return all losses by time, cut to the axis from `begin` to `end`."""
        cut = [
            Loss(
                one.cpu,
                min(max(one.begin, begin), end),
                min(max(one.end, begin), end),
                one.count,
                one.reason,
            )
            for one in self._found
        ]
        return sorted(cut, key=lambda one: (one.begin, one.end))


def _reason(gap: Gap) -> str:
    parts = [f"{getattr(gap, name)} {name}" for name in _REASONS if getattr(gap, name)]
    if gap.unknown:
        parts.append("an unknown number more")
    return ", ".join(parts) or "reason unknown"


def totals(losses: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return the numbers of losses, of pauses, and of records known to be missing."""
    pauses = sum(one["reason"] == PAUSED for one in losses)
    unread = sum(one["reason"] == UNREAD for one in losses)
    return {
        "loss_count": len(losses) - pauses - unread,
        "pause_count": pauses,
        "lost": sum(one["count"] for one in losses if one["reason"] != UNREAD),
    }
