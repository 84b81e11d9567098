from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import wire_bytes
from tests.support.target import OVERWRITE, Oracle, SimulatedTarget
from tickertape.analysis.balance import Balance, TapeBalance, balance_of
from tickertape.decode.frames import FrameDecoder
from tickertape.tape import TapeReader, TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

RING = (0, 0)


def write(path: Path, target: SimulatedTarget, without: set[int]) -> None:
    with TapeWriter(path) as writer:
        for sent in target.frames:
            decoder = FrameDecoder()
            decoder.receive(sent.data)
            for frame in decoder.frames():
                if sent.number in without:
                    continue
                if frame.type == wire_bytes.BUFFER:
                    writer.buffer(frame.stream, frame.cpu, frame.body)
                elif frame.type == wire_bytes.STATUS:
                    writer.status(frame.stream, frame.cpu, frame.body)
                elif frame.type == wire_bytes.HELLO:
                    writer.hello(frame.body)


def balance(path: Path, *, by_class: bool = True) -> TapeBalance:
    with TapeReader(path) as reader:
        return balance_of(reader, by_class=by_class)


def lossy_run(target: SimulatedTarget) -> None:
    target.hello()
    target.status(RING)
    for number in range(400):
        target.advance(1)
        target.record(RING, 1 + number % 5, 0, number)
        if number % 40 == 0:
            target.send_buffer(RING)


def test_every_class_has_its_balance(tmp_path: Path) -> None:
    target = SimulatedTarget(buffers=2, policy=OVERWRITE)
    lossy_run(target)
    target.finish()
    lost = {sent.number for sent in target.frames if sent.ring and sent.receipts[0] > 0}
    without = {min(lost)}
    write(tmp_path / "t.tape", target, without)
    (ring,) = balance(tmp_path / "t.tape").rings
    expected = Oracle(target, {sent.number for sent in target.frames} - without).balance(0, RING)
    assert ring.by_class is not None
    assert (ring.by_class.first_ordinal, ring.by_class.end_ordinal) == (0, 400)
    for number, one in ring.by_class.classes.items():
        terms = expected.by_class[number]
        assert one == Balance(**terms)
    total = sum(ring.by_class.classes.values(), Balance())
    assert total == ring.balance == Balance(**expected.terms)
    assert min(total.damaged, total.overwritten, total.delivered) > 0


def test_classes_are_unknown_while_records_wait(tmp_path: Path) -> None:
    target = SimulatedTarget(buffers=2, policy=OVERWRITE)
    lossy_run(target)
    target.status(RING)
    write(tmp_path / "t.tape", target, set())
    (ring,) = balance(tmp_path / "t.tape").rings
    assert ring.by_class is None
    assert ring.unsettled > 0
    assert not ring.final


def test_a_late_capture_balances_classes_between_two_level_moments(tmp_path: Path) -> None:
    target = SimulatedTarget()
    target.record(RING, 6, 0)
    target.flush(RING)
    target.send_buffer(RING)
    first = len(target.frames)
    target.hello()
    target.status(RING)
    for number in range(8):
        target.record(RING, 6 + number % 2, 0)
    target.finish()
    write(tmp_path / "t.tape", target, set(range(first)))
    (ring,) = balance(tmp_path / "t.tape").rings
    assert ring.by_class is not None
    assert (ring.by_class.first_ordinal, ring.by_class.end_ordinal) == (1, 9)
    four = Balance(4, 4, 0, 0, 0)
    assert ring.by_class.classes == {6: four, 7: four}


def test_buffers_that_stand_twice_on_a_tape_count_once(tmp_path: Path) -> None:
    target = SimulatedTarget()
    target.status(RING)
    for number in range(32):
        target.record(RING, 6, number)
    target.finish()
    target.hello()
    target.frames.append(target.frames[1])
    target.frames.insert(2, target.frames[1])
    write(tmp_path / "t.tape", target, set())
    (ring,) = balance(tmp_path / "t.tape").rings
    assert ring.balance == Balance(32, 32, 0, 0, 0)
    assert ring.by_class is not None
    assert ring.by_class.classes == {6: ring.balance}
    assert ring.contradictions == ("32 records came twice and are counted once",)


def test_counters_that_do_not_fit_the_receipts_are_not_used(tmp_path: Path) -> None:
    target = SimulatedTarget()
    target.status(RING)
    for number in range(32):
        target.record(RING, 6, number)
    target.finish()
    with TapeWriter(tmp_path / "t.tape") as writer:
        for sent in target.frames:
            decoder = FrameDecoder()
            decoder.receive(sent.data)
            (frame,) = decoder.frames()
            if frame.type == wire_bytes.STATUS:
                wrong = bytearray(frame.body)
                wrong[-1] ^= 1  # class 31 sent 2^24 records
                writer.status(0, 0, bytes(wrong))
            else:
                writer.buffer(0, 0, frame.body)
    (ring,) = balance(tmp_path / "t.tape").rings
    assert ring.balance == Balance(32, 32, 0, 0, 0)
    assert ring.by_class is None


def test_classes_are_unknown_without_any_hello(tmp_path: Path) -> None:
    target = SimulatedTarget(byte_order=">")
    target.record(RING, 6, 1)
    target.finish()
    write(tmp_path / "t.tape", target, set())
    (ring,) = balance(tmp_path / "t.tape").rings
    assert ring.by_class is None
    assert ring.contradictions == ()


def test_classes_are_not_counted_when_not_asked(tmp_path: Path) -> None:
    target = SimulatedTarget()
    lossy_run(target)
    target.finish()
    write(tmp_path / "t.tape", target, set())
    (ring,) = balance(tmp_path / "t.tape", by_class=False).rings
    assert ring.by_class is None
    assert ring.final


def test_a_chunk_that_is_damaged_on_the_tape_is_damaged_in_the_balance(tmp_path: Path) -> None:
    path = tmp_path / "t.tape"
    with TapeWriter(path) as writer:
        for first in (0, 10, 20):
            body = wire_bytes.buffer_body((first, 0, first), 0, 0, bytes(160))
            writer.buffer(0, 0, body)
            writer.flush()
    data = bytearray(path.read_bytes())
    with TapeReader(path) as reader:
        middle = int(reader.chunks[1]["offset"])
    data[middle + 100] ^= 1
    path.write_bytes(data)
    found = balance(path)
    assert found.total == Balance(30, 20, 0, 0, 10)
    assert found.contradictions == ()


def test_contradictions_name_their_ring(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.buffer(1, 2, wire_bytes.buffer_body((0, 0, 0), 0, 0, bytes(160)))
        writer.buffer(1, 2, wire_bytes.buffer_body((10, 0, 3), 0, 0, bytes(160)))
    found = balance(tmp_path / "t.tape")
    assert all(line.startswith("epoch 0, stream 1, CPU 2: ") for line in found.contradictions)
    assert found.contradictions


def test_an_empty_tape(tmp_path: Path) -> None:
    TapeWriter(tmp_path / "t.tape").close()
    found = balance(tmp_path / "t.tape")
    assert found.total == Balance()
    assert not found.final
