"""Compiled tracks and packets equal those of Python, and so do the bytes of the file."""

from __future__ import annotations

import importlib
import io
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.boots import boots
from tests.support.examples import examples
from tests.support.plans import ROWS, Plan, columns_of, names
from tickertape._native.engine import using
from tickertape._native.packets import encoded
from tickertape._native.timeline import SliceMaker
from tickertape.errors import UsageError
from tickertape.formats.timeline.compiled import timeline
from tickertape.formats.timeline.perfetto import PacketWriter
from tickertape.formats.timeline.timeline import Packets, Timeline, TrackEvents
from tickertape.formats.timeline.track_packets import TrackPackets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ctypes import CDLL
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.formats.timeline.timeline import Part

HZ = 3_000
LATE = 2**63


def plain_timeline() -> Timeline:
    with using(None):
        return timeline(boots(names, HZ))


def compiled_timeline(compiled: CDLL, *, packets: bool = False) -> Timeline:
    with using(compiled):
        return timeline(boots(names, HZ), packets=packets)


def parts_of(timeline: Timeline, fed: list[EventColumns]) -> Iterator[Part]:
    for part in fed:
        yield from timeline.feed(part)
    if fed:
        yield from timeline.finish()


def lists(part: Part) -> list[Any]:
    return [type(part), *(getattr(part, one.name).tolist() for one in fields(part))]


@settings(max_examples=examples(300))
@given(st.lists(ROWS, max_size=4))
def test_agrees_with_python(compiled: CDLL, plan: Plan) -> None:
    fed = [columns_of(part, number // 2) for number, part in enumerate(plan)]
    plain, fast = plain_timeline(), compiled_timeline(compiled)
    wanted = [lists(part) for part in parts_of(plain, fed)]
    assert [lists(part) for part in parts_of(fast, fed)] == wanted
    assert fast.tracks == plain.tracks
    assert fast.words.since(0) == plain.words.since(0)


def written(line: Timeline, fed: list[EventColumns], compiled: CDLL | None) -> bytes:
    file = io.BytesIO()
    writer = PacketWriter(file, line, lambda _epoch: "")
    with using(compiled):
        for part in parts_of(line, fed):
            writer.write(part)
    writer.finish()
    return file.getvalue() + f"{writer.slices} {writer.flows}".encode()


@settings(max_examples=examples(300))
@given(st.lists(ROWS, max_size=4))
def test_files_are_the_same_to_the_byte(compiled: CDLL, plan: Plan) -> None:
    fed = [columns_of(part, number // 2) for number, part in enumerate(plan)]
    fast = written(compiled_timeline(compiled, packets=True), fed, compiled)
    assert fast == written(plain_timeline(), fed, None)


def test_more_than_there_is_room_for_at_a_time(
    compiled: CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [(9 << 10, 0, i % 3, (i + 1) % 3, "", i == 500) for i in range(4_000)]
    messages = [(7 << 10 | 1, 0, 4, 0, "", False), (7 << 10, 0, 4, 0, "", False)]
    fed = [columns_of(steps[:20] + messages + steps, epoch) for epoch in (0, 0, 1)]
    wanted = written(plain_timeline(), fed, None)
    for room, least in ((1 << 20, 1), (1 << 12, 50), (256, 4_000)):
        monkeypatch.setattr("tickertape._native.timeline._PACKET_ROOM", room)
        line = compiled_timeline(compiled, packets=True)
        assert sum(isinstance(part, Packets) for part in line.feed(fed[0])) >= least
        assert written(compiled_timeline(compiled, packets=True), fed, compiled) == wanted


def test_times_of_all_lengths_are_read_as_they_are() -> None:
    pb = importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    times = np.array([0, 2**56 - 1, 2**56, 2**63 - 1], np.int64)
    for begin in (0, 2):  # times below and above about two years have different encodings
        file = io.BytesIO()
        writer = PacketWriter(file, plain_timeline(), lambda _epoch: "")
        when, ones = times[begin : begin + 2], np.ones(2, np.int64)
        writer.write(TrackEvents(when, np.array([1, 0], np.uint8), ones + 2**48, ones, ones * 0))
        trace = pb.Trace.FromString(file.getvalue())
        events = [one for one in trace.packet if one.HasField("track_event")]
        assert [one.timestamp for one in events] == when.tolist()
        assert [one.track_event.type for one in events] == [1, 2]
        assert [one.track_event.name_iid for one in events] == [1, 1]


def test_a_clock_past_292_years_is_told(compiled: CDLL) -> None:
    part = columns_of([(9 << 10, 0, 0, 1, "", False)], 0)
    part.time[:] = LATE
    for line in (plain_timeline(), compiled_timeline(compiled)):
        with pytest.raises(UsageError, match="292 years"):
            list(line.feed(part))


def numbers(bits: int) -> st.SearchStrategy[int]:
    """Draw numbers of all bit lengths with equal probability, and numbers at the limits."""
    return st.integers(0, bits).flatmap(lambda some: st.integers(0, 2**some - 1))


EVENTS = st.lists(
    st.tuples(
        numbers(63),
        st.sampled_from([0, 1, 2]),
        numbers(49),
        numbers(28),
        st.sampled_from([0, 0, 0, 1, -1, 2**63 - 1]),
    ),
    max_size=9,
)


@given(EVENTS)
def test_packets_are_those_of_the_library(
    compiled: CDLL, events: list[tuple[int, int, int, int, int]]
) -> None:
    table = np.array(events, np.int64).reshape(-1, 5).T
    part = TrackEvents(table[0], table[1].astype(np.uint8), table[2], table[3], table[4])
    found = []
    for engine in (compiled, None):
        with using(engine):
            found.append(bytes(TrackPackets().events(part)))
    assert found[0] == found[1]


def test_what_does_not_fit_is_refused(compiled: CDLL) -> None:
    byte, one = np.zeros(1, np.uint8), np.zeros(1, np.int64)
    with using(compiled), pytest.raises(ValueError, match="do not fit"):
        encoded((one, byte, one, one, np.zeros(2, np.int64)))
    with using(compiled), pytest.raises(ValueError, match="no such phase"):
        encoded((one, byte + 3, one, one, one))
    maker = SliceMaker(compiled, packets=False)
    with pytest.raises(ValueError, match="not transitions"):
        list(maker.slices(np.zeros(1, [("a", np.uint8)]), 1, {"kind": one}, (0, 0)))


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)
