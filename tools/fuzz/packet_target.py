# ruff: noqa: PLR2004 - probabilities of damage
"""Fuzz target for packets of the S.Ha.R.K. tracers; `targets` describes targets."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tickertape.errors import TapeError
from tickertape.formats.shark.layout import LAYOUTS
from tickertape.formats.shark.packet_file import saved_packets
from tickertape.formats.shark.packets import FTRACE_HEADER, PacketReader
from tools.fuzz.mutate import mutated
from tools.fuzz.rules import Broken

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_HEADER_BYTES = {"shark": 2, "ftrace": FTRACE_HEADER.size, None: 0}


def _shark(number: int) -> bytes:
    records = [struct.pack("<IHHI", 100 * n, n % 23, 0, n) for n in range(number, number + 9)]
    return struct.pack("<H", len(records)) + b"".join(records)


def _ftrace(number: int) -> bytes:
    records = b"".join(struct.pack("<HHIII", 0x22, n, 0, n, n) for n in range(5))
    size = FTRACE_HEADER.size + len(records)
    values = {"magic": b"TRACER-V1.0\0", "number": number, "records": 5, "bytes": size}
    return FTRACE_HEADER.build(values) + records


def _pcap(packets: list[bytes]) -> bytes:
    out = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for packet in packets:
        udp = struct.pack(">HHHH", 1000, 20000, 8 + len(packet), 0) + packet
        ip = struct.pack(">BBHHHBBH8x", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
        frame = bytes(12) + b"\x08\0" + ip + udp
        out += struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    return out


class Packets:
    """Files of packets: each byte is in a record, in a header, or reported as left out."""

    def __init__(self, folder: Path) -> None:
        """Make one file of each kind."""
        first = [_shark(9 * n) for n in range(12)]
        second = [_ftrace(n + 1) for n in range(12)]
        self._originals = [b"".join(first), b"".join(second), _pcap(first), _pcap(second)]
        self._path = folder / "packets"

    def feed(self, rng: Random) -> int:
        """Damage one file, and read it in a random layout."""
        data = mutated(rng.choice(self._originals), self._originals, rng)
        layout = "original" if rng.random() < 0.8 else rng.choice(list(LAYOUTS))
        self._path.write_bytes(data)
        reader = PacketReader(layout)
        records = 0
        try:
            for part, is_packet in saved_packets(self._path, layout):
                records += len(reader.take(part) if is_packet else reader.skip(part))
        except TapeError:
            return 1
        report = reader.report
        headers = report.packets * _HEADER_BYTES[report.tracer]
        if report.bytes != records + report.left_out + headers:
            raise Broken(f"{report} of {records} bytes of records")
        return 1
