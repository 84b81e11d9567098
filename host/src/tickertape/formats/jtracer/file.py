"""Reads a file of JTracer, record by record.

A file begins with `version 1.2` or another version and an end mark. Records are big-endian 32-bit
numbers: how many bytes follow, type, time, task, and what belongs to the type. Source: writers and
reader of TrcUtils, which refuses a record of the wrong size as well. Memory does not depend on the
file's size.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from tickertape.closing import Closing
from tickertape.errors import ForeignFile
from tickertape.formats.jtracer.types import JtracerType
from tickertape.formats.record_file import open_foreign

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD: Final = re.compile(rb"version (\d{1,4})\.(\d{1,4})\0")
_HEAD_BYTES_MAX: Final = 18
_HAS_CPU: Final = (1, 2)  # from this version on
_WORD_BYTES: Final = 4
_COMMON_WORDS: Final = 3
_MOST_BYTES: Final = 1 << 16

ON_CPU: Final = frozenset({JtracerType.SCHEDULE, JtracerType.DESCHEDULE, JtracerType.END})
"""Types with the CPU after their common words."""
# Number of words after those of the other types.
_EXTRA_WORDS: Final[dict[int, int]] = {
    JtracerType.ARRIVAL: 0,
    JtracerType.POSTPONE: 2,
    JtracerType.DEADLINE: 1,
    JtracerType.IDLE: 0,
    JtracerType.MISS: 0,
}
# The same for those that end in a name; the last word is its length.
_NAMED: Final[dict[int, int]] = {JtracerType.WAIT: 2, JtracerType.SIGNAL: 2, JtracerType.NAME: 1}


@dataclass(frozen=True, slots=True)
class JtracerRecord:
    """One record.

    Attributes:
        type: its type; a number unknown to JTracer is kept.
        time_us: since the first event.
        task: number.
        extras: further words: the CPU, old and new deadline, the deadline, the resource.
        name: of a task or a resource.
    """

    type: int
    time_us: int
    task: int
    extras: tuple[int, ...] = ()
    name: str | None = None


class JtracerFile(Closing):
    """A file, open for reading; use it as a context manager.

    Attributes:
        path: of the file.
        unread: the record that is none, or in which the file ends: which one, from 1, and at which
            byte it begins. Known once all before it were read; None without any.
    """

    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises:
            TapeMissing: the file is not there or may not be read.
            ForeignFile: it is something else.
        """
        self.path = path
        self.unread: tuple[int, int] | None = None
        self._file = open_foreign(path)
        head = _HEAD.match(self._file.read(_HEAD_BYTES_MAX))
        if head is None:
            self._file.close()
            raise ForeignFile(
                f"{path} is not a trace of JTracer", "give one that begins so: version"
            )
        self._begin = head.end()
        self._has_cpu = (int(head[1]), int(head[2])) >= _HAS_CPU

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def records(self) -> Iterator[tuple[int, JtracerRecord]]:
        """Yield the records up to the first that is none, each with the byte at which it begins."""
        offset, number = self._begin, 0
        self._file.seek(offset)
        while size_word := self._file.read(_WORD_BYTES):
            number += 1
            record = _read(self._file, size_word, has_cpu=self._has_cpu)
            if record is None:
                self.unread = (number, offset)
                return
            yield offset, record
            offset += _WORD_BYTES + int.from_bytes(size_word, "big")


def read_jtracer(path: Path | str) -> Iterator[JtracerRecord]:
    """Read a file of JTracer, record by record.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: it is something else, or it has a record that is none, or ends within one. What
            was before that has been yielded.
    """
    with JtracerFile(Path(path)) as file:
        for _, record in file.records():
            yield record
        if file.unread is not None:
            number, offset = file.unread
            raise ForeignFile(
                f"{path}: record {number} at byte {offset} is cut or none of JTracer",
                "copy the file again, whole",
            )


def _read(file: BinaryIO, size_word: bytes, *, has_cpu: bool) -> JtracerRecord | None:
    size = int.from_bytes(size_word, "big")
    if len(size_word) < _WORD_BYTES or not _COMMON_WORDS * _WORD_BYTES <= size <= _MOST_BYTES:
        return None
    body = file.read(size)
    if len(body) < size:
        return None
    kind, at, task = struct.unpack_from(f">{_COMMON_WORDS}I", body)
    rest = body[_COMMON_WORDS * _WORD_BYTES :]
    if kind in _NAMED:
        return _named(kind, at, task, rest)
    wanted = int(has_cpu) if kind in ON_CPU else _EXTRA_WORDS.get(kind)
    if wanted is not None and len(rest) != wanted * _WORD_BYTES:
        return None
    words = len(rest) // _WORD_BYTES
    return JtracerRecord(kind, at, task, struct.unpack_from(f">{words}I", rest))


def _named(kind: int, at: int, task: int, rest: bytes) -> JtracerRecord | None:
    count = _NAMED[kind]
    begin = count * _WORD_BYTES
    if len(rest) < begin:
        return None
    *extras, length = struct.unpack_from(f">{count}I", rest)
    if len(rest) != begin + length:
        return None
    return JtracerRecord(kind, at, task, tuple(extras), rest[begin:].decode(errors="replace"))
