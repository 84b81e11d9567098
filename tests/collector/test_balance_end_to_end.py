"""The balance of a tape, captured from a simulated target over a damaged link.

The oracle counts the fates of single records; the host computes the balance from receipts.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import reference
from tests.support.examples import examples
from tests.support.lossy_tapes import capture, damaged, live, terms_of
from tests.support.rings import plain_events
from tests.support.target import Oracle, SimulatedTarget
from tickertape.analysis.balance import Balance, RingBalance, balance_of
from tickertape.decode.frames import FrameDecoder
from tickertape.link import Damage, MemoryLink
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.support.target import Expected


def resets_are_seen(target: SimulatedTarget, arrived: set[int]) -> bool:
    """Return whether frames of only one boot arrived, so that no reset can stay undetected.

    A boot whose received frames all fit the previous boot (first frames lost, ordinals further
    ahead) cannot be distinguished from it.
    """
    return len({sent.boot for sent in target.frames if sent.number in arrived}) <= 1


@settings(max_examples=examples(250))
@given(st.integers(0, 2**40))
@example(322)  # only the sent count of a receipt reveals the reset
def test_the_balance_is_exact(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    target = live(rng)
    pieces, arrived = damaged(target, rng)
    path = tmp_path_factory.mktemp("law") / "t.tape"
    result = capture(MemoryLink(pieces), path)
    if not resets_are_seen(target, arrived):
        check_law_only(path, target)
        return
    oracle = Oracle(target, arrived)
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.issues == [] or reader.hello is None
        balance = balance_of(reader)
        assert balance.contradictions == ()
        assert [(ring.ring.stream, ring.ring.cpu) for ring in balance.rings] == [
            ring for _, ring in oracle.rings()
        ]
        for found, (boot, ring) in zip(balance.rings, oracle.rings(), strict=True):
            expected = oracle.balance(boot, ring)
            assert terms_of(found.balance) == expected.terms
            assert (found.first_ordinal, found.end_ordinal) == (expected.first, expected.end)
            plain = reference.decode(oracle.delivered(boot, ring), target.byte_order)
            columns = list(iter_events(reader, stream=ring[0]))
            events = [event for event in plain_events(columns) if event.cpu == ring[1]]
            assert events == plain.events
            check_classes(found, expected)
        assert balance.total == result.progress.balance
        assert balance.total.holds
        # If the result is final, every ring on the tape has its final STATUS.
        assert not result.final or balance.final


def check_classes(found: RingBalance, expected: Expected) -> None:
    """Check the balance by class; if it covers the whole ring, it must equal the oracle's."""
    classes = found.by_class
    if classes is None:
        return
    assert expected.first <= classes.first_ordinal < classes.end_ordinal <= expected.end
    if (classes.first_ordinal, classes.end_ordinal) == (expected.first, expected.end):
        terms = {number: terms_of(one) for number, one in classes.classes.items()}
        assert terms == expected.by_class


def check_law_only(path: Path, target: SimulatedTarget) -> None:
    """Check a tape with resets: the balance holds, and no record is invented."""
    with TapeReader(path) as reader:
        balance = balance_of(reader)
        assert balance.total.holds
        known = {
            (record.time, record.cls, record.event)
            for boot in target.boots
            for state in boot.values()
            for record in state.records
        }
        if reader.hello is None:
            return
        for part in iter_events(reader):
            for event in part.events():
                assert (event.time_ticks, event.cls, event.event) in known


@settings(max_examples=examples(120))
@given(st.integers(0, 2**40))
def test_whatever_happens_to_the_bytes(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Bytes are lost, flipped and doubled at random places; the balance equals the oracle's."""
    rng = random.Random(seed)
    target = live(rng)
    data = target.sent_bytes()
    accidents = [
        Damage(
            rng.choice(["drop", "flip", "double"]),
            rng.randrange(max(1, len(data))),
            rng.randrange(1, 60),
            rng.randrange(1, 256),
        )
        for _ in range(rng.randrange(6))
    ]
    size = rng.choice([1, 7, 100, 5000])
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    path = tmp_path_factory.mktemp("bytes") / "t.tape"
    result = capture(MemoryLink(pieces, damage=accidents), path)
    arrived = whole_frames(target, MemoryLink([data], damage=accidents))
    if not resets_are_seen(target, arrived):
        check_law_only(path, target)
        return
    oracle = Oracle(target, arrived)
    with TapeReader(path) as reader:
        balance = balance_of(reader)
        assert balance.contradictions == ()
        found = {(ring.ring.stream, ring.ring.cpu): ring.balance for ring in balance.rings}
        expected = {ring: oracle.balance(boot, ring).terms for boot, ring in oracle.rings()}
        assert {ring: terms_of(one) for ring, one in found.items()} == expected
        assert balance.total == result.progress.balance


def whole_frames(target: SimulatedTarget, link: MemoryLink) -> set[int]:
    """Return the numbers of the frames that arrived undamaged, by CRC."""
    decoder = FrameDecoder()
    while not link.at_end:
        decoder.receive(link.read(1 << 30, 0.0))
    crcs = {frame.crc for frame in decoder.frames()}
    return {sent.number for sent in target.frames if crc_of(sent.data) in crcs}


def crc_of(data: bytes) -> int:
    decoder = FrameDecoder()
    decoder.receive(data)
    (frame,) = decoder.frames()
    return frame.crc


def test_a_whole_run_is_final_and_complete(tmp_path: Path) -> None:
    target = SimulatedTarget(cpus=2)
    target.hello()
    for number in range(100):
        target.advance(10)
        target.record((0, number % 2), 6, 1, number)
        if number % 16 == 0:
            target.send_buffer((0, 0))
            target.send_buffer((0, 1))
    target.finish()
    result = capture(MemoryLink([target.sent_bytes()]), tmp_path / "t.tape")
    assert result.final
    assert result.progress.events == 100
    assert result.progress.balance == Balance(100, 100, 0, 0, 0)
    with TapeReader(tmp_path / "t.tape") as reader:
        balance = balance_of(reader)
        assert balance.final
        assert [ring.unsettled for ring in balance.rings] == [0, 0]


def test_a_run_that_breaks_off_says_what_is_unknown(tmp_path: Path) -> None:
    target = SimulatedTarget()
    for number in range(40):
        target.record((0, 0), 6, 1, number)
    target.send_buffer((0, 0))
    target.status((0, 0))
    result = capture(MemoryLink([target.sent_bytes()]), tmp_path / "t.tape")
    assert not result.final
    with TapeReader(tmp_path / "t.tape") as reader:
        balance = balance_of(reader)
        assert not balance.final
        assert balance.total == Balance(16, 16, 0, 0, 0)
        assert [ring.unsettled for ring in balance.rings] == [24]
