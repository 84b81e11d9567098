"""The bound of a fitted clock holds for every clock that the anchors allow."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.drifting import BEGIN_NS, Clock
from tickertape.decode.bodies import BadBodyError
from tickertape.edit.clock_fit import Assumptions, Fit, fit
from tickertape.tape.board import Board, build_board, parse_board
from tickertape.tape.format import Anchor

EVEN = Assumptions(wander_ppm=0, delay_ms=0)
U64 = st.integers(0, 2**64 - 1)


@st.composite
def clocks(draw: st.DrawFn, *, wander_ppm: int = 0) -> Clock:
    """Draw a clock with a known drift, which may vary by up to `wander_ppm`."""
    hz = draw(st.sampled_from([1000, 32_768, 1_000_000, 25_000_000, 168_000_000, 10**9]))
    ppm = Fraction(draw(st.integers(-200_000, 200_000)), 1000)
    bends: tuple[tuple[int, Fraction], ...] = ()
    if wander_ppm:
        # Half of the allowed range: ppm of the rate is not exactly ppm of the tick length.
        some = draw(st.lists(st.tuples(st.integers(1, 3600 * hz), st.integers(-500, 500))))
        bends = tuple((at, ppm + Fraction(part * wander_ppm, 1000)) for at, part in sorted(some))
    return Clock(hz, ppm, BEGIN_NS + draw(st.integers(0, 10**12)), bends)


@st.composite
def seen(draw: st.DrawFn, clock: Clock) -> list[Anchor]:
    """Draw anchors as a capture makes them: each interval contains the true time."""
    ticks = draw(st.lists(st.integers(0, 3600 * clock.tick_hz), min_size=1, max_size=30))
    found = []
    for tick in ticks:
        true = clock.utc(tick)
        late = draw(st.integers(1, 50_000_000))
        host = int(true) + late
        found.append(Anchor(0, tick, host, late + 1 + draw(st.integers(0, 10_000_000))))
    return found


def off(found: Fit, clock: Clock, tick: int) -> Fraction:
    board = Board(0, 0, "", found.ticks, found.utc_ns, found.tick_length)
    return abs(board.utc_ns_of(tick) - clock.utc(tick))


@given(st.data())
def test_the_bound_holds_for_a_known_drift(data: st.DataObject) -> None:
    clock = data.draw(clocks())
    anchors = data.draw(seen(clock))
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, 3600 * clock.tick_hz)] * 2)))
    found = fit(anchors, (first, last), clock.tick_hz, EVEN)
    assert found.even
    if found.bound_ns is None:
        # A single moment, or moments so close that errors of centuries are possible.
        ticks = [anchor.target_ticks for anchor in anchors]
        most = 2 * max(anchor.uncertainty_ns for anchor in anchors) * 3600 * clock.tick_hz
        assert most >= (max(ticks) - min(ticks)) << 62
        return
    assert found.ppm is not None
    assert found.ppm[0] - 1e-6 <= clock.ppm <= found.ppm[1] + 1e-6
    for tick in (first, last, data.draw(st.integers(first, last))):
        assert off(found, clock, tick) <= found.bound_ns


@given(st.data(), st.integers(1, 500))
def test_the_bound_holds_when_frames_wait_in_the_target(data: st.DataObject, most_ms: int) -> None:
    """The interval of an anchor begins when the link was empty, which may be after its tick."""
    clock = data.draw(clocks())
    waits = st.integers(0, most_ms * 1_000_000)
    anchors = [
        replace(anchor, host_ns=anchor.host_ns + data.draw(waits))
        for anchor in data.draw(seen(clock))
    ]
    span = (0, 3600 * clock.tick_hz)
    found = fit(anchors, span, clock.tick_hz, Assumptions(wander_ppm=0, delay_ms=most_ms))
    assert found.even
    if found.bound_ns is not None:
        tick = data.draw(st.integers(*span))
        assert off(found, clock, tick) <= found.bound_ns


@given(st.data())
def test_the_bound_holds_for_a_clock_that_wanders(data: st.DataObject) -> None:
    clock = data.draw(clocks(wander_ppm=5))
    anchors = data.draw(seen(clock))
    found = fit(anchors, (0, 3600 * clock.tick_hz), clock.tick_hz, Assumptions(wander_ppm=5))
    assert found.even
    if found.bound_ns is not None:
        tick = data.draw(st.integers(0, 3600 * clock.tick_hz))
        assert off(found, clock, tick) <= found.bound_ns


def test_moments_too_close_to_each_other_give_no_bound() -> None:
    """A time in the year 2500 would not fit into 64 bits."""
    anchors = [Anchor(0, tick, BEGIN_NS + tick, 2) for tick in (0, 1)]
    span = (0, 3600 * 10**9)
    wide = fit(anchors, span, 10**9, Assumptions(wander_ppm=5))
    assert (wide.bound_ns, wide.even) == (None, True)
    assert off(wide, Clock(10**9, Fraction(0), BEGIN_NS), span[1]) < 10
    assert fit(anchors, (0, 100), 10**9, Assumptions(wander_ppm=5)).bound_ns is not None


@given(st.data())
def test_a_tolerance_makes_one_anchor_enough(data: st.DataObject) -> None:
    clock = data.draw(clocks())
    (anchor, *_) = data.draw(seen(clock))
    assumed = Assumptions(wander_ppm=0, tolerance_ppm=210)
    found = fit([anchor], (0, 3600 * clock.tick_hz), clock.tick_hz, assumed)
    assert found.bound_ns is not None
    assert off(found, clock, 0) <= found.bound_ns
    assert off(found, clock, 3600 * clock.tick_hz) <= found.bound_ns
    assert fit([anchor], (0, 10), clock.tick_hz, EVEN).bound_ns is None


def test_more_anchors_make_it_sharp() -> None:
    """Anchors of 1 ms uncertainty, one a second for an hour, give a bound far below 1 ms."""
    clock = Clock(25_000_000, Fraction(37), BEGIN_NS)
    anchors = []
    for second in range(3600):
        tick = second * clock.tick_hz
        host = int(clock.utc(tick)) + (second * 7919) % 1_000_000
        anchors.append(Anchor(0, tick, host, 1_000_000))
    span = (0, 3600 * clock.tick_hz)
    found = fit(anchors, span, clock.tick_hz, EVEN)
    assert found.bound_ns is not None
    assert found.bound_ns < 20_000
    assert found.ppm is not None
    assert found.ppm[1] - found.ppm[0] < 0.02
    assert off(found, clock, span[1]) <= found.bound_ns
    assert fit(anchors, span, clock.tick_hz, Assumptions(delay_ms=0)).bound_ns == pytest.approx(
        found.bound_ns + 3_600_000, rel=0.2
    )


def test_a_clock_that_stands_still_meanwhile_has_no_bound() -> None:
    """For example the virtual clock of an emulator, or a changed host clock."""
    times = [0, 10**9, 2 * 10**9, 60 * 10**9]
    anchors = [Anchor(0, at * 10**6, BEGIN_NS + time, 1000) for at, time in enumerate(times)]
    found = fit(anchors, (0, 3 * 10**6), 10**6, EVEN)
    assert not found.even
    assert (found.bound_ns, found.ppm) == (None, None)


def test_a_clock_thirty_times_as_fast_is_no_clock() -> None:
    """It may be even for a while, but it advances with the work of an emulator."""
    anchors = [Anchor(0, at * 30 * 10**6, BEGIN_NS + at * 10**9, 1000) for at in range(9)]
    found = fit(anchors, (0, 10**6), 10**6, EVEN)
    assert (found.even, found.bound_ns) == (False, None)


def test_many_anchors_take_no_time() -> None:
    """Worst case: every anchor is a corner of the hull."""
    anchors = [Anchor(0, at * 1000, BEGIN_NS + at * 1000 + at * at, 2**40) for at in range(20_000)]
    assert fit(anchors, (0, 2 * 10**7), 10**9).even


@given(st.lists(st.builds(Anchor, st.just(0), U64, U64, U64), min_size=1), U64, U64)
def test_nonsense_does_no_harm(anchors: list[Anchor], first: int, last: int) -> None:
    found = fit(anchors, (min(first, last), max(first, last)), 1000)
    assert found.tick_length > 0


@given(
    st.builds(
        Board,
        st.just(0),
        st.integers(0, 2**32 - 1),
        st.text(),
        U64,
        st.integers(0, 2**63 - 1),
        st.integers(0, 2**63 - 1),
        st.none() | st.integers(0, 2**64 - 2),
    )
)
def test_a_chunk_says_what_it_was_told(board: Board) -> None:
    assert parse_board(build_board(board)) == board


@given(st.integers(0, 2**40), st.integers(0, 2**44), st.lists(st.integers(0, 2**50), min_size=1))
def test_utc_is_exact(origin: int, length: int, ticks: list[int]) -> None:
    board = Board(0, 0, "", origin, BEGIN_NS, length)
    expected = [BEGIN_NS + ((tick - origin) * length >> 32) for tick in ticks]
    if max(map(abs, expected)) < 2**63:
        assert board.utc_of(np.array(ticks, np.uint64)).tolist() == expected


def test_a_short_chunk_is_refused() -> None:
    body = build_board(Board(0, 1, ""))
    for size in range(len(body)):
        with pytest.raises(BadBodyError):
            parse_board(body[:size])
    late = body[:16] + b"\xff" * 8 + body[24:]
    with pytest.raises(BadBodyError):
        parse_board(late)
