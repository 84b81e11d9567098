"""Reads a file of another tool that consists of records of one size, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from tickertape.closing import Closing
from tickertape.errors import TapeMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK_RECORDS: Final = 1 << 16


def open_foreign(path: Path) -> BinaryIO:
    """Open a file for reading.

    Raises:
        TapeMissing: the file does not exist or is not readable.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise TapeMissing.of(path, error) from error


class RecordFile(Closing):
    """A file of records without a header; use it as a context manager.

    Attributes:
        path: path of the file.
        record_bytes: size of a record.
        rest_bytes: bytes of a truncated record at the end; valid after all blocks were read.
    """

    def __init__(self, path: Path | str, record_bytes: int) -> None:
        """Open a file.

        Raises:
            TapeMissing: the file does not exist or is not readable.
        """
        self.path = Path(path)
        self.record_bytes = record_bytes
        self.rest_bytes = 0
        self._file = open_foreign(self.path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def blocks(self) -> Iterator[bytes]:
        """Yield whole records in order, up to 65 536 of them per block."""
        while data := self._file.read(_BLOCK_RECORDS * self.record_bytes):
            self.rest_bytes = len(data) % self.record_bytes
            if whole := len(data) - self.rest_bytes:
                yield data[:whole]
