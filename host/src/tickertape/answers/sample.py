"""Statistics of many values in bounded memory, with limits for the effect of unseen values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.records import I64

_EXACT: Final = 1 << 16
_PART: Final = 1 << 12
_TOO_MUCH: Final = 1 << 63
RESOLUTION_BITS: Final = 10
"""Beyond 65 536 values, a percentile is off by less than 1 / 2^10 of its value."""

PERCENTILES: Final = (50, 95, 99)


class Figure(NamedTuple):
    """A value, and the limits between which unseen values could move it.

    Attributes:
        value: figure of the seen values; None without any.
        low: lower limit.
        high: upper limit; None if unlimited.
    """

    value: float | int | None
    low: float | int
    high: float | int | None

    @property
    def exact(self) -> bool:
        """True when unseen values cannot change it."""
        return self.value is not None and self.low == self.value == self.high


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values that exist, or may exist, in addition to the seen ones.

    Attributes:
        count: greatest number of them; None if unlimited.
        high: upper limit of each; None if unlimited.
    """

    count: int | None = 0
    high: int | None = 0

    @property
    def none(self) -> bool:
        """True when every value was seen."""
        return self.count == 0


NOTHING_UNSEEN: Final = Unseen()


@dataclass(frozen=True, slots=True)
class Distribution:
    """Statistics of a sample.

    Attributes:
        count: number of values; `high` includes values that may be unseen.
        minimum: the smallest value.
        mean: mean of the values.
        percentiles: by percent p: the smallest value that p percent of all values do not exceed.
        maximum: the greatest value.
        worst: instance with the maximum, the first if several have it; None if unknown.
        exact: False if percentiles are computed from buckets, see `RESOLUTION_BITS`.
    """

    count: Figure
    minimum: Figure
    mean: Figure
    percentiles: dict[int, Figure]
    maximum: Figure
    worst: int | None
    exact: bool


class Sample:
    """Collects integers of at least 0."""

    def __init__(self) -> None:
        """Begin without values."""
        self.count = self.total = 0
        self.minimum: int | None = None
        self.maximum: int | None = None
        self.worst: int | None = None
        self._new: list[I64] = []
        self._waiting = 0
        self._values = np.zeros(0, np.int64)
        self._counts: I64 | None = None  # values per bucket, once there are too many to keep

    @classmethod
    def of(
        cls,
        count: int,
        total: int,
        limits: tuple[int, int],
        worst: int | None,
        *,
        values: I64 | None,
        buckets: I64 | None,
    ) -> Sample:
        """Return a sample from its sums.

        Args:
            count: number of values.
            total: sum of the values.
            limits: the smallest and the greatest value.
            worst: instance of the greatest value.
            values: all values; None when there are too many.
            buckets: number of values in each bucket; None when `values` has them.
        """
        found = cls()
        found.count, found.total, found.worst = count, total, worst
        found.minimum, found.maximum = limits
        found._values = found._values if values is None else values
        found._counts = buckets
        return found

    def extend(self, values: I64, instances: NDArray[np.integer[Any]] | None = None) -> None:
        """Add values; `instances` has the instance of each."""
        if not len(values):
            return
        place = int(values.argmax())
        greatest, least = int(values[place]), int(values.min())
        if self.maximum is None or greatest > self.maximum:
            self.maximum = greatest
            self.worst = None if instances is None else int(instances[place])
        if self.minimum is None or least < self.minimum:
            self.minimum = least
        self.count += len(values)
        fits = greatest * len(values) < _TOO_MUCH
        self.total += int(values.sum()) if fits else sum(values.tolist())
        self._new.append(values)
        self._waiting += len(values)
        if self._waiting >= _PART:
            self._gather()

    def merge(self, other: Sample) -> None:
        """Add the values of another sample, and clear that one."""
        if other.maximum is None or other.minimum is None:
            return
        other._gather()
        if self.maximum is None or other.maximum > self.maximum:
            self.maximum, self.worst = other.maximum, other.worst
        self.minimum = min(self.minimum or 0, other.minimum) if self.count else other.minimum
        self.count += other.count
        self.total += other.total
        if other._counts is None:
            self._new.append(other._values)
            self._gather()
        else:
            self._gather()
            mine = _counts_of(self._values) if self._counts is None else self._counts
            both = np.zeros(max(len(mine), len(other._counts)), np.int64)
            both[: len(mine)] += mine
            both[: len(other._counts)] += other._counts
            self._counts, self._values = both, self._values[:0]
        other.clear()

    def clear(self) -> None:
        """Remove all values."""
        Sample.__init__(self)

    def _gather(self) -> None:
        if not self._new:
            return
        values = np.concatenate([self._values, *self._new])
        self._new.clear()
        self._waiting = 0
        if self._counts is None and len(values) <= _EXACT:
            self._values = values
            return
        before = np.zeros(0, np.int64) if self._counts is None else self._counts
        self._counts = _counts_of(values, len(before))
        self._counts[: len(before)] += before
        self._values = self._values[:0]

    def distribution(self, unseen: Unseen = NOTHING_UNSEEN, *, less: int = 0) -> Distribution:
        """Return the figures, with limits for the given unseen values.

        The lower limit of a figure assumes that every unseen value is 0, the upper limit that each
        has its greatest possible value.

        Args:
            unseen: values that may exist in addition.
            less: every seen value may be smaller by up to this.
        """
        found = self._distribution(unseen)
        if not less:
            return found
        return replace(
            found,
            minimum=_lowered(found.minimum, less),
            mean=_lowered(found.mean, less),
            percentiles={at: _lowered(one, less) for at, one in found.percentiles.items()},
            maximum=_lowered(found.maximum, less),
        )

    def _distribution(self, unseen: Unseen) -> Distribution:
        self._gather()
        high = self._most(unseen)
        more = unseen.count
        low_mean = high_mean = None if not self.count else self.total / self.count
        if not unseen.none:
            low_mean = None if more is None or not self.count else self.total / (self.count + more)
            high_mean = None if high is None else float(high)
            if high is not None and more is not None and self.count:
                high_mean = (self.total + more * high) / (self.count + more)
        mean = self.total / self.count if self.count else None
        return Distribution(
            count=Figure(self.count, self.count, None if more is None else self.count + more),
            minimum=Figure(self.minimum, 0 if not unseen.none else self.minimum or 0, self.minimum),
            mean=Figure(mean, low_mean or 0.0, high_mean),
            percentiles={one: self._percentile(one, unseen, high) for one in PERCENTILES},
            maximum=Figure(self.maximum, self.maximum or 0, high),
            worst=self.worst,
            exact=self._counts is None,
        )

    def _most(self, unseen: Unseen) -> int | None:
        if unseen.none:
            return self.maximum
        return None if unseen.high is None else max(unseen.high, self.maximum or 0)

    def _percentile(self, percent: int, unseen: Unseen, high: int | None) -> Figure:
        if unseen.count is None or not self.count:
            return Figure(self._at(percent, 0, 0), 0, high)
        if unseen.none:
            value = self._at(percent, 0, 0)
            return Figure(value, value or 0, value)
        low, top = self._at(percent, unseen.count, 0), self._at(percent, 0, unseen.count)
        return Figure(self._at(percent, 0, 0), low or 0, high if top is None else top)

    def _at(self, percent: int, below: int, above: int) -> int | None:
        """Return a percentile with `below` more values under and `above` over all seen ones.

        0 if it is one of those below; None if it is one of those above, or no value was seen.
        """
        if not self.count:
            return None
        rank = -(-percent * (self.count + below + above) // 100) - 1 - below
        if rank < 0:
            return 0
        if rank >= self.count:
            return None
        if self._counts is None:
            return int(np.partition(self._values, rank)[rank])
        return _value_of(int(np.searchsorted(np.cumsum(self._counts), rank, side="right")))


def _lowered(figure: Figure, less: int) -> Figure:
    return figure._replace(low=max(0, figure.low - less))


def _counts_of(values: I64, least: int = 0) -> I64:
    """Return the number of values in each bucket, for at least `least` buckets."""
    return np.bincount(_buckets_of(values), minlength=least).astype(np.int64)


def _buckets_of(values: I64) -> I64:
    """Return the bucket of each value: one per value below 2^11, then 2^10 per power of two."""
    values = np.maximum(values, 0)
    bits = np.frexp(values.astype(np.float64))[1] - 1
    shift = np.maximum(bits - RESOLUTION_BITS, 0).astype(np.int64)
    found: I64 = (shift << RESOLUTION_BITS) + (values >> shift)
    return found


def _value_of(bucket: int) -> int:
    """Return the smallest value in a bucket."""
    shift = max(0, (bucket >> RESOLUTION_BITS) - 1)
    return (bucket - (shift << RESOLUTION_BITS)) << shift
