"""Parse the addresses of links that users type."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, urlsplit

from tickertape.decode.stimulus import PORTS
from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_BAUD = 115_200
DEFAULT_CHANNEL = 1  # RTT channel (0 is the terminal), and stimulus port (0 is the console)
DEFAULT_RTT_PORT = 19_021
DEFAULT_SWO_BAUD = 2_000_000  # rate that our boards configure
RTT_CHANNELS = 256  # more than any target has
_PORT_LIMIT = 65_536
_ADDRESS_LIMIT = 1 << 32


class Kind(Enum):
    """Kind of an address."""

    STDIN = auto()
    CONNECT = auto()
    LISTEN = auto()
    DATAGRAMS = auto()
    UNIX = auto()
    RTT = auto()  # a channel of J-Link's RTT server
    MEMORY = auto()  # a file that maps memory of the target
    GDB = auto()  # memory of the target, through a GDB server
    PROBE = auto()  # rings of the target, through a debug probe (tickertape.probe)
    SWO = auto()  # a stimulus port in the bytes of another link
    PYSERIAL = auto()  # an address that pyserial opens
    PATH = auto()  # device, pseudo terminal, pipe or file; `open_link` finds out which


_SCHEMES = {
    "socket": Kind.CONNECT,
    "tcp": Kind.CONNECT,
    "tcp-listen": Kind.LISTEN,
    "udp": Kind.DATAGRAMS,
    "rfc2217": Kind.PYSERIAL,
    "loop": Kind.PYSERIAL,
    "spy": Kind.PYSERIAL,
    "hwgrep": Kind.PYSERIAL,
    "rtt": Kind.RTT,
    "gdb": Kind.GDB,
    "file": Kind.PATH,
    "serial": Kind.PATH,
}


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address.

    Attributes:
        text: the address as typed, for messages.
        kind: kind of the address.
        path: PATH: file or device. UNIX: path of the socket. PYSERIAL: the address without our own
            options. SWO: address of the link at the pin. PROBE, and SWO and RTT through pyOCD:
            address of the probe.
        host: host name or IP address of CONNECT, LISTEN, DATAGRAMS, RTT and GDB.
        port: TCP or UDP port of these.
        baud: symbols per second; None if not in the address.
        channel: channel of RTT, or stimulus port of SWO.
        place: memory address of the link's head, of GDB and MEMORY; None if not in the address.
    """

    text: str
    kind: Kind
    path: str = ""
    host: str = ""
    port: int = 0
    baud: int | None = None
    channel: int = 0
    place: int | None = None


def parse_address(text: str) -> Address:
    """Parse an address; nothing is opened.

    Raises:
        UsageError: the address is malformed.
    """
    if not text:
        raise UsageError("the link is empty", "name a device, socket://host:port or a file")
    if text == "-":
        return Address(text, Kind.STDIN)
    prefixed = _PREFIXED.get(text.partition(":")[0])
    if prefixed is not None and ":" in text:
        return prefixed(text)
    scheme, separator, _ = text.partition("://")
    if not separator:
        path, baud = _without_baud(text.removeprefix("file:"), text)
        return Address(text, Kind.PATH, path=path, baud=baud)
    kind = _SCHEMES.get(scheme)
    if kind is None:
        known = ", ".join(
            [*(f"{name}://" for name in sorted(_SCHEMES)), *(f"{name}:" for name in _PREFIXED)]
        )
        raise UsageError(f"a link cannot begin with {scheme}://", f"use a path or one of {known}")
    if kind in {Kind.CONNECT, Kind.LISTEN, Kind.DATAGRAMS}:
        return _network_address(text, kind)
    if kind in {Kind.RTT, Kind.GDB}:
        return _rtt_address(text) if kind is Kind.RTT else _gdb_address(text)
    shown = text if kind is Kind.PYSERIAL else text.partition("://")[2]
    path, baud = _without_baud(shown, text)
    return Address(text, kind, path=path, baud=baud)


def _unix_address(text: str) -> Address:
    path = text.removeprefix("unix:")
    # After three slashes: an address with an empty host and an absolute path.
    path = path.removeprefix("//") if path.startswith("///") else path
    if not path:
        raise UsageError(f"{text} names no socket", "write it as unix:/path/to/socket")
    return Address(text, Kind.UNIX, path=path)


def _rtt_address(text: str) -> Address:
    """Parse `rtt://[host][:port][?channel=N]`."""
    place, given = _without_option(text, ("channel",))
    channel = _number(text, given, DEFAULT_CHANNEL, range(RTT_CHANNELS), "channel")
    host, port = host_and_port(place, text, f"rtt://localhost:{DEFAULT_RTT_PORT}?channel=1")
    return Address(text, Kind.RTT, host=host, port=port or DEFAULT_RTT_PORT, channel=channel)


def _is_pyocd(path: str) -> bool:
    return path == "pyocd" or path.startswith("pyocd@")


def _any_rtt_address(text: str) -> Address:
    """Parse `rtt:pyocd[@ID][?channel=N]`, or `rtt://...`."""
    if text.startswith("rtt://"):
        return _rtt_address(text)
    path, given = _without_option(text.removeprefix("rtt:"), ("channel",))
    if not _is_pyocd(path):
        raise UsageError(f"{text} names no RTT", "write it as rtt:pyocd, rtt:pyocd@ID or rtt://")
    channel = _number(text, given, DEFAULT_CHANNEL, range(RTT_CHANNELS), "channel")
    return Address(text, Kind.RTT, path=path, channel=channel)


def _gdb_address(text: str) -> Address:
    """Parse `gdb://[host]:port?at=ADDRESS`."""
    rest, given = _without_option(text, ("at",))
    example = "gdb://localhost:3333?at=0x20000400"
    host, port = host_and_port(rest, text, example)
    place = _place(text, given)
    if port is None or place is None:
        missing = "no port" if port is None else "no address of the link's head"
        raise UsageError(
            f"{text} names {missing}", f"write it as {example}; nm prints where trace_memory is"
        )
    return Address(text, Kind.GDB, host=host, port=port, place=place)


def _memory_address(text: str) -> Address:
    """Parse `memory:FILE[?at=OFFSET]`."""
    path, given = _without_option(text.removeprefix("memory:"), ("at",))
    if not path:
        raise UsageError(f"{text} names no file", "write it as memory:/dev/shm/trace")
    return Address(text, Kind.MEMORY, path=path, place=_place(text, given))


def _place(text: str, given: str | None) -> int | None:
    try:
        place = None if given is None else int(given, 0)
    except ValueError:
        place = -1
    if place is not None and not (0 <= place < _ADDRESS_LIMIT and place % 4 == 0):
        raise UsageError(
            f"{text} asks for the address '{given}'", "give a multiple of 4, e.g. ?at=0x20000400"
        )
    return place


def _probe_address(text: str) -> Address:
    """Parse `probe:ACCESS`, as in `probe:gdb://host:port`."""
    return Address(text, Kind.PROBE, path=text.removeprefix("probe:"))


def _swo_address(text: str) -> Address:
    """Parse `swo:LINK[?stimulus=N]`; other options belong to LINK."""
    path, given = _without_option(text.removeprefix("swo:"), ("stimulus",))
    port = _number(text, given, DEFAULT_CHANNEL, range(PORTS), "stimulus port")
    if _is_pyocd(path.partition("?")[0]):
        path, baud = _without_baud(path, text)
        return Address(text, Kind.SWO, path=path, baud=baud or DEFAULT_SWO_BAUD, channel=port)
    if path.startswith("//") or parse_address(path).kind is Kind.SWO:
        raise UsageError(
            f"{text} names no source for the bytes of the pin",
            "write it as swo:socket://localhost:3443, swo:pyocd, swo:/dev/ttyUSB0?baud=2000000 or "
            "swo:FILE",
        )
    return Address(text, Kind.SWO, path=path, channel=port)


def _network_address(text: str, kind: Kind) -> Address:
    example = f"{text.partition('://')[0]}://localhost:4000"
    host, port = host_and_port(text, text, example)
    if port is None:
        raise UsageError(f"{text} names no port", f"write it as {example}")
    # An empty host means localhost: such a listener accepts connections of this machine only.
    return Address(text, kind, host=host, port=port)


def host_and_port(place: str, text: str, example: str) -> tuple[str, int | None]:
    """Return host and port of `scheme://host:port`; the port is None if the address has none.

    Raises:
        UsageError: the port is not a number from 1 to 65535.
    """
    try:
        parts: SplitResult = urlsplit(place)
        port = parts.port
    except ValueError:
        port = 0
    if port is not None and not 0 < port < _PORT_LIMIT:
        raise UsageError(f"{text} names no port", f"write it as {example}")
    return parts.hostname or "localhost", port


def _number(text: str, given: str | None, otherwise: int, possible: range, what: str) -> int:
    if given is None:
        return otherwise
    if not given.isdecimal() or int(given) not in possible:
        raise UsageError(
            f"{text} asks for the {what} '{given}'", f"give a number from 0 to {possible[-1]}"
        )
    return int(given)


def _without_baud(path: str, text: str) -> tuple[str, int | None]:
    """Split `path?baud=N` into path and number; other options stay in the path."""
    rest, given = _without_option(path, ("baud", "baudrate"))
    if given is None:
        return path, None
    if not given.isdecimal() or int(given) == 0:
        raise UsageError(
            f"{text} asks for a baud rate of '{given}'", "give a number, e.g. ?baud=921600"
        )
    return rest, int(given)


def _without_option(path: str, names: Sequence[str]) -> tuple[str, str | None]:
    """Split an option off a path; `names` are its spellings, the first found wins.

    Returns:
        The path with all other options, and the value of the option; None without it.
    """
    stem, question, query = path.partition("?")
    options: Mapping[str, list[str]] = parse_qs(query, keep_blank_values=True)
    given = next((options[name][-1] for name in names if name in options), None)
    if not question or given is None:
        return path, None
    rest = "&".join(part for part in query.split("&") if part.partition("=")[0] not in names)
    return (f"{stem}?{rest}" if rest else stem), given


_PREFIXED = {
    "rtt": _any_rtt_address,
    "memory": _memory_address,
    "probe": _probe_address,
    "swo": _swo_address,
    "unix": _unix_address,
}


def file_of(text: str) -> Path | None:
    """Return the file or device that a link reads; None for a link of another kind.

    Raises:
        UsageError: the address is malformed.
    """
    address = parse_address(text)
    while address.kind is Kind.SWO:
        address = parse_address(address.path)
    return Path(address.path) if address.kind is Kind.PATH else None
