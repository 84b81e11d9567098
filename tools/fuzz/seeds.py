"""Valid inputs with which libFuzzer targets start, in the formats that tests/fuzz describes."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.support.wire_bytes import buffer_body, hello_body, name_body

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FOLDER: Final = Path(__file__).resolve().parents[2] / "tests/fuzz/seeds"  # by doors.c
_BUFFER, _HELLO, _STATUS, _REPLY, _NAME = 2, 1, 4, 6, 7
_MEND_REPLY, _MEND_COUNT, _PEER = 16, 32, 7
_SIMPLE, _BEGIN, _CONTINUE, _END = range(4)
_CLASSES, _EVENTS = 16, 16


def _records(rows: Sequence[tuple[int, int, int, int, int]]) -> bytes:
    """Return a chunk of one buffer from rows of struct, class, event and two words."""
    head = struct.pack("<BBBBH", 0, 0, 0, len(rows), 0)
    return head + b"".join(
        struct.pack("<HBB", kind | (step << 2) | cls << 7 | event << 12, data0, data1)
        for step, (kind, cls, event, data0, data1) in ((n % 3, row) for n, row in enumerate(rows))
    )


def _histories() -> list[bytes]:
    """Return chunks with simple events of every class, and one with a combine event."""
    simple = [
        _records([(_SIMPLE, cls, event, event % 5, event % 3) for event in range(_EVENTS)])
        for cls in range(_CLASSES)
    ]
    mixed = [
        (_SIMPLE, cls, event, n % 4, (n + 1) % 4)
        for n, (cls, event) in enumerate((c, e) for e in range(4) for c in (4, 9, 3, 8, 13, 7))
    ]
    together = struct.pack("<BBBBH", 0, 0, 0, 3, 0) + b"".join(
        struct.pack("<HBB", kind | 6 << 7, *words)
        for kind, *words in ((_BEGIN, 65, 66), (_CONTINUE, 67, 0), (_END, 0, 16))
    )
    return [*simple, _records(mixed), together]


def _with_head(head: bytes) -> list[bytes]:
    return [head + history for history in _histories()]


def _command_seeds() -> list[bytes]:
    commands = [bytes([0, 0, number, 1, 2]) for number in range(1, 32)]
    with_words = [bytes([0, 60, n, *struct.pack("<IIII", 6, 1, 2, 3)]) for n in range(1, 32)]
    named = [bytes([0, 64, n, 0, 0, 2]) + b"ab" for n in (20, 22, 23, 24)]
    between = bytes([3, 8 * 20 + 1, *range(20), 4 + 8 * 20, 6, 3, 8 * 9, *range(9), 4 + 8 * 9])
    return [one + between for one in (*commands, *with_words, *named)]


def _ipv4_seeds() -> list[bytes]:
    datagram = bytes([_PEER, 60]) + bytes(60)
    arp = bytes([16, 50]) + bytes(20) + b"\0\2" + bytes([2, 0, 0, 0, 0, 9]) + bytes(30)
    return [arp + datagram, datagram * 3, bytes([39, 0, 4]) + bytes(100), arp * 2 + datagram]


def _of_broker(flags: int, kind: int, place: int, body: bytes) -> bytes:
    return bytes([flags, kind, place, len(body)]) + body


def _broker_seeds() -> list[bytes]:
    reply = struct.pack("<IBBHII", 0, 0, 0, 0, 0, 1)
    opened = _of_broker(0, _HELLO, 0, hello_body(ticks=1))
    opened += 3 * _of_broker(_MEND_REPLY, _REPLY, 0, reply)
    records = bytes(range(48))
    buffer = _of_broker(0, _BUFFER, 0, buffer_body((0, 0, 0), 5, 0, records))
    later = _of_broker(_MEND_COUNT, _BUFFER, 0, buffer_body((9, 2, 3), 9, 1, records))
    status = _of_broker(0, _STATUS, 0, struct.pack("<QQQ", 20, 4, 8) + bytes(64))
    name = _of_broker(0, _NAME, 0, name_body(1, 6 << 10 | 3, "name"))
    long = bytes([72, _BUFFER, 0, 40]) + struct.pack("<H", 65_000) + bytes(40)
    view = bytes(1) + opened + name + buffer + status + later + long
    return [view, bytes([7]) + 4 * _of_broker(_MEND_REPLY, _REPLY, 0, reply)]


def _log_seeds() -> list[bytes]:
    logs = [path.read_bytes() for path in sorted(_FOLDER.glob("*.tape"))]
    return [bytes([flags]) + log for log in logs for flags in (1, 3)]


_SEEDS: Final[dict[str, Callable[[], list[bytes]]]] = {
    "command": _command_seeds,
    "ipv4": _ipv4_seeds,
    "posix_log": _log_seeds,
    "broker": _broker_seeds,
    "tape": _log_seeds,
    "assemble": lambda: _with_head(b"\0"),
    "text": lambda: _with_head(b"\0"),
    "system": lambda: _with_head(b"\2"),
    "btf": lambda: _with_head(b"\0\2"),
    "timeline": lambda: _with_head(b"\0\2"),
}


def seeds_of(name: str) -> list[bytes]:
    """Return the inputs with which a target starts; 64 arbitrary bytes if it needs no format."""
    return _SEEDS.get(name, lambda: [bytes(range(64))])()
