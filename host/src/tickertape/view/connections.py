"""Limit the connections to the page, so that idle or slow clients do not use up the descriptors."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final

_MOST: Final = 256
_OF_DESCRIPTORS: Final = 4  # connections take at most one in four of the process's descriptors
BACKLOG: Final = 32
"""Connections accepted at once, before the first of them can be refused."""

_REQUEST_S: Final = 10.0


def most_connections() -> int:
    """Return the limit of connections: well below that of descriptors, which files need too."""
    try:
        import resource  # noqa: PLC0415 - POSIX systems only
    except ImportError:
        return _MOST
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft == resource.RLIM_INFINITY else max(8, min(_MOST, soft // _OF_DESCRIPTORS))


def limited(most: int) -> type[Any]:
    """Return uvicorn's protocol of a connection with limits.

    A connection beyond `most` is closed, and so is one that sends no whole request within ten
    seconds. The first connection beyond the limit is reported.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415 - an extra

    reported: list[int] = []

    class Limited(H11Protocol):
        """One connection."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            """Begin, or refuse the connection."""
            super().connection_made(transport)
            if len(self.connections) > most:
                if not reported:
                    reported.append(most)
                    logging.getLogger("tickertape").warning(
                        "tickertape: more than %d connections to the page; new ones are refused",
                        most,
                    )
                transport.abort()
                return
            asyncio.get_running_loop().call_later(_REQUEST_S, self._end_idle)

        def _end_idle(self) -> None:
            # A WebSocket has left `connections`, and a request in progress has a cycle.
            if self in self.connections and getattr(self, "cycle", None) is None:
                self.transport.abort()

    return Limited
