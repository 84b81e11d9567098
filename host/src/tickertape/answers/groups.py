"""Rows of columns by a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.records import I64

_SMALL: Final = 1 << 16


def by_key(keys: NDArray[np.integer[Any]]) -> Iterator[tuple[int, I64]]:
    """Yield each key, ascending, with its rows in their order.

    Args:
        keys: integers of at least 0, one a row.
    """
    if not len(keys):
        return
    # Few keys: numpy sorts 16 bits by radix.
    small = keys.astype(np.uint16) if int(keys.max()) < _SMALL else keys
    order = np.argsort(small, kind="stable")
    ordered = keys[order]
    cuts = np.flatnonzero(np.diff(ordered)) + 1
    for rows in np.split(order, cuts):
        yield int(keys[rows[0]]), rows
