"""Samples of instances by name, and bootstrap intervals of the difference of two samples."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tickertape.answers.figures import event_name
from tickertape.answers.reading import parts_of
from tickertape.model.entities import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tickertape.answers.diff_runs import Run

    Values = NDArray[np.float64]

KEPT: Final = 2048
"""Number of values kept per figure, chosen at random with equal chance."""

FEWEST: Final = 5
"""Least number of values of each side for an interval."""

CONFIDENCE: Final = 0.99
_RESAMPLES: Final = 999
_BATCH: Final = 100
_SEED: Final = 19


class Interval(NamedTuple):
    """Limits of a difference, B - A."""

    low: float
    high: float


@dataclass(slots=True)
class Reservoir:
    """A random sample of many values, each with equal chance."""

    values: list[int] = field(default_factory=list)
    count: int = 0
    chance: random.Random = field(
        default_factory=lambda: random.Random(_SEED)  # noqa: S311 - a choice that repeats
    )

    def add(self, value: int) -> None:
        """Add a value."""
        self.count += 1
        if len(self.values) < KEPT:
            self.values.append(value)
        elif (place := self.chance.randrange(self.count)) < KEPT:
            self.values[place] = value


@dataclass(frozen=True, slots=True)
class Samples:
    """Result of one pass over a run.

    Attributes:
        by_figure: values in ticks, by kind, name and figure.
        events: number of events of each type, by name.
        last: tick of the last record, by CPU.
    """

    by_figure: dict[tuple[str, str, str], Reservoir]
    events: Counter[str]
    last: dict[int, int]


def samples_of(run: Run, on_progress: Callable[[int], None] | None = None) -> Samples:
    """Read response and execution times of whole instances, and count events."""
    found: dict[tuple[int, str], Reservoir] = {}
    codes: Counter[int] = Counter()
    last_ticks: dict[int, int] = {}
    last, done = None, 0
    for part in parts_of(run.reader, epochs=[run.epoch], stream=run.stream):
        last = part
        if part.columns is not None:
            numbers, counts = np.unique(part.columns.code, return_counts=True)
            codes.update(dict(zip(numbers.tolist(), counts.tolist(), strict=True)))
            done += len(part.columns)
            for cpu, (_, row) in part.columns.rows_of_cpus.items():
                last_ticks[cpu] = max(last_ticks.get(cpu, 0), int(part.columns.time[row]))
            if on_progress is not None:
                on_progress(done)
        for one in part.instances:
            if one.whole:
                found.setdefault((one.entity, "response"), Reservoir()).add(one.response.low)
                found.setdefault((one.entity, "execution"), Reservoir()).add(one.running)
    by_figure: dict[tuple[str, str, str], Reservoir] = {}
    if last is not None:
        for (entity, figure), values in found.items():
            of = last.entities[entity]
            kind = "task" if of.kind is Kind.TASK else "interrupt"
            by_figure.setdefault((kind, of.name, figure), values)
    events = Counter({event_name(code): n for code, n in codes.items()})
    return Samples(by_figure, events, last_ticks)


def _mean(values: Values, axis: int = -1) -> Values:
    found: Values = np.mean(values, axis=axis)
    return found


def _p95(values: Values, axis: int = -1) -> Values:
    found: Values = np.quantile(values, 0.95, axis=axis, method="inverted_cdf")
    return found


STATISTICS: Final = {"mean": _mean, "p95": _p95}


def interval_of(stats: Any, a: Values, b: Values, statistic: str) -> Interval | None:  # noqa: ANN401 - scipy has no types
    """Return the limits of the difference of a statistic, B - A; None with too few values.

    Exchanging the samples gives the same limits with the opposite sign.

    Args:
        stats: the module `scipy.stats`.
        a: values of A.
        b: values of B.
        statistic: a key of STATISTICS.
    """
    if len(a) == len(b) and np.array_equal(np.sort(a), np.sort(b)):
        return Interval(0.0, 0.0)
    if min(len(a), len(b)) < FEWEST:
        return None
    is_swapped = (len(a), a.tobytes()) > (len(b), b.tobytes())
    first, second = (b, a) if is_swapped else (a, b)
    of = STATISTICS[statistic]

    def difference(x: Values, y: Values, axis: int = -1) -> Values:
        return of(y, axis) - of(x, axis)

    found = stats.bootstrap(
        (first, second),
        difference,
        n_resamples=_RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    low, high = float(found.low), float(found.high)
    return Interval(-high, -low) if is_swapped else Interval(low, high)
