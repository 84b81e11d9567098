"""The interface of every link: a stream of bytes in both directions."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from tickertape.errors import LinkError

if TYPE_CHECKING:
    from tickertape.decode.itm import Packet


_GRACE_S: Final = 0.5  # for an answer that is on its way


class Link(Protocol):
    """Bytes from and to a target. Not thread-safe; one reader and one writer may share it."""

    @property
    def name(self) -> str:
        """Address of the link, for messages."""
        ...

    @property
    def live(self) -> bool:
        """True when bytes arrive as the target sends them; False for a recording."""
        ...

    @property
    def byte_rate(self) -> float:
        """Highest rate of the line, in bytes per second; 0 if unknown or not limited."""
        ...

    @property
    def at_end(self) -> bool:
        """True once nothing more can be read: end of file, or the peer closed the link."""
        ...

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return received bytes, at most `max_bytes`; wait up to `timeout_s` for the first byte.

        Returns:
            The bytes; empty when none arrived in time, or when `at_end` is true.

        Raises:
            LinkLost: the device went away.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send all of `data` to the target.

        Raises:
            LinkLost: the device went away.
            LinkError: this link carries bytes in one direction only.
        """
        ...

    def close(self) -> None:
        """Release the device. May be called twice."""
        ...


class OneWay:
    """Base class of links that carry bytes to the host only."""

    other_way = "use a serial device or a socket for that"
    """Advice for a user who wants to send a command."""

    def __init__(self, name: str) -> None:
        """Set the name."""
        self._name = name

    @property
    def name(self) -> str:
        """Address of the link, for messages."""
        return self._name

    def write(self, data: bytes) -> None:  # noqa: ARG002 - part of Link
        """Refuse: the link carries nothing to the target.

        Raises:
            LinkError: always.
        """
        raise LinkError(f"{self._name} cannot carry commands to a target", self.other_way)


class LiveLink:
    """Base class of live links without a known limit of their rate."""

    def __init__(self, name: str) -> None:
        """Set the name."""
        self._name = name

    @property
    def name(self) -> str:
        """Address of the link, for messages."""
        return self._name

    @property
    def live(self) -> bool:
        """Always true."""
        return True

    @property
    def byte_rate(self) -> float:
        """Always 0: not limited."""
        return 0.0


@runtime_checkable
class Awaiting(Protocol):
    """A link, or a memory, that waits for answers of a server."""

    def end_by(self, end_s: float) -> None:
        """Wait for no answer after this time.

        Args:
            end_s: time of `time.monotonic`, in seconds.
        """
        ...


class Patience:
    """How long to wait for the answer of a server."""

    def __init__(self, usual_s: float) -> None:
        """Wait `usual_s` seconds, until `end_s` is set."""
        self._usual_s = usual_s
        self.end_s = math.inf

    @property
    def left_s(self) -> float:
        """Seconds to wait from now on; a short time after `end_s` as well."""
        return min(self._usual_s, max(self.end_s - time.monotonic(), 0.0) + _GRACE_S)


@runtime_checkable
class Remarking(Protocol):
    """A link with remarks about a finished capture."""

    def remarks(self) -> list[str]:
        """Return remarks about damage on the link that the frames do not show."""
        ...


@runtime_checkable
class HardwareTraced(Protocol):
    """A link that also carries packets of the processor's trace unit."""

    def packets(self) -> list[Packet]:
        """Return the packets since the last call; before the first call they are discarded."""
        ...
