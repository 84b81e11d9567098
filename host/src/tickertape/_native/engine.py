"""Select the engine of this process: the compiled part, or plain Python.

    compiled = engine()            # selected once: None for plain Python
    with using(None): ...          # another engine, for tests

Each computation with a compiled form has a class (the reference), a subclass, and a function that
selects one of them: `ring_decoder`, `running_threads`, `system_model`, `cpu_times`, `instances_of`,
`gathering_of`, `situations_of`, `attribution_of`, `text_exporter`, `btf_lines`, `timeline`.
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

# Same name on every system, because only ctypes loads the file, no linker.
FILE_NAME: Final = "native.lib"
VARIABLE: Final = "TICKERTAPE_NATIVE"
_Begin = c_char * 0
_others: list[CDLL | None] = []


def engine() -> CDLL | None:
    """Return the compiled part; None for plain Python.

    Raises:
        NativeMismatch: the compiled part was built for another interface.
    """
    return _others[-1] if _others else _installed()


@contextmanager
def using(compiled: CDLL | None) -> Iterator[None]:
    """Use another engine in a `with` block: a build from `load`, or None for plain Python."""
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
    """Load a build of the compiled part; None if it does not exist or fit this machine.

    Raises:
        NativeMismatch: it was built for another interface than that of the Python files.
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
    """Owns an object of the compiled part and frees it."""

    def __init__(self, compiled: CDLL, kind: str, *arguments: object) -> None:
        """Create the object by calling `tt_KIND_new`.

        Raises:
            MemoryError: no memory is available.
        """
        self._library = compiled
        self._free = getattr(compiled, f"tt_{kind}_free")
        self._handle: int | None = getattr(compiled, f"tt_{kind}_new")(*arguments)
        if self._handle is None:
            raise MemoryError

    def __del__(self) -> None:
        """Free the object."""
        if getattr(self, "_handle", None) is not None:
            self._free(self._handle)


def address(array: NDArray[np.generic]) -> int:
    """Return the address of an array's first item; the caller keeps the array alive."""
    if array.flags.writeable and array.flags.c_contiguous:
        return addressof(_Begin.from_buffer(array.data))  # half the time of `ctypes.data`
    place: int = array.ctypes.data
    return place
