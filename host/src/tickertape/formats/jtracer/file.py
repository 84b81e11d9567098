"""Reads a JTracer file record by record.

A file begins with its version as a zero-terminated text (`version 1.2`); `types` describes its
records. Memory does not depend on the size of the file.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from tickertape.closing import Closing
from tickertape.errors import ForeignFile
from tickertape.formats.jtracer.types import FIELDS, HEAD, NOTHING, ON_CPU, SIZE
from tickertape.formats.record_file import open_foreign

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD: Final = re.compile(rb"version (\d{1,4})\.(\d{1,4})\0")
_HEAD_BYTES_MAX: Final = 18
_HAS_CPU: Final = (1, 2)  # from this version on
_WORD_BYTES: Final = 4
_MOST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class JtracerRecord:
    """One record.

    Attributes:
        type: a `JtracerType`, or the number of a type unknown to JTracer.
        time_us: time since the first event, us.
        task: number of the task.
        extras: further words, by type: CPU; old and new deadline; deadline; resource.
        name: name of a task or resource; None for other types.
    """

    type: int
    time_us: int
    task: int
    extras: tuple[int, ...] = ()
    name: str | None = None


class JtracerFile(Closing):
    """A JTracer file, open for reading; use it as a context manager.

    Attributes:
        path: path of the file.
        unread: number (from 1) and byte offset of an invalid or truncated record; valid after all
            records before it were read; None without such a record.
    """

    def __init__(self, path: Path) -> None:
        """Open a file.

        Raises:
            TapeMissing: the file does not exist or is not readable.
            ForeignFile: the file is not a JTracer file.
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
        """Yield records with their byte offsets, up to the first invalid or truncated one."""
        offset, number = self._begin, 0
        self._file.seek(offset)
        while size_word := self._file.read(SIZE.size):
            number += 1
            record = _read(self._file, size_word, has_cpu=self._has_cpu)
            if record is None:
                self.unread = (number, offset)
                return
            yield offset, record
            offset += SIZE.size + int.from_bytes(size_word, "big")


def read_jtracer(path: Path | str) -> Iterator[JtracerRecord]:
    """Yield the records of a JTracer file.

    Raises:
        TapeMissing: the file does not exist or is not readable.
        ForeignFile: the file is not a JTracer file, or has an invalid or truncated record; all
            records before that one have been yielded.
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
    if len(size_word) < SIZE.size or not HEAD.size <= size <= _MOST_BYTES:
        return None
    body = file.read(size)
    if len(body) < size:
        return None
    kind, at, task = HEAD.parse(body)
    rest = body[HEAD.size :]
    layout = NOTHING if kind in ON_CPU and not has_cpu else FIELDS.get(kind)
    if layout is None:
        words = len(rest) // _WORD_BYTES
        return JtracerRecord(kind, at, task, struct.unpack_from(f">{words}I", rest))
    if len(rest) < layout.size:
        return None
    fields, tail = layout.parse(rest)._asdict(), rest[layout.size :]
    length = fields.pop("name_bytes", None)
    if len(tail) != (length or 0):
        return None
    name = None if length is None else tail.decode(errors="replace")
    return JtracerRecord(kind, at, task, tuple(fields.values()), name)
