"""Align two runs on one axis, at an event or time of each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tickertape.errors import UsageError, nearest
from tickertape.tape.reader import TapeReader
from tickertape.view.losses import UNREAD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.view.index import Index
    from tickertape.view.queries import Queries

BEGIN: Final = "begin"
_LATEST: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Alignment:
    """The times at which two runs are aligned.

    Attributes:
        times: aligned time on the axis of each run, ns.
        text: description of this time.
        doubts: reasons why another time may be right, one line each.
    """

    times: tuple[int, int]
    text: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A tape to align.

    Attributes:
        label: name to print.
        index: index of the tape.
        queries: queries on the index.
    """

    label: str
    index: Index
    queries: Queries


def aligned_at(runs: tuple[Run, Run], align: str | tuple[int, int] | None) -> Alignment:
    """Align two runs as `align` requests; see `open_pair`.

    Raises:
        UsageError: their times cannot be compared, or a run does not have this name or time.
    """
    for run in runs:
        refuse_unknown_time(run)
    if align is None:
        return at_common_event(runs)
    if isinstance(align, tuple):
        return at_times(runs, align)
    return at_begin(runs) if align == BEGIN else at_name(runs, align)


def refuse_unknown_time(run: Run) -> None:
    """Refuse a run whose times cannot be compared with the times of another run.

    Raises:
        UsageError: the run has no event, an unknown clock rate, or boots with an unknown time
            between them.
    """
    segments: Sequence[Mapping[str, Any]] = run.index.about["segments"]
    if not segments:
        raise UsageError(f"{run.label} has no event", "view the other tape alone")
    if not all(one["known_rate"] for one in segments):
        raise UsageError(
            f"the clock rate of {run.label} is unknown, so its times cannot be compared",
            "view each tape alone",
        )
    if len(segments) > 1:
        with TapeReader(run.index.tape) as reader:
            boards = reader.boards
            together = all(
                one["epoch"] in boards and boards[one["epoch"]].aligned for one in segments
            )
        if not together:
            raise UsageError(
                f"{run.label} has {len(segments)} boots with an unknown time between them",
                "view it alone, or cut one boot with 'tickertape cut'",
            )


def at_times(runs: tuple[Run, Run], times: tuple[int, int]) -> Alignment:
    """Align at given times, in ns as `print` shows them.

    Raises:
        UsageError: a time is outside of its run.
    """
    for run, time in zip(runs, times, strict=True):
        begin, end = run.index.about["begin"], run.index.about["end"]
        if not begin <= time < end:
            raise UsageError(
                f"{run.label} has no time {time / 1e9:.9f}",
                f"choose a time from {begin / 1e9:.9f} to {(end - 1) / 1e9:.9f}",
            )
    return Alignment(times, "given times")


def at_begin(runs: tuple[Run, Run], text: str = "their first records") -> Alignment:
    """Align at the first records."""
    first, second = (int(run.index.about["begin"]) for run in runs)
    return Alignment((first, second), text)


def at_name(runs: tuple[Run, Run], name: str) -> Alignment:
    """Align at the first event, run or hold on the row of this name.

    Raises:
        UsageError: a run has no such row, or the row is empty.
    """
    times = []
    for run in runs:
        names = sorted({one["name"] for one in run.index.about["rows"]})
        if name not in names:
            raise UsageError(f'{run.label} has no row "{name}"', nearest(name, names))
        found = _first(run, name)
        if found is None:
            raise UsageError(f'nothing happens on row "{name}" of {run.label}', "align another one")
        times.append(found)
    text = f'the first "{name}"'
    doubts = tuple(
        f"records of {run.label} are missing before {text}: an earlier one may be lost"
        for run, time in zip(runs, times, strict=True)
        if _is_missing(run, time)
    )
    return Alignment((times[0], times[1]), text, doubts)


def at_common_event(runs: tuple[Run, Run]) -> Alignment:
    """Align at the first user event that both runs have, else at the first records."""
    names = [
        {one["name"] for one in run.index.about["rows"] if one["kind"] == "user event"}
        for run in runs
    ]
    first = min(
        ((_first(runs[0], name) or _LATEST, name) for name in sorted(names[0] & names[1])),
        default=None,
    )
    if first is None:
        return at_begin(runs, "their first records, because no user event is on both tapes")
    return at_name(runs, first[1])


def _first(run: Run, name: str) -> int | None:
    """Return the first time with an entry on the rows of this name, axis ns; None if empty."""
    before = int(run.index.about["begin"]) - 1
    rows = [one["row"] for one in run.index.about["rows"] if one["name"] == name]
    found = [place[0] for row in rows if (place := run.queries.next(row, before, back=False))]
    return min(found, default=None)


def _is_missing(run: Run, time: int) -> bool:
    losses: Sequence[Mapping[str, Any]] = run.index.about["losses"]
    return any(one["begin"] <= time and one["reason"] != UNREAD for one in losses)
