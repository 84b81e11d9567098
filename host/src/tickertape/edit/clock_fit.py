"""Fit a target's clock to UTC, from anchors that bound the host's clock at some ticks.

Each anchor states that at tick T the host's clock was within [low, high]: the frame had arrived at
high, and had not been sent at low. The target holds the frame from its tick until it is sent; low
includes the longest assumed time for this. A clock of constant rate is a line utc = a + b·T through
all these intervals. The possible lines are a convex polygon in the plane (a, b). Half of their
largest distance, at the begin or the end of the recording, is the largest error of the line in the
middle. The fit uses no statistics: the bound holds as long as each interval holds. All computation
uses integers and fractions, so only the result is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf
from typing import TYPE_CHECKING

from tickertape.decode.ticks import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.tape.format import Anchor

    Point = tuple[int, int]  # tick, ns

_MILLION = 1_000_000
_NS_PER_MS = 1_000_000
_FRACTION = 1 << 32
_FARTHEST = Fraction(1, 10)  # largest deviation of a real clock from its nominal rate
_MOST_CORNERS = 64  # corners of a hull; leaving corners out makes the bound larger, never wrong
_NO_BOUND_NS = 1 << 62  # 146 years
_ROUNDING_NS = 2  # rounding of `utc_ns`, and of the conversion by a reader


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The user's assumptions about the clocks.

    Attributes:
        wander_ppm: largest deviation of a clock's rate from its mean during the recording, in ppm.
        tolerance_ppm: largest deviation of the mean from the rate in HELLO, in ppm; None: unknown.
        delay_ms: longest time from a HELLO's tick until the target sends it, in milliseconds. It
            waits for earlier frames, or for the host of a simulated target.
    """

    wander_ppm: float = 1.0
    tolerance_ppm: float | None = None
    delay_ms: float = 100.0


@dataclass(frozen=True, slots=True)
class Fit:
    """Relation of a target's clock to UTC.

    Attributes:
        ticks: a moment of the target's clock.
        utc_ns: UTC of the same moment, ns since 1970.
        tick_length: length of one tick, in units of 2^-32 ns.
        bound_ns: largest error of the line anywhere in the span; None if unknown.
        ppm: least and greatest rate, as deviation from the rate in HELLO in ppm, positive is fast;
            None if unknown.
        even: False if no clock with a constant rate near that in HELLO is within all intervals.
    """

    ticks: int
    utc_ns: int
    tick_length: int
    bound_ns: int | None
    ppm: tuple[float, float] | None
    even: bool = True


def fit(
    anchors: Sequence[Anchor],
    span: tuple[int, int],
    tick_hz: int,
    assumptions: Assumptions | None = None,
) -> Fit:
    """Return the line in the middle of all possible lines.

    Args:
        anchors: anchors of one boot, at least one.
        span: first and last tick of the recording.
        tick_hz: rate of the clock in HELLO.
        assumptions: None for the defaults.
    """
    assumed = assumptions or Assumptions()
    nominal = Fraction(NS_PER_S, tick_hz)
    known = [anchor.target_ticks for anchor in anchors]
    width = max(*known, span[1]) - min(*known, span[0])
    # A clock whose rate deviates from its mean by at most a fraction w deviates from the line
    # through its middle by at most w times half the time.
    wander = ceil(Fraction(assumed.wander_ppm) / _MILLION * nominal * width / 2)
    delay = ceil(Fraction(assumed.delay_ms) * _NS_PER_MS)
    lines = _Lines(anchors, wander, delay)
    if assumed.tolerance_ppm is not None:
        part = Fraction(assumed.tolerance_ppm) / _MILLION
        lines.limit(nominal * (1 - part), nominal * (1 + part))
    if not lines.possible or not lines.has_rate_near(nominal):
        return uneven(anchors, tick_hz)
    if lines.steepest is None:
        return _roughly(anchors, span, nominal)
    found = _middle(lines, span, nominal, wander)
    # Anchors that are close together allow lines with times far beyond 64 bits.
    is_any = found.bound_ns is None or found.bound_ns >= _NO_BOUND_NS
    return _roughly(anchors, span, nominal) if is_any else found


class _Lines:
    """All lines through the intervals; a line is its slope and its value at tick 0."""

    def __init__(self, anchors: Sequence[Anchor], wander: int, delay: int) -> None:
        low, high = _intervals(anchors, wander, delay)
        self._low = _thinned(_hull(low))
        self._high = [(at, -value) for at, value in _thinned(_hull(_negated(high)))]
        self.flattest = Fraction(0)  # no clock runs backwards
        self.steepest: Fraction | None = None
        self.possible = all(low[at] <= high[at] for at in low)
        for at, value in self._low:
            for other, limit in self._high:
                if other > at:
                    self.limit(None, Fraction(limit - value, other - at))
                elif other < at:
                    self.limit(Fraction(value - limit, at - other), None)

    def limit(self, least: Fraction | None, most: Fraction | None) -> None:
        """Exclude lines with a slope below `least` or above `most`; None: no limit."""
        if least is not None:
            self.flattest = max(self.flattest, least)
        if most is not None:
            self.steepest = most if self.steepest is None else min(self.steepest, most)
        self.possible &= self.steepest is None or self.flattest <= self.steepest

    def has_rate_near(self, nominal: Fraction) -> bool:
        """Return whether any line has a possible rate of a clock with this nominal tick length."""
        least, most = nominal * (1 - _FARTHEST), nominal * (1 + _FARTHEST)
        return self.flattest <= most and (self.steepest is None or self.steepest >= least)

    def between(self, tick: int) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest time of all lines at a tick."""
        slopes = [*self._corners(self._low), *self._corners(self._high)]
        highest = max(self._above(slope) + slope * tick for slope in slopes)
        lowest = min(self._below(slope) + slope * tick for slope in slopes)
        return lowest, highest

    def _corners(self, hull: Sequence[Point]) -> Iterable[Fraction]:
        assert self.steepest is not None  # noqa: S101 - callers have checked
        yield self.flattest
        yield self.steepest
        for (at, value), (other, behind) in pairwise(hull):
            slope = Fraction(behind - value, other - at)
            if self.flattest < slope < self.steepest:
                yield slope

    def _above(self, slope: Fraction) -> Fraction:
        """Return the greatest value at tick 0 of a line with this slope below all upper limits."""
        return min(value - slope * at for at, value in self._high)

    def _below(self, slope: Fraction) -> Fraction:
        return max(value - slope * at for at, value in self._low)


def _intervals(
    anchors: Sequence[Anchor], wander: int, delay: int
) -> tuple[dict[int, int], dict[int, int]]:
    """Return low and high ends of the intervals by tick; intersect the intervals of one tick."""
    low: dict[int, int] = {}
    high: dict[int, int] = {}
    for anchor in sorted(anchors, key=lambda one: one.target_ticks):
        tick = anchor.target_ticks
        begin = anchor.host_ns - anchor.uncertainty_ns - delay - wander
        end = anchor.host_ns + wander
        low[tick] = max(low.get(tick, begin), begin)
        high[tick] = min(high.get(tick, end), end)
    return low, high


def _negated(points: dict[int, int]) -> dict[int, int]:
    return {at: -value for at, value in points.items()}


def _hull(points: dict[int, int]) -> list[Point]:
    """Return the upper hull of the points, in order (Andrew's monotone chain)."""
    found: list[Point] = []
    for point in points.items():
        while len(found) > 1 and not _turns_right(found[-2], found[-1], point):
            found.pop()
        found.append(point)
    return found


def _turns_right(first: Point, middle: Point, last: Point) -> bool:
    left = (middle[1] - first[1]) * (last[0] - first[0])
    return left > (last[1] - first[1]) * (middle[0] - first[0])


def _thinned(hull: list[Point]) -> list[Point]:
    step = -(-len(hull) // _MOST_CORNERS)
    return hull if step == 1 else [*hull[:-1:step], hull[-1]]


def _middle(lines: _Lines, span: tuple[int, int], nominal: Fraction, wander: int) -> Fit:
    """Return the line through the middle at both ends, where the other lines are farthest away."""
    assert lines.steepest is not None  # noqa: S101 - callers have checked
    first, last = span
    begin, end = lines.between(first), lines.between(last)
    width = last - first
    here, there = (begin[0] + begin[1]) / 2, (end[0] + end[1]) / 2
    slope = (there - here) / width if width else (lines.flattest + lines.steepest) / 2
    tick_length = max(1, round(slope * _FRACTION))
    ticks = (first + last) // 2
    utc = here + slope * (ticks - first)
    apart = max(begin[1] - begin[0], end[1] - end[0]) / 2
    rounded = abs(Fraction(tick_length, _FRACTION) - slope) * (width - width // 2)
    bound = ceil(apart + wander + rounded) + _ROUNDING_NS
    fast, slow = (_ppm(nominal, rate) for rate in (lines.flattest, lines.steepest))
    return Fit(ticks, round(utc), tick_length, bound, (slow, fast))


def _ppm(nominal: Fraction, tick_ns: Fraction) -> float:
    """Return the deviation from the nominal rate in ppm; a longer tick means a slower clock."""
    return float((nominal / tick_ns - 1) * _MILLION) if tick_ns else inf


def _roughly(anchors: Sequence[Anchor], span: tuple[int, int], nominal: Fraction) -> Fit:
    """Return a line with the nominal rate through the best anchor; its bound is unknown."""
    anchor = min(anchors, key=lambda one: one.uncertainty_ns)
    ticks = sum(span) // 2
    utc = anchor.host_ns - Fraction(anchor.uncertainty_ns, 2)
    utc += (ticks - anchor.target_ticks) * nominal
    return Fit(ticks, max(0, round(utc)), max(1, round(nominal * _FRACTION)), None, None)


def uneven(anchors: Sequence[Anchor], tick_hz: int) -> Fit:
    """Return the line through the first and the last anchor; its bound is unknown.

    Args:
        anchors: anchors of one boot, at least one.
        tick_hz: rate of the clock in HELLO.
    """
    nominal = Fraction(NS_PER_S, tick_hz)
    first = min(anchors, key=lambda one: one.target_ticks)
    last = max(anchors, key=lambda one: one.target_ticks)
    width = last.target_ticks - first.target_ticks
    slope = Fraction(last.host_ns - first.host_ns, width) if width else nominal
    length = max(1, round(slope * _FRACTION))
    return Fit(first.target_ticks, first.host_ns, length, None, None, even=False)
