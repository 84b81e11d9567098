"""64-bit time does not depend on the drain, the thread of lowest priority: the tick extends it."""

from __future__ import annotations

from pathlib import Path

from tests.support.workbench import build, run_native
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.protocol.events import EventClass
from tickertape.tape import TapeReader, iter_events

SOURCE = Path(__file__).parent / "starved_drain"
BUSY_MS = 100_000
PERIOD_TICKS = 1 << 32


def test_a_drain_that_never_runs_loses_no_time(tmp_path: Path) -> None:
    """A thread is busy for more than two periods of the counter, which wraps after 42.9 s."""
    program = build("native", "starved_drain", SOURCE_DIR=str(SOURCE))
    trace, tape = tmp_path / "trace.bin", tmp_path / "x.tape"
    done = run_native(program, "--duration-ms", str(BUSY_MS), "--trace", f"file:{trace}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    capture(MemoryLink([trace.read_bytes()]), tape, CaptureOptions(handle_signals=False))
    with TapeReader(tape) as reader:
        assert reader.hello is not None
        hz = reader.hello.tick_hz
        times = [
            event.time_ticks
            for part in iter_events(reader)
            for event in part.events()
            if event.cls == EventClass.USER
        ]
    elapsed = times[1] - times[0]
    assert elapsed > 2 * PERIOD_TICKS
    assert abs(elapsed - BUSY_MS * hz // 1000) < hz
