"""Read a link and write a tape until stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from tickertape.collector.gathering import GATHER_S, Gathering
from tickertape.collector.hardware import HardwareTrace
from tickertape.collector.intake import Arrival, Intake
from tickertape.decode.frames import FrameDecoder, LinkCounters
from tickertape.decode.ticks import NS_PER_S
from tickertape.errors import LinkError, TapeError, TickertapeError
from tickertape.link.base import Awaiting, HardwareTraced, Remarking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tickertape.analysis.balance import Balance
    from tickertape.collector.sink import Sink
    from tickertape.decode.bodies import Hello
    from tickertape.decode.frames import Frame
    from tickertape.link.base import Link
    from tickertape.symbols.elf import Symbols

_READ_BYTES = 65_536
_READ_TIMEOUT_S = 0.1


class StopReason(Enum):
    """Why a capture ended."""

    DURATION = "the time was up"
    END = "the link ended"
    FINAL = "the target announced its end"
    STOPPED = "stopped"
    FAILED = "something went wrong"


_OUR_OWN_ENDS = {StopReason.DURATION, StopReason.FINAL, StopReason.STOPPED}


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a capture at one moment.

    Attributes:
        elapsed_s: seconds since the capture began.
        events: number of events captured so far (a combine event counts once).
        events_per_s: rate since the previous report.
        bytes_per_s: rate since the previous report.
        balance: balance so far, over all rings and boots.
        counters: counters of the frames and bytes received, lost and damaged on the link.
        epoch: number of resets of the target so far.
        hello: the latest HELLO, None before the first.
    """

    elapsed_s: float
    events: int
    events_per_s: float
    bytes_per_s: float
    balance: Balance
    counters: LinkCounters
    epoch: int
    hello: Hello | None


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """The result of a capture.

    Attributes:
        reason: why the capture ended.
        progress: the state at the end.
        final: every ring sent its final STATUS. When False, the number of records offered
            after the last receipt is unknown.
        problems: errors for the user, the worst first; the tape is still valid. The
            command line prints them and takes the exit code of the first.
        tapes: paths of the tapes; several after a rotation. Empty if the caller made the writer.
        hardware: a sentence about the events of the processor's trace unit, which the balance does
            not count; empty without such events.
    """

    reason: StopReason
    progress: Progress
    final: bool
    problems: tuple[TickertapeError, ...]
    tapes: tuple[Path, ...] = ()
    hardware: str = ""


class Collector:
    """One capture. `run` blocks; `stop` may be called from a signal handler or another thread."""

    def __init__(  # noqa: PLR0913 - the options of a capture
        self,
        link: Link,
        writer: Sink,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_frame: Callable[[Frame], None] | None = None,
        symbols: Symbols | None = None,
        progress_period_s: float = 0.25,
        flush_period_s: float = 1.0,
    ) -> None:
        """Prepare a capture. `run` begins to read. The collector closes neither link nor writer.

        Args:
            link: source of the bytes.
            writer: destination of the frames.
            on_progress: called with the current state, and once more at the end.
            on_frame: called with each good frame as soon as it arrives; must not wait.
            symbols: symbols of the firmware, for the variables of the hardware's trace.
            progress_period_s: time between two calls of `on_progress`, in seconds.
            flush_period_s: longest time before a record is handed to the operating system, in
                seconds.
        """
        self._link = link
        self._writer = writer
        self._decoder = FrameDecoder()
        self._intake = Intake(self._decoder, writer, live=link.live)
        self._hardware = (
            HardwareTrace(writer, symbols) if isinstance(link, HardwareTraced) else None
        )
        if isinstance(link, HardwareTraced):
            link.packets()  # from the first call on, the link keeps the packets
        self._on_progress = on_progress
        self._on_frame = on_frame
        self._progress_period_s = progress_period_s
        self._flush_period_s = flush_period_s
        self._gathering = Gathering()
        self._stopped = False
        self._read_ns = time.time_ns()  # the last time at which nothing was left to read
        self._written: LinkCounters | None = None
        self._began_s = time.monotonic()
        self._reported = (self._began_s, 0, 0)  # time, events, bytes of the last report

    def stop(self) -> None:
        """End the capture gracefully and soon; `run` returns."""
        self._stopped = True

    def remarks(self) -> list[str]:
        """Return the remarks of a finished capture on the link and the hardware's trace."""
        link = self._link.remarks() if isinstance(self._link, Remarking) else []
        return [*link, *(self._hardware.remarks() if self._hardware is not None else [])]

    def run(
        self, *, duration_s: float | None = None, stop_when_final: bool = False
    ) -> CaptureResult:
        """Capture until the link ends, the time is up, `stop` is called or something fails.

        Failures are in `problems` of the result and are not raised; the tape keeps all frames
        received before.

        Args:
            duration_s: seconds of the host's clock; None: no limit.
            stop_when_final: end as soon as every ring has sent its final STATUS.
        """
        self._began_s = time.monotonic()
        self._reported = (self._began_s, 0, 0)
        problems: list[TickertapeError] = []
        try:
            reason = self._loop(duration_s, stop_when_final=stop_when_final)
        except TickertapeError as error:
            reason = StopReason.FAILED
            problems.append(error)
        try:
            self._intake.take(self._gathering.take())
            self._take_hardware(is_end=True)
        except TickertapeError as error:
            reason = StopReason.FAILED
            problems.append(error)
        if reason not in _OUR_OWN_ENDS:
            # When we end the capture ourselves, we cut the last frame: that is not a loss.
            self._decoder.finish()
        if not any(isinstance(problem, TapeError) for problem in problems):
            try:
                self._finish(reason)
            except TapeError as error:
                reason = StopReason.FAILED
                problems.insert(0, error)
        progress = self._progress()
        if self._on_progress is not None:
            self._on_progress(progress)
        problems += self._doubts()
        hardware = "; ".join(self._hardware.remarks()) if self._hardware is not None else ""
        final = self._intake.final
        return CaptureResult(reason, progress, final, tuple(problems), hardware=hardware)

    def _loop(self, duration_s: float | None, *, stop_when_final: bool) -> StopReason:
        end_s = float("inf") if duration_s is None else self._began_s + duration_s
        if isinstance(self._link, Awaiting):
            self._link.end_by(end_s)
        flush_s = self._began_s + self._flush_period_s
        progress_s = self._began_s + self._progress_period_s
        while not self._stopped:
            now_s = time.monotonic()
            if now_s >= end_s:
                return StopReason.DURATION
            if now_s >= flush_s:
                self._flush()
                flush_s = now_s + self._flush_period_s
            if now_s >= progress_s and self._on_progress is not None:
                self._on_progress(self._progress())
                progress_s = now_s + self._progress_period_s
            wait_s = GATHER_S if self._gathering else _READ_TIMEOUT_S
            self._receive(min(wait_s, end_s - now_s))
            if self._link.at_end:
                return StopReason.END
            if stop_when_final and self._intake.final:
                return StopReason.FINAL
        return StopReason.STOPPED

    def _receive(self, timeout_s: float) -> None:
        # Read bytes that have arrived without waiting first. Then a wait begins at a known time
        # with nothing left to read, so bytes received during the wait were sent after that time.
        began_ns = time.time_ns()
        data = self._link.read(_READ_BYTES, 0)
        if not data:
            self._read_ns = began_ns
            data = self._link.read(_READ_BYTES, timeout_s)
        now_ns = time.time_ns()
        if data:
            rate = self._link.byte_rate
            on_line_ns = round(len(data) / rate * NS_PER_S) if rate else 0
            arrival = Arrival(now_ns, max(0, now_ns - self._read_ns) + on_line_ns)
            self._decoder.receive(data)
            self._gathering.add(self._arrived(), arrival, time.monotonic())
        ready = self._gathering.is_ready(time.monotonic(), idle=not data)
        if ready or self._link.at_end:
            self._intake.take(self._gathering.take())
            self._take_hardware()

    def _take_hardware(self, *, is_end: bool = False) -> None:
        if self._hardware is None or not isinstance(self._link, HardwareTraced):
            return
        self._hardware.take(self._link.packets(), self._intake.hello)
        if is_end:
            self._hardware.finish(self._intake.hello)

    def _arrived(self) -> Iterator[Frame]:
        for frame in self._decoder.frames():
            if self._on_frame is not None:
                self._on_frame(frame)
            yield frame

    def _flush(self) -> None:
        self._writer.flush()
        if self._decoder.counters != self._written:
            self._written = replace(self._decoder.counters)
            self._writer.receipt(self._written)

    def _finish(self, reason: StopReason) -> None:
        self._flush()
        counters = self._decoder.counters
        self._writer.meta(
            {
                "capture": {
                    "ended_because": reason.value,
                    "final": self._intake.final,
                    "doubled_frames": counters.doubled_frames,
                    "late_frames": counters.late_frames,
                    "unknown_frames": counters.unknown_frames,
                }
            }
        )

    def _progress(self) -> Progress:
        now_s = time.monotonic()
        intake, counters = self._intake, self._decoder.counters
        then_s, events, count = self._reported
        passed_s = max(now_s - then_s, 1e-9)
        self._reported = (now_s, intake.events, counters.bytes)
        return Progress(
            elapsed_s=now_s - self._began_s,
            events=intake.events,
            events_per_s=(intake.events - events) / passed_s,
            bytes_per_s=(counters.bytes - count) / passed_s,
            balance=intake.balance,
            counters=replace(counters),
            epoch=self._writer.epoch,
            hello=intake.hello,
        )

    def _silence(self) -> LinkError:
        """Return the error for a capture that received no byte, with the remarks of the link."""
        remarks = self.remarks()
        if remarks:
            return LinkError(
                f"no trace data arrived from {self._link.name}: {', '.join(remarks)}",
                "check the rate, and that the target sends its trace there",
            )
        return LinkError(
            f"no bytes arrived from {self._link.name}",
            "check that the target runs and sends its trace there",
        )

    def _doubts(self) -> list[TickertapeError]:
        """Return problems that concern the capture as a whole."""
        counters = self._decoder.counters
        doubts: list[TickertapeError] = []
        if not counters.bytes:
            doubts.append(self._silence())
        elif not counters.frames:
            doubts.append(
                LinkError(
                    f"{counters.bytes} bytes arrived from {self._link.name}, but no frame",
                    "check the baud rate, and that the sender is tickertape",
                )
            )
        if self._intake.mismatch is not None:
            doubts.append(self._intake.mismatch)
        return doubts
