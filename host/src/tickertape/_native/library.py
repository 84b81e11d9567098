"""Finds and loads the compiled part."""

from __future__ import annotations

import os
from ctypes import CDLL, addressof, c_char
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The same on every system: only ctypes loads it, no linker ever looks for it.
FILE_NAME: Final = "native.lib"
VARIABLE: Final = "TICKERTAPE_NATIVE"
# tt_native_version() of the sources beside this file; what an editable installation built before
# its sources changed is not used.
VERSION: Final = 9
_Begin = c_char * 0


@cache
def library() -> CDLL | None:
    """Return the compiled part, None when there is none or it is switched off."""
    if os.environ.get(VARIABLE) == "0":
        return None
    return load(Path(__file__).with_name(FILE_NAME))


def load(path: Path) -> CDLL | None:
    """Load one build of the compiled part, None when it cannot be used here."""
    try:
        loaded = CDLL(str(path))
        version = loaded.tt_native_version()
    except (OSError, AttributeError):
        return None
    return loaded if version == VERSION else None


def address(array: NDArray[np.generic]) -> int:
    """Give the place of an array's first item, for a call during which the array lives."""
    if array.flags.writeable and array.flags.c_contiguous:
        return addressof(_Begin.from_buffer(array.data))  # half the time of the other way
    place: int = array.ctypes.data
    return place
