"""Create and replace a file in steps; each step reports its errors."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD: Final = ".old"
"""Ending of the older tape that a new recording has replaced."""

ORIGINAL: Final = ".orig"
"""Ending of the tape that `repair` or `cut` has replaced by its own result."""

# A folder that cannot be synchronised: network and user-space file systems, and Windows.
_NO_FOLDER_SYNC: Final = {errno.EINVAL, errno.EBADF, errno.EOPNOTSUPP, errno.ENOSYS}
CLOSE_ON_EXEC: Final = getattr(os, "O_CLOEXEC", 0)
_NO_HARD_LINKS: Final = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


def real_of(path: Path) -> Path:
    """Return the path of the file that is to be replaced, with the user's own links resolved.

    Raises:
        PermissionError: the path is a link of another user in a folder that all users may write.
    """
    if path.is_symlink():
        folder, link = path.parent.stat(), path.lstat()
        is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
        own = os.geteuid() if hasattr(os, "geteuid") else link.st_uid
        if is_shared and link.st_uid not in {own, folder.st_uid}:
            raise PermissionError(errno.EACCES, "a link of another user", str(path))
    return Path(os.path.realpath(path))


def is_special(path: Path) -> bool:
    """Return whether a path is a pipe, a device or a folder, which is written in place."""
    return path.exists() and not path.is_file()


@contextmanager
def private_folder(beside: Path) -> Iterator[Path]:
    """Yield a new folder beside a file, for this user only; remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix=".tickertape-", dir=beside.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sync(path: Path) -> None:
    """Wait until the bytes of a file are on the disk.

    Raises:
        OSError: they are not.
    """
    descriptor = os.open(path, os.O_RDONLY | CLOSE_ON_EXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk.

    Raises:
        OSError: they are not.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | CLOSE_ON_EXEC)
    except PermissionError:
        return  # a folder that may be written but not read, or Windows
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def adopt_mode(place: Path, older: Path) -> None:
    """Give a file mode and owner of the file that it replaces; the owner where permitted.

    Raises:
        OSError: the mode cannot be set.
    """
    before, now = older.stat(), place.stat()
    if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid) and hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give files away; nothing promises it
            os.chown(place, before.st_uid, before.st_gid)
    place.chmod(stat.S_IMODE(before.st_mode) & 0o777)


def rename_over(place: Path, real: Path, kept: Path | None) -> None:
    """Rename a complete file over an older one; on failure the older one is as it was.

    Args:
        place: the new file, in a private folder beside `real`.
        real: its final path.
        kept: new path of an existing `real`; a file there is replaced. None to replace `real`.

    Raises:
        OSError: a step failed.
    """
    before = place.with_name("before")
    is_linked = real.exists() and _link(real, before)
    if kept is not None and real.exists():
        if is_linked:
            os.link(before, place.with_name("kept"))
            place.with_name("kept").replace(kept)
        else:  # no hard links: for a moment there is no file `real`
            real.replace(kept)
    try:
        place.replace(real)
        sync_folder(real.parent)
    except OSError:
        if is_linked:
            before.replace(real)
        elif kept is not None and kept.exists():
            kept.replace(real)
        raise


def claim(place: Path, real: Path) -> bool:
    """Give a file its final path if no other file has it; return whether it did.

    Raises:
        OSError: a step failed.
    """
    try:
        os.link(place, real)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if real.exists():
            return False
        place.replace(real)
        return True
    place.unlink()
    return True


def _link(path: Path, other: Path) -> bool:
    """Give a file a second name; return False where that is not possible."""
    try:
        os.link(path, other)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return False
    return True
