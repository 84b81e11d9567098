"""Links over SWO: the bytes of one stimulus port of a target's ITM, through a debug probe.

An inner link carries the bytes of the SWO pin: a debugger's TCP port, a serial device at the pin,
or a file. SWO carries bytes to the host only. The other packets of the pin are the hardware trace.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tickertape.decode.announcements import PORT as ANNOUNCE_PORT
from tickertape.decode.stimulus import StimulusPort
from tickertape.link.base import OneWay, Remarking

if TYPE_CHECKING:
    from tickertape.decode.itm import Packet
    from tickertape.link.base import Link


class SwoLink(OneWay):
    """A stimulus port. Implements `link.base.Link`, `Remarking` and `HardwareTraced`."""

    other_way = "use the target's shell for that, or another link"

    def __init__(self, pin: Link, port: int, name: str) -> None:
        """Take ownership of the link to the SWO pin.

        Args:
            pin: link that carries the bytes of the pin.
            port: number of the stimulus port, 0 ... 31.
            name: name for messages.
        """
        super().__init__(name)
        self._pin = pin
        self._number = port
        self._port = StimulusPort(port)
        self._ready = b""

    @property
    def pin(self) -> Link:
        """Link that carries the bytes of the pin."""
        return self._pin

    def replace_pin(self, pin: Link) -> None:
        """Read from another link from now on."""
        self._pin = pin

    @property
    def live(self) -> bool:
        """False for a recording."""
        return self._pin.live

    @property
    def byte_rate(self) -> float:
        """Byte rate of the pin."""
        return self._pin.byte_rate

    @property
    def at_end(self) -> bool:
        """True once nothing more can be read."""
        return self._pin.at_end and not self._ready

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes of the port that have arrived; see `Link.read`."""
        deadline = time.monotonic() + timeout_s
        while not self._ready:
            left = max(deadline - time.monotonic(), 0.0)
            data = self._pin.read(max_bytes, left)
            self._ready = self._port.receive(data)
            if self._pin.at_end or (not data and time.monotonic() >= deadline):
                break
        out, self._ready = self._ready[:max_bytes], self._ready[max_bytes:]
        return out

    def packets(self) -> list[Packet]:
        """Return the other packets since the last call; the first call starts keeping them."""
        self._port.keeps_packets = True
        packets, self._port.packets = self._port.packets, []
        return packets

    def remarks(self) -> list[str]:
        """Return remarks on skipped bytes, lost packets, other ports and the inner link."""
        port = self._port
        counts = {
            "bytes that are not packets (a wrong rate of the pin?)": port.skipped,
            "places where the trace unit lost packets": port.overflows,
        } | {
            f"packets of port {other}": count
            for other, count in sorted(port.other_ports.items())
            if other != ANNOUNCE_PORT
        }
        said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        inner = self._pin.remarks() if isinstance(self._pin, Remarking) else []
        return [*inner, *([f"swo, port {self._number}: {said}"] if said else [])]

    def close(self) -> None:
        """Close the link to the pin. May be called twice."""
        self._pin.close()
