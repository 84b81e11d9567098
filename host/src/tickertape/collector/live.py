"""Read the events of a link while they arrive, without a tape.

    with closing(open_link(url)) as link, LiveTape(link) as live:
        while not live.ended:
            for columns in live.poll():
                ...

One thread reads the link and checks its frames; the polling thread decodes them. The queue between
them is bounded: when it is full, the first thread stops reading until the other one polls.
"""

from __future__ import annotations

import threading
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING

from tickertape.closing import Closing
from tickertape.collector.collector import Collector
from tickertape.collector.fed import FedTape, Forwarder
from tickertape.errors import TickertapeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.collector.collector import CaptureResult, Progress
    from tickertape.collector.fed import Step
    from tickertape.decode.events import EventColumns
    from tickertape.decode.frames import Frame
    from tickertape.link.base import Link

_MOST_WAITING = 4096
_FLUSH_S = 0.05
_WAIT_S = 0.1
_AT_ONCE = 256


class LiveTape(FedTape, Closing):
    """The frames of a link as a growing tape; use it as a context manager.

    Attributes:
        result: result of the capture, None while it runs. The caller reports its problems.
        progress: state of the capture, updated four times a second; None before the first update.
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
            link: open link; `close` leaves it open.
            duration_s: seconds of the host's clock to read; None: until the link ends.
            on_frame: called with each good frame, in the reading thread; must not wait.
        """
        super().__init__(link.name)
        self.result: CaptureResult | None = None
        self.progress: Progress | None = None
        self._steps: Queue[Step] = Queue(_MOST_WAITING)
        self._stopped = threading.Event()
        self._duration_s = duration_s
        self._failure: BaseException | None = None
        self._collector = Collector(
            link,
            Forwarder(self, self._put),
            on_progress=self._report,
            on_frame=on_frame,
            flush_period_s=_FLUSH_S,
        )
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop reading and wait for the end of the reading thread. May be called twice."""
        self._stopped.set()
        self._collector.stop()
        self._thread.join()

    def advance(self) -> bool:
        """Decode the frames that have arrived; wait up to 0.1 s for the first one."""
        was_alive = self._thread.is_alive()
        self._take_steps()
        if not was_alive and self._steps.empty() and not self.ended:
            self.end()
        return False

    def poll(self) -> Iterator[EventColumns]:
        """Yield the events that have arrived since the last call; wait up to 0.1 s for the first.

        Raises:
            TickertapeError: the capture failed before its first frame.
        """
        yield from super().poll()
        self.require_begun()

    def require_begun(self) -> None:
        """Raise the error if the capture failed at its start.

        Raises:
            TickertapeError: the capture failed before its first frame.
        """
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """End the capture gracefully and soon. Frames received before can still be polled."""
        self._collector.stop()

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
        """Queue a step for the polling thread; wait for room. After `close`, discard it."""
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
