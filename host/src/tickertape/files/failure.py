"""Convert errors of the operating system to errors about the file that the user named."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


@contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """Convert write errors of a temporary file to errors about `path`.

    Raises:
        TapeWriteFailed: the block raised it, or an error of the operating system other than a
            closed pipe.
    """
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
