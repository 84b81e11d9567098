"""The server of a page: loopback only, one random token, no path of a request reaches a file.

Every request needs the token as the first part of its path, a Host header that names this server,
and, where a browser sends one, an Origin or Sec-Fetch-Site of this server: a page elsewhere cannot
read a tape by rebinding a name (DNS) or by a request across sites.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Protocol

from tickertape.errors import LinkBusy, LinkDenied, TickertapeError, UsageError
from tickertape.view.versions import OutdatedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import HTTPConnection, Request
    from starlette.websockets import WebSocket

LOOPBACK: Final = "127.0.0.1"
_PAGE: Final = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_LONGEST_BODY: Final = 4096
_GRACE_S: Final = 5
_NEWS_S: Final = 0.1
_WRONG_MESSAGE: Final = 1008
_STATUS: Final[Mapping[type, int]] = {OutdatedError: 410}
_SAME_SITE: Final = {"same-origin", "none"}


def page_file(name: str) -> bytes:
    """Return a file of the built page."""
    return files("tickertape.view").joinpath("page", name).read_bytes()


class Answers(Protocol):
    """What a page asks: a `View`, or `Queries`."""

    def answer(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Answer a question; see `Queries.answer`."""

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Make a change; returns values of JSON, None when there is no such change.

        Raises:
            UsageError: an argument is missing or wrong, or nothing may be changed.
        """

    def news(self) -> dict[str, Any] | None:
        """Return what changes while pages are open, values of JSON; None if nothing does."""


class Server:
    """Serves one tape to the browsers of this machine.

    Attributes:
        port: which one it listens to.
        address: of the page, token included.
    """

    def __init__(self, queries: Answers, *, port: int = 0, token: str | None = None) -> None:
        """Listen; nothing is answered before `run`.

        Args:
            queries: what the page asks.
            port: to listen to; 0 for any that is free.
            token: the secret part of the address; a random one when None.

        Raises:
            LinkBusy: another program listens to this port.
            LinkDenied: the user may not listen to it.
        """
        self._token = token or secrets.token_urlsafe(24)
        self._socket = _listen(port)
        self.port = int(self._socket.getsockname()[1])
        self.address = f"http://{LOOPBACK}:{self.port}/{self._token}/"
        hosts = {f"{name}:{self.port}" for name in (LOOPBACK, "localhost")}
        self._has_news = queries.news() is not None
        self.app = application(queries, self._token, hosts)
        self._server: Any = None

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until `stop` or Ctrl-C."""
        import uvicorn  # noqa: PLC0415 - an extra

        config = uvicorn.Config(
            self.app,
            log_level="critical",
            access_log=False,
            lifespan="off",
            http="h11",
            ws="websockets-sansio" if self._has_news else "none",
            ws_max_size=_LONGEST_BODY,
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
        """End `run`, from any thread."""
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
        raise UsageError(f"{port} is no port", "give 1 to 65535") from error
    return found


def application(queries: Answers, token: str, hosts: set[str]) -> Any:  # noqa: ANN401 - an extra
    """Make the application: the page under the token, and its questions under `api/`.

    Args:
        queries: answers questions.
        token: first part of every path.
        hosts: values of the Host header that are accepted.
    """
    from starlette.applications import Starlette  # noqa: PLC0415 - an extra
    from starlette.responses import JSONResponse, Response  # noqa: PLC0415 - an extra
    from starlette.routing import Route  # noqa: PLC0415 - an extra

    guard = _Guard(token, hosts)

    async def page(request: Request) -> Any:  # noqa: ANN401 - an extra
        refused = guard.refusal(request)
        if refused is not None:
            return Response(*refused)
        known = _PAGE.get(request.path_params.get("name", ""))
        if known is None:
            return Response("no such page", 404)
        return Response(page_file(known[0]), media_type=known[1])

    async def api(request: Request) -> Any:  # noqa: ANN401 - an extra
        refused = guard.refusal(request)
        if refused is not None:
            return Response(*refused)
        name, arguments = request.path_params["name"], dict(request.query_params)
        try:
            found = await asyncio.to_thread(queries.answer, name, arguments)
        except UsageError as error:
            return JSONResponse({"error": str(error)}, _STATUS.get(type(error), 400))
        return Response("no such question", 404) if found is None else JSONResponse(found)

    async def change(request: Request) -> Any:  # noqa: ANN401 - an extra
        refused = guard.refusal(request) or guard.refused_change(request)
        if refused is not None:
            return Response(*refused)
        try:
            arguments = _arguments(await _body(request))
            found = await asyncio.to_thread(queries.change, request.path_params["name"], arguments)
        except TickertapeError as error:
            return JSONResponse({"error": str(error)}, 400)
        return Response("no such change", 404) if found is None else JSONResponse(found)

    routes = [
        _news(queries, guard),
        Route("/{token}/", page),
        Route("/{token}/{name}", page),
        Route("/{token}/api/{name}", api),
        Route("/{token}/api/{name}", change, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return _WithHeaders(app)


def _news(queries: Answers, guard: _Guard) -> Any:  # noqa: ANN401 - an extra
    """Make the route of the WebSocket that sends news; a refused page gets status 403."""
    from starlette.routing import WebSocketRoute  # noqa: PLC0415 - an extra
    from starlette.websockets import WebSocketDisconnect  # noqa: PLC0415 - an extra

    async def live(page: WebSocket) -> None:
        if guard.refusal(page) or guard.refused_origin(page) or queries.news() is None:
            await page.close()
            return
        await page.accept()
        with suppress(WebSocketDisconnect):
            await _tell(page, queries)

    return WebSocketRoute("/{token}/live", live)


async def _tell(page: WebSocket, queries: Answers) -> None:
    """Send news to a page until it goes.

    The page asks for each one after the first: a slow page misses news, and no queue grows.
    """
    from starlette.websockets import WebSocketState  # noqa: PLC0415 - an extra

    sent: dict[str, Any] | None = None
    while True:
        news = queries.news()
        if news != sent:
            await page.send_json(news)
            sent = news
            if not await _hears(page, None):
                return
        elif await _hears(page, _NEWS_S):
            await page.close(_WRONG_MESSAGE)  # unexpected
            return
        elif page.client_state is WebSocketState.DISCONNECTED:
            return


async def _hears(page: WebSocket, wait_s: float | None) -> bool:
    """Return whether a page sends a message in time, of whatever kind."""
    try:
        message = await asyncio.wait_for(page.receive(), wait_s)
    except TimeoutError:
        return False
    return bool(message["type"] == "websocket.receive")


async def _body(request: Request) -> bytes:
    """Return the body of a request.

    Raises:
        UsageError: it is too long.
    """
    found = b""
    async for piece in request.stream():
        # All of it is read: a browser that is still sending would miss the answer.
        if len(found) <= _LONGEST_BODY:
            found += piece
    if len(found) > _LONGEST_BODY:
        raise UsageError("the request is too long", f"send {_LONGEST_BODY} bytes at most")
    return found


def _arguments(body: bytes) -> dict[str, str]:
    """Read arguments: a JSON object whose values are text.

    Raises:
        UsageError: it is none.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise UsageError("this is no request", "send a JSON object of texts")
    return found


class _Guard:
    """Decides who may ask."""

    def __init__(self, token: str, hosts: set[str]) -> None:
        self._token = token.encode()
        self._hosts = [[host] for host in hosts]
        self._origins = {f"http://{host}" for host in hosts}

    def refusal(self, request: HTTPConnection) -> tuple[str, int] | None:
        """Return why a request is refused, and the status; None when it is not."""
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
        """Return why a change is refused: only this page, which sends its origin, may ask."""
        refused = self.refused_origin(request)
        if refused is not None:
            return refused
        if request.headers.get("content-type") != "application/json":
            return "no JSON", 415
        return None

    def refused_origin(self, request: HTTPConnection) -> tuple[str, int] | None:
        """Return why a request is refused that has no origin, or another one."""
        if request.headers.get("origin") not in self._origins:
            return "another site asks", 403
        return None


class _WithHeaders:
    """Adds the headers of safety to every response, refusals among them."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - an extra
        self._inner = inner
        self._headers = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401
        async def send_more(message: Any) -> None:  # noqa: ANN401
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *self._headers]}
            await send(message)

        await self._inner(scope, receive, send_more if scope["type"] == "http" else send)
