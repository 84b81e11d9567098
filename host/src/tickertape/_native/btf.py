"""Compiled conversion of transitions to lines of the Best Trace Format."""

from __future__ import annotations

from ctypes import byref, c_char
from typing import TYPE_CHECKING

from tickertape._native.engine import Handle, address
from tickertape._native.interface import TRANSITION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from ctypes import CDLL

    import numpy as np
    from numpy.typing import NDArray

    from tickertape._native.interface import BtfJob, BtfTable


class BtfWriter(Handle):
    """Writes transitions as lines of text."""

    def __init__(
        self, compiled: CDLL, words: Mapping[BtfTable, Mapping[int, str]], *, old: bool
    ) -> None:
        """Load the words of the format.

        Args:
            compiled: the compiled part.
            words: the words of each table by index, at most 31 bytes long.
            old: True for versions up to 2.1.5 of the format.
        """
        super().__init__(compiled, "btf", old)
        for table, found in words.items():
            for place, word in found.items():
                if self._library.tt_btf_set_word(self._handle, table, place, word.encode()):
                    raise ValueError(word)

    def set_cpu(self, cpu: int, core: str, scheduler: str) -> None:
        """Set the names of a core and its scheduler."""
        if self._library.tt_btf_set_cpu(self._handle, cpu, core.encode(), scheduler.encode()):
            raise MemoryError

    def add_entity(self, kind: int, name: str) -> None:
        """Add the next entity."""
        data = name.encode()
        if self._library.tt_btf_add_entity(self._handle, kind, data, len(data)):
            raise MemoryError

    def forget(self) -> None:
        """Forget the state, because records are missing or the target was reset."""
        self._library.tt_btf_forget(self._handle)

    def write(
        self, transitions: NDArray[np.void], begin: int, end: int, job: BtfJob
    ) -> Iterator[memoryview]:
        """Write a range of transitions.

        Args:
            transitions: structured, `TRANSITION`, contiguous.
            begin: index of the first transition.
            end: index after the last transition.
            job: clock, time and counts; updated.

        Yields:
            Blocks of lines; each is valid until the next one.
        """
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are not transitions of the compiled part")
        if not 0 <= begin <= end <= len(transitions):
            raise IndexError(end)
        job.transitions, job.at, job.end = address(transitions), begin, end
        while job.at < job.end:
            if self._library.tt_btf_write(self._handle, byref(job)):
                raise MemoryError
            yield memoryview((c_char * job.bytes).from_address(job.text))
