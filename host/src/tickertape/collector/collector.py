"""Reads a link and writes a tape until told to stop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.analysis.balance import Balance
    from tickertape.decode.bodies import Hello
    from tickertape.decode.frames import LinkCounters
    from tickertape.errors import TickertapeError
    from tickertape.link.base import Link
    from tickertape.tape.writer import TapeWriter


class StopReason(Enum):
    """Why a capture ended."""

    DURATION = "the time was up"
    END = "the link ended"
    FINAL = "the target said that nothing will follow"
    STOPPED = "somebody stopped it"
    FAILED = "something went wrong"


@dataclass(frozen=True, slots=True)
class Progress:
    """A capture at one moment.

    Attributes:
        elapsed_s: since the capture began.
        events: events captured so far (a combine event counts once).
        events_per_s: over the time since the report before this one.
        bytes_per_s: likewise.
        balance: loss law so far, over all rings and boots.
        counters: what the link brought and lost.
        epoch: boots seen so far, from 0.
        hello: the newest HELLO, None before the first.
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
    """How a capture went.

    Attributes:
        reason: why it ended.
        progress: the last numbers.
        final: every ring said that nothing will follow. When False, what was offered after the
            last receipt is unknown.
        problems: errors to tell the user, the worst first; the tape is valid all the same. The
            command line prints them and takes the exit code of the first.
    """

    reason: StopReason
    progress: Progress
    final: bool
    problems: tuple[TickertapeError, ...]


class Collector:
    """One capture. `run` blocks; `stop` may be called from a signal handler or another thread."""

    def __init__(
        self,
        link: Link,
        writer: TapeWriter,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        progress_period_s: float = 0.25,
        flush_period_s: float = 1.0,
    ) -> None:
        """Get ready; nothing is read yet. Neither link nor writer is closed by the collector."""
        raise NotImplementedError

    def run(self, *, duration_s: float | None = None, stop_when_final: bool = False) -> CaptureResult:
        """Capture until the link ends, the time is up, `stop` is called or something fails.

        Args:
            duration_s: how long, in seconds of the host; None for no limit.
            stop_when_final: end as soon as every ring has sent its final STATUS.

        Never raises for the world's faults: they are in `problems`, and what came before is kept.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """End the capture soon, in order."""
        raise NotImplementedError
