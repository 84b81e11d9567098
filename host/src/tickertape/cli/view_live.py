"""The target of `tickertape view --live`: a capture in a thread, controlled by pages."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any, Final

from tickertape.closing import Closing
from tickertape.collector import CaptureOptions, capture
from tickertape.control import ControlClient
from tickertape.control.channel import SharedChannel
from tickertape.errors import TickertapeError, UsageError
from tickertape.link import open_link
from tickertape.protocol.events import EventClass
from tickertape.protocol.lookup import class_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tickertape.collector import CaptureResult, Progress

_NAMES: Final = {class_name(one): one for one in EventClass}
_PATIENCE_S: Final = 5.0


class LiveTarget(Closing):
    """Captures a link into a tape until it is stopped; implements `versions.Target`.

    Attributes:
        result: result of the capture; None while it runs.
    """

    def __init__(
        self, source: str, output: Path, *, baud: int | None, wait_s: float, stream: int | None
    ) -> None:
        """Open the link and start the capture; return when the tape exists.

        Args:
            source: address of the link.
            output: the tape to write.
            baud: rate of a serial device.
            wait_s: how long to wait for the peer of a socket, in seconds.
            stream: stream that pages control; None for stream 0.

        Raises:
            LinkError: the link cannot be opened.
            TapeWriteFailed: the tape cannot be created.
        """
        self.result: CaptureResult | None = None
        self._source, self._output = source, output
        self._progress: Progress | None = None
        self._failure: BaseException | None = None
        self._stop: Callable[[], None] = lambda: None
        self._begun = threading.Event()
        self._talking = threading.Lock()
        self._thread = threading.Thread(target=self._capture, name="capture", daemon=True)
        with ExitStack() as stack:
            self._link = stack.enter_context(closing(open_link(source, baud=baud, wait_s=wait_s)))
            self._channel = SharedChannel(self._link)
            self._client = ControlClient(self._channel, stream=stream or 0, patience_s=_PATIENCE_S)
            self._thread.start()
            self._begun.wait()
            if self._failure is not None:
                raise self._failure
            self._open = stack.pop_all()

    def close(self) -> None:
        """End the capture and close the link. May be called twice."""
        self.stop()
        self._channel.close()
        self._thread.join()
        self._open.close()

    def stop(self) -> None:
        """Ask the capture to end; may be called from any thread."""
        self._stop()

    def finish(self) -> CaptureResult:
        """End the capture and return its result.

        Raises:
            BaseException: the error that ended the capture before it had a result.
        """
        self.close()
        if self.result is None:
            raise self._failure or RuntimeError("the capture has no result")
        return self.result

    def state(self) -> dict[str, Any]:
        """Return the state of the capture as JSON values, for a page."""
        progress, result = self._progress, self.result
        found: dict[str, Any] = {"state": "waiting", "controls": self._link.live}
        found["text"] = f"Waiting for the target: no bytes have arrived from {self._source}."
        if progress is not None and progress.counters.frames:
            balance = progress.balance
            found |= {
                "state": "recording",
                "text": "",
                "events": progress.events,
                "rate": round(progress.events_per_s),
                "boot": progress.epoch,
                "balance": {
                    "offered": balance.offered,
                    "delivered": balance.delivered,
                    "overwritten": balance.overwritten,
                    "dropped": balance.dropped,
                    "damaged": balance.damaged,
                },
            }
        if result is not None or self._failure is not None:
            why = self._failure or next(iter(result.problems if result else ()), None)
            reason = "the capture failed" if result is None else result.reason.value
            text = f"The capture has ended: {reason}" + (f"; {why}" if why else "")
            found |= {"state": "ended", "text": f"{text}.", "controls": False, "rate": 0}
        return found

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Start or stop the stream, or change its classes; see `server.Answers.change`.

        Raises:
            UsageError: no class has this name.
            TickertapeError: the target does not answer, or refuses.
        """
        with self._talking:
            match name:
                case "start":
                    self._client.start()
                case "stop":
                    self._client.stop()
                case "classes":
                    pass
                case "class":
                    cls = _NAMES.get(arguments.get("class", ""))
                    if cls is None:
                        raise UsageError("this is not a class of events", "choose one of the list")
                    self._client.select_class(cls, take=arguments.get("take") == "1")
                case _:
                    return None
            if name in {"start", "stop"}:
                return {}
            known = self._client.classes()
        # Whether all events of a class are recorded, some, or none.
        taken = {cls: "all" if cls in known.every else "some" for cls in known.any}
        return {"classes": [[name, taken.get(cls, "none")] for name, cls in _NAMES.items()]}

    def _capture(self) -> None:
        options = CaptureOptions(
            meta={"link": self._source},
            on_progress=self._report,
            on_frame=self._channel.take,
            on_begin=self._begin,
            handle_signals=False,
        )
        try:
            self.result = capture(self._link, self._output, options)
        except TickertapeError as error:
            self._failure = error
        finally:
            self._begun.set()
            self._channel.close()

    def _begin(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._begun.set()

    def _report(self, progress: Progress) -> None:
        self._progress = progress
