"""Capture in the background: a thread reads the link while the caller continues."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tickertape.broker import ControlServer
from tickertape.collector import CaptureOptions, CaptureResult, capture
from tickertape.link.base import HardwareTraced, Remarking

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.itm import Packet
    from tickertape.link.base import Link


class _Stoppable:
    """A link that another thread can end, so that a capture closes its tape in order."""

    def __init__(self, link: Link) -> None:
        """Wrap a link."""
        self._link = link
        self.stopped = False
        self.name, self.live, self.byte_rate = link.name, link.live, link.byte_rate
        self.write, self.close = link.write, link.close

    @property
    def at_end(self) -> bool:
        """True once the link has ended, or was stopped."""
        return self.stopped or self._link.at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        return b"" if self.stopped else self._link.read(max_bytes, timeout_s)

    def remarks(self) -> list[str]:
        """Return the remarks of the link; empty if it has none."""
        return self._link.remarks() if isinstance(self._link, Remarking) else []

    def packets(self) -> list[Packet]:
        """Return the packets of the link; empty if it is not a pin of a trace unit."""
        return self._link.packets() if isinstance(self._link, HardwareTraced) else []


@dataclass
class Recording:
    """A capture in a thread of its own.

    Attributes:
        source: link to read until it ends or `stop` is called; then it is closed.
        control: path of a Unix socket that accepts commands during the capture; None: no socket.
        options: options of the capture; signals are left to the main thread.
        ended_by_itself: True if the link ended; valid after the capture.
    """

    source: Link
    control: str | None = None
    options: CaptureOptions = field(default_factory=CaptureOptions)
    _result: Future[CaptureResult] = field(default_factory=Future, init=False)

    def __post_init__(self) -> None:
        """Wrap the link."""
        self._link = _Stoppable(self.source)
        self.ended_by_itself = False

    def start(self, tape: Path | str) -> None:
        """Start to capture into `tape`."""
        threading.Thread(target=self._work, args=[tape], name="capture", daemon=True).start()

    def _work(self, tape: Path | str) -> None:
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(self._link.close)
                on_frame = self.options.on_frame
                if self.control is not None:
                    on_frame = stack.enter_context(ControlServer(self._link, self.control)).take
                options = replace(self.options, on_frame=on_frame, handle_signals=False)
                result = capture(self._link, tape, options)
                self.ended_by_itself = self.source.at_end
            self._result.set_result(result)
        except BaseException as error:  # noqa: BLE001 - the caller of wait() gets it
            self._result.set_exception(error)

    def stop(self) -> None:
        """End the capture soon, in order. Its reason is then `StopReason.END`."""
        self._link.stopped = True

    def wait(self, timeout_s: float) -> CaptureResult:
        """Wait for the end of the capture, and return its result.

        Raises:
            TimeoutError: the capture did not end within `timeout_s` seconds.
            TickertapeError: the capture failed.
        """
        return self._result.result(timeout_s)
