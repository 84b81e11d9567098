"""Copy the bytes of a link to a file while another reader uses the link.

A failure of the copy does not affect the reader: a full disk ends the copy and becomes a remark.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed
from tickertape.link.base import Remarking
from tickertape.link.swo import SwoLink

if TYPE_CHECKING:
    from io import RawIOBase

    from tickertape.link.base import Link


class RawFile:
    """A file of raw bytes.

    Attributes:
        path: path of the file.
        failure: error that ended the copy early; None as long as the file is complete.
    """

    def __init__(self, path: Path | str) -> None:
        """Create the file, or replace an existing one.

        Raises:
            TapeWriteFailed: the file cannot be created.
        """
        self.path = Path(path)
        self.failure: TapeWriteFailed | None = None
        self._written_bytes = 0
        try:
            # Not buffered, so that the file is complete even if the program is killed.
            self._file: RawIOBase = self.path.open("wb", buffering=0)
        except OSError as error:
            raise TapeWriteFailed(
                f"{self.path} cannot be written ({error.strerror})", "choose another place"
            ) from error

    def add(self, data: bytes) -> None:
        """Append bytes; do nothing after a failure."""
        rest = memoryview(data)
        try:
            while rest and self.failure is None:
                count = self._file.write(rest) or 0
                self._written_bytes += count
                rest = rest[count:]
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Close the file; an error at this point sets `failure`. May be called twice."""
        try:
            self._file.close()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        with suppress(OSError):
            self._file.close()
        self.failure = self.failure or TapeWriteFailed(
            f"the raw bytes in {self.path} end after {self._written_bytes} ({error.strerror}); "
            "the tape is not affected",
            "free some space and capture again if you need them",
        )


class KeptLink:
    """A link that copies its received bytes to a file. Implements `Link` and `Remarking`."""

    def __init__(self, link: Link, raw: RawFile) -> None:
        """Copy the bytes read from `link` to `raw`."""
        self._link = link
        self._raw = raw

    @property
    def name(self) -> str:
        """Name of the inner link."""
        return self._link.name

    @property
    def live(self) -> bool:
        """Whether the inner link is live."""
        return self._link.live

    @property
    def byte_rate(self) -> float:
        """Byte rate of the inner link."""
        return self._link.byte_rate

    @property
    def at_end(self) -> bool:
        """True once nothing more can be read."""
        return self._link.at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Copy and return the bytes that have arrived; see `Link.read`."""
        data = self._link.read(max_bytes, timeout_s)
        self._raw.add(data)
        return data

    def write(self, data: bytes) -> None:
        """Send all of `data`; see `Link.write`."""
        self._link.write(data)

    def remarks(self) -> list[str]:
        """Return the remarks of the link, and one if the copy ended early."""
        inner = self._link.remarks() if isinstance(self._link, Remarking) else []
        failure = self._raw.failure
        return inner if failure is None else [*inner, failure.problem]

    def close(self) -> None:
        """Close the link, not the file."""
        self._link.close()


def kept(link: Link, raw: RawFile) -> Link:
    """Return a link that copies its bytes to `raw`; for a `SwoLink`, the bytes of the whole pin."""
    if isinstance(link, SwoLink):
        link.replace_pin(KeptLink(link.pin, raw))
        return link
    return KeptLink(link, raw)
