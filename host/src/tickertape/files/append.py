"""A file that only grows: a write appends all of its bytes or none."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed
from tickertape.files.disk import (
    CLOSE_ON_EXEC,
    OLD,
    adopt_mode,
    claim,
    is_special,
    private_folder,
    real_of,
    rename_over,
    sync_folder,
)
from tickertape.files.failure import write_failure
from tickertape.files.lock import lock, open_locked

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | CLOSE_ON_EXEC


class AppendFile:
    """A new file. Each write goes to the operating system at once, without a buffer.

    The file is locked as long as it is open. It gets its name after its first bytes are written; an
    older file of that name is kept as `NAME.old`.

    Attributes:
        path: path as given.
        size: size of the file in bytes.
        is_named: whether the file has its name; until then an older file has it.
    """

    def __init__(self, path: Path, head: bytes, *, waits: bool = False) -> None:
        """Create the file with its first bytes.

        Args:
            path: path of the file.
            head: its first bytes.
            waits: leave the name to an older file until `take_name` is called.

        Raises:
            TapeBusy: another program writes the older file.
            TapeWriteFailed: the file cannot be created.
        """
        self.path = path
        self.size = 0
        self.is_named = False
        self._descriptor: int | None = None
        self._is_torn = False
        self._is_special = is_special(path)
        self._older = ExitStack()  # lock of the older file, and the private folder
        try:
            self._create(head)
            if not self.is_named and not waits:
                self.take_name()
        except BaseException as error:
            self._abandon()
            if isinstance(error, OSError):
                raise self._failure(error) from error
            raise

    def _create(self, head: bytes) -> None:
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if self._is_special:
            self._real = self._place = self.path
            self._descriptor = os.open(self.path, _FLAGS, 0o666)
            self.append(head)
            self.is_named = True
            return
        self._real = real_of(self.path)
        if self._real.exists():
            self._lock_older()
        self._place = self._older.enter_context(private_folder(self._real)) / self._real.name
        self._descriptor = os.open(self._place, _FLAGS | os.O_EXCL, 0o666)
        lock(self._descriptor, self.path)
        self.append(head)
        if not self._real.exists() and claim(self._place, self._real):
            self._finish_name()

    def take_name(self) -> None:
        """Take the name of the older file, which is kept as `NAME.old`; do nothing if it is taken.

        Raises:
            TapeBusy: another program has taken the name meanwhile.
            TapeWriteFailed: the file cannot be renamed.
        """
        if self.is_named:
            return
        try:
            if not self._real.exists() and not claim(self._place, self._real):
                self._lock_older()
            if self._real.exists() and self._place.exists():
                adopt_mode(self._place, self._real)
                kept = self._real.with_name(self._real.name + OLD)
                has_bytes = self._real.stat().st_size > 0
                rename_over(self._place, self._real, kept if has_bytes else None)
        except OSError as error:
            raise self._failure(error) from error
        self._finish_name()

    def append(self, data: bytes) -> None:
        """Append `data`; on failure the file stays unchanged.

        Raises:
            TapeWriteFailed: the disk is full or failed, or the file is closed.
        """
        if self._descriptor is None:
            raise TapeWriteFailed(f"{self.path} is closed", "write before closing it")
        if self._is_torn:
            raise TapeWriteFailed(f"{self.path} has an incomplete end", "check the disk")
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            self._remove_rest()
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
        """Close the file; a file without a name is removed. May be called twice.

        Args:
            sync: wait until the data is on the disk.

        Raises:
            TapeWriteFailed: the data is not on the disk.
        """
        if self._descriptor is None:
            return
        try:
            if sync and not self._is_special and self.is_named:
                os.fsync(self._descriptor)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            self._abandon()

    def _lock_older(self) -> None:
        descriptor = open_locked(self._real)
        self._older.callback(os.close, descriptor)

    def _finish_name(self) -> None:
        self.is_named = True
        self._older.close()
        sync_folder(self._real.parent)

    def _remove_rest(self) -> None:
        """Remove the bytes of an incomplete write; nothing is appended after bytes that remain."""
        assert self._descriptor is not None  # noqa: S101 - only `append` calls this
        try:
            os.ftruncate(self._descriptor, self.size)
            os.lseek(self._descriptor, self.size, os.SEEK_SET)
        except OSError:
            # Readers skip an incomplete chunk; a pipe or device has no end to restore.
            self._is_torn = not self._is_special

    def _abandon(self) -> None:
        """Close the descriptor and remove what has no name."""
        self._older.close()
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _failure(self, error: OSError) -> TapeWriteFailed:
        kept = f"; its first {self.size} bytes are kept" if self.size and self.is_named else ""
        return write_failure(self.path, error, kept)
