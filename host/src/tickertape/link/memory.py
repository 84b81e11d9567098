"""A link without a device, for tests.

It returns scripted bytes, with scripted damage as on a real line.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tickertape.errors import LinkLost

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Damage:
    """One planned fault of the line.

    Attributes:
        kind: `drop` loses the bytes, `double` delivers them twice, `flip` inverts the bits of
            `mask` in each byte.
        offset: offset of the first byte, counted in bytes fed since the link was made.
        count: number of bytes that the fault affects.
        mask: bits to invert, for `flip`.
    """

    kind: Literal["drop", "double", "flip"]
    offset: int
    count: int = 1
    mask: int = 0x01

    @property
    def end(self) -> int:
        """Offset of the first byte after the fault."""
        return self.offset + self.count


class MemoryLink:
    """A `Link` in memory: `feed` adds bytes from the target, `written` keeps the host's bytes."""

    def __init__(
        self,
        pieces: Iterable[bytes] = (),
        *,
        damage: Iterable[Damage] = (),
        ends: bool = True,
        live: bool = True,
    ) -> None:
        """Make a link that returns `pieces`, one per `read`.

        Args:
            pieces: bytes, in the portions in which they arrive.
            damage: planned faults; offsets count all fed bytes, across pieces. If two faults
                overlap, the later one begins at the end of the earlier one.
            ends: the link is at its end after the last piece; when False it stays open.
            live: value of the property `live`.
        """
        self.written = bytearray()
        self._damage = sorted(damage, key=lambda accident: accident.offset)
        self._waiting: deque[bytes] = deque()
        self._fed_bytes = 0
        self._again = b""  # bytes that the current `double` fault will deliver a second time
        self._live = live
        self._ended = False
        self._closed = False
        self._lost = False
        for piece in pieces:
            self.feed(piece)
        self._ended = ends

    @property
    def name(self) -> str:
        """Name for messages."""
        return "memory"

    @property
    def live(self) -> bool:
        """Value given to the constructor."""
        return self._live

    @property
    def byte_rate(self) -> float:
        """Always 0: not limited."""
        return 0.0

    @property
    def at_end(self) -> bool:
        """True once all bytes were read and the peer has closed, or after `close`."""
        return self._closed or (self._ended and not self._waiting)

    def feed(self, data: bytes) -> None:
        """Add bytes from the target, after applying the planned faults."""
        arrived = bytearray()
        while data:
            while self._damage and self._damage[0].end <= self._fed_bytes:
                self._damage.pop(0)
            accident = self._damage[0] if self._damage else None
            quiet = accident.offset - self._fed_bytes if accident else len(data)
            if accident is None or quiet > 0:
                hit, data = data[:quiet], data[quiet:]
                arrived += hit
            else:
                size = accident.end - self._fed_bytes
                hit, data = data[:size], data[size:]
                arrived += self._hit(accident, hit)
            self._fed_bytes += len(hit)
        if arrived:
            self._waiting.append(bytes(arrived))

    def _hit(self, accident: Damage, data: bytes) -> bytes:
        """Apply the planned fault to the next bytes, and drop it once it is complete."""
        over = self._fed_bytes + len(data) >= accident.end
        if over:
            self._damage.pop(0)
        if accident.kind == "drop":
            return b""
        if accident.kind == "flip":
            return bytes(byte ^ accident.mask for byte in data)
        self._again += data
        if not over:
            return data
        again, self._again = self._again, b""
        return data + again

    def end(self) -> None:
        """Close the peer's side: the link ends after the bytes fed so far."""
        self._ended = True

    def lose(self) -> None:
        """Remove the device: reads fail after the bytes fed so far, and writes fail at once."""
        self._lost = True

    def read(self, max_bytes: int, timeout_s: float) -> bytes:  # noqa: ARG002 - never waits
        """Return the next piece, at most `max_bytes` of it; see `Link.read`."""
        if self._closed or not self._waiting:
            self._check()
            return b""
        piece = self._waiting.popleft()
        if len(piece) > max_bytes:
            self._waiting.appendleft(piece[max_bytes:])
        return piece[:max_bytes]

    def write(self, data: bytes) -> None:
        """Keep `data` in `written`; see `Link.write`."""
        self._check()
        self.written += data

    def _check(self) -> None:
        if self._lost:
            raise LinkLost("the memory link went away", "feed it again")

    def close(self) -> None:
        """Close the link; bytes not yet read are lost. May be called twice."""
        self._closed = True
