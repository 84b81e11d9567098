"""Links over Unix sockets: outgoing and incoming connections of this machine.

A listening socket is for its owner alone: its file has mode 0600, and where the system identifies
callers (Linux), callers of other users are refused. The superuser is admitted.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import stat
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tickertape.errors import LinkBusy, LinkDenied, LinkError, LinkMissing, UsageError
from tickertape.link.stream_socket import SocketLink

_RETRY_S: Final = 0.05
_WAITING_CALLERS: Final = 16
# A write fails if the caller accepts no bytes for this time.
_SEND_LIMIT_S: Final = 2
_TIMEVAL: Final = struct.Struct("@ll")
_CREDENTIALS: Final = struct.Struct("3i")  # pid, uid, gid
_NOBODY_LISTENS: Final = frozenset({errno.ENOENT, errno.ECONNREFUSED})


def connect(path: str, name: str, wait_s: float) -> SocketLink:
    """Connect to a socket; keep trying for `wait_s` seconds while no program listens there.

    Raises:
        UsageError: the path is too long for a socket.
        LinkMissing: there is no such socket, or no program listens there.
        LinkDenied: the user may not connect.
        LinkError: another reason.
    """
    deadline = time.monotonic() + wait_s
    while True:
        connection = _new_socket()
        try:
            connection.connect(path)
        except OSError as error:
            connection.close()
            if error.errno not in _NOBODY_LISTENS or time.monotonic() >= deadline:
                raise _connect_error(error, path, name) from error
        else:
            return SocketLink(connection, name)
        time.sleep(_RETRY_S)


class UnixListener:
    """A socket with a name in the file system, for programs of the same user."""

    def __init__(self, path: str) -> None:
        """Listen at `path`; replace a socket that an ended program left there.

        Raises:
            UsageError: the path is too long for a socket.
            LinkBusy: another program listens there, or the path is not a socket.
            LinkDenied: the user may not make a socket there.
            LinkError: another reason.
        """
        self._path = path
        self._socket = _new_socket()
        try:
            self._bind()
            # Restrict the mode before `listen`: until then no program can connect.
            Path(path).chmod(stat.S_IRUSR | stat.S_IWUSR)
            self._identity = _identity(path)
            self._socket.listen(_WAITING_CALLERS)
        except OSError as error:
            self._socket.close()
            raise _listen_error(error, path) from error
        except LinkError:
            self._socket.close()
            raise

    def _bind(self) -> None:
        try:
            self._socket.bind(self._path)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            _remove_dead(self._path)
            self._socket.bind(self._path)

    @property
    def address(self) -> str:
        """The address that callers open."""
        return f"unix:{self._path}"

    def accept(self, timeout_s: float) -> SocketLink | None:
        """Wait up to `timeout_s` for a caller; None when no permitted caller arrived."""
        if not select.select([self._socket], [], [], timeout_s)[0]:
            return None
        try:
            connection, _ = self._socket.accept()
        except OSError:  # the caller has gone already, or this process has no free descriptor
            return None
        if not _is_ours(connection):
            connection.close()
            return None
        connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(_SEND_LIMIT_S, 0)
        )
        return SocketLink(connection, self._path)

    def close(self) -> None:
        """Stop listening and remove the socket file, unless another program has replaced it."""
        self._socket.close()
        with suppress(OSError):
            if _identity(self._path) == self._identity:
                Path(self._path).unlink()


def _new_socket() -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise LinkError("this system has no Unix sockets", "use socket://host:port")
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def _is_ours(connection: socket.socket) -> bool:
    """Return whether a caller is our user or the superuser; true if it is unknown."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(data)
    return user in {0, os.geteuid()}


def _identity(path: str) -> tuple[int, int]:
    about = Path(path).lstat()
    return about.st_dev, about.st_ino


def _remove_dead(path: str) -> None:
    """Remove a socket at which no program listens.

    Raises:
        LinkBusy: a program listens there, or the path is not a socket.
    """
    if not stat.S_ISSOCK(Path(path).lstat().st_mode):
        raise LinkBusy(f"{path} exists and is not a socket", "choose another path for the socket")
    with _new_socket() as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            Path(path).unlink()
            return
    raise LinkBusy(f"another program listens at {path}", "choose another path for the socket")


def _connect_error(error: OSError, path: str, name: str) -> LinkError | UsageError:
    if error.errno is None:
        return _too_long(path)
    if error.errno == errno.ENOENT:
        return LinkMissing(
            f"there is no socket {path}", "check the path, or start the program that listens"
        )
    if error.errno == errno.ECONNREFUSED:
        return LinkMissing(f"no program listens at {path}", "start that program again")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return LinkDenied(
            f"you may not connect to {path}", "run it as the user of the listening program"
        )
    return LinkError(f"{name} cannot be reached ({error.strerror})", "check the path")


def _listen_error(error: OSError, path: str) -> LinkError | UsageError:
    if error.errno is None:
        return _too_long(path)
    if error.errno in {errno.EACCES, errno.EPERM}:
        return LinkDenied(f"you may not make a socket at {path}", "choose another folder")
    return LinkError(f"cannot listen at {path} ({error.strerror})", "choose another path")


def _too_long(path: str) -> UsageError:
    # Python checks the length itself and raises an error without a number.
    return UsageError(f"{path} is too long for a socket", "choose a path of at most 100 bytes")
