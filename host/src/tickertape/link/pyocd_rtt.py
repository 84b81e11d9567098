"""RTT links through pyOCD and a debug probe (extra `board`). The target is not halted."""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tickertape.errors import LinkError, LinkLost
from tickertape.link.base import LiveLink
from tickertape.link.pyocd_memory import open_session

if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE_S: Final = 0.001
_COMMAND_PATIENCE_S: Final = 5.0


class PyocdRttLink(LiveLink):
    """An RTT channel in both directions. Implements `link.base.Link`."""

    def __init__(self, target: Any, channel: int, name: str, close: Callable[[], None]) -> None:  # noqa: ANN401 - pyOCD has no types
        """Take ownership of a target of pyOCD.

        Args:
            target: a `SoCTarget`, or an object with its methods to read and write memory.
            channel: number of the RTT channel.
            name: name of the link, for messages.
            close: called by the link's `close`; releases the target.
        """
        super().__init__(name)
        self._target = target
        self._channel = channel
        self._close = close
        self._block: Any = None
        self._ready = b""
        self._at_end = False
        self._rtt: Any = import_module("pyocd.debug.rtt").RTTControlBlock
        self._errors: Any = import_module("pyocd.core.exceptions")

    @property
    def at_end(self) -> bool:
        """True after `close`, once all received bytes were read."""
        return self._at_end and not self._ready

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that wait in the channel; see `Link.read`.

        Raises:
            LinkLost: the probe was disconnected.
            LinkError: the target has no such channel.
        """
        deadline = time.monotonic() + timeout_s
        while not self._ready and not self._at_end:
            self._ready = self._take()
            left_s = deadline - time.monotonic()
            if self._ready or left_s <= 0:
                break
            time.sleep(min(_PAUSE_S, left_s))
        out, self._ready = self._ready[:max_bytes], self._ready[max_bytes:]
        return out

    def write(self, data: bytes) -> None:
        """Send all of `data` through the down channel; see `Link.write`.

        Raises:
            LinkError: the target does not read the channel within 5 s.
        """
        deadline = time.monotonic() + _COMMAND_PATIENCE_S
        while data:
            if self._is_found():
                data = data[self._block.down_channels[self._channel].write(data) :]
            if data and time.monotonic() >= deadline:
                raise LinkError(
                    f"the target at {self.name} reads no commands", "check that it is running"
                )

    def close(self) -> None:
        """Release the target. May be called twice."""
        if not self._at_end:
            self._at_end = True
            self._close()

    def _take(self) -> bytes:
        try:
            if not self._is_found():
                return b""
            return bytes(self._block.up_channels[self._channel].read())
        except (self._errors.RTTError, self._errors.TransferError):
            self._block = None  # a reset, or sleep: search again
            return b""
        except self._errors.Error as error:
            raise LinkLost(f"{self.name}: {error}", "plug the probe in again") from error

    def _is_found(self) -> bool:
        """Search the control block in the target's RAM, unless found; False if there is none."""
        if self._block is not None:
            return True
        block = self._rtt.from_target(self._target)
        try:
            block.start()
        except (self._errors.RTTError, self._errors.TransferError):
            return False
        if not block.up_channels:  # the target has not finished writing the block
            return False
        if len(block.up_channels) <= self._channel:
            raise LinkError(
                f"{self.name}: the target has {len(block.up_channels)} channels of RTT",
                "name another one after ?channel=",
            )
        self._block = block
        return True


def connect_pyocd_rtt(probe: str | None, channel: int, name: str) -> PyocdRttLink:
    """Attach to the target of a probe; raises the errors of `open_session`."""
    session = open_session(probe, name)
    return PyocdRttLink(session.target, channel, name, session.close)
