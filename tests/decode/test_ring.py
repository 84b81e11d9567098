from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import reference
from tests.support.rings import (
    RingBuffer,
    buffers_of,
    chunks_of,
    decode_ring,
    gaps_by_next_ordinal,
    headers,
    pieces,
    plain_events,
    raw,
    scenario,
    simple,
)
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ring import RingDecoder
from tickertape.protocol.wire import ByteOrder


@given(st.integers(0, 2**32), st.sampled_from("<>"))
def test_columns_agree_with_the_plain_decoder(seed: int, order: str) -> None:
    rng = random.Random(seed)
    records = scenario(rng, order)
    sizes = rng.choice([[1, 2, 3], [16], [1000]])
    chunks = chunks_of(buffers_of(records, sizes, rng), rng)
    parts, counters = decode_ring(chunks, order)
    expected = reference.decode(records, order)
    assert plain_events(parts) == expected.events
    assert counters.records == len(records)
    assert counters.events == len(expected.events)
    assert counters.incomplete_events == expected.incomplete
    assert counters.orphan_records == expected.orphans
    assert counters.mismatched_events == expected.mismatched
    assert counters.lost_records == expected.lost_records
    ordinals = [ordinal for ordinal, _ in records]
    missing = [(before + 1, after) for before, after in pairwise(ordinals) if after != before + 1]
    found = gaps_by_next_ordinal(parts)
    assert [(gap.first_ordinal, gap.end_ordinal) for gap, _ in found] == missing
    event_ordinals = [event.ordinal for event in expected.events]
    for gap, next_ordinal in found:
        after = [ordinal for ordinal in event_ordinals if ordinal >= gap.end_ordinal]
        assert next_ordinal == (after[0] if after else None)


@pytest.mark.parametrize("size", [*range(30), 255, 256, 257, 4000])
@pytest.mark.parametrize("order", ["<", ">"])
def test_payloads_come_back_to_the_byte(size: int, order: str) -> None:
    payload = random.Random(size).randbytes(size)
    records = [simple(5), *pieces(payload, time=6, order=order), simple(7)]
    parts, counters = decode_ring([[RingBuffer((0, 0, 0), 5, records)]], order)
    events = plain_events(parts)
    assert [event.payload for event in events] == [None, payload, None]
    assert [event.time for event in events] == [5, 6, 7]
    assert counters.lost_records == 0


@pytest.mark.parametrize("split", range(1, 12))
def test_an_event_may_go_on_in_a_later_chunk(split: int) -> None:
    records = [simple(1), *pieces(bytes(range(60)), time=2), simple(3), simple(4)]
    first = RingBuffer((0, 0, 0), 0, records[:split])
    second = RingBuffer((split, 0, split), 2, records[split:])
    parts, _ = decode_ring([[first], [second]])
    assert [event.time for event in plain_events(parts)] == [1, 2, 3, 4]
    assert sum(map(len, parts[1:])) >= 3 or split > 8


def test_events_wait_behind_an_open_one() -> None:
    begin, *rest = pieces(b"late", time=1)
    counters = DecodeCounters()
    decoder = RingDecoder((0, 0), byte_order=ByteOrder.LITTLE, counters=counters)
    chunk = [RingBuffer((0, 0, 0), 0, [begin, simple(2), simple(3)])]
    assert len(decoder.feed(headers(chunk), raw(chunk))) == 0
    chunk = [RingBuffer((3, 0, 3), 3, rest)]
    columns = decoder.feed(headers(chunk), raw(chunk))
    assert columns.time.tolist() == [1, 2, 3]
    assert len(decoder.finish()) == 0


@pytest.mark.parametrize(("between", "given_up"), [(4095, 0), (4096, 1)])
@pytest.mark.parametrize("size", [500, 5000])
def test_an_event_is_given_up_after_4096_records(between: int, given_up: int, size: int) -> None:
    begin, end = pieces(b"x" * 12, time=1)
    records = [begin, *[simple(2)] * between, end, simple(3)]
    chunks = [
        [RingBuffer((at, 0, at), 1, records[at : at + size])] for at in range(0, len(records), size)
    ]
    _, counters = decode_ring(chunks)
    assert counters.incomplete_events == given_up
    assert counters.orphan_records == given_up
    assert counters.lost_records == 2 * given_up
    assert counters.events == between + 2 - given_up


def test_what_is_held_back_is_bounded() -> None:
    begin, *_ = pieces(b"never ends", time=1)
    counters = DecodeCounters()
    decoder = RingDecoder((0, 0), byte_order=ByteOrder.LITTLE, counters=counters)
    given_out = ordinal = 0
    for records in [[begin], *([[simple(2)] * 1000] * 6)]:
        chunk = [RingBuffer((ordinal, 0, ordinal), 1, records)]
        given_out += len(decoder.feed(headers(chunk), raw(chunk)))
        ordinal += len(records)
        assert ordinal - given_out <= 4097
    assert counters.incomplete_events == 1


def test_interrupts_that_nest_deeply() -> None:
    opened = [pieces(bytes([level]) * 30, event=level, time=level) for level in range(30)]
    records = [one[0] for one in opened]
    for one in reversed(opened):
        records += one[1:]
    parts, counters = decode_ring([[RingBuffer((0, 0, 0), 0, records)]])
    found = plain_events(parts)
    assert [event.payload for event in found] == [bytes([level]) * 30 for level in range(30)]
    assert counters.lost_records == 0


def test_the_same_event_nested_in_itself() -> None:
    outer, inner = pieces(b"outer" * 5, time=9), pieces(b"inner", time=9, key=9)
    records = [*outer[:2], *inner, *outer[2:]]
    parts, counters = decode_ring([[RingBuffer((0, 0, 0), 9, records)]])
    found = plain_events(parts)
    assert [event.payload for event in found] == [b"outer" * 5, b"inner"]
    assert [event.words for event in found] == [(0x6574756F, 0x74756F72), (0x656E6E69, 0x72)]
    assert [event.time for event in found] == [9, 9]
    assert counters.whole


@pytest.mark.parametrize("way", ["aabbb", "ababb", "babab", "bbaab"])
def test_events_that_cannot_be_told_apart_are_given_up(way: str) -> None:
    """Older targets recorded such events at one tick; a third event is open at the same time."""
    events = {"a": pieces(b"a" * 10, time=9), "b": pieces(b"b" * 20, time=9)}
    other = pieces(b"another", time=9, event=1)
    records = [events[name].pop(0) for name in way]
    records += [*other, *pieces(b"later", time=9)]
    parts, counters = decode_ring([[RingBuffer((0, 0, 0), 9, records)]])
    overlap = way != "aabbb"
    expected = [b"another", b"later"] if overlap else [b"a" * 10, b"b" * 20, b"another", b"later"]
    assert [event.payload for event in plain_events(parts)] == expected
    assert (counters.incomplete_events, counters.lost_records) == ((2, 5) if overlap else (0, 0))
    assert counters.whole is not overlap


def test_threads_that_interlace_without_nesting() -> None:
    one, two = pieces(b"1" * 20, event=1, time=1), pieces(b"2" * 20, event=2, time=2)
    records = [record for pair in zip(one, two, strict=True) for record in pair]
    parts, _ = decode_ring([[RingBuffer((0, 0, 0), 1, records)]])
    assert [event.payload for event in plain_events(parts)] == [b"1" * 20, b"2" * 20]


def test_a_repeated_buffer_counts_once() -> None:
    one = RingBuffer((0, 0, 0), 0, [simple(1), simple(2)])
    two = RingBuffer((2, 0, 2), 0, [simple(3)])
    parts, counters = decode_ring([[one], [one, two, two], [one], [two]])
    assert [event.time for event in plain_events(parts)] == [1, 2, 3]
    assert counters.repeated_records == 2 + 1 + 2 + 1
    assert counters.records == 3


def test_a_gap_says_how_its_records_were_lost() -> None:
    one = RingBuffer((0, 0, 0), 10, [simple(11)] * 4)
    # Of the ordinals 4 to 20, five were dropped, and six were sent in a lost frame.
    two = RingBuffer((20, 5, 10), 90, [simple(91)] * 4)
    parts, _ = decode_ring([[one], [two]])
    ((gap, next_ordinal),) = gaps_by_next_ordinal(parts)
    assert (gap.first_ordinal, gap.end_ordinal, gap.lost) == (4, 20, 16)
    assert (gap.dropped, gap.overwritten, gap.damaged) == (5, 5, 6)
    assert (gap.begin_ticks, gap.end_ticks) == (11, 90)
    assert next_ordinal == 20


def test_a_clock_that_steps_back_is_counted() -> None:
    one = RingBuffer((0, 0, 0), 100, [simple(101), simple(102)])
    two = RingBuffer((2, 0, 2), 50, [simple(51)])
    three = RingBuffer((3, 0, 3), 40, [simple(41)])
    _, counters = decode_ring([[one, two], [three]])
    assert counters.time_faults == 2


def test_empty_chunks_and_buffers() -> None:
    empty = RingBuffer((0, 0, 0), 5, [])
    parts, counters = decode_ring([[], [empty], [empty, RingBuffer((0, 0, 0), 5, [simple(6)])], []])
    assert [event.time for event in plain_events(parts)] == [6]
    assert counters.records == 1


def test_columns_do_not_hang_on_the_memory_they_came_from() -> None:
    chunk = [RingBuffer((0, 0, 0), 0, [simple(1), *pieces(b"text", time=2), simple(3)])]
    records = raw(chunk).copy()
    counters = DecodeCounters()
    decoder = RingDecoder((0, 0), byte_order=ByteOrder.LITTLE, counters=counters)
    columns = decoder.feed(headers(chunk), records)
    before = plain_events([columns])
    records[:] = np.zeros((), records.dtype)
    assert plain_events([columns]) == before
