from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.support import wire_bytes
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import Balance, balance_of
from tickertape.collector import CaptureOptions, Collector, StopReason, capture
from tickertape.collector.signals import stopping_on_signals
from tickertape.errors import (
    DictionaryMismatch,
    LinkError,
    LinkLost,
    ProtocolMismatch,
    TapeWriteFailed,
)
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader, TapeWriter, iter_events
from tickertape.tape.chunk_file import ChunkFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tickertape.collector import CaptureResult, Progress

RING = (0, 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.tape"


def run_of(count: int, *, boot_id: int = 0) -> SimulatedTarget:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, boot_id=boot_id, now=1000)
    target.hello()
    record(target, count)
    return target


def record(target: SimulatedTarget, count: int) -> None:
    for number in range(count):
        target.advance(1)
        target.record(RING, 6, 1, number)
        target.flush(RING)
        target.send_buffer(RING)


def collect(link: MemoryLink, path: Path, **options: float | bool | None) -> CaptureResult:
    with TapeWriter(path) as writer:
        return Collector(link, writer).run(**options)  # type: ignore[arg-type] # `options` has what run has


def test_a_capture_ends_with_its_link(path: Path) -> None:
    target = run_of(5)
    target.finish()
    result = collect(MemoryLink([target.sent_bytes()]), path)
    assert result.reason is StopReason.END
    assert result.problems == ()
    assert result.final
    assert result.progress.events == 5
    assert result.progress.hello is not None
    with TapeReader(path) as reader:
        ended = reader.meta["capture"]
        assert isinstance(ended, dict)
        assert ended["ended_because"] == "the link ended"
        assert ended["final"] is True


def test_a_capture_ends_when_the_time_is_up(path: Path) -> None:
    began = time.monotonic()
    result = collect(MemoryLink([run_of(3).sent_bytes()], ends=False), path, duration_s=0.2)
    assert result.reason is StopReason.DURATION
    assert not result.final
    assert time.monotonic() - began > 0.15


def test_a_capture_may_end_with_the_final_status(path: Path) -> None:
    target = run_of(3)
    target.finish()
    link = MemoryLink([target.sent_bytes()], ends=False)
    result = collect(link, path, duration_s=20, stop_when_final=True)
    assert result.reason is StopReason.FINAL


def test_records_behind_a_final_status_undo_it(path: Path) -> None:
    target = run_of(3)
    target.status(RING, final=True)
    record(target, 1)
    result = collect(MemoryLink([target.sent_bytes()]), path)
    assert not result.final


def test_stop_ends_in_order(path: Path) -> None:
    with TapeWriter(path) as writer:
        collector = Collector(MemoryLink([run_of(3).sent_bytes()], ends=False), writer)
        threading.Timer(0.2, collector.stop).start()
        result = collector.run()
    assert result.reason is StopReason.STOPPED
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.record_count == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_in_order(path: Path, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
    link = MemoryLink([run_of(3).sent_bytes()], ends=False)
    result = capture(link, path, CaptureOptions(duration_s=20))
    assert result.reason is StopReason.STOPPED
    assert signal.getsignal(number) is before
    with TapeReader(path) as reader:
        assert reader.closed


def test_a_second_signal_has_its_ordinary_effect() -> None:
    stops: list[int] = []
    with stopping_on_signals(lambda: stops.append(1)):
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert stops == [1]


def test_signals_are_left_alone_outside_the_main_thread(path: Path) -> None:
    results: list[CaptureResult] = []
    link = MemoryLink([run_of(3).sent_bytes()])
    thread = threading.Thread(target=lambda: results.append(capture(link, path)))
    thread.start()
    thread.join()
    assert results[0].reason is StopReason.END


def test_a_lost_link_keeps_what_came(path: Path) -> None:
    link = MemoryLink([run_of(3).sent_bytes()], ends=False)
    link.lose()
    result = collect(link, path)
    assert result.reason is StopReason.FAILED
    assert isinstance(result.problems[0], LinkLost)
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.record_count == 3


def test_a_reset_begins_a_new_epoch(path: Path) -> None:
    target = run_of(3, boot_id=1)
    target.reset(boot_id=2, now=5)
    target.hello()
    record(target, 2)
    target.finish()
    result = collect(MemoryLink([target.sent_bytes()]), path)
    assert result.progress.epoch == 1
    assert result.progress.balance == Balance(5, 5, 0, 0, 0)
    with TapeReader(path) as reader:
        assert reader.epochs == [0, 1]
        assert [part.epoch for part in iter_events(reader) for _ in part.time] == [0, 0, 0, 1, 1]
        balance = balance_of(reader)
        assert [ring.balance.offered for ring in balance.rings] == [3, 2]
        assert [ring.final for ring in balance.rings] == [False, True]
        assert not balance.final


def test_a_reset_is_seen_without_boot_ids(path: Path) -> None:
    target = run_of(40)
    target.reset(now=3)
    target.hello()
    record(target, 40)
    result = collect(MemoryLink([target.sent_bytes()]), path)
    assert result.progress.epoch == 1
    assert result.progress.balance == Balance(80, 80, 0, 0, 0)


def test_doubled_frames_are_counted_and_not_used_twice(path: Path) -> None:
    target = run_of(20)
    pieces = [sent.data for sent in target.frames for _ in range(2)]
    result = collect(MemoryLink(pieces), path)
    assert result.progress.balance == Balance(20, 20, 0, 0, 0)
    assert result.progress.counters.doubled_frames == 21
    assert result.progress.events == 20


def test_missed_frames_are_damaged_records(path: Path) -> None:
    target = run_of(20)
    pieces = [sent.data for sent in target.frames if sent.number not in {7, 8, 12}]
    result = collect(MemoryLink(pieces), path)
    assert result.progress.counters.missed_frames == 3
    assert result.progress.balance == Balance(20, 17, 0, 0, 3)


def test_a_frame_with_a_bad_body_counts_as_bad(path: Path) -> None:
    target = run_of(2)
    pieces = [
        target.frames[0].data,
        wire_bytes.frame(wire_bytes.BUFFER, 0, 0, 1, b"too short"),
    ]
    result = collect(MemoryLink(pieces), path)
    assert result.progress.counters.bad_frames == 1
    assert result.progress.counters.missed_frames == 0


@pytest.mark.parametrize(("ends", "bad_frames"), [(False, 0), (True, 1)])
def test_a_frame_that_our_own_end_cuts_is_no_loss(
    path: Path, *, ends: bool, bad_frames: int
) -> None:
    link = MemoryLink([run_of(3).sent_bytes()[:-5]], ends=ends)
    counters = collect(link, path, duration_s=0.2).progress.counters
    assert (counters.frames, counters.bad_frames) == (3, bad_frames)
    with TapeReader(path) as reader:
        assert reader.link_counters is not None
        assert reader.link_counters.bad_frames == bad_frames


def test_replies_to_commands_are_known_and_shown_to_who_asked(path: Path) -> None:
    reply = wire_bytes.frame(6, 0, 0, 1, bytes(16))
    link = MemoryLink([run_of(0).sent_bytes() + reply[:7], reply[7:]])
    seen: list[int] = []
    with TapeWriter(path) as writer:
        collector = Collector(link, writer, on_frame=lambda frame: seen.append(frame.type))
        result = collector.run()
    assert seen == [wire_bytes.HELLO, 6]
    assert result.progress.counters.unknown_frames == 0
    assert result.progress.counters.frames == 2


def test_unknown_frames_are_counted(path: Path) -> None:
    pieces = [run_of(0).sent_bytes(), wire_bytes.frame(99, 0, 0, 1, b"from the future")]
    result = collect(MemoryLink(pieces), path)
    assert result.progress.counters.unknown_frames == 1
    assert result.problems == ()


def test_another_dictionary_is_a_problem_but_everything_is_kept(path: Path) -> None:
    target = SimulatedTarget(dictionary=1)
    target.hello()
    record(target, 4)
    target.hello()
    result = collect(MemoryLink([target.sent_bytes()]), path)
    (problem,) = result.problems
    assert isinstance(problem, DictionaryMismatch)
    assert problem.exit_code >= 2
    with TapeReader(path) as reader:
        assert reader.record_count == 4


@pytest.mark.parametrize(("major", "advice"), [(0, "build the firmware"), (2, "update")])
def test_another_protocol_is_refused_but_the_tape_is_valid(
    path: Path, major: int, advice: str
) -> None:
    target = run_of(4)
    pieces = [
        target.sent_bytes(),
        wire_bytes.frame(wire_bytes.HELLO, 0, 0, 5, wire_bytes.hello_body(major=major)),
    ]
    result = collect(MemoryLink(pieces), path)
    assert result.reason is StopReason.FAILED
    assert isinstance(result.problems[0], ProtocolMismatch)
    assert advice in str(result.problems[0])
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.record_count == 4


@pytest.mark.parametrize(
    ("data", "what"), [(b"", "no bytes arrived"), (b"no frame\0at all\0", "but no frame")]
)
def test_a_silent_or_babbling_link_is_a_problem(path: Path, data: bytes, what: str) -> None:
    result = collect(MemoryLink([data]), path)
    (problem,) = result.problems
    assert isinstance(problem, LinkError)
    assert what in str(problem)
    with TapeReader(path) as reader:
        assert reader.closed


def test_garbage_between_frames_costs_nothing_else(path: Path) -> None:
    target = run_of(10)
    target.finish()
    pieces = [piece for sent in target.frames for piece in (b"\xff garbage \0", sent.data)]
    result = collect(MemoryLink(pieces), path)
    assert result.progress.balance == Balance(10, 10, 0, 0, 0)
    assert result.final
    assert result.progress.counters.bad_frames == len(target.frames) - 1


class FullAfter(TapeWriter):
    """A tape on a disk that fills up."""

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        if self.epoch or body[0] >= 3:
            raise TapeWriteFailed(f"{self.path} cannot be written", "free some space")
        super().buffer(stream, cpu, body)


def test_a_full_disk_ends_the_capture_and_keeps_what_is_there(path: Path) -> None:
    with FullAfter(path) as writer:
        result = Collector(MemoryLink([run_of(9).sent_bytes()]), writer).run()
    assert result.reason is StopReason.FAILED
    assert isinstance(result.problems[0], TapeWriteFailed)
    with TapeReader(path) as reader:
        assert reader.record_count == 3


class FullAtTheEnd(TapeWriter):
    """A tape on a disk that is full when the capture ends."""

    def meta(self, values: Mapping[str, object]) -> None:
        raise TapeWriteFailed(f"{self.path} cannot be written", f"free some space {len(values)}")


def test_a_disk_that_is_full_at_the_end(path: Path) -> None:
    with FullAtTheEnd(path) as writer:
        result = Collector(MemoryLink([run_of(9).sent_bytes()]), writer).run()
    assert result.reason is StopReason.FAILED
    assert isinstance(result.problems[0], TapeWriteFailed)
    with TapeReader(path) as reader:
        assert reader.record_count == 9


def test_a_tape_that_cannot_be_created_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(TapeWriteFailed):
        capture(MemoryLink(), tmp_path / "nowhere/t.tape")


def test_a_tape_that_cannot_be_closed_is_a_problem(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_file: ChunkFile, _epoch: int) -> None:
        raise TapeWriteFailed("the disk is full", "free some space")

    monkeypatch.setattr(ChunkFile, "finish", fail)
    result = capture(MemoryLink([run_of(3).sent_bytes()]), path)
    assert result.reason is StopReason.FAILED
    assert isinstance(result.problems[0], TapeWriteFailed)


def test_anchors_tie_both_clocks(path: Path) -> None:
    before = time.time_ns()
    collect(MemoryLink([run_of(1).sent_bytes()]), path)
    with TapeReader(path) as reader:
        (anchor,) = reader.anchors
        assert anchor.target_ticks == 1000
        assert before <= anchor.host_ns <= time.time_ns()
        assert 0 <= anchor.uncertainty_ns <= time.time_ns() - before


def test_a_recording_of_a_link_has_no_anchors(path: Path) -> None:
    collect(MemoryLink([run_of(1).sent_bytes()], live=False), path)
    with TapeReader(path) as reader:
        assert reader.anchors == []


def test_progress_is_reported(path: Path) -> None:
    reports: list[Progress] = []
    link = MemoryLink([run_of(10).sent_bytes()], ends=False)
    with TapeWriter(path) as writer:
        collector = Collector(link, writer, on_progress=reports.append, progress_period_s=0.05)
        collector.run(duration_s=0.3)
    assert len(reports) >= 3
    assert reports[-1].events == 10
    assert reports[-1].balance.delivered == 10
    assert max(report.events_per_s for report in reports) > 0
    assert max(report.bytes_per_s for report in reports) > 0


def test_records_reach_the_file_within_the_flush_period(path: Path) -> None:
    link = MemoryLink([run_of(10).sent_bytes()], ends=False)
    with TapeWriter(path) as writer:
        collector = Collector(link, writer, flush_period_s=0.05)
        thread = threading.Thread(target=collector.run)
        thread.start()
        try:
            deadline = time.monotonic() + 100
            while time.monotonic() < deadline:
                with TapeReader(path) as reader:
                    if reader.record_count == 10 and reader.link_counters is not None:
                        break
                time.sleep(0.02)
            else:
                pytest.fail("records did not reach the file")
        finally:
            collector.stop()
            thread.join()
