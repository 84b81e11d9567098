"""Turns an address that a person types into a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import LinkDenied, LinkError, LinkMissing, UsageError
from tickertape.link.address import Address, parse_address
from tickertape.link.file import DescriptorLink, FileLink
from tickertape.link.serial_port import open_serial, open_serial_url
from tickertape.link.tcp import connect, listen

if TYPE_CHECKING:
    from tickertape.link.base import Link


def open_link(url: str, *, baud: int | None = None, wait_s: float = 5.0) -> Link:
    """Open the link that `url` names.

    | url | what |
    |---|---|
    | `/dev/ttyACM0`, `/dev/ttyUSB0?baud=921600`, `COM5` | serial device |
    | `/dev/pts/7` | pseudo terminal |
    | `socket://host:port` | connect to a TCP listener, e.g. an emulator's UART |
    | `tcp-listen://host:port` | wait for one TCP connection |
    | `rfc2217://host:port?baud=...`, `loop://` | pyserial's own addresses |
    | `path/to/bytes`, `file:path` | recorded bytes of a link, or a named pipe |
    | `-` | standard input |

    Args:
        url: the address.
        baud: symbols per second of a serial device; the `baud=` of the address wins. 115 200 when
            neither is given.
        wait_s: how long to wait for a TCP peer, in seconds.

    Raises:
        UsageError: the address makes no sense.
        LinkMissing: no such device or file, nobody listens, or nobody connected in time.
        LinkBusy: another program holds it.
        LinkDenied: the user may not open it.
    """
    raise NotImplementedError
