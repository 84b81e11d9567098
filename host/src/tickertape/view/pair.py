"""Show two runs, one below the other, on one axis of time.

`Pair` answers the same questions as `Queries`. The rows of each run follow a row with its name. The
times of a run are shifted so that the aligned times of both runs coincide. A loss applies to the
rows of its run.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.errors import UsageError
from tickertape.model.transitions import State
from tickertape.tape.reader import TapeReader
from tickertape.view.arrow_log import ARROW
from tickertape.view.arrows import columns_of
from tickertape.view.figures import FIGURES
from tickertape.view.losses import totals
from tickertape.view.queries import (
    MOST_EVENTS,
    MOST_PIXELS,
    MOST_ROWS,
    MOST_TOGETHER,
    bars_of,
    edges_of,
    histogram,
    instances,
    number,
)
from tickertape.view.rows import NO_ROW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.decode.records import Structured
    from tickertape.view.aligning import Alignment, Run

OUTSIDE: Final = "not a part of this run"
"""Reason of a pseudo-loss: only the other run covers this time."""

_WAITS: Final = {State.WAITING, State.POLLING}
"""States whose detail is the row that a process waits for."""
_LEAD: Final = {"cpu", "lock", "semaphore"}
"""Kinds of rows whose details are row numbers."""

_NO_ARROWS: Final[dict[str, Any]] = {"count": 0, "arrows": columns_of(np.zeros(0, ARROW))}


@dataclass(frozen=True, slots=True)
class _Part:
    """A run on the common axis.

    Attributes:
        run: the run.
        number: 0 for the first run, 1 for the second.
        head: number of the row with the name of the run; the rows of the run follow.
        offset: time on the common axis minus time on the run's axis, ns.
    """

    run: Run
    number: int
    head: int
    offset: int

    @property
    def begin(self) -> int:
        """Begin of the run on the common axis, ns."""
        return int(self.run.index.about["begin"]) + self.offset

    @property
    def end(self) -> int:
        """End of the run on the common axis, ns."""
        return int(self.run.index.about["end"]) + self.offset

    @property
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Rows of the run, with its own numbers."""
        found: Sequence[Mapping[str, Any]] = self.run.index.about["rows"]
        return found

    def within(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the run's part of a range, on its own axis; None if it has none."""
        first, last = max(begin, self.begin), min(end, self.end)
        return (first - self.offset, last - self.offset) if first < last else None

    def shifted(self, arrow: Mapping[str, Any]) -> dict[str, Any]:
        """Return an arrow on the common axis."""
        base = self.head + 1
        rows = {one: arrow[one] + base if arrow[one] >= 0 else NO_ROW for one in _ENDS}
        return {**arrow, **rows, **{one: arrow[one] + self.offset for one in ("begin", "end")}}


_ENDS: Final = ("from", "to", "via")


class Pair:
    """Answers questions about two runs, by name, with arguments as text."""

    def __init__(self, runs: tuple[Run, Run], aligned: Alignment) -> None:
        """Put two runs on one axis.

        Args:
            runs: runs with known clock rates; see `refuse_unknown_time`.
            aligned: the times at which they are aligned.
        """
        first, second = runs
        begins = [int(run.index.about["begin"]) for run in runs]
        # No time of the common axis is below 0.
        zero = max(at - begin for at, begin in zip(aligned.times, begins, strict=True))
        self._parts = (
            _Part(first, 0, 0, zero - aligned.times[0]),
            _Part(second, 1, len(first.index.about["rows"]) + 1, zero - aligned.times[1]),
        )
        self._begin = min(part.begin for part in self._parts)
        self._end = max(part.end for part in self._parts)
        self._about = self._described(zero, aligned)
        self._count = len(self._about["rows"])
        self._answers = {
            "about": lambda _arguments: self._about,
            "tiles": self._tiles,
            "losses": lambda arguments: {"losses": self._losses(*self._range(arguments))},
            "events": self._events,
            "find": self._find,
            "stats": self._stats,
            "spread": self._spread,
            "instances": self._instances,
            "arrows": self._arrows,
            "follow": self._follow,
            "findings": self._findings,
            "why": self._why,
        }

    def answer(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Answer a question; see `Queries.answer`."""
        question = self._answers.get(name)
        return None if question is None else question(arguments)

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Refuse bookmarks, because they belong to one tape; see `Answers.change`."""
        del arguments
        if name != "bookmark":
            return None
        raise UsageError("two tapes are shown", "view one alone to add bookmarks")

    def news(self) -> None:
        """Return None: two tapes do not change; see `Answers.news`."""

    def _described(self, zero: int, aligned: Alignment) -> dict[str, Any]:
        abouts = [part.run.index.about for part in self._parts]
        runs, rows = [], []
        for part, about in zip(self._parts, abouts, strict=True):
            label = part.run.label
            with TapeReader(part.run.index.tape) as reader:
                total = balance_of(reader, by_class=False).total
            sums = {"events": about["events"], **totals(about["losses"])}
            runs.append({"label": label, **sums, "balance": asdict(total)})
            rows.append(_head(part))
            rows += [_row(part, one) for one in about["rows"]]
        segment = {"epoch": 0, "begin": self._begin, "end": self._end, "offset": zero, "name": ""}
        return {
            **{name: abouts[0][name] for name in ("states", "causes")},
            **{name: sum(one[name] for one in runs) for name in (*totals([]), "events")},
            "name": " and ".join(part.run.label for part in self._parts),
            "begin": self._begin,
            "end": self._end,
            "rows": rows,
            "runs": runs,
            "aligned": aligned.text,
            "doubts": aligned.doubts,
            "bookmarks": [],
            "no_bookmarks": "two tapes are shown",
            "segments": [{**segment, "known_rate": True}],
            "issues": [
                f"{part.run.label}: {issue}" for part in self._parts for issue in self._issues(part)
            ],
        }

    @staticmethod
    def _issues(part: _Part) -> Sequence[str]:
        found: Sequence[str] = part.run.index.about["issues"]
        return found

    def _tiles(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        begin, end = self._range(arguments)
        edges = edges_of(begin, end, number(arguments, "pixels", 1, MOST_PIXELS))
        names = [one for one in arguments.get("rows", "").split(",") if one]
        if len(names) > MOST_ROWS:
            raise UsageError(f"{len(names)} rows are too many", f"request {MOST_ROWS} at most")
        rows = []
        for row in [self._row({"row": one}, "row") for one in names]:
            part, own = self._owner(row)
            if own == NO_ROW:
                rows.append({"row": row, "slices": _no_slices()})
                continue
            mine = np.clip(edges, part.begin, part.end) - part.offset
            rows.append(_tile(part, own, part.run.queries.tile(own, mine)))
        return {"begin": begin, "end": end, "pixels": len(edges) - 1, "rows": rows}

    def _losses(self, begin: int, end: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for part in self._parts:
            mine = part.run.queries.losses(begin - part.offset, end - part.offset)
            for one in mine:
                times = {name: one[name] + part.offset for name in ("begin", "end")}
                found.append({**one, **times, "run": part.number})
            for since, until in ((self._begin, part.begin), (part.end, self._end)):
                if since < until and since < end and until > begin:
                    known = {"cpu": -1, "begin": since, "end": until, "count": 0}
                    found.append({**known, "reason": OUTSIDE, "run": part.number})
        return found

    def _events(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        when = self._time(arguments)
        before = number(arguments, "before", 0, MOST_EVENTS)
        after = number(arguments, "after", 0, MOST_EVENTS)
        found: list[dict[str, Any]] = []
        for part in self._parts:
            for one in part.run.index.events.around(when - part.offset, before, after):
                text = f"{part.run.label}  {one['text']}"
                found.append({**one, "time": one["time"] + part.offset, "text": text})
        found.sort(key=lambda one: int(one["time"]))
        earlier = [one for one in found if one["time"] < when]
        later = found[len(earlier) :][:after]
        return {"events": [*earlier[max(len(earlier) - before, 0) :], *later]}

    def _find(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        when, back = self._time(arguments), arguments.get("back", "0") == "1"
        rows: list[int] = []
        found = []
        for part in self._parts:
            name = arguments.get("name", "")
            mine = part.run.queries.find(name, when - part.offset, back=back)
            rows += [row + part.head + 1 for row in mine["rows"]]
            place = mine["found"]
            if place is not None:
                found.append((place["time"] + part.offset, place["row"] + part.head + 1))
        time, row = (max if back else min)(found, default=(0, NO_ROW))
        return {"rows": rows, "found": {"time": time, "row": row} if found else None}

    def _stats(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        begin, end = self._range(arguments)
        rows = []
        for part in self._parts:
            mine = part.within(begin, end)
            for own in range(len(part.rows)) if mine else ():
                one = part.run.queries.stats(own, *(mine or (0, 0)))
                for state in one["states"].values():
                    if "most_at" in state:
                        state["most_at"] += part.offset
                if one["states"]:
                    rows.append({**one, "row": own + part.head + 1})
        return {"begin": begin, "end": end, "rows": rows, "losses": self._losses(begin, end)}

    def _spread(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Return the histograms of a row and of the other run's row of that name, in equal bars."""
        part, own = self._owner(self._row(arguments, "row"))
        found, left_out, figure = self._values(part, own, arguments)
        twin = self._twin(part, own, arguments)
        both = [found["value"]]
        if twin is not None:
            others, others_left_out, _ = self._values(*twin[:2], {**arguments, "other": twin[2]})
            both.append(others["value"])
        values = np.concatenate(both)
        edges = bars_of(values) if len(values) else values
        answer = {
            "figure": figure,
            "figures": FIGURES[part.rows[own]["kind"]],
            "edges": edges.tolist(),
            **histogram(found["value"], left_out, edges),
        }
        if twin is not None:
            other, row, to = twin
            number_of = {"label": other.run.label, "row": row + other.head + 1, "other": int(to)}
            answer["twin"] = {**number_of, **histogram(both[1], others_left_out, edges)}
        return answer

    def _instances(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        part, own = self._owner(self._row(arguments, "row"))
        within = part.within(*self._range(arguments))
        if own == NO_ROW or within is None or arguments.get("touching") != "1":
            values, _, _ = self._values(part, own, arguments)
        else:
            values = part.run.queries.touching(own, arguments.get("figure", ""), within)
        found = instances(values, arguments)
        for name in ("begin", "end"):
            found[name] = [time + part.offset for time in found[name]]
        return found

    def _values(
        self, part: _Part, own: int, arguments: Mapping[str, str]
    ) -> tuple[Structured, int, str]:
        """Return the values of a row of a run, on its own axis; see `Queries.values`."""
        to = self._row(arguments, "other") if arguments.get("other") else own + part.head + 1
        other, lead = self._owner(to)
        if NO_ROW in (own, lead) or other is not part:
            raise UsageError("these rows have no distribution", "choose rows of one run")
        within = part.within(*self._range(arguments)) or (-1, -1)
        return part.run.queries.values(own, arguments.get("figure", ""), lead, within)

    def _twin(
        self, part: _Part, own: int, arguments: Mapping[str, str]
    ) -> tuple[_Part, int, str] | None:
        """Return the other run, its row of the same name, and its row that distances lead to."""
        other = self._parts[1 - part.number]
        lead = own
        if arguments.get("other"):
            lead = self._owner(self._row(arguments, "other"))[1]
        rows = [_same(other, part.rows[one]) for one in (own, lead)]
        if None in rows:
            return None
        return other, int(rows[0] or 0), str(int(rows[1] or 0) + other.head + 1)

    def _arrows(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        begin, end = self._range(arguments)
        pixels = number(arguments, "pixels", 1, MOST_PIXELS)
        parts: tuple[_Part, ...] = self._parts
        row = None
        if arguments.get("row"):
            part, row = self._owner(self._row(arguments, "row"))
            if row == NO_ROW:
                return _NO_ARROWS
            parts = (part,)
        found = []
        for part in parts:
            mine = (begin - part.offset, end - part.offset)
            one = part.run.index.arrows.answer(*mine, pixels, row)
            if "arrows" in one:
                one["arrows"] = _shifted(part, one["arrows"])
            found.append(one)
        if all("arrows" in one for one in found):
            arrows = [one["arrows"] for one in found]
            joined = {name: [value for one in arrows for value in one[name]] for name in arrows[0]}
            return {"count": len(joined["begin"]), "arrows": joined}
        counts = [_counts(one, begin, end, pixels) for one in found]
        return {
            "count": sum(one["count"] for one in found),
            "counts": [sum(several) for several in zip(*counts, strict=True)],
        }

    def _follow(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        when, back = self._time(arguments), arguments.get("back", "0") == "1"
        part, own = self._owner(self._row(arguments, "row"))
        if own == NO_ROW:
            return {"found": None}
        found = part.run.index.arrows.follow(own, when - part.offset, back=back)
        return {"found": None if found is None else part.shifted(found)}

    def _findings(self, _arguments: Mapping[str, str]) -> dict[str, Any]:
        groups = []
        for part in self._parts:
            for group in part.run.queries.findings():
                found = [_moved(part, one) for one in group["found"]]
                groups.append({**group, "by": f"{part.run.label}: {group['by']}", "found": found})
        return {"groups": groups}

    def _why(self, arguments: Mapping[str, str]) -> dict[str, Any]:
        part, own = self._owner(self._row(arguments, "row"))
        begin = number(arguments, "begin", self._begin, self._end)
        end = number(arguments, "end", begin, self._end)
        worst = number(arguments, "worst", 0, MOST_TOGETHER)
        if own == NO_ROW or end < part.begin or part.end < begin:
            raise UsageError("no task of this run is there", "choose another row or range")
        within = max(begin, part.begin) - part.offset, min(end, part.end) - part.offset
        found = part.run.queries.why(own, within, worst)
        found["instances"] = [_later(part, one) for one in found["instances"]]
        found["parts"] = [_later(part, one) for one in found["parts"]]
        return found

    def _owner(self, row: int) -> tuple[_Part, int]:
        """Return the run of a row, and its number there; NO_ROW for the row with a run's name."""
        part = self._parts[row >= self._parts[1].head]
        return part, row - part.head - 1

    def _row(self, arguments: Mapping[str, str], name: str) -> int:
        return number(arguments, name, 0, self._count - 1)

    def _time(self, arguments: Mapping[str, str]) -> int:
        return number(arguments, "time", self._begin, self._end)

    def _range(self, arguments: Mapping[str, str]) -> tuple[int, int]:
        begin = number(arguments, "begin", self._begin, self._end)
        end = number(arguments, "end", self._begin, self._end)
        if end <= begin:
            raise UsageError("the range is empty", "give an end after its begin")
        return begin, end


def _head(part: _Part) -> dict[str, Any]:
    """Return the row with the name of a run."""
    label = part.run.label
    known = {"row": part.head, "kind": "run", "name": label, "run": part.number}
    return {**known, "board": "", "number": part.number}


def _row(part: _Part, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "row": row["row"] + part.head + 1, "run": part.number}


def _no_slices() -> dict[str, list[int]]:
    return {name: [] for name in ("begin", "end", "state", "cause", "detail")}


def _tile(part: _Part, own: int, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a run on the common axis."""
    base, slices = part.head + 1, found.get("slices")
    if slices is None:
        return {"row": own + base, "tile": {**found["tile"], "row": own + base}}
    leads = part.rows[own]["kind"] in _LEAD
    detail = [
        value + base if value >= 0 and (leads or state in _WAITS) else value
        for value, state in zip(slices["detail"], slices["state"], strict=True)
    ]
    times = {name: [time + part.offset for time in slices[name]] for name in ("begin", "end")}
    return {"row": own + base, "slices": {**slices, **times, "detail": detail}}


def _same(part: _Part, row: Mapping[str, Any]) -> int | None:
    """Return the row of a run with kind, board and name of another row; None if not exactly one.

    Numbers of threads and locks may differ between runs.
    """
    wanted = [row[name] for name in ("kind", "board", "name")]
    found = [
        int(one["row"])
        for one in part.rows
        if [one[name] for name in ("kind", "board", "name")] == wanted
    ]
    return found[0] if len(found) == 1 else None


def _shifted(part: _Part, arrows: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Return columns of arrows on the common axis."""
    base = part.head + 1
    rows = {name: [row + base if row >= 0 else NO_ROW for row in arrows[name]] for name in _ENDS}
    times = {name: [time + part.offset for time in arrows[name]] for name in ("begin", "end")}
    return {**arrows, **rows, **times}


def _later(part: _Part, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return an instance, or a part with its parts, on the common axis."""
    times = {name: one[name] + part.offset for name in ("begin", "end")}
    inner = {"parts": [_later(part, two) for two in one["parts"]]} if "parts" in one else {}
    return {**one, **times, **inner}


def _moved(part: _Part, one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding on the common axis."""
    row = one["row"] if one["row"] == NO_ROW else one["row"] + part.head + 1
    times = {name: one[name] + part.offset for name in ("begin", "end")}
    return {**one, **times, "row": row}


def _counts(found: Mapping[str, Any], begin: int, end: int, pixels: int) -> list[int]:
    """Return the number of arrows that begin in each pixel of a range."""
    if "counts" in found:
        known: list[int] = found["counts"]
        return known
    counts = [0] * pixels
    for time in found["arrows"]["begin"]:
        counts[(max(time, begin) - begin) * pixels // (end - begin)] += 1
    return counts
