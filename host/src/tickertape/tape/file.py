"""A file that only grows: a write appends all of its bytes or none."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from tickertape.errors import TapeWriteFailed

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
_ADVICE = {
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space and try again",
    errno.EFBIG: "choose another disk",
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "make the folder first",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.EISDIR: "give the name of a file",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
}


def write_failure(path: Path, error: OSError, kept: str = "") -> TapeWriteFailed:
    """Return the error for a file that cannot be written.

    Args:
        path: path as the user gave it.
        error: error of the operating system.
        kept: text about the part of the file that remains, appended to the message.
    """
    advice = _ADVICE.get(error.errno or 0, "check the disk")
    return TapeWriteFailed(f"{path} cannot be written ({error.strerror}){kept}", advice)


class AppendFile:
    """A new file. Each write goes to the operating system at once, without a buffer.

    Attributes:
        path: path as given.
        size: size of the file in bytes.
    """

    def __init__(self, path: Path, head: bytes) -> None:
        """Create the file with its first bytes; replace an existing file of that name.

        The file gets its name after `head` is written, so it never exists without `head`.

        Raises:
            TapeWriteFailed: the file cannot be created.
        """
        self.path = path
        self.size = 0
        real = Path(os.path.realpath(path))
        in_place = real.exists() and not real.is_file()  # do not replace a pipe or /dev/null
        first = real if in_place else real.with_name(f".{real.name}.new")
        try:
            if real.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            self._descriptor: int | None = os.open(first, _FLAGS, 0o666)
        except OSError as error:
            raise self._failure(error) from error
        try:
            self.append(head)
            if not in_place:
                first.replace(real)
        except (OSError, TapeWriteFailed) as error:
            self.close(sync=False)
            if not in_place:
                first.unlink(missing_ok=True)
            if isinstance(error, TapeWriteFailed):
                raise
            raise self._failure(error) from error

    def append(self, data: bytes) -> None:
        """Append `data`; on failure the file stays unchanged.

        Raises:
            TapeWriteFailed: the disk is full or failed, or the file is closed.
        """
        if self._descriptor is None:
            raise TapeWriteFailed(f"{self.path} is closed", "write before closing it")
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            with suppress(OSError):  # best effort: readers skip an incomplete chunk as well
                os.ftruncate(self._descriptor, self.size)
                os.lseek(self._descriptor, self.size, os.SEEK_SET)
            raise self._failure(error) from error
        self.size += len(data)

    def rewrite_head(self, head: bytes) -> None:
        """Overwrite the first bytes.

        Raises:
            TapeWriteFailed: the disk failed.
        """
        try:
            if self._descriptor is not None:
                os.pwrite(self._descriptor, head, 0)
        except OSError as error:
            raise self._failure(error) from error

    def close(self, *, sync: bool = True) -> None:
        """Close the file. May be called twice.

        Args:
            sync: wait until the data is on the disk.
        """
        if self._descriptor is None:
            return
        if sync:
            with suppress(OSError):  # only regular files can be synchronised
                os.fsync(self._descriptor)
        os.close(self._descriptor)
        self._descriptor = None

    def _failure(self, error: OSError) -> TapeWriteFailed:
        kept = f"; its first {self.size} bytes are kept" if self.size else ""
        return write_failure(self.path, error, kept)
