"""The interface of every link: a stream of bytes in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tickertape.errors import LinkError

if TYPE_CHECKING:
    from tickertape.decode.itm import Packet


class Link(Protocol):
    """Bytes from and to a target. Not thread-safe; one reader and one writer may share it."""

    @property
    def name(self) -> str:
        """The address it was opened with, for people."""
        ...

    @property
    def live(self) -> bool:
        """True when bytes arrive as the target sends them; False for a recording of them."""
        ...

    @property
    def byte_rate(self) -> float:
        """Bytes per second that the line carries at most; 0 where unknown or not limited."""
        ...

    @property
    def at_end(self) -> bool:
        """True once nothing can be read any more: end of file, peer closed."""
        ...

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return what has arrived, at most `max_bytes`; wait up to `timeout_s` for the first byte.

        Returns:
            The bytes; empty when none came in time, or when `at_end` is true.

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
        """Give the device back. May be called twice."""
        ...


class OneWay:
    """What links to the host only have in common: a part of a `Link`."""

    other_way = "use a serial device or a socket for that"
    """What a user may do who wants to send a command."""

    def __init__(self, name: str) -> None:
        """Set the name."""
        self._name = name

    @property
    def name(self) -> str:
        """The address it was opened with, for people."""
        return self._name

    def write(self, data: bytes) -> None:  # noqa: ARG002 - part of Link
        """Refuse: the link has no peer.

        Raises:
            LinkError: always.
        """
        raise LinkError(f"{self._name} cannot carry commands to a target", self.other_way)


class LiveLink:
    """What links to a target have in common where no line limits them: a part of a `Link`."""

    def __init__(self, name: str) -> None:
        """Set the name."""
        self._name = name

    @property
    def name(self) -> str:
        """The address it was opened with, for people."""
        return self._name

    @property
    def live(self) -> bool:
        """Always true."""
        return True

    @property
    def byte_rate(self) -> float:
        """Not limited."""
        return 0.0


@runtime_checkable
class Remarking(Protocol):
    """A link with remarks about a finished capture."""

    def remarks(self) -> list[str]:
        """Return remarks about damage on the way that frames do not show."""
        ...


@runtime_checkable
class HardwareTraced(Protocol):
    """A link that also brings what the processor's trace unit reports by itself."""

    def packets(self) -> list[Packet]:
        """Return the packets since the last call, and forget them; the first call begins."""
        ...
