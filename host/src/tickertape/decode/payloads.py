"""Payloads of many events at once, as words that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.records import I64, U8, U64, Rows

_PIECE_BYTES: Final = 8


def padded(payload: U8, size: int) -> U8:
    """Add some bytes, so that `size` bytes may be taken from any place of a payload."""
    return np.concatenate([payload, np.zeros(size, np.uint8)])


def pieces_of(payload: U8, begins: I64, sizes: I64, count: int) -> U64:
    """Give payloads as pieces of 8 bytes, zeros where they end.

    Args:
        payload: `padded` for `8 * count` bytes.
        begins: where each one begins in it.
        sizes: how many bytes of each count.
        count: pieces of each; what is longer is cut.

    Returns:
        Shape (payloads, count).
    """
    size = _PIECE_BYTES * count
    counting = (np.arange(size) < np.arange(size + 1)[:, None]).astype(np.uint8) * np.uint8(0xFF)
    taken = items_at(payload, size)[begins].view(np.uint64).reshape(-1, count)
    taken &= counting.view(np.uint64)[np.clip(sizes, 0, size)]
    return taken


def items_at(data: U8, size: int) -> NDArray[Any]:
    """View bytes as items of `size` bytes, one beginning at each byte; they overlap."""
    return as_strided(data.view(), (len(data) - size + 1, size), (1, 1)).view(f"V{size}")[:, 0]


def ranges(begin: Rows, count: Rows | I64) -> tuple[Rows, Rows]:
    """Expand ranges: return begin, begin + 1, … of each range, and the offset inside its range.

    Args:
        begin: first index of each range.
        count: length of each range.

    Returns:
        Two arrays of `count.sum()` indices.
    """
    inside = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(begin, count) + inside, inside
