"""Compute 64-bit time from the low words of records and the anchors of buffers.

A buffer's anchor is not later than its first record, and less than 2^32 ticks before it. In the
SIMPLE and BEGIN records of a buffer, the low word decreases only at a wrap, so the time between two
neighbours is their difference modulo 2^32 (protocol/SPEC.md, "Time").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tickertape.decode.records import U32, U64, Rows

# A numpy number: before version 2, numpy converts u64 with a Python int to float64 (53 bits).
_LOW_WORD = np.uint64((1 << 32) - 1)


def ticks_64(low: U32, starts: Rows, anchors: U64) -> U64:
    """Reconstruct 64-bit time.

    Args:
        low: low words of the SIMPLE and BEGIN records of one or more buffers, in order.
        starts: index of the first such record of each buffer; ascending, the first is 0. A buffer
            without such a record has the start of the next buffer (or the length of `low`).
        anchors: u64, `ticks` of each buffer.

    Returns:
        u64, one time per low word.
    """
    ends = np.append(starts[1:], len(low))
    used = starts < ends
    starts, anchors = starts[used], anchors[used]
    if not len(starts):
        return np.empty(0, np.uint64)
    time = _without_wraps(low, starts, anchors)
    return _with_wraps(low, starts, anchors) if time is None else time


def _without_wraps(low: U32, starts: Rows, anchors: U64) -> U64 | None:
    """Compute all times from the first anchor; None if they span more than one period."""
    base = anchors[0]
    since = low - np.uint32(base & _LOW_WORD)  # modulo 2^32
    # Distances of the anchors from the first. An anchor before it gives a huge number and fails.
    distance = anchors - base
    first = since[starts]
    if np.any(distance > first) or np.any(since[1:] < since[:-1]):
        return None
    time = since.astype(np.uint64)
    time += base
    return time


def _with_wraps(low: U32, starts: Rows, anchors: U64) -> U64:
    """Sum the distances between neighbours, starting again at each anchor."""
    steps = np.empty(len(low), np.uint32)
    steps[1:] = low[1:] - low[:-1]  # modulo 2^32
    steps[starts] = low[starts] - (anchors & _LOW_WORD).astype(np.uint32)
    total = np.cumsum(steps, dtype=np.uint64)
    before = total[starts] - steps[starts]
    counts = np.diff(np.append(starts, len(low)))
    time: U64 = total + np.repeat(anchors - before, counts)
    return time
