"""Queries of a page on an index. The size of answers is bounded; no argument names a file."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.errors import UsageError
from tickertape.model.transitions import State
from tickertape.view.figures import FIGURES
from tickertape.view.losses import totals
from tickertape.view.rows import INTERRUPT, POINT, STATES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.decode.records import I64, Structured
    from tickertape.view.index import Index
    from tickertape.view.spread import Spreads

MOST_PIXELS: Final = 4096
MOST_ROWS: Final = 128
MOST_EVENTS: Final = 500
_PIXELS_A_SLICE: Final = 2  # with fewer, single intervals are not distinguishable
_FEW_SLICES: Final = 64
_MOST_LOSSES: Final = 500
_FULL: Final = 255
_MOST_INSTANCES: Final = 200
MOST_TOGETHER: Final = 20
"""Largest number of instances that `why` explains together."""
_BARS: Final = 40
_LONG_TAIL: Final = 32  # if the longest value exceeds this many medians, bars grow by a factor
_LONGEST_NAME: Final = 200
_DIGITS: Final = 18  # fit 64 bits
_MOST_NS: Final = 10**_DIGITS - 1
_EMPTY: Final = np.empty(0, np.int64)


class Queries:
    """Answers questions by name, with arguments as text; `answer` returns JSON values."""

    def __init__(self, index: Index) -> None:
        """Answer questions about an index."""
        self._index = index
        about = index.about
        self._begin, self._end = int(about["begin"]), int(about["end"])
        self._rows: Sequence[Mapping[str, Any]] = about["rows"]
        self._losses: Sequence[Mapping[str, Any]] = about["losses"]
        self._loss_begins = np.array([one["begin"] for one in self._losses], np.int64)
        # A loss that began earlier may end later than its successors.
        ends = np.array([one["end"] for one in self._losses], np.int64)
        self._loss_ends = np.maximum.accumulate(ends) if len(ends) else _EMPTY
        self._about = {
            **{name: value for name, value in about.items() if name != "losses"},
            **totals(self._losses),
        }
        self._answers = {
            "about": self._about_tape,
            "tiles": self._tiles,
            "losses": self._losses_in,
            "events": self._events,
            "find": self._find,
            "stats": self._stats,
            "spread": self._spread,
            "instances": self._instances,
            "arrows": self._arrows,
            "follow": self._follow,
            "findings": self._found,
            "why": self._why,
        }
        self._lock = threading.Lock()
        self._findings: list[dict[str, Any]] | None = None

    @cached_property
    def _spreads(self) -> Spreads:
        # This import takes a third of the start of `view`.
        from tickertape.view.spread import Spreads  # noqa: PLC0415 - see above

        return Spreads(self._index)

    def answer(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Answer a question.

        Args:
            name: name of the question.
            arguments: its arguments.

        Returns:
            The answer; None if there is no such question.

        Raises:
            UsageError: an argument is missing or out of range.
        """
        question = self._answers.get(name)
        return None if question is None else question(arguments)

    def _about_tape(self, _arguments: Mapping[str, str]) -> dict[str, Any]:
        return self._about

    def _tiles(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return rows of pixels: their intervals if few, else share and count of each state."""
        begin, end = self._range(arguments)
        pixels = number(arguments, "pixels", 1, MOST_PIXELS)
        rows = self._numbers(arguments.get("rows", ""))
        edges = edges_of(begin, end, pixels)
        return {
            "begin": begin,
            "end": end,
            "pixels": pixels,
            "rows": [self.tile(row, edges) for row in rows],
        }

    def tile(self, row: int, edges: I64) -> dict[str, Any]:
        """Return a row in pixels: its intervals if few, else shares and counts per pixel."""
        begin, end = int(edges[0]), int(edges[-1])
        store = self._index.rows
        first, last = store.begins_before(row, np.array([begin, end], np.int64)).tolist()
        if last - first <= max(len(edges) // _PIXELS_A_SLICE, _FEW_SLICES):
            found = store.slices(row, begin, end)
            columns = {name: found[name].tolist() for name in found.dtype.names or ()}
            return {"row": row, "slices": columns}
        ticks, counts = store.sums(row, edges)
        spans, many = np.diff(ticks, axis=0), np.diff(counts, axis=0)
        states = np.flatnonzero(spans.any(axis=0) | many.any(axis=0))
        width = np.maximum(np.diff(edges), 1)[:, None]
        # Rounded up, so that the shortest interval has a share above 0.
        shares = -(-spans[:, states] * _FULL // width)
        tile: dict[str, Any] = {
            "row": row,
            "states": states.tolist(),
            "shares": shares.T.tolist(),
            "counts": many[:, states].T.tolist(),
        }
        if self._rows[row]["kind"] == "counter":
            tile |= self._values(row, edges)
        return {"row": row, "tile": tile}

    def _values(self, row: int, edges: I64) -> dict[str, Any]:
        """Return least and greatest value of each pixel, including the value at its begin."""
        store = self._index.rows
        value = store.column("detail", row).view(np.uint32)
        known = store.column("state", row) == POINT
        index = store.begins_before(row, edges)
        first, last = np.maximum(index[:-1] - 1, 0), np.maximum(index[1:], 1)
        values = value[first[0] : last[-1]].astype(np.int64)
        here = known[first[0] : last[-1]]
        starts = first - first[0]
        low = np.minimum.reduceat(np.where(here, values, np.iinfo(np.int64).max), starts)
        high = np.maximum.reduceat(np.where(here, values, -1), starts)
        none = high < 0
        return {
            "low": np.where(none, -1, low).tolist(),
            "high": high.tolist(),
        }

    def _losses_in(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        begin, end = self._range(arguments)
        return {"losses": self.losses(begin, end)}

    def losses(self, begin: int, end: int) -> list[dict[str, Any]]:
        """Return the losses of a range; join neighbours if they are more than `_MOST_LOSSES`."""
        last = int(np.searchsorted(self._loss_begins, end, "right"))
        first = int(np.searchsorted(self._loss_ends, begin, "left"))
        found = [dict(one) for one in self._losses[first:last] if one["end"] >= begin]
        if len(found) <= _MOST_LOSSES:
            return found
        width = max((end - begin) // _MOST_LOSSES, 1)
        joined: dict[int, dict[str, Any]] = {}
        for one in found:
            key = max(one["begin"] - begin, 0) // width
            known = joined.get(key)
            if known is None:
                joined[key] = {**one, "losses": 1}
                continue
            known["end"] = max(known["end"], one["end"])
            known["count"] += one["count"]
            known["losses"] += 1
            known["reason"] = f"{known['losses']} losses"
            known["cpu"] = known["cpu"] if known["cpu"] == one["cpu"] else -1
        return list(joined.values())

    def _events(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        when = number(arguments, "time", self._begin, self._end)
        before = number(arguments, "before", 0, MOST_EVENTS)
        after = number(arguments, "after", 0, MOST_EVENTS)
        return {"events": self._index.events.around(when, before, after)}

    def _find(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Find the nearest begin of an interval on a row whose name contains a text."""
        when = number(arguments, "time", self._begin, self._end)
        return self.find(arguments.get("name", ""), when, back=arguments.get("back", "0") == "1")

    def find(self, name: str, when: int, *, back: bool) -> dict[str, Any]:
        """Return the rows whose name contains a text, and the nearest entry on them by `next`."""
        wanted = name[:_LONGEST_NAME].casefold()
        rows = [one["row"] for one in self._rows if wanted and wanted in one["name"].casefold()]
        found = [one for one in (self.next(row, when, back=back) for row in rows) if one]
        if not found:
            return {"rows": rows, "found": None}
        pick = max if back else min
        time, row = pick(found)
        return {"rows": rows, "found": {"time": time, "row": row}}

    def next(self, row: int, when: int, *, back: bool) -> tuple[int, int] | None:
        """Return time and row of the next moment, or begin of a run or hold; None if none.

        Args:
            row: number of the row.
            when: time on the axis, ns.
            back: search towards the begin.
        """
        store = self._index.rows
        time, state = store.column("time", row), store.column("state", row)
        place = int(np.searchsorted(time, when, "left" if back else "right"))
        size = 1 << 16
        while place > 0 if back else place < len(time):
            first, last = (max(place - size, 0), place) if back else (place, place + size)
            at = np.flatnonzero(_NOTABLE[state[first:last]])
            if len(at):
                return int(time[first + int(at[-1 if back else 0])]), row
            place = first if back else last
        return None

    def _stats(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return per row and state the time, the number of intervals and their extremes."""
        begin, end = self._range(arguments)
        rows = [self.stats(int(one["row"]), begin, end) for one in self._rows]
        known = [one for one in rows if one["states"]]
        return {"begin": begin, "end": end, "rows": known, "losses": self.losses(begin, end)}

    def stats(self, row: int, begin: int, end: int) -> dict[str, Any]:
        """Return the statistics of one row in a range; every time is exact, in ns."""
        store = self._index.rows
        ticks, counts = store.sums(row, np.array([begin, end], np.int64))
        time, many = (ticks[1] - ticks[0]).tolist(), (counts[1] - counts[0]).tolist()
        states = {
            state: {"time": time[state], "count": many[state]}
            for state in range(STATES)
            if time[state] or many[state]
        }
        states = states if set(states) - {int(State.UNKNOWN)} else {}
        if states and POINT not in states:
            self._extremes(row, begin, end, states)
        return {"row": row, "states": states}

    def _extremes(self, row: int, begin: int, end: int, states: dict[int, dict[str, int]]) -> None:
        """Add to each state its shortest and longest interval within the range."""
        store = self._index.rows
        first, last = store.begins_before(row, np.array([begin, end], np.int64)).tolist()
        time, state = store.column("time", row), store.column("state", row)
        size = 1 << 20
        for start in range(first, last, size):
            stop = min(start + size, last, len(time) - 1)
            spans = time[start + 1 : stop + 1] - time[start:stop]
            here = np.where(time[start + 1 : stop + 1] <= end, state[start:stop], STATES)
            for number, known in states.items():
                mine = spans[here == number]
                if len(mine):
                    known["least"] = min(known.get("least", 1 << 62), int(mine.min()))
                    longest = int(mine.argmax())
                    if int(mine[longest]) > known.get("most", -1):
                        known["most"] = int(mine[longest])
                        places = start + np.flatnonzero(here == number)
                        known["most_at"] = int(time[places[longest]])

    def _arrows(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return the arrows that touch a range, of one row or of all; counts if too many."""
        begin, end = self._range(arguments)
        row = self._row(arguments, "row") if arguments.get("row") else None
        pixels = number(arguments, "pixels", 1, MOST_PIXELS)
        return self._index.arrows.answer(begin, end, pixels, row)

    def _follow(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return the next arrow that leaves a row, or with `back` the last one that reached it."""
        when = number(arguments, "time", self._begin, self._end)
        row, back = self._row(arguments, "row"), arguments.get("back", "0") == "1"
        return {"found": self._index.arrows.follow(row, when, back=back)}

    def _spread(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return the histogram of a figure of a row within a range."""
        values, left_out, figure = self._values_of(arguments)
        figures = FIGURES[self._rows[self._row(arguments, "row")]["kind"]]
        edges = bars_of(values["value"]) if len(values) else _EMPTY
        known = histogram(values["value"], left_out, edges)
        return {"figure": figure, "figures": figures, "edges": edges.tolist(), **known}

    def _instances(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return the instances with a figure between two values, the greatest first."""
        if arguments.get("touching") == "1":
            row, within = self._row(arguments, "row"), self._range(arguments)
            return instances(self.touching(row, arguments.get("figure", ""), within), arguments)
        values, _, _ = self._values_of(arguments)
        return instances(values, arguments)

    def _why(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return why a task waited: in an instance, in the longest ones, or in a range."""
        row, worst = self._row(arguments, "row"), number(arguments, "worst", 0, MOST_TOGETHER)
        begin = number(arguments, "begin", self._begin, self._end)
        end = number(arguments, "end", begin, self._end)
        return self.why(row, (begin, end), worst)

    def why(self, row: int, within: tuple[int, int], worst: int) -> dict[str, Any]:
        """Return why a task waited; see `view.whys`. The tape is read twice."""
        # This import takes a third of the start of `view`.
        from tickertape.view.whys import whys_of  # noqa: PLC0415 - see above

        return whys_of(self._index, self._rows[row], within, worst=worst)

    def _values_of(self, arguments: Mapping[str, str]) -> tuple[Structured, int, str]:
        begin, end = self._range(arguments)
        row = self._row(arguments, "row")
        other = self._row(arguments, "other") if arguments.get("other") else row
        return self.values(row, arguments.get("figure", ""), other, (begin, end))

    def values(
        self, row: int, figure: str, other: int, within: tuple[int, int]
    ) -> tuple[Structured, int, str]:
        """Return the values of a figure within a range, the number left out, and the figure.

        Args:
            row: number of the row.
            figure: a figure of its kind; empty for the default.
            other: row of the events at which distances end; the row itself for distances between
                its own events.
            within: begin and end on the axis, ns.

        Raises:
            UsageError: the row has no such figure.
        """
        figure = figure or FIGURES.get(self._rows[row]["kind"], ("",))[0]
        return *self._spreads.of(row, figure, other).within(*within), figure

    def touching(self, row: int, figure: str, within: tuple[int, int]) -> Structured:
        """Return the values of a figure that overlap a range; see `values`."""
        return self._spreads.of(row, figure, row).touching(*within)

    def values_of_rows(
        self, rows: Sequence[int], figure: str, within: tuple[int, int]
    ) -> list[tuple[Structured, int]]:
        """Return the values of a figure of several rows in one pass, and the numbers left out.

        Args:
            rows: numbers of tasks, interrupts or locks.
            figure: a figure of their kinds.
            within: begin and end on the axis, ns.
        """
        return [one.within(*within) for one in self._spreads.of_rows(rows, figure)]

    def _found(self, _arguments: Mapping[str, str]) -> dict[str, Any]:
        return {"groups": self.findings()}

    def findings(self) -> list[dict[str, Any]]:
        """Return the findings of the tape; see `view.findings`. The tape is read once."""
        # This import takes a third of the start of `view`.
        from tickertape.view.findings import findings_of  # noqa: PLC0415 - see above

        with self._lock:
            if self._findings is None:
                self._findings = findings_of(self._index)
            return self._findings

    def _row(self, arguments: Mapping[str, str], name: str) -> int:
        return number(arguments, name, 0, len(self._rows) - 1)

    def _range(self, arguments: Mapping[str, str]) -> tuple[int, int]:
        begin = number(arguments, "begin", self._begin, self._end)
        end = number(arguments, "end", self._begin, self._end)
        if end <= begin:
            raise UsageError("the range is empty", "give an end after its begin")
        return begin, end

    def _numbers(self, text: str) -> list[int]:
        numbers = text.split(",") if text else []
        if len(numbers) > MOST_ROWS:
            raise UsageError(f"{len(numbers)} rows are too many", f"request {MOST_ROWS} at most")
        return [number({"row": one}, "row", 0, len(self._rows) - 1) for one in numbers]


def histogram(values: I64, left_out: int, edges: I64) -> dict[str, Any]:
    """Return the number of values in each bar, and their percentiles, as JSON values."""
    found = {"count": len(values), "left_out": left_out, "counts": [0] * max(len(edges) - 1, 0)}
    if not len(values):
        return found
    marks = np.percentile(values, (0, 50, 95, 99, 100), method="inverted_cdf").tolist()
    names = ("least", "median", "p95", "p99", "most")
    found |= dict(zip(names, map(int, marks), strict=True))
    return {**found, "counts": np.histogram(values, edges)[0].tolist()}


def instances(values: Structured, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Return the values between `least` and `most`, the greatest first, as JSON values.

    Raises:
        UsageError: an argument is missing or out of range.
    """
    least = number(arguments, "least", 0, _MOST_NS)
    most = number(arguments, "most", 0, _MOST_NS)
    found = values[(values["value"] >= least) & (values["value"] <= most)]
    order = np.lexsort((found["begin"], -found["value"]))[:_MOST_INSTANCES]
    columns = {name: found[name][order].tolist() for name in found.dtype.names or ()}
    return {"count": len(found), **columns}


def edges_of(begin: int, end: int, pixels: int) -> I64:
    """Return the begins of all pixels and the end of the last one; whole ns, ascending."""
    steps = np.arange(pixels + 1, dtype=np.int64)
    whole, rest = divmod(end - begin, pixels)
    return begin + whole * steps + rest * steps // pixels


def bars_of(values: I64) -> I64:
    """Return the edges of a histogram's bars, ascending; the last one is above every value.

    Args:
        values: at least one value, all at least 0.
    """
    least, most = int(values.min()), int(values.max()) + 1
    if most > _LONG_TAIL * max(float(np.median(values)), 1.0):
        edges = np.geomspace(max(least, 1), most, _BARS + 1)
        edges[0] = least
    else:
        edges = np.linspace(least, most, _BARS + 1)
    found: I64 = np.unique(np.append(edges[:-1].astype(np.int64), most))
    return found


def _notable() -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return a table of the states that `next` finds: a run, a held or full object, a moment."""
    found = np.zeros(256, bool)
    found[[State.RUNNING, State.USED, State.FULL, State.OVERFULL, INTERRUPT, POINT]] = True
    return found


_NOTABLE: Final = _notable()


def number(arguments: Mapping[str, str], name: str, least: int, most: int) -> int:
    """Parse a whole number from the arguments.

    Raises:
        UsageError: the argument is missing, not a number, or out of range.
    """
    text = arguments.get(name, "")
    if not (text.lstrip("-").isascii() and text.lstrip("-").isdigit() and len(text) <= _DIGITS):
        raise UsageError(f"{name} is missing or no whole number", "give one")
    value = int(text)
    if not least <= value <= most:
        raise UsageError(f"{name} is out of range", f"give {least} to {most}")
    return value
