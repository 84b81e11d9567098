"""Frames wait for a batch, but only for a short time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.rings import plain_events
from tests.support.target import SimulatedTarget
from tickertape.collector import Collector
from tickertape.collector.gathering import GATHER_S, Gathering
from tickertape.collector.intake import Arrival
from tickertape.decode.frames import Frame
from tickertape.link import MemoryLink
from tickertape.protocol.wire import FrameType
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    from pathlib import Path

ARRIVAL = Arrival(0, 0)


def frame(kind: FrameType, size: int = 100) -> Frame:
    return Frame(kind, 0, 0, 0, bytes(size), 0)


def gathering(*frames: Frame) -> Gathering:
    made = Gathering()
    made.add([frame(FrameType.HELLO)], ARRIVAL, 0.0)
    made.take()
    made.add(frames, ARRIVAL, 10.0)
    return made


def test_frames_come_out_in_order_with_their_arrival() -> None:
    made = gathering(frame(FrameType.PACKED, 1))
    made.add([frame(FrameType.STATUS, 2)], Arrival(5, 1), 10.01)
    assert [(len(one.body), arrival) for one, arrival in made.take()] == [
        (1, ARRIVAL),
        (2, Arrival(5, 1)),
    ]
    assert len(made) == 0


@pytest.mark.parametrize(
    ("size", "age_s", "idle", "ready"),
    [
        (100, 0.0, False, False),
        (100, 0.0, True, True),
        (100, GATHER_S, False, True),
        (1 << 16, 0.0, False, True),
    ],
)
def test_is_ready_when_waiting_is_no_use(
    size: int, age_s: float, *, idle: bool, ready: bool
) -> None:
    assert gathering(frame(FrameType.PACKED, size)).is_ready(10.0 + age_s, idle=idle) is ready


def test_waits_for_the_first_hello_but_not_for_ever() -> None:
    made = Gathering()
    made.add([frame(FrameType.PACKED)], ARRIVAL, 10.0)
    assert not made.is_ready(11.0, idle=True)
    assert made.is_ready(12.0, idle=False)
    made.add([frame(FrameType.PACKED, 1 << 22)], ARRIVAL, 10.0)
    assert made.is_ready(10.0, idle=False)
    made.take()
    made.add([frame(FrameType.PACKED), frame(FrameType.HELLO)], ARRIVAL, 10.0)
    assert made.is_ready(10.0, idle=True)


@pytest.mark.parametrize("byte_order", ["<", ">"])
def test_packed_records_before_the_first_hello_lie_in_its_byte_order(
    tmp_path: Path, byte_order: str
) -> None:
    target = SimulatedTarget(packed=True, byte_order=byte_order)
    for number in range(40):
        target.advance(7)
        target.record((0, 0), 6, 1, number, 1 << 20)
    target.send_buffer((0, 0))
    target.hello()
    target.finish()
    pieces = [sent.data for sent in target.frames]
    with TapeWriter(tmp_path / "t.tape") as writer:
        Collector(MemoryLink(pieces), writer).run()
    with TapeReader(tmp_path / "t.tape") as reader:
        events = plain_events(list(iter_events(reader)))
    assert [event.words for event in events] == [(number, 1 << 20) for number in range(40)]
