"""Addresses of links as people type them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, urlsplit

from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_BAUD = 115_200
_PORT_LIMIT = 65_536


class Kind(Enum):
    """What an address leads to."""

    STDIN = auto()
    CONNECT = auto()
    LISTEN = auto()
    DATAGRAMS = auto()
    UNIX = auto()
    PYSERIAL = auto()  # an address that pyserial itself understands
    PATH = auto()  # device, pseudo terminal, pipe or file: its own kind is known when it is opened


_SCHEMES = {
    "socket": Kind.CONNECT,
    "tcp": Kind.CONNECT,
    "tcp-listen": Kind.LISTEN,
    "udp": Kind.DATAGRAMS,
    "rfc2217": Kind.PYSERIAL,
    "loop": Kind.PYSERIAL,
    "spy": Kind.PYSERIAL,
    "hwgrep": Kind.PYSERIAL,
    "file": Kind.PATH,
    "serial": Kind.PATH,
}


@dataclass(frozen=True, slots=True)
class Address:
    """An address, taken apart.

    Attributes:
        text: as typed, for messages.
        kind: what it leads to.
        path: file or device, for PATH; the socket, for UNIX; the whole address without our own
            options, for PYSERIAL.
        host: name or number, for CONNECT, LISTEN and DATAGRAMS.
        port: of TCP or UDP, for the same.
        baud: symbols per second; None where the address does not say.
    """

    text: str
    kind: Kind
    path: str = ""
    host: str = ""
    port: int = 0
    baud: int | None = None


def parse_address(text: str) -> Address:
    """Take an address apart; nothing is opened.

    Raises:
        UsageError: it makes no sense.
    """
    if not text:
        raise UsageError("the link is empty", "name a device, socket://host:port or a file")
    if text == "-":
        return Address(text, Kind.STDIN)
    if text.startswith("unix:"):
        return _unix_address(text)
    scheme, separator, _ = text.partition("://")
    if not separator:
        path, baud = _without_baud(text.removeprefix("file:"), text)
        return Address(text, Kind.PATH, path=path, baud=baud)
    kind = _SCHEMES.get(scheme)
    if kind is None:
        known = ", ".join([*(f"{name}://" for name in sorted(_SCHEMES)), "unix:"])
        raise UsageError(f"a link cannot begin with {scheme}://", f"use a path or one of {known}")
    if kind in {Kind.CONNECT, Kind.LISTEN, Kind.DATAGRAMS}:
        return _network_address(text, kind)
    shown = text if kind is Kind.PYSERIAL else text.partition("://")[2]
    path, baud = _without_baud(shown, text)
    return Address(text, kind, path=path, baud=baud)


def _unix_address(text: str) -> Address:
    path = text.removeprefix("unix:")
    # Three slashes are an address without a host and a path from the root.
    path = path.removeprefix("//") if path.startswith("///") else path
    if not path:
        raise UsageError(f"{text} names no socket", "write it as unix:/path/to/socket")
    return Address(text, Kind.UNIX, path=path)


def _network_address(text: str, kind: Kind) -> Address:
    try:
        parts: SplitResult = urlsplit(text)
        port = parts.port
    except ValueError:
        port = None
    if not port or not 0 < port < _PORT_LIMIT:
        raise UsageError(
            f"{text} names no port", f"write it as {text.partition('://')[0]}://localhost:4000"
        )
    # A listener without a name takes connections from this machine only.
    return Address(text, kind, host=parts.hostname or "localhost", port=port)


def _without_baud(path: str, text: str) -> tuple[str, int | None]:
    """Split `path?baud=N` into path and number; other options stay where they are."""
    stem, question, query = path.partition("?")
    if not question:
        return path, None
    options: Mapping[str, list[str]] = parse_qs(query, keep_blank_values=True)
    given = options.get("baud") or options.get("baudrate")
    if not given:
        return path, None
    if not given[-1].isdecimal() or int(given[-1]) == 0:
        raise UsageError(
            f"{text} asks for a baud rate of '{given[-1]}'", "give a number, e.g. ?baud=921600"
        )
    rest = "&".join(
        part for part in query.split("&") if part.partition("=")[0] not in {"baud", "baudrate"}
    )
    return (f"{stem}?{rest}" if rest else stem), int(given[-1])
