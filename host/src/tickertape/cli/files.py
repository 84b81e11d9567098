"""Write small result files of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed

if TYPE_CHECKING:
    from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8.

    Raises:
        TapeWriteFailed: the file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TapeWriteFailed(
            f"{path} cannot be written ({error.strerror})", "give another file"
        ) from error
