"""The sockets at which the broker listens: a Unix socket, a port of this machine, or both."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.link.tcp import TcpListener
from tickertape.link.unix import UnixListener

if TYPE_CHECKING:
    from collections.abc import Mapping

# Clients look here first for the address of the broker (host/posix/broker_client.h).
ENVIRONMENT: Final = "TICKERTAPE_BROKER"


def default_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return the default path of the socket of this user's broker.

    The socket is in the user's XDG_RUNTIME_DIR. Without one it is in /tmp, where clients check the
    owner of the socket.
    """
    environment = os.environ if environment is None else environment
    folder = environment.get("XDG_RUNTIME_DIR")
    if folder:
        return Path(folder) / "tickertape.sock"
    return Path("/tmp") / f"tickertape-{os.getuid()}.sock"  # noqa: S108 - mode 0600, see above


@dataclass(frozen=True, slots=True)
class Place:
    """Addresses to listen at.

    Attributes:
        path: path of a Unix socket for this user only; None: no Unix socket.
        port: TCP port of 127.0.0.1, open to every user of this machine; 0: the system chooses one,
            None: no TCP port.
    """

    path: str | None = None
    port: int | None = None

    def listen(self) -> list[UnixListener | TcpListener]:
        """Begin to listen, and return the listeners. The caller closes them.

        Raises:
            LinkError: the socket cannot be made; no file remains.
            UsageError: the path is too long for a socket.
        """
        listeners: list[UnixListener | TcpListener] = []
        try:
            if self.path is not None:
                listeners.append(UnixListener(self.path))
            if self.port is not None:
                listeners.append(TcpListener(self.port))
        except BaseException:
            for listener in listeners:
                listener.close()
            raise
        return listeners
