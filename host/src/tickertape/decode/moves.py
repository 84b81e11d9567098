"""Events of several records that a target recorded again, because their thread changed the CPU.

What was recorded of such an event on the first CPU has no END there, as if that had been lost. On
the second CPU an event TRACER MOVED names those records. Both are matched here, in any order
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

# What waits for its counterpart is forgotten in order of age: the other one was lost.
_MOST_WAITING: Final = 1 << 16
_TIME_SHIFT: Final = 32

_Key: TypeAlias = tuple[int, int, int]


class Moves:
    """Matches the rings of a stream, of all streams and epochs."""

    def __init__(self) -> None:
        """Nothing waits."""
        self._given_up: Counter[_Key] = Counter()
        self._moved: Counter[_Key] = Counter()

    def give_up(self, epoch: int, stream: int, identities: Iterable[int]) -> int:
        """Take events that have no END; return how many of them were recorded again.

        Args:
            epoch: boot of the target within the tape.
            stream: where they were recorded.
            identities: of their records: time or key << 32 | header without struct and flags.
        """
        keys = ((epoch, stream, one) for one in identities)
        return sum(_meet(key, self._moved, self._given_up) for key in keys)

    def find(self, columns: EventColumns) -> int:
        """Look for MOVED; return how many events that had been given up were recorded again."""
        rows = np.flatnonzero(columns.code == MOVED)
        found = 0
        for row in rows.tolist():
            identity = int(columns.data1[row]) << _TIME_SHIFT | int(columns.data0[row])
            key = (columns.epoch, int(columns.stream[row]), identity)
            found += _meet(key, self._given_up, self._moved)
        return found


def _meet(key: _Key, others: Counter[_Key], own: Counter[_Key]) -> bool:
    """Take the counterpart of `key` out of `others`, or let `key` wait for it."""
    if key in others:
        others[key] -= 1
        if not others[key]:
            del others[key]
        return True
    own[key] += 1
    if len(own) > _MOST_WAITING:
        del own[next(iter(own))]
    return False
