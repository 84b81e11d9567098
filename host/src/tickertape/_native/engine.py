"""The engine of this process: the compiled part, or plain Python where there is none.

    compiled = engine()            # chosen once: None for plain Python
    with using(None): ...          # another one, for tests

Each computation that has a compiled form is a class (the reference) with a subclass, and one
function named after the class that chooses between both: `ring_decoder`, `running_threads`,
`system_model`, `cpu_times`, `instances_of`, `gathering_of`, `text_exporter`, `btf_lines`,
`timeline`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from ctypes import CDLL, addressof, c_char, c_uint64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape._native.interface import CHECKSUM, FUNCTIONS
from tickertape.errors import NativeMismatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

# The same on every system: only ctypes loads it, no linker ever looks for it.
FILE_NAME: Final = "native.lib"
VARIABLE: Final = "TICKERTAPE_NATIVE"
_Begin = c_char * 0
_others: list[CDLL | None] = []


def engine() -> CDLL | None:
    """Return the compiled part; None where plain Python does the work.

    Raises:
        NativeMismatch: the compiled part was built from other sources.
    """
    return _others[-1] if _others else _installed()


@contextmanager
def using(compiled: CDLL | None) -> Iterator[None]:
    """Use another engine: a build that `load` returned, or None for plain Python."""
    _others.append(compiled)
    try:
        yield
    finally:
        _others.pop()


@cache
def _installed() -> CDLL | None:
    if os.environ.get(VARIABLE) == "0":
        return None
    return load(Path(__file__).with_name(FILE_NAME))


def load(path: Path) -> CDLL | None:
    """Load a build of the compiled part; None when there is none for this machine.

    Raises:
        NativeMismatch: it was built from other sources than the Python files beside it.
    """
    try:
        loaded = CDLL(str(path))
    except OSError:
        return None
    try:
        loaded.tt_native_checksum.restype = c_uint64
        is_ours = loaded.tt_native_checksum() == CHECKSUM
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError:
        is_ours = False
    if not is_ours:
        raise NativeMismatch(
            f"{path} was built from other sources",
            f"build it again (make setup), or do without it ({VARIABLE}=0)",
        )
    return loaded


class Handle:
    """An object of the compiled part, freed with this one."""

    def __init__(self, compiled: CDLL, kind: str, *arguments: object) -> None:
        """Make it by `tt_KIND_new`.

        Raises:
            MemoryError: there is no memory.
        """
        self._library = compiled
        self._free = getattr(compiled, f"tt_{kind}_free")
        self._handle: int | None = getattr(compiled, f"tt_{kind}_new")(*arguments)
        if self._handle is None:
            raise MemoryError

    def __del__(self) -> None:
        """Free it."""
        if getattr(self, "_handle", None) is not None:
            self._free(self._handle)


def address(array: NDArray[np.generic]) -> int:
    """Return the address of an array's first item, for a call during which the array lives."""
    if array.flags.writeable and array.flags.c_contiguous:
        return addressof(_Begin.from_buffer(array.data))  # half the time of the other way
    place: int = array.ctypes.data
    return place
