"""A capture of the last seconds has the same events as the end of a full tape, and no more."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row
from tests.support.examples import examples
from tests.support.patience import HANG_S
from tests.support.rings import plain_events
from tests.support.row_tapes import sent
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, StopReason, capture
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.tape.growing import Growing

HZ = 25_000_000


def events_of(path: Path) -> dict[tuple[int, int], list[object]]:
    """Return the events of the last boot by ring; check that the balance holds."""
    with TapeReader(path) as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered + total.lost
        last = max(reader.epochs)
        found: dict[tuple[int, int], list[object]] = {}
        for ring in reader.rings:
            if ring.epoch == last:
                parts = [
                    part for part in iter_events(reader, stream=ring.stream) if part.epoch == last
                ]
                mine = [one for one in plain_events(parts) if one.cpu == ring.cpu]
                found[ring.stream, ring.cpu] = list(mine)
        return found


@given(
    seed=st.integers(0, 100_000),
    cpus=st.integers(1, 3),
    kept_ticks=st.integers(1, 5000),
    resets=st.booleans(),
)
@settings(max_examples=examples(40))
def test_the_last_seconds_are_a_suffix(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cpus: int, kept_ticks: int, *, resets: bool
) -> None:
    folder, rng = tmp_path_factory.mktemp("recent"), random.Random(seed)
    target = SimulatedTarget(
        cpus=cpus, buffers=9999, buffer_records=4, boot_id=1, dictionary=DICTIONARY_HASH
    )
    for boot in range(1 + resets):
        if boot:
            target.reset(boot_id=2, now=7)
        target.hello()
        for number in range(150):
            target.advance(rng.randrange(1, 100))
            target.record((0, rng.randrange(cpus)), 6, number % 20, number, boot)
    target.finish()
    data = b"".join(frame.data for frame in target.frames)
    paths = folder / "W.tape", folder / "R.tape"
    for path, keep_s in zip(paths, (None, kept_ticks / HZ), strict=True):
        options = CaptureOptions(handle_signals=False, keep_s=keep_s)
        result = capture(MemoryLink([data]), path, options)
        assert (result.problems, result.tapes) == ((), (path,))
    whole, recent = map(events_of, paths)
    now = max(one.time for events in whole.values() for one in events)  # type: ignore[attr-defined] # plain events
    for ring, events in whole.items():
        mine = recent.get(ring, [])
        assert mine == events[len(events) - len(mine) :]
        times = [one.time for one in events]  # type: ignore[attr-defined] # plain events
        # The latest buffer may have been opened before the last event.
        wanted = sum(now - time < kept_ticks - 100 * 4 * cpus for time in times)
        assert len(mine) >= wanted


def test_memory_does_not_grow_with_the_tape(tmp_path: Path) -> None:
    """Of 20 000 buffers, the tape contains those of one millisecond."""
    target = sent([Row(25 * number) for number in range(20_000)], buffer_records=2)
    path = tmp_path / "R.tape"
    options = CaptureOptions(handle_signals=False, keep_s=0.001)
    capture(MemoryLink([b"".join(frame.data for frame in target.frames)]), path, options)
    with TapeReader(path) as reader:
        assert 1000 <= reader.record_count <= 1010
        assert reader.meta["kept_s"] == 0.001


class Stopping:
    """Implements `Watcher`: ends the capture after `most` events."""

    def __init__(self, most: int) -> None:
        self.most, self.count = most, 0

    def begin(self, tape: Growing) -> None:
        self.tape = tape

    def look(self, *, at_once: bool) -> bool:
        assert at_once in {True, False}
        self.count += sum(len(columns) for _, _, columns in self.tape.taken())
        return self.count >= self.most

    def fall_behind(self) -> None:
        pytest.fail("nothing is slow here")


@pytest.mark.parametrize("patient", [False, True])
def test_a_watcher_ends_a_capture_that_has_no_end(tmp_path: Path, *, patient: bool) -> None:
    target = sent(list(map(Row, range(2000))), buffer_records=2)
    watcher = Stopping(1000)
    pieces = [frame.data for frame in target.frames]
    result = capture(
        MemoryLink(pieces, ends=False),
        tmp_path / "T.tape",
        CaptureOptions(handle_signals=False, watcher=watcher, patient=patient),
    )
    assert result.reason is StopReason.STOPPED
    with TapeReader(tmp_path / "T.tape") as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered + total.lost
        assert watcher.count >= 1000
        if patient:
            assert reader.record_count == watcher.count < 1100


def test_the_tape_holds_the_violation_however_late_the_verdict(tmp_path: Path) -> None:
    """The watcher reads nothing before the last frame has arrived, and then finds event 999."""
    target = sent(list(map(Row, range(0, 2_000_000, 1000))), buffer_records=2)
    arrived = threading.Event()

    class Late(Stopping):
        def look(self, *, at_once: bool) -> bool:
            assert arrived.wait(HANG_S)
            return super().look(at_once=at_once)

    class Frames(MemoryLink):
        def read(self, max_bytes: int, timeout_s: float) -> bytes:
            data = super().read(max_bytes, timeout_s)
            if not data:
                arrived.set()
            return data

    result = capture(
        Frames([frame.data for frame in target.frames], ends=False),
        tmp_path / "T.tape",
        CaptureOptions(handle_signals=False, watcher=Late(1000), keep_s=50_000 / HZ),
    )
    assert result.reason is StopReason.STOPPED
    with TapeReader(tmp_path / "T.tape") as reader:
        times = [event.time for event in plain_events(list(iter_events(reader)))]
        total = balance_of(reader).total
        assert total.offered == total.delivered + total.lost
    assert {999_000 - 50_000, 999_000} <= set(times)


def test_a_flight_recorder_drops_records_that_its_check_has_read(tmp_path: Path) -> None:
    target = sent(list(map(Row, range(0, 2_000_000, 1000))), buffer_records=2)
    capture(
        MemoryLink([frame.data for frame in target.frames]),
        tmp_path / "T.tape",
        CaptureOptions(
            handle_signals=False, watcher=Stopping(9999), keep_s=50_000 / HZ, patient=True
        ),
    )
    with TapeReader(tmp_path / "T.tape") as reader:
        assert 50 <= reader.record_count < 500


@pytest.mark.parametrize("patient", [False, True])
def test_an_error_of_a_watcher_is_raised_and_the_tape_is_whole(
    tmp_path: Path, *, patient: bool
) -> None:
    class Failing(Stopping):
        def look(self, *, at_once: bool) -> bool:
            raise ZeroDivisionError(at_once)

    data = b"".join(frame.data for frame in sent(list(map(Row, range(50)))).frames)
    options = CaptureOptions(handle_signals=False, watcher=Failing(1), patient=patient)
    with pytest.raises(ZeroDivisionError):
        capture(MemoryLink([data]), tmp_path / "T.tape", options)
    with TapeReader(tmp_path / "T.tape") as reader:
        assert reader.closed
