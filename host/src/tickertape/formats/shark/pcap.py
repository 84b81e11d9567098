"""Reads the UDP payloads of a network capture (file format of libpcap, version 2).

Format: "PCAP Capture File Format" (draft-ietf-opsawg-pcap); link types of tcpdump.org. Only IPv4 is
supported; of a fragmented datagram, only the first fragment is read.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO, Final

from tickertape.errors import ForeignFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PCAP_MAGICS: Final = {
    b"\xd4\xc3\xb2\xa1": "<",  # microseconds
    b"\xa1\xb2\xc3\xd4": ">",
    b"\x4d\x3c\xb2\xa1": "<",  # nanoseconds
    b"\xa1\xb2\x3c\x4d": ">",
}
PCAPNG_MAGIC: Final = b"\x0a\x0d\x0d\x0a"

_FILE_HEADER_BYTES: Final = 24
_MOST_BYTES: Final = 1 << 18  # libpcap's own limit of a packet
_TYPE_IPV4: Final = 0x0800
_TYPE_VLAN: Final = 0x8100
_PROTOCOL_UDP: Final = 17
_UDP_HEAD: Final = 8
_LEAST_IP_HEAD: Final = 20

# Link type -> offset of the type of the payload, and offset of the payload; None: always IPv4.
_LINKS: Final = {
    1: (12, 14),  # Ethernet
    101: (None, 0),  # raw IP
    228: (None, 0),  # raw IPv4
    113: (14, 16),  # Linux "any"
    276: (0, 20),  # Linux "any", version 2
}


def udp_of_pcap(file: BinaryIO, path: Path, port: int | None = None) -> Iterator[bytes]:
    """Yield the payload of each UDP datagram of a capture; skip other packets.

    Args:
        file: the capture, at its begin.
        path: path of the capture, for messages.
        port: destination port to select; None for all.

    Raises:
        ForeignFile: the link type is not supported.
    """
    header = file.read(_FILE_HEADER_BYTES)
    order = PCAP_MAGICS[header[:4]]
    if len(header) < _FILE_HEADER_BYTES:
        return
    link = struct.unpack_from(f"{order}I", header, 20)[0] & 0xFFFF
    if link not in _LINKS:
        raise ForeignFile(
            f"{path} was captured on a link of type {link}, which is not read",
            "capture on an Ethernet interface",
        )
    while len(head := file.read(16)) == 16:  # noqa: PLR2004 - header of a packet
        size = struct.unpack_from(f"{order}I", head, 8)[0]
        if size > _MOST_BYTES:
            return
        data = _udp(_ip(file.read(size), link), port)
        if data is not None:
            yield data


def _ip(frame: bytes, link: int) -> bytes:
    """Return a frame without its link header; empty if it does not contain IPv4."""
    type_at, begin = _LINKS[link]
    if type_at is None:
        return frame
    if len(frame) < max(begin, type_at + 2):
        return b""
    kind = struct.unpack_from(">H", frame, type_at)[0]
    if kind == _TYPE_VLAN and len(frame) >= begin + 4:
        kind, begin = struct.unpack_from(">H", frame, begin + 2)[0], begin + 4
    return frame[begin:] if kind == _TYPE_IPV4 else b""


def _udp(packet: bytes, port: int | None) -> bytes | None:
    """Return the UDP payload; None for another protocol or port, or for a later fragment."""
    if len(packet) < _LEAST_IP_HEAD or packet[0] >> 4 != 4:  # noqa: PLR2004 - the version
        return None
    head = (packet[0] & 15) * 4
    fragment = struct.unpack_from(">H", packet, 6)[0] & 0x1FFF
    if packet[9] != _PROTOCOL_UDP or fragment or len(packet) < head + _UDP_HEAD:
        return None
    to, size = struct.unpack_from(">HH", packet, head + 2)
    if port is not None and to != port:
        return None
    return packet[head + _UDP_HEAD : head + max(size, _UDP_HEAD)]
