"""Group the rows of tables and columns by a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.records import I64

_SMALL: Final = 1 << 16


class Groups:
    """Rows of a table grouped by a key. Rows are sorted once, and each column is copied once.

    Attributes:
        rows: the table, in its own order.
        keys: the keys, ascending, each once.
        order: row numbers sorted by key; rows of one key keep their order.
        begins: index in `order` at which each key begins.
    """

    def __init__(self, rows: NDArray[np.void], key: str) -> None:
        """Order the rows by a column of integers of at least 0."""
        keys = np.ascontiguousarray(rows[key])
        self.rows = rows
        self.order = _order_of(keys)
        ordered = keys[self.order]
        self.begins = np.flatnonzero(np.diff(ordered, prepend=-1))
        self.keys: list[int] = ordered[self.begins].tolist()
        self._columns: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self.keys)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of the table in the order of `order`; do not modify it."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = np.ascontiguousarray(self.rows[name])[self.order]
        return found

    def counts(self, chosen: NDArray[np.bool_]) -> list[int]:
        """Return the number of chosen rows per key; `chosen` is a mask in the order of `order`."""
        found: list[int] = np.add.reduceat(chosen, self.begins, dtype=np.int64).tolist()
        return found

    def of(self, places: I64) -> Iterator[tuple[int, I64]]:
        """Yield each key of ascending indices into `order`, with its indices."""
        at = np.searchsorted(self.begins, places, side="right") - 1
        for key, mine in by_key(at):
            yield self.keys[key], places[mine]


def by_key(keys: NDArray[np.integer[Any]]) -> Iterator[tuple[int, I64]]:
    """Yield each key, ascending, with its rows in their order.

    Args:
        keys: integers of at least 0, one per row.
    """
    if not len(keys):
        return
    order = _order_of(keys)
    ordered = keys[order]
    cuts = np.flatnonzero(np.diff(ordered)) + 1
    for rows in np.split(order, cuts):
        yield int(keys[rows[0]]), rows


def _order_of(keys: NDArray[np.integer[Any]]) -> I64:
    # NumPy sorts 16-bit integers by radix sort, which is faster.
    small = keys.astype(np.uint16) if int(keys.max(initial=0)) < _SMALL else keys
    return np.argsort(small, kind="stable")
