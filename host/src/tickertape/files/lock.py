"""Lock a file while it is written, so that a second writer is refused.

The lock is advisory (`flock`): it belongs to the open file, disappears with the process, survives
a rename, and does not hinder readers. Where a file system or an operating system has no such locks,
writing continues without a lock, and one warning reports this.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tickertape.errors import TapeBusy
from tickertape.files.disk import CLOSE_ON_EXEC
from tickertape.files.failure import write_failure

try:
    import fcntl
except ImportError:  # a system without POSIX locks
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_LOCKS: Final = {
    errno.ENOLCK,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
    errno.EINVAL,
    errno.EBADF,  # NFS: the file is open for reading only
}
_LOCKS: Final = Path("/proc/locks")
_START_FIELD: Final = 19  # field 22 of /proc/PID/stat, counted after the name of the program
_warned: list[str] = []


class Holder(NamedTuple):
    """A process that has a file locked.

    Attributes:
        pid: its number.
        since: local time of its start, as text; empty if unknown.
    """

    pid: int
    since: str


def lock(descriptor: int, path: Path) -> bool:
    """Lock an open file until all copies of its descriptor are closed.

    Args:
        descriptor: the open file.
        path: its path, for messages.

    Returns:
        Whether it is locked: False where the file system has no locks, which is reported once.

    Raises:
        TapeBusy: another writer has locked it.
        OSError: the lock failed for another reason.
    """
    if not _HAS_LOCKS:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise TapeBusy(_busy(path, _holder(descriptor)), _ADVICE) from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        _warn(path, error)
        return False
    return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other writers away from an existing file in this block.

    Raises:
        TapeBusy: another writer has locked it.
        TapeWriteFailed: it cannot be opened.
    """
    try:
        descriptor = open_locked(path)
    except OSError as error:
        raise write_failure(path, error) from error
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def locked_if_there(path: Path) -> Iterator[None]:
    """Keep other writers away from a file that may be missing, which the block reports.

    Raises:
        TapeBusy: another writer has locked it.
        TapeWriteFailed: it cannot be opened.
    """
    with locked(path) if path.is_file() else nullcontext():
        yield


def open_locked(path: Path) -> int:
    """Open an existing file and lock it; return its descriptor.

    Raises:
        TapeBusy: another writer has locked it.
        OSError: it cannot be opened.
    """
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | CLOSE_ON_EXEC)
        except PermissionError:
            descriptor = os.open(path, os.O_RDONLY | CLOSE_ON_EXEC)
        try:
            lock(descriptor, path)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another writer has replaced it before it was locked


_ADVICE: Final = "wait until it has ended, or give another name"


def _busy(path: Path, holder: Holder | None) -> str:
    if holder is None:
        return f"{path} is being written by another program"
    if holder.pid == os.getpid():
        return f"{path} is being written by this process ({holder.pid})"
    since = f", running since {holder.since}" if holder.since else ""
    return f"{path} is being written by process {holder.pid}{since}"


def _holder(descriptor: int) -> Holder | None:
    """Return the process that has a file locked; None where the system does not list locks."""
    status = os.fstat(descriptor)
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    found: list[tuple[bool, int]] = []
    try:
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].endswith(f":{status.st_ino}"):  # noqa: PLR2004 - columns of /proc/locks
            found.append((words[5].startswith(f"{device}:"), int(words[4])))
    # A volume of btrfs or an overlay lists another device number than `fstat` returns.
    exact = [pid for is_exact, pid in found if is_exact] or [pid for _, pid in found]
    pids = [pid for pid in exact if pid > 0]  # 0 or -1: a process of another container
    return Holder(pids[0], _start_of(pids[0])) if pids else None


def _start_of(pid: int) -> str:
    """Return the local time at which a process started, as text; empty if unknown."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        ticks = int(words.rpartition(")")[2].split()[_START_FIELD])
        age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time() - age_s))


def _warn(path: Path, error: OSError) -> None:
    if not _warned:
        _warned.append(str(path))
        import logging  # noqa: PLC0415 - slow, and hardly ever needed

        logging.getLogger("tickertape").warning(
            "tickertape: the file system of %s has no locks (%s), so another program can write "
            "the same file; let only one write it",
            path,
            error.strerror,
        )
