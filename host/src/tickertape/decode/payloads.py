"""Ranges of rows and of bytes, for many events at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tickertape.decode.records import I64, Rows


def ranges(begin: Rows, count: Rows | I64) -> tuple[Rows, Rows]:
    """Expand ranges: return begin, begin + 1, … of each range, and the offsets in the range.

    Args:
        begin: first index of each range.
        count: length of each range.

    Returns:
        Two arrays of `count.sum()` indices.
    """
    inside = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(begin, count) + inside, inside
