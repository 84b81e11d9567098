"""Situations as tables, and the events that they depend on; `situations` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape._native.interface import NOTED, SHARE, SITUATION, NotedKind, SituationKind
from tickertape.protocol.event_type import CODE_COUNT, event_code
from tickertape.protocol.events import EventClass, SchedEvent, SyncEvent, ThreadEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns

_NOTED: Final = {
    event_code(EventClass.SCHED, SchedEvent.PRIORITY): NotedKind.PRIORITY,
    event_code(EventClass.SYNC, SyncEvent.COND_WAIT): NotedKind.COND_WAIT,
    event_code(EventClass.SYNC, SyncEvent.COND_SIGNAL): NotedKind.COND_SIGNAL,
    event_code(EventClass.SYNC, SyncEvent.COND_BROADCAST): NotedKind.COND_BROADCAST,
    event_code(EventClass.THREAD, ThreadEvent.DEAD): NotedKind.ENDED,
    event_code(EventClass.THREAD, ThreadEvent.DESTROY): NotedKind.ENDED,
}
_NOT_NOTED: Final = 255
_KIND_OF_CODE: Final = np.full(CODE_COUNT, _NOT_NOTED, np.uint8)
for _code, _kind in _NOTED.items():
    _KIND_OF_CODE[_code] = _kind


class SituationTable(NamedTuple):
    """Situations of type `SITUATION` in order of their ends, and their shares of type `SHARE`."""

    rows: NDArray[np.void]
    shares: NDArray[np.void]

    @classmethod
    def empty(cls) -> SituationTable:
        """Return a table without situations."""
        return cls(np.zeros(0, SITUATION), np.zeros(0, SHARE))

    def of(self, kind: SituationKind) -> Iterator[Situation]:
        """Yield the situations of a kind."""
        for row in np.flatnonzero(self.rows["kind"] == kind).tolist():
            values = self.rows[row]
            first, count = int(values["first_share"]), int(values["shares"])
            shares = self.shares[first : first + count]
            yield Situation(
                kind=int(values["kind"]),
                entity=int(values["entity"]),
                object=int(values["object"]),
                by=int(values["by"]),
                begin=int(values["begin"]),
                end=int(values["end"]),
                since=int(values["since"]),
                rests_from=int(values["rests_from"]),
                value=int(values["value"]),
                shares=tuple(zip(shares["entity"].tolist(), shares["ticks"].tolist(), strict=True)),
            )


class Situation(NamedTuple):
    """One situation; see the table above. `shares`: entities and their ticks."""

    kind: int
    entity: int
    object: int
    by: int
    begin: int
    end: int
    since: int
    rests_from: int
    value: int
    shares: tuple[tuple[int, int], ...]


def noted_in(columns: EventColumns) -> NDArray[np.void]:
    """Return the events that situations depend on, of type `NOTED`, in order."""
    kinds = _KIND_OF_CODE[columns.code]
    rows = np.flatnonzero(kinds != _NOT_NOTED)
    found = np.zeros(len(rows), NOTED)
    found["row"], found["kind"] = rows, kinds[rows]
    for name, column in (("time", "time"), ("cpu", "cpu"), ("first", "data0"), ("second", "data1")):
        found[name] = getattr(columns, column)[rows]
    return found
