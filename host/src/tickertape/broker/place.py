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

# Who looks for a broker looks here first (host/posix/broker_client.h).
ENVIRONMENT: Final = "TICKERTAPE_BROKER"


def default_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return the default path of the socket of this user's broker.

    In the folder that the system gives each user for such things; where there is none, in /tmp,
    where clients look whose socket it is.
    """
    environment = os.environ if environment is None else environment
    folder = environment.get("XDG_RUNTIME_DIR")
    if folder:
        return Path(folder) / "tickertape.sock"
    return Path("/tmp") / f"tickertape-{os.getuid()}.sock"  # noqa: S108 - mode 0600, see above


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen.

    Attributes:
        path: of the Unix socket, for this user alone; None for none.
        port: of 127.0.0.1, for every user of this machine; 0 lets the system choose, None for none.
    """

    path: str | None = None
    port: int | None = None

    def listen(self) -> list[UnixListener | TcpListener]:
        """Begin to listen.

        Raises:
            LinkError: the socket cannot be made; no file remains.
            UsageError: no socket can have this path.
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
