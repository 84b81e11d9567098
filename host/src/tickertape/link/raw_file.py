"""Copy the bytes of a link to a file while another reader uses the link.

The copy never disturbs the reader: a full disk ends the copy and becomes a remark.
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
        path: of the file.
        failure: why the copy ended early; None as long as it is whole.
    """

    def __init__(self, path: Path | str) -> None:
        """Create the file; an older one is replaced.

        Raises:
            TapeWriteFailed: it cannot be created.
        """
        self.path = Path(path)
        self.failure: TapeWriteFailed | None = None
        self._written_bytes = 0
        try:
            # Without a buffer: what was read is in the file when the program is killed.
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
        """Close the file; a late error of the disk counts as a failure. May be called twice."""
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
    """A link whose received bytes are copied to a file. Meets `Link` and `Remarking`."""

    def __init__(self, link: Link, raw: RawFile) -> None:
        """Copy what is read from `link` to `raw`."""
        self._link = link
        self._raw = raw

    @property
    def name(self) -> str:
        """That of the link."""
        return self._link.name

    @property
    def live(self) -> bool:
        """That of the link."""
        return self._link.live

    @property
    def byte_rate(self) -> float:
        """That of the link."""
        return self._link.byte_rate

    @property
    def at_end(self) -> bool:
        """True once nothing can be read any more."""
        return self._link.at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return what has arrived, and copy it; see `Link.read`."""
        data = self._link.read(max_bytes, timeout_s)
        self._raw.add(data)
        return data

    def write(self, data: bytes) -> None:
        """Send all of `data`; see `Link.write`."""
        self._link.write(data)

    def remarks(self) -> list[str]:
        """Return the remarks of the link, and one about a copy that ended early."""
        inner = self._link.remarks() if isinstance(self._link, Remarking) else []
        failure = self._raw.failure
        return inner if failure is None else [*inner, failure.problem]

    def close(self) -> None:
        """Close the link, not the file."""
        self._link.close()


def kept(link: Link, raw: RawFile) -> Link:
    """Return the link with a copy of its bytes; of a stimulus port those of the whole pin."""
    if isinstance(link, SwoLink):
        link.replace_pin(KeptLink(link.pin, raw))
        return link
    return KeptLink(link, raw)
