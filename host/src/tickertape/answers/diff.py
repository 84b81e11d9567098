"""Compare two tapes: figures, names that only one tape has, and the first difference of the runs.

    for one in compare(a, b, scipy_stats):
        print(one.decision, one.figures)

Tasks, interrupts, objects and events are matched by name, so builds may differ.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.answers.diff_runs import Parting, Run, first_decision, first_event
from tickertape.answers.diff_samples import STATISTICS, Interval, interval_of, samples_of
from tickertape.answers.figures import rows_of, time_of
from tickertape.answers.observed import Reason
from tickertape.answers.statistics import statistics_of
from tickertape.protocol.events import EventClass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tickertape.analysis.balance import RingBalance
    from tickertape.answers.diff_samples import Samples
    from tickertape.answers.figures import Row
    from tickertape.answers.statistics import BootStats
    from tickertape.tape.reader import TapeReader

    Number = float | int | None
    Key = tuple[str, str, str]

_KINDS: Final = ("task", "interrupt", "object", "event")
_LEFT_OUT: Final = {"uncertain", "cpu_time"}
_LIMITED: Final = {"response", "execution", "latency"}
_RECORDED: Final = {"count", "deadline_misses"}
"""Numbers of records: a loss only makes them smaller."""
_COSTS: Final = {"response.mean", "response.p95", "execution.mean"}


class Change(StrEnum):
    """How a figure of B compares with that of A."""

    SAME = "same"
    MORE = "more"
    LESS = "less"
    CHANCE = "chance"
    """The values differ, and the interval of the difference contains 0."""
    UNKNOWN = "unknown"
    """Unknown time, too few values, or different units."""


@dataclass(frozen=True, slots=True)
class Side:
    """A figure of one tape: its value and its limits, see `Figure`."""

    value: Number
    low: Number
    high: Number

    @property
    def exact(self) -> bool:
        """True when unknown time cannot change the value."""
        return self.value is not None and self.low == self.value == self.high


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of both tapes.

    Attributes:
        kind: task, interrupt, object or event.
        name: name of the task, interrupt, object or event.
        figure: name of the figure, as in `stats --csv`.
        unit: ns, ticks, count or share.
        a: figure of A.
        b: figure of B.
        change: how B compares with A.
        interval: limits of the difference B - A in `unit`; None without a test, or if the test has
            too few values.
        tested: whether the figure has a test.
    """

    kind: str
    name: str
    figure: str
    unit: str
    a: Side
    b: Side
    change: Change
    interval: Interval | None = None
    tested: bool = False

    @property
    def ratio(self) -> float | None:
        """Difference B - A divided by A; None if A is 0, or if one of both is unknown."""
        if not self.a.value or self.b.value is None:
            return None
        return (self.b.value - self.a.value) / self.a.value

    def regressed(self, threshold: float) -> bool | None:
        """Return whether B exceeds A by more than `threshold` times A; None if unknown.

        Only means and 95th percentiles of response times, means of execution times, and missed
        deadlines can regress. The lower limit of the difference decides.
        """
        if self.figure == "deadline_misses":
            return None if self.change is Change.UNKNOWN else self.change is Change.MORE
        if self.figure not in _COSTS or not self.tested:
            return False
        if self.change is Change.UNKNOWN:
            return None
        if self.change is not Change.MORE or self.a.value is None:
            return False
        if self.a.exact and self.b.exact:
            low = None if self.interval is None else self.interval.low
        else:
            low = _difference(self.b.low, self.a.high)
        return None if low is None else low > threshold * self.a.value


@dataclass(frozen=True, slots=True)
class Only:
    """A task, interrupt, object or event type that only one tape has.

    Attributes:
        kind: task, interrupt, object or event.
        name: its name.
        side: `A` or `B`.
        count: number of events of an event type; 0 for other kinds.
        sure: False when the other tape may have lost it.
    """

    kind: str
    name: str
    side: str
    count: int
    sure: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of a boot of A with a boot of B.

    Attributes:
        epochs: numbers of the boots.
        notes: differences and losses that limit the comparison.
        figures: figures that are on both tapes.
        only: entities and event types that only one tape has.
        decision: the first scheduling decision that differs.
        event: the first event that differs; None when builds or clocks are known to differ.
        ticks_hz: rates of the clocks; 0 when unknown.
    """

    epochs: tuple[int, int]
    notes: Sequence[str]
    figures: Sequence[Compared]
    only: Sequence[Only]
    decision: Parting
    event: Parting | None
    ticks_hz: tuple[int, int]

    @property
    def differs(self) -> bool:
        """Whether anything is known to differ."""
        changed = any(one.change not in {Change.SAME, Change.UNKNOWN} for one in self.figures)
        parts = self.decision.differs or (self.event is not None and self.event.differs)
        return changed or bool(self.only) or parts


def compare(
    a: TapeReader,
    b: TapeReader,
    stats: Any,  # noqa: ANN401 - scipy has no types
    *,
    on_progress: Callable[[int], None] | None = None,
) -> Iterator[Comparison]:
    """Yield a comparison for each pair of boots of two tapes, in order.

    Args:
        a: the tape to compare with.
        b: the tape that is compared.
        stats: the module `scipy.stats`; None for no intervals.
        on_progress: called now and then with the number of events read so far.
    """
    for one, other in zip(a.epochs, b.epochs, strict=False):
        yield _compared((a, one), (b, other), stats, on_progress)


def unmatched(a: TapeReader, b: TapeReader) -> list[str]:
    """Return a line for each boot without a counterpart on the other tape."""
    found = []
    for one, other in zip_longest(a.epochs, b.epochs):
        if other is None:
            found.append(f"boot {one} of A is not compared: B has fewer boots")
        elif one is None:
            found.append(f"boot {other} of B is not compared: A has fewer boots")
    return found


@dataclass(frozen=True, slots=True)
class _Tape:
    run: Run
    stats: BootStats
    samples: Samples
    rows: Mapping[Key, Row]
    doubts: Sequence[tuple[int, str]]
    is_cut: bool
    """Whether receipts count records after the last one; limits hold only up to that record."""
    is_final: bool
    """Whether the balance is final: no record follows the last receipt."""

    @property
    def is_whole(self) -> bool:
        """Whether no record is known to be missing."""
        return not self.doubts

    @property
    def is_complete(self) -> bool:
        """Whether the tape has all records of the run."""
        return self.is_whole and self.is_final


def _compared(
    a: tuple[TapeReader, int],
    b: tuple[TapeReader, int],
    stats: Any,  # noqa: ANN401 - scipy has no types
    on_progress: Callable[[int], None] | None,
) -> Comparison:
    first, second = _read(*a, on_progress), _read(*b, on_progress)
    ticks_hz = (first.stats.clock.tick_hz or 0, second.stats.clock.tick_hz or 0)
    notes, same_build = _notes(first, second)
    same_clock = ticks_hz[0] == ticks_hz[1]
    return Comparison(
        (a[1], b[1]),
        notes,
        list(_figures(first, second, stats)),
        list(_only(first, second)),
        first_decision(first.run, second.run),
        first_event(first.run, second.run) if same_build and same_clock else None,
        ticks_hz,
    )


def _read(reader: TapeReader, epoch: int, on_progress: Callable[[int], None] | None) -> _Tape:
    run = Run(reader, epoch, reader.default_stream(epoch))
    (stats,) = statistics_of(reader, epochs=[epoch], on_progress=on_progress)
    samples = samples_of(run, on_progress)
    rings = [
        ring
        for ring in balance_of(reader, by_class=False).rings
        if (ring.ring.epoch, ring.ring.stream) == (epoch, run.stream)
    ]
    cuts = _lost_at_the_end(rings, stats, samples)
    doubts = [*_doubts(stats), *cuts]
    if any(ring.first_ordinal for ring in rings):
        doubts.append((-1, "records before the first one are missing"))
    is_final = all(ring.final for ring in rings)
    end = max(samples.last.values(), default=-1)
    ends = [] if is_final else [(end, "records after the last one may be missing")]
    until, doubt = min([*doubts, *ends], default=(None, ""))
    run = replace(run, known_until=until, doubt=doubt)
    rows: dict[Key, Row] = {}
    for row in rows_of(stats):
        if row.kind in _KINDS and row.figure not in _LEFT_OUT:
            rows.setdefault((row.kind, row.name, row.figure), row)
    return _Tape(run, stats, samples, rows, doubts, bool(cuts), is_final)


def _doubts(stats: BootStats) -> list[tuple[int, str]]:
    """Return the ticks from which events may be missing, each with its reason."""
    found = [
        (one.begin, f"{one.reason.value}, from {stats.clock.ns(one.begin) / 1e9:.9f} s on")
        for one in stats.unknown
        if one.hides_events
    ]
    if EventClass.SCHED in stats.missing:
        found.append((-1, "the tape has no event of class SCHED"))
    return found


def _lost_at_the_end(
    rings: Sequence[RingBalance], stats: BootStats, samples: Samples
) -> list[tuple[int, str]]:
    """Return the last tick of each CPU with more lost records than in its gaps, and the reason."""
    gaps: Counter[int | None] = Counter()
    for one in stats.unknown:
        if one.reason is Reason.LOST:
            gaps[one.cpu] += one.records or 0
    return [
        (
            samples.last.get(ring.ring.cpu, -1),
            f"the last records of CPU {ring.ring.cpu} are missing",
        )
        for ring in rings
        if ring.balance.lost > gaps[ring.ring.cpu]
    ]


def _notes(first: _Tape, second: _Tape) -> tuple[list[str], bool]:
    """Return notes that limit the comparison, and whether both tapes are of one build."""
    notes: list[str] = []
    one, other = (each.run.reader.hellos.get(each.run.epoch) for each in (first, second))
    for side, hello in (("A", one), ("B", other)):
        if hello is None:
            notes.append(f"{side} has no HELLO: its target, build and clock are unknown")
    for side, tape in (("A", first), ("B", second)):
        notes += [f"{side}: {doubt}" for _, doubt in sorted(tape.doubts)[:1]]
    if one is None or other is None:
        return notes, False
    for what, mine, its in (
        ("targets", one.target, other.target),
        ("rates of the clocks", f"{one.tick_hz} Hz", f"{other.tick_hz} Hz"),
        ("numbers of CPUs", one.cpu_count, other.cpu_count),
        ("builds", one.build_id or "unknown", other.build_id or "unknown"),
    ):
        if mine != its:
            notes.append(f"different {what}: {mine} and {its}")
    times = [time_of(each.stats.clock, each.stats.observed_ticks) for each in (first, second)]
    if one.tick_hz and other.tick_hz and times[0] != times[1]:
        seconds = " and ".join(f"{(time or 0) / 1e9:.3f} s" for time in times)
        notes.append(f"different observed times: {seconds}; counts belong to these")
    return notes, one.build_id == other.build_id


def _only(first: _Tape, second: _Tape) -> Iterator[Only]:
    for side, mine, its in (("A", first, second), ("B", second, first)):
        known = {(kind, name) for kind, name, _ in its.rows}
        named = dict.fromkeys((kind, name) for kind, name, _ in mine.rows if kind != "event")
        for kind, name in named:
            if (kind, name) not in known:  # both may have it, but one may have lost its name
                yield Only(kind, name, side, 0, mine.is_complete and its.is_complete)
        for name, number in sorted(mine.samples.events.items()):
            if name not in its.samples.events:
                yield Only("event", name, side, number, its.is_complete)


def _figures(first: _Tape, second: _Tape, stats: Any) -> Iterator[Compared]:  # noqa: ANN401 - scipy
    for key, row in first.rows.items():
        other = second.rows.get(key)
        if other is None:
            continue
        a, b = _side(row, first), _side(other, second)
        if a.value is None and b.value is None:
            continue
        test = _test(key, first, second, stats) if row.unit == other.unit else None
        interval = test[0] if test else None
        change = _change(a, b, tested=test is not None, interval=interval)
        if row.unit != other.unit:
            change = Change.UNKNOWN
        yield Compared(*key, row.unit, a, b, change, interval, test is not None)


def _side(row: Row, tape: _Tape) -> Side:
    """Return a figure with its limits; some figures are unlimited on a tape with losses."""
    if row.kind == "event":
        has_limits = row.figure == "count"
    else:
        has_limits = row.kind != "object" and row.figure.partition(".")[0] in _LIMITED
    if tape.is_whole or (has_limits and not tape.is_cut):
        return Side(row.value, row.low, row.high)
    return Side(row.value, row.value if row.figure in _RECORDED else 0, None)


def _test(
    key: Key,
    first: _Tape,
    second: _Tape,
    stats: Any,  # noqa: ANN401 - scipy has no types
) -> tuple[Interval | None] | None:
    """Return the interval of a figure, in a tuple; None if the figure has no test.

    The interval is None with too few values.
    """
    kind, name, label = key
    figure, _, statistic = label.partition(".")
    if stats is None or statistic not in STATISTICS:
        return None
    values = [each.samples.by_figure.get((kind, name, figure)) for each in (first, second)]
    if None in values:
        return None
    one, other = (
        np.array(each.values, np.float64) * (1e9 / tape.stats.clock.tick_hz)
        if tape.stats.clock.tick_hz
        else np.array(each.values, np.float64)
        for each, tape in zip(values, (first, second), strict=True)
        if each is not None
    )
    return (interval_of(stats, one, other, statistic),)


def _change(a: Side, b: Side, *, tested: bool, interval: Interval | None) -> Change:
    if a.exact and a.value == b.value and b.exact:
        return Change.SAME
    more, less = _difference(b.low, a.high) or 0, _difference(a.low, b.high) or 0
    if a.value is None or b.value is None or (more <= 0 and less <= 0):
        return Change.UNKNOWN
    if a.exact and b.exact and tested:
        if interval is None:
            return Change.UNKNOWN
        if interval.low <= 0 <= interval.high:
            return Change.CHANCE
    return Change.MORE if more > 0 else Change.LESS


def _difference(low: Number, high: Number) -> float | None:
    return None if low is None or high is None else low - high
