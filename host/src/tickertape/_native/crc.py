"""CRC-32 of chunks: compiled where the processor helps, else zlib."""

from __future__ import annotations

import zlib
from ctypes import c_uint32, c_uint64, c_void_p
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.library import address, library

if TYPE_CHECKING:
    from ctypes import CDLL

# A call costs a microsecond; below this size zlib is as fast.
_WORTH_BYTES: Final = 4096


@cache
def _compiled() -> CDLL | None:
    found = library()
    if found is None or not found.tt_crc32_available():
        return None
    found.tt_crc32.argtypes = [c_void_p, c_uint64]
    found.tt_crc32.restype = c_uint32
    return found


def crc32(data: bytes | memoryview) -> int:
    """Give the CRC-32 of zlib of contiguous bytes."""
    compiled = _compiled() if len(data) >= _WORTH_BYTES else None
    if compiled is None:
        return zlib.crc32(data)
    view = np.frombuffer(data, np.uint8)
    crc: int = compiled.tt_crc32(address(view), view.nbytes)
    return crc
