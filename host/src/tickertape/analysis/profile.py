"""Samples of the program counter, counted by address.

Samples are events SYSTEM ADDRESS, which `import itm` makes of the PC sample packets of the trace
unit; address 0 means that the processor slept. Those with a second word are the code of an access
to a watched variable, and no samples.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SystemEvent
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.tape.reader import TapeReader

SAMPLE: Final = event_code(EventClass.SYSTEM, SystemEvent.ADDRESS)
ASLEEP: Final = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """How often the processor was where.

    Attributes:
        counts: samples by address of the instruction.
        asleep: samples taken while the processor slept.
        gaps: places where records are missing; samples may be among them.
        missing: records missing there.
        unknown_gaps: places of those where the number of missing records is unknown.
    """

    counts: Mapping[int, int]
    asleep: int
    gaps: int
    missing: int
    unknown_gaps: int

    @property
    def awake(self) -> int:
        """Samples with an address."""
        return sum(self.counts.values())


def profile_of(reader: TapeReader) -> Profile:
    """Count the samples of a tape."""
    counts: Counter[int] = Counter()
    gaps = missing = unknown = 0
    for columns in iter_events(reader):
        is_sample = (columns.code == SAMPLE) & (columns.data1 == 0)
        found, times = np.unique(columns.data0[is_sample], return_counts=True)
        counts.update(dict(zip(found.tolist(), times.tolist(), strict=True)))
        for gap in columns.losses:
            gaps += 1
            missing += gap.lost
            unknown += gap.unknown
    asleep = counts.pop(ASLEEP, 0)
    return Profile(counts, asleep, gaps, missing, unknown)
