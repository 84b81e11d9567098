"""The server of the page of a tape: files of the page, answers, changes and updates.

`Listener` checks each request. The path of a request is never used as a path of a file.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Protocol

from tickertape.errors import TickertapeError, UsageError
from tickertape.view.listening import LONGEST_MESSAGE, Listener
from tickertape.view.versions import OutdatedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.websockets import WebSocket

    from tickertape.view.listening import Guard

_PAGE: Final = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_NEWS_S: Final = 0.1
_WRONG_MESSAGE: Final = 1008
_STATUS: Final[Mapping[type, int]] = {OutdatedError: 410}


def page_file(name: str) -> bytes:
    """Return a file of the built page."""
    return files("tickertape.view").joinpath("page", name).read_bytes()


class Answers(Protocol):
    """Answers the requests of a page; implemented by `View` and `Pair`."""

    def answer(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Answer a question; see `Queries.answer`."""

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Make a change; return JSON values, or None if there is no such change.

        Raises:
            UsageError: an argument is missing or wrong, or changes are not allowed.
        """

    def news(self) -> dict[str, Any] | None:
        """Return the state that changes while pages are open, as JSON values; None if constant."""


class Server(Listener):
    """Serves one tape, or two, to browsers on this machine."""

    def __init__(self, queries: Answers, *, port: int = 0, token: str | None = None) -> None:
        """Listen; `run` answers requests. See `Listener`.

        Args:
            queries: answers the requests of the page.
            port: port to listen to; 0 for any free port.
            token: secret part of the address; None for a random one.

        Raises:
            LinkBusy: another program listens to this port.
            LinkDenied: the user may not listen to this port.
        """
        has_news = queries.news() is not None
        super().__init__(
            lambda guard: application(queries, guard),
            _POLICY,
            port=port,
            token=token,
            has_news=has_news,
        )


def application(queries: Answers, guard: Guard) -> Any:  # noqa: ANN401 - an extra
    """Make the application: the page under the token, its requests under `api/`."""
    from starlette.applications import Starlette  # noqa: PLC0415 - an extra
    from starlette.responses import JSONResponse, Response  # noqa: PLC0415 - an extra
    from starlette.routing import Route  # noqa: PLC0415 - an extra

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
    return app


def _news(queries: Answers, guard: Guard) -> Any:  # noqa: ANN401 - an extra
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
    """Send news to a page until it closes.

    The page requests each news after the first one: a slow page misses some, and no queue grows.
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
    """Return whether a page sends a message within `wait_s`; None waits forever."""
    try:
        message = await asyncio.wait_for(page.receive(), wait_s)
    except TimeoutError:
        return False
    return bool(message["type"] == "websocket.receive")


async def _body(request: Request) -> bytes:
    """Return the body of a request.

    Raises:
        UsageError: the body is too long.
    """
    found = b""
    async for piece in request.stream():
        # Read all of it: a browser that is still sending would miss the answer.
        if len(found) <= LONGEST_MESSAGE:
            found += piece
    if len(found) > LONGEST_MESSAGE:
        raise UsageError("the request is too long", f"send {LONGEST_MESSAGE} bytes at most")
    return found


def _arguments(body: bytes) -> dict[str, str]:
    """Parse arguments, a JSON object whose values are text.

    Raises:
        UsageError: the body is not such an object.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise UsageError("this is not a request", "send a JSON object of texts")
    return found
