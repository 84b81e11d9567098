"""Events as lines of text, compiled. See text.h."""

from __future__ import annotations

from ctypes import (
    CDLL,
    POINTER,
    Structure,
    byref,
    c_char,
    c_char_p,
    c_int,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.assembler import ColumnPointers
from tickertape._native.library import address, library

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_NAME_BYTES: Final = 119
_HEAD_BYTES: Final = 118
_LABEL_BYTES: Final = 61
_FIELDS: Final = 2
_BLOCK_BYTES: Final = 1 << 18
_KIND_SHIFT: Final = 40
_UNKNOWN: Final = 0x1_FFFF_FFFF


class Kind(IntEnum):
    """How a word is shown; from TASK on by a name, which is looked up."""

    DECIMAL = 0
    SIGNED = 1
    HEX = 2
    TASK = 3
    THREAD = 4
    IRQ = 5
    OBJECT = 6
    ADDRESS = 7


class Why(IntEnum):
    """Why the writer came back."""

    DONE = 0
    FULL = 1
    NO_TYPE = 2
    NO_NAME = 3
    BY_PYTHON = 4
    NO_MEMORY = 5


class _Field(Structure):
    """`tt_text_field_t`."""

    _fields_ = (
        ("word", c_uint8),
        ("kind", c_uint8),
        ("label_bytes", c_uint8),
        ("label", c_char * _LABEL_BYTES),
    )


class _Type(Structure):
    """`tt_text_type_t`."""

    _fields_ = (
        ("code", c_uint32),
        ("by_python", c_uint8),
        ("string", c_uint8),
        ("words", c_uint8),
        ("field_count", c_uint8),
        ("says_name", c_uint8),
        ("head_bytes", c_uint8),
        ("head", c_char * _HEAD_BYTES),
        ("fields", _Field * _FIELDS),
    )


class _Job(Structure):
    """`tt_text_job_t`."""

    _fields_ = (
        ("columns", ColumnPointers),
        ("running", c_void_p),
        ("skip", c_void_p),
        ("out", c_void_p),
        ("room", c_uint64),
        ("row", c_uint64),
        ("end_row", c_uint64),
        ("written", c_uint64),
        ("missing", c_uint64),
        ("learned", c_uint64),
    )


@dataclass(frozen=True)
class TypeText:
    """How events of one type are shown.

    Attributes:
        code: class << 10 | event.
        head: class and event with the blanks behind, UTF-8.
        fields: (number of the word, label with what stands before it, how it is shown).
        string_words: words before the text in its payload; None when no text follows.
        says_name: the text becomes the name of the thread in the second word.
        wide: its payload has fields of its own; this writer does only its simple form.
    """

    code: int
    head: bytes
    fields: Sequence[tuple[int, bytes, Kind]]
    string_words: int | None
    says_name: bool
    wide: bool = False


class TextWriter:
    """Writes columns until it misses something, which the caller then tells it."""

    def __init__(self, compiled: CDLL, *, colour: bool) -> None:
        """Get ready.

        Args:
            compiled: the compiled part.
            colour: with escape sequences for a terminal.
        """
        self._library = _declared(compiled)
        self._handle: int | None = self._library.tt_text_new(colour)
        self._out = np.empty(_BLOCK_BYTES, np.uint8)
        self._job = _Job()
        self._arrays: tuple[object, ...] = ()
        if self._handle is None:
            raise MemoryError

    def __del__(self) -> None:
        """Free what it knows."""
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._library.tt_text_free(handle)

    def begin(self, tick_hz: int) -> None:
        """Begin a boot; all names are forgotten."""
        self._library.tt_text_begin(self._handle, tick_hz)

    def forget(self) -> None:
        """Forget all names."""
        self._library.tt_text_forget(self._handle)

    def set_type(self, known: TypeText | int) -> None:
        """Tell how a type is shown; only its code when this writer cannot show it."""
        if isinstance(known, int) or not _fits(known):
            code = known if isinstance(known, int) else known.code
            made = _Type(code=code, by_python=1)
        else:
            made = _Type(
                code=known.code,
                by_python=2 * known.wide,
                string=known.string_words is not None,
                words=known.string_words or 0,
                field_count=len(known.fields),
                says_name=known.says_name,
                head_bytes=len(known.head),
                head=known.head,
                fields=tuple(
                    _Field(word, kind, len(label), label) for word, label, kind in known.fields
                ),
            )
        if self._library.tt_text_set_type(self._handle, byref(made)):
            raise MemoryError

    def set_name(self, key: int, name: str) -> None:
        """Tell the name with a key that was missing."""
        data = name.encode("utf-8", errors="replace")
        # At the end of a line Python strips blanks that are not ASCII; that is left to Python.
        if len(data) > _NAME_BYTES or (not name.isascii() and name != name.rstrip()):
            data = b""
        if self._library.tt_text_set_name(self._handle, key, data, len(data)):
            raise MemoryError

    def load(
        self,
        columns: Mapping[str, NDArray[np.generic]],
        running: NDArray[np.int64],
        skip: NDArray[np.bool_] | None,
    ) -> None:
        """Take the next columns, as `Assembled.columns`, and which thread ran at each row."""
        arrays = {name: np.ascontiguousarray(array) for name, array in columns.items()}
        running = np.ascontiguousarray(running)
        self._arrays = (arrays, running, skip)  # they have to live as long as the job
        job = self._job
        job.columns = ColumnPointers(*(address(array) for array in arrays.values()))
        job.running = address(running)
        job.skip = None if skip is None else address(skip)
        job.out, job.room = address(self._out), len(self._out)
        job.row = job.learned = 0

    def write(self, end_row: int) -> tuple[Why, memoryview]:
        """Write rows up to `end_row`.

        Returns:
            Why it came back, and the lines; they are good until the next call.
        """
        self._job.end_row = end_row
        why = Why(self._library.tt_text_write(self._handle, byref(self._job)))
        if why is Why.NO_MEMORY:
            raise MemoryError
        return why, self._out[: self._job.written].data

    @property
    def row(self) -> int:
        """The row at which it came back."""
        return int(self._job.row)

    @property
    def missing(self) -> int:
        """Code or key that it missed."""
        return int(self._job.missing)

    @property
    def has_learned(self) -> bool:
        """Whether an event of these columns said a name that was new."""
        return bool(self._job.learned)

    def skip_row(self) -> None:
        """Go on behind the row at which it came back."""
        self._job.row += 1


def name_of_key(key: int) -> tuple[Kind, int]:
    """Give kind and number of a missing name; number -1 for a thread that is not known."""
    number = key & _UNKNOWN
    return Kind(key >> _KIND_SHIFT), -1 if number == _UNKNOWN else number


def text_writer(*, colour: bool) -> TextWriter | None:
    """Make a writer; None when there is no compiled part."""
    compiled = library()
    return None if compiled is None else TextWriter(compiled, colour=colour)


def _fits(known: TypeText) -> bool:
    return (
        len(known.head) <= _HEAD_BYTES
        and len(known.fields) <= _FIELDS
        and all(len(label) <= _LABEL_BYTES and word < _FIELDS for word, label, _ in known.fields)
    )


def _declared(compiled: CDLL) -> CDLL:
    """Tell ctypes the types of the functions used here."""
    compiled.tt_text_new.argtypes = [c_uint32]
    compiled.tt_text_new.restype = c_void_p
    for function in (compiled.tt_text_free, compiled.tt_text_forget):
        function.argtypes = [c_void_p]
        function.restype = None
    compiled.tt_text_begin.argtypes = [c_void_p, c_uint64]
    compiled.tt_text_begin.restype = None
    compiled.tt_text_set_type.argtypes = [c_void_p, POINTER(_Type)]
    compiled.tt_text_set_type.restype = c_int
    compiled.tt_text_set_name.argtypes = [c_void_p, c_uint64, c_char_p, c_uint32]
    compiled.tt_text_set_name.restype = c_int
    compiled.tt_text_write.argtypes = [c_void_p, POINTER(_Job)]
    compiled.tt_text_write.restype = c_int
    return compiled
