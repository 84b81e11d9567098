"""Read the SWO pin through pyOCD and a debug probe that receives it (extra `board`)."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any, Final

from tickertape.errors import LinkError, LinkLost
from tickertape.link.base import OneWay
from tickertape.link.pyocd_memory import open_session

_PAUSE_S: Final = 0.001
_BITS_A_BYTE: Final = 10  # NRZ: a start and a stop bit


class PyocdSwoPin(OneWay):
    """The bytes of an SWO pin. Implements `link.base.Link`; the target is not halted."""

    def __init__(self, session: Any, baud: int, name: str) -> None:  # noqa: ANN401 - pyOCD has no types
        """Take ownership of a session of pyOCD and start receiving.

        Args:
            session: open session; closed here on an error.
            baud: symbols per second of the pin.
            name: name of the link, for messages.

        Raises:
            LinkError: the probe does not receive SWO, or not at this rate.
        """
        super().__init__(name)
        self._session, self._probe = session, session.probe
        self._baud = baud
        self._ready = b""
        self._at_end = False
        self._error: Any = import_module("pyocd.core.exceptions").Error
        capability: Any = import_module("pyocd.probe.debug_probe").DebugProbe.Capability.SWO
        if capability not in self._probe.capabilities:
            session.close()
            raise LinkError(
                f"{name}: the probe {self._probe.description} receives no SWO",
                "read the pin by a serial device: swo:/dev/ttyUSB0?baud=2000000",
            )
        try:
            self._probe.swo_start(float(baud))
        except self._error as error:
            session.close()
            raise LinkError(f"{name}: {error}", "choose another rate after ?baud=") from error

    @property
    def live(self) -> bool:
        """Always true."""
        return True

    @property
    def byte_rate(self) -> float:
        """Rate of the pin, in bytes per second."""
        return self._baud / _BITS_A_BYTE

    @property
    def at_end(self) -> bool:
        """True after `close`, once all received bytes were read."""
        return self._at_end and not self._ready

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that the probe has received; see `Link.read`.

        Raises:
            LinkLost: the probe was disconnected.
        """
        deadline = time.monotonic() + timeout_s
        while not self._ready and not self._at_end:
            try:
                self._ready = bytes(self._probe.swo_read())
            except self._error as error:
                raise LinkLost(f"{self.name}: {error}", "plug the probe in again") from error
            left_s = deadline - time.monotonic()
            if self._ready or left_s <= 0:
                break
            time.sleep(min(_PAUSE_S, left_s))
        out, self._ready = self._ready[:max_bytes], self._ready[max_bytes:]
        return out

    def close(self) -> None:
        """Stop receiving and detach from the target. May be called twice."""
        if not self._at_end:
            self._at_end = True
            try:
                self._probe.swo_stop()
            finally:
                self._session.close()


def connect_pyocd_swo(probe: str | None, baud: int, name: str) -> PyocdSwoPin:
    """Attach to the target of a probe; raises the errors of `open_session` and `PyocdSwoPin`."""
    return PyocdSwoPin(open_session(probe, name), baud, name)
