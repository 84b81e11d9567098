"""All events of a tape in order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.events import DecodeCounters, EventColumns
    from tickertape.tape.reader import TapeReader


def iter_events(
    reader: TapeReader,
    *,
    stream: int | None = None,
    counters: DecodeCounters | None = None,
) -> Iterator[EventColumns]:
    """Yield the events of a tape, epoch after epoch, all CPUs merged by 64-bit time.

    Memory is bounded by one chunk for each ring. The merge is stable: inside a ring the order of
    recording is kept, and at equal times the lower (stream, CPU) comes first.

    Args:
        reader: the tape.
        stream: only this stream; None for all of them.
        counters: is counted up while the iterator is consumed.

    Yields:
        Columns of some ten thousand rows; a chunk never spans two epochs.
    """
    raise NotImplementedError
