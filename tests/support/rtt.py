"""The host side of RTT, written from the published layout: finds the block, moves the bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from pathlib import Path

MARK: Final = b"SEGGER RTT" + bytes(6)
_COUNTS: Final = struct.Struct("<16sii")


class Access(Protocol):
    """Access to a target's memory by address."""

    def read(self, place: int, count: int) -> bytes: ...

    def write(self, place: int, data: bytes) -> None: ...


class FileAccess:
    """Memory in a file; the target maps the file at address `begin`."""

    def __init__(self, file: Path, begin: int) -> None:
        self._file, self._begin = file, begin

    def read(self, place: int, count: int) -> bytes:
        begin = place - self._begin
        return self._file.read_bytes()[begin : begin + count]

    def write(self, place: int, data: bytes) -> None:
        with self._file.open("r+b") as file:
            file.seek(place - self._begin)
            file.write(data)


class RttHost:
    """Access to the channels of a control block, in both directions.

    Attributes:
        block: address of the control block.
    """

    def __init__(self, memory: Access, begin: int, count: int, *, pointer_bytes: int = 4) -> None:
        """Search the control block in `count` bytes from `begin`; there must be exactly one."""
        found = memory.read(begin, count)
        assert found.count(MARK) == 1
        self.block = begin + found.index(MARK)
        self._memory = memory
        letter = {4: "I", 8: "Q"}[pointer_bytes]
        self._channel = struct.Struct(f"<{letter}{letter}4I")

    def is_there(self) -> bool:
        """Return whether the block is still at its address."""
        return self._memory.read(self.block, len(MARK)) == MARK

    def up(self, channel: int, most: int = 1 << 20) -> bytes:
        """Take at most `most` bytes out of an up channel and return them."""
        place, _, data, size, write, read, _ = self._ring(channel)
        assert write < size
        assert read < size
        out = b""
        while read != write and len(out) < most:
            end = write if write > read else size
            part = self._memory.read(data + read, min(end - read, most - len(out)))
            if not part:
                return out  # the target is gone
            out += part
            read = (read + len(part)) % size
        self._store(place + self._channel.size - 8, read)
        return out

    def down(self, channel: int, data: bytes) -> int:
        """Put as many bytes as possible into a down channel; return their number."""
        _, ups, _ = _COUNTS.unpack(self._memory.read(self.block, _COUNTS.size))
        place, _, begin, size, write, read, _ = self._ring(ups + channel)
        count = min((read - write - 1) % size, len(data))
        for byte in data[:count]:
            self._memory.write(begin + write, bytes([byte]))
            write = (write + 1) % size
        self._store(place + self._channel.size - 12, write)
        return count

    def _ring(self, number: int) -> tuple[int, ...]:
        place = self.block + _COUNTS.size + number * self._channel.size
        return place, *self._channel.unpack(self._memory.read(place, self._channel.size))

    def _store(self, place: int, value: int) -> None:
        self._memory.write(place, value.to_bytes(4, "little"))
