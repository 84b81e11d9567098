"""Make packets of the S.Ha.R.K. tracer and of ftrace, and pcap files that contain them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tickertape.formats.shark.packets import FTRACE_HEADER

if TYPE_CHECKING:
    from collections.abc import Sequence


def shark_records(first: int, count: int) -> bytes:
    """Return `count` records, 100 us apart, beginning with number `first`."""
    return b"".join(
        struct.pack("<IHHI", 100 * n, 3 + n % 5, 0, n) for n in range(first, first + count)
    )


def shark_packets(count: int, records: int = 20) -> list[bytes]:
    return [struct.pack("<H", records) + shark_records(n * records, records) for n in range(count)]


def ftrace_packet(number: int, records: int = 5) -> bytes:
    body = b"".join(struct.pack("<HHIII", 0x22, n, 0, number * 100 + n, 0) for n in range(records))
    size = FTRACE_HEADER.size + len(body)
    values = {"magic": b"TRACER-V1.0\0", "number": number, "records": records, "bytes": size}
    header = FTRACE_HEADER.build(values)
    return header + body


def pcap(packets: Sequence[bytes], *, order: str = "<", link: int = 1, port: int = 9) -> bytes:
    """Return a pcap file of UDP over IPv4; on Ethernet it begins with a packet of another kind."""
    out = struct.pack(f"{order}IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link)
    heads = {1: bytes(12) + b"\x08\0", 101: b"", 113: bytes(14) + b"\x08\0"}
    heads[276] = b"\x08\0" + bytes(18)
    frames = [bytes(12) + b"\x08\x06" + bytes(40)] if link == 1 else []
    for packet in packets:
        udp = struct.pack(">HHHH", 1000, port, 8 + len(packet), 0) + packet
        ip = struct.pack(">BBHHHBBH8x", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
        frames.append(heads[link] + ip + udp + bytes(3))  # padding, as on Ethernet
    for frame in frames:
        out += struct.pack(f"{order}IIII", 0, 0, len(frame), len(frame)) + frame
    return out
