"""Read the events of one boot for answers; refuse times that do not fit 63 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.events import EventColumns
    from tickertape.tape.reader import TapeReader

_END: Final = np.uint64(1 << 63)


def events_of(
    reader: TapeReader, epoch: int, *, stream: int | None, counters: DecodeCounters | None = None
) -> Iterator[EventColumns]:
    """Yield the events of one boot.

    Times are limited because both engines compute their differences as signed 64-bit numbers.

    Args:
        reader: the tape.
        epoch: number of the boot.
        stream: the stream to read; None for all.
        counters: counts records and events during the pass.

    Raises:
        UsageError: a time is 2^63 ticks or more.
    """
    counted = DecodeCounters() if counters is None else counters
    for columns in boot_events(reader, epoch, stream=stream, counters=counted, with_tails=True):
        require_times(columns)
        yield columns


def require_times(columns: EventColumns) -> None:
    """Refuse times of 2^63 ticks and more.

    Raises:
        UsageError: a time is too large.
    """
    if len(columns) and columns.time.max() >= _END:
        raise UsageError(
            "the target's clock is past 2^63 ticks, with which no figures can be computed",
            "copy a part of the tape before that with 'tickertape cut'",
        )
