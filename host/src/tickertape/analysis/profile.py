"""Samples of the program counter, counted by address.

Samples are events SYSTEM ADDRESS, which `import itm` creates from the PC sample packets of the
trace unit. Address 0 means that the processor slept. An event with a second word is not a sample:
it contains the address of code that accessed a watched variable.
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
    """Numbers of samples, and of missing records that may contain samples.

    Attributes:
        counts: samples by address of the instruction.
        asleep: samples taken while the processor slept.
        gaps: places where records are missing.
        missing: records missing there, as far as counted.
        unknown_gaps: gaps with an unknown number of missing records.
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
