"""Compiled check of RECORDS chunks; tape/pieces_read.py is the reference."""

from __future__ import annotations

from ctypes import byref
from typing import TYPE_CHECKING

import numpy as np

from tickertape._native.engine import address
from tickertape._native.interface import Pieces

if TYPE_CHECKING:
    from ctypes import CDLL

    from numpy.typing import NDArray


class PieceReader:
    """Checks the RECORDS chunks of a tape."""

    def __init__(
        self,
        compiled: CDLL,
        data: NDArray[np.uint8],
        table: NDArray[np.void],
        state: NDArray[np.uint8],
    ) -> None:
        """Set the tape.

        Args:
            compiled: the compiled part; it can compute CRCs on this processor.
            data: the bytes of the tape.
            table: structured, `tape.format.TABLE_DTYPE`: all chunks.
            state: `PieceState` of each chunk; reading changes it.
        """
        self._library = compiled
        self._alive = (data, np.ascontiguousarray(table), state)
        self._places = tuple(map(address, self._alive))
        self._bytes = len(data)

    def read(
        self, rows: NDArray[np.intp], buffers: NDArray[np.void]
    ) -> tuple[NDArray[np.void], NDArray[np.uint64], int]:
        """Read chunks of one ring.

        Args:
            rows: rows of the table.
            buffers: room for the buffer headers of these chunks.

        Returns:
            Buffer headers of the sound chunks, offsets of their first records in the file, and the
            number of chunks that this call found to be damaged.
        """
        data, table, state = self._places
        rows = np.ascontiguousarray(rows, np.int64)
        start = np.empty(len(buffers), np.uint64)
        out = (address(buffers), address(start))
        sizes = (self._bytes, len(rows), len(buffers))
        pieces = Pieces(data, table, address(rows), state, *out, *sizes)
        count = self._library.tt_pieces_read(byref(pieces))
        return buffers[:count], start[:count], pieces.found_faults
