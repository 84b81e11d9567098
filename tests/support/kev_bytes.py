"""Write and read QNX trace files, from the description of the format.

This module uses no code or table of the host package, so both cannot share an error.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

SIMPLE, BEGIN, CONTINUE, END = range(4)
WORD = 1 << 32
HEADER = {
    "HEADER_BEGIN": "",
    "FILE_NAME": "/fs/tracebuffer.kev",
    "DATE": "Fri Jul  9 14:44:03 2010",
    "VER_MAJOR": "1",
    "VER_MINOR": "01",
    "LITTLE_ENDIAN": "TRUE",
    "ENCODING": "16 byte events",
    "BOOT_DATE": "Fri Jul  9 14:40:00 2010",
    "CYCLES_PER_SEC": "1000000000",
    "CPU_NUM": "2",
    "SYSNAME": "QNX",
    "NODENAME": "localhost",
    "SYS_RELEASE": "6.5.0",
    "SYS_VERSION": "2010/07/09-14:44:03EDT",
    "MACHINE": "x86pc",
    "SYSPAGE_LEN": "0",
    "TRACELOGGER_ARGS": "tracelogger -s1",
    "HEADER_END": "",
}


def header(*, order: str = "<", syspage: bytes = b"", **changes: str | None) -> bytes:
    """Return a header and the system page after it; a value of None omits the key."""
    values: dict[str, str | None] = dict(HEADER)
    if order == ">":
        del values["LITTLE_ENDIAN"]
        values["BIG_ENDIAN"] = "TRUE"
    values |= {"SYSPAGE_LEN": str(len(syspage)), **changes}
    end = values.pop("HEADER_END")
    values["HEADER_END"] = end
    text = "".join(f"TRACE_{key}::{value}" for key, value in values.items() if value is not None)
    return text.encode() + syspage


@dataclass
class Kev:
    """A file under construction. Times are 64-bit."""

    order: str = "<"
    head: bytes = b""
    records: list[bytes] = field(default_factory=list)

    def record(self, header: int, *words: int) -> None:
        """Add a raw record: header, low word of the time, two data words."""
        self.records.append(
            struct.pack(f"{self.order}4I", header % WORD, *(word % WORD for word in words))
        )

    def simple(self, time: int, cls: int, event: int, *data: int, cpu: int = 0) -> None:
        """Add an event of two words."""
        first, second = (*data, 0, 0)[:2]
        self.record(cpu << 24 | cls << 10 | event, time, first, second)

    def time(self, time: int, *, cpu: int = 0, late: int = 3) -> None:
        """Add CONTROL TIME; its own time stamp is `late` after the time that it contains."""
        self.record(cpu << 24 | 1 << 10 | 1, time + late, time >> 32, time)

    def buffer(self, sequence: int, time: int, *, cpu: int = 0, count: int = 0) -> None:
        """Add CONTROL BUFFER."""
        self.record(cpu << 24 | 1 << 10 | 2, time, sequence, count)

    def parts(
        self, time: int, cls: int, event: int, payload: bytes, *, cpu: int = 0
    ) -> list[bytes]:
        """Return the records of a combine event without adding them."""
        payload += bytes(-len(payload) % 8)
        pairs = [payload[at : at + 8] for at in range(0, len(payload), 8)]
        found = []
        for number, pair in enumerate(pairs):
            kind = BEGIN if number == 0 else END if number == len(pairs) - 1 else CONTINUE
            head = kind << 30 | cpu << 24 | cls << 10 | event
            found.append(struct.pack(f"{self.order}2I", head, time % WORD) + pair)
        return found

    def combine(self, time: int, cls: int, event: int, payload: bytes, *, cpu: int = 0) -> None:
        """Add an event of more than two words."""
        self.records += self.parts(time, cls, event, payload, cpu=cpu)

    def words(self, *values: int) -> bytes:
        """Return the bytes of words in the file's byte order."""
        return struct.pack(f"{self.order}{len(values)}I", *(value % WORD for value in values))

    def bytes(self) -> bytes:
        """Return the whole file."""
        return (self.head or header(order=self.order)) + b"".join(self.records)


@dataclass(frozen=True)
class Read:
    """A decoded record."""

    kind: int
    cpu: int
    cls: int
    event: int
    low: int
    data: tuple[int, int]


def read(data: bytes) -> tuple[dict[str, str], list[Read]]:
    """Return the keys of the header and all records of a file."""
    mark = b"TRACE_HEADER_END::"
    end = data.index(mark) + len(mark)
    keys: dict[str, str] = {}
    for pair in data[:end].decode().split("TRACE_")[1:]:
        key, _, value = pair.partition("::")
        keys[key] = value
    order = "<" if "LITTLE_ENDIAN" in keys else ">"
    body = data[end + int(keys["SYSPAGE_LEN"]) :]
    found = []
    for head, low, first, second in struct.iter_unpack(f"{order}4I", body[: len(body) // 16 * 16]):
        cpu, cls, event = head >> 24 & 0x3F, head >> 10 & 0x1F, head & 0x3FF
        found.append(Read(head >> 30, cpu, cls, event, low, (first, second)))
    return keys, found


def times_64(records: list[Read]) -> list[int]:
    """Return the 64-bit time of each record: its high word is that of the CPU's last TIME."""
    high: dict[int, int] = {}
    found = []
    for record in records:
        if (record.kind, record.cls, record.event) == (SIMPLE, 1, 1):
            high[record.cpu] = record.data[0]
        found.append(high.get(record.cpu, 0) << 32 | record.low)
    return found
