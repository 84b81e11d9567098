"""Outputs that get their name when they are complete."""

from __future__ import annotations

import filecmp
import os
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import TapeWriteFailed
from tickertape.files.disk import (
    OLD,
    ORIGINAL,
    adopt_mode,
    is_special,
    private_folder,
    real_of,
    rename_over,
    sync,
    sync_folder,
)
from tickertape.files.failure import errors_about
from tickertape.files.lock import open_locked

if TYPE_CHECKING:
    from collections.abc import Iterator


class Keep(Enum):
    """Ending under which a replaced file is kept; None: it is not kept."""

    NOTHING = None
    OLD = OLD
    ORIGINAL = ORIGINAL


def keep_of(source: Path, output: Path) -> Keep:
    """Return how an existing output tape is kept: as the original if it is the input."""
    is_input = output.exists() and source.samefile(output)
    return Keep.ORIGINAL if is_input else Keep.OLD


@contextmanager
def replacing(path: Path, keep: Keep = Keep.NOTHING) -> Iterator[Path]:
    """Yield a temporary path to write to; rename it to `path` at the end unless an error occurred.

    So a tool can replace the tape that it reads, and an existing file survives a full disk. The new
    file has mode and owner of the one that it replaces, and is on the disk when the block ends. An
    existing file is locked meanwhile. Pipes and devices are written in place.

    Args:
        path: path of the output.
        keep: whether an existing file is kept under another name. `Keep.OLD` replaces the file that
            was kept before; `Keep.ORIGINAL` never replaces one, and keeps none
            if the block wrote the same bytes or no file.

    Raises:
        TapeBusy: another program writes the existing file.
        TapeWriteFailed: the file cannot be written or renamed; an existing one is as it was.
    """
    with ExitStack() as stack:
        stack.enter_context(errors_about(path))
        if is_special(path):
            yield path
            return
        real = real_of(path)
        if real.exists():
            stack.callback(os.close, open_locked(real))
        place = stack.enter_context(private_folder(real)) / real.name
        yield place
        if real.exists():
            if keep is Keep.ORIGINAL and _is_unchanged(place, real):
                return
            adopt_mode(place, real)
        sync(place)
        rename_over(place, real, _kept(real, keep))


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder to write to; rename it to `path` at the end unless an error occurred.

    All of its files are on the disk when the block ends.

    Raises:
        TapeWriteFailed: `path` exists and is not an empty folder, or it cannot be written.
    """
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise TapeWriteFailed(f"{path} already exists", "remove it, or choose another name")
    with errors_about(path):
        real = real_of(path)
        real.parent.mkdir(parents=True, exist_ok=True)
        with private_folder(real) as folder:
            place = folder / real.name
            place.mkdir()
            yield place
            for parent, _, names in os.walk(place):
                for name in names:
                    sync(Path(parent, name))
                sync_folder(Path(parent))
            place.replace(real)
            sync_folder(real.parent)


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, with line ends as given.

    Raises:
        TapeWriteFailed: the file cannot be written; an existing one is as it was.
    """
    with replacing(path) as place:
        place.write_text(text, encoding="utf-8", newline="")


def _is_unchanged(place: Path, real: Path) -> bool:
    return not place.exists() or filecmp.cmp(place, real, shallow=False)


def _kept(real: Path, keep: Keep) -> Path | None:
    """Return the path under which an existing file is kept.

    Raises:
        TapeWriteFailed: an earlier original is there.
    """
    if keep.value is None or not real.exists() or not real.stat().st_size:
        return None
    kept = real.with_name(real.name + keep.value)
    if keep is Keep.ORIGINAL and kept.exists():
        raise TapeWriteFailed(
            f"the original would be kept as {kept.name}, which exists already",
            "move that file away, or give another output with -o",
        )
    return kept
