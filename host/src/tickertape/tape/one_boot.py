"""Read one boot of a tape as if the tape had no other boot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import UsageError
from tickertape.protocol.wire import ChunkType
from tickertape.tape.reader import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_OF_THE_TAPE: Final = (ChunkType.META, ChunkType.NOTE, ChunkType.SYMBOLS, ChunkType.RECEIPT)


class OneBoot(TapeReader):
    """Reads the chunks of one boot and the chunks of the whole tape.

    A boot without a HELLO uses the first HELLO of the tape, as in `TapeReader`. SUMMARY is not
    read, because it counts all boots.
    """

    def __init__(self, path: Path | str, boot: int) -> None:
        """Open a tape.

        Raises:
            UsageError: the tape has no such boot.
            TapeError: the tape cannot be opened.
        """
        self._boot: int | None = None
        super().__init__(path)
        try:
            self._boot = known_boot(self, boot)
        except UsageError:
            self.close()
            raise
        kinds, mine = self.chunks["type"], self.chunks["epoch"] == boot
        wanted = (mine & (kinds != ChunkType.SUMMARY)) | np.isin(kinds, list(_OF_THE_TAPE))
        if not (mine & (kinds == ChunkType.HELLO)).any():
            wanted[np.flatnonzero(kinds == ChunkType.HELLO)[:1]] = True
        self._read_only(self.chunks[wanted])

    @property
    def epochs(self) -> Sequence[int]:
        """The boot, as the only item."""
        return super().epochs if self._boot is None else [self._boot]


def known_boot(reader: TapeReader, boot: int) -> int:
    """Return `boot` if the tape has it.

    Raises:
        UsageError: the tape has no such boot.
    """
    known = reader.epochs
    if boot in known:
        return boot
    if not known:
        raise UsageError(f"the tape has no boot {boot}", "it has none")
    some = f"boots {known[0]} to {known[-1]}" if len(known) > 1 else f"boot {known[0]}"
    raise UsageError(f"the tape has no boot {boot}", f"it has {some}")
