"""Transitions as lines of the Best Trace Format, compiled. See btf.h."""

from __future__ import annotations

from ctypes import (
    CDLL,
    POINTER,
    Structure,
    byref,
    c_char,
    c_char_p,
    c_int,
    c_uint32,
    c_uint64,
    c_void_p,
)
from enum import IntEnum
from typing import TYPE_CHECKING

from tickertape._native.library import address, library
from tickertape._native.system import TRANSITION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray


class Table(IntEnum):
    """Tables of words."""

    PROCESS = 0
    """By action: what a process does."""
    RUNNABLE = 1
    """By action: what a runnable does."""
    LOCK = 2
    """By state before << 8 | state after: how a semaphore says it."""
    ACTION = 3
    """By action: what it is called in a comment."""
    TYPE = 4
    """By kind: the type of an entity."""


class Job(Structure):
    """`tt_btf_job_t`; what a writer says and hears in one call."""

    _fields_ = (
        ("transitions", c_void_p),
        ("at", c_uint64),
        ("end", c_uint64),
        ("tick_hz", c_uint64),
        ("offset_ns", c_uint64),
        ("time_ns", c_uint64),
        ("count", c_uint64),
        ("without_source", c_uint64),
        ("text", c_void_p),
        ("bytes", c_uint64),
    )


class BtfWriter:
    """Writes lines."""

    def __init__(
        self, compiled: CDLL, words: Mapping[Table, Mapping[int, str]], *, old: bool
    ) -> None:
        """Get ready.

        Args:
            compiled: the compiled part.
            words: the words of each table by their places, at most 31 bytes long.
            old: a version up to 2.1.5.
        """
        self._library = _declared(compiled)
        self._handle: int | None = self._library.tt_btf_new(old)
        if self._handle is None:
            raise MemoryError
        for table, found in words.items():
            for place, word in found.items():
                if self._library.tt_btf_set_word(self._handle, table, place, word.encode()):
                    raise ValueError(word)

    def __del__(self) -> None:
        """Free what it knows."""
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._library.tt_btf_free(handle)

    def set_cpu(self, cpu: int, core: str, scheduler: str) -> None:
        """Tell what a core and its scheduler are called."""
        if self._library.tt_btf_set_cpu(self._handle, cpu, core.encode(), scheduler.encode()):
            raise MemoryError

    def add_entity(self, kind: int, name: str) -> None:
        """Tell of the next entity."""
        data = name.encode()
        if self._library.tt_btf_add_entity(self._handle, kind, data, len(data)):
            raise MemoryError

    def forget(self) -> None:
        """Records are missing, or the target was reset."""
        self._library.tt_btf_forget(self._handle)

    def write(
        self, transitions: NDArray[np.void], begin: int, end: int, job: Job
    ) -> Iterator[memoryview]:
        """Write some of the transitions.

        Args:
            transitions: structured, `TRANSITION`, in one piece.
            begin: the first one.
            end: behind the last one.
            job: clock, time and counts before, and afterwards those behind.

        Yields:
            Lines; a block is good until the next one.
        """
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are no transitions of the compiled part")
        if not 0 <= begin <= end <= len(transitions):
            raise IndexError(end)
        job.transitions, job.at, job.end = address(transitions), begin, end
        while job.at < job.end:
            if self._library.tt_btf_write(self._handle, byref(job)):
                raise MemoryError
            yield memoryview((c_char * job.bytes).from_address(job.text))


def btf_writer(
    words: Mapping[Table, Mapping[int, str]], *, old: bool, compiled: CDLL | None = None
) -> BtfWriter | None:
    """Make a `BtfWriter` of these arguments; None when there is no compiled part."""
    compiled = compiled or library()
    return None if compiled is None else BtfWriter(compiled, words, old=old)


def _declared(compiled: CDLL) -> CDLL:
    """Tell ctypes the types of the functions used here."""
    compiled.tt_btf_new.argtypes = [c_uint32]
    compiled.tt_btf_new.restype = c_void_p
    for function in (compiled.tt_btf_free, compiled.tt_btf_forget):
        function.argtypes = [c_void_p]
        function.restype = None
    compiled.tt_btf_set_word.argtypes = [c_void_p, c_uint32, c_uint32, c_char_p]
    compiled.tt_btf_set_word.restype = c_int
    compiled.tt_btf_set_cpu.argtypes = [c_void_p, c_uint32, c_char_p, c_char_p]
    compiled.tt_btf_set_cpu.restype = c_int
    compiled.tt_btf_add_entity.argtypes = [c_void_p, c_uint32, c_char_p, c_uint32]
    compiled.tt_btf_add_entity.restype = c_int
    compiled.tt_btf_write.argtypes = [c_void_p, POINTER(Job)]
    compiled.tt_btf_write.restype = c_int
    return compiled
