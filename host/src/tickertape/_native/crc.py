"""CRC-32 of chunks, with instructions of the processor if it has them, else with zlib."""

from __future__ import annotations

import zlib
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.engine import address, engine

if TYPE_CHECKING:
    from ctypes import CDLL

# A call costs a microsecond; below this size zlib is as fast.
_WORTH_BYTES: Final = 4096


@cache
def _helps(compiled: CDLL) -> bool:
    return bool(compiled.tt_crc32_available())


def compiled_crc() -> CDLL | None:
    """Return the compiled part if it computes CRCs with instructions of this processor."""
    compiled = engine()
    return compiled if compiled is not None and _helps(compiled) else None


def crc32(data: bytes | memoryview) -> int:
    """Return the CRC-32 of contiguous bytes, as `zlib.crc32` defines it."""
    compiled = compiled_crc() if len(data) >= _WORTH_BYTES else None
    if compiled is None:
        return zlib.crc32(data)
    view = np.frombuffer(data, np.uint8)
    crc: int = compiled.tt_crc32(address(view), view.nbytes)
    return crc
