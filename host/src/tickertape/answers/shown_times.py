"""The times at which instances of each task and interrupt were found, for rules after losses.

A rule needs to know whether an instance was found between two losses, not when. One time between
any two ticks at which a loss may begin or end is therefore enough, and memory does not grow with
the tape.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tickertape.answers.observed import Observed
    from tickertape.answers.table import Table
    from tickertape.decode.records import I64

_MANY: Final = 1 << 18
_NOTHING: Final = np.zeros(0, np.int64)


class ShownTimes:
    """Times at which the instances of one boot were found."""

    def __init__(self, many: int = _MANY) -> None:
        """Begin before the first event of the boot; thin out above `many` times."""
        self._times: dict[int, list[I64]] = defaultdict(list)
        self._count = 0
        self._many = self._limit = many

    def feed(self, table: Table, observed: Observed) -> None:
        """Add the instances that ended.

        Args:
            table: the instances.
            observed: the unknown intervals so far, including the events that ended the instances.
        """
        groups = table.by_entity
        if not len(groups):
            return
        ends = [*groups.begins[1:].tolist(), len(groups.order)]
        found = groups.column("found")
        for entity, begin, end in zip(groups.keys, groups.begins.tolist(), ends, strict=True):
            self._times[entity].append(found[begin:end])
        self._count += len(groups.order)
        if self._count > self._limit:
            self._thin_out(observed)

    def _thin_out(self, observed: Observed) -> None:
        """Keep one time between any two ticks at which unknown time may begin or end.

        Later events begin no unknown time before the earliest last record of all CPUs.
        """
        if not observed.last:
            return
        until = min(observed.last.values())
        places = np.unique([at for one in observed.unknown() for at in one[:2]] + [until])
        self._count = 0
        for entity in self._times:
            times = self.of(entity)
            between = np.searchsorted(places, times) + np.searchsorted(places, times, "right")
            kept = np.append(True, between[1:] != between[:-1]) | (times > until)
            self._times[entity] = [times[kept]]
            self._count += int(np.count_nonzero(kept))
        self._limit = max(self._many, 2 * self._count)

    def of(self, entity: int) -> I64:
        """Return times at which instances of an entity were found, in order."""
        return np.sort(np.concatenate([*self._times.get(entity, ()), _NOTHING]))
