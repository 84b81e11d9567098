from __future__ import annotations

import struct

import pytest

from tests.support import wire_bytes
from tickertape.decode.bodies import parse_body
from tickertape.decode.frames import FrameDecoder, LinkCounters
from tickertape.decode.sequence import SequenceTracker, Verdict

NEW, DOUBLED, LATE, RESET = Verdict.NEW, Verdict.DOUBLED, Verdict.LATE, Verdict.RESET


def text(sequence: int, body: str = "", *, tag: int = 0) -> bytes:
    data = (body or str(sequence)).encode()
    return wire_bytes.frame(wire_bytes.TEXT, 0, 0, sequence, data, boot_tag=tag)


def hello(sequence: int, *, boot_id: int = 0, ticks: int = 0) -> bytes:
    body = wire_bytes.hello_body(boot_id=boot_id, ticks=ticks)
    return wire_bytes.frame(wire_bytes.HELLO, 0, 0, sequence, body)


def buffer(  # noqa: PLR0913 - one parameter a field
    sequence: int,
    first: int,
    count: int = 1,
    cpu: int = 0,
    *,
    dropped: int = 0,
    sent: int | None = None,
    ticks: int = 0,
    number: int = 0,
) -> bytes:
    receipt = (first, dropped, first if sent is None else sent)
    body = wire_bytes.buffer_body(receipt, ticks, number, bytes(16 * count))
    return wire_bytes.frame(wire_bytes.BUFFER, 0, cpu, sequence, body)


def status(
    sequence: int,
    settled: int,
    *,
    offered: int | None = None,
    ticks: int = 0,
    final: bool = False,
) -> bytes:
    offered = settled if offered is None else offered
    receipt = (settled, 0, settled)
    body = struct.pack("<7Q4BI", *receipt, offered, 0, 0, ticks, 0, 1, 0, final, 0)
    return wire_bytes.frame(wire_bytes.STATUS, 0, 0, sequence, body)


def judge(frames: list[bytes]) -> tuple[list[Verdict], LinkCounters]:
    decoder = FrameDecoder()
    tracker = SequenceTracker(decoder.counters)
    decoder.receive(b"".join(frames))
    verdicts = [tracker.judge(frame, parse_body(frame)) for frame in decoder.frames()]
    return verdicts, decoder.counters


CASES = {
    "in order": ([text(0), text(1), text(2)], [NEW, NEW, NEW], 0),
    "joined late": ([text(500), text(501)], [NEW, NEW], 0),
    "gap": ([text(0), text(4)], [NEW, NEW], 3),
    "doubled at once": ([text(0), text(1), text(1), text(2)], [NEW, NEW, DOUBLED, NEW], 0),
    "a pair doubled": ([text(0), text(1), text(0), text(1)], [NEW, NEW, DOUBLED, DOUBLED], 0),
    "overtaken": ([text(0), text(2), text(1), text(3)], [NEW, NEW, LATE, NEW], 1),
    "wrap of the counter": ([text(2**32 - 1), text(0), text(2)], [NEW, NEW, NEW], 1),
    "reset, other content": ([text(0), text(1), text(0, "other")], [NEW, NEW, RESET], 0),
    "reset, first frames lost": ([text(100), text(3)], [NEW, RESET], 3),
    "reset long after": ([*map(text, range(40)), text(0)], [NEW] * 40 + [RESET], 0),
    "reset by boot id": (
        [hello(0, boot_id=1), hello(1, boot_id=2)],
        [NEW, RESET],
        1,
    ),
    "reset by boot id, sequence ahead": (
        [hello(0, boot_id=1), text(1), hello(9, boot_id=2), text(10)],
        [NEW, NEW, RESET, NEW],
        9,
    ),
    "no boot id, later HELLO": ([hello(0), hello(1, ticks=5)], [NEW, NEW], 0),
    "no boot id, HELLO of a reset": (
        [hello(0, ticks=100), text(1), hello(0, ticks=90)],
        [NEW, NEW, RESET],
        0,
    ),
    "reset by boot tag alone": (
        [text(0, tag=1), text(1, tag=1), text(9, tag=2), text(10, tag=2)],
        [NEW, NEW, RESET, NEW],
        9,
    ),
    "an unknown boot tag is ignored": (
        [text(0, tag=1), text(1), text(2, tag=1), text(3)],
        [NEW] * 4,
        0,
    ),
    "overtaken by a reset": (
        [text(0, tag=1), text(2, tag=1), text(0, tag=2), text(1, tag=1), text(1, tag=2)],
        [NEW, NEW, RESET, LATE, NEW],
        1,
    ),
    "a third boot with the tag of the first": (
        [text(100, tag=1), text(0, tag=2), text(0, tag=1)],
        [NEW, RESET, RESET],
        0,
    ),
    "ordinals step back": ([buffer(0, 100, 5), buffer(9, 50, 5)], [NEW, RESET], 9),
    "ordinals of another ring": ([buffer(0, 100, 5), buffer(1, 50, 5, cpu=1)], [NEW, NEW], 0),
    "settled ordinal steps back": ([buffer(0, 100, 5), status(4, 20)], [NEW, RESET], 4),
    "settled ordinal stays": ([buffer(0, 100, 5), status(1, 105), status(2, 105)], [NEW] * 3, 0),
    "sent steps back": ([buffer(0, 0, 10), buffer(9, 20, 5, sent=3)], [NEW, RESET], 9),
    "dropped steps back": (
        [buffer(0, 10, 5, dropped=4, sent=6), buffer(9, 20, 5, dropped=3, sent=12)],
        [NEW, RESET],
        9,
    ),
    "more sent than offered": ([buffer(0, 10, 5, sent=0), buffer(9, 20, 5)], [NEW, RESET], 9),
    "a buffer opened before": (
        [buffer(0, 0, 10, number=7), buffer(9, 20, 5, number=2)],
        [NEW, RESET],
        9,
    ),
    "a buffer opened earlier": (
        [buffer(0, 0, 10, ticks=7), buffer(9, 20, 5, ticks=2)],
        [NEW, RESET],
        9,
    ),
    "the number of buffers wraps": (
        [buffer(0, 0, 10, number=2**32 - 1), buffer(1, 10, 5, number=0)],
        [NEW, NEW],
        0,
    ),
    "the clock steps back": ([hello(0, ticks=9), status(3, 20, ticks=8)], [NEW, RESET], 3),
    "HELLO's clock steps back": ([status(0, 0, ticks=9), hello(3, ticks=8)], [NEW, RESET], 3),
    "a STATUS repeats the last buffer's receipt after a final one": (
        [buffer(0, 0, 10), status(1, 12, final=True), status(2, 10, offered=12)],
        [NEW, NEW, NEW],
        0,
    ),
    "a buffer begins before a final STATUS": (
        [buffer(0, 0, 10), status(1, 12, final=True), buffer(3, 10, 2)],
        [NEW, NEW, RESET],
        3,
    ),
    "offered steps back, for the drain runs on another CPU": (
        [status(0, 5, offered=90), status(1, 5, offered=80)],
        [NEW, NEW],
        0,
    ),
    "a clock before an opened buffer": (
        [buffer(0, 0, 10, ticks=100), status(3, 20, ticks=99)],
        [NEW, RESET],
        3,
    ),
    "two resets": (
        [text(0), text(1), text(0, "b"), text(1, "b"), text(0, "c")],
        [NEW, NEW, RESET, NEW, RESET],
        0,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts(name: str) -> None:
    frames, verdicts, missed = CASES[name]
    found, counters = judge(frames)
    assert found == verdicts
    assert counters.missed_frames == missed
    assert counters.doubled_frames == verdicts.count(DOUBLED)
    assert counters.late_frames == verdicts.count(LATE)
