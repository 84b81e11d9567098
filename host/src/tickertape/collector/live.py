"""The events of a link as they come, without a tape.

    with closing(open_link(url)) as link, LiveTape(link) as live:
        while not live.ended:
            for columns in live.poll():
                ...

A thread reads the link and checks its frames; the thread that polls decodes. Between them
is a queue of at most some thousand frames: while no thread polls, the link is not read either.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING, Self

import numpy as np

from tickertape.collector.collector import Collector
from tickertape.errors import TickertapeError
from tickertape.protocol.wire import BUFFER_HEADER_BYTES, BUFFER_HEADER_DTYPE, record_dtype
from tickertape.tape.format import new_header
from tickertape.tape.growing import Growing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from tickertape.collector.collector import CaptureResult, Progress
    from tickertape.decode.events import EventColumns
    from tickertape.decode.frames import Frame, LinkCounters
    from tickertape.link.base import Link

    Step = Callable[[], None]

_MOST_WAITING = 4096
_FLUSH_S = 0.05
_WAIT_S = 0.1
_AT_ONCE = 256
_MOST_EARLY = 1024  # a target sends HELLO about once a second


class LiveTape(Growing):
    """A link, seen as a tape that grows; use it as a context manager.

    Attributes:
        result: how the capture went, None while it runs. The caller reports its problems.
        progress: numbers of the capture so far, a quarter of a second old at most; None before the
            first.
    """

    pause_s = 0.0  # poll itself waits

    def __init__(
        self,
        link: Link,
        *,
        duration_s: float | None = None,
        on_frame: Callable[[Frame], None] | None = None,
    ) -> None:
        """Begin to read a link.

        Args:
            link: open; it is not closed here.
            duration_s: how long, in seconds of the host; None until the link ends.
            on_frame: called with each good frame, by the reading thread; must not wait.
        """
        super().__init__()
        self.path = Path(link.name)
        self.header = new_header(time.time_ns())
        self.result: CaptureResult | None = None
        self.progress: Progress | None = None
        self._early: list[tuple[tuple[int, int], bytes]] = []
        self._steps: Queue[Step] = Queue(_MOST_WAITING)
        self._stopped = threading.Event()
        self._duration_s = duration_s
        self._failure: BaseException | None = None
        self._collector = Collector(
            link,
            _Forwarder(self, self._put),
            on_progress=self._report,
            on_frame=on_frame,
            flush_period_s=_FLUSH_S,
        )
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        """Nothing to do: the link is being read."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop reading."""
        self.close()

    def close(self) -> None:
        """Stop reading and wait until the link is free. May be called twice."""
        self._stopped.set()
        self._collector.stop()
        self._thread.join()

    def poll(self) -> Iterator[EventColumns]:
        """Yield what has come since the last call; waits a tenth of a second for something.

        Raises:
            TickertapeError: the capture failed before its first frame.
        """
        was_alive = self._thread.is_alive()
        self._take_steps()
        if not was_alive and self._steps.empty() and not self.ended:
            self.ended = True
            self._take_early()
            self.end_boot()
        yield from self.merged()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """End soon, in order; what has come may still be polled."""
        self._collector.stop()

    def take_hello(self, body: bytes) -> None:
        """Take the body of HELLO; what came before it can be read now."""
        super().take_hello(body)
        self._take_early()

    def take_body(self, ring: tuple[int, int], body: bytes) -> None:
        """Take the body of BUFFER; before the first HELLO its byte order and clock are unknown."""
        self._early.append((ring, body))
        if self.hello is not None or len(self._early) > _MOST_EARLY:
            self._take_early()

    def begin_epoch(self, epoch: int) -> None:
        """Begin a boot; a boot without HELLO is decoded with defaults."""
        self._take_early()
        super().begin_epoch(epoch)

    def _take_early(self) -> None:
        for ring, body in self._early:
            self._take_buffer(ring, body)
        self._early.clear()

    def _take_buffer(self, ring: tuple[int, int], body: bytes) -> None:
        buffers = np.frombuffer(body, BUFFER_HEADER_DTYPE, 1)
        hello = self.hellos.get(self._epoch) or self.hello
        byte_order = hello.byte_order if hello else self.header.byte_order
        records = np.frombuffer(body, record_dtype(byte_order), offset=BUFFER_HEADER_BYTES)
        self.take_buffers(ring, buffers, records, byte_order)

    def _take_steps(self) -> None:
        wait_s = _WAIT_S
        for _ in range(_AT_ONCE):
            try:
                step = self._steps.get(timeout=wait_s)
            except Empty:
                return
            step()
            wait_s = 0.0

    def _put(self, step: Step) -> None:
        """Hand a step to the polling thread; after the end it is discarded."""
        while not self._stopped.is_set():
            try:
                self._steps.put(step, timeout=_WAIT_S)
            except Full:
                continue
            return

    def _report(self, progress: Progress) -> None:
        self.progress = progress

    def _collect(self) -> None:
        try:
            self.result = self._collector.run(duration_s=self._duration_s)
        except TickertapeError as error:
            self._failure = error


class _Forwarder:
    """Meets `Sink`: turns everything into steps that are taken in order, by another thread."""

    def __init__(self, live: LiveTape, put: Callable[[Step], None]) -> None:
        self._live = live
        self._put = put
        self.epoch = 0

    def hello(self, body: bytes) -> None:
        self._put(lambda: self._live.take_hello(body))

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        self._put(lambda: self._live.take_body((stream, cpu), body))

    def name(self, body: bytes) -> None:
        self._put(lambda: self._live.take_name(body))

    def new_epoch(self) -> None:
        self.epoch += 1
        epoch = self.epoch
        self._put(lambda: self._live.begin_epoch(epoch))

    def meta(self, values: Mapping[str, object]) -> None:
        self._put(lambda: self._live.meta.update(values))

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Balances are the collector's: `LiveTape.result` has them in the end."""

    def text(self, body: bytes) -> None:
        """Ignore text of the target: no style of print shows it."""

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Ignore anchors: a link is not aligned with another one."""

    def receipt(self, counters: LinkCounters) -> None:
        """They are in `LiveTape.result`."""

    def flush(self) -> None:
        """Nothing is gathered."""
