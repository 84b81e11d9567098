"""Compiled conversion of events to lines of text."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import (
    TEXT_FIELDS,
    TEXT_HEAD_BYTES,
    TEXT_LABEL_BYTES,
    TEXT_NAME_BYTES,
    Columns,
    TextField,
    TextJob,
    TextStatus,
    TextType,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ctypes import CDLL

    from numpy.typing import NDArray

_BLOCK_BYTES: Final = 1 << 18
_KIND_SHIFT: Final = 40
_UNKNOWN: Final = 0x1_FFFF_FFFF


@dataclass(frozen=True)
class TypeText:
    """Text format of one event type.

    Attributes:
        code: class << 10 | event.
        head: class and event with trailing blanks, UTF-8.
        fields: index of the word, label with the text before it, and format of each field.
        string_words: number of words before the text in the payload; None without text.
        says_name: the text becomes the name of the thread in the second word.
        wide: the event type has a wide form; this writer writes only its simple form.
    """

    code: int
    head: bytes
    fields: Sequence[tuple[int, bytes, Word]]
    string_words: int | None
    says_name: bool
    wide: bool = False


class TextWriter(Handle):
    """Writes columns as text. It stops at a missing type or name, which the caller then sets."""

    def __init__(self, compiled: CDLL, *, colour: bool) -> None:
        """Create a writer.

        Args:
            compiled: the compiled part.
            colour: whether to write escape sequences for a terminal.
        """
        super().__init__(compiled, "text", colour)
        self._out = np.empty(_BLOCK_BYTES, np.uint8)
        self._job = TextJob()
        self._arrays: tuple[object, ...] = ()

    def begin(self, tick_hz: int) -> None:
        """Start a boot and forget all names."""
        self._library.tt_text_begin(self._handle, tick_hz)

    def forget(self) -> None:
        """Forget all names."""
        self._library.tt_text_forget(self._handle)

    def set_type(self, known: TypeText | int) -> None:
        """Set the text format of an event type; pass only its code if Python must write it."""
        if isinstance(known, int) or not _fits(known):
            code = known if isinstance(known, int) else known.code
            made = TextType(code=code, by_python=1)
        else:
            made = TextType(
                code=known.code,
                by_python=2 * known.wide,
                string=known.string_words is not None,
                words=known.string_words or 0,
                field_count=len(known.fields),
                says_name=known.says_name,
                head_bytes=len(known.head),
                head=known.head,
                fields=tuple(
                    TextField(word, kind, len(label), label) for word, label, kind in known.fields
                ),
            )
        if self._library.tt_text_set_type(self._handle, byref(made)):
            raise MemoryError

    def set_name(self, key: int, name: str) -> None:
        """Set the name with a key that was missing."""
        data = name.encode("utf-8", errors="replace")
        # At the end of a line, Python also strips blanks that are not ASCII: leave these to Python.
        if len(data) > TEXT_NAME_BYTES or (not name.isascii() and name != name.rstrip()):
            data = b""
        if self._library.tt_text_set_name(self._handle, key, data, len(data)):
            raise MemoryError

    def load(
        self,
        columns: Mapping[str, NDArray[np.generic]],
        running: NDArray[np.int64],
        skip: NDArray[np.bool_] | None,
    ) -> None:
        """Set the next columns, as `Assembled.columns`, the thread at each row, rows to skip."""
        arrays = {name: np.ascontiguousarray(array) for name, array in columns.items()}
        running = np.ascontiguousarray(running)
        self._arrays = (arrays, running, skip)  # keep them alive as long as the job
        job = self._job
        job.columns = Columns(*(address(array) for array in arrays.values()))
        job.running = address(running)
        job.skip = None if skip is None else address(skip)
        job.out, job.room = address(self._out), len(self._out)
        job.row = job.learned = 0

    def write(self, end_row: int) -> tuple[TextStatus, memoryview]:
        """Write rows up to `end_row`.

        Returns:
            The reason for the return, and the lines; they are valid until the next call.
        """
        self._job.end_row = end_row
        why = TextStatus(self._library.tt_text_write(self._handle, byref(self._job)))
        if why is TextStatus.NO_MEMORY:
            raise MemoryError
        return why, self._out[: self._job.written].data

    @property
    def row(self) -> int:
        """Row at which `write` returned."""
        return int(self._job.row)

    @property
    def missing(self) -> int:
        """Code of the type or key of the name that is missing."""
        return int(self._job.missing)

    @property
    def has_learned(self) -> bool:
        """Whether an event of these columns contains a new name."""
        return bool(self._job.learned)

    def skip_row(self) -> None:
        """Continue after the row at which `write` returned."""
        self._job.row += 1


def name_of_key(key: int) -> tuple[Word, int]:
    """Return kind and number of a missing name; number -1 for an unknown thread."""
    number = key & _UNKNOWN
    return Word(key >> _KIND_SHIFT), -1 if number == _UNKNOWN else number


def _fits(known: TypeText) -> bool:
    return (
        len(known.head) <= TEXT_HEAD_BYTES
        and len(known.fields) <= TEXT_FIELDS
        and all(
            len(label) <= TEXT_LABEL_BYTES and word < TEXT_FIELDS for word, label, _ in known.fields
        )
    )
