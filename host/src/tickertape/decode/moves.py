"""Match combine events that a target recorded again because their thread moved to another CPU.

The records of such an event on the first CPU have no END, as if it had been lost. On the second CPU
an event TRACER MOVED identifies those records. `Moves` matches both, in any order
(protocol/SPEC.md, "The record").
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, TracerEvent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.decode.events import EventColumns

MOVED: Final = np.uint16(event_code(EventClass.TRACER, TracerEvent.MOVED))

# Limit of waiting keys; the oldest is dropped first, because its counterpart was probably lost.
_MOST_WAITING: Final = 1 << 16
_TIME_SHIFT: Final = 32

_Key: TypeAlias = tuple[int, int, int]


class Moves:
    """Matches moved events between the rings of a stream, for all streams and epochs."""

    def __init__(self) -> None:
        """Start with nothing to match."""
        self._given_up: Counter[_Key] = Counter()
        self._moved: Counter[_Key] = Counter()

    def give_up(self, epoch: int, stream: int, identities: Iterable[int]) -> int:
        """Add events that have no END; return how many of them match a known MOVED event.

        Args:
            epoch: boot of the target within the tape.
            stream: stream of the events.
            identities: identity of each event: time or key << 32 | header without struct and flags.
        """
        keys = ((epoch, stream, one) for one in identities)
        return sum(_meet(key, self._moved, self._given_up) for key in keys)

    def find(self, columns: EventColumns) -> int:
        """Find MOVED events; return how many of them match an event added by `give_up`."""
        rows = np.flatnonzero(columns.code == MOVED)
        found = 0
        for row in rows.tolist():
            identity = int(columns.data1[row]) << _TIME_SHIFT | int(columns.data0[row])
            key = (columns.epoch, int(columns.stream[row]), identity)
            found += _meet(key, self._given_up, self._moved)
        return found


def _meet(key: _Key, others: Counter[_Key], own: Counter[_Key]) -> bool:
    """Remove the counterpart of `key` from `others`; if there is none, add `key` to `own`."""
    if key in others:
        others[key] -= 1
        if not others[key]:
            del others[key]
        return True
    own[key] += 1
    if len(own) > _MOST_WAITING:
        del own[next(iter(own))]
    return False
