"""The base of every server of pages: loopback only, one random token, checked headers.

Every request needs the token as the first part of its path, a Host header that names this server,
and, where a browser sends one, an Origin or Sec-Fetch-Site of this server: a page elsewhere cannot
read a tape by rebinding a name (DNS) or by a request across sites.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from typing import TYPE_CHECKING, Any, Final

from tickertape.errors import LinkBusy, LinkDenied, UsageError
from tickertape.view.connections import BACKLOG, limited, most_connections

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import HTTPConnection, Request

LOOPBACK: Final = "127.0.0.1"
LONGEST_MESSAGE: Final = 4096
"""Largest message of a page, in bytes."""

_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_GRACE_S: Final = 5
_SAME_SITE: Final = {"same-origin", "none"}


class Listener:
    """Serves an application to browsers on this machine.

    Attributes:
        port: port number.
        address: address of the page, including the token.
    """

    def __init__(
        self,
        make: Callable[[Guard], Any],
        policy: str,
        *,
        port: int = 0,
        token: str | None = None,
        has_news: bool = False,
    ) -> None:
        """Listen; `run` answers requests.

        Args:
            make: makes the application; its routes begin with `/{token}/`, and it has to check
                each request with the guard.
            policy: content-security-policy of the pages.
            port: port to listen to; 0 for any free port.
            token: secret part of the address; None for a random one.
            has_news: serve WebSockets.

        Raises:
            LinkBusy: another program listens to this port.
            LinkDenied: the user may not listen to this port.
        """
        token = token or secrets.token_urlsafe(24)
        self._socket = _listen(port)
        self.port = int(self._socket.getsockname()[1])
        self.address = f"http://{LOOPBACK}:{self.port}/{token}/"
        hosts = {f"{name}:{self.port}" for name in (LOOPBACK, "localhost")}
        self.app = _WithHeaders(make(Guard(token, hosts)), policy)
        self._has_news = has_news
        self._server: Any = None

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until `stop` or Ctrl-C."""
        import uvicorn  # noqa: PLC0415 - an extra

        config = uvicorn.Config(
            self.app,
            log_level="critical",
            access_log=False,
            lifespan="off",
            http=limited(most_connections()),
            backlog=BACKLOG,
            ws="websockets-sansio" if self._has_news else "none",
            ws_max_size=LONGEST_MESSAGE,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        server = self._server = uvicorn.Server(config)
        config.load()
        ready()
        try:
            asyncio.run(server.serve(sockets=[self._socket]))
        finally:
            self._socket.close()

    def stop(self) -> None:
        """End `run`; may be called from any thread."""
        if self._server is not None:
            self._server.should_exit = True


def _listen(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.bind((LOOPBACK, port))
        found.listen()
    except PermissionError as error:
        found.close()
        raise LinkDenied(f"port {port} may not be used", "give a port above 1023") from error
    except OSError as error:
        found.close()
        raise LinkBusy(
            f"port {port} of {LOOPBACK} cannot be used ({error.strerror})",
            "give another port, or leave out --port",
        ) from error
    except OverflowError as error:
        found.close()
        raise UsageError(f"{port} is not a port", "give 1 to 65535") from error
    return found


class Guard:
    """Decides which requests are allowed."""

    def __init__(self, token: str, hosts: set[str]) -> None:
        """Accept this token, and these values of the Host header."""
        self._token = token.encode()
        self._hosts = [[host] for host in hosts]
        self._origins = {f"http://{host}" for host in hosts}

    def refusal(self, request: HTTPConnection) -> tuple[str, int] | None:
        """Return why a request is refused, and the status; None if it is allowed."""
        headers = request.headers
        if headers.getlist("host") not in self._hosts:
            return "wrong host", 421
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if (origin is not None and origin not in self._origins) or site not in _SAME_SITE:
            return "another site asks", 403
        if not secrets.compare_digest(request.path_params["token"].encode(), self._token):
            return "wrong token", 403
        return None

    def refused_change(self, request: Request) -> tuple[str, int] | None:
        """Return why a change is refused: its origin is not this page, or it is not JSON."""
        refused = self.refused_origin(request)
        if refused is not None:
            return refused
        if request.headers.get("content-type") != "application/json":
            return "no JSON", 415
        return None

    def refused_origin(self, request: HTTPConnection) -> tuple[str, int] | None:
        """Return why a request is refused: it has no origin, or another one; None if allowed."""
        if request.headers.get("origin") not in self._origins:
            return "another site asks", 403
        return None


class _WithHeaders:
    """Adds the security headers to every response, including refusals."""

    def __init__(self, inner: Any, policy: str) -> None:  # noqa: ANN401 - an extra
        self._inner = inner
        headers = {"content-security-policy": policy, **_HEADERS}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        async def send_more(message: Any) -> None:  # noqa: ANN401
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *self._headers]}
            await send(message)

        await self._inner(scope, receive, send_more if scope["type"] == "http" else send)
