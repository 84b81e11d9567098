"""Queries on arrows: the arrows of a range of time, and the next arrow to follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.view.arrow_log import ARROW, ARROW_NAMES, BLOCK, FIELDS, Arrow

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tickertape.decode.records import Structured

MOST_ARROWS: Final = 200
"""Ranges with more arrows than this return counts instead."""

_STEP: Final = 1 << 18
_ENDS: Final = ("from", "to", "via")


class Arrows:
    """Reads the arrows of an index, sorted by begin."""

    def __init__(self, folder: Path) -> None:
        """Open the files that `ArrowLog.finish` wrote."""
        self._latest = np.fromfile(folder / "arrow-latest", "<i8")
        is_empty = not len(self._latest)
        self._columns = {
            name: np.zeros(0, kind) if is_empty else np.memmap(folder / f"arrow-{name}", kind, "r")
            for name, kind in FIELDS.items()
        }

    def __len__(self) -> int:
        """Return the number of arrows."""
        return len(self._columns["begin"])

    def column(self, name: str) -> NDArray[Any]:
        """Return a column; see `arrow_log.FIELDS`."""
        return self._columns[name]

    def within(self, begin: int, end: int, row: int | None = None) -> NDArray[np.int64]:
        """Return the places of the arrows that touch a range.

        Args:
            begin: begin of the range, ns on the axis.
            end: end of the range, exclusive.
            row: only arrows that begin, end or pass at this row; None for all.
        """
        last = int(np.searchsorted(self._columns["begin"], end, "left"))
        # Skip blocks in which every arrow ends before the range.
        found = [np.zeros(0, np.int64)]
        for block in np.flatnonzero(self._latest[: -(-last // BLOCK)] >= begin).tolist():
            part = slice(block * BLOCK, min((block + 1) * BLOCK, last))
            good = self._columns["end"][part] >= begin
            if row is not None:
                good &= self._touch(part, row)
            found.append(part.start + np.flatnonzero(good))
        return np.concatenate(found)

    def answer(self, begin: int, end: int, pixels: int, row: int | None) -> dict[str, Any]:
        """Return the arrows of a range as JSON values, or counts if more than `MOST_ARROWS`.

        Args:
            begin: begin of the range, ns on the axis.
            end: end of the range.
            pixels: number of counts.
            row: only arrows that begin, end or pass at this row; None for all.
        """
        at = self.within(begin, end, row)
        if len(at) <= MOST_ARROWS:
            return {"count": len(at), "arrows": columns_of(self.take(at))}
        # An arrow that began before the range is counted at its begin.
        place = (np.maximum(self._columns["begin"][at], begin) - begin) * pixels // (end - begin)
        kinds = np.bincount(self._columns["kind"][at], minlength=len(Arrow))
        return {
            "count": len(at),
            "kinds": dict(zip(ARROW_NAMES, kinds.tolist(), strict=True)),
            "counts": np.bincount(place, minlength=pixels).tolist(),
        }

    def take(self, places: NDArray[np.int64]) -> Structured:
        """Return arrows by their places."""
        found = np.empty(len(places), ARROW)
        for name in FIELDS:
            found[name] = self._columns[name][places]
        return found

    def follow(self, row: int, when: int, *, back: bool) -> dict[str, Any] | None:
        """Return the next arrow that leaves a row, or the latest one that reached it.

        For a lock or channel, return the next or previous arrow that passes it. RAISED arrows are
        not followed.

        Args:
            row: number of the row.
            when: time on the axis, ns: the arrow leaves at this time or later, or passes after it;
                with `back` it arrives at this time or earlier, or passes before it.
            back: search towards the begin.

        Returns:
            The arrow as JSON values, or None.
        """
        begins = self._columns["begin"]
        if not back:
            for start in range(int(np.searchsorted(begins, when, "left")), len(self), _STEP):
                part = slice(start, start + _STEP)
                at = part.start + np.flatnonzero(self._leads(part, row, when, back=False))
                if len(at):
                    return _one(self.take(at[:1]))
            return None
        last = int(np.searchsorted(begins, when, "right"))
        best, latest = np.zeros(0, np.int64), -1
        for block in reversed(range(-(-last // BLOCK))):
            if self._latest[block] < latest:  # all of its arrows end earlier
                continue
            part = slice(block * BLOCK, min((block + 1) * BLOCK, last))
            at = part.start + np.flatnonzero(self._leads(part, row, when, back=True))
            if not len(at):
                continue
            passes = self._columns["via"][at] == row
            key = np.where(passes, self._columns["begin"][at], self._columns["end"][at])
            place = int(np.argmax(key))
            if int(key[place]) >= latest:
                best, latest = at[place : place + 1], int(key[place])
        return _one(self.take(best)) if len(best) else None

    def _touch(self, part: slice, row: int) -> NDArray[np.bool_]:
        """Return which arrows of a part begin, end or pass at a row."""
        one, two, three = (self._columns[name][part] == row for name in _ENDS)
        found: NDArray[np.bool_] = one | two | three
        return found

    def _leads(self, part: slice, row: int, when: int, *, back: bool) -> NDArray[np.bool_]:
        """Return which arrows of a part `follow` may return."""
        begin, passes = self._columns["begin"][part], self._columns["via"][part] == row
        if back:
            at_end = (self._columns["to"][part] == row) & (self._columns["end"][part] <= when)
            leads = at_end | (passes & (begin < when))
        else:
            at_begin = (self._columns["from"][part] == row) & (begin >= when)
            leads = at_begin | (passes & (begin > when))
        found: NDArray[np.bool_] = leads & (self._columns["kind"][part] != Arrow.RAISED)
        return found


def columns_of(arrows: Structured) -> dict[str, list[Any]]:
    """Return arrows as JSON values, a list per column."""
    found: dict[str, list[Any]] = {name: arrows[name].tolist() for name in FIELDS}
    found["kind"] = [ARROW_NAMES[kind] for kind in found["kind"]]
    return found


def _one(arrow: Structured) -> dict[str, Any]:
    return {name: values[0] for name, values in columns_of(arrow).items()}
