"""A cut tape contains the complete events of its range, and its balance is true."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.lossy_tapes import capture, damaged, live, terms_of
from tests.support.tapes import compare, events_of
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import RingBalance, balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.edit.cut import Range, cut
from tickertape.errors import UsageError
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tests.support.reference import PlainEvent

TICK_HZ = 25_000_000


def truth(target: SimulatedTarget, arrived: set[int], found: RingBalance) -> dict[str, int]:
    """Return the true terms between the ordinals of a balance."""
    state = target.boots[0][found.ring.stream, found.ring.cpu]
    terms = dict.fromkeys(("offered", "delivered", "overwritten", "dropped", "damaged"), 0)
    for fate in state.fates[found.first_ordinal : found.end_ordinal]:
        terms["offered"] += 1
        if isinstance(fate, int):
            terms["delivered" if fate in arrived else "damaged"] += 1
        else:
            terms[fate] += 1
    return terms


@given(st.integers(0, 2**40))
def test_any_range_of_any_tape(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    target = live(rng)
    if len(target.boots) > 1:
        return
    pieces, arrived = damaged(target, rng)
    folder = tmp_path_factory.mktemp("cut")
    path, out = folder / "t.tape", folder / "out.tape"
    capture(MemoryLink(pieces), path)
    before = events_of(path)
    times = sorted({event.time for events in before.values() for event in events})
    if not times:
        return
    low, high = sorted(rng.choices([*times, rng.choice(times) + 1], k=2))
    hello = _has_hello(path)
    scale = 1_000_000_000 // TICK_HZ if hello else 1
    with TapeReader(path) as reader:
        try:
            cut(reader, out, Range(low * scale, high * scale))
        except UsageError:
            assert not any(low <= time <= high for time in times)
            return
    after = events_of(out)
    compare(out)
    for ring, events in before.items():
        wanted = [event for event in events if low <= event.time <= high]
        kept = after.get(ring, [])
        assert set(kept) <= set(events)
        assert [event for event in kept if low <= event.time <= high] == wanted
        check_neighbours(kept, wanted)
    with TapeReader(out) as reader:
        balance = balance_of(reader)
        assert balance.contradictions == ()
        for found in balance.rings:
            assert terms_of(found.balance) == truth(target, arrived, found)


def check_neighbours(kept: list[PlainEvent], wanted: list[PlainEvent]) -> None:
    """Check that events kept outside of the range are directly before or after it."""
    for event in kept:
        if event not in wanted and wanted:
            assert event.ordinal < wanted[0].ordinal or event.ordinal > wanted[-1].ordinal


def _has_hello(path: Path) -> bool:
    with TapeReader(path) as reader:
        return reader.hello is not None


def test_no_event_is_torn_apart(tmp_path: Path, tape: Path) -> None:
    """For any edge, a cut tape contains no record of an incomplete event."""
    events = [event for many in events_of(tape).values() for event in many]
    assert events
    for event in events:
        with TapeReader(tape) as reader:
            cut(reader, tmp_path / "o.tape", Range(event.time * 40, None))
        counters = DecodeCounters()
        with TapeReader(tmp_path / "o.tape") as reader:
            list(iter_events(reader, counters=counters))
        assert counters.lost_records == 0
        assert counters.events == sum(one.time >= event.time for one in events)


def test_two_halves_make_the_whole(tmp_path: Path, tape: Path) -> None:
    halves = []
    for name, when in (("a", Range(None, 400_000)), ("b", Range(400_001, None))):
        with TapeReader(tape) as reader:
            cut(reader, tmp_path / name, when)
            whole = balance_of(reader).total
        with TapeReader(tmp_path / name) as reader:
            assert reader.hello is not None
            assert reader.issues == []
            halves.append(balance_of(reader))
    assert halves[0].total + halves[1].total == whole
    assert [half.final for half in halves] == [False, True]


def test_a_range_without_anything_is_refused(tmp_path: Path, tape: Path) -> None:
    with TapeReader(tape) as reader:
        for when in (Range(10**12, None), Range(1, None)):
            epoch = None if when.begin_ns == 10**12 else 7
            with pytest.raises(UsageError, match="no records in this range"):
                cut(reader, tmp_path / "o.tape", when, epoch=epoch)
    assert not (tmp_path / "o.tape").exists()


def test_a_quiet_range_keeps_its_receipts(tmp_path: Path, tape: Path) -> None:
    """A range between two events has no event and an empty balance."""
    with TapeReader(tape) as reader:
        kept = cut(reader, tmp_path / "o.tape", Range(1, 2))
    assert kept == 0
    with TapeReader(tmp_path / "o.tape") as reader:
        assert balance_of(reader).total.offered == 0
        assert len(balance_of(reader).rings) == 1


def test_the_command(tickertape_inside: Command, tape: Path) -> None:
    done = tickertape_inside("cut", tape, "--from", "100us", "--to", "300us", "-o", "o.tape")
    assert (done.returncode, done.stderr) == (0, "")
    lines = tickertape_inside("print", tape, "--from", "100us", "--to", "300us").stdout.splitlines()
    mine = tickertape_inside("print", "o.tape").stdout.splitlines()
    # The task before the first switch of the range is unknown on the new tape.
    assert [line[:19] + line[33:] for line in mine] == [line[:19] + line[33:] for line in lines]
    assert (
        tickertape_inside("cut", tape, "--from", "2", "--to", "1", "-o", "o.tape").returncode == 2
    )
    assert tickertape_inside("cut", tape, "--from", "0", "-q", "-o", tape).returncode == 0
    assert tickertape_inside("print", tape).returncode == 0


def test_what_is_missing_at_the_edge_is_told(tmp_path: Path) -> None:
    """Lost records before the first event of the range are a gap."""
    target = SimulatedTarget(buffers=1, buffer_records=2)
    target.hello()
    for number in range(6):
        target.advance(100)
        target.record((0, 0), 6, 1, number)
    target.send_buffer((0, 0))
    for number in range(3):
        target.record((0, 0), 6, 2, number)
    target.finish()
    capture(MemoryLink([target.sent_bytes()]), tmp_path / "t.tape")
    with TapeReader(tmp_path / "t.tape") as reader:
        cut(reader, tmp_path / "o.tape", Range(600 * 40, None))
    with TapeReader(tmp_path / "o.tape") as reader:
        (part,) = iter_events(reader)
        assert [(gap.lost, gap.dropped) for gap in part.gaps] == [(4, 4)]
        assert balance_of(reader).total.dropped == 4 + balance_of(reader).total.offered - 6
