"""Open a link by its address."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import LinkDenied, LinkError, LinkMissing, UsageError
from tickertape.link.address import DEFAULT_BAUD, Kind, parse_address
from tickertape.link.descriptor import DescriptorLink, open_path
from tickertape.link.gdb_server import connect_gdb
from tickertape.link.pyocd_rtt import connect_pyocd_rtt
from tickertape.link.pyocd_swo import connect_pyocd_swo
from tickertape.link.rtt import connect_rtt
from tickertape.link.serial_port import open_serial, open_serial_url
from tickertape.link.swo import SwoLink
from tickertape.link.target_memory import FileMemory, TargetMemoryLink
from tickertape.link.tcp import TcpLink, connect, listen
from tickertape.link.udp import receive
from tickertape.link.unix import connect as connect_unix

if TYPE_CHECKING:
    from tickertape.link.address import Address
    from tickertape.link.base import Link
    from tickertape.link.target_memory import Memory

_WINDOWS_PORT = re.compile(r"(?i)^(\\\\\.\\)?COM\d+$")


def open_link(url: str, *, baud: int | None = None, wait_s: float = 5.0) -> Link:
    """Open the link that `url` names.

    | url | link |
    |---|---|
    | `/dev/ttyACM0`, `/dev/ttyUSB0?baud=921600`, `COM5` | serial device |
    | `/dev/pts/7` | pseudo terminal |
    | `socket://host:port` | connect to a TCP listener, e.g. an emulator's UART |
    | `tcp-listen://host:port` | wait for one TCP connection |
    | `unix:path`, path of a socket | connect to a Unix socket |
    | `udp://host:port` | datagrams that a target sends to this address of this machine |
    | `rtt://host:port?channel=1` | a channel of J-Link's RTT server |
    | `rtt:pyocd@ID?channel=1` | an RTT channel through pyOCD and a debug probe |
    | `memory:FILE?at=OFFSET` | memory in a file that an emulator or another core maps as well |
    | `gdb://host:port?at=ADDRESS` | memory of the target, through a GDB server |
    | `swo:LINK?stimulus=1` | a stimulus port of an SWO pin whose bytes LINK carries |
    | `swo:pyocd@ID?baud=2000000` | a stimulus port of an SWO pin that a probe reads (pyOCD) |
    | `rfc2217://host:port?baud=...`, `loop://` | pyserial's own addresses |
    | `path/to/bytes`, `file:path` | recorded bytes of a link, or a named pipe |
    | `-` | standard input |

    Args:
        url: address of the link.
        baud: symbols per second of a serial device; `baud=` in the address has priority. The
            default is 115 200.
        wait_s: time to wait for the peer of a socket, in seconds.

    Raises:
        UsageError: the address is malformed.
        LinkMissing: there is no such device or file, no program listens there, or no connection
            arrived in time.
        LinkBusy: another program uses the device or port.
        LinkDenied: the user may not open it.
    """
    address = parse_address(url)
    rate = address.baud or baud or DEFAULT_BAUD
    match address.kind:
        case Kind.STDIN:
            return _standard_input()
        case Kind.SWO:
            return SwoLink(_open_pin(address, url, baud, wait_s), address.channel, url)
        case Kind.PROBE:
            raise UsageError(
                f"{url} needs the ELF file of the firmware, and is captured only",
                f"tickertape capture {url} --elf firmware.elf",
            )
        case Kind.MEMORY | Kind.GDB:
            return TargetMemoryLink(_open_memory(address, url, wait_s), url)
        case Kind.CONNECT | Kind.LISTEN | Kind.UNIX | Kind.DATAGRAMS | Kind.RTT:
            return _open_network(address, url, wait_s)
        case Kind.PYSERIAL:
            return open_serial_url(address.path, url, rate)
        case Kind.PATH:
            return _open_path(address, rate, wait_s)


def _open_pin(address: Address, url: str, baud: int | None, wait_s: float) -> Link:
    if address.baud is None:
        return open_link(address.path, baud=baud, wait_s=wait_s)
    return connect_pyocd_swo(address.path.partition("@")[2] or None, address.baud, url)


def _open_network(address: Address, url: str, wait_s: float) -> Link:
    if address.kind is Kind.DATAGRAMS:
        return receive(address.host, address.port, url)
    if address.kind is Kind.UNIX:
        return connect_unix(address.path, url, wait_s)
    if address.kind is Kind.RTT and address.path:
        probe = address.path.partition("@")[2] or None
        return connect_pyocd_rtt(probe, address.channel, url)
    if address.kind is Kind.RTT:
        return connect_rtt(address.host, address.port, address.channel, url, wait_s)
    if address.kind is Kind.CONNECT:
        return connect(address.host, address.port, url, wait_s, TcpLink)
    return listen(address.host, address.port, url, wait_s)


def _open_memory(address: Address, url: str, wait_s: float) -> Memory:
    if address.kind is Kind.GDB:
        return connect_gdb(address.host, address.port, address.place or 0, url, wait_s)
    return FileMemory(address.path, address.place)


def _standard_input() -> Link:
    descriptor = sys.stdin.fileno()
    live = not stat.S_ISREG(os.fstat(descriptor).st_mode)
    return DescriptorLink(descriptor, "standard input", live=live, owned=False)


def _open_path(address: Address, baud: int, wait_s: float) -> Link:
    path = address.path
    if _WINDOWS_PORT.match(path):
        return open_serial(path, address.text, baud)
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError as error:
        raise LinkMissing(
            f"there is no device or file {path}", "plug the device in, or check its name"
        ) from error
    except PermissionError as error:
        raise LinkDenied(f"{path} cannot be reached", "check its permissions") from error
    except OSError as error:
        raise LinkError(f"{path} cannot be opened ({error.strerror})", "check the path") from error
    if stat.S_ISDIR(mode):
        raise LinkError(f"{path} is a folder", "name a device or a file in it")
    if stat.S_ISSOCK(mode):
        return connect_unix(path, address.text, wait_s)
    if stat.S_ISCHR(mode) and _is_terminal(path):
        return open_serial(path, address.text, baud)
    return open_path(path, address.text, live=not stat.S_ISREG(mode))


def _is_terminal(path: str) -> bool:
    """Return whether a path is a terminal; true also if it cannot be opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return True
    try:
        return os.isatty(descriptor)
    finally:
        os.close(descriptor)
