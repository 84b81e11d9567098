"""Links over UDP: the target sends its stream of bytes in numbered datagrams.

protocol/SPEC.md, "UDP", specifies the header. Datagrams may arrive late, twice or not at all;
`Reorder` sorts them within a short time. In place of a missing datagram the stream gets a
delimiter, so that only frames in that datagram are lost.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import Final

from tickertape.errors import LinkLost, UsageError
from tickertape.link.base import LiveLink
from tickertape.link.tcp import listen_error

MAGIC: Final = 0x55445454
"""First word of a datagram, little-endian: "TTDU"."""
HEADER: Final = struct.Struct("<II")
_DELIMITER: Final = b"\0"
_PERIOD: Final = 1 << 32
_NEAR: Final = 1024  # a number further away than this means that the target restarted
_MOST_WAITING: Final = 256
_PATIENCE_S: Final = 0.25
_DATAGRAM_LIMIT: Final = 1 << 16
_RECEIVE_BYTES: Final = 4 << 20
_AT_ONCE: Final = 64
_SILENCE_S: Final = (
    3.0  # a target sends every second; after this silence another host may be the target
)


@dataclass(slots=True)
class Reorder:
    """Sorts numbered datagrams.

    Attributes:
        received: number of datagrams with a valid header.
        missing: number of datagrams given up, including those counted in `late`.
        late: number of datagrams that arrived after they were given up.
        doubled: number of repeated datagrams.
        out_of_order: number of datagrams that arrived in time, after later ones, and closed a hole.
        foreign: number of datagrams without a valid header or from another host.
        restarts: number of restarts of the target.
        ended: the target has sent its last datagram.
    """

    received: int = 0
    missing: int = 0
    late: int = 0
    doubled: int = 0
    out_of_order: int = 0
    foreign: int = 0
    restarts: int = 0
    ended: bool = False
    _started: bool = False
    _next: int = 0
    _waiting: dict[int, bytes] = field(default_factory=dict)
    _since_s: float = 0.0
    _given_up: set[int] = field(default_factory=set)

    def take(self, datagram: bytes, now_s: float) -> bytes:
        """Add a received datagram; return the bytes that are now in order."""
        if len(datagram) < HEADER.size or HEADER.unpack_from(datagram)[0] != MAGIC:
            self.foreign += 1
            return b""
        number: int = HEADER.unpack_from(datagram)[1]
        self.received += 1
        if not self._started:
            return self._begin(number, datagram[HEADER.size :], now_s)
        ahead = (number - self._next + _PERIOD // 2) % _PERIOD - _PERIOD // 2
        if abs(ahead) > _NEAR:
            self.restarts += 1
            out, self._started = self.give_up(), False
            return out + self._begin(number, datagram[HEADER.size :], now_s)
        if ahead < 0:
            was_missing = number in self._given_up
            self.late += was_missing
            self.doubled += not was_missing
            self._given_up.discard(number)
            return b""
        if number in self._waiting:
            self.doubled += 1
            return b""
        if ahead and not self._waiting:
            self._since_s = now_s
        self._waiting[number] = datagram[HEADER.size :]
        self.out_of_order += ahead == 0 and len(self._waiting) > 1
        return self._in_order()

    def _begin(self, number: int, data: bytes, now_s: float) -> bytes:
        """Add a datagram while the first number is unknown: 0, or the lowest after a wait."""
        if not self._waiting:
            self._next, self._since_s = number, now_s
        self.doubled += number in self._waiting
        self._waiting[number] = data
        if number or max(self._waiting) > _PERIOD // 2:
            return b""
        self._next, self._started = 0, True
        return self._in_order()

    @property
    def waits(self) -> bool:
        """Whether datagrams wait for a missing one with a lower number."""
        return bool(self._waiting)

    def wait_over(self, now_s: float) -> bytes:
        """Give up datagrams missing for too long; return the bytes that are then in order."""
        is_long = now_s - self._since_s > _PATIENCE_S or len(self._waiting) > _MOST_WAITING
        if not self._waiting or not is_long:
            return b""
        self._since_s = now_s
        return self._skip() + self._in_order()

    def give_up(self) -> bytes:
        """Give up all missing datagrams and return all waiting bytes."""
        out = b""
        while self._waiting:
            out += self._skip() + self._in_order()
        return out

    def _in_order(self) -> bytes:
        parts = []
        while (part := self._waiting.pop(self._next, None)) is not None:
            self.ended = self.ended or not part
            parts.append(part)
            self._next = (self._next + 1) % _PERIOD
        return b"".join(parts)

    def _skip(self) -> bytes:
        """Skip to the lowest waiting number; return a delimiter if that skips any datagram."""
        if not self._started:
            first = self._next
            self._started = True
            self._next = min(
                self._waiting, key=lambda number: (number - first + _PERIOD // 2) % _PERIOD
            )
        begin = self._next
        skipped = min((number - begin) % _PERIOD for number in self._waiting)
        self.missing += skipped
        lost = range(begin, begin + min(skipped, _NEAR))
        self._given_up = {number % _PERIOD for number in lost} | (
            self._given_up if len(self._given_up) < _NEAR else set()
        )
        self._next = (begin + skipped) % _PERIOD
        return _DELIMITER if skipped else b""


class UdpLink(LiveLink):
    """A socket that receives from one target: the first host that sends a stream.

    Datagrams of other hosts are counted and otherwise ignored until the target has been silent for
    3 s. The port of the target may change, for example by a router or after a reset. Addresses are
    not authenticated (docs/security.md).
    """

    def __init__(self, bound: socket.socket, name: str) -> None:
        """Take ownership of a bound socket; `name` is for messages."""
        super().__init__(name)
        bound.settimeout(0)
        self._socket = bound
        self._order = Reorder()
        self._ready = b""
        self._peer: tuple[str, int] | None = None
        self._heard_s = 0.0  # time of the target's last datagram

    @property
    def at_end(self) -> bool:
        """True once the target's last datagram was read, or after `close`."""
        return self._order.ended and not self._ready

    @property
    def waits(self) -> bool:
        """Whether received bytes are not read yet or wait for a missing datagram."""
        return bool(self._ready) or self._order.waits

    @property
    def port(self) -> int:
        """Port that the socket is bound to."""
        return int(self._socket.getsockname()[1])

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return bytes that have arrived and are in order; see `Link.read`."""
        deadline = time.monotonic() + timeout_s
        while not self._ready and not self.at_end:
            self._ready += self._order.wait_over(time.monotonic())
            left = min(deadline - time.monotonic(), _PATIENCE_S)
            if self._ready or not select.select([self._socket], [], [], max(left, 0.0))[0]:
                if self._ready or time.monotonic() >= deadline:
                    break
                continue
            self._receive()
        out, self._ready = self._ready[:max_bytes], self._ready[max_bytes:]
        return out

    def _receive(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                datagram, sender = self._socket.recvfrom(_DATAGRAM_LIMIT)
            except BlockingIOError:
                return
            except OSError as error:  # e.g. an earlier command reached no receiver
                raise LinkLost(f"{self._name} cannot be read", "start the target again") from error
            now_s = time.monotonic()
            if self._is_strange(sender, now_s):
                self._order.foreign += 1
                continue
            foreign = self._order.foreign
            self._ready += self._order.take(datagram, now_s)
            if self._order.foreign == foreign:
                self._peer, self._heard_s = sender, now_s

    def _is_strange(self, sender: tuple[str, int], now_s: float) -> bool:
        """Return whether another host sent a datagram while the target is not silent."""
        known = self._peer
        return known is not None and (sender[0] != known[0] and now_s - self._heard_s < _SILENCE_S)

    def write(self, data: bytes) -> None:
        """Send `data` as one datagram to the target; see `Link.write`.

        Until the target has sent a datagram, `data` is discarded: senders repeat commands.
        """
        if self._peer is None:
            return
        try:
            self._socket.sendto(data, self._peer)
        except OSError as error:
            raise LinkLost(f"{self._name} cannot be written", "start the target again") from error

    def remarks(self) -> list[str]:
        """Return a remark with the numbers of lost, late and repeated datagrams; [] without any."""
        order = self._order
        counts = {
            "missing": order.missing - order.late,
            "late": order.late,
            "doubled": order.doubled,
            "out of order": order.out_of_order,
            "of others": order.foreign,
        }
        said = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
        return [f"udp: of {order.received} datagrams: {said}"] if said else []

    def close(self) -> None:
        """Close the socket. May be called twice."""
        self._order.ended = True
        self._socket.close()


def bind(host: str, port: int) -> socket.socket:
    """Bind a UDP socket to an address of this machine; port 0: the system chooses one.

    Raises:
        UsageError: there is no such address.
        LinkBusy: the port is taken.
        LinkDenied: the user may not use the port.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_DGRAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise UsageError(f"there is no address {host}", "check the address") from error
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
        bound.bind(place)
    except OSError as error:
        bound.close()
        raise listen_error(error, host, port) from error
    return bound


def receive(host: str, port: int, name: str) -> UdpLink:
    """Return a link that receives at an address of this machine; raises the errors of `bind`."""
    return UdpLink(bind(host, port), name)
