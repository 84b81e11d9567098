"""Callbacks for events per class, event or range: over a tape, while it is written, on a link.

    parser = tickertape.Parser()

    @parser.on("SCHED")
    def scheduled(event): ...

    @parser.on("USER", 10, 19)
    def ours(event): ...

    report = parser.run("run.tape")

Only events with a callback become objects; the parser skips the others by their column.
"""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from tickertape.decode.events import DecodeCounters
from tickertape.errors import UsageError
from tickertape.formats.ring_ends import chosen_stream
from tickertape.model.selection import narrow
from tickertape.protocol.event_type import CODE_COUNT, event_code
from tickertape.protocol.matching import class_of, codes_of
from tickertape.tape.reader import TapeReader
from tickertape.tape.stream import iter_events
from tickertape.tape.tail import TapeTail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tickertape.decode.events import Event, EventColumns, Gap
    from tickertape.errors import TickertapeError

    EventCallback = Callable[[Event], object]
    GapCallback = Callable[[Gap], object]
    OnEvent = TypeVar("OnEvent", bound=EventCallback)
    OnGap = TypeVar("OnGap", bound=GapCallback)

_LAST_EVENT: Final = 1023


@dataclass(frozen=True, slots=True)
class ParserReport:
    """The result of a run.

    Attributes:
        events: events read, with or without a callback.
        calls: calls of event callbacks.
        gaps: places at which records are missing.
        stopped: a callback called `Parser.stop`; later events were not read.
        counters: counts of the decoder: incomplete combine events, orphaned parts,
            events whose number of records does not fit. They yield no events.
        problems: problems of a link, the worst first.
    """

    events: int
    calls: int
    gaps: int
    stopped: bool
    counters: DecodeCounters
    problems: tuple[TickertapeError, ...] = ()


@dataclass(slots=True)
class _Run:
    """State of a run."""

    events: int = 0
    calls: int = 0
    gaps: int = 0
    stopped: bool = False
    counters: DecodeCounters = field(default_factory=DecodeCounters)


class Parser:
    """Calls functions with events in order of time.

    Several callbacks of one event are called in the order in which they were registered. An
    exception in a callback ends the run and is passed on.
    """

    def __init__(self) -> None:
        """Begin without callbacks."""
        self._callbacks: dict[int, list[EventCallback]] = {}
        self._gap_callbacks: list[GapCallback] = []
        self._wanted = np.zeros(CODE_COUNT, bool)
        self._run = _Run()

    def on(
        self, what: str = "*", first: int = 0, last: int = _LAST_EVENT
    ) -> Callable[[OnEvent], OnEvent]:
        """Register the decorated function.

        Args:
            what: a class (`SCHED`), with `first` and `last` a range of its events; an event or a
                pattern (`THREAD.READY`, `MUTEX_*`, `USER.77`); or `*` for every event.
            first: number of the first event of the class.
            last: number of the last event of the class.

        Raises:
            UsageError: there is no such class, event or range.
        """
        codes = _codes(what, first, last)

        def register(callback: OnEvent) -> OnEvent:
            for code in codes:
                self._callbacks.setdefault(code, []).append(callback)
                self._wanted[code] = True
            return callback

        return register

    def on_gap(self, callback: OnGap) -> OnGap:
        """Register a function to call where records are missing, before the next event."""
        self._gap_callbacks.append(callback)
        return callback

    def stop(self) -> None:
        """End the run after this callback; for use in callbacks."""
        self._run.stopped = True

    def run(self, tape: Path | str, *, stream: int | None = None) -> ParserReport:
        """Read a tape from begin to end.

        Args:
            tape: path of the file.
            stream: only this stream; None for all.

        Raises:
            TapeError: the tape cannot be read.
            UsageError: the tape has no such stream.
        """
        self._run = _Run()
        with TapeReader(tape) as reader:
            if stream is not None:
                chosen_stream(reader, stream)
            self._take(iter_events(reader, stream=stream, counters=self._run.counters))
        return self._report()

    def follow(self, tape: Path | str, *, pause_s: float = 0.1) -> ParserReport:
        """Read a tape that is being written, until it is closed or `stop` is called.

        Args:
            tape: path of the file.
            pause_s: time to wait if there are no new events, in seconds.

        Raises:
            TapeError: the tape cannot be read.
        """
        self._run = _Run()
        with TapeTail(tape) as tail:
            self._run.counters = tail.counters
            while True:
                self._take(tail.poll())
                if tail.ended or self._run.stopped:
                    return self._report()
                time.sleep(pause_s)

    def listen(self, address: str, *, duration_s: float | None = None) -> ParserReport:
        """Read the events of a target from a link as they arrive, without a tape.

        Args:
            address: address of the link, as for `tickertape capture`: `/dev/ttyACM0`,
                `socket://host:port`, ….
            duration_s: duration in seconds of this machine; None until the link ends or `stop`
                is called.

        Raises:
            LinkError: the link cannot be opened. Later problems are in the report.
        """
        # Programs that only read tapes do not pay for importing device links.
        from tickertape.collector.live import LiveTape  # noqa: PLC0415 - see above
        from tickertape.link import open_link  # noqa: PLC0415 - see above

        self._run = _Run()
        with (
            closing(open_link(address)) as link,
            LiveTape(link, duration_s=duration_s) as live,
        ):
            self._run.counters = live.counters
            while not live.ended and not self._run.stopped:
                self._take(live.poll())
        problems = live.result.problems if live.result is not None else ()
        return replace(self._report(), problems=problems)

    def _report(self) -> ParserReport:
        run = self._run
        return ParserReport(run.events, run.calls, run.gaps, run.stopped, run.counters)

    def _take(self, parts: Iterable[EventColumns]) -> None:
        for part in parts:
            self._run.events += len(part)
            self._dispatch(narrow(part, self._wanted[part.code]))
            if self._run.stopped:
                return

    def _dispatch(self, part: EventColumns) -> None:
        run = self._run
        gaps = sorted(part.losses, key=lambda gap: gap.row, reverse=True)
        # Gaps after the last event are reported here: no event follows them.
        for row, event in enumerate(chain(part.events(), [None])):
            while gaps and gaps[-1].row <= row:
                gap = gaps.pop()
                run.gaps += 1
                for told in self._gap_callbacks:
                    told(gap)
            if event is None:
                return
            for callback in self._callbacks[event_code(event.cls, event.event)]:
                run.calls += 1
                callback(event)
            if run.stopped:
                return


def _codes(what: str, first: int, last: int) -> Iterable[int]:
    if what == "*":
        return range(CODE_COUNT)
    if "." in what or "*" in what or "?" in what:
        return sorted(codes_of(what))
    number = class_of(what)
    if not 0 <= first <= last:
        raise UsageError(
            f"{first} to {last} is not a range of events", "give the lower number first"
        )
    return range(event_code(number, first), event_code(number, min(last, _LAST_EVENT)) + 1)
