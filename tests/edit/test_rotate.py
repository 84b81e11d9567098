"""Each part of a rotated capture is a tape; together the parts contain the whole capture."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.support.lossy_tapes import damaged, live
from tests.support.rings import plain_events
from tests.support.tapes import compare, events_of, file_size_limit
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import Balance, balance_of
from tickertape.collector import CaptureOptions, Collector, StopReason, capture
from tickertape.decode.events import DecodeCounters
from tickertape.decode.frames import FrameDecoder
from tickertape.edit.rotate import RotatingWriter, Rotation
from tickertape.link import MemoryLink
from tickertape.protocol.wire import FrameType
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from tests.support.command import Command
    from tests.support.reference import PlainEvent
    from tickertape.tape.format import RingKey

RING = (0, 0)


def collect(pieces: list[bytes], writer: TapeWriter, flush_s: float) -> None:
    with writer:
        Collector(MemoryLink(pieces), writer, flush_period_s=flush_s).run()


def balances(path: Path) -> dict[RingKey, Balance]:
    with TapeReader(path) as reader:
        return {ring.ring: ring.balance for ring in balance_of(reader).rings}


def contradicts(path: Path) -> bool:
    """Return whether two boots look like one on this tape, so that its balance is meaningless."""
    with TapeReader(path) as reader:
        return bool(balance_of(reader).contradictions)


def joined(parts: Sequence[Path]) -> dict[RingKey, list[PlainEvent]]:
    found: dict[RingKey, list[PlainEvent]] = {}
    for part in parts:
        for ring, events in events_of(part).items():
            found.setdefault(ring, []).extend(events)
    return found


@given(st.integers(0, 2**40))
def test_parts_add_up_to_the_whole(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    pieces, _ = damaged(live(rng), rng)
    folder = tmp_path_factory.mktemp("parts")
    flush_s = rng.choice([0.0, 10.0])
    collect(pieces, TapeWriter(folder / "w.tape"), 0.0)
    if contradicts(folder / "w.tape"):
        return
    writer = RotatingWriter(folder / "p.tape", Rotation(rng.choice([1, 600, 3000])))
    collect(pieces, writer, flush_s)
    total: dict[RingKey, Balance] = {}
    for part in writer.parts:
        compare(part)
        assert not contradicts(part)
        for ring, balance in balances(part).items():
            assert balance.holds
            total[ring] = total.get(ring, Balance()) + balance
    assert total == balances(folder / "w.tape")
    whole, found = events_of(folder / "w.tape"), joined(writer.parts)
    for ring, events in found.items():
        assert set(events) <= set(whole[ring])
        simple = [event for event in whole[ring] if event.payload is None]
        assert [event for event in events if event.payload is None] == simple


def test_each_part_opens_alone(tmp_path: Path) -> None:
    target = SimulatedTarget()
    for turn in range(30):
        target.hello()
        target.name(1, 5, "motor")
        for _ in range(20):
            target.advance(10)
            target.record(RING, 6, 1, turn)
        while target.send_buffer(RING):
            pass
        target.status(RING)
    target.finish()
    options = CaptureOptions(meta={"board": "b"}, rotation=Rotation(1), handle_signals=False)
    pieces = [sent.data for sent in target.frames]
    with_small_chunks = RotatingWriter(tmp_path / "x.tape", Rotation(2000), meta={"board": "b"})
    collect(pieces, with_small_chunks, 0.0)
    parts = with_small_chunks.parts
    assert len(parts) > 3
    assert parts[1].name == "x-0002.tape"
    first = None
    for number, part in enumerate(parts, start=1):
        with TapeReader(part) as reader:
            assert reader.closed
            assert reader.issues == []
            assert reader.hello is not None
            assert reader.hello.target == "simulated"
            assert reader.names()[1, 5].text == "motor"
            assert reader.meta["board"] == "b"
            first = first or str(reader.header.uuid)
            assert reader.meta["part"] == {"capture": first, "number": number}
        if number in {1, len(parts)}:
            with TapeReader(part) as reader:
                assert balance_of(reader).final == (number > 1)
    result = capture(MemoryLink(pieces), tmp_path / "y.tape", options)
    assert result.tapes[0].name == "y-0001.tape"


def test_an_event_under_way_goes_into_the_next_part_whole(tmp_path: Path) -> None:
    target = SimulatedTarget(buffer_records=4)
    target.hello()
    for number in range(200):
        target.advance(10)
        target.combine(RING, 6, 9, number.to_bytes(2, "little") * 15)
        while target.send_buffer(RING):
            pass
    target.finish()
    decoder = FrameDecoder()
    decoder.receive(target.sent_bytes())
    # Chunks of about eight buffers, so that a part contains the beginning of its events.
    writer = RotatingWriter(tmp_path / "x.tape", Rotation(1500))
    with writer:
        for frame in decoder.frames():
            match frame.type:
                case FrameType.HELLO:
                    writer.hello(frame.body)
                case FrameType.BUFFER:
                    writer.buffer(0, 0, frame.body)
                case FrameType.STATUS:
                    writer.status(0, 0, frame.body)
    assert len(writer.parts) > 3
    counters = DecodeCounters()
    found = []
    for part in writer.parts:
        with TapeReader(part) as reader:
            found += plain_events(list(iter_events(reader, counters=counters)))
    assert len(found) == 200
    assert counters.lost_records == 0


def test_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("tickertape.edit.rotate.time.monotonic", lambda: now[0])
    writer = RotatingWriter(tmp_path / "x.tape", Rotation(period_s=10))
    target = SimulatedTarget()
    target.hello()
    target.finish()
    pieces = [sent.data for sent in target.frames]
    with writer:
        collector = Collector(MemoryLink(pieces), writer)
        collector.run()
        writer.flush()
        assert len(writer.parts) == 1
        now[0] = 11.0
        writer.flush()
        writer.flush()
        now[0] = 30.0
        writer.flush()
        assert len(writer.parts) == 2  # an empty part is continued


def test_a_disk_that_is_full_at_a_new_part(tmp_path: Path) -> None:
    target = SimulatedTarget()
    target.hello()
    for number in range(2000):
        target.record(RING, 6, 1, number)
        target.send_buffer(RING)
    pieces = [sent.data for sent in target.frames]
    (tmp_path / "x-0002.tape").mkdir()
    writer = RotatingWriter(tmp_path / "x.tape", Rotation(3000))
    result = Collector(MemoryLink(pieces), writer, flush_period_s=0.0).run()
    writer.close()
    assert result.reason is StopReason.FAILED
    with TapeReader(tmp_path / "x-0001.tape") as reader:
        assert reader.closed
        assert reader.record_count > 0
    with file_size_limit(4000):
        writer = RotatingWriter(tmp_path / "z.tape", Rotation(1 << 20))
        result = Collector(MemoryLink(pieces), writer, flush_period_s=0.0).run()
        writer.close()
    assert result.reason is StopReason.FAILED


def test_the_commands(tickertape: Command, tmp_path: Path) -> None:
    run = ("run", "--target", "native", "--duration", "2", "--rotate-size", "100K", "-o")
    done = tickertape(*run, "t.tape")
    assert (done.returncode, done.stderr) == (0, "")
    parts = sorted(tmp_path.glob("t-*.tape"))
    assert len(parts) > 1
    assert f"t-0001.tape to {parts[-1].name}, {len(parts)} tapes" in done.stdout
    tickertape("run", "--target", "native", "--duration", "2", "-o", "w.tape")
    infos = [json.loads(tickertape("info", part, "--json").stdout) for part in parts]
    whole = json.loads(tickertape("info", "w.tape", "--json").stdout)
    for term, number in whole["balance"].items():
        assert sum(info["balance"][term] for info in infos) == number
    assert sum(info["events"] for info in infos) == whole["events"]
    assert tickertape("capture", "-", "-o", "x.tape", "--rotate-size", "5").returncode == 2
