"""Compiled tracks and packets are those of Python, part by part, and the file byte for byte."""

from __future__ import annotations

import io
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.conftest import VARIABLE, examples, run_sanitized
from tests.native.test_system import ROWS, Plan, columns_of, names
from tickertape._native.packets import filled
from tickertape._native.timeline import slice_maker
from tickertape.errors import UsageError
from tickertape.export.compiled_timeline import CompiledTimeline, fastest_timeline
from tickertape.export.perfetto import PacketWriter
from tickertape.export.protobuf_rows import Template, varint
from tickertape.export.timeline import Counters, Timeline, TrackEvents
from tickertape.model.compiled_system import CompiledSystemModel
from tickertape.model.system import SystemModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ctypes import CDLL
    from pathlib import Path

    from tickertape.decode.events import EventColumns

HZ = 3_000
LATE = 2**63


def plain_timeline() -> Timeline:
    timeline = Timeline(names, lambda _epoch: HZ)
    timeline._model = SystemModel(names)
    return timeline


def compiled_timeline(compiled: CDLL) -> Timeline:
    timeline = fastest_timeline(names, lambda _epoch: HZ, compiled)
    assert isinstance(timeline, CompiledTimeline)
    model = CompiledSystemModel(names)
    assert model.begin(compiled)
    timeline._model = model
    return timeline


def parts_of(timeline: Timeline, fed: list[EventColumns]) -> Iterator[TrackEvents | Counters]:
    for part in fed:
        yield from timeline.feed(part)
    if fed:
        yield from timeline.finish()


def lists(part: TrackEvents | Counters) -> list[Any]:
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


def written(timeline: Timeline, fed: list[EventColumns]) -> bytes:
    file = io.BytesIO()
    writer = PacketWriter(file, timeline, lambda _epoch: "")
    for part in parts_of(timeline, fed):
        writer.write(part)
    writer.finish()
    return file.getvalue()


def test_files_are_the_same_to_the_byte(compiled: CDLL, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [(9 << 10, 0, i % 3, (i + 1) % 3, "", i == 500) for i in range(9_000)]
    messages = [(7 << 10 | 1, 0, 4, 0, "", False), (7 << 10, 0, 4, 0, "", False)]
    fed = [columns_of(steps[:20] + messages + steps, epoch) for epoch in (0, 0, 1)]
    fast = written(compiled_timeline(compiled), fed)
    monkeypatch.setattr("tickertape.export.protobuf_rows.filled", lambda *_: None)
    assert fast == written(plain_timeline(), fed)


def test_times_of_all_lengths_are_read_as_they_are() -> None:
    pb = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    times = np.array([0, 2**56 - 1, 2**56, 2**63 - 1], np.int64)
    for begin in (0, 2):  # two years divide the two forms
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
    for timeline in (plain_timeline(), compiled_timeline(compiled)):
        with pytest.raises(UsageError, match="292 years"):
            list(timeline.feed(part))


NUMBERS = st.lists(st.tuples(*[st.integers(0, 2**bits - 1) for bits in (63, 49, 28)]), max_size=9)


@given(NUMBERS, st.permutations([(63, 9), (49, 7), (28, 4)]), st.integers(0, 9))
def test_filled_messages_are_those_of_numpy(
    compiled: CDLL, numbers: list[tuple[int, int, int]], places: list[tuple[int, int]], between: int
) -> None:
    message, fields_ = b"k" * (between + 1), {}
    for bits, _ in places:
        fields_[str(bits)] = 2**bits - 3
        message += varint(2**bits - 3) + bytes(between)
    template = Template(message, fields_)
    values = {
        str(bits): np.array([one[which] for one in numbers], np.int64)
        for which, bits in enumerate((63, 49, 28))
    }
    kinds = np.arange(len(numbers), dtype=np.uint8) % 3
    kind_bytes = np.array([7, 8, 9], np.uint8)
    wanted = template.filled(values, kinds, kind_bytes, 0, use_compiled=False)
    where = [(*template._places[name], column) for name, column in values.items()]
    found = filled(np.frombuffer(message, np.uint8), where, kinds, kind_bytes, 0, compiled)
    assert found is not None
    assert found.tolist() == wanted.tolist()


def test_what_does_not_fit_is_refused(compiled: CDLL) -> None:
    byte, one = np.zeros(1, np.uint8), np.zeros(1, np.int64)
    long = np.zeros(200, np.uint8)
    assert filled(long, [(0, 9, one)], byte, byte, 0, compiled) is None
    assert filled(long[:99], [(0, 20, one)], byte, byte, 0, compiled) is None
    with pytest.raises(ValueError, match="do not fit"):
        filled(long, [(0, 9, np.zeros(2, np.int64))], byte, byte, 0, compiled)
    with pytest.raises(ValueError, match="do not fit"):
        filled(long, [(0, 9, one)], byte + 1, byte, 0, compiled)
    maker = slice_maker(compiled)
    assert maker is not None
    with pytest.raises(ValueError, match="no transitions"):
        maker.slices(np.zeros(1, [("a", np.uint8)]), 1, {"kind": one}, (0, 0))


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)
