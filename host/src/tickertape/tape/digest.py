"""Add the SUMMARY of a tape, and check that it is still valid.

SUMMARY contains the number of the chunks before it and the CRC of their rows in the table, which
contain the CRC of each body. So it is valid as long as these chunks are unchanged. Damage of a body
is detected when the body is read.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.bodies import BadBodyError
from tickertape.protocol.wire import ChunkType
from tickertape.tape.append import append_chunk
from tickertape.tape.meta import parse_meta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.tape.append import ClosedTape
    from tickertape.tape.reader import TapeReader

_CHUNKS: Final = "chunks"
_CRC: Final = "crc"
# Chunks that may follow SUMMARY without changing its totals.
_LATER: Final = (ChunkType.NOTE, ChunkType.INDEX, ChunkType.END, ChunkType.SUMMARY)


def add_digest(tape: ClosedTape, values: Mapping[str, object]) -> None:
    """Add SUMMARY to a tape.

    Args:
        tape: end of the tape; `values` must cover all of its chunks.
        values: JSON values; `chunks` and `crc` are added.

    Raises:
        TapeWriteFailed: the file cannot be written; it stays unchanged.
    """
    tied = {_CHUNKS: len(tape.rows), _CRC: zlib.crc32(b"".join(tape.rows))}
    append_chunk(tape, ChunkType.SUMMARY, json.dumps({**tied, **values}).encode())


def digest_of(reader: TapeReader) -> Mapping[str, object] | None:
    """Return the last SUMMARY; None if there is none, or the chunks have changed since."""
    found = np.flatnonzero(reader.chunks["type"] == ChunkType.SUMMARY)
    if not len(found) or not np.isin(reader.chunks["type"][found[-1] :], _LATER).all():
        return None
    row = int(found[-1])
    body = reader.body_at(row)
    if body is None:
        return None
    try:
        values = parse_meta(body)
    except BadBodyError:
        return None
    crc = zlib.crc32(reader.chunks[:row].tobytes())
    return values if (values.get(_CHUNKS), values.get(_CRC)) == (row, crc) else None
