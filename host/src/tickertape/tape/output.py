"""A file that appears under its name when it is whole, and not at all otherwise."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to; it becomes `path` in the end, unless there was an error.

    So a tool may write over the tape it reads, and what was there survives a full disk.

    Raises:
        TapeWriteFailed: the name cannot be given.
    """
    if path.exists() and not path.is_file():
        yield path  # a pipe or a device keeps its nature; of a folder the writer complains
        return
    real = path.resolve()
    first = real.with_name(f".{real.name}.part")
    try:
        yield first
        first.replace(real)
    except OSError as error:
        raise TapeWriteFailed(
            f"{path} cannot be written ({error.strerror})", "choose a place where you may write"
        ) from error
    finally:
        first.unlink(missing_ok=True)
