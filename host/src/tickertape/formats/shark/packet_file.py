"""Reads packets of the S.Ha.R.K. tracers from files: network captures, or consecutive packets.

    for data, is_packet in saved_packets(Path("trace.pcap"), "original"):
        ...

In a file of consecutive packets, only the count or the mark of FTrace shows the begin of a packet.
Bytes that are not part of a packet are skipped up to the next plausible packet, and yielded as
such, so that the reader counts them.
"""

from __future__ import annotations

import mmap
import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import ForeignFile
from tickertape.formats.record_file import open_foreign
from tickertape.formats.shark.layout import LAYOUTS
from tickertape.formats.shark.packets import (
    FTRACE_HEADER,
    FTRACE_MAGIC,
    FTRACE_RECORD_BYTES,
    MOST_PACKET_BYTES,
)
from tickertape.formats.shark.pcap import PCAP_MAGICS, PCAPNG_MAGIC, udp_of_pcap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_EVENT: Final = 1023
_MOST_FTRACE_RECORDS: Final = 65535 // FTRACE_RECORD_BYTES
_WINDOW: Final = 1 << 20
_FIRST_WINDOW: Final = 1 << 12
_ROW: Final = 8
_FIRST_ROW: Final = 2
_BACK: Final = 1 << 31


def saved_packets(path: Path, layout: str, port: int | None = None) -> Iterator[tuple[bytes, bool]]:
    """Yield the packets of a file in order, with True, and other bytes, with False.

    Args:
        path: the file.
        layout: layout of the first tracer's records; the count has the same byte order.
        port: UDP destination port to select in a network capture; None for all.

    Raises:
        TapeMissing: the file does not exist or is not readable.
        ForeignFile: the file is empty, or a capture in an unsupported format.
    """
    with open_foreign(path) as file:
        begin = file.read(4)
        file.seek(0)
        if begin == PCAPNG_MAGIC:
            raise ForeignFile(
                f"{path} is a capture in the pcapng format", f"type: editcap -F pcap {path} OUT"
            )
        if not begin:
            raise ForeignFile(f"{path} is empty", "give a file with packets in it")
        if begin in PCAP_MAGICS:
            for packet in udp_of_pcap(file, path, port):
                yield packet, True
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield from _one_behind_the_other(data, layout)


def _one_behind_the_other(data: mmap.mmap, layout: str) -> Iterator[tuple[bytes, bool]]:
    find = _find_ftrace if data[: len(FTRACE_MAGIC)] == FTRACE_MAGIC else _Shark(layout).find
    at = 0
    while at < len(data):
        found, size = find(data, at)
        while at < found:  # not a packet; yield in parts of limited size
            part = data[at : min(found, at + _WINDOW)]
            yield part, False
            at += len(part)
        if size:
            yield data[at : at + size], True
            at += size


def _find_ftrace(data: mmap.mmap, at: int) -> tuple[int, int]:
    """Return offset and size of the next packet of FTrace; size 0 without one."""
    while (found := data.find(FTRACE_MAGIC, at)) >= 0:
        if len(data) - found < FTRACE_HEADER.size:
            break
        count = FTRACE_HEADER.parse(data[found : found + FTRACE_HEADER.size]).records
        if count <= _MOST_FTRACE_RECORDS:
            whole = FTRACE_HEADER.size + count * FTRACE_RECORD_BYTES
            # Another mark, up to the last byte of this packet, means that this one is truncated.
            most = found + whole - 1 + len(FTRACE_MAGIC)
            following = data.find(FTRACE_MAGIC, found + 1, most)
            return found, (following - found if following > 0 else min(whole, len(data) - found))
        at = found + 1
    return len(data), 0


class _Shark:
    """Finds packets of the first tracer: a count, and plausible records.

    A single plausible packet directly after another one is accepted. At other places records may
    look like packets, so several packets must follow each other, or at least two up to the end of
    the file. At the begin of the file two are sufficient, or one that is the whole file.
    """

    def __init__(self, layout: str) -> None:
        self._dtype = LAYOUTS[layout]
        self._order = ">" if self._dtype["time"] == np.dtype(">u4") else "<"
        self._most = MOST_PACKET_BYTES // self._dtype.itemsize
        self._in_order = False  # the previous packet ends where the search begins

    def find(self, data: mmap.mmap, at: int) -> tuple[int, int]:
        """Return offset and size of the next packet; size 0 without one."""
        believed = self._next(data, at) if self._in_order else self._row(data, at, _FIRST_ROW)
        self._in_order = True
        if believed:
            return at, believed
        window = _FIRST_WINDOW  # most gaps are small
        while at < len(data) - 1:
            for candidate in self._candidates(data, at, window):
                if size := self._row(data, candidate, _ROW):
                    return candidate, size
            at += window
            window = min(2 * window, _WINDOW)
        return len(data), 0

    def _next(self, data: mmap.mmap, at: int) -> int:
        """Return the size of a packet after another one, up to the begin of other packets in it."""
        size = self._size(data, at)
        end = at + size
        if size and (end >= len(data) or self._size(data, end)):
            return size
        inside = self._candidates(data, at + 2, self._told(data, at) - 2)
        begin = next((place for place in inside if self._row(data, place, _ROW)), None)
        if begin is None:
            return size
        return begin - at if self._is_good(data[at + 2 : begin]) else 0

    def _candidates(self, data: mmap.mmap, at: int, size: int) -> list[int]:
        """Return the offsets of plausible counts among `size` bytes."""
        window = np.frombuffer(data[at : at + size + 1], np.uint8).astype(np.uint16)
        low, high = (window[:-1], window[1:]) if self._order == "<" else (window[1:], window[:-1])
        count = low | high << np.uint16(8)
        places: list[int] = (at + np.flatnonzero((count > 0) & (count <= self._most))).tolist()
        return places

    def _row(self, data: mmap.mmap, at: int, packets: int) -> int:
        """Return the size of the first of `packets` consecutive packets; 0 without so many."""
        first, begin = 0, at
        for number in range(packets):
            size = self._size(data, at)
            if not size or (size - 2) % self._dtype.itemsize:
                return 0
            first = first or size
            at += size
            if at == len(data):
                return first if number or not begin else 0
        return first

    def _size(self, data: mmap.mmap, at: int) -> int:
        """Return the size of the packet at an offset; 0 when it is not plausible.

        The last packet of a file may be truncated.
        """
        body = data[at + 2 : at + max(self._told(data, at), 2)]
        whole = len(body) >= self._dtype.itemsize
        return 2 + len(body) if whole and self._is_good(body) else 0

    def _told(self, data: mmap.mmap, at: int) -> int:
        """Return the size of a packet from its count; 0 when the count is impossible."""
        if at + 2 > len(data):
            return 0
        count: int = struct.unpack_from(f"{self._order}H", data, at)[0]
        return 2 + count * self._dtype.itemsize if 0 < count <= self._most else 0

    def _is_good(self, body: bytes) -> bool:
        """Return whether all whole records have possible events and ascending times."""
        records = np.frombuffer(body, self._dtype, len(body) // self._dtype.itemsize)
        time = records["time"].astype(np.uint32)
        forward = bool((np.diff(time) < _BACK).all())
        return forward and bool((records["event"] <= _MOST_EVENT).all())
