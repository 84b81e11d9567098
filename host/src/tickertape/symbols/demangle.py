"""Demangle C++ names with the C++ library of this machine.

Every C++ library of the Itanium ABI has `__cxa_demangle`, and the compilers of firmware use the
same ABI. Without such a library, names stay mangled.
"""

from __future__ import annotations

import ctypes
from ctypes.util import find_library
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

# GCC, LLVM on Linux, LLVM on macOS.
_LIBRARIES: Final = ("libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib")
_PREFIX: Final = "_Z"
_LONGEST: Final = 1 << 16  # a longer name is damage


def demangle(name: str) -> str:
    """Return a C++ name as written in source code; return any other name unchanged."""
    if not name.startswith(_PREFIX) or len(name) > _LONGEST:
        return name
    function = _demangler()
    return name if function is None else function(name)


@cache
def _demangler() -> Callable[[str], str] | None:
    """Return the demangler of the library; None if no library is found."""
    found = [find_library(word) for word in ("stdc++", "c++abi", "c++")]
    for library in (*_LIBRARIES, *filter(None, found)):
        try:
            loaded = ctypes.CDLL(library)
            return _wrapped(loaded["__cxa_demangle"], ctypes.CDLL(None)["free"])
        except (OSError, AttributeError, TypeError):
            continue
    return None


def _wrapped(
    native: ctypes._NamedFuncPointer, free: ctypes._NamedFuncPointer
) -> Callable[[str], str]:
    native.restype = ctypes.c_void_p
    native.argtypes = (
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_int),
    )
    free.restype = None
    free.argtypes = (ctypes.c_void_p,)

    def written(name: str) -> str:
        status = ctypes.c_int()
        place = native(name.encode(), None, None, ctypes.byref(status))
        if not place:
            return name
        try:
            return ctypes.string_at(place).decode(errors="replace")
        finally:
            free(place)

    return written
