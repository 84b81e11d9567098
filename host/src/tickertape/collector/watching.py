"""Read the events of a capture while it writes its tape.

A capture of a file, or of a target whose clock waits for the link, calls its watcher and waits for
it; it then ends at the same place in every run. In a capture of a device, the watcher has its own
thread and a queue of frames. When the queue is full, watching ends and the capture continues.

Frames that arrive after the watcher ended the capture are not written.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol

from tickertape.collector.fed import FedTape, Forwarder
from tickertape.collector.recent import RecentWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.collector.fed import Step
    from tickertape.collector.sink import Sink
    from tickertape.decode.frames import LinkCounters
    from tickertape.tape.growing import Growing

_MOST_WAITING: Final = 1 << 16
_AT_ONCE: Final = 256
_MOST_BUFFERED: Final = 16
_SHARE: Final = 64
_LEAST_OFTEN: Final = 128
_WAIT_S: Final = 0.2


class Watcher(Protocol):
    """Reader of the events of a capture."""

    def begin(self, tape: Growing) -> None:
        """Store the tape, which is still empty."""

    def look(self, *, at_once: bool) -> bool:
        """Read the events that have arrived; return True to end the capture.

        Args:
            at_once: defer nothing: this is the last call, or the capture waits.
        """
        ...

    def fall_behind(self) -> None:
        """Note that events arrive faster than they are read; no further call follows."""


class Watching:
    """Passes frames to a sink and to the tape of a watcher. Implements `Sink`.

    Attributes:
        has_stopped: the watcher ended the capture.
    """

    def __init__(self, sink: Sink, name: str, watcher: Watcher) -> None:
        """Prepare the tape and call `watcher.begin`.

        Args:
            sink: gets each frame first, in the thread of the caller.
            name: name of the link.
            watcher: reads the events.
        """
        self._sink = sink
        self._watcher = watcher
        self._tape = FedTape(name)
        self._copy = Forwarder(self._tape, self._put)
        self._steps: SimpleQueue[Step | None] = SimpleQueue()
        self._waiting = self._taken = 0  # steps since the last look; steps in total
        self._thread: threading.Thread | None = None
        self._stop: Callable[[], None] = lambda: None
        self._failure: BaseException | None = None
        self._is_over = self.has_stopped = False
        self._report(0)
        watcher.begin(self._tape)

    def start(self, stop: Callable[[], None], *, waits: bool) -> None:
        """Begin to watch.

        Args:
            stop: ends the capture.
            waits: the capture waits for the watcher. When False, the watcher has its own thread.
        """
        self._stop = stop
        if not waits:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Pass the remaining events to the watcher and wait for it.

        Raises:
            Exception: the exception that the watcher raised in its thread.
        """
        if self._thread is None:
            self._end()
        else:
            self._steps.put(None)
            self._thread.join()
        if self._failure is not None:
            raise self._failure

    def abandon(self) -> None:
        """End without another call of the watcher."""
        self._is_over = True
        self._steps.put(None)

    def _put(self, step: Step) -> None:
        if self._is_over:
            return
        if self._thread is not None:
            if self._steps.qsize() >= _MOST_WAITING:
                self._is_over = True
                self._watcher.fall_behind()
                self._report(None)
            self._steps.put(step)
            return
        step()
        self._waiting += 1
        self._taken += 1
        # Look less often as the tape grows: each look takes longer on a long tape.
        if self._waiting >= min(_MOST_BUFFERED + self._taken // _SHARE, _LEAST_OFTEN):
            self._look()

    def _run(self) -> None:
        try:
            while not self._is_over and self._take_steps():
                self._look()
            self._end()
        except BaseException as error:  # noqa: BLE001 - `finish` raises it
            self._is_over = True
            self._failure = error

    def _take_steps(self) -> bool:
        """Run the queued steps; return False after the last one."""
        wait_s = _WAIT_S
        for _ in range(_AT_ONCE):
            try:
                step = self._steps.get(timeout=wait_s)
            except Empty:
                return True
            if step is None:
                return False
            step()
            wait_s = 1e-9
        return True

    def _end(self) -> None:
        if not self._is_over:
            self._tape.end()
            self._look(last=True)

    def _look(self, *, last: bool = False) -> None:
        self._waiting = 0
        if self._watcher.look(at_once=last or self._thread is None):
            self._is_over = self.has_stopped = True
            self._stop()
        else:
            self._report(self._tape.body_count)

    def _report(self, read: int | None) -> None:
        """Report to a flight recorder how many buffers the watcher has read."""
        if isinstance(self._sink, RecentWriter):
            self._sink.watched(read)

    @property
    def epoch(self) -> int:
        """Number of the current boot, from 0."""
        return self._sink.epoch

    def hello(self, body: bytes) -> None:
        """Pass on the body of HELLO."""
        if not self.has_stopped:
            self._sink.hello(body)
            self._copy.hello(body)

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Pass on the body of BUFFER."""
        if not self.has_stopped:
            self._sink.buffer(stream, cpu, body)
            self._copy.buffer(stream, cpu, body)

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Pass on the body of STATUS, to the sink only."""
        if not self.has_stopped:
            self._sink.status(stream, cpu, body)

    def name(self, body: bytes) -> None:
        """Pass on the body of NAME."""
        if not self.has_stopped:
            self._sink.name(body)
            self._copy.name(body)

    def text(self, body: bytes) -> None:
        """Pass on the body of TEXT, to the sink only."""
        if not self.has_stopped:
            self._sink.text(body)

    def meta(self, values: Mapping[str, object]) -> None:
        """Pass on facts about capture and target, to the sink only."""
        self._sink.meta(values)

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Pass on an anchor, to the sink only."""
        if not self.has_stopped:
            self._sink.anchor(target_ticks, host_ns, uncertainty_ns)

    def receipt(self, counters: LinkCounters) -> None:
        """Pass on the counters of the link, to the sink only."""
        self._sink.receipt(counters)

    def new_epoch(self) -> None:
        """Begin another boot."""
        if not self.has_stopped:
            self._sink.new_epoch()
            self._copy.new_epoch()

    def flush(self) -> None:
        """Hand buffered data on."""
        self._sink.flush()
