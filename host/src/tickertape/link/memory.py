"""A link without a device, for tests.

It hands out bytes that a test has scripted, with the damage that a real line does.
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
    """One accident on the line.

    Attributes:
        kind: `drop` loses the bytes, `double` sends them twice, `flip` inverts the bits of
            `mask` in each of them.
        offset: where it begins, counted in bytes fed since the link was made.
        count: how many bytes it hits.
        mask: bits to invert, for `flip`.
    """

    kind: Literal["drop", "double", "flip"]
    offset: int
    count: int = 1
    mask: int = 0x01

    @property
    def end(self) -> int:
        """Offset of the first byte that it does not hit."""
        return self.offset + self.count


class MemoryLink:
    """A `Link` in memory.

    What the target would send is fed with `feed`; what the host writes is kept in `written`.
    """

    def __init__(
        self,
        pieces: Iterable[bytes] = (),
        *,
        damage: Iterable[Damage] = (),
        ends: bool = True,
        live: bool = True,
    ) -> None:
        """Make a link that hands out `pieces`, one per `read`.

        Args:
            pieces: bytes in the portions in which they arrive.
            damage: accidents; offsets count the fed bytes, whatever the pieces are. Where they
                overlap, the later one begins when the earlier one is over.
            ends: whether the link is at its end after the last piece, or stays open.
            live: the value of `live`.
        """
        self.written = bytearray()
        self._damage = sorted(damage, key=lambda accident: accident.offset)
        self._waiting: deque[bytes] = deque()
        self._fed_bytes = 0
        self._again = b""  # what the accident under way will send a second time
        self._live = live
        self._ended = False
        self._closed = False
        self._lost = False
        for piece in pieces:
            self.feed(piece)
        self._ended = ends

    @property
    def name(self) -> str:
        """For people."""
        return "memory"

    @property
    def live(self) -> bool:
        """As given."""
        return self._live

    @property
    def byte_rate(self) -> float:
        """Not limited."""
        return 0.0

    @property
    def at_end(self) -> bool:
        """True once everything was read and the peer has closed."""
        return self._closed or (self._ended and not self._waiting)

    def feed(self, data: bytes) -> None:
        """Let the target send `data`; the scripted damage is done to it here."""
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
        """Do an accident to its next bytes; forget it once it is over."""
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
        """Let the peer close: after what was fed comes the end."""
        self._ended = True

    def lose(self) -> None:
        """Let the device go away: after what was fed, reading and writing fail."""
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
        """Forget what was not read. May be called twice."""
        self._closed = True
