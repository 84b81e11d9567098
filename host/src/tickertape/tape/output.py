"""Write a file or folder that gets its name only when it is complete."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed
from tickertape.tape.file import write_failure

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name to write to; rename it to `path` at the end unless an error occurred.

    So a tool can replace the tape that it reads, and an existing file survives a full disk.

    Raises:
        TapeWriteFailed: the file cannot be written or renamed.
    """
    # Pipes and devices are not replaced. For a folder, the writer raises the error.
    is_special = path.exists() and not path.is_file()
    real = Path(os.path.realpath(path))
    first = path if is_special else real.with_name(f".{real.name}.part")
    try:
        with _told_of(path):
            yield first
            if not is_special:
                first.replace(real)
    finally:
        if not is_special:
            first.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder to write to; rename it to `path` at the end unless an error occurred.

    Raises:
        TapeWriteFailed: `path` exists and is not an empty folder, or it cannot be written.
    """
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise TapeWriteFailed(f"{path} already exists", "remove it, or choose another name")
    real = Path(os.path.realpath(path))
    first = real.with_name(f".{real.name}.part")
    try:
        with _told_of(path):
            shutil.rmtree(first, ignore_errors=True)
            first.mkdir(parents=True)
            yield first
            first.replace(real)
    finally:
        shutil.rmtree(first, ignore_errors=True)


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Convert write errors of the temporary file to errors about `path`."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of the pipe has closed it
    except TapeWriteFailed as error:
        if isinstance(error.__cause__, OSError):
            raise write_failure(path, error.__cause__) from error
        raise
    except OSError as error:
        raise write_failure(path, error) from error
